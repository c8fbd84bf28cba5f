"""Listeners: layouts listed one by one, and hands that follow calls whose chances are known."""

from __future__ import annotations

from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import listening as program
from tribridge.common.arrays import bits
from tribridge.common.errors import FormatError
from tribridge.game.scoring import find_scheme
from tribridge.lab.training import listening
from tribridge.lab.training.listening import (
    Followed,
    Heard,
    draw_hands,
    explained,
    heard,
    heard_calls,
    layouts,
    located,
)
from tribridge.lab.training.whole_games import CARDS, FLOOR, Table, deals
from tribridge.networks.auction import PASS

UNSEEN = (1 << 39) - 1


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(find_scheme("contract"))


class Spades:
    """A bidder who calls the number of cards that it has among 13, or passes half of the time."""

    xp, device = np, "cpu"

    def hand_wishes(self, seen: Any, hands: Any) -> Any:
        wish = np.full((len(hands), 38), -np.inf)
        wish[np.arange(len(hands)), bits(hands, 13).sum(1)] = 0.0
        wish[:, PASS] = -1e-9  # as likely, but not preferred
        return wish


def bid(number: int) -> Heard:
    """A call of `Spades`, where all bids and the pass are legal."""
    return Heard(0, 1, number, np.zeros(15, np.int64), (1 << PASS + 1) - 1)


def chance_of(length: int) -> float:
    """The chance of so many of 13 cards in a hand of 39."""
    return comb(13, length) * comb(26, 13 - length) / comb(39, 13)


def test_drawn_hands_are_of_the_cards_not_seen() -> None:
    mine = deals(3, 0, 1)[:, 0]
    hands = draw_hands(mine, 200, np.random.default_rng(1))
    assert hands.shape == (2, 200)
    assert (bits(hands, 52).sum(2) == 13).all()
    assert not (hands & mine).any()
    often = bits(hands, 52).mean((0, 1))[~bits(mine, 52)[0]]
    assert np.abs(often - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 400)


def test_exchanged_hands_differ_by_one_unseen_card() -> None:
    rng = np.random.default_rng(2)
    hands = draw_hands(deals(3, 1, 1)[:, 0], 100, rng)[0]
    unseen = np.array([((1 << CARDS) - 1) & ~int(deals(3, 1, 1)[0, 0])])
    changed = listening.exchanged(hands, unseen, rng)
    assert (bits(changed, 52).sum(1) == 13).all()
    assert (bits(changed ^ hands, 52).sum(1) == 2).all()
    assert not (changed & ~unseen).any()


@pytest.mark.parametrize(("length", "off"), [(4, 0.1), (8, 0.5)])
def test_hands_that_follow_a_call_explain_it(length: int, off: float) -> None:
    """The rarer call is taken in steps: hands with eight of the cards are one in a hundred."""
    rng = np.random.default_rng(4)
    mine = np.array([((1 << CARDS) - 1) & ~UNSEEN])
    hands = draw_hands(mine, 4000, rng)[0]
    followed = Followed(Spades(), hands, np.array([UNSEEN]), rng)  # type: ignore[arg-type]
    followed.hear(bid(length))
    weights = np.exp(followed.logs)
    held = bits(followed.hands, 13).sum(1)
    odd = FLOOR / (PASS + 1)
    for kind, certain in enumerate((1 - FLOOR, (1 - FLOOR) / 2)):
        truly = (certain + odd) * chance_of(length)
        expected = truly / (truly + odd * (1 - chance_of(length)))
        share = weights[held == length, kind].sum() / weights[:, kind].sum()
        assert abs(share - expected) < 0.05
        # How well hands explain the call on average, too, by which groups are joined.
        total = truly + odd * (1 - chance_of(length))
        assert abs(weights[:, kind].mean() / total - 1) < off
    # Among those with the cards no other card is preferred.
    others = bits(followed.hands[held == length] >> 13, 26).mean(0)
    assert np.abs(others - (13 - length) / 26).max() < 0.12


def test_hands_are_joined_as_if_every_layout_were_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    mine = deals(4, 0, 1)[:, 1]
    hands, logs = draw_hands(mine, 150, rng), -3 * rng.random((2, 150, 3))
    monkeypatch.setattr(listening, "_BLOCK", 64)  # in more than one block
    chances, size = located(layouts(hands), bits(hands, 52).astype(float), logs)
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
    every = list(heard_calls(calls, seat))
    assert [(each.at, each.call) for each in every] == [
        (at, call) for at, call in enumerate(calls) if at % 3 != seat
    ]
    told = [explained(table, each, drawn[(each.caller - seat) % 3 - 1]) for each in every]
    layouts = np.zeros((1, size, 4), np.int64)
    layouts[0, :, seat] = hands[0, seat]
    layouts[0, :, 2], layouts[0, :, 0] = drawn
    past = [np.array([call]) for call in calls]
    expected = table._log_likelihood(past, layouts, np.array([0]), seat)
    chances = listening.KINDS.index("chances")
    assert np.allclose(sum(each[chances] for each in told), expected[0], atol=1e-4)


def test_many_hands_in_one_situation_are_asked_as_each_alone(table: Table) -> None:
    hands = deals(8, 0, 400)[:, 0]
    seen = list(heard_calls(table.calls(deals(8, 1, 1))[:, 0], 2))[-1].seen
    rows = np.concatenate([hands[:, None], np.broadcast_to(seen[1:], (400, 14))], 1)
    assert np.allclose(table.hand_wishes(seen, hands), table.wishes(rows), atol=1e-4)


def test_a_call_that_any_hand_would_make_says_nothing() -> None:
    class Passer(Spades):
        def hand_wishes(self, seen: Any, hands: Any) -> Any:
            return np.broadcast_to(np.arange(38) == PASS, (len(hands), 38)).astype(float)

    hands, calls = deals(6, 0, 1)[0], np.full(3, PASS)
    rng = np.random.default_rng(4)
    told = list(heard(Passer(), hands, calls, 0, 2000, rng))  # type: ignore[arg-type]
    assert [call.caller for call, _ in told] == [1, 2]
    (_, first), (_, second) = told
    assert abs(first[0, 0, 3]) < 1.5  # the noise of some five thousand layouts
    assert np.allclose(second, 0, atol=1e-9)  # the same hands


def test_one_player_listens_to_each_deal(table: Table) -> None:
    hands = deals(7, 0, 3)
    calls, told = listening.listen(table, hands, 130, np.random.default_rng(5))
    assert told.shape == (*calls.shape, 2, 3, 4)
    assert np.isfinite(told).all()
    turn = np.arange(len(calls))[:, None] % 3
    heard = (calls >= 0) & (turn != np.arange(3))
    assert not told[~heard].any()
    assert told[heard].any((1, 2, 3)).all()


def test_the_program_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    lines: list[str] = []
    program.listen(tmp_path, "cpu", 0.005, lines.append)
    assert len(lines) == 2
    program.listen(tmp_path, "cpu", 0.005, lines.append)
    assert len(lines) == 2
    with pytest.raises(FormatError, match="begun with the share"):
        program.listen(tmp_path, "cpu", 0.006, lines.append)
