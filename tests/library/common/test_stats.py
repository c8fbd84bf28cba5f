"""Each test rejects about 5 % of true nulls, each interval covers about 95 % of truths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
import pytest
from scipy import stats as sps

from tribridge.common import stats
from tribridge.common.errors import SettingError

TRIALS = 1000
SHARES = np.array([0.145, 0.576, 0.001, 0.1, 0.128, 0.05])


def rate_of(reject: Callable[[np.random.Generator], bool], trials: int = TRIALS) -> float:
    rng = np.random.default_rng(12345)
    return sum(reject(rng) for _ in range(trials)) / trials


def near_five_percent(rate: float, trials: int = TRIALS) -> bool:
    return abs(rate - 0.05) < 4 * sqrt(0.05 * 0.95 / trials)


@pytest.mark.slow
def test_homogeneity_rejects_five_percent_of_true_nulls() -> None:
    def reject(rng: np.random.Generator) -> bool:
        return stats.homogeneity(rng.multinomial(1000, SHARES, size=3)).p < 0.05

    assert near_five_percent(rate_of(reject))


@pytest.mark.slow
def test_fit_rejects_five_percent_of_true_nulls() -> None:
    def reject(rng: np.random.Generator) -> bool:
        return stats.fit(rng.multinomial(1000, SHARES), SHARES).p < 0.05

    assert near_five_percent(rate_of(reject))


@pytest.mark.slow
def test_two_proportions_reject_five_percent_and_newcombe_covers() -> None:
    def outcome(rng: np.random.Generator) -> tuple[bool, bool]:
        hits = [int(k) for k in rng.binomial([300, 500], 0.3)]
        test, difference = stats.two_proportions(hits, [300, 500])
        return test.p < 0.05, 0 not in difference

    rng = np.random.default_rng(1)
    outcomes = np.array([outcome(rng) for _ in range(TRIALS)])
    assert near_five_percent(outcomes[:, 0].mean())
    assert near_five_percent(outcomes[:, 1].mean())


@pytest.mark.slow
def test_wilson_covers_the_truth() -> None:
    assert near_five_percent(
        rate_of(lambda rng: 0.2 not in stats.proportion(int(rng.binomial(400, 0.2)), 400))
    )


def test_real_differences_are_found_with_their_size() -> None:
    a, b = np.array([500, 500]), np.array([600, 400])
    homogeneous = stats.homogeneity([a, b])
    assert homogeneous.p < 1e-4
    assert homogeneous.size == pytest.approx(0.1005, abs=1e-3)
    test, difference = stats.two_proportions([500, 600], [1000, 1000])
    assert test.p < 1e-4
    assert difference.estimate == pytest.approx(-0.1)
    assert difference.low < -0.1 < difference.high < 0
    assert stats.homogeneity([a, a]).dispersion == 0


def test_formulas_agree_with_other_packages() -> None:
    from statsmodels.stats import multitest, proportion

    rng = np.random.default_rng(2)
    for _ in range(5):
        table = rng.multinomial(1000, SHARES, size=3)
        ours = stats.homogeneity(table[:, SHARES > 0.01])
        theirs = sps.chi2_contingency(table[:, SHARES > 0.01], correction=False)
        assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
        assert ours.df == theirs.dof
        flat = rng.multinomial(500, [0.25] * 4)
        fit, expected = stats.fit(flat, [0.25] * 4), sps.chisquare(flat)
        assert (fit.statistic, fit.p) == pytest.approx((expected.statistic, expected.pvalue))

        totals = [int(n) for n in rng.integers(20, 500, 4)]
        hits = [int(k) for k in rng.binomial(totals, 0.3)]
        (a, b, *_), (m, n, *_) = hits, totals
        test, difference = stats.two_proportions([a, b], [m, n])
        assert test.size == pytest.approx(proportion.proportion_effectsize(a / m, b / n))
        assert (difference.low, difference.high) == pytest.approx(
            proportion.confint_proportions_2indep(a, m, b, n, compare="diff", method="newcomb")
        )
        wilson = stats.proportion(a, m)
        assert (wilson.low, wilson.high) == pytest.approx(
            proportion.proportion_confint(a, m, method="wilson")
        )
        p_values = (rng.random(7) ** 3).tolist()
        assert stats.holm(p_values) == pytest.approx(
            multitest.multipletests(p_values, method="holm")[1]
        )
        points = rng.random((9, 2))
        line = sps.linregress(*points.T)
        half = sps.t.ppf(0.975, 7) * line.stderr
        ours_line = stats.slope([(x, y) for x, y in points])
        assert (ours_line.estimate, ours_line.low, ours_line.high) == pytest.approx(
            (line.slope, line.slope - half, line.slope + half)
        )
    long = rng.normal(0.05, 1, 3000)
    test, student = stats.paired(long), sps.ttest_1samp(long, 0)
    assert (test.statistic, test.df) == pytest.approx((student.statistic, student.df))
    ends, mean = student.confidence_interval(), stats.mean_interval(long)
    assert 1 < (mean.high - mean.low) / (ends.high - ends.low) < 1.15


def test_an_interval_turns_and_moves_with_its_estimate() -> None:
    span = stats.Interval(1.0, -1.0, 4.0)
    assert -span == stats.Interval(-1.0, -4.0, 1.0)
    assert span - 2 == stats.Interval(-1.0, -3.0, 2.0)


def test_holm_multiplies_from_the_smallest() -> None:
    assert stats.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert stats.holm([]) == []
    assert stats.holm([0.01, np.nan, 0.04]) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert stats.holm([0.6, 0.4]) == [0.8, 0.8]
    assert stats.holm([0.7, 0.6]) == [1.0, 1.0]


def test_impossible_counts_contradict_a_distribution() -> None:
    assert stats.fit([5, 5, 1], [0.5, 0.5, 0.0]).p == 0
    assert stats.fit([5, 5, 0], [0.5, 0.5, 0.0]).p == pytest.approx(1)
    with pytest.raises(SettingError, match="adding up to 1"):
        stats.fit([5, 5], [0.5, 0.4])
    with pytest.raises(SettingError, match="at least two"):
        stats.homogeneity([[5, 5]])


def test_nothing_varies_nothing_is_found() -> None:
    assert stats.two_proportions([0, 0], [10, 20])[0].p == 1
    assert stats.z_score(5, 10, 0.5) == 0
    assert stats.z_score(0, 10, 0.0) == 0


def grouped(rng: np.random.Generator, groups: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Hits and totals of groups of three that hang together: each group has its own chance."""
    totals = np.full(groups, 3)
    return rng.binomial(totals, rng.beta(1.2, 2.8, groups)), totals


@pytest.mark.slow
def test_intervals_over_groups_cover_where_the_plain_one_does_not() -> None:
    rng = np.random.default_rng(7)
    missed = np.zeros(3)
    for trial in range(600):
        hits, totals = grouped(rng)
        missed += [
            0.3 not in stats.clustered_proportion(hits, totals),
            0.3
            not in stats.bootstrap(
                np.column_stack([hits, totals]), stats.ratio, trial % 3, resamples=500
            ),
            0.3 not in stats.proportion(int(hits.sum()), int(totals.sum())),
        ]
    rates = missed / 600
    assert 0.02 < rates[0] < 0.085
    assert 0.02 < rates[1] < 0.09
    assert rates[2] > 0.09  # three of a group taken for three of their own


def test_a_proportion_of_groups_of_one_is_wilsons() -> None:
    one = stats.clustered_proportion([1] * 30 + [0] * 70, [1] * 100)
    plain = stats.proportion(30, 100)
    assert one.estimate == plain.estimate
    assert (one.low, one.high) == pytest.approx((plain.low, plain.high), abs=1e-3)
    assert stats.clustered_proportion([0, 0], [1, 1]).low == pytest.approx(0)


@pytest.mark.slow
def test_paired_rejects_five_percent_and_finds_a_shift() -> None:
    def reject(rng: np.random.Generator) -> bool:
        return stats.paired(rng.normal(0, 2, 1000)).p < 0.05

    assert rate_of(reject, 300) < 0.07
    found = stats.paired(np.random.default_rng(1).normal(1, 2, 4000))
    assert found.p < 1e-9
    assert found.size == pytest.approx(0.5, abs=0.05)
    assert stats.paired([0.0] * 100).p == 1
    assert stats.paired([0.1] * 100).p < 1e-9


@pytest.mark.parametrize("count", [1752, 1761, 1770])
def test_p_is_never_below_0_however_clear_a_difference_is(count: int) -> None:
    higher = int(0.7 * count)
    assert 0 <= stats.paired([-1] * (count - higher) + [5] * higher).p < 1e-300


def test_paired_holds_where_differences_are_skewed() -> None:
    rng = np.random.default_rng(7)
    samples = rng.choice([0.0, -10.0, 90.0], (600, 100), p=[0.5, 0.45, 0.05])
    student = np.mean(sps.ttest_1samp(samples, 0.0, axis=1).pvalue <= 0.05)
    found = np.mean([test.p <= 0.05 for test in map(stats.paired, samples)])
    assert found < 0.065 < student


def slow_paired(values: np.ndarray) -> float:
    """The p-value of `paired` by drawing weights, with one value more at twice the distance."""
    away = 2 * np.abs(values - values.mean()).max() * np.sign(values.mean())
    weights = np.random.default_rng(1).exponential(size=(40_000, len(values) + 1))
    sums = weights @ np.append(values, values.mean() - away)
    return float(min(1.0, 2 * np.mean(sums * away <= 0)))


def test_the_p_value_is_that_of_random_weights() -> None:
    rng = np.random.default_rng(5)
    for values in (
        rng.normal(0.3, 1, 150),
        rng.choice([0.0, -10.0, 90.0], 150, p=[0.5, 0.45, 0.05]),
        np.repeat([0.0, 5.0], [140, 10]),
    ):
        assert stats.paired(values).p == pytest.approx(slow_paired(values), rel=0.2, abs=1e-3)


def test_several_ratios_have_the_intervals_of_each() -> None:
    rng = np.random.default_rng(6)
    counts = rng.integers(0, 4, 300)
    gaps = [counts * rng.normal(0.5, 1, 300), counts * rng.normal(0, 3, 300)]
    found = stats.bootstrap_each(np.column_stack([*gaps, counts]), stats.ratios, 2)
    for interval, gap in zip(found, gaps, strict=True):
        alone = stats.bootstrap(np.column_stack([gap, counts]), stats.ratio, 2)
        ends = [(one.estimate, one.low, one.high) for one in (interval, alone)]
        assert ends[0] == pytest.approx(ends[1])


def test_a_bootstrap_of_fewer_than_100_deals_that_add_anything_has_no_interval() -> None:
    sums = np.column_stack([np.arange(120) % 7, np.ones(120)])
    assert np.isfinite(stats.bootstrap(sums, stats.ratio, 1).high)
    sums[99:] = 0
    found = stats.bootstrap(sums, stats.ratio, 1)
    assert (found.estimate, found.low, found.high) == (294 / 99, -np.inf, np.inf)


@pytest.mark.parametrize(
    ("hits", "totals"),
    [((30, 80), (300, 500)), ((9, 20), (90, 110)), ((0, 7), (60, 60)), ((99, 100), (100, 100))],
)
def test_interval_and_test_of_two_proportions_are_one_method(
    hits: tuple[int, int], totals: tuple[int, int]
) -> None:
    """With p as its error, the interval of other packages reaches just to 0."""
    from statsmodels.stats import proportion

    test, _ = stats.two_proportions(hits, totals)
    (a, b), (m, n) = hits, totals
    ends = proportion.confint_proportions_2indep(
        a, m, b, n, compare="diff", method="newcomb", alpha=test.p
    )
    assert min(abs(end) for end in ends) == pytest.approx(0, abs=1e-9)


def test_far_proportions_have_a_test() -> None:
    test, _ = stats.two_proportions([6_000_000, 5_000_000], [10**7, 10**7])
    assert 100 < test.statistic < 1000
    assert test.p == 0


@pytest.mark.slow
def test_a_mean_over_groups_is_tested_and_covered_by_one_method() -> None:
    def outcome(rng: np.random.Generator) -> tuple[bool, bool]:
        counts = rng.integers(0, 4, 300)
        sums = np.array([n * rng.normal() + rng.normal(0, 1, n).sum() for n in counts])
        values = stats.per_count(sums, counts)
        assert values.mean() == pytest.approx(sums.sum() / counts.sum())
        return stats.paired(values).p < 0.05, 0 not in stats.mean_interval(values)

    rng = np.random.default_rng(3)
    outcomes = np.array([outcome(rng) for _ in range(100)])
    assert (outcomes[:, 0] == outcomes[:, 1]).all()
    assert outcomes[:, 0].mean() < 0.08
    shifted = stats.per_count([3, 4, 5] * 100, [1, 2, 3] * 100)
    assert stats.paired(shifted).p < 0.001


def test_a_mean_over_nothing_is_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        stats.per_count([0, 0], [0, 0])


def test_interval_and_test_of_a_mean_agree() -> None:
    values = np.random.default_rng(3).normal(0.2, 1, 100)
    found = stats.mean_interval(values)
    assert found.estimate == pytest.approx(values.mean())
    for shift in np.linspace(found.low - 0.1, found.high + 0.1, 21):
        assert (stats.paired(values - shift).p > 0.05) == (shift in found)


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0], [0.0, 0.0, 0.0, 5.0], range(99)])
def test_too_few_values_have_no_interval_and_no_test(values: Sequence[float]) -> None:
    assert stats.mean_interval(values) == stats.Interval(float(np.mean(values)), -np.inf, np.inf)
    if len(values) > 1:
        assert np.isnan(stats.paired(values).p)


def test_equal_values_have_no_interval_of_width_zero() -> None:
    for value in (0.0, 0.1, -7.0):
        for count in (2, 50, 100, 1000):
            known = stats.mean_interval([value] * count, bound=13)
            assert known.low < value < known.high
            assert stats.mean_interval([value] * count).high > value
    zeros = stats.mean_interval([0.0] * 300, bound=13)  # 1 - 0.025 ** (1 / 300) of the bound
    assert (zeros.low, zeros.high) == pytest.approx((-0.159, 0.159), abs=1e-3)
    assert stats.mean_interval([13.0] * 300, bound=13).high == 13


@pytest.mark.slow
@pytest.mark.parametrize("deals", [100, 300])
def test_intervals_and_tests_of_skewed_scores_hold(deals: int) -> None:
    """A mean that hangs on a swing in 200 deals: the bootstrap missed it in 10% and more."""
    random = np.random.default_rng(3)
    scores = np.repeat([0.0, -10.0, 30.0, 150.0], [163, 27, 9, 1])
    samples = random.choice(scores - scores.mean(), (1000, deals))
    p = np.array([stats.paired(one).p for one in samples])
    assert np.mean(p <= 0.05) < 0.07
    families = p.reshape(-1, 5)
    assert np.mean([min(stats.holm(family.tolist())) <= 0.05 for family in families]) < 0.09


def test_groups_of_nothing_are_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        stats.bootstrap(np.zeros((0, 2)), stats.ratio, 1)
    with pytest.raises(SettingError, match="at least one"):
        stats.clustered_proportion([0], [0])
    with pytest.raises(SettingError, match="at least two"):
        stats.paired([1.0])


def test_an_interval_is_written_in_the_format_of_a_number() -> None:
    assert f"{stats.Interval(0.5, -0.126, 1):+.2f}" == "+0.50 [-0.13, +1.00]"
    assert f"{stats.Interval(1, 0, 2)}" == str(stats.Interval(1, 0, 2))
    assert f"{stats.mean_interval([1, 2]):.1f}".startswith("1.5 [too few")


def test_the_mean_of_chosen_values_has_an_interval_over_rows() -> None:
    values = np.arange(300.0).reshape(100, 3)
    chosen = values % 2 == 0
    mean = stats.chosen_mean(values, chosen, 1)
    assert mean.estimate == values[chosen].mean()
    assert mean.low < mean.estimate < mean.high
    alone = np.zeros_like(chosen)
    alone[7, 1] = True
    assert stats.chosen_mean(values, alone, 1).estimate == values[7, 1]
