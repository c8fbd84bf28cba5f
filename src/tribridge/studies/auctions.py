"""Auctions of callers on the labelled deals, which pay at once: no card has to be played.

The labelled deals have declarer's tricks for every declarer and strain, double dummy and as played
by the strategy `learned` in all chairs. So any auction on them can be settled, and any number of
callers can be compared on the same deals without the luck of different play.

**Points** are a player's gain over the average opponent under the scheme `auction`: the winnings
less the penalty for a declarer, minus half of that for each defender.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.prospects import bid_values
from tribridge.cards import FULL_DECK, Card, Hand
from tribridge.deals import Seat
from tribridge.double_dummy.labels import shipped, shipped_played
from tribridge.game.auction import Auction, Call
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.strategies import decision_rng, find_caller
from tribridge.strategies.learned.caller import calls_for

PLAYED: Final = "as played"
SOLVED: Final = "double dummy"
SETTLED: Final = (PLAYED, SOLVED)
"""How contracts are settled."""
LEARNED: Final = "learned"
STEADY: Final = ("pass", "capture", "points")
"""Callers that leave nothing to chance, and need no random generator for each call."""

F64 = NDArray[np.float64]
Contracts = NDArray[np.int8]
"""(deals, 3): declarer (-1: passed out), strain, level."""


@dataclass(frozen=True, eq=False)
class LabelledDeals:
    """The first labelled deals: hands, and the points of every contract."""

    seed: int
    numbers: NDArray[np.int64]
    hands: NDArray[np.uint64]
    """(deals, 4), the hidden hand last."""
    points: dict[str, F64]
    """By settlement, (deals, 3 declarers, 5 strains, 7 levels): declarer's points."""

    def __len__(self) -> int:
        return len(self.hands)

    def hand(self, deal: int, seat: int) -> Hand:
        return Hand(int(self.hands[deal, seat]))

    def settle(self, contracts: Contracts, by: str) -> F64:
        """The points of every seat: (deals, 3); 0 for a passed-out deal."""
        declarers, strains, levels = contracts.T.astype(int)
        rows = np.arange(len(contracts))
        value = self.points[by][rows, declarers, strains, levels - 1]
        share = np.where(np.arange(3) == declarers[:, None], 1.0, -0.5)
        return np.where(declarers[:, None] < 0, 0.0, share * value[:, None])


def labelled_deals(count: int | None = None) -> LabelledDeals:
    """The first `count` of the deals that ship with the package."""
    solved, played = shipped(), shipped_played()
    count = len(solved) if count is None else min(count, len(solved))
    values = bid_values(find_scheme("auction"))
    strains = np.arange(len(values))

    def points(tricks: NDArray[np.integer]) -> F64:
        worth: F64 = values.transpose(0, 2, 1)[strains, tricks[:count].astype(int)]
        return worth

    return LabelledDeals(
        solved.work.seed,
        solved.numbers[:count].astype(np.int64),
        solved.hands[:count],
        {PLAYED: points(played.tricks), SOLVED: points(solved.tricks)},
    )


def dealer_of(deal: int) -> Seat:
    """Who deals: it changes after every three deals, and with it the seat of a single caller."""
    return Seat(deal // 3 % 3)


def hold_auctions(deals: LabelledDeals, callers: Sequence[Sequence[str]]) -> list[Auction]:
    """The auctions of all deals, in step; `callers` has the names of the three seats of each."""
    auctions = [Auction(dealer_of(deal), FULL_DECK) for deal in range(len(deals))]
    going = list(range(len(deals)))
    while going:
        views: dict[str, list[tuple[int, View]]] = {}
        for deal in going:
            seen = view_of(deals.hand(deal, index(auctions[deal].turn or 0)), auctions[deal])
            views.setdefault(callers[deal][index(seen.seat or 0)], []).append((deal, seen))
        for name, asked in views.items():
            numbers = [int(deals.numbers[deal]) for deal, _ in asked]
            calls = calls_of(name, [seen for _, seen in asked], numbers, deals.seed)
            for (deal, _), call in zip(asked, calls, strict=True):
                auctions[deal] = auctions[deal].apply_unchecked(call)
        going = [deal for deal in going if auctions[deal].turn is not None]
    return auctions


def view_of(hand: Hand, auction: Auction) -> View:
    """What the player to call sees."""
    return View(seat=auction.turn, auction=auction, dealt=hand)


def calls_of(name: str, views: Sequence[View], numbers: Sequence[int], seed: int = 0) -> list[Call]:
    """What a caller calls in each of many views, of deals with these numbers."""
    if name == LEARNED:
        return calls_for(views)
    caller = find_caller(name)
    steady = name.split(":")[0] in STEADY
    rng = decision_rng(seed, 0, 0, 0)
    calls: list[Call] = []
    for number, seen in zip(numbers, views, strict=True):
        if not steady:
            rng = decision_rng(seed, number, int(seen.seat or 0), len(seen.auction.calls))
        action = caller.call(seen, rng).action
        assert not isinstance(action, Card)
        calls.append(action)
    return calls


def contracts_of(auctions: Sequence[Auction]) -> Contracts:
    """The contracts of auctions."""
    rows = []
    for auction in auctions:
        contract = auction.contract
        rows.append(
            (-1, 0, 1)
            if contract is None
            else (contract.declarer.index, contract.bid.strain.index, contract.bid.level)
        )
    return np.array(rows, np.int8)


def one_against_two(
    deals: LabelledDeals, one: str, two: str
) -> tuple[NDArray[np.int64], Contracts]:
    """One caller among two others: its seat on each deal, which rotates, and the contracts."""
    seats = np.arange(len(deals)) % 3
    names = [[one if seat == own else two for seat in range(3)] for own in seats.tolist()]
    return seats, contracts_of(hold_auctions(deals, names))


def gains(deals: LabelledDeals, seats: NDArray[np.int64], contracts: Contracts, by: str) -> F64:
    """The points of one seat of each deal."""
    points: F64 = deals.settle(contracts, by)[np.arange(len(deals)), seats]
    return points
