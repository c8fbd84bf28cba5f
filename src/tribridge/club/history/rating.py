"""A rating on the ladder of the bots, in settlement points per deal, with its uncertainty.

The scale: what a player would win per deal on average, when differences are settled, against two
bots of rating 0 (`ladder`). A deal against bots of the ladder is worth twice the lead over an
opponent plus the opponent's rating, averaged over those opponents. In a rubber, leads include
what a deal changes in the worth of the standing.

The player's rating is the mean of these, combined by Bayes' rule with a normal prior about the
anchor whose standard deviation is the spread of a single deal: with few deals the rating stays near
the anchor and the interval is wide. The spread of a deal is pooled with that of the arena's games,
counted as `PRIOR_DEALS` deals, and the ladder's own standard errors are added. Only deals count
that are scored in one of the ways that have a ladder, with the full deck, and played without help.
Ratings on different ladders are never mixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from math import nan, sqrt
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.history.ladder import Ladder, Rung, Scoring, ladder, scoring_of, worth_of
from tribridge.club.history.played import PlayedDeal
from tribridge.common.codec import also
from tribridge.common.errors import quantity
from tribridge.common.stats import Interval

PRIOR_DEALS: Final = 20
FEWEST: Final = 20
"""Rated deals below which the rating says that there are too few."""
NORMAL: Final = 1.96


class Place(Enum):
    """Where a player stands among the bots, as far as their rated deals tell."""

    UNKNOWN = auto()
    ABOVE = auto()
    BELOW = auto()
    ABOUT = auto()
    AMONG = auto()
    """About as strong as one bot, with others possible."""


@dataclass(frozen=True, slots=True)
class Mean(Interval):
    """A mean over a number of deals; NaN without deals, with infinite ends for too few."""

    deals: int = 0


def mean_of(value: Interval | None, deals: int) -> Mean:
    """A mean with its number of deals."""
    value = value or Interval(nan, nan, nan)
    return Mean(float(value.estimate), float(value.low), float(value.high), deals)


@also("too_few")
@dataclass(frozen=True, slots=True)
class PlayerRating(Mean):
    """A player's rating in settlement points per deal, from the deals that counted."""

    nearest: str | None = None
    """The strategy on the ladder with the nearest rating; None for too few deals."""
    possible: tuple[str, ...] = ()
    """All strategies on the ladder within the interval, weakest first."""
    ladder: tuple[Rung, ...] = ()
    scoring: Scoring = Scoring.DEALS
    prior: float = 0.0
    """The standard deviation that the rating starts with."""

    @property
    def too_few(self) -> bool:
        """Whether there are too few deals to say anything."""
        return self.deals < FEWEST

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def place(self, names: Mapping[str, str] | None = None) -> tuple[Place, tuple[str, ...]]:
        """Where the player stands among the bots, and the bots to name; `names` picks them.

        For `AMONG` these are the nearest bot and the ends of what is possible.
        """
        if self.too_few:
            return Place.UNKNOWN, ()
        known = names or {rung.strategy: rung.strategy for rung in self.ladder}
        rungs = [rung for rung in self.ladder if rung.strategy in known]
        inside = [known[rung.strategy] for rung in rungs if rung.rating in self]
        if not inside and self.low > rungs[-1].rating:
            return Place.ABOVE, (known[rungs[-1].strategy],)
        if not inside and self.high < rungs[0].rating:
            return Place.BELOW, (known[rungs[0].strategy],)
        nearest = min(rungs, key=lambda rung: abs(rung.rating - self.estimate))
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
        deals = f"after {quantity(self.deals, 'rated deal')}"
        return f"{deals}: {form.format(*bots)}"


def ratings(deals: Iterable[PlayedDeal]) -> tuple[PlayerRating, ...]:
    """A player's rating on each ladder, the one with the most rated deals first."""
    played = list(deals)
    each = [rate(played, ladder(scoring)) for scoring in Scoring]
    return tuple(sorted(each, key=lambda rating: -rating.deals))


def rate(deals: Iterable[PlayedDeal], on: Ladder | None = None) -> PlayerRating:
    """Rate a player by their deals against bots of a ladder; the default is that of rubbers."""
    bots = on or ladder()
    values: list[float] = []
    met: dict[str, float] = {}
    for deal in deals:
        if not deal.unaided or scoring_of(deal.record) is not bots.scoring:
            continue
        worth, rungs = worth_of(deal), _opponents(deal, bots)
        if worth is None or not rungs:
            continue
        rating = sum(rung.rating for rung, _ in rungs) / len(rungs)
        lead = sum(worth[deal.seat] - worth[seat] for _, seat in rungs) / 3 / len(rungs)
        values.append(2 * lead + rating)
        for rung, _ in rungs:
            met[rung.strategy] = met.get(rung.strategy, 0.0) + 1 / len(rungs)
    estimate, error = posterior(values, bots.spread)
    shares = [(bots.find(name), weight / len(values)) for name, weight in met.items()]
    from_ladder = sum((share * rung.error) ** 2 for rung, share in shares if rung is not None)
    half = NORMAL * sqrt(error**2 + from_ladder)
    inside = tuple(r.strategy for r in bots.rungs if abs(r.rating - estimate) <= half)
    nearest = min(bots.rungs, key=lambda rung: abs(rung.rating - estimate)).strategy
    return PlayerRating(
        estimate,
        estimate - half,
        estimate + half,
        len(values),
        nearest if len(values) >= FEWEST else None,
        inside,
        bots.rungs,
        bots.scoring,
        bots.spread,
    )


def posterior(values: list[float], spread: float) -> tuple[float, float]:
    """Mean and standard deviation of the rating given the deals, about a prior mean of 0."""
    count = len(values)
    mean = sum(values) / count if count else 0.0
    squares = sum((value - mean) ** 2 for value in values)
    variance = (PRIOR_DEALS * spread**2 + squares) / (PRIOR_DEALS + max(count - 1, 0))
    precision = count / variance + 1 / spread**2
    return count / variance * mean / precision, sqrt(1 / precision)


def _opponents(deal: PlayedDeal, bots: Ladder) -> list[tuple[Rung, Seat]]:
    others = [(bots.find(deal.strategies[seat]), seat) for seat in Seat if seat is not deal.seat]
    return [(rung, seat) for rung, seat in others if rung is not None]
