"""Study 1: the outcomes of the conditions and the number of captures (Tables 1 and 2).

Algorithm 2 on pairs of hands, in three runs, beside the exact distribution over all
5,157,850,293,780,050,462,400 pairs and the published runs.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np

from tribridge import stats
from tribridge.capture import Conditions, exact
from tribridge.capture.simulation.counts import Work
from tribridge.studies import claims_counts
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.published import published_table
from tribridge.studies.runner import Runner
from tribridge.studies.simulation import CaptureResult, result_of
from tribridge.studies.tables import (
    Cell,
    Comparison,
    Study,
    StudyTable,
    check_sample,
    compare_share,
)

RUNS: Final = ("sim 1", "sim 2", "sim 3")
OUTCOMES: Final = tuple(outcome.value for outcome in Conditions)
BINS: Final = ("<=6", "7", "8", "9", "10", "11", "12", "13", ">13")


def bin_of(captures: int) -> str:
    """The bin of Table 1 for a number of captures."""
    return "<=6" if captures <= 6 else ">13" if captures > 13 else str(captures)


def binned(captures: dict[int, int]) -> dict[str, int]:
    """Counts by number of captures put into the bins of Table 1."""
    counts = dict.fromkeys(BINS, 0)
    for number, count in captures.items():
        counts[bin_of(number)] += count
    return counts


def simulate(seed: int, deals: int, runner: Runner) -> CaptureResult:
    """One run of Algorithm 2 on dealt pairs."""
    result = result_of(runner.tally(Work("capture", seed), deals))
    assert isinstance(result, CaptureResult)
    return result


def study(seed: int, deals: int, runner: Runner | None = None) -> Study:
    """Three runs of `deals` deals with seeds from `seed` on, the exact counts, the published."""
    check_sample("conditions", deals, 1000)
    runner = runner or Runner()
    runs = [simulate(seed + at, deals, runner) for at in range(len(RUNS))]
    truth = exact.algorithm2(cache=True)
    shares = {
        "conditions": {o.value: truth.probability(o) for o in Conditions},
        "captures": {
            name: Fraction(count, truth.total)
            for name, count in binned(dict(truth.captures)).items()
        },
    }
    counts = {
        "conditions": [{o.value: n for o, n in run.outcomes.items()} for run in runs],
        "captures": [binned(run.captures) for run in runs],
    }
    titles = {
        "captures": "Table 1: captures where both conditions hold",
        "conditions": "Table 2: outcomes of the two conditions",
    }
    comparisons: list[Comparison] = []
    tables: list[StudyTable] = []
    tests: list[tuple[str, str, stats.Test]] = []
    for name, title in titles.items():
        compared = _compare(name, shares[name], counts[name], deals)
        comparisons += compared
        tables.append(_table(name, title, shares[name], counts[name], deals))
        tests += _tests(name, shares[name], counts[name])
    tables.append(_exact_table(truth))
    corrected = stats.holm([test.p for _, _, test in tests])
    tables.append(_test_table(tests, corrected))
    alike = {
        table: p
        for (table, question, _), p in zip(tests, corrected, strict=True)
        if question == f"published: {_ALIKE}"
    }
    return STUDY.result(tables, comparisons, _facts(truth) | {"published runs alike, p": alike})


_ALIKE: Final = "the three runs are alike"


def _published_counts(name: str, cells: tuple[str, ...]) -> list[list[int]]:
    figures = published_table(name)
    return [[int(figures[run, cell].value) for cell in cells] for run in RUNS]


def _compare(
    name: str, shares: dict[str, Fraction], runs: list[dict[str, int]], deals: int
) -> list[Comparison]:
    figures = published_table(name)
    result = []
    for cell, share in shares.items():
        ours = [run[cell] / deals for run in runs]
        mean = sum(ours) / len(ours)
        for run, own in zip(RUNS, ours, strict=True):
            figure = figures[run, cell]
            unit = float(figure.sample)
            place = (name, run, cell)
            result.append(
                compare_share(place, figure.value, figure.sample, share, own * unit, unit=unit)
            )
        sample = sum(figures[run, cell].sample for run in RUNS)
        total = sum((figures[run, cell].value for run in RUNS), Decimal(0))
        of_all = compare_share(("", "", ""), total, sample, share, None, unit=sample)
        for row, unit in (("mean", sample / len(RUNS)), ("percent", 100.0)):
            figure = figures[row, cell]
            result.append(
                replace(
                    of_all,
                    table=name,
                    row=row,
                    column=cell,
                    published=float(figure.value),
                    exact=float(share) * unit,
                    expected=float(share) * unit,
                    simulated=mean * unit,
                    se=(of_all.se or 0.0) * unit / sample,
                    follows=True,
                )
            )
    return result


def _table(
    name: str, title: str, shares: dict[str, Fraction], runs: list[dict[str, int]], deals: int
) -> StudyTable:
    theirs = _published_counts(name, tuple(shares))
    columns = (
        "cell",
        *(f"published {at}" for at in (1, 2, 3)),
        *(f"ours {at}" for at in (1, 2, 3)),
        "published %",
        "exact %",
        "ours %",
        "z published",
        "z ours",
    )
    rows: list[tuple[Cell, ...]] = []
    for at, (cell, share) in enumerate(shares.items()):
        published = [run[at] for run in theirs]
        own = [run[cell] for run in runs]
        sample = 3 * 1_000_000
        rows.append(
            (
                cell,
                *published,
                *own,
                100 * sum(published) / sample,
                float(100 * share),
                100 * sum(own) / (3 * deals),
                stats.z_score(sum(published), sample, float(share)),
                stats.z_score(sum(own), 3 * deals, float(share)),
            )
        )
    return StudyTable(name, title, columns, tuple(rows))


def _exact_table(truth: exact.ExactDistribution) -> StudyTable:
    rows: list[tuple[Cell, ...]] = [
        (o.value, str(int(truth.probability(o) * truth.total)), float(100 * truth.probability(o)))
        for o in Conditions
    ]
    rows += [
        (f"T = {t}", str(n), float(100 * Fraction(n, truth.total)))
        for t, n in truth.captures.items()
    ]
    rows += [
        (f"check value {t}", str(n), float(100 * Fraction(n, truth.total)))
        for t, n in truth.check.items()
    ]
    note = f"Counted over all {truth.total:,} pairs of hands."
    return StudyTable("exact", "Algorithm 2, exactly", ("case", "pairs", "%"), tuple(rows), note)


def _tests(
    name: str, shares: dict[str, Fraction], runs: list[dict[str, int]]
) -> list[tuple[str, str, stats.Test]]:
    cells = tuple(shares)
    theirs = _published_counts(name, cells)
    own = [[run[cell] for cell in cells] for run in runs]
    known = [float(share) for share in shares.values()]
    if name == "captures":  # cells of the qualifying pairs: condition on qualifying
        known = [share / sum(known) for share in known]
    tests = []
    for source, table in (("published", theirs), ("ours", own)):
        tests.append((name, f"{source}: {_ALIKE}", stats.homogeneity(table)))
        for at, row in enumerate(table, 1):
            tests.append(
                (name, f"{source}: run {at} fits the exact distribution", stats.fit(row, known))
            )
    return tests


def _test_table(tests: list[tuple[str, str, stats.Test]], corrected: list[float]) -> StudyTable:
    rows = tuple(
        (
            table,
            question,
            test.statistic,
            test.df,
            test.dispersion,
            test.p,
            after,
            test.effect,
            test.size,
        )
        for (table, question, test), after in zip(tests, corrected, strict=True)
    )
    columns = (
        "table", "hypothesis", "statistic", "df", "of expected", "p", "p (Holm)", "effect", "size",
    )  # fmt: skip
    note = (
        "'Of expected' is the spread over what sampling predicts: 1 on average, much more if runs "
        "disagree, much less if they agree too well to be chance."
    )
    return StudyTable("tests", "Are the runs alike, and do they fit?", columns, rows, note)


def _chance_of_spread(truth: exact.ExactDistribution, points: float, sets: int = 20_000) -> float:
    """How often three runs of a million differ by more than so many points, by simulation."""
    shares = [float(truth.probability(outcome)) for outcome in Conditions]
    runs = np.random.default_rng(0).multinomial(1_000_000, shares, size=(sets, len(RUNS)))
    spread = (runs.max(axis=1) - runs.min(axis=1)).max(axis=1) / 1e4
    return float((spread > points).mean())


def _facts(truth: exact.ExactDistribution) -> dict[str, object]:
    captures = dict(truth.captures)
    both = truth.both_hold

    def held(*numbers: int) -> Fraction:
        return Fraction(sum(captures.get(t, 0) for t in numbers), both)

    mean = truth.mean
    moments = [
        sum(Fraction(n, both) * (t - mean) ** k for t, n in captures.items()) for k in (2, 3)
    ]
    conditions = _published_counts("conditions", OUTCOMES)
    spread = max(
        abs(one[at] - other[at]) / 1e4
        for one in conditions
        for other in conditions
        for at in range(3)
    )
    modes = sorted(captures, key=lambda t: -captures[t])[:2]
    counts = list(captures.values())
    top = counts.index(max(counts))
    rises = all(a < b for a, b in itertools.pairwise(counts[: top + 1]))
    falls = all(a > b for a, b in itertools.pairwise(counts[top:]))
    return {
        "largest captures": max(captures),
        "9 or 10 of qualifying": held(9, 10),
        "9 or 10 of all": held(9, 10) * both / truth.total,
        "8 to 11 of qualifying": held(8, 9, 10, 11),
        "6 or less of qualifying": held(*range(7)),
        "6 or less of all": held(*range(7)) * both / truth.total,
        "modes": tuple(sorted(modes)),
        "unimodal": rises and falls,
        "skewness": float(moments[1]) / float(moments[0]) ** 1.5,
        "published spread of runs": spread,
        "check of 13 or more of qualifying": Fraction(
            sum(n for value, n in truth.check.items() if value >= truth.deck.hand_size), both
        ),
        "chance of a wider spread": _chance_of_spread(truth, 0.1),
        **{outcome.value: truth.probability(outcome) for outcome in Conditions},
    }


STUDY: Final = Declaration(
    name="conditions",
    title="Captures and conditions",
    paper=1_000_000,
    quick=200_000,
    run=lambda deals, seed, runner: study(seed, deals, runner),
    steps=lambda deals: len(RUNS) * deals,
    describe=lambda deals: {"deals a run, conditions": deals},
    with_deals=int,
    figures=(
        Figure(
            "conditions",
            "Outcomes of the conditions over three runs",
            "Deals by outcome in our three runs and their mean (bars), as a percentage (red) and "
            "exactly (diamonds): Condition B alone turns away more than half of all deals.",
            "conditions",
        ),
        Figure(
            "captures",
            "Distribution of captures over three runs",
            "Deals by number of captures where both conditions hold, in our three runs and their "
            "mean (bars), as a percentage (red) and exactly (diamonds): one peak at 9 and 10, none "
            "above 13, and the runs hardly differ.",
            "captures",
        ),
    ),
    claims=claims_counts.conditions,
)
