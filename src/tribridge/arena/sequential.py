"""A sequential test of paired differences that allows any number of looks.

Differences are only assumed to be independent from deal to deal and bounded, by the largest swing
that the scoring allows: they may be skewed, discrete and mostly 0. The test bets against a mean
(Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
Royal Statistical Society B 86, 2024). If the mean difference is m and no difference is below -b,

    K = product over deals of (1 + c (d - m) / (b + m)),    0 <= c < 1,

is a martingale that starts at 1 and is never negative, so by Ville's inequality it ever reaches
2 / alpha with a probability of at most alpha / 2. The same holds for the average of K over several
stakes c, fixed beforehand, which needs no tuning to the data. A mean is rejected as too low when K
reaches 2 / alpha, as too high when the same bet on the differences with their signs changed does.
The means not rejected form an interval that holds at all times simultaneously.

`benchmarks/sequential.py` measures error rates and the number of deals needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.errors import SettingError
from tribridge.stats import Interval

_STAKES: Final = np.geomspace(0.01, 0.99, 16)
"""Shares of the most that can be staked without risking debt. The weight of each is proportional
to it: large stakes are the best ones wherever swings are small against the bound."""
_LOG_WEIGHTS: Final = np.log(_STAKES / _STAKES.sum())
_HALVINGS: Final = 30

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sequential:
    """Where a sequential test stopped, and its verdict."""

    verdict: str
    """`difference`, `none` (smaller than of interest), or `open` if the deals ran out."""
    deals: int
    interval: Interval
    """The mean difference; its interval holds at all times simultaneously."""
    p: float


def sequential(
    differences: ArrayLike,
    bound: float,
    *,
    alpha: float = 0.05,
    smallest: float = 0.0,
    step: int = 1,
) -> Sequential:
    """Go through paired differences, none larger than `bound`, and stop as soon as they decide.

    It looks every `step` deals and stops for a difference when the interval excludes 0, and for
    none when the interval lies within `smallest` of 0.
    """
    values = np.asarray(differences, dtype=float)
    if len(values) < 2:
        raise SettingError("a sequential test needs at least two differences")
    if not 0 < alpha < 1:
        raise SettingError(f"the error rate must be between 0 and 1, not {alpha:g}")
    if not np.abs(values).max() <= bound < np.inf:
        raise SettingError(
            f"a difference of {np.abs(values).max():g} is larger than the bound {bound:g}"
        )
    if not 0 <= smallest < bound:
        raise SettingError(
            f"the smallest difference of interest must be 0 or more and below {bound:g}, "
            f"the largest possible, not {smallest:g}"
        )
    limit = np.log(2 / alpha)
    n = np.arange(1, len(values) + 1)
    looks = (n % step == 0) | (n == len(values))
    evidence = np.maximum(_log_capital(values, bound, 0.0), _log_capital(-values, bound, 0.0))
    away = looks & (evidence >= limit)
    near = np.zeros(len(values), dtype=bool)
    if smallest > 0:
        near = looks
        for signed in (values, -values):
            near = near & (_log_capital(signed, bound, -smallest) >= limit)
    stops = np.flatnonzero(away | near)
    at = int(stops[0]) if len(stops) else len(values) - 1
    verdict = "difference" if away[at] else "none" if near[at] else "open"
    p = float(min(1.0, 2 * np.exp(-evidence[: at + 1][looks[: at + 1]].max())))
    seen = values[: at + 1]
    low, high = _lowest(seen, bound, limit), -_lowest(-seen, bound, limit)
    return Sequential(verdict, at + 1, Interval(float(seen.mean()), low, high), p)


def _log_capital(values: Numbers, bound: float, mean: float) -> Numbers:
    """The log of K after each deal, averaged over the stakes: evidence of more than `mean`."""
    return _average(np.cumsum(_logs(values, bound, mean), axis=0))


def _logs(values: Numbers, bound: float, mean: float) -> Numbers:
    """The log of what each deal multiplies each stake's capital by: (deals, stakes)."""
    gains = (values - mean) / max(bound + mean, np.finfo(float).tiny)
    return np.log1p(np.multiply.outer(gains, _STAKES))


def _average(logs: Numbers) -> Numbers:
    """The log of the weighted average over the stakes, the last axis."""
    weighted = logs + _LOG_WEIGHTS
    most = weighted.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(weighted - most).sum(axis=-1)) + most[..., 0])


def _lowest(values: Numbers, bound: float, limit: float) -> float:
    """The lowest mean that is not rejected: K falls as the mean rises, so by bisection."""
    low, high = -bound, float(values.mean())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _average(_logs(values, bound, middle).sum(axis=0)) >= limit:
            low = middle
        else:
            high = middle
    return low
