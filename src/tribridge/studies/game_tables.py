"""What the paper omits about its game: levels, points; and tests on its headline table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from tribridge import stats
from tribridge.cards import Strain
from tribridge.deals import Seat
from tribridge.game import Bid, Contract, Scheme
from tribridge.studies.conditions import RUNS
from tribridge.studies.published import published_table
from tribridge.studies.schemes import compared_schemes
from tribridge.studies.simulation import ContractCount, GameResult
from tribridge.studies.tables import Cell, StudyTable


def net_points(kind: ContractCount, scheme: Scheme) -> Fraction:
    """Net points of one contract: the declarer's winnings less the undertrick penalties."""
    return _net_points(scheme, kind.level, kind.tricks)


@cache
def _net_points(scheme: Scheme, level: int, tricks: int) -> Fraction:
    return scheme.net(Contract(Bid(level, Strain.NOTRUMP), Seat.NORTH), tricks)


def published_lines() -> dict[str, list[float]]:
    """The published headline table: the three runs of each line."""
    figures = published_table("headline")
    rows = dict.fromkeys(row for row, _ in figures)
    return {row: [float(figures[row, run].value) for run in RUNS] for row in rows if row != "deals"}


def levels_table(sums: dict[str, GameResult]) -> StudyTable:
    """The levels of the contracts, and how often each makes."""
    rows: list[tuple[Cell, ...]] = []
    for reading, result in sums.items():
        rows.append(
            (reading, "passed out", result.passed_out, 100 * result.passed_out / result.deals, None)
        )
        for level, count in result.levels.items():
            made = sum(k.count for k in result.contracts if k.level == level and k.made)
            rows.append(
                (reading, f"{level}NT", count, 100 * count / result.deals, 100 * made / count)
            )
    return StudyTable(
        "levels",
        "How high the auction goes",
        ("reading", "contract", "deals", "% of deals", "% made"),
        tuple(rows),
    )


def points_table(sums: dict[str, GameResult], seed: int) -> StudyTable:
    """Net points per contract under every scheme."""
    rows: list[tuple[Cell, ...]] = []
    for name, scheme in compared_schemes().items():
        for reading, result in sums.items():
            kinds = list(result.contracts)
            for which, chosen in (
                ("all contracts", kinds),
                ("both eligible", [k for k in kinds if k.dummy_level]),
            ):
                values = [float(net_points(k, scheme)) for k in chosen]
                interval = stats.bootstrap_mean(values, [k.count for k in chosen], seed)
                rows.append((name, reading, which, interval.estimate, interval.low, interval.high))
    return StudyTable(
        "points",
        "Net points per contract",
        ("scheme", "reading", "what", "points", "95% from", "to"),
        tuple(rows),
        "Net is the declarer's winnings less the undertrick penalties, with a bootstrap interval.",
    )


HeadlineTest = tuple[str, stats.Test, stats.Interval | None, float]
"""A hypothesis, its test, the difference if two proportions are compared, p after Holm."""


def headline_tests(runs: dict[str, list[GameResult]], deals: int) -> list[HeadlineTest]:
    """Whether the runs agree, the published ones first, and whether the rates match ours."""
    published = published_lines()
    questions: list[tuple[str, stats.Test, stats.Interval | None]] = []

    def alike(question: str, table: list[list[int]]) -> None:
        questions.append((question, stats.homogeneity(table), None))

    def equal(question: str, hits: list[int], totals: list[int]) -> None:
        questions.append((question, *stats.two_proportions(hits, totals)))

    bidders = [round(n) for n in published["deals with a bidder"]]
    wins = [round(n * rate / 100) for n, rate in zip(bidders, published["win rate"], strict=True)]
    alike(
        "published: the runs agree on how often there is a bidder",
        [[n, 10_000_000 - n] for n in bidders],
    )
    alike(
        "published: the runs agree on the win rate",
        [[won, n - won] for won, n in zip(wins, bidders, strict=True)],
    )
    for reading, results in runs.items():
        made = [r.count(made=True) for r in results]
        played = [r.played for r in results]
        alike(
            f"{reading}: the runs agree on the win rate",
            [[won, n - won] for won, n in zip(made, played, strict=True)],
        )
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
    corrected = stats.holm([test.p for _, test, _ in questions])
    return [(*asked, after) for asked, after in zip(questions, corrected, strict=True)]


def tests_table(tests: Sequence[HeadlineTest]) -> StudyTable:
    """The tests as a table."""
    rows: list[tuple[Cell, ...]] = []
    for question, test, between, after in tests:
        ends = (
            (None, None, None)
            if between is None
            else (100 * between.estimate, 100 * between.low, 100 * between.high)
        )
        rows.append(
            (
                question,
                test.name,
                test.statistic,
                test.df,
                test.p,
                after,
                test.effect,
                test.size,
                *ends,
            )
        )
    return StudyTable(
        "headline-tests",
        "Tests on the headline table",
        ("hypothesis", "test", "statistic", "df", "p", "p (Holm)", "effect", "size",
         "difference in points", "95% from", "to"),
        tuple(rows),
        "Differences of two proportions with Newcombe's interval, in percentage points.",
    )  # fmt: skip
