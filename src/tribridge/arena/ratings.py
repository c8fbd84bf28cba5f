"""Ratings of many strategies: one number each, from all the games in which they met.

By points: the differences between two strategies at the same table, explained by the difference of
their ratings, in least squares. By wins: Bradley and Terry's model, in which the chance that one
scores more than another at the same table is set by the difference of their ratings. Ratings add
up to 0. Deals are the unit of the intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.arena.analysis import match_pairs
from tribridge.arena.results import MatchResult
from tribridge.errors import SettingError
from tribridge.stats import Interval, mean_interval

FEWEST_UPSETS: Final = 5
"""Deals that every strategy has to lose on, and to win on, for ratings by wins to have intervals:
with fewer, the ratings of all hang on a few games."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """A strategy's ratings, in points per game and on the scale of Bradley and Terry."""

    name: str
    points: Interval
    wins: Interval
    beats: float
    """The chance that it scores more than a strategy of rating 0 at the same table."""


def ratings(result: MatchResult) -> list[Rating]:
    """Ratings of the strategies of a match, the best first."""
    names = result.work.strategies
    if len(names) < 2:
        raise SettingError("ratings need at least two strategies")
    pairs = match_pairs(result)
    met = [(names.index(pair.first), names.index(pair.second)) for pair in pairs]
    per_deal = np.column_stack([pair.differences for pair in pairs]) @ _solver(met).T
    wins = _wins(result)
    strengths = bradley_terry(wins.sum(axis=0))
    by_wins = strength_intervals(wins, strengths)
    rated = [
        Rating(
            name,
            mean_interval(per_deal[:, at]),
            by_wins[at],
            float(1 / (1 + np.exp(-strengths[at]))),
        )
        for at, name in enumerate(names)
    ]
    return sorted(rated, key=lambda row: -row.points.estimate)


def bradley_terry(wins: ArrayLike) -> Numbers:
    """Log strengths that add up to 0 from how often each (row) beat each other (column).

    Half a win each way is added to every pair that met, so a strategy that never lost has a rating.
    """
    counts = np.asarray(wins, dtype=float)
    size = round(counts.size**0.5)
    counts = counts.reshape(size, size)
    met = counts + counts.T > 0
    counts = counts + 0.5 * met
    games, won = counts + counts.T, counts.sum(axis=1)
    strengths = np.zeros(size)
    for _ in range(100):  # Newton's steps on a concave likelihood
        chance = 1 / (1 + np.exp(strengths[np.newaxis] - strengths[:, np.newaxis]))
        gradient = won - (games * chance).sum(axis=1)
        weights = games * chance * (1 - chance)
        hessian = np.diag(weights.sum(axis=1)) - weights
        step = np.linalg.lstsq(hessian + 1.0 / size, gradient, rcond=None)[0]
        strengths += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(strengths - strengths.mean())


def strength_intervals(wins: Numbers, strengths: Numbers) -> list[Interval]:
    """Log strengths with their intervals, from wins by deal.

    Games on the same deal depend on each other, so deals are what varies: what each adds to the
    strengths, to first order, is a sample whose mean has an interval.
    """
    deals = len(wins)
    chance = 1 / (1 + np.exp(strengths[np.newaxis] - strengths[:, np.newaxis]))
    games = wins + wins.transpose(0, 2, 1)
    scores = (wins - games * chance).sum(axis=2)
    weights = games.sum(axis=0) * chance * (1 - chance)
    added = deals * scores @ np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    upsets = min((wins.sum(axis=axis) > 0).sum(axis=0).min() for axis in (1, 2))
    intervals = []
    for strength, sample in zip(strengths.tolist(), added.T, strict=True):
        one = mean_interval(sample)
        low, high = one.low - one.estimate, one.high - one.estimate
        if upsets < FEWEST_UPSETS:
            low, high = -np.inf, np.inf
        intervals.append(Interval(strength, strength + low, strength + high))
    return intervals


def _wins(result: MatchResult) -> Numbers:
    """For each deal how often each strategy scored more than each other at the same table."""
    names, games = result.work.strategies, result.work.games
    index = {name: at for at, name in enumerate(names)}
    points = result.points.reshape(-1, games, 3)
    wins = np.zeros((len(points), len(names), len(names)))
    for at, seats in enumerate(result.seats[:games]):
        for here, there in permutations(range(3), 2):
            first, second = index[seats[here]], index[seats[there]]
            if first != second:
                margin = points[:, at, here] - points[:, at, there]
                wins[:, first, second] += (margin > 0) + 0.5 * (margin == 0)
    return wins


def _solver(met: list[tuple[int, int]]) -> Numbers:
    """The matrix that takes margins of pairs to ratings in least squares."""
    size = 1 + max(b for _, b in met)
    design = np.zeros((len(met), size))
    for row, (a, b) in enumerate(met):
        design[row, a], design[row, b] = 1.0, -1.0
    return np.asarray(np.linalg.pinv(design))
