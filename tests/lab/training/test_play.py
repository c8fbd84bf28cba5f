"""Card play learns, keeps what it learned, and refuses what it cannot go on from."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import Deck  # noqa: E402
from tribridge.common.errors import SettingError  # noqa: E402
from tribridge.lab.training.deals import RuleContracts  # noqa: E402
from tribridge.lab.training.learner import PlaySize, TrainingError  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork, export  # noqa: E402
from tribridge.lab.training.play import (  # noqa: E402
    AT_ONCE,
    PointsDeals,
    TrickDeals,
    leads,
    train,
)
from tribridge.lab.training.ppo import PlayPiece  # noqa: E402
from tribridge.networks import network as in_numpy  # noqa: E402
from tribridge.networks.network import load_network  # noqa: E402
from tribridge.networks.play import (  # noqa: E402
    KIND,
    POINTS_KIND,
    PlayGames,
    by_card,
    expand,
)

torch.set_num_threads(1)
SMALL = PlaySize(width=32, layers=2, critic_width=32, critic_layers=2, deck=Deck(2, 6))
SHORT = PlayPiece(
    batches=2, games=256, minibatch=512, rate=(3e-3, 1e-3), compiled=False, log_every=0,
    measured=64, compared=64,
)  # fmt: skip


def quiet(_: str) -> None:
    pass


def test_numpy_runs_the_network_as_pytorch_does(tmp_path: Path) -> None:
    torch.manual_seed(1)
    policy = SuitNetwork(KIND, 24, 3)
    torch.nn.init.normal_(policy.out.weight)
    policy.half().float()  # the weights as the file has them
    contracts = RuleContracts(Deck()).deal(8, torch.device("cpu"))
    suits, table = expand(*PlayGames(contracts).observe(), torch.float32)
    path = tmp_path / "play.npz"
    path.write_bytes(export(policy))
    network = in_numpy.SuitNetwork.of(dict(np.load(path)))
    with torch.no_grad():
        expected = policy(suits, table).numpy()
    np.testing.assert_allclose(network(suits.numpy(), table.numpy()), expected, atol=2e-4)


def test_the_answers_move_with_the_suits() -> None:
    torch.manual_seed(2)
    policy = SuitNetwork(KIND, 24, 2)
    torch.nn.init.normal_(policy.out.weight)
    suits, table = torch.rand(5, 4, policy.suit_in.in_features), torch.rand(5, 259)
    order = [2, 0, 3, 1]
    with torch.no_grad():
        answers, moved = by_card(policy(suits, table)), by_card(policy(suits[:, order], table))
    expected = answers.reshape(3, 5, 4, 13)[:, :, order]
    assert torch.allclose(expected, moved.reshape(3, 5, 4, 13), atol=1e-3)


def test_training_leaves_the_precision_of_other_products_alone(tmp_path: Path) -> None:
    before = torch.get_float32_matmul_precision()
    said: list[str] = []

    def say(_: str) -> None:
        said.append(torch.get_float32_matmul_precision())

    train(tmp_path, SMALL, SHORT, say=say)
    assert set(said) == {"high"}
    assert torch.get_float32_matmul_precision() == before == "highest"


def test_training_learns(tmp_path: Path) -> None:
    """On a deck of twelve cards a few seconds are enough to beat any legal card."""
    lines: list[str] = []
    piece = replace(SHORT, batches=25, games=512, log_every=5)
    learner = train(tmp_path, SMALL, piece, say=lines.append)
    torch.manual_seed(5)
    trial = TrickDeals(SMALL.deck, torch.device("cpu")).trial(4000)
    for lead, error in leads(learner.average, None, [trial], SMALL.deck).values():
        assert lead > 3 * error
    with pytest.raises(SettingError, match="already holds a training run"):
        train(tmp_path, SMALL, SHORT, say=quiet)


def test_a_training_can_start_from_the_weights_of_another(tmp_path: Path) -> None:
    first = train(tmp_path / "first", SMALL, SHORT, say=quiet)
    begun = replace(SHORT, batches=1, rate=(0.0, 0.0))
    second = train(tmp_path / "second", SMALL, begun, start=tmp_path / "first", say=quiet)
    for one, two in zip(first.average.parameters(), second.policy.parameters(), strict=True):
        assert torch.allclose(one, two, atol=1e-2)


def test_the_full_deck_is_played_for_points_against_a_rival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    size = PlaySize(width=16, layers=1, critic_width=16, critic_layers=1)
    piece = replace(SHORT, games=48, measured=16, compared=16)
    learner = train(tmp_path / "first", size, piece, say=lines.append)
    assert "declaring over the rival" in json.loads(lines[0])
    assert re.fullmatch(r"defending: [-+]\d+\.\d+ ± \d+\.\d+ points a deal over .*", lines[-1])
    with (tmp_path / "first" / "play.npz").open("rb") as file:
        load_network(file, "play.npz", POINTS_KIND)  # what the player runs
    rival = tmp_path / "first" / "play.npz"
    piece = replace(piece, batches=1, rate=(0.0, 0.0))
    train(tmp_path / "second", size, piece, start=rival.parent, rival=rival, say=lines.append)
    assert lines[-1].startswith("defending: +0.000 ± 0.000 points"), "it is its own rival"
    assert learner.games == 96


def test_deals_to_learn_from_are_of_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    dealing = PointsDeals(torch.device("cpu"))
    batches = [dealing.deal(100) for _ in range(AT_ONCE)]
    levels = torch.cat([batch.level for batch in batches])
    doubled = torch.cat([batch.doubled for batch in batches])
    passes = torch.cat([batch.passes for batch in batches])
    assert all(len(batch) == 100 for batch in batches)
    assert set(levels.tolist()) == set(range(1, 8))
    assert set(doubled.tolist()) == {0, 1, 2}
    assert 0.05 < (doubled > 0).float().mean() < 0.25
    opened = (passes[:, 1:] & 1).any(1).float()
    assert 0 < opened.mean() < 0.5, "some contracts were bid after a pass, those by rule were not"
    _, points = dealing.trial(5)
    assert (points.diff() > 0).all()


def test_a_loss_that_is_no_number_stops_the_training(tmp_path: Path) -> None:
    wild = replace(SHORT, batches=5, rate=(float("nan"), 1.0))
    with pytest.raises(TrainingError, match="not finite"):
        train(tmp_path, SMALL, wild, say=quiet)
    assert not (tmp_path / "play.npz").exists()
