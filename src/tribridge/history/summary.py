"""A player's statistics: bids made, tricks against expectation, situations, progress.

Every mean has its number of deals and a 95% interval (`stats`). A situation counts as a strength
or a weakness only if its deals differ from the player's other deals by more than chance would
explain: Welch's t test, at 5% divided by the number of situations that are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import isfinite
from typing import Any, Final

import numpy as np

from tribridge.cards import Strain
from tribridge.errors import need
from tribridge.history.measures import Measured, measure, place_in_auction
from tribridge.history.played import PlayedDeal
from tribridge.history.rating import PlayerRating, ratings
from tribridge.stats import Interval, mean_interval, proportion

FEWEST: Final = 10
"""Deals below which nothing is said about a situation."""
_ALPHA: Final = 0.05
_BLOCKS: Final = 8
"""Most points in time at which progress is shown."""
_BLOCK: Final = 20
"""Fewest deals of such a point: with fewer, one bad deal makes its interval useless."""


class Unit(StrEnum):
    """What a mean is about."""

    TRICKS = "tricks against what was possible"
    POINTS = "settlement points"


class Finding(StrEnum):
    """What can be said about a situation."""

    STRENGTH = "better than your other deals"
    WEAKNESS = "worse than your other deals"
    SAME = "no clear difference"
    TOO_FEW = "too few deals to tell"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over a number of deals; no estimate without deals, no interval with few."""

    deals: int
    value: Interval | None

    def as_json(self) -> dict[str, Any]:
        value = self.value
        if value is None:
            return {"deals": self.deals, "estimate": None, "low": None, "high": None}
        ends = [round(x, 3) if isfinite(x) else None for x in (value.low, value.high)]
        return {
            "deals": self.deals,
            "estimate": round(value.estimate, 3),
            "low": ends[0],
            "high": ends[1],
        }


@dataclass(frozen=True, slots=True)
class Situation:
    """Deals of one kind, and whether the player does better or worse in them."""

    group: str
    name: str
    unit: Unit
    mean: Mean
    finding: Finding

    def as_json(self) -> dict[str, Any]:
        fields = {"group": self.group, "name": self.name, "unit": self.unit.value}
        return fields | self.mean.as_json() | {"finding": self.finding.value}


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive deals, numbered from 1 over the whole history."""

    first: int
    last: int
    date: str
    """When the match of the last one began."""
    net: Mean
    possible: Mean
    made: Mean

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "date": self.date,
            "settlement": self.net.as_json(),
            "against_possible": self.possible.as_json(),
            "made": self.made.as_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStats:
    """All that can be said about a player's games so far."""

    deals: int
    matches: int
    made: Mean
    """The share of contracts made, of those that the player declared."""
    chance: float | None
    """The share that the forecasts at the time of the contract promised."""
    expected: Mean
    """Tricks above the forecast at the time of the contract."""
    possible: Mean
    """Tricks above double dummy."""
    net: Mean
    """Settlement points per deal."""
    situations: tuple[Situation, ...]
    progress: tuple[Block, ...]
    """Oldest first; empty with fewer than two blocks of deals."""
    reviewed: int
    """Deals with a review."""
    judged_calls: tuple[int, int]
    """Calls that a review judged, and how many of them were wrong."""
    judged_cards: tuple[int, int]
    lost: float
    """Tricks that the cards lost in all reviewed deals, by what the player could know."""
    ratings: tuple[PlayerRating, ...]
    """On each ladder, the one with the most rated deals first."""

    @property
    def rating(self) -> PlayerRating:
        """The rating with the most deals."""
        return self.ratings[0]

    def __str__(self) -> str:
        from tribridge.history.wording import text

        return text(self)

    def as_json(self) -> dict[str, Any]:
        """The form of `tribridge stats --json`."""
        return {
            "deals": self.deals,
            "matches": self.matches,
            "made": self.made.as_json(),
            "forecast_chance": None if self.chance is None else round(self.chance, 3),
            "against_forecast": self.expected.as_json(),
            "against_possible": self.possible.as_json(),
            "settlement": self.net.as_json(),
            "situations": [one.as_json() for one in self.situations],
            "progress": [one.as_json() for one in self.progress],
            "reviews": {
                "deals": self.reviewed,
                "calls": self.judged_calls[0],
                "wrong_calls": self.judged_calls[1],
                "cards": self.judged_cards[0],
                "wrong_cards": self.judged_cards[1],
                "lost_tricks": round(self.lost, 3),
            },
            "rating": self.rating.as_json(),
            "other_ratings": [one.as_json() for one in self.ratings[1:]],
        }


def player_stats(deals: Iterable[PlayedDeal]) -> PlayerStats:
    """The statistics of a player's deals."""
    return summarise(measure(list(deals)))


def summarise(measured: Iterable[Measured]) -> PlayerStats:
    """The statistics of deals that have been measured."""
    deals = sorted(measured, key=lambda one: one.deal.order)
    chances = [one.chance for one in deals if one.chance is not None]
    judged = [one.deal.judged for one in deals if one.deal.judged is not None]
    return PlayerStats(
        deals=len(deals),
        matches=len({(one.deal.match, one.deal.date) for one in deals}),
        made=_share(deals),
        chance=sum(chances) / len(chances) if chances else None,
        expected=_mean(one.over_expected for one in deals),
        possible=_mean(one.over_possible for one in deals),
        net=_mean(one.net for one in deals),
        situations=_situations(deals),
        progress=_progress(deals),
        reviewed=len(judged),
        judged_calls=(sum(j.calls for j in judged), sum(j.wrong_calls for j in judged)),
        judged_cards=(sum(j.cards for j in judged), sum(j.wrong_cards for j in judged)),
        lost=sum(j.lost for j in judged),
        ratings=ratings(one.deal for one in deals),
    )


def _mean(values: Iterable[float | None]) -> Mean:
    numbers = [value for value in values if value is not None]
    if not numbers:
        return Mean(0, None)
    interval = mean_interval(numbers)
    ends = (interval.estimate, interval.low, interval.high)
    return Mean(len(numbers), Interval(*map(float, ends)))


def _share(deals: Iterable[Measured]) -> Mean:
    made = [one.made for one in deals if one.made is not None]
    return Mean(len(made), proportion(sum(made), len(made)) if made else None)


Test = Callable[[Measured], bool]


def _level(deal: PlayedDeal, low: int, high: int) -> bool:
    return deal.contract is not None and low <= deal.contract.bid.level <= high


def _notrump(deal: PlayedDeal) -> bool:
    return deal.contract is not None and deal.contract.bid.strain is Strain.NOTRUMP


_PLAY: Final[tuple[tuple[str, str, Test], ...]] = (
    ("Side", "Declaring", lambda one: one.deal.declaring),
    ("Side", "Defending", lambda one: not one.deal.declaring),
    ("Strain", "Suit contracts", lambda one: not _notrump(one.deal)),
    ("Strain", "Notrump", lambda one: _notrump(one.deal)),
    ("Level", "Levels 1 and 2", lambda one: _level(one.deal, 1, 2)),
    ("Level", "Levels 3 and 4", lambda one: _level(one.deal, 3, 4)),
    ("Level", "Levels 5 to 7", lambda one: _level(one.deal, 5, 7)),
)
_BIDDING: Final[tuple[tuple[str, str, Test], ...]] = (
    ("Bidding", "First to call", lambda one: place_in_auction(one.deal) == 0),
    ("Bidding", "Second to call", lambda one: place_in_auction(one.deal) == 1),
    ("Bidding", "Last to call", lambda one: place_in_auction(one.deal) == 2),
)


def _situations(deals: Sequence[Measured]) -> tuple[Situation, ...]:
    """Card play by tricks against what was possible, the auction by settlement points."""
    compared = len(_PLAY) + len(_BIDDING)
    found = []
    for unit, kinds in ((Unit.TRICKS, _PLAY), (Unit.POINTS, _BIDDING)):
        for group, name, test in kinds:
            inside, outside = _split(deals, unit, test)
            finding = _finding(inside, outside, _ALPHA / compared)
            found.append(Situation(group, name, unit, _mean(inside), finding))
    return tuple(found)


def _split(deals: Sequence[Measured], unit: Unit, test: Test) -> tuple[list[float], list[float]]:
    inside: list[float] = []
    outside: list[float] = []
    for one in deals:
        value = one.over_possible if unit is Unit.TRICKS else one.net
        if value is not None:
            (inside if test(one) else outside).append(value)
    return inside, outside


def _finding(inside: Sequence[float], outside: Sequence[float], alpha: float) -> Finding:
    if min(len(inside), len(outside)) < FEWEST:
        return Finding.TOO_FEW
    if not (np.ptp(inside) or np.ptp(outside)):
        return Finding.SAME  # nothing varies, so there is no scale to judge by
    # SciPy takes a second to load, and few pages need it.
    test = need("scipy.stats").ttest_ind(inside, outside, equal_var=False)
    if test.pvalue >= alpha:
        return Finding.SAME
    return Finding.STRENGTH if test.statistic > 0 else Finding.WEAKNESS


def _progress(deals: Sequence[Measured]) -> tuple[Block, ...]:
    """Up to eight blocks of at least twenty consecutive deals, of nearly the same size."""
    count = min(_BLOCKS, len(deals) // _BLOCK)
    if count < 2:
        return ()
    ends = [round(at * len(deals) / count) for at in range(count + 1)]
    blocks = []
    for first, last in pairwise(ends):
        part = deals[first:last]
        blocks.append(
            Block(
                first + 1,
                last,
                part[-1].deal.date,
                _mean(one.net for one in part),
                _mean(one.over_possible for one in part),
                _share(part),
            )
        )
    return tuple(blocks)
