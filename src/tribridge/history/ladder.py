"""The ladder of the bots: what each wins per deal, in settlement points, against two of rating 0.

There is one ladder for each way of scoring that is rated (`Scoring`), since points are worth
different things. Each is computed from the arena matches that ship with the package: a rating is
twice the mean difference from the anchor at the same table, since a settlement adds the differences
from both opponents.

A deal of a rubber is worth its settlement and the change in what the standing is worth
(`game.rubber_worth`), without honours, which are luck. Over a rubber these add up to its
settlement without honours, whatever the standings are taken to be worth, so that a deal is judged
by what it did for the rubber and the mean stays right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.results import MatchResult, shipped_matches
from tribridge.cards import FULL_DECK, Deck
from tribridge.deals import Seat
from tribridge.errors import need
from tribridge.game.auction import Bid, Contract, Outcome, parse_call
from tribridge.game.laws import find_laws
from tribridge.game.record import Record
from tribridge.game.rubber import Result, Rubber
from tribridge.game.rubber_worth import Settled, deal_worth
from tribridge.game.scoring import ALIASES, settle
from tribridge.game.standing import RubberState
from tribridge.history.played import PlayedDeal
from tribridge.stats import ndtri

F64 = NDArray[np.float64]

ANCHOR: Final = "points+maxims"
FEWEST_GAMES: Final = 10
"""Deals or rubbers with which a strategy gets on the ladder: with fewer, its error is a guess."""
_TRICKS: Final = "auction-tricks"
_NOTHING: Final = (0.0, 0.0, 0.0)


class Scoring(StrEnum):
    """The ways of scoring that have a ladder."""

    RUBBER = "auction-rubber"
    """Rubbers by these laws, with doubles: what a table plays unless told otherwise."""
    DEALS = "auction"
    """Single deals, without doubles."""

    @property
    def unit(self) -> str:
        """What the bots played: deals with the same number are the same cards."""
        return "rubbers" if self is Scoring.RUBBER else "deals"

    @property
    def words(self) -> str:
        doubles = "with" if self is Scoring.RUBBER else "without"
        return f"{self.value}, {doubles} doubles"


@dataclass(frozen=True, slots=True)
class Rung:
    """A bot on the ladder."""

    strategy: str
    """Without the settings that only limit its search."""
    rating: float
    error: float
    """The standard error; 0 for the anchor."""
    deals: int
    """How many different deals (or rubbers) it was rated by, each in several seatings."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The bots, weakest first, and the spread of one deal in their games."""

    rungs: tuple[Rung, ...]
    spread: float
    scoring: Scoring = Scoring.DEALS

    def find(self, strategy: str | None) -> Rung | None:
        """The rung of a strategy; None if it is not on the ladder."""
        return next((rung for rung in self.rungs if rung.strategy == strategy), None)


@cache
def ladder(scoring: Scoring = Scoring.RUBBER) -> Ladder:
    """The ladder from the matches that ship with the package."""
    return ladder_of([*shipped_matches("ladder"), *shipped_matches()], scoring)


def ladder_of(
    matches: Iterable[MatchResult], scoring: Scoring, fewest: int = FEWEST_GAMES
) -> Ladder:
    """The ladder of matches; those without the anchor, or scored otherwise, are left out.

    A strategy in several matches is rated by the one with the most deals (or rubbers), and only if
    there are `fewest` of them.
    """
    rungs = {ANCHOR: Rung(ANCHOR, 0.0, 0.0, 0)}
    squares: list[float] = []
    for result in matches:
        work = result.work
        played = _scoring(work.laws, work.scheme, work.doubles, work.deck)
        if ANCHOR not in work.strategies or played is not scoring:
            continue
        worth = np.array(list(_worths(result)))
        squares += (worth**2).ravel().tolist()
        for strategy in work.strategies:
            name = strategy.split(":")[0]
            if name == ANCHOR:
                continue
            rung = _rung(name, *_leads(result, worth, strategy))
            if rung.deals >= max(fewest, rungs[name].deals if name in rungs else 0):
                rungs[name] = rung
    ordered = sorted(rungs.values(), key=lambda rung: rung.rating)
    return Ladder(tuple(ordered), sqrt(float(np.mean(squares))), scoring)


def scoring_of(record: Record) -> Scoring | None:
    """The ladder that a deal can be rated on, if there is one."""
    if record.vulnerable and record.rubber is None:
        return None
    laws = None if record.rubber is None else record.rubber.laws.name
    return _scoring(laws, record.scheme, record.doubles, record.deal.deck)


def worth_of(deal: PlayedDeal) -> Settled | None:
    """What a deal was worth to each of the three, in settlement points."""
    rubber = deal.record.rubber
    if rubber is not None:
        return _rubber_worth(rubber, deal.outcome)
    points = deal.points
    if points is None:
        return None
    north, east, south = map(float, settle(points))
    return north, east, south


def _rubber_worth(state: RubberState, outcome: Outcome) -> Settled:
    contract = outcome.contract
    return _NOTHING if contract is None else deal_worth(state, contract, outcome.tricks)


def _scoring(laws: str | None, scheme: str | None, doubles: bool, deck: Deck) -> Scoring | None:
    """The ladder of a way of scoring: rubbers with doubles, or single deals without."""
    if deck != FULL_DECK or doubles is (laws is None):
        return None
    if laws is not None:
        return Scoring.RUBBER if laws == Scoring.RUBBER else None
    return Scoring.DEALS if ALIASES.get(scheme or "", scheme) == _TRICKS else None


def _worths(result: MatchResult) -> Iterator[Settled]:
    """What each deal of a match was worth to the three, in order."""
    if result.work.laws is None:
        points = result.points
        for one in 3 * points - points.sum(axis=1, keepdims=True):
            yield float(one[0]), float(one[1]), float(one[2])
        return
    laws, outcomes = find_laws(result.work.laws), _outcomes(result)
    for number, length in zip(result.numbers, result.lengths, strict=True):
        rubber = Rubber(laws, Seat(number % 3))
        for _ in range(length):
            outcome = next(outcomes)
            yield _rubber_worth(rubber.state, outcome)
            rubber = rubber.add_result(Result(outcome))


def _outcomes(result: MatchResult) -> Iterator[Outcome]:
    factors = result.factors or (1,) * len(result.contracts)
    rows = zip(result.contracts, result.declarers, result.tricks, factors, strict=True)
    for text, declarer, tricks, factor in rows:
        bid = None if text is None else parse_call(text)
        if not isinstance(bid, Bid) or declarer is None or tricks is None:
            yield Outcome(None)
        else:
            yield Outcome(Contract(bid, Seat(declarer), factor), tricks)


def _leads(result: MatchResult, worth: F64, strategy: str) -> tuple[list[int], list[float]]:
    """The lead of a strategy over the anchor in each deal they both play, with its number.

    A settlement is three times the points less those of all, so a lead is a third of the
    difference.
    """
    lengths = result.lengths or (1,) * len(result.numbers)
    numbers = [n for n, length in zip(result.numbers, lengths, strict=True) for _ in range(length)]
    clusters, leads = [], []
    for at, seats in enumerate(result.seats_of_deals):
        own, anchor = ([s for s in range(3) if seats[s] == one] for one in (strategy, ANCHOR))
        if own and anchor:
            clusters.append(numbers[at])
            leads.append(float(worth[at, own].mean() - worth[at, anchor].mean()) / 3)
    return clusters, leads


def _rung(name: str, clusters: list[int], leads: list[float]) -> Rung:
    """A rating from leads; deals (or rubbers) of one number are the same cards, so one unit.

    The error is as much larger as makes a normal interval as wide as Student's.
    """
    units, at = np.unique(clusters, return_inverse=True)
    sums = np.bincount(at, weights=2 * np.array(leads))
    sizes = np.bincount(at)
    rating = sums.sum() / sizes.sum()
    rest = sums - rating * sizes
    few = need("scipy.special").stdtrit(len(units) - 1, 0.975) / ndtri(0.975)
    error = few * rest.std(ddof=1) / sizes.mean() / sqrt(len(units))
    return Rung(name, float(rating), float(error), len(units))
