"""Study 4: the whole game: every line of the headline table under each reading and scheme.

Three bidders with Algorithm 1, the highest bid in notrump declares, the hidden hand is the dummy,
Algorithm 2 gives the tricks. The paper does not define Algorithm 1 or its two scoring schemes, so a
line that differs, differs from one *reading*: the table shows all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

from tribridge.capture import REPORTED
from tribridge.capture.simulation.counts import Work
from tribridge.game import find_scheme
from tribridge.studies import claims_counts, game_tables
from tribridge.studies.conditions import RUNS
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.game_tables import HeadlineTest, net_points, published_lines
from tribridge.studies.runner import Runner
from tribridge.studies.simulation import GameResult, result_of
from tribridge.studies.tables import (
    Cell,
    Comparison,
    Study,
    StudyTable,
    check_sample,
    judge_readings,
)

DEFAULT: Final = "natural"
PAPER: Final = 10_000_000
"""Deals a run, as in the paper."""
QUICK: Final = 250_000


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


def simulate(seed: int, deals: int, reading: str, runner: Runner) -> GameResult:
    """One run of the whole game."""
    result = result_of(runner.tally(Work("game", seed, reading), deals))
    assert isinstance(result, GameResult)
    return result


def three_runs(seed: int, deals: int, runner: Runner) -> dict[str, list[GameResult]]:
    """The three runs of the whole game under each reading."""
    return {
        reading: [simulate(seed + at, deals, reading, runner) for at in range(len(RUNS))]
        for reading in REPORTED
    }


def _share(hits: int, total: int, unit: float) -> SampledValue:
    p = hits / total if total else 0.0
    return SampledValue(p * unit, sqrt(p * (1 - p)) * unit, total)


def _mean(values: list[tuple[float, int]]) -> SampledValue:
    """Mean and spread of values with their counts."""
    total = sum(count for _, count in values)
    if not total:
        return SampledValue(0.0, 0.0, 0)
    mean = sum(value * count for value, count in values) / total
    square = sum((value - mean) ** 2 * count for value, count in values) / total
    return SampledValue(mean, sqrt(square), total)


def lines(result: GameResult) -> dict[str, SampledValue]:
    """Every line of the headline table that one run or a sum of runs gives.

    Net points count only contracts with an eligible dummy: the published totals are of that size, a
    hundred times smaller than all contracts would give.
    """
    both = [kind for kind in result.contracts if kind.dummy_level]
    lost = result.count(made=False)
    return {
        "deals with a bidder": _share(result.played, result.deals, result.deals),
        "deals passed out": _share(result.passed_out, result.deals, result.deals),
        "win rate": _share(result.count(made=True), result.played, 100),
        "losses with a weak dummy": _share(
            result.count(made=False, both_eligible=False), lost, 100
        ),
        "both eligible": _share(result.both_eligible, result.deals, result.deals),
        "win rate when both eligible": _share(
            result.count(made=True, both_eligible=True), result.both_eligible, 100
        ),
        "mean bidder level when both eligible": _mean([(k.level, k.count) for k in both]),
        "mean dummy level when both eligible": _mean([(k.dummy_level, k.count) for k in both]),
        **{
            f"net points, {name} scheme": _total(
                [(float(net_points(k, find_scheme(name))), k.count) for k in both], result.deals
            )
            for name in ("old", "new")
        },
    }


def _total(values: list[tuple[float, int]], deals: int) -> SampledValue:
    """A sum over all deals; most deals add nothing to it."""
    idle = deals - sum(count for _, count in values)
    one = _mean([*values, (0.0, idle)])
    return SampledValue(one.value * deals, one.spread * deals, deals)


def study(seed: int = 1, deals: int = 10_000_000, runner: Runner | None = None) -> Study:
    """Three runs of `deals` deals for each reading, and the published headline table."""
    check_sample("headline", deals, 10_000)
    runner = runner or Runner()
    runs = three_runs(seed, deals, runner)
    sums = {reading: add_runs(results) for reading, results in runs.items()}
    estimates = {reading: lines(result) for reading, result in sums.items()}
    tests = game_tables.headline_tests(runs, deals)
    tables = (
        _headline(estimates, deals),
        _runs_table(runs[DEFAULT]),
        game_tables.levels_table(sums),
        game_tables.points_table(sums, seed),
        game_tables.tests_table(tests),
    )
    comparisons = _comparisons(estimates, runs[DEFAULT], deals)
    return STUDY.result(tables, comparisons, _facts(sums, runs, tests, deals))


def add_runs(results: list[GameResult]) -> GameResult:
    """Several runs as one."""
    first, *rest = results
    table, passed, deals = first.table.copy(), first.passed_out, first.deals
    for result in rest:
        table += result.table
        passed += result.passed_out
        deals += result.deals
    return GameResult(deals, table, passed)


def _published_size(line: str) -> int:
    """How many observations the three published runs of a line contain."""
    published = published_lines()
    bidders = sum(published["deals with a bidder"])
    if line == "win rate":
        return int(bidders)
    if line == "losses with a weak dummy":
        won = zip(published["deals with a bidder"], published["win rate"], strict=True)
        return round(sum(n * (1 - rate / 100) for n, rate in won))
    if line.endswith("when both eligible"):
        return int(sum(published["both eligible"]))
    return 30_000_000


def _scaled(estimate: SampledValue, deals: int) -> SampledValue:
    """A count or total, rescaled to one published run of ten million deals."""
    if estimate.size != deals:
        return estimate
    factor = 10_000_000 / estimate.size
    return SampledValue(estimate.value * factor, estimate.spread * factor, estimate.size)


def distance(line: str, ours: SampledValue, deals: int) -> tuple[float, float, float]:
    """The published mean, its standard error, and its distance z from our estimate."""
    mean = sum(published_lines()[line]) / 3
    scaled = _scaled(ours, 3 * deals)
    se = scaled.spread / sqrt(_published_size(line))
    both = sqrt(se**2 + scaled.se**2)
    return mean, se, (mean - scaled.value) / both if both else float("inf")


def _distances(
    line: str, estimates: dict[str, dict[str, SampledValue]], deals: int
) -> dict[str, float]:
    """How far the published mean is from ours, in standard errors, by reading."""
    return {name: distance(line, one[line], deals)[2] for name, one in estimates.items()}


def _headline(estimates: dict[str, dict[str, SampledValue]], deals: int) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    for line, theirs in published_lines().items():
        row: list[str | float] = [line, sum(theirs) / 3]
        for estimate in estimates.values():
            row += [
                _scaled(estimate[line], 3 * deals).value,
                distance(line, estimate[line], deals)[2],
            ]
        rows.append(tuple(row))
    columns = ["line", "published mean"]
    for reading in estimates:
        columns += [reading, f"z {reading}"]
    return StudyTable(
        "headline",
        "The headline table under each reading of Algorithm 1",
        tuple(columns),
        tuple(rows),
        f"Counts and points per run of ten million deals; ours from 3 x {deals:,} deals. Net "
        "points are over contracts with an eligible dummy. z is the published mean's distance.",
    )


def _runs_table(results: list[GameResult]) -> StudyTable:
    runs = [lines(result) for result in results]
    deals = results[0].deals
    rows: list[tuple[Cell, ...]] = [
        (line, *theirs, *(_scaled(run[line], deals).value for run in runs))
        for line, theirs in published_lines().items()
    ]
    columns = (
        "line",
        *(f"published {at}" for at in (1, 2, 3)),
        *(f"ours {at}" for at in (1, 2, 3)),
    )
    note = f"Ours: natural reading, {deals:,} deals a run; counts and points for ten million."
    return StudyTable("headline-runs", "Run by run", columns, tuple(rows), note)


def _comparisons(
    estimates: dict[str, dict[str, SampledValue]], runs: list[GameResult], deals: int
) -> list[Comparison]:
    by_run = [lines(run) for run in runs]
    result = []
    for line, theirs in published_lines().items():
        verdict = judge_readings(_distances(line, estimates, deals))
        ours = _scaled(estimates[DEFAULT][line], 3 * deals)
        _, se, z = distance(line, estimates[DEFAULT][line], deals)
        result.append(
            Comparison(
                table="headline",
                row=line,
                column="mean",
                published=sum(theirs) / 3,
                sample=30_000_000,
                exact=None,
                expected=ours.value,
                simulated=ours.value,
                se=se,
                z=z,
                verdict=verdict,
                follows=True,
            )
        )
        for run, value, own in zip(RUNS, theirs, by_run, strict=True):
            one = _scaled(own[line], deals)
            spread = se * sqrt(3)
            result.append(
                Comparison(
                    table="headline",
                    row=line,
                    column=run,
                    published=value,
                    sample=10_000_000,
                    exact=None,
                    expected=ours.value,
                    simulated=one.value,
                    se=spread,
                    z=(value - ours.value) / spread if spread else None,
                    verdict=verdict,
                )
            )
    return result


def _facts(
    sums: dict[str, GameResult],
    runs: dict[str, list[GameResult]],
    tests: list[HeadlineTest],
    deals: int,
) -> dict[str, object]:
    published = published_lines()

    def spread(line: str) -> float:
        return max(published[line]) - min(published[line])

    def ranking(line: str) -> tuple[int, ...]:
        return tuple(sorted(range(1, 4), key=lambda at: -published[line][at - 1]))

    by_reading = {reading: lines(result) for reading, result in sums.items()}
    own = {
        name: [lines(run)[f"net points, {name} scheme"].value for run in runs[DEFAULT]]
        for name in ("old", "new")
    }
    ratio = sum(published["net points, new scheme"]) / sum(published["net points, old scheme"])
    return {
        "published runs alike, p": {
            name: p
            for name, (*_, p) in zip(("deals with a bidder", "contracts made"), tests, strict=False)
        },
        "published, z": {line: _distances(line, by_reading, deals) for line in published},
        "published spread of win rate": spread("win rate"),
        "published spread of both-eligible win rate": spread("win rate when both eligible"),
        "published ranking old": ranking("net points, old scheme"),
        "published ranking new": ranking("net points, new scheme"),
        "published ratio of schemes": ratio,
        "our ratio of schemes": {
            reading: f["net points, new scheme"].value / f["net points, old scheme"].value
            for reading, f in by_reading.items()
        },
        "our totals by run": own,
        **{
            line: {reading: f[line].value for reading, f in by_reading.items()}
            for line in ("win rate", "win rate when both eligible", "losses with a weak dummy")
        },
        "share with a bidder": {
            reading: result.played / result.deals for reading, result in sums.items()
        },
        "share both eligible": {
            reading: result.both_eligible / result.deals for reading, result in sums.items()
        },
    }


STUDY: Final = Declaration(
    name="headline",
    title="The whole game",
    paper=PAPER,
    quick=QUICK,
    run=lambda deals, seed, runner: study(seed, deals, runner),
    steps=lambda deals: len(RUNS) * len(REPORTED) * deals,
    describe=lambda deals: {"deals a run, whole game": deals},
    with_deals=int,
    figures=(
        Figure(
            "headline",
            "Win rates, points and eligible pairs over three runs",
            "The published runs on the left of each panel, ours (natural reading) on the right. "
            "The runs of either side lie close together; the two sides are far apart.",
            "headline-runs",
        ),
    ),
    claims=claims_counts.headline,
)
