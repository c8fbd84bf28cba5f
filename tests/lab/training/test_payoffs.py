"""What contracts bring: the network sees declarer's deal, and learns from games."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import FULL_DECK  # noqa: E402
from tribridge.common.errors import NotFoundError  # noqa: E402
from tribridge.lab.training.deals import deal_hands  # noqa: E402
from tribridge.lab.training.networks import PAYOFFS, SuitNetwork, save_network  # noqa: E402
from tribridge.lab.training.payoffs import train, tricks_by_network  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")


def test_tricks_turn_with_the_seats_and_the_suits(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = SuitNetwork(PAYOFFS, 16, 2)
    torch.nn.init.normal_(network.out.weight)
    save_network(network, tmp_path / "payoffs.npz")
    tricks = tricks_by_network(tmp_path / "payoffs.npz", CPU)
    hands = deal_hands(6, FULL_DECK, CPU)
    found = tricks(hands)
    assert found.shape == (6, 3, 5, 7, 14)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
    turned = tricks(hands[:, [1, 2, 0, 3]])
    np.testing.assert_allclose(turned, found[:, [1, 2, 0]], rtol=1e-4, atol=1e-6)
    row = (1 << 13) - 1
    swapped = (hands >> 13) & row | (hands & row) << 13 | hands & ~((1 << 26) - 1)
    np.testing.assert_allclose(tricks(swapped), found[:, :, [1, 0, 2, 3, 4]], rtol=1e-4, atol=1e-6)
    assert not np.allclose(found[:, 0], found[:, 1])
    with pytest.raises(NotFoundError, match="no such file"):
        tricks_by_network(tmp_path / "other.npz", CPU)


@pytest.mark.slow
def test_it_learns_from_games_that_are_played(tmp_path: Path) -> None:
    lines: list[str] = []
    train(
        tmp_path, batches=2, games=48, steps=2, width=8, layers=1, minibatch=32,
        say=lines.append,
    )  # fmt: skip
    logged = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert json.loads(lines[-1]) == logged
    for contracts in ("bid", "others"):
        assert 0 < logged[contracts]["made"] < 1
        assert logged[contracts]["forecast, Brier"] < 0.25
    assert (
        tricks_by_network(tmp_path / "payoffs.npz", CPU)(deal_hands(2, FULL_DECK, CPU))
        .isfinite()
        .all()
    )
