"""Study 1: the outcomes of the conditions and the number of captures (Tables 1 and 2).

Algorithm 2 on pairs of hands, in three runs, beside the exact distribution over all
5,157,850,293,780,050,462,400 pairs and the published runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import Annotated, ClassVar, Final

import numpy as np

from tribridge.capture import Conditions, exact
from tribridge.capture.simulation.counts import Work
from tribridge.capture.simulation.results import CaptureResult, result_of
from tribridge.common import stats
from tribridge.common.tables import (
    EXACT,
    EXACT_PERCENT,
    P_VALUE,
    PERCENT,
    STATISTIC,
    Z_SCORE,
    Columns,
    StudyTable,
    corrected,
    tables_of,
)
from tribridge.lab.studies import drawing
from tribridge.lab.studies.claims import Claim, Each, claim, no_difference
from tribridge.lab.studies.published import (
    RUNS,
    Comparison,
    Published,
    compare_share,
    published_table,
)
from tribridge.lab.studies.study import Figure, Runner, Study, check_sample

BINS: Final = ("<=6", "7", "8", "9", "10", "11", "12", "13", ">13")
CONDITIONS: Final = "conditions"
CAPTURES: Final = "captures"
_SAMPLE: Final = 1_000_000
"""Deals of a published run."""


@dataclass(frozen=True, slots=True)
class Count:
    """One cell of a published table: the counts of the runs, theirs and ours."""

    cell: str
    published: Annotated[tuple[int, ...], "published {}", EXACT]
    ours: Annotated[tuple[int, ...], "ours {}"]
    published_share: Annotated[float, "published %", EXACT_PERCENT]
    exact_share: Annotated[float, "exact %", EXACT_PERCENT]
    our_share: Annotated[float, "ours %", replace(PERCENT, digits=3)]
    published_z: Annotated[float, "z published", Z_SCORE]
    our_z: Annotated[float, "z ours", Z_SCORE]


@dataclass(frozen=True, slots=True)
class RunTest:
    """Whether the runs are alike, and fit.

    'Of expected' is the spread over what sampling predicts: 1 on average, much more if runs
    disagree, much less if they agree too well to be chance.
    """

    table: str
    source: str
    """`published` or `ours`."""
    run: int | None
    """None: all three against each other."""
    test: stats.Test
    holm: float = 1.0
    COLUMNS: ClassVar[Columns] = {
        "table": "table",
        "hypothesis": "hypothesis",
        STATISTIC.named("statistic"): "test.statistic",
        "df": "test.df",
        "of expected": "test.dispersion",
        P_VALUE.named("p"): "test.p",
        P_VALUE.named("p (Holm)"): "holm",
        "effect": "test.effect",
        STATISTIC.named("size"): "test.size",
    }

    @property
    def p(self) -> float:
        return self.test.p

    @property
    def hypothesis(self) -> str:
        if self.run is None:
            return f"{self.source}: the three runs are alike"
        return f"{self.source}: run {self.run} fits the exact distribution"


@dataclass(frozen=True, slots=True)
class Result:
    """Both tables of the paper, the exact distribution and the tests."""

    deals: int
    """Of a run."""
    exact: exact.ExactDistribution
    captures: Annotated[
        tuple[Count, ...], CAPTURES, "Table 1: captures where both conditions hold", ""
    ]
    conditions: Annotated[
        tuple[Count, ...], CONDITIONS, "Table 2: outcomes of the two conditions", ""
    ]
    tests: Annotated[tuple[RunTest, ...], "tests"]
    published_spread: float
    """The largest difference between published runs in the conditions, in percentage points."""
    wider_by_chance: float
    """How often three runs of a million differ by more than 0.1 points."""

    @property
    def counts(self) -> dict[str, tuple[Count, ...]]:
        """The counts of both tables."""
        return {CAPTURES: self.captures, CONDITIONS: self.conditions}

    def share(self, *captures: int, of_all: bool = False) -> Fraction:
        """The exact share of these numbers of captures among qualifying pairs, or all."""
        whole = self.exact.total if of_all else self.exact.both_hold
        return Fraction(sum(self.exact.captures.get(number, 0) for number in captures), whole)

    @property
    def alike(self) -> dict[str, tuple[float, float]]:
        """By table, p and p after Holm's correction of the test that published runs are alike."""
        chosen = [test for test in self.tests if test.source == "published" and test.run is None]
        return {row.table: (row.p, row.holm) for row in chosen}


def binned(captures: Mapping[int, int]) -> dict[str, int]:
    """Counts by number of captures put into the bins of Table 1."""
    counts = dict.fromkeys(BINS, 0)
    for number, count in captures.items():
        counts["<=6" if number <= 6 else ">13" if number > 13 else str(number)] += count
    return counts


def simulate(seed: int, deals: int, runner: Runner) -> CaptureResult:
    """One run of Algorithm 2 on dealt pairs."""
    result = result_of(runner.tally(Work("capture", seed), deals))
    assert isinstance(result, CaptureResult)
    return result


def run(deals: int, seed: int, runner: Runner) -> Result:
    """Three runs of `deals` deals with seeds from `seed` on, the exact counts, the published."""
    check_sample("conditions", deals, 1000)
    runs = [simulate(seed + at, deals, runner) for at in range(len(RUNS))]
    truth = exact.algorithm2(cache=True)
    ours = {
        CAPTURES: [binned(run.captures) for run in runs],
        CONDITIONS: [{o.value: n for o, n in run.outcomes.items()} for run in runs],
    }
    counts = {name: tuple(_counts(name, truth, counted, deals)) for name, counted in ours.items()}
    by_run = zip(*(row.published for row in counts[CONDITIONS]), strict=True)
    spread = max(
        abs(count - other) / 1e4
        for pair in product(list(by_run), repeat=2)
        for count, other in zip(*pair, strict=True)
    )
    return Result(
        deals,
        truth,
        counts[CAPTURES],
        counts[CONDITIONS],
        corrected(test for name, rows in counts.items() for test in _tests(name, truth, rows)),
        spread,
        _chance_of_spread(truth, 0.1),
    )


def _shares(name: str, truth: exact.ExactDistribution) -> dict[str, Fraction]:
    if name == CONDITIONS:
        return {o.value: truth.probability(o) for o in Conditions}
    return {cell: Fraction(n, truth.total) for cell, n in binned(truth.captures).items()}


def _counts(
    name: str, truth: exact.ExactDistribution, runs: list[dict[str, int]], deals: int
) -> Iterator[Count]:
    figures = published_table(name)
    for cell, share in _shares(name, truth).items():
        theirs = tuple(int(figures[run, cell].value) for run in RUNS)
        ours = tuple(run[cell] for run in runs)
        yield Count(
            cell,
            theirs,
            ours,
            100 * sum(theirs) / (3 * _SAMPLE),
            float(100 * share),
            100 * sum(ours) / (3 * deals),
            stats.z_score(sum(theirs), 3 * _SAMPLE, float(share)),
            stats.z_score(sum(ours), 3 * deals, float(share)),
        )


def _tests(name: str, truth: exact.ExactDistribution, rows: tuple[Count, ...]) -> Iterator[RunTest]:
    known = [float(share) for share in _shares(name, truth).values()]
    if name == CAPTURES:  # cells of the qualifying pairs: condition on qualifying
        known = [share / sum(known) for share in known]
    for source, counts in (
        ("published", [row.published for row in rows]),
        ("ours", [row.ours for row in rows]),
    ):
        by_run = list(zip(*counts, strict=True))
        yield RunTest(name, source, None, stats.homogeneity(by_run))
        for at, counted in enumerate(by_run, 1):
            yield RunTest(name, source, at, stats.fit(counted, known))


def _chance_of_spread(truth: exact.ExactDistribution, points: float, sets: int = 20_000) -> float:
    """How often three runs of a million differ by more than so many points, by simulation."""
    shares = [float(truth.probability(outcome)) for outcome in Conditions]
    runs = np.random.default_rng(0).multinomial(_SAMPLE, shares, size=(sets, len(RUNS)))
    spread = (runs.max(axis=1) - runs.min(axis=1)).max(axis=1) / 1e4
    return float((spread > points).mean())


def comparisons(result: Result) -> Iterator[Comparison]:
    """Every published count, and the means and percentages that follow from them."""
    for name, rows in result.counts.items():
        figures = published_table(name)
        shares = _shares(name, result.exact)
        for row in rows:
            cell, share = row.cell, shares[row.cell]
            ours = [count / result.deals for count in row.ours]
            mean = sum(ours) / len(ours)
            for run, own in zip(RUNS, ours, strict=True):
                figure = figures[run, cell]
                yield compare_share(figure, share, own * figure.sample, unit=figure.sample)
            sample = sum(figures[run, cell].sample for run in RUNS)
            total = sum((figures[run, cell].value for run in RUNS), Decimal(0))
            of_all = Published(name, "", cell, total, sample)
            for line, unit in (("mean", sample / len(RUNS)), ("percent", 100.0)):
                whole = compare_share(of_all, share, mean * unit, unit=sample)
                yield replace(
                    whole,
                    row=line,
                    published=float(figures[line, cell].value),
                    exact=float(share) * unit,
                    expected=float(share) * unit,
                    se=(whole.se or 0.0) * unit / sample,
                    follows=True,
                )


def brief(result: Result) -> Iterator[StudyTable]:
    """Tables 1 and 2 without the single runs."""
    shown = ("cell", "published %", "exact %", "ours %", "z published", "z ours")
    for table in islice(tables_of(result), 2):
        yield table.select(*shown)


def claims(result: Result) -> list[Claim]:
    """What the paper says about conditions and captures."""
    truth = result.exact
    captures = truth.captures
    counts, largest = list(captures.values()), max(captures)
    modes = sorted(sorted(captures, key=lambda number: -captures[number])[:2])
    top = counts.index(max(counts))
    unimodal = all(a < b for a, b in pairwise(counts[: top + 1])) and all(
        a > b for a, b in pairwise(counts[top:])
    )
    peaks = "one peak" if unimodal else "more than one peak"
    square, cube = (
        sum(Fraction(n, truth.both_hold) * (t - truth.mean) ** k for t, n in captures.items())
        for k in (2, 3)
    )
    skewness = float(cube) / float(square) ** 1.5
    shares = [float(truth.probability(outcome)) for outcome in Conditions]
    a_fails, b_fails, both_hold = shares
    low, middle = result.share(*range(7)), result.share(8, 9, 10, 11)
    peak, peak_all = result.share(9, 10), result.share(9, 10, of_all=True)
    paid = sum(n for value, n in truth.check.items() if value >= truth.deck.hand_size)
    resolved = Fraction(paid, truth.both_hold)

    def near(limit: float, *pairs: tuple[Fraction | float, float]) -> bool:
        return all(abs(100 * float(ours) - percent) < limit for ours, percent in pairs)

    return [
        claim("conditions.at-most-13", largest <= 13, largest=largest),
        claim("conditions.stop-test", True),
        claim("conditions.peak", modes == [9, 10], modes=modes),
        claim(
            "conditions.peak-shares",
            lambda limit: near(limit / 5, (peak_all, 18.3)) and near(limit, (peak, 65.6)),
            of_all=peak_all,
            share=peak,
        ),
        claim(
            "conditions.one-peak",
            lambda limit: unimodal and abs(skewness) < limit,
            peaks=peaks,
            skewness=skewness,
        ),
        claim(
            "conditions.few-captures",
            low < Fraction(19, 10000),
            share=low,
            of_all=result.share(*range(7), of_all=True),
        ),
        claim(
            "conditions.shares",
            lambda limit: near(limit, *zip(shares, (14.53, 57.57, 27.90), strict=True)),
            shares=shares,
        ),
        claim("conditions.spread", result.published_spread < 0.1, result=result),
        claim(
            "conditions.stable",
            no_difference(result.alike.values()),
            p=Each((name, p) for name, (p, _) in result.alike.items()),
            holm=Each((name, holm) for name, (_, holm) in result.alike.items()),
        ),
        claim("conditions.condition-b", b_fails > a_fails, a_fails=a_fails, b_fails=b_fails),
        claim("conditions.one-in-three", both_hold < 1 / 3, share=both_hold),
        claim("conditions.middle", middle > Fraction(93, 100), share=middle),
        claim("conditions.all-tricks", resolved == 1, share=resolved),
    ]


def _draw(result: Result, name: str, title: str, xlabel: str, width: float) -> drawing.Drawing:
    """Bars for our three runs and their mean, exact counts as markers, the percentage as a line."""
    figure, axes = drawing.new_figure(width, 4.2)
    rows = result.counts[name]
    runs = [[float(row.ours[at]) for row in rows] for at in range(len(RUNS))]
    mean = [sum(row.ours) / 3 for row in rows]
    places = range(len(rows))
    for at, (values, colour) in enumerate(
        zip([*runs, mean], (*drawing.RUN_COLOURS, drawing.NAVY), strict=True)
    ):
        label = f"run {at + 1}" if at < 3 else "mean"
        axes.bar([p + 0.2 * (at - 1.5) for p in places], values, 0.2, color=colour, label=label)
    exactly = [row.exact_share * result.deals / 100 for row in rows]
    drawing.exact_marks(
        axes, [p + 0.3 for p in places], exactly, markersize=5, label="exact", zorder=4
    )
    axes.set_xticks(list(places), [nice_bin(row.cell) for row in rows])
    drawing.name_axes(axes, title, xlabel, "deals")
    drawing.thousands(axes)
    other = drawing.second_axis(axes, "% of all deals", drawing.RED)
    shares = [row.our_share for row in rows]
    other.plot(
        list(places), shares, "-o", color=drawing.RED, markersize=4, linewidth=1.5, label="mean %"
    )
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    for place, share in zip(places, shares, strict=True):
        drawing.write(
            other, f"{share:.2f}%", place, share, 11, color=drawing.RED, fontweight="bold", bbox=box
        )
    top = max(mean) * 1.22
    axes.set_ylim(0, top)
    other.set_ylim(0, top * 100 / result.deals)
    handles, labels = axes.get_legend_handles_labels()
    more, names = other.get_legend_handles_labels()
    axes.legend([*handles, *more], [*labels, *names], loc="upper right", ncols=2)
    return figure


def nice_bin(cell: str) -> str:
    """The name of a bin as it is printed."""
    return cell.replace("<=", "≤ ").replace(">", "> ")


def draw_conditions(result: Result) -> drawing.Drawing:
    """Outcomes of the conditions over three runs.

    Deals by outcome in our three runs and their mean (bars), as a percentage (red) and exactly
    (diamonds): Condition B alone turns away more than half of all deals.
    """
    return _draw(result, CONDITIONS, "Outcomes of the two conditions, Algorithm 2", "", 7.2)


def draw_captures(result: Result) -> drawing.Drawing:
    """Distribution of captures over three runs.

    Deals by number of captures where both conditions hold, in our three runs and their mean (bars),
    as a percentage (red) and exactly (diamonds): one peak at 9 and 10, none above 13, and the runs
    hardly differ.
    """
    title = "Captures T where both conditions hold, Algorithm 2"
    return _draw(result, CAPTURES, title, "captures T", 9.6)


STUDY: Final = Study(
    name="conditions",
    title="Captures and conditions",
    order=10,
    paper=1_000_000,
    quick=200_000,
    run=run,
    steps=lambda deals: len(RUNS) * deals,
    describe=lambda deals: {"deals a run, conditions": deals},
    with_deals=int,
    brief=brief,
    comparisons=comparisons,
    claims=claims,
    figures=(
        Figure("conditions", CONDITIONS, draw_conditions),
        Figure("captures", CAPTURES, draw_captures),
    ),
)
