"""Calls are valued by the auctions that they lead to, one by one and in lockstep."""

from __future__ import annotations

import numpy as np
import pytest

from tests.grids import thinned
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import (
    PASS,
    Bid,
    Outcome,
    Rubber,
    Table,
    find_scheme,
    new_table,
    view,
)
from tribridge.game.auction import Call
from tribridge.game.laws import deal_items
from tribridge.game.rubber_worth import deal_worth
from tribridge.game.scoring import settle
from tribridge.game.standing import rubber_points, step
from tribridge.game.tricks import chair_hands
from tribridge.networks.stakes import Game
from tribridge.reviews.calls import double_dummy
from tribridge.strategies.learned.auctions import CallValues, actual_points, preferred, value_calls
from tribridge.strategies.learned.caller import LearnedCaller

RUBBER = Rubber(below=(0, 0, 14), games=(1, 0, 1))


def bid_on(table: Table) -> Table:
    """A table after its auction, as the caller bids on, one call at a time."""
    rng = np.random.default_rng(0)
    while table.turn is not None and not table.auction.over:
        table = table.apply(LearnedCaller().call(view(table, table.turn), rng).action)
    return table


def by_hand(table: Table, seat: Seat) -> float:
    """Half of what the contract of a table settles for a player of a rubber, double dummy."""
    contract, rubber = table.contract, table.rubber
    if contract is None:
        return 0.0
    assert rubber is not None
    chairs = chair_hands(table.deal, contract.declarer)
    outcome = Outcome(contract, DoubleDummy().tricks(chairs, contract.bid.strain))
    gained = deal_worth(rubber, contract, outcome.tricks)[seat]
    scored = settle(rubber_points(rubber, table.deal, outcome))[seat]
    bare = settle(_without_honours(table, outcome))[seat]
    return (gained + float(scored - bare)) / 2


def _without_honours(table: Table, outcome: Outcome) -> tuple[int, int, int]:
    rubber, contract = table.rubber, outcome.contract
    assert rubber is not None
    assert contract is not None
    risk = rubber.standing.games[contract.declarer] > 0
    risk = risk and rubber.laws.scheme.vulnerable is not None
    items, below = deal_items(rubber.laws, contract, outcome.tricks, risk)
    points = [0, 0, 0]
    for item in items:
        points[item.seat] += item.points
    after = step(rubber.laws, rubber.standing, contract.declarer, below)
    points[contract.declarer] += sum(bonus for _, bonus in after.bonuses)
    return points[0], points[1], points[2]


@pytest.mark.parametrize("number", thinned(range(6)))
def test_a_call_is_settled_by_the_contract_that_the_caller_reaches(number: int) -> None:
    table = new_table(deal(8, number), Seat(number % 3), doubles=True, rubber=RUBBER.state)
    table = table.apply("1NT" if number % 2 else "Pass")
    seat = table.turn
    assert seat is not None
    calls: list[Call] = [PASS, Bid("3H"), Bid("4S")]
    game = Game(RUBBER.laws.scheme, RUBBER.state)
    expected = [by_hand(bid_on(table.apply(call)), seat) for call in calls]
    assert actual_points(table, calls, game, double_dummy) == pytest.approx(expected, abs=1e-3)


def test_the_network_prefers_the_call_that_the_caller_makes() -> None:
    for number in range(20):
        table = new_table(deal(8, number), Seat.NORTH, doubles=True, rubber=RUBBER.state)
        seen = view(table, Seat.NORTH)
        choice = LearnedCaller().call(seen, np.random.default_rng(0))
        assert preferred(seen, Game(RUBBER.laws.scheme, RUBBER.state), 1) == [choice.action]


def test_a_hopeless_slam_is_worth_less_than_a_pass_and_the_spread_is_that_of_the_points() -> None:
    table = new_table(deal(8, 3), Seat.NORTH, scheme=find_scheme("auction"))
    game = Game(find_scheme("auction"))
    calls: list[Call] = [PASS, Bid("7NT")]
    values = value_calls(view(table, Seat.NORTH), calls, game, 16, np.random.default_rng(1))
    passing, slam = values.points.mean(0)
    assert slam < -100 < passing
    assert values.best is PASS
    assert values.spread(calls[1]) > 10


def test_few_layouts_that_agree_prove_little() -> None:
    points = np.array([[10.0, 0.0]] * 100)
    many, few = (CallValues((PASS, Bid("1C")), points, points**2, n, 50.0) for n in (100.0, 1.5))
    assert many.error(PASS) == few.error(PASS) == 0
    assert many.error(Bid("1C")) < 1 < 30 < few.error(Bid("1C"))


def test_cards_that_the_caller_cannot_see_do_not_count() -> None:
    dealt = deal(8, 5)
    north, east, south, hidden = dealt.hands
    exchanged = Deal((north, hidden, south, east), dealt.deck)
    values = [
        value_calls(
            view(new_table(one, Seat.NORTH), Seat.NORTH),
            [PASS, Bid("1NT")],
            Game(find_scheme("auction")),
            8,
            np.random.default_rng(1),
        ).points
        for one in (dealt, exchanged)
    ]
    assert (values[0] == values[1]).all()
