"""Study 4: the whole game: every line of the headline table under each reading and scheme.

Three bidders with Algorithm 1, the highest bid in notrump declares, the hidden hand is the dummy,
Algorithm 2 gives the tricks. The paper does not define Algorithm 1 or its two scoring schemes, so a
line that differs, differs from one *reading*: the table shows all of them.

Net points are summed in two ways: over all contracts, as the text says, and over those with an
eligible dummy, because the published totals have that size and all contracts give a loss many times
as large. The published figures are compared with the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Final

from tribridge.capture import READINGS
from tribridge.capture.simulation.counts import Work
from tribridge.capture.simulation.results import GameResult, result_of
from tribridge.common import stats
from tribridge.common.tables import (
    EXACT,
    Z_SCORE,
    Cell,
    Column,
    Hypothesis,
    StudyTable,
    corrected,
    in_percent,
    tables_of,
)
from tribridge.game import find_scheme
from tribridge.lab.studies.claims import Claim, Each, claim, no_difference, under_readings
from tribridge.lab.studies.drawing import (
    BLUE,
    ORANGE,
    Drawing,
    name_axes,
    new_figure,
    thousands,
    write,
)
from tribridge.lab.studies.published import (
    RUNS,
    Comparison,
    judge_readings,
    published_table,
)
from tribridge.lab.studies.study import Figure, Runner, Study, check_sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT: Final = "natural"
PAPER: Final = 10_000_000
"""Deals a run, as in the paper."""
QUICK: Final = 250_000
BIDDER: Final = "deals with a bidder"
WON: Final = "win rate"
BOTH: Final = "both eligible"
BOTH_WON: Final = "win rate when both eligible"
WEAK: Final = "losses with a weak dummy"
POINTS: Final = {name: f"net points, {name} scheme" for name in ("old", "new")}
"""Over all contracts."""
ELIGIBLE: Final = {name: f"{line}, eligible dummy only" for name, line in POINTS.items()}


@dataclass(frozen=True, slots=True)
class SampledValue:
    """A value, and its standard error in a sample of a given size."""

    value: float
    spread: float
    """Standard deviation of one observation, in the unit of the value."""
    size: int

    @property
    def se(self) -> float:
        return self.spread / sqrt(self.size) if self.size else float("inf")


Lines = Mapping[str, SampledValue]
"""The lines of the headline table."""


@dataclass(frozen=True, slots=True)
class Result:
    """Three runs of the whole game under each reading, added up, and the tests."""

    deals: int
    """Of a run."""
    estimates: Mapping[str, Lines]
    """By reading, over all runs."""
    runs: tuple[Lines, ...]
    """Of the default reading."""
    tests: Annotated[
        tuple[Hypothesis, ...],
        "headline-tests",
        "Tests on the headline table",
        "Differences of two proportions with Newcombe's interval, in percentage points.",
    ]
    """The first two: whether the published runs agree on bidders and on contracts made."""

    def values(self, line: str) -> Each:
        """A line under each reading."""
        return Each((reading, lines[line].value) for reading, lines in self.estimates.items())

    def distances(self, line: str) -> Each:
        """How far the published mean is from ours, in standard errors, by reading."""
        return Each((name, distance(line, ours[line])[1]) for name, ours in self.estimates.items())


def published_lines() -> dict[str, list[float]]:
    """The published headline table: the three runs of each line."""
    figures = published_table("headline")
    rows = dict.fromkeys(row for row, _ in figures)
    return {row: [float(figures[row, run].value) for run in RUNS] for row in rows if row != "deals"}


def compared_lines() -> dict[str, list[float]]:
    """The same, with the net points again beside the sum over contracts with an eligible dummy."""
    published = published_lines()
    return published | {ELIGIBLE[name]: published[line] for name, line in POINTS.items()}


def three_runs(seed: int, deals: int, runner: Runner) -> dict[str, list[GameResult]]:
    """The three runs of the whole game under each reading."""
    runs: dict[str, list[GameResult]] = {}
    for reading in READINGS:
        for at in range(len(RUNS)):
            result = result_of(runner.tally(Work("game", seed + at, reading), deals))
            assert isinstance(result, GameResult)
            runs.setdefault(reading, []).append(result)
    return runs


def add_runs(results: Sequence[GameResult]) -> GameResult:
    """Several runs as one."""
    first, *others = results
    table = first.table.copy()
    for result in others:
        table += result.table
    passed = sum(result.passed_out for result in results)
    return GameResult(sum(result.deals for result in results), table, passed)


def _share(hits: int, total: int, unit: float) -> SampledValue:
    p = hits / total if total else 0.0
    return SampledValue(hits * unit / max(total, 1), sqrt(p * (1 - p)) * unit, total)


def _mean(values: list[tuple[float, int]]) -> SampledValue:
    """Mean and spread of values with their counts."""
    total = sum(count for _, count in values)
    if not total:
        return SampledValue(0.0, 0.0, 0)
    mean = sum(value * count for value, count in values) / total
    square = sum((value - mean) ** 2 * count for value, count in values) / total
    return SampledValue(mean, sqrt(square), total)


def _total(values: list[tuple[float, int]], deals: int) -> SampledValue:
    """A sum over the deals of a run; most deals add nothing to it."""
    idle = deals - sum(count for _, count in values)
    mean = _mean([*values, (0.0, idle)])
    return SampledValue(mean.value * PAPER, mean.spread * PAPER, deals)


def lines(result: GameResult) -> dict[str, SampledValue]:
    """Every line of the headline table, for a run of ten million deals; net points in two ways."""
    every = list(result.contracts)
    both = [kind for kind in every if kind.dummy_level]
    lost = result.count(made=False)
    return {
        BIDDER: _share(result.played, result.deals, PAPER),
        "deals passed out": _share(result.passed_out, result.deals, PAPER),
        WON: _share(result.count(made=True), result.played, 100),
        WEAK: _share(result.count(made=False, both_eligible=False), lost, 100),
        BOTH: _share(result.both_eligible, result.deals, PAPER),
        BOTH_WON: _share(result.count(made=True, both_eligible=True), result.both_eligible, 100),
        "mean bidder level when both eligible": _mean([(k.level, k.count) for k in both]),
        "mean dummy level when both eligible": _mean([(k.dummy_level, k.count) for k in both]),
        **{
            line: _total(
                [(float(k.net_points(find_scheme(name))), k.count) for k in kinds], result.deals
            )
            for kinds, names in ((every, POINTS), (both, ELIGIBLE))
            for name, line in names.items()
        },
    }


def run(deals: int, seed: int, runner: Runner) -> Result:
    """Three runs of `deals` deals for each reading, and the published headline table."""
    check_sample("headline", deals, 10_000)
    runs = three_runs(seed, deals, runner)
    sums = {reading: add_runs(results) for reading, results in runs.items()}
    return Result(
        deals,
        {reading: lines(result) for reading, result in sums.items()},
        tuple(lines(result) for result in runs[DEFAULT]),
        corrected(_tests(runs, deals)),
    )


def _tests(runs: Mapping[str, list[GameResult]], deals: int) -> list[Hypothesis]:
    """Whether the runs agree, the published ones first, and whether the rates match ours."""
    published = published_lines()
    tests: list[Hypothesis] = []

    def alike(question: str, parts: Sequence[int], wholes: Sequence[int]) -> None:
        counts = [[part, whole - part] for part, whole in zip(parts, wholes, strict=True)]
        tests.append(Hypothesis(question, stats.homogeneity(counts)))

    def equal(question: str, hits: list[int], totals: list[int]) -> None:
        test, difference = stats.two_proportions(hits, totals)
        tests.append(Hypothesis(question, test, difference=in_percent(difference)))

    bidders = [round(n) for n in published[BIDDER]]
    wins = [round(n * rate / 100) for n, rate in zip(bidders, published[WON], strict=True)]
    alike("published: the runs agree on how often there is a bidder", bidders, [10_000_000] * 3)
    alike("published: the runs agree on the win rate", wins, bidders)
    for reading, results in runs.items():
        made, played = [r.count(made=True) for r in results], [r.played for r in results]
        alike(f"{reading}: the runs agree on the win rate", made, played)
        equal(
            f"{reading}: the published win rate matches ours",
            [sum(wins), sum(made)],
            [sum(bidders), sum(played)],
        )
        equal(
            f"{reading}: the published share of deals with a bidder matches ours",
            [sum(bidders), sum(played)],
            [30_000_000, 3 * deals],
        )
    return tests


def _published_size(line: str) -> int:
    """How many observations the three published runs of a line contain."""
    published = published_lines()
    if line == WON:
        return int(sum(published[BIDDER]))
    if line == WEAK:
        won = zip(published[BIDDER], published[WON], strict=True)
        return round(sum(n * (1 - rate / 100) for n, rate in won))
    if line.endswith("when both eligible"):
        return int(sum(published[BOTH]))
    return 30_000_000


def distance(line: str, ours: SampledValue) -> tuple[float, float]:
    """The standard error of the published mean, and its distance z from our estimate."""
    mean = sum(compared_lines()[line]) / 3
    se = ours.spread / sqrt(_published_size(line))
    both = sqrt(se**2 + ours.se**2)
    return se, (mean - ours.value) / both if both else float("inf")


def comparisons(result: Result) -> Iterator[Comparison]:
    """Every published line: its mean, and its runs beside ours."""
    for line, theirs in published_lines().items():
        ours = result.estimates[DEFAULT][line].value
        se, z = distance(line, result.estimates[DEFAULT][line])
        mean = Comparison(
            table="headline",
            row=line,
            column="mean",
            published=sum(theirs) / 3,
            sample=30_000_000,
            exact=None,
            expected=ours,
            simulated=ours,
            se=se,
            z=z,
            verdict=judge_readings(result.distances(line)),
            follows=True,
        )
        yield mean
        run = replace(mean, sample=10_000_000, se=se * sqrt(3), follows=False)
        for name, value, simulated in zip(RUNS, theirs, _our_runs(result, line), strict=True):
            away = (value - ours) / run.se if run.se else None
            yield replace(run, column=name, published=value, simulated=simulated, z=away)


def tables(result: Result) -> Iterator[StudyTable]:
    """The headline table, its runs and tests."""
    published = compared_lines()
    columns = [Column("line"), EXACT.named("published mean")]
    for reading in result.estimates:
        columns += [Column(reading), Z_SCORE.named(f"z {reading}")]
    rows: list[tuple[Cell, ...]] = []
    for line, theirs in published.items():
        z = result.distances(line)
        ours = [cell for name, value in result.values(line).items() for cell in (value, z[name])]
        rows.append((line, sum(theirs) / 3, *ours))
    yield StudyTable(
        "headline",
        "The headline table under each reading of Algorithm 1",
        tuple(columns),
        tuple(rows),
        f"Counts and points per run of ten million deals; ours from 3 x {result.deals:,} deals. "
        "z is the published mean's distance. Net points: the text sums over all contracts; the "
        "published totals have the size of those with an eligible dummy, so both sums are shown.",
    )
    yield StudyTable(
        "headline-runs",
        "Run by run",
        (
            Column("line"),
            *(EXACT.named(f"published {at}") for at in (1, 2, 3)),
            *(Column(f"ours {at}") for at in (1, 2, 3)),
        ),
        tuple((line, *theirs, *_our_runs(result, line)) for line, theirs in published.items()),
        f"Ours: natural reading, {result.deals:,} deals a run; counts and points for ten million.",
    )
    yield from tables_of(result)


def _our_runs(result: Result, line: str) -> list[float]:
    return [lines[line].value for lines in result.runs]


def claims(result: Result) -> list[Claim]:
    """What the paper says about its three runs."""
    published = published_lines()
    spread = {line: max(published[line]) - min(published[line]) for line in (WON, BOTH_WON)}
    totals = {name: published[line] for name, line in POINTS.items()}
    ranking = {
        name: " > ".join(map(str, sorted(range(1, 4), key=lambda at: -runs[at - 1])))
        for name, runs in totals.items()
    }
    sums = {
        how: {reading: (result.values(names["old"])[reading], result.values(names["new"])[reading])
              for reading in result.estimates}
        for how, names in (("all contracts", POINTS), ("eligible dummy", ELIGIBLE))
    }  # fmt: skip
    alike = dict(zip((BIDDER, "contracts made"), result.tests, strict=False))
    weak = result.values(WEAK)

    def both_sums(how: str) -> str:
        return "; ".join(
            f"{name} {old:,.0f} and {new:,.0f}" for name, (old, new) in sums[how].items()
        )

    def figure(key: str, line: str, of: float = 1.0) -> Claim:
        distances = result.distances(line)
        return claim(
            key,
            lambda limit: under_readings({r: abs(z) <= limit for r, z in distances.items()}),
            ours=Each({name: value / of for name, value in result.values(line).items()}),
            distances=distances,
        )

    return [
        figure("headline.bidders", BIDDER, PAPER / 100),
        figure("headline.made", WON),
        figure("headline.both-made", BOTH_WON),
        figure("headline.both-eligible", BOTH, PAPER / 100),
        claim(
            "headline.weak-dummies",
            under_readings({name: value >= 99.8 for name, value in weak.items()}),
            ours=weak,
        ),
        claim("headline.win-rates", spread[WON] < 0.2, spread=spread[WON]),
        claim("headline.win-rates-both", spread[BOTH_WON] < 0.4, spread=spread[BOTH_WON]),
        claim(
            "headline.same-range",
            no_difference((test.p, test.holm) for test in alike.values()),
            p=Each((name, test.p) for name, test in alike.items()),
            holm=Each((name, test.holm) for name, test in alike.items()),
        ),
        claim("headline.order-of-runs", ranking["old"] != ranking["new"], **ranking),
        claim(
            "headline.net-points",
            lambda limit: under_readings(
                {
                    name: all(
                        abs(result.distances(line)[name]) <= limit for line in POINTS.values()
                    )
                    for name in result.estimates
                }
            ),
            all_contracts=both_sums("all contracts"),
            eligible=both_sums("eligible dummy"),
        ),
        claim(
            "headline.new-scheme",
            under_readings(
                {
                    f"{how}, {name}": old > 0 and new > 5 * old
                    for how, by_reading in sums.items()
                    for name, (old, new) in by_reading.items()
                }
            ),
            published=sum(totals["new"]) / sum(totals["old"]),
            ratios=Each((name, new / old) for name, (old, new) in sums["eligible dummy"].items()),
            over_all=both_sums("all contracts"),
        ),
    ]


def draw(result: Result) -> Drawing:
    """Win rates, points and eligible pairs over three runs.

    The published runs on the left of each panel, ours (natural reading) on the right. The runs of
    either side lie close together; the two sides are far apart.
    """
    figure, panels = new_figure(12.6, 4.2, 3)
    places = [0.0, 1.0, 2.0, 3.5, 4.5, 5.5]
    values = {line: [*runs, *_our_runs(result, line)] for line, runs in compared_lines().items()}

    def bars(axes: Axes, lines: tuple[str, str], labels: tuple[str, str], form: str) -> None:
        looks = ((-0.2, BLUE, ""), (0.2, ORANGE, "//"))
        for line, label, (shift, colour, hatch) in zip(lines, labels, looks, strict=True):
            at = [place + shift for place in places]
            axes.bar(
                at, values[line], 0.4, color=colour, hatch=hatch, edgecolor="white", label=label
            )
            for x, height in zip(at, values[line], strict=True):
                write(axes, form.format(height), x, height, size=7.5, rotation=90)

    bars(panels[0], (WON, BOTH_WON), ("all contracts", "both eligible"), "{:.1f}")
    panels[0].set_ylim(0, 132)
    panels[0].set_yticks(range(0, 101, 20))
    old, new = ELIGIBLE.values()
    bars(panels[1], (old, new), ("old scheme", "new scheme"), "{:,.0f}")
    both = values[BOTH]
    lost = [n * (1 - rate / 100) for n, rate in zip(both, values[BOTH_WON], strict=True)]
    panels[2].bar(places, both, 0.6, color=BLUE, edgecolor="white", label="both eligible")
    panels[2].bar(places, lost, 0.6, color="black", label="of which lost")
    for x, n, bad in zip(places, both, lost, strict=True):
        write(panels[2], f"{n:,.0f}", x, n, size=7.5)
        if bad:
            write(panels[2], f"{bad:,.0f}", x, bad, size=7.5, color="white")
    titles = {
        "Win rates": "contracts made, %",
        "Net points by scheme": "net points, eligible dummy only",
        "Bidder and dummy both eligible": "deals",
    }
    for axes, (title, unit) in zip(panels, titles.items(), strict=True):
        axes.set_xticks(places, ["1", "2\npublished", "3", "1", "2\nours", "3"])
        name_axes(axes, title, "run", unit)
        if axes is not panels[0]:
            low, high = axes.get_ylim()
            axes.set_ylim(min(low * 1.3, 0), high * 1.35)
            thousands(axes)
        axes.legend(loc="upper left" if axes is panels[1] else "upper right", ncols=2)
    return figure


STUDY: Final = Study(
    name="headline",
    title="The whole game",
    order=40,
    paper=PAPER,
    quick=QUICK,
    run=run,
    steps=lambda deals: len(RUNS) * len(READINGS) * deals,
    describe=lambda deals: {"deals a run, whole game": deals},
    with_deals=int,
    tables=tables,
    brief=lambda result: [
        next(tables(result)).select("line", "published mean", DEFAULT, f"z {DEFAULT}")
    ],
    comparisons=comparisons,
    claims=claims,
    figures=(Figure("headline", "headline-runs", draw),),
)
