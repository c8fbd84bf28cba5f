"""What a match says about the bidding: its contracts, settled in three ways.

A match is settled by the cards as they were played. The card play is the same for all bidders, but
it is noise, so each contract is also settled

- by the **forecast** from declarer's and dummy's hands: expected points, without the luck of the
  defenders' cards and of the play, but with the forecast's own errors, which a bidder trained on
  that forecast could exploit;
- by **double dummy**: on the cards as they lie, with no forecast involved.

A bidder that exploits the forecast shows up in the difference between the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.prospects import bid_values
from tribridge.arena.results import MatchResult
from tribridge.arena.tables import few_deals
from tribridge.cards.cards import FULL_DECK
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64
from tribridge.common import stats
from tribridge.common.errors import SettingError
from tribridge.common.stats import Interval
from tribridge.common.tables import StudyTable, tables_of
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.net import Net
from tribridge.game.auction import Bid, parse_call
from tribridge.game.scoring import find_scheme
from tribridge.game.tricks import chair_hands

PLAYED: Final = "cards"
FORECAST: Final = "forecast"
DOUBLE_DUMMY: Final = "double dummy"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The games of a match, one entry each; all zeros for a passed-out deal."""

    result: MatchResult
    declarers: NDArray[np.int64]
    """Seats; -1: passed out."""
    points: dict[str, F64]
    """How far declarer is ahead of each defender, by method of settlement."""


def settle_match(result: MatchResult) -> Settled:
    """Settle the contracts of a match by cards, by forecast and by double dummy."""
    work = result.work
    if work.laws is not None:
        raise SettingError("a match of rubbers is settled already: its points are those of rubbers")
    if work.deck != FULL_DECK or work.doubles or len(work.strategies) > 2:
        raise SettingError(
            "only matches of one or two strategies with the full deck and without doubles can be "
            "settled by forecast and double dummy"
        )
    values = bid_values(find_scheme(work.scheme))
    deals = [deal for _, deal in result.played]
    count = len(deals)
    declarers = np.array([-1 if deal.declarer is None else deal.declarer for deal in deals])
    points = {name: np.zeros(count) for name in (PLAYED, FORECAST, DOUBLE_DUMMY)}
    chances, solved = _forecasts(result), _solved(result)
    for at, played in enumerate(deals):
        if played.contract is None:
            continue
        bid = _bid(played.contract)
        worth = values[bid.strain, bid.level - 1]
        points[PLAYED][at] = worth[played.tricks or 0]
        points[FORECAST][at] = chances[at, bid.strain] @ worth
        points[DOUBLE_DUMMY][at] = worth[solved[at]]
    return Settled(result, declarers, points)


def _bid(text: str) -> Bid:
    call = parse_call(text)
    assert isinstance(call, Bid)
    return call


def _forecasts(result: MatchResult) -> NDArray[np.float32]:
    """Chances of 0-13 tricks in each strain of the declarer of each game: (games, 5, 14)."""
    hands = np.zeros((len(result.games), 2), np.uint64)
    for at, game in enumerate(result.games):
        dealt = deal(result.work.seed, game.number)
        hands[at] = dealt.hands[game.games[0].declarer or 0].mask, dealt.hidden.mask
    return Net.load().from_pair(hands[:, 0], hands[:, 1])


def _solved(result: MatchResult) -> list[int]:
    """Declarer's double-dummy tricks in each game; the same contract is solved once."""
    solver = DoubleDummy()
    known: dict[tuple[int, int, int], int] = {}
    tricks = []
    for game in result.games:
        number, (played,) = game.number, game.games
        contract, declarer = played.contract, played.declarer
        if contract is None or declarer is None:
            tricks.append(0)
            continue
        strain = _bid(contract).strain
        key = number, declarer, strain.index
        if key not in known:
            hands = chair_hands(deal(result.work.seed, number), Seat(declarer))
            known[key] = solver.tricks(hands, strain)
        tricks.append(known[key])
    return tricks


@dataclass(frozen=True, slots=True)
class Gain:
    """Points per game by which {second} is ahead of {first}.

    {result.deals:,} deals of seed {result.work.seed}, each in the three seatings of a mix; the mean
    of a strategy's seats less that of the other's. 95% intervals over deals.{few}
    """

    seats: str
    settled_by: str
    points: Annotated[Interval, "points", "from", "to"]
    p: float


@dataclass(frozen=True, slots=True)
class Worth:
    """What a contract is worth to its declarer, in points ahead of each defender.

    A bidder that exploits the forecast would show a larger difference than one that does not know
    it. 95% intervals over deals.
    """

    declarer: str
    contracts: int
    points: Annotated[dict[str, float], "by {}"]
    excess: Annotated[Interval, "forecast - double dummy", "from", "to"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a match of one or two strategies says about their bidding."""

    result: MatchResult
    gains: Annotated[tuple[Gain, ...], "settlement-points"]
    """None of them in a match of one strategy."""
    worth: Annotated[tuple[Worth, ...], "settlement-worth"]

    @property
    def first(self) -> str:
        return self.result.work.strategies[0]

    @property
    def second(self) -> str:
        return self.result.work.strategies[-1]

    @property
    def few(self) -> str:
        return few_deals(self.result.deals)


def settlement_tables(result: MatchResult) -> list[StudyTable]:
    """Points between two strategies, and what their contracts are worth."""
    settled = settle_match(result)
    several = len(result.work.strategies) == 2
    gains = tuple(_gains(settled)) if several else ()
    found = Settlement(result, gains, tuple(_worth(settled)))
    return list(tables_of(found))[not several :]


def margins(settled: Settled, name: str, seats: int, by: str) -> F64:
    """How far a strategy in that many seats is ahead of the others, per deal (mean of its games).

    In a game this is the mean of its seats minus the mean of the others'.
    """
    result = settled.result
    games = result.work.games
    total: list[F64] = []
    for at, holders in enumerate(result.work.seatings):
        own = np.array([holder == name for holder in holders])
        if own.sum() != seats:
            continue
        share = np.where(own, 1 / seats, -1 / (3 - seats))
        declarers = settled.declarers[at::games]
        total.append(np.where(declarers < 0, 0, share[declarers]) * settled.points[by][at::games])
    mean: F64 = np.mean(total, axis=0)
    return mean


def _gains(settled: Settled) -> Iterator[Gain]:
    name = settled.result.work.strategies[-1]
    for seats in (1, 2):
        for by in settled.points:
            values = margins(settled, name, seats, by)
            mean = stats.mean_interval(values)
            yield Gain(f"{seats} {name}", by, mean, stats.paired(values).p)


def _worth(settled: Settled) -> Iterator[Worth]:
    """What the contracts of each strategy are worth, and the error of the forecast."""
    work = settled.result.work
    pairs = zip(settled.declarers, settled.result.games, strict=True)
    holders = np.array(["" if at < 0 else game.seats[at] for at, game in pairs])
    for name in work.strategies:
        mine = holders == name
        if not mine.any():
            continue
        excess = (settled.points[FORECAST] - settled.points[DOUBLE_DUMMY]) * mine
        # The games of a deal are similar, so deals are the unit: totals per deal over contracts.
        by_deal = np.stack([part.reshape(-1, work.games).sum(1) for part in (excess, mine)], 1)
        points = {by: float(values[mine].mean()) for by, values in settled.points.items()}
        span = stats.bootstrap(by_deal, stats.ratio, work.seed)
        yield Worth(name, int(mine.sum()), points, span)
