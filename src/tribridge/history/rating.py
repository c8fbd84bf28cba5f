"""A rating on the ladder of the bots, in settlement points per deal, with its uncertainty.

The scale: what a player would win per deal on average, when differences are settled, against two
bots of rating 0. Rating 0 is `ANCHOR`. The bots are rated from the arena matches that ship with the
package: twice the mean difference from the anchor at the same table, since a settlement adds the
differences from both opponents.

A deal against bots of the ladder is worth `2 (own points - opponent's points) + opponent's rating`
points, averaged over those opponents. The player's rating is the mean of these, combined by Bayes'
rule with a normal prior (`PRIOR`, about the anchor): with few deals it stays near the anchor and
the interval is wide. The spread of a single deal is pooled with that of the arena's games, counted
as `PRIOR_DEALS` deals, and the ladder's own standard errors are added. Only deals under the
ladder's scoring scheme count, without doubles, with the full deck, and played without help.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from functools import cache
from importlib import resources
from math import sqrt
from typing import Any, Final

import numpy as np

from tribridge.arena.analysis import match_pairs
from tribridge.arena.results import MatchResult, loads, shipped_matches
from tribridge.cards import FULL_DECK
from tribridge.deals import Seat
from tribridge.game.scoring import ALIASES
from tribridge.history.played import PlayedDeal
from tribridge.stats import Interval

ANCHOR: Final = "points+maxims"
PRIOR: Final = 60.0
"""The standard deviation of the prior, in settlement points per deal."""
PRIOR_DEALS: Final = 20
FEWEST: Final = 20
"""Rated deals below which the rating says that there are too few."""
_SCHEME: Final = "auction-tricks"
NORMAL: Final = 1.96
_LADDER: Final = "data/ladder.json.gz"


@dataclass(frozen=True, slots=True)
class Rung:
    """A bot on the ladder."""

    strategy: str
    """Without the settings that only limit its search."""
    rating: float
    error: float
    """The standard error; 0 for the anchor."""
    deals: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """The bots, weakest first, and the spread of one deal in their games."""

    rungs: tuple[Rung, ...]
    spread: float

    def find(self, strategy: str | None) -> Rung | None:
        """The rung of a strategy; None if it is not on the ladder."""
        return next((rung for rung in self.rungs if rung.strategy == strategy), None)


@cache
def ladder() -> Ladder:
    """The ladder from the matches that ship with the package."""
    data = resources.files("tribridge.arena").joinpath(_LADDER).read_bytes()
    result = loads(gzip.decompress(data).decode(), _LADDER)
    assert isinstance(result, MatchResult)
    return ladder_of([result, *shipped_matches()])


def ladder_of(matches: Iterable[MatchResult]) -> Ladder:
    """The ladder of matches; those without the anchor, and rubbers, are left out.

    A strategy in several matches is rated by the first.
    """
    rungs = {ANCHOR: Rung(ANCHOR, 0.0, 0.0, 0)}
    squares: list[float] = []
    for result in matches:
        work = result.work
        if (
            ANCHOR not in work.strategies
            or work.laws is not None
            or _current(work.scheme) != _SCHEME
        ):
            continue
        points = result.points
        squares += ((3 * points - points.sum(axis=1, keepdims=True)) ** 2).ravel().tolist()
        for pair in match_pairs(result):
            if ANCHOR not in (pair.first, pair.second):
                continue
            other = pair if pair.second == ANCHOR else pair.turned()
            name, values = other.first.split(":")[0], 2 * other.differences
            if name not in rungs:
                error = float(values.std(ddof=1) / sqrt(len(values)))
                rungs[name] = Rung(name, float(values.mean()), error, len(values))
    ordered = sorted(rungs.values(), key=lambda rung: rung.rating)
    return Ladder(tuple(ordered), sqrt(float(np.mean(squares))))


class Place(Enum):
    """Where a player stands among the bots, as far as their rated deals tell."""

    UNKNOWN = auto()
    ABOVE = auto()
    BELOW = auto()
    ABOUT = auto()
    AMONG = auto()
    """About as strong as one bot, with others possible."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's rating, the rung it is nearest to, and the rungs it may be."""

    deals: int
    """Deals that counted."""
    value: Interval
    """In settlement points per deal, with a 95% interval."""
    nearest: str
    """The strategy on the ladder with the nearest rating."""
    possible: tuple[str, ...]
    """All strategies on the ladder within the interval, weakest first."""
    rungs: tuple[Rung, ...]

    @property
    def too_few(self) -> bool:
        """Whether there are too few deals to say anything."""
        return self.deals < FEWEST

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.value.high - self.value.low) / 2

    def place(self, names: Mapping[str, str] | None = None) -> tuple[Place, tuple[str, ...]]:
        """Where the player stands among the bots, and the bots to name; `names` picks them.

        For `AMONG` these are the nearest bot and the ends of what is possible.
        """
        if self.too_few:
            return Place.UNKNOWN, ()
        known = names or {rung.strategy: rung.strategy for rung in self.rungs}
        rungs = [rung for rung in self.rungs if rung.strategy in known]
        inside = [known[rung.strategy] for rung in rungs if rung.rating in self.value]
        if not inside and self.value.low > rungs[-1].rating:
            return Place.ABOVE, (known[rungs[-1].strategy],)
        if not inside and self.value.high < rungs[0].rating:
            return Place.BELOW, (known[rungs[0].strategy],)
        nearest = min(rungs, key=lambda rung: abs(rung.rating - self.value.estimate))
        if len(inside) < 2:
            return Place.ABOUT, (known[nearest.strategy],)
        return Place.AMONG, (known[nearest.strategy], inside[0], inside[-1])

    def words(self, names: Mapping[str, str] | None = None) -> str:
        """What the rating says about the player's strength; `names` picks and names the bots.

        Examples:
            >>> rate([]).words()
            'no rated deals yet'
        """
        if not self.deals:
            return "no rated deals yet"
        place, bots = self.place(names)
        form = {
            Place.UNKNOWN: "too few games to tell how strong you are",
            Place.ABOVE: "stronger than {}",
            Place.BELOW: "not yet as strong as {}",
            Place.ABOUT: "about as strong as {}",
            Place.AMONG: "about as strong as {} ({} to {} is possible)",
        }[place]
        deals = f"after {self.deals} rated deal{'s' if self.deals != 1 else ''}"
        return f"{deals}: {form.format(*bots)}"

    def as_json(self) -> dict[str, Any]:
        return {
            "deals": self.deals,
            "estimate": round(self.value.estimate, 2),
            "low": round(self.value.low, 2),
            "high": round(self.value.high, 2),
            "nearest": None if self.too_few else self.nearest,
            "possible": list(self.possible),
            "too_few": self.too_few,
            "ladder": [
                {
                    "strategy": rung.strategy,
                    "rating": round(rung.rating, 2),
                    "error": round(rung.error, 2),
                    "deals": rung.deals,
                }
                for rung in self.rungs
            ],
        }


def rate(deals: Iterable[PlayedDeal], on: Ladder | None = None) -> PlayerRating:
    """Rate a player by their deals against bots of the ladder."""
    bots = on or ladder()
    values: list[float] = []
    met: dict[str, float] = {}
    for deal in deals:
        points, rungs = deal.points, _opponents(deal, bots)
        if points is None or not rungs or not _counts(deal):
            continue
        rating = sum(rung.rating for rung, _ in rungs) / len(rungs)
        ahead = sum((points[deal.seat] - points[seat] for _, seat in rungs), Fraction(0))
        values.append(2 * float(ahead) / len(rungs) + rating)
        for rung, _ in rungs:
            met[rung.strategy] = met.get(rung.strategy, 0.0) + 1 / len(rungs)
    estimate, error = _posterior(values, bots.spread)
    shares = [(bots.find(name), weight / len(values)) for name, weight in met.items()]
    from_ladder = sum((share * rung.error) ** 2 for rung, share in shares if rung is not None)
    half = NORMAL * sqrt(error**2 + from_ladder)
    inside = tuple(r.strategy for r in bots.rungs if abs(r.rating - estimate) <= half)
    nearest = min(bots.rungs, key=lambda rung: abs(rung.rating - estimate)).strategy
    value = Interval(estimate, estimate - half, estimate + half)
    return PlayerRating(len(values), value, nearest, inside, bots.rungs)


def _posterior(values: list[float], spread: float) -> tuple[float, float]:
    """Mean and standard deviation of the rating given the deals, about a prior mean of 0."""
    count = len(values)
    mean = sum(values) / count if count else 0.0
    squares = sum((value - mean) ** 2 for value in values)
    variance = (PRIOR_DEALS * spread**2 + squares) / (PRIOR_DEALS + max(count - 1, 0))
    precision = count / variance + 1 / PRIOR**2
    return count / variance * mean / precision, sqrt(1 / precision)


def _opponents(deal: PlayedDeal, bots: Ladder) -> list[tuple[Rung, Seat]]:
    others = [(bots.find(deal.strategies[seat]), seat) for seat in Seat if seat is not deal.seat]
    return [(rung, seat) for rung, seat in others if rung is not None]


def _counts(deal: PlayedDeal) -> bool:
    record = deal.record
    return (
        deal.unaided
        and _current(record.scheme) == _SCHEME
        and not record.doubles
        and not record.vulnerable
        and record.deal.deck == FULL_DECK
    )


def _current(scheme: str | None) -> str | None:
    """The present name of a scoring scheme."""
    return ALIASES.get(scheme or "", scheme)
