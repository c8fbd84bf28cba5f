"""Study 3: what the second hand decides, by the result of Algorithm 1.

If Algorithm 1 qualifies a hand, only the second hand can fail it in Algorithm 2: the dummy's cards
can only lower a suit's leading gap, so Condition A still holds and the first hand still has more
cards than the gap in each suit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Final

from tribridge.capture import NATURAL, READINGS, Conditions, exact
from tribridge.common import stats
from tribridge.common.tables import EXACT, EXACT_PERCENT, Column, share_of
from tribridge.lab.studies.claims import ALPHA, Claim, Each, claim, p_text, under_readings
from tribridge.lab.studies.drawing import Drawing, name_axes, new_figure, thousands, write
from tribridge.lab.studies.hands import Pairs, sample
from tribridge.lab.studies.published import (
    Comparison,
    compare_share,
    judge_readings,
    published_table,
)
from tribridge.lab.studies.study import Figure, Runner, Study

LEVELS: Final = (7, 8, 9, 10)
"""Algorithm 1's results in the published table."""


@dataclass(frozen=True, slots=True)
class Level:
    """What the second hand decides, by the result of Algorithm 1.

    Ours: {deals:,} deals. Only the second hand can fail a hand that qualifies alone.
    """

    result: Annotated[int, "Algorithm 1"]
    published: Annotated[int | None, "published satisfied", EXACT]
    published_good: Annotated[int | None, "published A2 satisfied", EXACT]
    published_rate: Annotated[float | None, "published success %", EXACT_PERCENT]
    ours: Annotated[int, "ours satisfied"]
    ours_good: Annotated[int, "ours A2 satisfied"]
    our_rate: Annotated[float | None, Column("ours success %", "%", of="ours satisfied")]
    share: Annotated[float, "exact satisfied %", EXACT_PERCENT]
    success: Annotated[float, "exact success %", EXACT_PERCENT]
    others: Annotated[int, "failed by Condition A or the first hand"]


@dataclass(frozen=True, slots=True)
class Result:
    """The levels of the sample, and what is exact about them under each reading."""

    deals: int
    levels: Annotated[tuple[Level, ...], "second-hand"]
    comparisons: tuple[Comparison, ...]
    success: Mapping[int, Fraction]
    """By result of Algorithm 1, how often Algorithm 2 qualifies."""
    rejected: Mapping[str, Fraction]
    """By reading, the share of the hands with 7 captures or more that fail with their dummy."""
    distances: Mapping[str, float]
    """By reading, the largest distance (z) of the published counts."""
    fits: Mapping[str, stats.Test]
    """By reading, whether the published counts have the exact proportions."""
    second_alone: Mapping[str, bool]
    """By reading, whether only the second hand can fail a hand that qualifies alone."""


def run(deals: int, seed: int, runner: Runner) -> Result:
    """For each result of Algorithm 1, how often Algorithm 2 qualifies, and who failed."""
    pairs = sample(seed, deals, progress=runner.progress)
    joints = {name: exact.joint(reading=reading, cache=True) for name, reading in READINGS.items()}
    joint = joints[NATURAL.name]
    levels = tuple(_levels(pairs, joint))
    qualified = sorted(n for n in joint.firsts if isinstance(n, int) and n >= 7)
    return Result(
        deals,
        levels,
        tuple(_comparisons(levels, joints, deals)),
        {number: joint.success(number) for number in qualified},
        {name: _rejected(joint) for name, joint in joints.items()},
        *published_counts(),
        # With c1 = gap the first hand itself fails Condition B of Algorithm 2, if the dummy closes
        # nothing of the gap.
        {name: READINGS[name].strict for name in joints},
    )


def _frequency(joint: exact.Joint, level: int) -> Fraction:
    """How often Algorithm 1 has a result."""
    return Fraction(joint.firsts[level], joint.total)


def _levels(pairs: Pairs, joint: exact.Joint) -> Iterator[Level]:
    figures = published_table("second hand")
    for level in (number for number in range(4, 14) if joint.firsts.get(number)):
        mine = {two: n for (first, two), n in pairs.items() if first == level}
        ours, good = sum(mine.values()), sum(n for two, n in mine.items() if isinstance(two, int))
        asked, passed, rate = (
            figures.get((str(level), name))
            for name in ("A1 satisfied", "A2 satisfied", "success rate")
        )
        yield Level(
            level,
            None if asked is None else int(asked.value),
            None if passed is None else int(passed.value),
            None if rate is None else float(rate.value),
            ours,
            good,
            share_of(good, ours),
            float(100 * _frequency(joint, level)),
            float(100 * joint.success(level)),
            joint.outcomes.get((level, Conditions.A_FAILS), 0),
        )


def _comparisons(
    levels: Iterable[Level], joints: Mapping[str, exact.Joint], deals: int
) -> Iterator[Comparison]:
    figures = published_table("second hand")
    for row in levels:
        if row.result in LEVELS:
            asked, rate = (
                figures[str(row.result), name] for name in ("A1 satisfied", "success rate")
            )
            rate = replace(rate, sample=int(asked.value))
            expected = row.ours * asked.sample / deals
            for figure, ours, unit, share in (
                (asked, expected, asked.sample, _frequency),
                (rate, row.our_rate, 100, exact.Joint.success),
            ):
                compared = {
                    name: compare_share(figure, share(joint, row.result), ours, unit=unit)
                    for name, joint in joints.items()
                }
                verdict = judge_readings({name: c.z or 0.0 for name, c in compared.items()})
                yield replace(compared[NATURAL.name], verdict=verdict)


def published_counts() -> tuple[dict[str, float], dict[str, stats.Test]]:
    """The published counts of Algorithm 1's results beside the exact ones, by reading.

    The largest deviation (z), and whether they have the exact proportions: if not, they fit no
    sample size.
    """
    table = published_table("second hand")
    figures = [table[str(level), "A1 satisfied"] for level in LEVELS]
    counts = [int(figure.value) for figure in figures]
    distances, fits = {}, {}
    for name, reading in READINGS.items():
        truth = exact.algorithm1(reading=reading, cache=True)
        known = [truth.captures[level] for level in LEVELS]
        distances[name] = max(
            (
                stats.z_score(count, figure.sample, number / truth.total)
                for count, figure, number in zip(counts, figures, known, strict=True)
            ),
            key=abs,
        )
        fits[name] = stats.fit(counts, [number / sum(known) for number in known])
    return distances, fits


def _rejected(joint: exact.Joint) -> Fraction:
    """The share of the hands with 7 captures or more that fail with their dummy."""
    able = [level for level in joint.firsts if isinstance(level, int) and level >= 7]
    failures = sum(
        n
        for (first, second), n in joint.outcomes.items()
        if first in able and second != Conditions.BOTH_HOLD
    )
    return Fraction(failures, sum(joint.firsts[level] for level in able))


def claims(result: Result) -> list[Claim]:
    """What the paper says about the second hand."""
    shares = Each({name: 100 * float(share) for name, share in result.rejected.items()})
    return [
        claim(
            "second-hand.rejected",
            under_readings({name: 25 <= share <= 28 for name, share in shares.items()}),
            shares=shares,
            failed=", ".join(f"{float(1 - result.success[n]):.1%} at {n}" for n in LEVELS),
        ),
        claim("second-hand.second-hand-alone", under_readings(result.second_alone)),
        claim(
            "second-hand.counts",
            lambda limit: under_readings({n: abs(z) <= limit for n, z in result.distances.items()}),
            distances=Each(result.distances),
            fits="; ".join(
                f"{name} chi-square {test.statistic:.0f} on {test.df} degrees of freedom, "
                f"{p_text(test.p)}"
                for name, test in result.fits.items()
            ),
            no_size=". The counts fit no sample size" if fit_no_sample(result) else "",
        ),
    ]


def fit_no_sample(result: Result) -> bool:
    """Whether the published counts have other proportions than the exact ones, in any reading."""
    return all(test.p < ALPHA for test in result.fits.values())


def draw(result: Result) -> Drawing:
    """What the second hand decides.

    Hands that pass Algorithm 1, by its result: those that Algorithm 2 accepts with their dummy
    (filled) and those that fail for the second hand (hatched). The published rates (left) are close
    to ours (right), the published counts are not.
    """
    figure, panels = new_figure(9.6, 4.0, 2)
    rows = [row for row in result.levels if row.result in LEVELS]
    for axes, title, counts in (
        (panels[0], "Published, 100,000 deals",
         [(row.published or 0, row.published_good or 0) for row in rows]),
        (panels[1], f"Ours, natural reading, {result.deals:,} deals",
         [(row.ours, row.ours_good) for row in rows]),
    ):  # fmt: skip
        levels = [str(row.result) for row in rows]
        passed = [good for _, good in counts]
        failed = [whole - good for whole, good in counts]
        axes.bar(
            levels, passed, 0.6, color="#262626", edgecolor="black", label="Algorithm 2 satisfied"
        )
        axes.bar(
            levels, failed, 0.6, bottom=passed, color="white", edgecolor="black", hatch="///",
            label="failed by the second hand",
        )  # fmt: skip
        for place, (whole, good) in enumerate(counts):
            if whole:
                write(axes, f"{100 * good / whole:.1f}%", place, whole, 4)
        axes.set_ylim(0, max(whole for whole, _ in counts) * 1.14)
        name_axes(axes, title, "result of Algorithm 1", "deals")
        thousands(axes)
    panels[0].legend(loc="upper right")
    return figure


STUDY: Final = Study(
    name="second-hand",
    title="The second hand",
    order=30,
    paper=100_000,
    quick=50_000,
    run=run,
    steps=int,
    with_deals=int,
    comparisons=lambda result: result.comparisons,
    claims=claims,
    figures=(Figure("second-hand", "second-hand", draw),),
)
