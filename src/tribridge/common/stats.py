"""Tests and intervals, each with an effect size next to its p-value.

This module gives each question of the studies one function and one type of answer. The error rate
of every test and the coverage of every interval are checked by simulation in the test suite, and
the textbook formulas against scipy.stats and statsmodels, whose imports take over a second. Means,
proportions and paired tests need no SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import comb
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.common.codec import Number
from tribridge.common.errors import SettingError, installed, need

LEVEL: Final = 0.95
"""Coverage of the intervals."""

_FAR: Final = 2.0**16
"""A distance in standard errors that no sample here reaches."""

FEWEST_DEALS: Final = 100
"""Deals below which a mean gets no interval and no test: a swing that comes once in 20 deals, but
decides the mean, is then missed too often (docs/explanation/arena.md)."""
RARE_SWINGS: Final = (
    "Where doubled contracts or slams count, a swing that comes once in 200 deals can decide the "
    "mean: an interval from 100 deals without one then misses the true mean, and a 95% interval "
    "covers it only 39% of the time."
)
"""The known exception of `mean_interval`, to be printed beside such means
(`benchmarks/intervals.py`, "a slam in 200 deals")."""
_FARTHEST: Final = 2.0
"""How much farther from the mean than any value so far the next one is reckoned to be at most."""
_HALVINGS: Final = 40
_QUANTILES: Final = 1000
"""Points that stand for a normal distribution."""
_MOST_NEEDED: Final = 10**9
_SMALLEST_EXPECTED: Final = 5.0
_BLOCK: Final = 750_000
"""Bootstrap draws per block."""
_BLOCKS: Final = 64
"""Blocks kept for the next bootstrap of as many rows: more than any test here draws, 96 MB."""
_NO_SPREAD: Final = 1e-12
"""The spread that rounding leaves between equal values, relative to their size."""


@cache
def _normal() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The standard normal distribution function and its inverse; SciPy takes a while to load."""
    if installed("scipy"):
        special = need("scipy.special")
        return special.ndtr, special.ndtri
    return np.vectorize(NormalDist().cdf, otypes=[float]), NormalDist().inv_cdf


def ndtr(at: Any) -> Any:
    """The standard normal distribution function."""
    return _normal()[0](at)


def ndtri(chance: Any) -> Any:
    """Its inverse."""
    return _normal()[1](chance)


@cache
def _half_width() -> float:
    """Half the width of an interval, in standard errors."""
    return float(ndtri(0.5 + LEVEL / 2))


@dataclass(frozen=True, slots=True)
class Test:
    """The result of a test: statistic, degrees of freedom (if any), p-value, effect size."""

    __test__ = False  # not a pytest test class

    name: str
    statistic: float
    df: int | None
    p: float
    effect: str
    """The name of the effect size."""
    size: float

    @property
    def dispersion(self) -> float | None:
        """A chi-square over its degrees of freedom: 1 on average, 0 if runs were copies."""
        return self.statistic / self.df if self.df else None


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the two ends of its interval."""

    estimate: Number
    low: Number
    high: Number

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, form: str) -> str:
        """The estimate and the interval: `{:+.1f}` gives `+0.5 [-0.1, +1.1]`."""
        if not form:
            return str(self)
        if self.high - self.low == np.inf:
            return f"{self.estimate:{form}} [too few deals]"
        return f"{self.estimate:{form}} [{self.low:{form}}, {self.high:{form}}]"

    def __neg__(self) -> Interval:
        return Interval(-self.estimate, -self.high, -self.low)

    def __sub__(self, value: float) -> Interval:
        return Interval(self.estimate - value, self.low - value, self.high - value)


def homogeneity(counts: ArrayLike) -> Test:
    """Whether runs (rows) share one distribution over cells (columns): chi-square, Cramér's V.

    Cells that are empty in all runs are left out; cells too small for chi-square are pooled.
    """
    table = _pool_columns(np.asarray(counts, dtype=float))
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    statistic = _chi_square(table, np.outer(rows, columns) / total)
    size = float(np.sqrt(statistic / (total * (min(table.shape) - 1))))
    df = (len(rows) - 1) * (len(columns) - 1)
    p = float(need("scipy.special").chdtrc(df, statistic))
    return Test("chi-square of homogeneity", statistic, df, p, "Cramér's V", size)


def fit(counts: ArrayLike, probabilities: ArrayLike) -> Test:
    """Whether counts come from known probabilities: chi-square, Cohen's w.

    Cells with an expected count below five are pooled. A count in a cell of probability 0 is a
    contradiction: p is 0.
    """
    observed = np.asarray(counts, dtype=float)
    shares = np.asarray(probabilities, dtype=float)
    if observed.shape != shares.shape or abs(shares.sum() - 1) > 1e-9:
        raise SettingError("a fit needs as many probabilities as counts, adding up to 1")
    total = observed.sum()
    if observed[shares == 0].any():
        return Test("chi-square of fit", float("inf"), None, 0.0, "Cohen's w", float("inf"))
    groups = _groups(shares * total)
    seen = np.array([observed[group].sum() for group in groups])
    want = np.array([shares[group].sum() for group in groups]) * total
    statistic = _chi_square(seen, want * (seen.sum() / want.sum()))
    df = len(groups) - 1
    p = float(need("scipy.special").chdtrc(df, statistic)) if df else 1.0
    size = float(np.sqrt(statistic / total))
    return Test("chi-square of fit", statistic, df, p, "Cohen's w", size)


def _chi_square(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    return float(((observed - expected) ** 2 / expected).sum())


def two_proportions(hits: Sequence[int], totals: Sequence[int]) -> tuple[Test, Interval]:
    """Whether two proportions differ, and by how much: Newcombe's method; Cohen's h.

    Test and interval are one method: z is the width at which the interval would just reach 0, in
    standard errors of the two Wilson intervals that it is made of.
    """
    first, second = (hit / total for hit, total in zip(hits, totals, strict=True))
    difference = first - second

    def ends(z: float) -> tuple[float, float]:
        own, other = (_wilson(k / n, n, z) for k, n in zip(hits, totals, strict=True))
        low = difference - np.hypot(first - own.low, other.high - second)
        return float(low), float(difference + np.hypot(own.high - first, second - other.low))

    near, far = 0.0, 1.0
    if difference:
        toward = 0 if difference > 0 else 1  # the end between the difference and 0
        while far < _FAR and ends(far)[toward] * difference > 0:
            near, far = far, 2 * far
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if ends(middle)[toward] * difference > 0 else (near, middle)
    statistic = float(np.copysign(near, difference))
    size = float(2 * (np.arcsin(np.sqrt(first)) - np.arcsin(np.sqrt(second))))
    test = Test("Newcombe's method", statistic, None, _two_sided(statistic), "Cohen's h", size)
    return test, Interval(difference, *ends(_half_width()))


def _two_sided(z: float) -> float:
    """The p-value of a standard normal statistic."""
    return float(2 * ndtr(-abs(z)))


def proportion(hits: int, total: int) -> Interval:
    """A proportion with Wilson's interval."""
    return _wilson(hits / total, total)


def _wilson(p: float, size: float, z: float | None = None) -> Interval:
    """Wilson's interval of a proportion among `size` observations, not always a whole number."""
    z = _half_width() if z is None else z
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    # At 0 and 1 rounding could leave the estimate just outside, or an end beyond them.
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(float(p), float(min(p, low)), float(max(p, high)))


def slope(points: Sequence[tuple[float, float]]) -> Interval:
    """The slope of the line through points (x, y) by least squares, with Student's interval."""
    x, y = np.array(points, dtype=float).T
    away, df = x - x.mean(), len(points) - 2
    estimate = away @ (y - y.mean()) / (away @ away)
    residuals = y - y.mean() - estimate * away
    error = np.sqrt(residuals @ residuals / df / (away @ away))
    half = need("scipy.special").stdtrit(df, 0.5 + LEVEL / 2) * error
    return Interval(float(estimate), float(estimate - half), float(estimate + half))


Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def bootstrap(
    sums: ArrayLike, statistic: Statistic, seed: int, *, resamples: int = 2000
) -> Interval:
    """A statistic of column sums with a percentile bootstrap interval, drawing whole rows.

    A row is what one deal adds: observations of the same deal stay together, so dependent
    observations do not count as more evidence than they are. `statistic` takes an array
    (resamples, columns) of sums and returns one number for each. The interval is infinite below
    `FEWEST_DEALS` rows that add anything.
    """
    (interval,) = bootstrap_each(
        sums, lambda drawn: statistic(drawn)[:, None], seed, resamples=resamples
    )
    return interval


def bootstrap_each(
    sums: ArrayLike, statistic: Statistic, seed: int, *, resamples: int = 2000
) -> list[Interval]:
    """Several statistics of the same column sums, as by `bootstrap`, with one set of draws.

    `statistic` returns an array (resamples, statistics).
    """
    rows = np.asarray(sums, dtype=float)
    if not len(rows):
        raise SettingError("a bootstrap needs at least one observation")
    tail = 100 * (1 - LEVEL) / 2
    drawn = _resampled(rows, statistic, seed, resamples)
    ends = np.nanpercentile(drawn, [tail, 100 - tail], axis=0)
    if np.count_nonzero(rows.any(axis=1)) < FEWEST_DEALS:
        ends = np.broadcast_to([[-np.inf], [np.inf]], ends.shape)
    estimates = statistic(rows.sum(axis=0, keepdims=True))[0]
    return [
        Interval(float(estimate), float(low), float(high))
        for estimate, low, high in zip(estimates, *ends, strict=True)
    ]


def _resampled(
    rows: NDArray[np.float64], statistic: Statistic, seed: int, resamples: int
) -> NDArray[np.float64]:
    """A statistic of the column sums of each resample of the rows."""
    block = max(1, _BLOCK // len(rows))
    return np.concatenate(
        [
            statistic(_draws(len(rows), min(block, resamples - start), seed, start) @ rows)
            for start in range(0, resamples, block)
        ]
    )


@lru_cache(maxsize=_BLOCKS)
def _draws(rows: int, resamples: int, seed: int, start: int) -> NDArray[np.uint16]:
    """How often each row is drawn in each resample; cached, since studies often reuse it."""
    random = np.random.default_rng([seed, start])
    drawn = random.integers(0, rows, (resamples, rows))
    drawn += rows * np.arange(resamples)[:, None]
    times = np.bincount(drawn.ravel(), minlength=resamples * rows)
    return times.astype(np.uint16).reshape(resamples, rows)


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first column over the last, for `bootstrap`: a mean from sums and counts."""
    return ratios(sums[:, [0, -1]])[:, 0]


def ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every other column over the last, for `bootstrap_each`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, :-1] / sums[:, -1:])


def per_count(sums: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """One value a row for the mean over all counted observations: their mean is that mean.

    A row is what one deal adds. `mean_interval` and `paired` of these values give the interval and
    the test of the ratio (linearised, as in surveys of clusters). Rows that count nothing are left
    out.

    Examples:
        >>> float(per_count([3, 0, 6], [1, 1, 2]).mean())
        2.25
    """
    parts, number = np.asarray(sums, dtype=float), np.asarray(counts, dtype=float)
    parts, number = parts[number > 0], number[number > 0]
    if not len(parts):
        raise SettingError("a mean needs at least one observation")
    mean = parts.sum() / number.sum()
    return np.asarray(mean + (parts - mean * number) / number.mean())


def chosen_mean(values: ArrayLike, chosen: NDArray[np.bool_], seed: int) -> Interval:
    """The mean of the chosen values, (deals, values of a deal), with a bootstrap over deals."""
    sums = np.where(chosen, values, 0.0).sum(axis=1)
    return bootstrap(np.column_stack([sums, chosen.sum(axis=1)]), ratio, seed)


def clustered_proportion(hits: ArrayLike, totals: ArrayLike) -> Interval:
    """A proportion over clustered observations, with Wilson's interval.

    The number of observations is divided by the design effect (how much more the proportion varies
    between groups than independent observations would), if that is above 1.
    """
    good, all_ = np.asarray(hits, dtype=float), np.asarray(totals, dtype=float)
    good, all_ = good[all_ > 0], all_[all_ > 0]
    total, groups = all_.sum(), len(all_)
    if not total:
        raise SettingError("a proportion needs at least one observation")
    p = good.sum() / total
    binomial = p * (1 - p) / total
    effect = 1.0
    if binomial and groups > 1:
        between = groups / (groups - 1) * ((good - p * all_) ** 2).sum() / total**2
        effect = max(1.0, between / binomial)
    return _wilson(p, total / effect)


def paired(differences: ArrayLike, bound: float = np.inf) -> Test:
    """Whether paired differences have mean 0: Gaffke's test, as in `mean_interval`; Cohen's d.

    The statistic is Student's t; p is NaN below `FEWEST_DEALS` differences.

    Examples:
        >>> f"{paired([0] * 90 + [5] * 10).p:.4f}", paired([0] * 9 + [5]).p
        ('0.0200', nan)
    """
    values = np.asarray(differences, dtype=float)
    count, mean = len(values), float(values.mean())
    if count < 2:
        raise SettingError("a paired test needs at least two differences")
    spread = float(values.std(ddof=1))
    constant = spread <= _NO_SPREAD * np.abs(values).max()
    size = float(np.sign(mean) * np.inf if mean else 0.0) if constant else mean / spread
    p = _mean_test(values, bound, 0.0)
    return Test("Gaffke's test", float(size * np.sqrt(count)), count - 1, p, "Cohen's d", size)


def sign_test(wins: int, losses: int) -> float:
    """The chance of a split at least as uneven if wins and losses are equally likely, two-sided.

    On paired hits and misses this is McNemar's exact test.

    Examples:
        >>> sign_test(9, 1), sign_test(4, 4)
        (0.021484375, 1.0)
    """
    total = wins + losses
    tail = sum(comb(total, count) for count in range(min(wins, losses) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**total)))


def mean_interval(values: ArrayLike, bound: float = np.inf, level: float = LEVEL) -> Interval:
    """A mean with its interval, which is infinite if there are too few values to give one.

    Scores are skewed, discrete and mostly 0, and the largest swing may not have come yet. So each
    end allows for one value more, at the far end of what is reckoned with, and for random weights
    of all of them (N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on
    the mean of a nonnegative variable", Mathematical Methods of Statistics 14, 2005). With a
    true bound as that end, no case is known in which the interval fails, whatever the number of
    values. The true bounds of scores (`bound`: no value is farther from 0) would make intervals
    several times as wide, so the end is twice as far from the mean as any value so far, if that is
    within the bound. `RARE_SWINGS` says when that is not far enough.

    Examples:
        >>> some, none = mean_interval([0] * 90 + [5] * 10), mean_interval([0] * 300, bound=13)
        >>> f"{some.low:.2f} to {some.high:.2f}, {none.low:.2f} to {none.high:.2f}"
        '0.08 to 0.97, -0.16 to 0.16'
        >>> mean_interval([1, 2, 3])
        Interval(estimate=2.0, low=-inf, high=inf)
    """
    numbers = np.asarray(values, dtype=float)
    mean = float(numbers.mean())
    ends = _reckoned(numbers, bound)
    if ends is None:
        return Interval(mean, -np.inf, np.inf)
    tail = (1 - level) / 2
    points, times = np.unique(numbers, return_counts=True)

    def end(farthest: float) -> float:
        inner, outer = mean, farthest
        if inner == outer:  # all values are at the bound
            return mean
        for _ in range(_HALVINGS):
            middle = (inner + outer) / 2
            if _chance_beyond(points, times, farthest, middle) > tail:
                inner = middle
            else:
                outer = middle
        return inner

    return Interval(mean, end(ends[0]), end(ends[1]))


def apart(first: ArrayLike, second: ArrayLike, alpha: float, bound: float = np.inf) -> int:
    """1 if the first of two means is greater, -1 if the second is, 0 if that cannot be told.

    Neither error has a chance of more than `alpha` / 2 while the intervals cover: each has
    coverage 1 - `alpha` / 2, and they must not overlap. Values that happen to be equal so far are
    no evidence that they always are, as Welch's t test takes them to be.

    Examples:
        >>> apart([0] * 100, [-1] * 20 + [0] * 80, 0.005, bound=13)
        0
        >>> apart([0, 1] * 50, [3, 4] * 50, 0.005, bound=13)
        -1
    """
    means = [mean_interval(values, bound, 1 - alpha / 2) for values in (first, second)]
    return int(means[0].low > means[1].high) - int(means[1].low > means[0].high)


def _mean_test(values: NDArray[np.float64], bound: float, mean: float) -> float:
    """The two-sided p-value of a mean; NaN if there are too few values."""
    if len(values) < FEWEST_DEALS:
        return np.nan
    if mean == values.mean():
        return 1.0
    ends = _reckoned(values, bound)
    if ends is None or not ends[0] < mean < ends[1]:
        return 0.0
    end = ends[0] if mean < values.mean() else ends[1]
    points, times = np.unique(values, return_counts=True)
    return min(1.0, 2 * _chance_beyond(points, times, end, mean))


def _reckoned(values: NDArray[np.float64], bound: float) -> tuple[float, float] | None:
    """The ends of what one more value is reckoned to be; None if there is nothing to go by.

    Equal values are reckoned to be able to change by their own size, zeros by the bound.
    """
    if len(values) < FEWEST_DEALS:
        return None
    mean, largest = float(values.mean()), float(np.abs(values).max())
    farthest = float(np.abs(values - mean).max())
    if farthest <= _NO_SPREAD * largest:
        farthest = largest or bound
    if farthest == np.inf:
        return None
    return max(mean - _FARTHEST * farthest, -bound), min(mean + _FARTHEST * farthest, bound)


def _chance_beyond(
    points: NDArray[np.float64], times: NDArray[np.int64], end: float, mean: float
) -> float:
    """The chance that the randomly weighted mean of a sample and `end` is beyond `mean`.

    Weights are exponential, so the chance is that a sum of exponentials is beyond 0, by the
    saddlepoint formula of R. Lugannani and S. Rice (Advances in Applied Probability 12, 1980).
    """
    away = np.append(points, end) - mean
    if end > mean:
        away = -away
    count = np.append(times, 1)
    low, high, s = 1 / float(away.min()), 1 / float(away.max()), 0.0
    for _ in range(_HALVINGS):  # Newton's steps towards the saddlepoint, kept between the poles
        part = away / (1 - s * away)
        slope = float(count @ part)
        low, high = (s, high) if slope < 0 else (low, s)
        step = s - slope / float(count @ part**2)
        last, s = s, step if low < step < high else (low + high) / 2
        if abs(s - last) <= _NO_SPREAD * abs(s):
            break
    part = away / (1 - s * away)
    w = np.copysign(np.sqrt(max(0.0, 2 * float(count @ np.log1p(-s * away)))), s)
    if abs(w) < 1e-4:  # at the mean of the weighted sum, where the formula is 0 / 0
        skew = 2 * (count @ away**3) / (count @ away**2) ** 1.5
        return float(0.5 + skew / 6 / np.sqrt(2 * np.pi))
    u = s * np.sqrt(count @ part**2)
    chance = ndtr(w) + np.exp(-w * w / 2) / np.sqrt(2 * np.pi) * (1 / w - 1 / u)
    return max(0.0, float(chance))  # where it underflows, rounding may leave less than 0


def values_needed(
    difference: float,
    spread: float,
    alpha: float = 0.05,
    power: float = 0.9,
    *,
    sample: ArrayLike | None = None,
    bound: float = np.inf,
) -> int:
    """How many values `paired` needs to detect a mean other than 0 with some chance (`power`).

    The values have a standard deviation (`spread`) and the shape of a `sample`, or are normal.
    With chance `power` the mean found is at least `difference` less so many standard errors: so
    many values are needed that the test finds that one, with the other values where they are
    expected. Student's t would need (z + z')² spread² / difference² of them; this test needs
    more, for it allows for one value farther out than any, and never fewer than `FEWEST_DEALS`.

    Examples:
        >>> values_needed(5, 50), values_needed(0.5, 50)
        (1212, 106919)
    """
    if not difference or not np.isfinite(difference):
        raise SettingError(f"the difference must be a number other than 0, not {difference:g}")
    if not 0 < spread < np.inf:
        raise SettingError(f"the standard deviation must be greater than 0, not {spread:g}")
    if not 0 < alpha < 1:
        raise SettingError(f"the error rate must be between 0 and 1, not {alpha:g}")
    if not alpha < power < 1:
        raise SettingError(f"the power must be between the error rate and 1, not {power:g}")
    if sample is None:
        shape = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    else:
        shape = np.sign(difference) * np.asarray(sample, dtype=float)
        shape = shape - shape.mean()
    shape = spread * shape / shape.std()
    shortfall, farthest = float(ndtri(power)) * spread, float(np.abs(shape).max())

    def detects(count: int) -> bool:
        mean = abs(difference) - shortfall / np.sqrt(count)
        if mean <= 0:
            return False
        far = farthest
        if sample is None:  # the median of the farthest of so many normal values
            far = spread * float(ndtri((1 + 0.5 ** (1 / count)) / 2))
        end = max(mean - _FARTHEST * far, -bound)
        times = np.full(len(shape), count / len(shape))
        return end >= 0 or 2 * _chance_beyond(shape + mean, times, end, 0.0) <= alpha

    low, high = FEWEST_DEALS - 1, FEWEST_DEALS
    while not detects(high):
        low, high = high, 2 * high
        if high > _MOST_NEEDED:
            raise SettingError(
                f"a difference of {difference:g} with a standard deviation of {spread:g} takes "
                f"more than {_MOST_NEEDED:,} deals"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detects(middle) else (middle, high)
    return high


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number by Holm's method; NaN stays NaN and does not count."""
    given = [at for at, p in enumerate(p_values) if p == p]
    corrected = [float("nan")] * len(p_values)
    largest = 0.0
    for smaller, at in enumerate(sorted(given, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(given) - smaller) * p_values[at]))
        corrected[at] = largest
    return corrected


def z_score(count: float, total: int, probability: float) -> float:
    """The distance of a count from its expectation, in standard errors."""
    spread = np.sqrt(total * probability * (1 - probability))
    difference = count - total * probability
    return float(difference / spread) if spread else (0.0 if not difference else float("inf"))


def _groups(expected: NDArray[np.float64]) -> list[list[int]]:
    """Pool neighbouring cells until each group expects enough."""
    groups: list[list[int]] = [[]]
    for at, value in enumerate(expected):
        if value == 0:
            continue
        groups[-1].append(at)
        if expected[groups[-1]].sum() >= _SMALLEST_EXPECTED:
            groups.append([])
    rest = groups.pop()
    if rest and groups:
        groups[-1].extend(rest)
    elif rest:
        groups.append(rest)
    return groups


def _pool_columns(table: NDArray[np.float64]) -> NDArray[np.float64]:
    expected = table.sum(axis=0) * (table.sum(axis=1).min() / table.sum())
    groups = _groups(expected)
    pooled = np.column_stack([table[:, group].sum(axis=1) for group in groups])
    if pooled.shape[0] < 2 or pooled.shape[1] < 2:
        raise SettingError("homogeneity needs at least two runs and two cells that are not empty")
    return pooled
