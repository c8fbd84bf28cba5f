"""Training in miniature: the command, the loss, and that a trained network runs in NumPy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tribridge.dealer_arrays import deal_masks
from tribridge.double_dummy.labels import (
    Labels,
    dumps_labels,
    load_labels,
    shipped,
)
from tribridge.errors import SettingError
from tribridge.forecast.distribution import means
from tribridge.forecast.net import Net

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.training import forecast as learn  # noqa: E402
from tribridge.training.forecast import of_labels, of_played  # noqa: E402

TRAINING = Path(__file__).parents[2] / "data" / "labels-7.parquet"
SMALL = ("--preset", "small", "--device", "cpu")


def train(*arguments: str) -> str:
    """Run the command in this process: importing PyTorch takes longer than the training."""
    from typer.testing import CliRunner

    from tribridge.cli import app

    words = ["train", "forecast", *arguments, *SMALL]
    return CliRunner().invoke(app, words, catch_exceptions=False).stdout


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few labels."""
    path = tmp_path_factory.mktemp("learn") / "labels.parquet"
    path.write_bytes(dumps_labels(load_labels(TRAINING).first(300)))
    return path


@pytest.mark.slow
def test_the_command_writes_weights_that_run(labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    assert "weights" in train(str(labels), str(labels), "--out", str(out))
    with out.open("rb") as file:
        found = Net.of(dict(np.load(file)))
    hands = deal_masks(3, 0, 50)
    chances = found.from_pair(hands[:, 0], hands[:, 1])
    assert chances.shape == (50, 5, 14)
    assert found.from_hand(hands[:, 0]).shape == (50, 5, 14)
    assert np.allclose(chances.sum(-1), 1, atol=1e-5)


def test_labels_of_one_declarer_give_one_pair_a_deal_both_ways_round() -> None:
    labels = shipped().first(6)
    one, every = of_labels(labels.one_declarer()), of_labels(labels)
    assert (len(one), len(every)) == (2 * 6, 2 * 18)
    for deal in range(6):
        for at, other in ((deal, 3 * deal + deal % 3), (deal + 6, 3 * deal + deal % 3 + 18)):
            assert one.hands[at] == every.hands[other]
            assert one.dummies[at] == every.dummies[other]
            assert one.targets[at].tolist() == every.targets[other].tolist()
    assert one.hands[2] == int(labels.hands[2, 2])
    assert one.hands[8] == one.dummies[2] == int(labels.hands[2, 3])


def played(labels: Labels) -> Labels:
    """The same tricks, as if they had been played."""
    return Labels(replace(labels.work, player="learned"), labels.numbers, labels.tricks)


def test_played_deals_keep_the_hands_apart() -> None:
    labels = played(shipped().first(4))
    pairs = of_played(labels)
    assert len(pairs) == 12
    assert pairs.hands[5] == int(labels.hands[1, 2])
    assert pairs.dummies[5] == int(labels.hands[1, 3])


def test_played_deals_are_learned_directly_and_never_mixed(labels: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "played.parquet", tmp_path / "net.npz"
    path.write_bytes(dumps_labels(played(load_labels(labels))))
    text = train(str(path), "--out", str(out))
    assert "single, 900 examples" in text
    assert "teacher" not in text
    with out.open("rb") as file:
        found = Net.of(dict(np.load(file)))
    hands = deal_masks(3, 0, 5)
    assert found.from_pair(hands[:, 0], hands[:, 1]).shape == (5, 5, 14)
    with pytest.raises(SettingError, match="played ones"):
        train(str(path), str(labels), "--out", str(out))


def test_labels_for_evaluation_are_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.parquet").write_bytes(dumps_labels(shipped().first(10)))
    out = tmp_path / "net.npz"
    with pytest.raises(SettingError, match="10 of these"):
        train(str(tmp_path / "labels.parquet"), "--out", str(out))
    assert not out.exists()


@pytest.mark.parametrize("hands", [1, 2])
def test_numpy_says_what_pytorch_says(hands: int) -> None:
    torch.manual_seed(5)
    model = learn.SuitNet(learn.Shape(hands, 24, 2, 16)).eval()
    arrays = {
        f"{name}.{key}": np.ascontiguousarray(value.numpy().T)
        for name in ("single", "pair")
        for key, value in model.state_dict().items()
    }
    masks = deal_masks(4, 0, 200)[:, :hands]
    given = [torch.from_numpy(masks[:, at].astype(np.int64)) for at in range(hands)]
    with torch.no_grad():
        wanted = torch.softmax(model(learn.bits(*given)), -1).numpy()
    columns = [masks[:, at] for at in range(hands)]
    loaded = Net.of(arrays)
    found = loaded.from_hand(*columns) if hands == 1 else loaded.from_pair(*columns)
    assert np.allclose(found, wanted, atol=1e-6)


@pytest.mark.slow
def test_a_student_comes_close_to_its_teachers() -> None:
    torch.manual_seed(1)
    teacher = learn.SuitNet(learn.Shape(2, 8, 1, 8)).eval()
    with torch.no_grad():
        teacher.suit.weight.mul_(8)
    bank = learn.fill_bank([teacher], 4000, 1)
    lesson = learn.Lesson(learn.Shape(2, 16, 2, 16), 400, 128, 5e-3)
    student = learn.train_student(lesson, bank, 1)
    with torch.no_grad():
        found = torch.softmax(student(learn.bits(bank.hands, bank.dummies)), -1).numpy()
    wanted = means(bank.targets.float().numpy())[:, :4]
    assert np.corrcoef(means(found)[:, :4].ravel(), wanted.ravel())[0, 1] > 0.8


def test_the_loss_is_least_at_the_truth() -> None:
    logits = torch.zeros(1, 5, 14, requires_grad=True)
    tricks = torch.full((1, 5), 9)
    (pull,) = torch.autograd.grad(learn.loss(logits, tricks), logits)
    assert (pull[0, :, 9] < 0).all()
    assert (pull[0, :, 8] > 0).all()
    sure = torch.full((1, 5, 14), -20.0)
    sure[..., 9] = 20
    assert float(learn.loss(sure, tricks)) < 1e-6


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    from tests.cli.helpers import refusal

    words = ("train", "forecast", str(tmp_path / "nowhere.parquet"), "--out", str(out), *SMALL)
    assert "nowhere.parquet" in refusal(*words)
    assert not out.exists()
