"""Doubles by callers: none without them, and none that a rule of the table forbids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tribridge as tb
from tests.lab.training.lines import fit_against
from tests.library.strategies.test_callers import with_hand
from tribridge.arena.analysis import contract_statistics
from tribridge.arena.results import MatchResult, loads
from tribridge.arena.tables import match_report
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import SettingError
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call, parse_call
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.lab.labels.labels import load_labels, shipped
from tribridge.strategies import Choice, decision_rng, find_caller
from tribridge.strategies.callers import points
from tribridge.strategies.callers.points import PointsCaller, tricks_over

CALLERS = ("points", "forecast:kind=points,samples=20", "learned@1")
TRAINING = Path(__file__).parents[3] / "data" / "labels-7.parquet"


def called(text: str, table: Table) -> Choice:
    turn = table.turn
    assert turn is not None
    return find_caller(text).call(view(table, turn), decision_rng(1, 0, turn, 0))


def auctions(text: str, count: int, *, doubles: bool) -> Iterator[tuple[Call, ...]]:
    """The calls of a caller against itself, with the same random choices for the same calls."""
    caller = find_caller(text)
    for number in range(count):
        table = new_table(deal(12, number), Seat(number % 3), doubles=doubles)
        while not table.auction.over and table.turn is not None:
            rng = decision_rng(1, number, table.turn, len(table.auction.calls))
            action = caller.call(view(table, table.turn), rng).action
            assert action in table.auction.legal
            table = table.apply(action)
        yield table.auction.calls


@pytest.mark.parametrize("name", CALLERS)
def test_a_table_without_doubles_hears_the_same_calls_as_ever(name: str) -> None:
    count = 60 if name == "points" else 12
    never = f"{name}{',' if ':' in name else ':'}doubles=no"
    same = list(auctions(name, count, doubles=False))
    assert same == list(auctions(never, count, doubles=False))
    assert all(isinstance(call, Bid) or call is PASS for calls in same for call in calls)
    assert all(DOUBLE not in calls for calls in auctions(never, count, doubles=True))


def after(hand: str, *calls: str, doubles: bool = True) -> Table:
    """North holds the hand and is next to call."""
    table = new_table(with_hand(hand), Seat((-len(calls)) % 3), doubles=doubles)
    for call in calls:
        table = table.apply(parse_call(call))
    assert table.turn is Seat.NORTH
    return table


STACK = "KQJT9.AK4.A32.52"


def test_calls_are_worth_what_the_vulnerability_of_their_declarer_makes_them() -> None:
    over = after(STACK, "4S")
    double = {
        seats: called("learned@1:scheme=contract", replace(over, vulnerable=seats)).details
        for seats in ((), (Seat.NORTH,), (Seat.SOUTH,))
    }
    assert double[Seat.SOUTH,]["points"] > double[Seat.NORTH,]["points"] == double[()]["points"]
    over = after("AKQT4.AK4.A32.52", "1H", "pass")
    own, theirs, third, nobody = (
        called("points:scheme=contract", replace(over, vulnerable=seats)).reason
        for seats in ((Seat.NORTH,), (Seat.EAST,), (Seat.SOUTH,), ())
    )
    assert len({own, theirs, third, nobody}) == 3
    assert third == nobody


@pytest.mark.parametrize("name", CALLERS)
def test_a_trump_stack_doubles(name: str) -> None:
    assert called(name, after(STACK, "4S")).action is DOUBLE
    assert called(name, after(STACK, "4S", "X")).action is PASS
    assert called(name, after(STACK, "4S", doubles=False)).action is PASS
    assert called(name, after("7432.964.T92.854", "1S")).action is PASS


@pytest.mark.parametrize("name", CALLERS)
def test_a_solid_suit_redoubles(name: str) -> None:
    solid = "AKQJT98.AK4.A3.2"
    assert called(name, after(solid, "1S", "X", "pass")).action is REDOUBLE
    assert called(name, after(solid, "1S", "X", "pass", "XX")).action is not REDOUBLE
    weak = called("points", after("KQJT9.43.432.432", "1S", "X", "pass"))
    assert weak.action is PASS


def test_points_double_by_their_lines() -> None:
    table = after("KQJT9.A43.A32.52", "3S")
    over = tricks_over(table.deal.hands[0], Bid("3S"))
    assert over == pytest.approx(6.074 - 0.213 * 14 - 0.3776 * 5 - 1.095 * 3)
    choice = called("points", table)
    assert (choice.action, choice.reason) == (DOUBLE, "With 14 points here, 3♠ should go down 2.1.")
    notrump = tricks_over(table.deal.hands[0], Bid("2NT"))
    assert notrump == pytest.approx(4.747 - 0.2284 * 14 - 1.588 * 2)


def test_the_lines_are_fitted_to_auctions_of_the_caller() -> None:
    """On some of the deals."""
    notrump, suits = fit_against(load_labels(TRAINING).first(1200))
    assert suits == pytest.approx(points.SUIT_AGAINST, rel=0.25)
    assert len(notrump) == len(points.NOTRUMP_AGAINST)
    with pytest.raises(SettingError, match="for evaluation"):
        fit_against(shipped().first(3))


def test_a_small_deck_is_called_without_doubles() -> None:
    table = tb.play_game(PointsCaller(), "points", "learned", deck="4x6", doubles=True, seed=3)
    assert table.over


def test_games_with_doubles_are_played_to_the_end() -> None:
    factors = set()
    for number in range(12):
        table = tb.play_game(
            "points+random",
            "random:passing=0.3+random",
            "random:passing=0.3+random",
            seed=2,
            number=number,
            doubles=True,
        )
        if table.contract is not None:
            factors.add(table.contract.factor)
    assert 1 in factors
    assert max(factors) > 1


def test_the_arena_counts_doubled_contracts() -> None:
    contest = tb.compare(
        "points+random", "random:passing=0.3+random", deals=6, seed=2, doubles=True
    )
    result = contest.result
    assert isinstance(result, MatchResult)
    declared = [deal.factor for _, deal in result.played if deal.contract]
    doubled = sum(factor > 1 for factor in declared)
    assert 0 < doubled < len(declared)
    assert doubled == sum(one.doubled for one in contract_statistics(result))
    table = match_report(result).tables()[0]
    assert table.names[-1] == "% doubled"
    again = loads(codec.dumps(result))
    assert again == result
    plain = tb.compare("points+random", "pass+random", deals=2, seed=2).result
    assert isinstance(plain, MatchResult)
    assert {deal.factor for _, deal in plain.played} == {1}
    assert match_report(plain).tables()[0].names[-1] == "% outbid"
    assert np.isfinite(result.points).all()
