"""A test that stops as soon as it knows: paired differences looked at as often as one likes.

Its error rates are checked by simulation in the test suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.errors import SettingError
from tribridge.stats import Interval

_EFFECT: Final = 0.2
"""Standardised effects of this order are what the test is tuned to."""


@dataclass(frozen=True, slots=True)
class Sequential:
    """Where a sequential test stopped, and what it found."""

    verdict: str
    """`difference`, `none` (smaller than asked for), or `open` when the deals ran out."""
    deals: int
    interval: Interval
    """The mean difference; the interval holds at all times together, however often one looks."""
    p: float


def sequential(
    differences: ArrayLike,
    *,
    alpha: float = 0.05,
    smallest: float = 0.0,
    step: int = 1,
    least: int = 50,
) -> Sequential:
    """Go through paired differences and stop as soon as they decide.

    It stops for a difference when an interval that is valid at all times together leaves out 0,
    and for none when the interval lies within `smallest` of 0. One looks every `step` deals, from
    `least` on (differences are whole numbers: the first few can be all the same by chance).

    The interval inverts the t statistic of a mixture over standardised effects N(0, 0.2^2) with
    Haar's prior on the spread: under no difference its likelihood ratio is a martingale that
    starts at 1, so it ever passes 1 / alpha with a chance of alpha at most (Ville).
    """
    values = np.asarray(differences, dtype=float)
    if len(values) < 2:
        raise SettingError("a sequential test needs at least two differences")
    if not 0 < alpha < 1:
        raise SettingError(f"an error rate of {alpha:g} cannot be: between 0 and 1")
    n = np.arange(1, len(values) + 1, dtype=float)
    mean = np.cumsum(values) / n
    inner = np.maximum(np.cumsum(values**2) - n * mean**2, 0.0)
    half = _half_width(n, inner, alpha)
    looks = (np.arange(len(values)) + 1 >= max(2, least)) & ((n % step == 0) | (n == len(values)))
    away = looks & (np.abs(mean) > half)
    near = looks & (np.abs(mean) + half < smallest)
    stops = np.flatnonzero(away | near)
    at = int(stops[0]) if len(stops) else len(values) - 1
    verdict = "difference" if away[at] else "none" if near[at] else "open"
    evidence = _log_evidence(n, mean, inner)[: at + 1][looks[: at + 1]]
    p = float(np.exp(-max(0.0, evidence.max()))) if len(evidence) else 1.0
    low, high = mean[at] - half[at], mean[at] + half[at]
    return Sequential(verdict, at + 1, Interval(float(mean[at]), float(low), float(high)), p)


def _half_width(
    n: NDArray[np.float64], inner: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Half the width of the interval that is valid at all times; infinite while undecided."""
    spread = 1 + n * _EFFECT**2
    k = np.exp(2 * (-np.log(alpha) + 0.5 * np.log(spread)) / n)
    room = 1 - k / spread
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.sqrt((k - 1) / room * inner / n)
    return np.where(room > 0, half, np.inf)


def _log_evidence(
    n: NDArray[np.float64], mean: NDArray[np.float64], inner: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The log of the likelihood ratio for a difference after each deal."""
    spread = 1 + n * _EFFECT**2
    between = n * mean**2
    # Where nothing varies the ratio is taken at its limit.
    whole = np.where(between + inner > 0, between + inner, 1.0)
    rest = np.where(between + inner > 0, inner + between / spread, 1.0)
    return np.asarray(-0.5 * np.log(spread) + n / 2 * (np.log(whole) - np.log(rest)))
