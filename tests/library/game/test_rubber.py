"""Rubbers: golden ones worked by hand, a second implementation, and what is refused."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.game.playing import walk
from tests.library.game.rubbers import (
    GOLDEN,
    LAWS,
    GoldenDeal,
    play,
    random_deal,
    random_rubber,
    result_of,
)
from tests.library.game.slow_rubber import SlowRubber
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import TribridgeError
from tribridge.game.auction import Contract, Outcome
from tribridge.game.laws import honour_cards
from tribridge.game.rubber import Rubber, rubbers_of
from tribridge.game.standing import Standing
from tribridge.game.table import new_table

N, E, S = Seat


@pytest.mark.parametrize("histories", [1_000, pytest.param(20_000, marks=pytest.mark.full)])
def test_rubbers_agree_with_a_second_implementation(histories: int) -> None:
    random = Random(20)
    for history in range(histories):
        name = LAWS[history % len(LAWS)]
        rubber, slow = Rubber(name), SlowRubber(name)
        while not rubber.over and len(rubber.results) < 12:
            played = random_deal(random)
            slow.play(played)
            rubber = rubber.add_result(result_of(played))
        above, below = [0, 0, 0], [0, 0, 0]
        for line in rubber.lines:
            (below if line.below else above)[line.seat] += line.points
        assert (above, below) == (slow.above, slow.below)
        assert rubber.standing == Standing(tuple(slow.part), tuple(slow.games))  # type: ignore[arg-type]
        assert rubber.over == slow.over()
        if not history % 10:
            assert list(rubber.totals().values()) == slow.totals()
            assert list(rubber.settlement().values()) == slow.settlement()


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rubber(name: str) -> None:
    laws, deals, (above, below, totals, settlement) = GOLDEN[name]
    rubber = play(laws, deals)
    assert rubber.over
    assert list(rubber.above().values()) == above
    assert list(rubber.below().values()) == below
    assert list(rubber.totals().values()) == totals
    assert list(rubber.settlement().values()) == settlement
    assert sum(settlement) == 0
    for short in range(len(deals)):
        assert not play(laws, deals[:short]).over


def test_a_clear_contract_rubber_earns_700() -> None:
    deals: list[GoldenDeal] = [("5C", N, 1, 11, {}), ("4H", N, 1, 10, {})]
    assert play("contract-rubber", deals).totals()["N"] == 100 + 120 + 700


def test_lines_of_the_sheet_have_their_reasons() -> None:
    laws, deals, _ = GOLDEN["doubles and slams"]
    rubber = play(laws, deals[:2])
    assert [
        (line.deal, line.seat, line.points, line.below, line.reason) for line in rubber.sheet()
    ] == [
        (1, E, 36, True, "2♠"),
        (1, E, 18, True, "overtricks"),
        (1, E, 50, False, "doubled"),
        (1, E, 50, False, "X overtricks"),
        (1, E, 45, False, "honours 3+2"),
        (1, E, 125, False, "game"),
        (2, S, 50, False, "small slam"),
        (2, N, 200, False, "undertricks"),
        (2, E, 200, False, "undertricks"),
        (2, S, 60, False, "honours 5"),
    ]
    assert rubber.vulnerable == (E,)
    assert rubber.dealer is S


# Properties


@given(st.integers(0, 10**6), st.sampled_from(LAWS))
def test_points_add_up_and_games_cross_off_part_scores(seed: int, laws: str) -> None:
    random, rubber = Random(seed), Rubber(laws)
    while not rubber.over and len(rubber.results) < 20:
        before, rubber = rubber, rubber.add_result(result_of(random_deal(random)))
        assert rubber.lines[: len(before.lines)] == before.lines
        gained = sum(line.points for line in rubber.lines[len(before.lines) :] if line.below)
        won = sum(rubber.standing.games) - sum(before.standing.games)
        if won:
            assert won == 1
            assert rubber.standing.below == (0, 0, 0)
        else:
            assert sum(rubber.standing.below) == sum(before.standing.below) + gained
        assert max(rubber.standing.below) < rubber.laws.game
        for seat in Seat:
            assert rubber.totals()[seat] == rubber.above()[seat] + rubber.below()[seat]
        assert sum(rubber.settlement().values()) == 0
        assert all(line.points > 0 for line in rubber.lines)
        assert rubber.over == (rubber.winner is not None)
        assert sum(rubber.standing.games) <= 4


@pytest.mark.parametrize("laws", LAWS)
def test_sheet_fits_into_80_columns_and_shows_every_entry(laws: str) -> None:
    for seed in range(40):
        rubber = random_rubber(laws, seed)
        text = str(rubber)
        assert re.sub("<[^>]+>", "", rubber._repr_html_()) == text
        assert max(map(len, text.splitlines())) <= 80
        for line in rubber.lines:
            assert f"{line.points} {line.reason} ({line.deal})" in text
        assert ("won the rubber" in text) == rubber.over


def test_rubber_is_a_value() -> None:
    rubber = play(*GOLDEN["contract bridge"][:2])
    assert pickle.loads(pickle.dumps(rubber)) == copy.copy(rubber) == rubber
    assert hash(rubber) == hash(play(*GOLDEN["contract bridge"][:2]))
    assert repr(rubber) == "<Rubber contract-rubber: 6 deals, {N: 610, E: 220, S: 2360}>"
    assert Rubber() == Rubber("auction-rubber", "North")


DRAWN = """\
+-------------------------+-------------------------+-------------------------+
|North                    |East                     |South                    |
+-------------------------+-------------------------+-------------------------+
|   250 rubber (6)        |                         |                         |
|    63 honours 4+1 (6)   |                         |                         |
|    50 small slam (6)    |                         |                         |
|    72 honours 4 (3)     |                         |                         |
|   200 undertricks (3)   |                         |   200 undertricks (3)   |
|    30 honours 2+1 (1)   |    12 honours 3 (4)     |    32 honours 3+1 (2)   |
+=========================+=========================+=========================+
|    30 3NT (1)           |                         |                         |
+-------------------------+-------------------------+-------------------------+
|                         |                         |    16 2♥ (2)            |
|                         |                         |     8 overtricks (2)    |
|                         |                         |     6 1♣ (4)            |
+-------------------------+-------------------------+-------------------------+
|    35 5♦ (6)            |                         |                         |
|     7 overtricks (6)    |                         |                         |
+-------------------------+-------------------------+-------------------------+
|   737 total             |    12 total             |   262 total             |
| +1200 settlement        |  -975 settlement        |  -225 settlement        |
+-------------------------+-------------------------+-------------------------+
North has won the rubber. Games: North 2, East 0, South 1."""


def test_sheet_as_it_is_drawn() -> None:
    laws, deals, _ = GOLDEN["part scores and honours"]
    assert str(play(laws, deals)) == DRAWN


# From the table


def test_finished_table_brings_its_honours() -> None:
    for seed in range(30):
        *_, last = walk(new_table(deal(seed, 0), N, doubles=True), Random(seed))
        rubber = Rubber().add(last)
        outcome = last.outcome
        assert outcome is not None
        if outcome.contract is None:
            assert rubber.lines == ()
            continue
        cards = honour_cards(outcome.contract.bid.strain)
        claims = {
            holder: [card for card in cards if card in hand]
            for holder, hand in zip(("N", "E", "S", "dummy"), last.deal.hands, strict=True)
        }
        assert rubber == Rubber().add(outcome, honours=claims)


def test_next_rubber_begins_where_one_is_over() -> None:
    game = Outcome(Contract("3NT", "N"), 9)
    rubbers = rubbers_of([game] * 5, "auction-rubber", E)
    assert [len(rubber.results) for rubber in rubbers] == [2, 2, 1]
    assert [rubber.first_dealer for rubber in rubbers] == [E, N, S]


def test_rubber_can_start_from_a_standing() -> None:
    rubber = Rubber(below=(24, 0, 10), games=(0, 1, 1)).add(Contract("1C", "N"), 7)
    assert rubber.standing == Standing((0, 0, 0), (1, 1, 1))
    assert rubber.totals()["N"] == 6
    assert "24 at the start" in str(rubber)


# What is refused


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Rubber("none"), "unknown laws 'none': expected auction-rubber, "),
        (lambda: Rubber(7), "unknown laws 7"),  # type: ignore[arg-type]
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"N": 5}),  # type: ignore[dict-item]
            "honours of N must be cards as in 'HA HK', not 5",
        ),
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"N": [None]}),  # type: ignore[list-item]
            "None is not a card",
        ),
        (lambda: Rubber(below=(30, 0, 0)), "North's part score is 30, but 30 points are a game"),
        (lambda: Rubber("contract-rubber", below=(0, 0, 120)), "South's part score is 120"),
        (lambda: Rubber(below=(-1, 0, 0)), "must be a whole number, 0 or more, not -1"),
        (lambda: Rubber(below=(0, True, 0)), "East's part score must be a whole number"),
        (lambda: Rubber(below=(0, 0)), "2 part scores: three are needed"),
        (lambda: Rubber(games=(0, 2, 0)), "East's games must be 0 or 1"),
        (lambda: Rubber(games=(1,)), "1 games won: three are needed"),
        (lambda: Rubber(first_dealer="W"), "unknown seat 'W'"),
        (lambda: Rubber().add(Contract("1C", "N")), "needs the number of tricks"),
        (lambda: Rubber().add(Contract("1C", "N"), 14), "cannot win 14 tricks: 0 to 13"),
        (lambda: Rubber().add(Contract("1C", "N"), -1), "cannot win -1 tricks"),
        (lambda: Rubber().add(None, 7), "7 tricks are given without a contract"),
        (lambda: Rubber().add("1C"), "cannot read contract '1C'"),
        (lambda: Rubber().add(new_table(deal(1, 0), N)), "the deal is not finished"),
        (
            lambda: Rubber().add(new_table(deal(1, 0, Deck(4, 3)), N)),
            "a rubber needs the full deck, not 4x3",
        ),
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"N": "HA", "E": "HA"}),
            "♥A is claimed twice, by N and by E",
        ),
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"dummy": "HA HA"}),
            "♥A is claimed twice, by dummy and by dummy",
        ),
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"N": "H9"}),
            "♥9 is not an honour in 1♥: these are HA HK HQ HJ HT",
        ),
        (
            lambda: Rubber().add(Contract("1NT", "N"), 7, honours={"N": "SK"}),
            "♠K is not an honour in 1NT: these are CA DA HA SA",
        ),
        (
            lambda: Rubber().add(Contract("1H", "N"), 7, honours={"W": "HA"}),
            "honours of 'W': expected N, E, S, dummy",
        ),
        (lambda: Rubber().add(None, honours={"N": "HA"}), "claimed in a deal that was passed out"),
        (
            lambda: play("auction-rubber", [("3NT", N, 1, 9, {})] * 3),
            "the rubber is over: North has won two games",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make: Callable[[], object], says: str) -> None:
    with pytest.raises(TribridgeError) as caught:
        make()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
