"""Tests and intervals, each with an effect size next to its p-value.

scipy and statsmodels do the arithmetic; they take a second or two to load, so they are imported by
the functions that need them. This module gives each question of the studies one function and one
type of answer. The error rate of every test and the coverage of every interval are checked by
simulation in the test suite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.errors import SettingError

LEVEL: Final = 0.95
"""Coverage of the intervals."""

FEWEST_DEALS: Final = 300
"""Paired deals below which tests and intervals of a mean are too optimistic if most differences are
0: at 5%, 3% to 9% of true nulls were rejected at 100 deals, 3% to 6% at 300 (docs/explanation/
arena.md)."""
_LARGE: Final = 2000
"""Paired deals beyond which Student's t is used instead of the bootstrap."""
_RESAMPLES: Final = 9999
_SMALLEST_EXPECTED: Final = 5.0
_BLOCK: Final = 750_000
"""Bootstrap draws per block."""
_BLOCKS: Final = 64
"""Blocks kept for the next bootstrap of as many rows: more than any test here draws, 96 MB."""
_MOST_NEEDED: Final = 10**9
_NO_SPREAD: Final = 1e-12
"""The variance that rounding leaves in a resample of equal values."""


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

    estimate: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def homogeneity(counts: ArrayLike) -> Test:
    """Whether runs (rows) share one distribution over cells (columns): chi-square, Cramér's V.

    Cells that are empty in all runs are left out; cells too small for chi-square are pooled.
    """
    from scipy import stats as sps

    table = _pool_columns(np.asarray(counts, dtype=float))
    result = sps.chi2_contingency(table, correction=False)
    smaller = min(table.shape) - 1
    size = float(np.sqrt(result.statistic / (table.sum() * smaller)))
    return Test(
        "chi-square of homogeneity",
        float(result.statistic),
        int(result.dof),
        float(result.pvalue),
        "Cramér's V",
        size,
    )


def fit(counts: ArrayLike, probabilities: ArrayLike) -> Test:
    """Whether counts come from known probabilities: chi-square, Cohen's w.

    Cells with an expected count below five are pooled. A count in a cell of probability 0 is a
    contradiction: p is 0.
    """
    from scipy import stats as sps

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
    result = sps.chisquare(seen, want * (seen.sum() / want.sum()))
    size = float(np.sqrt(result.statistic / total))
    return Test(
        "chi-square of fit",
        float(result.statistic),
        len(groups) - 1,
        float(result.pvalue),
        "Cohen's w",
        size,
    )


def two_proportions(hits: Sequence[int], totals: Sequence[int]) -> tuple[Test, Interval]:
    """Whether two proportions differ: pooled z, Cohen's h; the difference by Newcombe."""
    from statsmodels.stats.proportion import (
        confint_proportions_2indep,
        proportion_effectsize,
        proportions_ztest,
    )

    (a, b), (m, n) = hits, totals
    if a + b in (0, m + n):  # nothing varies: no evidence of a difference
        statistic, p = 0.0, 1.0
    else:
        statistic, p = proportions_ztest([a, b], [m, n])
    low, high = confint_proportions_2indep(
        a, m, b, n, compare="diff", method="newcomb", alpha=1 - LEVEL
    )
    size = float(proportion_effectsize(a / m, b / n))
    test = Test("two proportions", float(statistic), None, float(p), "Cohen's h", size)
    return test, Interval(a / m - b / n, float(low), float(high))


def proportion(hits: int, total: int) -> Interval:
    """A proportion with Wilson's interval."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, total, alpha=1 - LEVEL, method="wilson")
    return Interval(hits / total, float(low), float(high))


def trend(hits: Sequence[int], totals: Sequence[int], scores: Sequence[float]) -> Test:
    """Whether proportions rise with scores: Cochran-Armitage, and the slope per unit of score."""
    from statsmodels.stats.contingency_tables import Table

    good = np.asarray(hits, dtype=float)
    all_ = np.asarray(totals, dtype=float)
    table = Table(np.column_stack([all_ - good, good]), shift_zeros=False)
    result = table.test_ordinal_association(
        row_scores=np.asarray(scores, dtype=float), col_scores=np.array([0.0, 1.0])
    )
    x = np.asarray(scores, dtype=float)
    mean = (all_ * x).sum() / all_.sum()
    rate = good.sum() / all_.sum()
    slope = ((x - mean) * (good - all_ * rate)).sum() / (all_ * (x - mean) ** 2).sum()
    return Test(
        "Cochran-Armitage trend",
        float(result.zscore),
        None,
        float(result.pvalue),
        "slope",
        float(slope),
    )


def bootstrap_mean(
    values: ArrayLike, counts: ArrayLike, seed: int, *, resamples: int = 2000
) -> Interval:
    """The mean of values that occurred `counts` times each, with a percentile bootstrap interval.

    Resampling all observations means redrawing the counts, so a table of ten million deals costs no
    more than a table of ten.
    """
    points, times = np.asarray(values, dtype=float), np.asarray(counts, dtype=np.int64)
    total = int(times.sum())
    if not total:
        raise SettingError("a bootstrap needs at least one observation")
    draws = np.random.default_rng(seed).multinomial(total, times / total, size=resamples)
    means = draws @ points / total
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(times @ points / total), float(low), float(high))


Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def bootstrap(
    sums: ArrayLike, statistic: Statistic, seed: int, *, resamples: int = 2000
) -> Interval:
    """A statistic of column sums with a percentile bootstrap interval, drawing whole rows.

    A row is what one deal adds: observations of the same deal stay together, so dependent
    observations do not count as more evidence than they are. `statistic` takes an array
    (resamples, columns) of sums and returns one number for each.
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


def clustered_proportion(hits: ArrayLike, totals: ArrayLike) -> Interval:
    """A proportion over clustered observations, with Wilson's interval.

    The number of observations is divided by the design effect (how much more the proportion varies
    between groups than independent observations would), if that is above 1.
    """
    from scipy import stats as sps

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
    size = total / effect
    z = float(sps.norm.ppf(0.5 + LEVEL / 2))
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    # At 0 and 1 rounding could leave the estimate just outside.
    return Interval(float(p), float(min(p, middle - half)), float(max(p, middle + half)))


def paired(differences: ArrayLike) -> Test:
    """Whether paired differences have mean 0: symmetric studentised bootstrap, Cohen's d.

    Student's t rejects too often if few differences are nonzero and these are skewed. So its
    distribution is taken from the data: the t of each resample about the mean of the sample,
    without its sign (P. Hall, "On symmetric bootstrap confidence intervals", Journal of the Royal
    Statistical Society B 50, 1988). A p-value is at least 1 in 10,000. Beyond 2,000 differences
    Student's own distribution is used.
    """
    return paired_each([differences])[0]


def paired_each(samples: Sequence[ArrayLike]) -> list[Test]:
    """`paired` for samples of one length: they share one drawing, which takes nearly all the time.

    Examples:
        >>> [test.p for test in paired_each([[1, 2, 3, 4, 5], [1, -2, 3, -4, 5]])]
        [0.0222, 0.7078]
    """
    columns = np.array(samples, dtype=float)
    count = columns.shape[-1]
    if count < 2:
        raise SettingError("a paired test needs at least two differences")
    errors = np.array([_standard_error(values) for values in columns])
    drawn = iter(_resampled_t(columns[errors > 0]) if count <= _LARGE else ())
    tests = []
    for mean, error in zip(columns.mean(axis=1).tolist(), errors.tolist(), strict=True):
        if not error:
            t, size = (np.copysign(np.inf, mean),) * 2 if mean else (0.0, 0.0)
            p = max(0.5 ** (count - 1), 1 / (_RESAMPLES + 1)) if mean else 1.0
        else:
            t, size = mean / error, mean / error / np.sqrt(count)
            if count > _LARGE:
                from scipy import stats as sps

                p = float(2 * sps.t.sf(abs(t), count - 1))
            else:
                p = float(1 + (next(drawn) >= abs(t)).sum()) / (_RESAMPLES + 1)
        tests.append(
            Test("studentised bootstrap", float(t), count - 1, p, "Cohen's d", float(size))
        )
    return tests


def mean_interval(values: ArrayLike) -> Interval:
    """A mean with the interval that matches `paired`; infinite if too few values differ."""
    numbers = np.asarray(values, dtype=float)
    count, mean = len(numbers), float(numbers.mean())
    if count < 2:
        return Interval(mean, -np.inf, np.inf)
    error = _standard_error(numbers)
    if not error:
        return Interval(mean, mean, mean)
    if count > _LARGE:
        from scipy import stats as sps

        most = float(sps.t.ppf(0.5 + LEVEL / 2, count - 1))
    else:
        most = float(np.sort(_resampled_t(numbers[None])[0])[round(LEVEL * (_RESAMPLES + 1)) - 1])
    return Interval(mean, mean - most * error, mean + most * error)


def _standard_error(values: NDArray[np.float64]) -> float:
    """The standard error of a mean; 0 if only rounding varies."""
    spread = float(values.std(ddof=1))
    return spread / np.sqrt(len(values)) if spread > _NO_SPREAD * np.abs(values).max() else 0.0


def _resampled_t(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The t of resamples about the mean of each sample, without sign: (samples, resamples).

    It is infinite where a resample has no spread.
    """
    samples, count = columns.shape
    centred = ((columns - columns.mean(axis=1, keepdims=True)) / columns.std(axis=1)[:, None]).T

    def without_sign(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        means = sums[:, :samples] / count
        spread = np.maximum(sums[:, samples:] / count - means**2, 0.0)
        spread[spread < _NO_SPREAD] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(means) / np.sqrt(spread / (count - 1))
        return np.where(np.isnan(t), 0.0, t)

    return _resampled(np.hstack([centred, centred**2]), without_sign, 1, _RESAMPLES).T


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number by Holm's method."""
    count, corrected, least = len(p_values), list(p_values), 0.0
    for rank, at in enumerate(sorted(range(count), key=p_values.__getitem__)):
        least = max(least, (count - rank) * p_values[at])
        corrected[at] = min(1.0, float(least))
    return corrected


def power(difference: float, sd: float, deals: int, alpha: float = 0.05) -> float:
    """The chance that a paired t-test on `deals` deals detects a mean difference."""
    from scipy import stats as sps

    _check_design(difference, sd, alpha)
    if deals < 2:
        raise SettingError(f"a paired test needs at least two deals, not {deals}")
    bound = sps.t.isf(alpha / 2, deals - 1)
    shift = abs(difference) / sd * np.sqrt(deals)
    # The other tail is negligible, and NaN where it is too small to compute.
    other = np.nan_to_num(sps.nct.cdf(-bound, deals - 1, shift))
    return float(sps.nct.sf(bound, deals - 1, shift) + other)


def deals_needed(
    difference: float, sd: float, alpha: float = 0.05, power_wanted: float = 0.9
) -> int:
    """The smallest number of paired deals that detects a mean difference with that power.

    >>> deals_needed(5, 50, alpha=0.001, power_wanted=0.95)
    2442
    """
    _check_design(difference, sd, alpha)
    if not alpha < power_wanted < 1:
        raise SettingError(f"the power must be between alpha and 1, not {power_wanted:g}")
    high = 4
    while power(difference, sd, high, alpha) < power_wanted:
        high *= 2
        if high > _MOST_NEEDED:
            raise SettingError(
                f"a difference of {difference:g} at a spread of {sd:g} needs more than "
                f"{_MOST_NEEDED:,} deals"
            )
    low = 1  # one deal never suffices
    while high - low > 1:
        middle = (low + high) // 2
        if power(difference, sd, middle, alpha) < power_wanted:
            low = middle
        else:
            high = middle
    return high


def _check_design(difference: float, sd: float, alpha: float) -> None:
    if not difference or not np.isfinite(difference):
        raise SettingError(f"the difference must be a number other than 0, not {difference:g}")
    if not 0 < sd < float("inf"):
        raise SettingError(f"the standard deviation must be greater than 0, not {sd:g}")
    if not 0 < alpha < 1:
        raise SettingError(f"the error rate must be between 0 and 1, not {alpha:g}")


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
