"""Training in miniature: the command, the loss, and that a trained network runs in NumPy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tribridge.cards.cards import Hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common.errors import SettingError
from tribridge.forecast.distribution import means
from tribridge.forecast.net import Net
from tribridge.lab.labels.built_deals import built_masks, rebuilt
from tribridge.lab.labels.labels import (
    Labels,
    LabelWork,
    dumps_labels,
    load_labels,
    shipped,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.lab.training import forecast as learn  # noqa: E402
from tribridge.lab.training.forecast import of_labels, of_played  # noqa: E402
from tribridge.lab.training.forecast_net import Shape, SuitNet, bits  # noqa: E402

TRAINING = Path(__file__).parents[3] / "data" / "labels-7.parquet"
SMALL = ("--preset", "small", "--device", "cpu")


def train(*arguments: str) -> str:
    """Run the command in this process: importing PyTorch takes longer than the training."""
    from typer.testing import CliRunner

    from tribridge.cli import app

    words = ["train", "forecast", *arguments, *SMALL]
    return CliRunner().invoke(app, words, catch_exceptions=False).stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A few labels, and a file of means made of their tricks."""
    folder = tmp_path_factory.mktemp("learn")
    labels = load_labels(TRAINING).first(300)
    (folder / "labels.parquet").write_bytes(dumps_labels(labels))
    columns = [side + strain for side in "NS" for strain in ("C", "D", "H", "S", "NT")]
    lines = [";".join(["", "N", "S", *columns])]
    for at, (hands, tricks) in enumerate(zip(labels.hands, labels.tricks, strict=True)):
        pair = [str(Hand(int(hands[column]))) for column in (0, 3)]
        lines.append(";".join([str(at), *pair, *(f"{t:.1f}" for t in [*tricks[0], *tricks[0]])]))
    (folder / "means.csv").write_text("\n".join(lines) + "\n")
    return folder / "labels.parquet", folder / "means.csv"


@pytest.mark.slow
def test_the_command_writes_weights_that_run(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    labels, csv = files
    assert "weights" in train(str(labels), str(labels), "--means", str(csv), "--out", str(out))
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
            assert one.tricks[at].tolist() == every.tricks[other].tolist()
    assert one.hands[2] == int(labels.hands[2, 2])
    assert one.hands[8] == one.dummies[2] == int(labels.hands[2, 3])


def played(labels: Labels) -> Labels:
    """The same tricks, as if they had been played."""
    return Labels(replace(labels.work, player="learned"), labels.numbers, labels.tricks)


def test_played_deals_keep_the_hands_apart_and_leave_out_built_dummies() -> None:
    labels = played(shipped().first(4))
    pairs, alone = of_played(labels)
    assert len(pairs) == len(alone) == 12
    assert pairs.hands[5] == int(labels.hands[1, 2])
    assert pairs.dummies[5] == int(labels.hands[1, 3])
    work = LabelWork(8, labels.work.strains, "one", built=True, player="learned")
    built = Labels(work, np.arange(12, dtype=np.uint64), labels.tricks.reshape(12, 1, 5))
    pairs, alone = of_played(built)
    assert len(pairs) == 12
    assert alone.hands.tolist() == pairs.hands[[0, 1, 2, 6, 7, 8]].tolist()


def test_played_deals_are_learned_directly_and_never_mixed(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    labels, csv = files
    path, out = tmp_path / "played.parquet", tmp_path / "net.npz"
    path.write_bytes(dumps_labels(played(load_labels(labels))))
    text = train(str(path), "--out", str(out))
    assert "single, 900 examples" in text
    assert "teacher" not in text
    with out.open("rb") as file:
        found = Net.of(dict(np.load(file)))
    hands = deal_masks(3, 0, 5)
    assert found.from_pair(hands[:, 0], hands[:, 1]).shape == (5, 5, 14)
    for words in ((str(labels),), ("--means", str(csv))):
        with pytest.raises(SettingError, match="played ones"):
            train(str(path), *words, "--out", str(out))


def test_labels_for_evaluation_are_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.parquet").write_bytes(dumps_labels(shipped().first(10)))
    out = tmp_path / "net.npz"
    with pytest.raises(SettingError, match="10 of these"):
        train(str(tmp_path / "labels.parquet"), "--out", str(out))
    assert not out.exists()


@pytest.mark.parametrize("hands", [1, 2])
def test_numpy_says_what_pytorch_says(hands: int) -> None:
    torch.manual_seed(5)
    model = SuitNet(Shape(hands, 24, 2, 16)).eval()
    arrays = {
        f"{name}.{key}": np.ascontiguousarray(value.numpy().T)
        for name in ("single", "pair")
        for key, value in model.state_dict().items()
    }
    masks = deal_masks(4, 0, 200)[:, :hands]
    given = [torch.from_numpy(masks[:, at].astype(np.int64)) for at in range(hands)]
    with torch.no_grad():
        wanted = torch.softmax(model(bits(*given)), -1).numpy()
    columns = [masks[:, at] for at in range(hands)]
    loaded = Net.of(arrays)
    found = loaded.from_hand(*columns) if hands == 1 else loaded.from_pair(*columns)
    assert np.allclose(found, wanted, atol=1e-6)


@pytest.mark.slow
def test_a_student_comes_close_to_its_teachers() -> None:
    torch.manual_seed(1)
    teacher = SuitNet(Shape(2, 8, 1, 8)).eval()
    with torch.no_grad():
        teacher.suit.weight.mul_(8)
    bank = learn.fill_bank([teacher], 4000, 1)
    lesson = learn.Lesson(Shape(2, 16, 2, 16), 400, 128, 5e-3)
    student = learn.train_student(lesson, bank, 1)
    with torch.no_grad():
        found = torch.softmax(student(bits(bank.hands, bank.dummies)), -1).numpy()
    wanted = means(bank.chances.float().numpy())[:, :4]
    assert np.corrcoef(means(found)[:, :4].ravel(), wanted.ravel())[0, 1] > 0.8


def test_the_student_for_one_hand_is_shown_only_dummies_left_to_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    teacher = SuitNet(Shape(2, 8, 1, 8)).eval()
    bank = learn.fill_bank([teacher], 50, 7, 60)
    assert bank.alone == 50 + 30
    assert len(bank.hands) == len(bank.dummies) == len(bank.chances) == 110
    masks = built_masks(7, 0, 60)
    for kind, rows in ((1, slice(50, 80)), (2, slice(80, 110))):
        numbers = [number for number in range(60) if rebuilt(number) == kind]
        wanted = [int(masks[number, number % 3]) for number in numbers]
        assert bank.hands[rows].tolist() == wanted
        assert bank.dummies[rows].tolist() == [int(masks[number, 3]) for number in numbers]
    several = learn.built_hands(60, 7, piece=25)
    single = learn.built_hands(60, 7)
    assert all(torch.equal(a, b) for a, b in zip(several[:2], single[:2], strict=True))
    draw, bounds = torch.randint, []

    def noted(bound: int, *arguments: Any, **options: Any) -> Any:
        bounds.append(bound)
        return draw(bound, *arguments, **options)

    monkeypatch.setattr(torch, "randint", noted)
    for hands, most in ((1, 80), (2, 110)):
        bounds.clear()
        learn.train_student(learn.Lesson(Shape(hands, 4, 1, 4), 2, 8, 1e-3), bank, 1)
        assert set(bounds) == {most}


def test_the_loss_is_least_at_the_truth() -> None:
    """And a mean over twenty layouts pulls twice as hard as one over ten."""
    logits = torch.zeros(1, 5, 14, requires_grad=True)
    tricks = torch.full((1, 5), 9.0)
    pulls = []
    for layouts in (1, 10, 20):
        value = learn.loss(logits, tricks, torch.tensor([layouts]))
        (pull,) = torch.autograd.grad(value, logits)
        assert (pull[0, :, 9] < 0).all()
        pulls.append(-float(pull[0, 0, 9]))
    assert pulls[2] == pytest.approx(2 * pulls[1])
    sure = torch.full((1, 5, 14), -20.0)
    sure[..., 9] = 20
    assert float(learn.loss(sure, tricks, torch.tensor([1]))) < 1e-6
    assert float(learn.loss(sure, tricks, torch.tensor([10]))) < 1e-6


@pytest.mark.parametrize(
    ("labels", "means_text", "problem"),
    [
        ("nowhere.parquet", None, "nowhere.parquet"),
        (None, "a;b\n1;2\n", "no column"),
    ],
)
def test_bad_input_is_one_line(
    files: tuple[Path, Path],
    tmp_path: Path,
    labels: str | None,
    means_text: str | None,
    problem: str,
) -> None:
    arguments = [str(tmp_path / labels) if labels else str(files[0])]
    if means_text:
        (tmp_path / "bad.csv").write_text(means_text)
        arguments += ["--means", str(tmp_path / "bad.csv")]
    out = tmp_path / "net.npz"
    from tests.library.cli.helpers import refusal

    assert problem in refusal("train", "forecast", *arguments, "--out", str(out), *SMALL)
    assert not out.exists()
