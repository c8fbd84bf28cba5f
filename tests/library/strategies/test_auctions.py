"""Calls are valued by the auctions that they lead to, one by one and in lockstep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.grids import thinned
from tribridge.cards.cards import Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import (
    DOUBLE,
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
from tribridge.networks import values as network_values
from tribridge.networks.auction import AuctionGames
from tribridge.networks.stakes import Game
from tribridge.reviews.calls import double_dummy
from tribridge.strategies.learned import auctions
from tribridge.strategies.learned.auctions import (
    CallValues,
    Contracts,
    actual_ends,
    preferred,
    value_calls,
)
from tribridge.strategies.learned.caller import LearnedCaller
from tribridge.strategies.learned.listening import explaining, possible_layouts
from tribridge.strategies.learned.wishes import number_of

RUBBER = Rubber(below=(0, 0, 14), games=(1, 0, 1))


def bid_on(table: Table) -> Table:
    """A table after its auction, as the caller bids on, one call at a time.

    Whoever has run from one double stays in the next contract that is doubled.
    """
    rng = np.random.default_rng(0)
    while table.turn is not None and not table.auction.over:
        action = LearnedCaller().call(view(table, table.turn), rng).action
        table = table.apply(PASS if doubled_twice(table) else action)
    return table


def doubled_twice(table: Table) -> bool:
    """Whether the caller's bid stands doubled, and is not the first of theirs that was."""
    doubled, bidder, turn = set(), None, table.turn
    for at, call in enumerate(table.auction.calls):
        if isinstance(call, Bid):
            bidder, bid = table.auction.dealer.after(at), call
        elif call is DOUBLE and bidder is turn:
            doubled.add(bid)
    standing = table.auction.last_bid if table.auction.bidder is turn else None
    return standing in doubled and len(doubled) > 1


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
    ends = actual_ends(table, calls, game, double_dummy)
    assert [end.points for end in ends] == pytest.approx(expected, abs=1e-3)
    reached = [bid_on(table.apply(call)).contract for call in calls]
    assert [(end.bid, end.declarer) for end in ends] == [
        (None, None) if contract is None else (contract.bid, contract.declarer)
        for contract in reached
    ]


def test_the_network_prefers_the_call_that_the_caller_makes() -> None:
    for number in range(20):
        table = new_table(deal(8, number), Seat.NORTH, doubles=True, rubber=RUBBER.state)
        seen = view(table, Seat.NORTH)
        choice = LearnedCaller().call(seen, np.random.default_rng(0))
        assert preferred(seen, Game(RUBBER.laws.scheme, RUBBER.state), 1) == [choice.action]


def test_nobody_runs_from_double_to_double(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that always bids on over a double, and doubles every bid of others."""

    def wild(games: AuctionGames, *_: object) -> NDArray[np.float32]:
        own = (games.bidder == games.caller)[~games.over & ~auctions._ran(games)]
        wish = np.repeat(-np.arange(38, dtype=np.float32)[None], len(own), axis=0)
        wish[~own, number_of(PASS)], wish[:, number_of(DOUBLE)] = 1, 2
        return wish

    monkeypatch.setattr(auctions, "wishes", wild)
    table = new_table(deal(8, 0), Seat.NORTH, doubles=True)
    hands = np.array([[hand.mask for hand in table.deal.hands]] * 2, np.int64)
    first = np.array([number_of(Bid(bid)) for bid in ("1C", "2NT")])
    games = auctions.go_on(table.auction, hands, first, Game(find_scheme("auction")))
    assert games.over.all()
    assert games.doubled.tolist() == [1, 1]
    for bids, doubles in zip(games.bids.tolist(), games.doubles.tolist(), strict=True):
        every = doubles[0] | doubles[1] | doubles[2]
        counts = [(own & every).bit_count() for own in bids]
        assert counts == [2, 0, 0]  # the first bid, and the one that they ran to


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
    calls, outbid = (PASS, Bid("1C")), np.zeros((100, 2), np.int64)
    hands = np.zeros((100, 4), np.int64)
    many, few = (
        CallValues(calls, points, points**2, n, 50.0, outbid, 0, hands) for n in (100.0, 1.5)
    )
    assert many.error(PASS) == few.error(PASS) == 0
    assert many.error(Bid("1C")) < 1 < 30 < few.error(Bid("1C"))


def test_the_others_bid_on_over_a_bid_where_an_auction_ends_with_a_higher_bid_of_theirs() -> None:
    """Once more, auction by auction."""
    table = new_table(deal(50_003, 1), Seat.EAST).call("1D pass")
    seen, game = view(table, table.turn), Game(find_scheme("auction"))
    calls: list[Call] = [PASS, Bid("1S"), Bid("3S")]
    values = value_calls(seen, calls, game, 40, np.random.default_rng(1))
    hands, _ = explaining(seen, game, 40, np.random.default_rng(1))
    own, ends = 2, dict[Call, Any]()
    for call in calls:
        games = auctions.go_on(seen.auction, hands, np.full(40, number_of(call)), game)
        theirs = (games.bidder != own) & (games.bids[:, own] < 2 ** (games.standing - 1))
        ends[call] = np.where(theirs, games.standing, 0)
    assert values.bid_on(PASS) == (ends[PASS] > 1 + number_of(Bid("1D"))).mean()
    for call in calls[1:]:
        assert values.bid_on(call) == (ends[call] > 0).mean()
        levels = (ends[call] + 4) // 5, (ends[PASS] + 4) // 5
        assert values.pushed(call) == (levels[0] > levels[1]).mean()
    assert 0 < values.bid_on(calls[2]) <= values.bid_on(calls[1])
    assert 0 < values.pushed(calls[2]) <= values.bid_on(calls[2])


@pytest.mark.parametrize("calls", ["1NT 3NT", "1D X pass", "2H pass 2S X"])
def test_a_call_as_the_contract_is_worth_what_a_silent_auction_pays(calls: str) -> None:
    """Once more, layout by layout: everybody is silent after it."""
    table = new_table(deal(50_003, 2), Seat.EAST, doubles=True).call(calls.split())
    seen, game = view(table, table.turn), Game(find_scheme("contract"))
    assert seen.seat is not None
    hands = possible_layouts(seen, 6, np.random.default_rng(1))
    cheapest = min(bid for bid in seen.legal_calls if isinstance(bid, Bid))
    for call in (PASS, cheapest):
        ended = table.auction.apply_unchecked(call)
        while not ended.over:
            ended = ended.apply_unchecked(PASS)
        bid, declarer = ended.last_bid, ended.bidder
        assert bid is not None
        assert declarer is not None
        expected = np.zeros(3)
        for layout in hands:
            seats = [layout[(at - Seat.EAST.index) % 3] for at in range(3)]
            chairs = [
                seats[declarer],
                seats[declarer.after(1)],
                layout[3],
                seats[declarer.after(2)],
            ]
            paid = game.worth()[declarer, bid.level - 1, bid.strain.index, :, ended.factor // 2]
            contracts = network_values.contracts_of(ended, np.array([chairs]), paid[:, declarer])
            (chance,) = network_values.chances(contracts)
            made = chance[bid.level + 6 :].sum()
            expected += made, chance @ np.arange(14), chance @ paid[:, seen.seat]
        found = Contracts(seen, game, hands).of(call)
        assert found is not None
        prospect = found.prospect
        assert (prospect.chance, found.tricks, prospect.expected) == pytest.approx(
            tuple(expected / len(hands)), abs=1e-4
        )
    higher = Contracts(seen, game, hands)
    strain = [higher.of(Bid(level, Strain.HEARTS)) for level in (7, 4, 5)]
    assert len({each.tricks for each in strain if each is not None}) == 1  # those of the cheapest
    opening = new_table(deal(50_003, 2), Seat.EAST)
    assert Contracts(view(opening, opening.turn), game, hands).of(PASS) is None


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
