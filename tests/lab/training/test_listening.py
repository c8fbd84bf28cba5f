"""Listeners: hands joined by products of matrices, against layouts listed one by one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks import listening as program
from tribridge.common.arrays import bits
from tribridge.common.errors import FormatError
from tribridge.game.scoring import find_scheme
from tribridge.lab.training import listening
from tribridge.lab.training.listening import draw_hands, heard_calls, located, network_logs
from tribridge.lab.training.whole_games import Table, deals


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(find_scheme("contract"))


def test_drawn_hands_are_of_the_cards_not_seen() -> None:
    mine = deals(3, 0, 1)[:, 0]
    hands = draw_hands(mine, 200, np.random.default_rng(1))
    assert hands.shape == (2, 200)
    assert (bits(hands, 52).sum(2) == 13).all()
    assert not (hands & mine).any()
    often = bits(hands, 52).mean((0, 1))[~bits(mine, 52)[0]]
    assert np.abs(often - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 400)


def test_hands_are_joined_as_if_every_layout_were_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    mine = deals(4, 0, 1)[:, 1]
    hands, logs = draw_hands(mine, 150, rng), -3 * rng.random((2, 150, 3))
    monkeypatch.setattr(listening, "_BLOCK", 64)  # in more than one block
    chances, size = located(hands, logs)
    weights = np.exp(logs)
    total, by_card, by_hand = np.zeros(3), np.zeros((2, 3, 52)), np.zeros((2, 150, 3))
    for one, two in product(range(150), repeat=2):
        if hands[0, one] & hands[1, two]:
            continue
        weight = weights[0, one] * weights[1, two]
        total += weight
        for player, at in enumerate((one, two)):
            by_hand[player, at] += weight
            by_card[player] += weight[:, None] * bits(hands[player, at : at + 1], 52)
    assert total.all()
    assert np.allclose(chances, by_card / total[:, None], atol=1e-6)
    effective = by_hand.sum(1) ** 2 / (by_hand**2).sum(1)
    assert np.allclose(size, effective.min(0), rtol=1e-5)


def test_chances_of_calls_are_those_of_the_search(table: Table) -> None:
    """`whole_games` follows the auctions of whole layouts call by call."""
    hands = deals(5, 0, 1)
    calls = table.calls(hands)[:, 0]
    seat, size = 1, 30
    drawn = draw_hands(hands[:, seat], size, np.random.default_rng(3))
    heard = list(heard_calls(calls, seat))
    assert [(each.at, each.call) for each in heard] == [
        (at, call) for at, call in enumerate(calls) if at % 3 != seat
    ]
    logs = network_logs(table, drawn, heard, 2)[listening.KINDS.index("chances")]
    layouts = np.zeros((1, size, 4), np.int64)
    layouts[0, :, seat] = hands[0, seat]
    layouts[0, :, 2], layouts[0, :, 0] = drawn
    past = [np.array([call]) for call in calls]
    expected = table._log_likelihood(past, layouts, np.array([0]), seat)
    assert np.allclose(logs[:, :, -1].sum(0), expected[0], atol=1e-4)


def test_a_listener_without_evidence_misses_all_bits(table: Table) -> None:
    hands = deals(6, 0, 1)
    mine, true = hands[:, 0], hands[0, 1:]
    drawn = draw_hands(mine, 500, np.random.default_rng(4))
    told = listening.said(drawn, np.zeros((2, 500, 2)), true, mine)
    assert np.allclose(told[1], 0, atol=1e-9)  # nothing new
    assert abs(told[0, 3]) < 3  # the noise of some three hundred layouts


def test_listening_is_scored_call_by_call(table: Table) -> None:
    hands = deals(7, 0, 2)
    calls, told = listening.listen(table, hands, 64, np.random.default_rng(5))
    assert told.shape == (*calls.shape, 2, 2, 3, 4)
    assert np.isfinite(told).all()
    over = calls < 0
    assert not told[over].any()
    assert told[~over].any((1, 2, 3, 4)).all()


def test_the_program_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    lines: list[str] = []
    program.listen(tmp_path, "cpu", 0.001, lines.append)
    assert len(lines) == 2
    program.listen(tmp_path, "cpu", 0.001, lines.append)
    assert len(lines) == 2
    with pytest.raises(FormatError, match="begun with the share"):
        program.listen(tmp_path, "cpu", 0.002, lines.append)
