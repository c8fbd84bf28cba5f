"""The zero-sum game of a payoff matrix: value, equilibrium mixtures, exploitability.

Rows maximise the payoff, columns minimise it. A payoff is a mean over deals, the same deals in
every cell, so standard errors come from resampling deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tribridge.cards.masks import F64
from tribridge.common.errors import RunError, SettingError, need
from tribridge.common.stats import FEWEST_DEALS, LEVEL, Interval

RESAMPLES: Final = 400


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """The value of a zero-sum game and a pair of mixtures that secure it."""

    value: float
    rows: tuple[float, ...]
    columns: tuple[float, ...]


def equilibrium(payoffs: ArrayLike) -> Equilibrium:
    """Solve a zero-sum game by linear programming.

    Examples:
        >>> game = equilibrium([[1, -1], [-1, 1]])  # matching pennies
        >>> game.value, game.rows, game.columns
        (0.0, (0.5, 0.5), (0.5, 0.5))
    """
    matrix = np.asarray(payoffs, dtype=float)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise SettingError(
            "a zero-sum game needs a matrix of numbers with at least one row and one column"
        )
    return _saddle(matrix) or _programme(matrix)


def _saddle(matrix: F64) -> Equilibrium | None:
    """A pure equilibrium, if there is one: then no linear program is needed."""
    lows, highs = matrix.min(axis=1), matrix.max(axis=0)
    row, column = int(lows.argmax()), int(highs.argmin())
    if lows[row] < highs[column]:
        return None
    rows, columns = (
        tuple(float(at == best) for at in range(size))
        for size, best in zip(matrix.shape, (row, column), strict=True)
    )
    return Equilibrium(float(matrix[row, column]), rows, columns)


def _programme(matrix: F64) -> Equilibrium:
    """The most that rows can guarantee, and how; its dual prices are the columns' mixture."""
    linprog = need("scipy.optimize").linprog
    rows, columns = matrix.shape
    low = float(matrix.min())
    # Payoffs shifted to 0 or more, so that the value is too: v, then the mixture.
    result = linprog(
        np.r_[-1.0, np.zeros(rows)],
        A_ub=np.column_stack([np.ones(columns), -(matrix - low).T]),
        b_ub=np.zeros(columns),
        A_eq=np.r_[0.0, np.ones(rows)][np.newaxis],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    if not result.success:
        raise RunError(f"the linear program of the game was not solved: {result.message}")
    mine, theirs = _mixture(result.x[1:]), _mixture(-result.ineqlin.marginals)
    value = float((mine @ matrix).min())
    if float((matrix @ theirs).max()) - value > 1e-7 * (1 + np.abs(matrix).max()):
        raise RunError("the linear program of the game was solved on one side only")
    return Equilibrium(value + 0.0, tuple(map(float, mine)), tuple(map(float, theirs)))


def _mixture(shares: F64) -> F64:
    positive = np.where(shares < 1e-12, 0.0, shares)
    return np.asarray(positive / positive.sum())


def row_exploitability(payoffs: ArrayLike, value: float) -> F64:
    """How far each row falls below the value against its worst column."""
    return np.asarray(value - np.asarray(payoffs, dtype=float).min(axis=1))


def column_exploitability(payoffs: ArrayLike, value: float) -> F64:
    """How far the best row against each column exceeds the value."""
    return np.asarray(np.asarray(payoffs, dtype=float).max(axis=0) - value)


@dataclass(frozen=True, slots=True)
class Solved:
    """A game solved from deals, each figure with its interval over resampled deals."""

    value: Interval
    value_se: float
    rows: tuple[Interval, ...]
    """Shares of the equilibrium mixture."""
    columns: tuple[Interval, ...]
    row_exploitability: tuple[Interval, ...]
    column_exploitability: tuple[Interval, ...]


def solve_deals(payoffs: ArrayLike, seed: int, *, resamples: int = RESAMPLES) -> Solved:
    """Solve the game of mean payoffs from an array (deals, rows, columns).

    Deals are resampled as wholes: all cells of a deal stay together. The intervals of the value and
    of the mixtures are percentiles of the resamples. An exploitability is the largest of several
    means, and as such biased upwards, most of all where strategies are equal and it is 0. Its
    interval is the union of the percentiles and their reflection about the estimate, and extends
    further down by what the same noise alone, added to a game of equal strategies, would make of
    it; it never ends below 0. `benchmarks/exploitability.py` measures the coverage.
    Too few deals give no intervals: they are infinite.
    """
    cells = np.asarray(payoffs, dtype=float)
    if cells.ndim != 3 or len(cells) < 2:
        raise SettingError(
            "solving a game from deals needs at least two deals, each with all cells"
        )
    deals = len(cells)
    flat = cells.reshape(deals, -1)
    random = np.random.default_rng([seed, deals])

    def figures(means: F64) -> F64:
        solution = equilibrium(means)
        return np.concatenate(
            [
                [solution.value],
                solution.rows,
                solution.columns,
                row_exploitability(means, solution.value),
                column_exploitability(means, solution.value),
            ]
        )

    shape = cells.shape[1:]
    means = flat.mean(axis=0).reshape(shape)
    matrices = np.stack(
        [(_weights(random, deals) @ flat / deals).reshape(shape) for _ in range(resamples)]
    )
    estimate = figures(means)
    drawn = np.stack([figures(matrix) for matrix in matrices])
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail], axis=0)
    losses = slice(1 + sum(shape), None)
    noise = np.percentile(_noise(matrices - means), 100 - tail, axis=0)
    lows = low[losses], (2 * estimate - high)[losses], estimate[losses] - noise
    high[losses] = np.maximum(high, 2 * estimate - low)[losses]
    low[losses] = np.maximum(np.min(lows, axis=0), 0.0)
    if deals < FEWEST_DEALS:
        low[:], high[:] = -np.inf, np.inf
    all_ = [Interval(*map(float, three)) for three in zip(estimate, low, high, strict=True)]
    rows, columns = shape
    cuts = np.cumsum([1, rows, columns, rows, columns])
    parts = [tuple(all_[a:b]) for a, b in zip([0, *cuts], cuts, strict=False)]
    return Solved(all_[0], float(drawn[:, 0].std(ddof=1)), *parts[1:])


def _noise(matrices: F64) -> F64:
    """The largest exploitabilities of rows and columns in games of pure noise.

    The best pure strategies stand in for the value, which lies between what they secure.
    """
    worst, best = matrices.min(axis=2), matrices.max(axis=1)
    rows = best.min(axis=1, keepdims=True) - worst
    columns = best - worst.max(axis=1, keepdims=True)
    return np.concatenate([rows, columns], axis=1)


def _weights(random: np.random.Generator, deals: int) -> F64:
    return np.bincount(random.integers(0, deals, deals), minlength=deals).astype(float)
