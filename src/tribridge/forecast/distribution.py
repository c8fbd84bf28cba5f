"""A forecast of tricks: a distribution over 0 to 13, as a single value and as arrays.

In arrays the last axis is tricks, 0 to 13, and the one before it is strains in the order of
`cards.cards.Strain`: C, D, H, S, NT. A batch is an array (n, 5, 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.cards.deals import ByStrain
from tribridge.common import charts
from tribridge.common.errors import SettingError, check_type

TRICKS: Final = 13
"""Tricks in a deal."""

Chances = NDArray[np.floating[Any]]

_COUNTS: Final = np.arange(TRICKS + 1, dtype=np.float64)
_BOOK: Final = FULL_DECK.book
_TOLERANCE: Final = 1e-6
_ROUNDING: Final = 1e-12
_CHANCE_DIGITS: Final = 6
_MEAN_DIGITS: Final = 4


class Span(NamedTuple):
    """Tricks from `low` to `high`, inclusive, and the chance that the outcome is in this range."""

    low: int
    high: int
    chance: float


@dataclass(frozen=True)
class Distribution:
    """The chances of 0 to 13 tricks.

    Examples:
        >>> coin = Distribution.of([0] * 7 + [1, 1] + [0] * 5)
        >>> coin.mean, coin.sd, coin.at_least(8), coin.quantile(0.5), coin.interval(0.8)
        (7.5, 0.5, 0.5, 7, Span(low=7, high=8, chance=1.0))
    """

    chances: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.chances) != TRICKS + 1:
            raise SettingError(
                f"a forecast has {TRICKS + 1} chances, for 0 to {TRICKS} tricks, "
                f"not {len(self.chances)}"
            )
        for tricks, chance in enumerate(self.chances):
            if not (isfinite(chance) and chance >= 0):
                raise SettingError(f"the chance of {tricks} tricks is {chance}: expected 0 to 1")
        total = fsum(self.chances)
        if abs(total - 1) > _TOLERANCE:
            raise SettingError(f"the chances of 0 to {TRICKS} tricks add up to {total}, not 1")

    @classmethod
    def of(cls, weights: ArrayLike | Iterable[float]) -> Distribution:
        """The distribution proportional to weights, or to rounded chances."""
        floats = [float(weight) for weight in np.asarray(weights, dtype=np.float64).reshape(-1)]
        total = fsum(floats)
        if not (isfinite(total) and total > 0):
            raise SettingError(f"weights that add up to {total} are not a forecast")
        return cls(tuple(weight / total for weight in floats))

    @cached_property
    def mean(self) -> float:
        """The expected tricks."""
        return fsum(tricks * chance for tricks, chance in enumerate(self.chances))

    @cached_property
    def sd(self) -> float:
        """The standard deviation."""
        mean = self.mean
        return sqrt(fsum((k - mean) ** 2 * chance for k, chance in enumerate(self.chances)))

    def at_least(self, tricks: int) -> float:
        """The chance of at least this many tricks."""
        check_type(tricks, "at_least: tricks", "int", int)
        return min(1.0, fsum(self.chances[max(tricks, 0) :]))

    def quantile(self, p: float) -> int:
        """The smallest number of tricks that is not exceeded with probability at least `p`."""
        if not 0 <= p <= 1:
            raise SettingError(f"a quantile must be 0 to 1, not {p}")
        so_far = 0.0
        for tricks, chance in enumerate(self.chances):
            so_far += chance
            if chance > 0 and so_far >= p - 1e-12:
                return tricks
        return max(k for k, chance in enumerate(self.chances) if chance > 0)

    def interval(self, p: float) -> Span:
        """The central interval of tricks that covers the outcome with a chance of at least `p`.

        Equal tails of at most (1 - p) / 2 are cut off on both sides. Tricks are whole numbers,
        so the interval usually covers more than `p`; its exact chance is returned with it.
        """
        if not 0 < p < 1:
            raise SettingError(f"an interval needs a chance between 0 and 1, not {p}")
        tail = (1 - p) / 2
        low, high = self.quantile(tail), self.quantile(1 - tail)
        return Span(low, high, min(1.0, fsum(self.chances[low : high + 1])))

    def as_json(self) -> dict[str, Any]:
        """The JSON form: the mean, and 14 chances that add up to 1."""
        return {
            "mean": round(self.mean, _MEAN_DIGITS),
            "tricks": _rounded(self.chances, _CHANCE_DIGITS),
        }

    def __repr__(self) -> str:
        return f"<Distribution {self}>"

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.sd:.2f} tricks"

    def _repr_html_(self) -> str:
        return charts.block(f"{self}, in percent:", charts.bars(self.chances, _BOOK + 1))


def _rounded(chances: tuple[float, ...], digits: int) -> list[float]:
    """Chances rounded so that they still add up to 1: the largest remainders are rounded up."""
    unit, total = 10**digits, fsum(chances)
    scaled = [chance / total * unit for chance in chances]
    whole = [int(value) for value in scaled]
    by_remainder = sorted(range(len(whole)), key=lambda k: whole[k] - scaled[k])
    missing = unit - sum(whole)
    for at in by_remainder[: max(missing, 0)]:
        whole[at] += 1
    return [value / unit for value in whole]


def percent(chance: float) -> str:
    """A chance in whole percent; 0 and 100 only if exact (up to rounding error).

    Examples:
        >>> percent(0.0), percent(0.004), percent(0.5), percent(0.997), percent(1 - 1e-15)
        ('0', '<1', '50', '>99', '100')
    """
    if 0 < chance < 0.005:
        return "<1"
    if 0.995 <= chance < 1 - _ROUNDING:
        return ">99"
    return f"{100 * chance:.0f}"


def forecast_json(forecast: Mapping[Strain, Distribution]) -> dict[str, Any]:
    """A forecast in all strains as JSON: `{"C": {"mean": ..., "tricks": [...]}, ...}`."""
    return {strain.letter: tricks.as_json() for strain, tricks in forecast.items()}


def distributions(chances: Chances) -> ByStrain[Distribution]:
    """One row (5, 14) of a batch as values by strain."""
    return ByStrain({strain: Distribution.of(chances[strain]) for strain in Strain})


def means(chances: Chances) -> NDArray[np.float64]:
    """The expected tricks, over the last axis."""
    return np.asarray(chances @ _COUNTS.astype(chances.dtype), np.float64)


def sds(chances: Chances) -> NDArray[np.float64]:
    """The standard deviations, over the last axis."""
    second = np.asarray(chances @ (_COUNTS**2), np.float64)
    return np.asarray(np.sqrt(np.maximum(second - np.asarray(chances @ _COUNTS) ** 2, 0.0)))


def at_least(chances: Chances) -> NDArray[np.float64]:
    """For each k, the chance of k tricks or more: an array of the same shape."""
    total = np.cumsum(np.asarray(chances, np.float64)[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(np.minimum(total, 1.0))


def normal_chances(expected: NDArray[np.floating[Any]], sd: float) -> NDArray[np.float64]:
    """Normal distributions cut into whole tricks, (..., 14); the ends include the tails."""
    from tribridge.common.stats import ndtr  # SciPy takes a while to load

    below = ndtr((np.arange(TRICKS) + 0.5 - np.asarray(expected)[..., None]) / sd)
    ends = np.zeros_like(below[..., :1])
    return np.asarray(np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1))


def quantiles(chances: Chances, p: float) -> NDArray[np.int64]:
    """`Distribution.quantile` over the last axis."""
    if not 0 <= p <= 1:
        raise SettingError(f"a quantile must be 0 to 1, not {p}")
    exact = np.asarray(chances, np.float64)
    reached = (np.cumsum(exact, axis=-1) >= p - 1e-12) & (exact > 0)
    last = TRICKS - np.argmax((exact > 0)[..., ::-1], axis=-1)
    return np.asarray(np.where(reached.any(axis=-1), np.argmax(reached, axis=-1), last), np.int64)
