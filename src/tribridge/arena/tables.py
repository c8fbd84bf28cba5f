"""What arena results show: a report of values, its tables and a summary in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Annotated, Final

import numpy as np

from tribridge.arena.analysis import (
    DECLARER,
    DEFENCE,
    Comparison,
    Contracts,
    Distance,
    cell_errors,
    compare,
    contract_statistics,
    distances,
    pairs_of,
    ratings,
)
from tribridge.arena.playing import LONGEST
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.work import MatchWork, names_of
from tribridge.arena.zero_sum import RESAMPLES, Solved, solve_deals
from tribridge.common.errors import SettingError, quantity
from tribridge.common.stats import FEWEST_DEALS, RARE_SWINGS, Interval, mean_interval
from tribridge.common.tables import (
    P_VALUE,
    PERCENT,
    POINTS,
    TRICKS,
    Column,
    Columns,
    StudyTable,
    in_percent,
    share_of,
    table,
)

UNITS: Final = {"tricks": replace(TRICKS, digits=2), "points": replace(POINTS, digits=1)}
"""What is at stake, and the column of numbers in each."""
_TRICKS, _POINTS = UNITS.values()
_SHARE: Final = replace(PERCENT, digits=0)
_P: Final = replace(P_VALUE, digits=3)
_NUMBER: Final = Column(digits=2)


@dataclass(frozen=True, slots=True)
class Payoff:
    """What one declarer takes from one defence."""

    declarer: str
    defence: str
    tricks: Annotated[float, replace(_TRICKS, error="tricks se")]
    tricks_se: Annotated[float, _TRICKS]
    points: Annotated[float, replace(_POINTS, error="points se")]
    points_se: Annotated[float, _POINTS]

    def mean(self, unit: str) -> tuple[float, float]:
        """The mean in a unit, with its standard error."""
        if unit == "tricks":
            return self.tricks, self.tricks_se
        return self.points, self.points_se


@dataclass(frozen=True, slots=True, eq=False)
class PlayReport:
    """What declarers against defences show."""

    result: PlayResult
    payoffs: tuple[Payoff, ...]
    solved: dict[str, Solved]
    """The game of the fair strategies, by unit, where it can be solved."""
    comparisons: tuple[Comparison, ...]
    ceiling: tuple[Distance, ...]
    """How far strategies are from the oracle, as far as it played."""

    def tables(self, prefix: str = "arena") -> tuple[StudyTable, ...]:
        """The matrix, the equilibrium, the tests, the ceiling, times and faults."""
        return tuple(_play_tables(self, prefix))


@dataclass(frozen=True, slots=True, eq=False)
class MatchReport:
    """What complete games show."""

    result: MatchResult
    contracts: tuple[Contracts, ...]
    comparisons: tuple[Comparison, ...]
    """None of them in a match of one strategy with itself."""

    def tables(self, prefix: str = "arena-match") -> tuple[StudyTable, ...]:
        """Points, contracts, tests, ratings, times and faults."""
        return tuple(_match_tables(self, prefix))


Report = PlayReport | MatchReport


def report_of(result: PlayResult | MatchResult, *, resamples: int = RESAMPLES) -> Report:
    """What a result shows."""
    if isinstance(result, PlayResult):
        return play_report(result, resamples=resamples)
    return match_report(result)


def play_report(result: PlayResult, *, resamples: int = RESAMPLES) -> PlayReport:
    """What declarers against defences show."""
    _check(result)
    tricks, points = result.payoffs("tricks"), result.payoffs("points")
    errors = cell_errors(tricks), cell_errors(points)
    rows = tuple(
        Payoff(
            declarer,
            defence,
            float(tricks[:, i, j].mean()),
            float(errors[0][i, j]),
            float(points[:, i, j].mean()),
            float(errors[1][i, j]),
        )
        for i, declarer in enumerate(names_of(result.work.declarers))
        for j, defence in enumerate(names_of(result.work.defences))
    )
    games = {unit: solved(result, unit, resamples=resamples) for unit in UNITS}
    return PlayReport(
        result,
        rows,
        {unit: game for unit, game in games.items() if game is not None},
        tuple(compare(pairs_of(result))),
        tuple(gap for gap in distances(result) if gap.against_ceiling or gap.against_fair),
    )


def match_report(result: MatchResult) -> MatchReport:
    """What complete games show."""
    _check(result)
    several = len(result.work.strategies) > 1
    tests = compare(pairs_of(result)) if several else ()
    return MatchReport(result, tuple(contract_statistics(result)), tuple(tests))


def _check(result: PlayResult | MatchResult) -> None:
    if result.deals < 2:
        raise SettingError("an arena report needs at least two deals")


def solved(result: PlayResult, unit: str, *, resamples: int = RESAMPLES) -> Solved | None:
    """The game of the fair strategies, solved; None if a side has none or deals are too few."""
    rows, columns = map(result.fair, (result.work.declarers, result.work.defences))
    if not rows or not columns or result.deals < 2:
        return None
    payoffs = result.payoffs(unit)[:, rows][:, :, columns]
    return solve_deals(payoffs, result.work.seed, resamples=resamples)


def _play_tables(report: PlayReport, prefix: str) -> Iterator[StudyTable]:
    result = report.result
    note, solved = _note(result), np.mean([game.double_dummy for game in result.firsts])
    yield table(
        f"{prefix}-payoffs",
        "Payoffs to the declarer",
        report.payoffs,
        f"{note} Contracts by {result.work.contracts}. Points: winnings less the undertrick "
        f"penalty. Double dummy: {solved:.2f} tricks.",
    )
    for unit, game in report.solved.items():
        yield _equilibrium(result, game, unit, prefix)
    yield _tests(
        f"{prefix}-tests",
        report.comparisons,
        "tricks",
        f"{note} Declarers are compared by their mean over the fair defences, defences over the "
        "fair declarers.",
        result.deals,
    )
    if report.ceiling:  # the oracle played on both sides, or on one
        yield table(
            f"{prefix}-ceiling",
            "The ceiling: tricks behind the oracle",
            report.ceiling,
            "Against the oracle: what double dummy allows and is not taken. Against the fair: what "
            "the oracle takes from the same opponents beyond it.",
            columns={
                "side": "side",
                "strategy": "name",
                _TRICKS.named("against the oracle", "oracle from", "oracle to"): "against_ceiling",
                _TRICKS.named("against the fair", "fair from", "fair to"): "against_fair",
            },
        )
    yield from _footing(result, prefix)


def _match_tables(report: MatchReport, prefix: str) -> Iterator[StudyTable]:
    result = report.result
    note, each = _note(result), result.work.unit
    deals = [deal for _, deal in result.played]
    passed = share_of(sum(deal.contract is None for deal in deals), len(deals))
    doubled: Columns = {_SHARE.named("% doubled"): lambda row: share_of(row.doubled, row.declared)}
    yield table(
        f"{prefix}-points",
        f"Points per {'game' if result.work.laws is None else 'rubber'} and contracts",
        report.contracts,
        f"{note} Points are means over all seatings of a {each}, intervals over {each}s. "
        "Tricks over: tricks less those contracted for. Outbid: bid, and another declared. "
        f"{passed or 0:.1f}% of the games were passed out.",
        columns={
            "strategy": "name",
            _POINTS.named("points", "points from", "points to"): "points",
            "seats held": "games",
            _SHARE.named("% declared"): lambda row: share_of(row.declared, row.games),
            _SHARE.named("% made"): lambda row: share_of(row.made, row.declared),
            _NUMBER.named("mean level"): "level",
            _TRICKS.named("tricks over"): "over",
            _SHARE.named("% in notrump"): lambda row: share_of(row.no_trump, row.declared),
            _SHARE.named("% outbid"): lambda row: share_of(row.outbid, row.games),
            **(doubled if result.work.doubles else {}),
        },
    )
    if result.work.laws is not None:
        yield _rubbers(result, prefix)
    if len(result.work.strategies) > 1:
        yield _tests(
            f"{prefix}-tests",
            report.comparisons,
            "points",
            f"{note} Differences at the same table.{_caution(result)}",
            result.deals,
            each,
        )
        yield table(
            f"{prefix}-ratings",
            "Ratings",
            ratings(result),
            "Points: least squares on the differences at the same table. Won: how often it scored "
            "more than another at the same table, equal points half a win to each. "
            f"95% intervals over {each}s.{few_deals(result.deals, each)}",
            columns={
                "strategy": "name",
                _POINTS.named("points rating", "points from", "points to"): "points",
                _NUMBER.named("share won", "won from", "won to"): "won",
            },
        )
    yield from _footing(result, prefix)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a strategy receives from the two others for a rubber, and how often it wins one."""

    strategy: str
    points: Annotated[Interval, "points settled", "settled from", "settled to", _POINTS]
    won: Annotated[float | None, "% won", _SHARE]


def _rubbers(result: MatchResult, prefix: str) -> StudyTable:
    """Settlements and rubbers won, for each strategy."""
    points, games = result.points, result.games
    by_rubber = result.by_deal(3 * points - points.sum(axis=2, keepdims=True))
    rows = []
    for at, name in enumerate(result.work.names):
        held = sum(game.seats.count(name) for game in games)
        won = sum(game.winner is not None and game.seats[game.winner] == name for game in games)
        rows.append(Settlement(name, mean_interval(by_rubber[:, at]), share_of(won, held)))
    unfinished = sum(game.winner is None for game in games)
    return table(
        f"{prefix}-rubbers",
        "Settlement of a rubber",
        rows,
        f"What a seat receives from the two others. {quantity(len(games), 'rubber')} took "
        f"{np.mean([len(game.games) for game in games]):.1f} deals on average; {unfinished:,} were "
        f"broken off after {LONGEST} deals.",
    )


@dataclass(frozen=True, slots=True)
class Mixture:
    """A strategy's share of the equilibrium, and how far it can be exploited."""

    side: str
    strategy: str
    share: Interval
    exploitability: Interval


def _equilibrium(result: PlayResult, game: Solved, unit: str, prefix: str) -> StudyTable:
    work = result.work
    rows = [
        Mixture(side, strategies[at].name, in_percent(share), loss)
        for side, strategies, shares, losses in (
            (DECLARER, work.declarers, game.rows, game.row_exploitability),
            (DEFENCE, work.defences, game.columns, game.column_exploitability),
        )
        for at, share, loss in zip(result.fair(strategies), shares, losses, strict=True)
    ]
    value, digits = game.value, UNITS[unit].digits
    span = f", 95% interval {value.low:.{digits}f} to {value.high:.{digits}f}, over resampled deals"
    return table(
        f"{prefix}-equilibrium-{unit}",
        f"Equilibrium of the fair strategies, in {unit}",
        rows,
        f"The value is {value.estimate:.{digits}f} {unit} (standard error "
        f"{game.value_se:.{digits}f}{span if isfinite(value.low) else ''}). Exploitability: what "
        "the opponent of the set that does best against it gains beyond the value; its intervals "
        "are conservative where strategies are equal. Mixtures that are not unique have no true "
        f"value that an interval could cover.{few_deals(result.deals)}",
        columns={
            "side": "side",
            "strategy": "strategy",
            _SHARE.named("% of the mixture", "mixture from", "mixture to"): "share",
            UNITS[unit].named(
                "exploitability", "exploitability from", "exploitability to"
            ): "exploitability",
        },
    )


def few_deals(deals: int, unit: str = "deal") -> str:
    """A remark if there are too few deals for intervals and tests."""
    if deals >= FEWEST_DEALS:
        return ""
    return f" {deals:,} {unit}s are too few for intervals and tests, which need {FEWEST_DEALS}."


def _tests(
    name: str,
    comparisons: Sequence[Comparison],
    unit: str,
    note: str,
    deals: int,
    each: str = "deal",
) -> StudyTable:
    return table(
        name,
        f"Who beats whom, in {unit} per {each}",
        comparisons,
        f"{note} Paired tests over {each}s, with 95% intervals; Holm's correction over all of the "
        f"table.{few_deals(deals, each)}",
        columns={
            "side": "side",
            "better": "first",
            "worse": "second",
            UNITS[unit].named("difference", "from", "to"): "difference",
            _NUMBER.named("Cohen's d"): "effect",
            _P.named("p"): "p",
            _P.named("p (Holm)"): "p_holm",
        },
    )


def _footing(result: PlayResult | MatchResult, prefix: str) -> Iterator[StudyTable]:
    ms = Column(unit="ms", digits=2)
    yield table(
        f"{prefix}-times",
        "Thinking time",
        [(name, *times) for name, times in result.times.items() if times[0]],
        columns={
            "strategy": lambda row: row[0],
            "choices": lambda row: row[1],
            ms.named("ms a choice"): lambda row: 1000 * row[2] / row[1],
            ms.named("slowest ms"): lambda row: 1000 * row[3],
        },
    )
    if result.faults:
        yield table(
            f"{prefix}-faults",
            "Faults",
            result.faults,
            "A substitute chose instead: a pass, or any legal card.",
            columns={
                "strategy": "strategy",
                "deal": "number",
                "seat": "seat.letter",
                "actions before": "action",
                "fault": "kind",
                "message": "message",
            },
        )


def _note(result: PlayResult | MatchResult) -> str:
    work = result.work
    laws = work.laws if isinstance(work, MatchWork) else None
    scoring = f"scoring scheme {work.scheme.name}" if laws is None else f"laws {laws.name}"
    return f"{result.deals:,} {work.unit}s of seed {work.seed}, {scoring}."


def _caution(result: MatchResult) -> str:
    """What the intervals of points do not cover, where swings can be rare and large."""
    work = result.work
    scheme = work.scheme if work.laws is None else work.laws.scheme
    swings = work.doubles or scheme.pays_slams
    return f" {RARE_SWINGS}" if swings and result.deals >= FEWEST_DEALS else ""


def summary(report: Report) -> list[str]:
    """The answer of a run in three lines: who is best, by how much, from how many deals."""
    result = report.result
    unit, deals = result.work.unit, result.deals
    if isinstance(report, MatchReport):
        ranked = sorted(report.contracts, key=lambda row: -row.points.estimate)
        scores = (f"{contracts.name} {contracts.points.estimate:+.1f}" for contracts in ranked)
        lines = [
            _winner(
                "Match", "points", [contracts.name for contracts in ranked], report.comparisons
            ),
            f"Points per {'game' if unit == 'deal' else unit}: {', '.join(scores)}.",
        ]
    else:
        work = report.result.work
        lines = []
        for side, strategies in ((DECLARER, work.declarers), (DEFENCE, work.defences)):
            tests = [test for test in report.comparisons if test.side == side]
            lines.append(_winner(side.capitalize(), "tricks", names_of(strategies), tests))
    if deals < FEWEST_DEALS:
        basis = f": too few for intervals and tests, which need {FEWEST_DEALS} {unit}s"
    else:
        basis = "; 95% intervals; best: p < 0.05 after Holm's correction"
    return [*lines, f"{deals:,} {unit}s of seed {result.work.seed}{basis}."]


def _winner(what: str, unit: str, names: Sequence[str], tests: Sequence[Comparison]) -> str:
    """Who leads, who comes second, and whether the difference is significant."""
    if len(names) < 2:
        return f"{what}: {names[0]} alone, nothing to compare."
    beaten = {test.second for test in tests}
    leads = [test for test in tests if test.first not in beaten]
    if not leads:  # each is beaten by another
        return f"{what}: no clear winner."
    test = min(leads, key=lambda test: test.difference.estimate)
    if test.effect == 0:
        return f"{what}: {test.first} and {test.second} did equally well."
    written = UNITS[unit].text
    lead = written(test.difference.estimate)
    if test.p_holm < 0.05:
        verdict = f"{test.first} is best, {lead} {unit} ahead of {test.second}"
    else:
        verdict = f"no clear winner; {test.first} leads {test.second} by {lead} {unit}"
    low, high = test.difference.low, test.difference.high
    if not isfinite(high - low):
        return f"{what}: {verdict}."
    return f"{what}: {verdict} ({written(low)} to {written(high)})."
