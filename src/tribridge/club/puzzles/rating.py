"""Ratings of puzzles and of the people who solve them, by Glicko-2.

Mark E. Glickman, *Example of the Glicko-2 system* (2012), with its steps as they are numbered
there. An answer is a game between a person and a puzzle: right, the person wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import Final

from tribridge.reviews.puzzles import SCALE, START, WIDEST

_TAU: Final = 0.5
"""How much the volatility may change."""
_VOLATILITY: Final = 0.06
_CONVERGED: Final = 1e-6
NARROWEST: Final = 45.0
"""No deviation falls below this: a rating goes on following its owner."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating, how uncertain it is, and how erratic its owner."""

    rating: float = START
    deviation: float = WIDEST
    volatility: float = _VOLATILITY


def update(own: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """A rating after a period of games: opponents, and scores from 0 to 1.

    Examples:
        >>> games = [(Rating(1400, 30), 1), (Rating(1550, 100), 0), (Rating(1700, 300), 0)]
        >>> after = update(Rating(1500, 200), games)  # the example of the paper
        >>> round(after.rating, 2), round(after.deviation, 2), round(after.volatility, 5)
        (1464.05, 151.52, 0.06)
    """
    mu, phi = (own.rating - START) / SCALE, own.deviation / SCALE  # step 2
    if not games:
        deviation = min(WIDEST, SCALE * sqrt(phi**2 + own.volatility**2))
        return Rating(own.rating, deviation, own.volatility)
    information = gained = 0.0
    for other, score in games:
        weight = 1 / sqrt(1 + 3 * (other.deviation / SCALE) ** 2 / pi**2)
        expected = 1 / (1 + exp(-weight * (mu - (other.rating - START) / SCALE)))
        information += weight**2 * expected * (1 - expected)
        gained += weight * (score - expected)
    variance = 1 / information  # step 3
    volatility = _new_volatility(phi, variance, variance * gained, own.volatility)  # steps 4, 5
    widened = phi**2 + volatility**2  # step 6
    phi = 1 / sqrt(1 / widened + information)  # step 7
    mu += phi**2 * gained
    return Rating(START + SCALE * mu, max(NARROWEST, SCALE * phi), volatility)  # step 8


def _new_volatility(phi: float, variance: float, change: float, volatility: float) -> float:
    """Step 5: the root of a function, by the Illinois method."""
    start = log(volatility**2)

    def f(x: float) -> float:
        total = phi**2 + variance + exp(x)
        return exp(x) * (change**2 - total) / (2 * total**2) - (x - start) / _TAU**2

    low = start
    if change**2 > phi**2 + variance:
        high = log(change**2 - phi**2 - variance)
    else:
        step = 1
        while f(start - step * _TAU) < 0:
            step += 1
        high = start - step * _TAU
    at_low, at_high = f(low), f(high)
    while abs(high - low) > _CONVERGED:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)
