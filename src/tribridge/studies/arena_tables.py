"""Arena results as tidy tables, for the terminal, the pages and the study."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

from tribridge.arena.analysis import (
    cell_errors,
    compare_match,
    compare_play,
    contract_statistics,
    distances,
)
from tribridge.arena.ratings import ratings
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.rubbers import LONGEST
from tribridge.arena.work import MatchWork
from tribridge.arena.zero_sum import RESAMPLES, Solved, solve_deals
from tribridge.errors import SettingError, quantity
from tribridge.stats import FEWEST_DEALS, Interval, mean_interval
from tribridge.studies.tidy import Cell, StudyTable
from tribridge.training.tiny.team import Exact

UNITS = ("tricks", "points")


def solved(result: PlayResult, unit: str, *, resamples: int = RESAMPLES) -> Solved | None:
    """The game of the fair strategies, solved; None if a side has none or deals are too few."""
    rows, columns = (result.fair(names) for names in (result.work.declarers, result.work.defences))
    if not rows or not columns or result.deals < 2:
        return None
    payoffs = result.payoffs(unit)[:, rows][:, :, columns]
    return solve_deals(payoffs, result.work.seed, resamples=resamples)


def play_tables(
    result: PlayResult, *, prefix: str = "arena", resamples: int = RESAMPLES
) -> tuple[StudyTable, ...]:
    """The matrix, the equilibrium, the tests, the ceiling, times and faults."""
    if result.deals < 2:
        raise SettingError("an arena report needs at least two deals")
    tables = [_payoffs(result, prefix)]
    for unit in UNITS:
        game = solved(result, unit, resamples=resamples)
        if game is not None:
            tables.append(_equilibrium(result, game, unit, prefix))
    tables.append(_play_tests(result, prefix))
    ceiling = _ceiling(result, prefix)
    if ceiling.rows:  # the oracle played on both sides, or on one
        tables.append(ceiling)
    return (*tables, *_footing(result, prefix))


def match_tables(result: MatchResult, *, prefix: str = "arena-match") -> tuple[StudyTable, ...]:
    """Points, contracts, tests, ratings, times and faults."""
    if result.deals < 2:
        raise SettingError("an arena report needs at least two deals")
    note, each = _note(result), result.work.unit
    passed = _percent(sum(c is None for c in result.contracts), len(result.contracts))
    rows = []
    for one in contract_statistics(result):
        rows.append(
            (
                one.name,
                *_three(one.points),
                one.games,
                _percent(one.declared, one.games),
                _percent(one.made, one.declared),
                one.level,
                one.over,
                _percent(one.no_trump, one.declared),
                _percent(one.outbid, one.games),
                *([_percent(one.doubled, one.declared)] if result.work.doubles else []),
            )
        )
    tables = [
        StudyTable(
            f"{prefix}-points",
            f"Points per {'rubber' if result.lengths else 'game'} and contracts",
            ("strategy", "points", "points from", "points to", "seats held", "% declared",
             "% made", "mean level", "tricks over", "% in notrump", "% outbid",
             *(["% doubled"] if result.work.doubles else [])),
            tuple(rows),
            f"{note} Points are means over all seatings of a {each}, intervals over {each}s. "
            "Tricks over: tricks less those contracted for. Outbid: bid, and another declared. "
            f"{passed or 0:.1f}% of the games were passed out.{_doubled(result)}",
        )
    ]  # fmt: skip
    if result.lengths:
        tables.append(_rubbers(result, prefix))
    if len(result.work.strategies) > 1:
        tables.append(
            _tests(
                f"{prefix}-tests",
                compare_match(result),
                "points",
                f"{note} Differences at the same table.",
                result.deals,
                each,
            )
        )
        tables.append(
            StudyTable(
                f"{prefix}-ratings",
                "Ratings",
                ("strategy", "points rating", "points from", "points to", "wins rating",
                 "wins from", "wins to", "% beats rating 0"),
                tuple(
                    (one.name, *_three(one.points), *_three(one.wins), 100 * one.beats)
                    for one in ratings(result)
                ),
                "Points: least squares on the differences at the same table. Wins: Bradley and "
                "Terry, by who scored more at the same table, equal points half a win to each. "
                f"95% intervals over {each}s.{few_deals(result.deals, each)}",
            )
        )  # fmt: skip
    return (*tables, *_footing(result, prefix))


def _rubbers(result: MatchResult, prefix: str) -> StudyTable:
    """Settlements and rubbers won, for each strategy."""
    settled = 3 * result.points - result.points.sum(axis=1, keepdims=True)
    by_rubber = replace(result, points=settled).by_deal()
    rows = []
    for at, name in enumerate(result.work.strategies):
        pairs = list(zip(result.seats, result.winners, strict=True))
        held = sum(seats.count(name) for seats, _ in pairs)
        won = sum(winner is not None and seats[winner] == name for seats, winner in pairs)
        rows.append((name, *_three(mean_interval(by_rubber[:, at])), _percent(won, held)))
    unfinished = sum(winner is None for winner in result.winners)
    return StudyTable(
        f"{prefix}-rubbers",
        "Settlement of a rubber",
        ("strategy", "points settled", "settled from", "settled to", "% won"),
        tuple(rows),
        f"What a seat receives from the two others. {quantity(len(result.lengths), 'rubber')} took "
        f"{sum(result.lengths) / len(result.lengths):.1f} deals on average; {unfinished:,} were "
        f"broken off after {LONGEST} deals.",
    )


def _doubled(result: MatchResult) -> str:
    """How many contracts were doubled, and how they ended, if they could be."""
    if not result.work.doubles:
        return ""
    contracts = [
        (factor, tricks >= result.work.deck.book + int(contract[0]))
        for factor, contract, tricks in zip(
            result.factors, result.contracts, result.tricks, strict=True
        )
        if contract is not None and tricks is not None
    ]
    doubled = [made for factor, made in contracts if factor > 1]
    again = sum(factor > 2 for factor, _ in contracts)
    made = f", {_percent(sum(doubled), len(doubled)) or 0:.1f}% of them made" if doubled else ""
    return (
        f" Of {quantity(len(contracts), 'contract')} {len(doubled):,} "
        f"({_percent(len(doubled), len(contracts)) or 0:.1f}%) were doubled, {again:,} of them "
        f"redoubled{made}."
    )


def exact_table(exact: Exact) -> StudyTable:
    """The value of a tiny game and how far strategies fall short of it."""
    value = exact.value
    rows: list[tuple[Cell, ...]] = [
        ("perfect play", value.tricks, value.tricks, 0.0, 0.0),
        *(
            (
                one.name,
                one.declarer,
                one.defence,
                value.tricks - one.declarer,
                one.defence - value.tricks,
            )
            for one in exact.strategies
        ),
    ]
    return StudyTable(
        f"exact-{exact.deck}-{exact.strain.letter}",
        f"A deck of {exact.deck} in {exact.strain.letter}: the exact value",
        (
            "strategy",
            "takes as declarer",
            "gives as defence",
            "declarer's distance",
            "defence's distance",
        ),
        tuple(rows),
        f"Tricks a deal against the best answer. The value is {value.tricks:.6f} (between "
        f"{value.secured:.6f} and {value.held:.6f}); {value.double_dummy:.6f} when all cards are "
        "seen. The defenders may agree on a mixture of joint plans before the deal.",
    )


def _payoffs(result: PlayResult, prefix: str) -> StudyTable:
    tricks, points = result.payoffs("tricks"), result.payoffs("points")
    errors = cell_errors(tricks), cell_errors(points)
    rows = tuple(
        (
            declarer,
            defence,
            float(tricks[:, i, j].mean()),
            float(errors[0][i, j]),
            float(points[:, i, j].mean()),
            float(errors[1][i, j]),
        )
        for i, declarer in enumerate(result.work.declarers)
        for j, defence in enumerate(result.work.defences)
    )
    return StudyTable(
        f"{prefix}-payoffs",
        "Payoffs to the declarer",
        ("declarer", "defence", "tricks", "tricks se", "points", "points se"),
        rows,
        f"{_note(result)} Contracts by {result.work.contracts}. "
        "Points: winnings less the undertrick penalty. Double dummy: "
        f"{result.double_dummy.mean():.2f} tricks.",
    )


def _equilibrium(result: PlayResult, game: Solved, unit: str, prefix: str) -> StudyTable:
    work = result.work
    rows: list[tuple[Cell, ...]] = []
    sides = (
        ("declarer", work.declarers, game.rows, game.row_exploitability),
        ("defence", work.defences, game.columns, game.column_exploitability),
    )
    for side, names, shares, losses in sides:
        fair = [names[at] for at in result.fair(names)]
        for name, share, loss in zip(fair, shares, losses, strict=True):
            rows.append((side, name, *_three(_times_100(share)), *_three(loss)))
    value, digits = game.value, 1 if unit == "points" else 2
    span = f", 95% interval {value.low:.{digits}f} to {value.high:.{digits}f}, over resampled deals"
    return StudyTable(
        f"{prefix}-equilibrium-{unit}",
        f"Equilibrium of the fair strategies, in {unit}",
        ("side", "strategy", "% of the mixture", "mixture from", "mixture to", "exploitability",
         "exploitability from", "exploitability to"),
        tuple(rows),
        f"The value is {value.estimate:.{digits}f} {unit} (standard error "
        f"{game.value_se:.{digits}f}{span if isfinite(value.low) else ''}). Exploitability: what "
        "the opponent of the set that does best against it gains beyond the value; its intervals "
        "are conservative where strategies are equal. Mixtures that are not unique have no true "
        f"value that an interval could cover.{few_deals(result.deals)}",
    )  # fmt: skip


def _play_tests(result: PlayResult, prefix: str) -> StudyTable:
    note = (
        f"{_note(result)} Declarers are compared by their mean over the fair defences, defences "
        "over the fair declarers."
    )
    return _tests(f"{prefix}-tests", compare_play(result), "tricks", note, result.deals)


def few_deals(deals: int, unit: str = "deal") -> str:
    """A remark if there are too few deals for intervals and tests."""
    if deals >= FEWEST_DEALS:
        return ""
    return f" {deals:,} {unit}s are too few for intervals and tests, which take {FEWEST_DEALS}."


def _tests(
    name: str, comparisons: list[Any], unit: str, note: str, deals: int, each: str = "deal"
) -> StudyTable:
    return StudyTable(
        name,
        f"Who beats whom, in {unit} per {each}",
        ("side", "better", "worse", "difference", "from", "to", "Cohen's d", "p", "p (Holm)"),
        tuple(
            (one.side, one.first, one.second, *_three(one.difference), one.effect,
             *(None if p != p else p for p in (one.p, one.p_holm)))
            for one in comparisons
        ),
        f"{note} Paired tests over {each}s, with 95% intervals; Holm's correction over all of the "
        f"table.{few_deals(deals, each)}",
    )  # fmt: skip


def _ceiling(result: PlayResult, prefix: str) -> StudyTable:
    rows = tuple(
        (one.side, one.name, *_three(one.against_ceiling), *_three(one.against_fair))
        for one in distances(result)
        if one.against_ceiling is not None or one.against_fair is not None
    )
    return StudyTable(
        f"{prefix}-ceiling",
        "The ceiling: tricks behind the oracle",
        ("side", "strategy", "against the oracle", "oracle from", "oracle to",
         "against the fair", "fair from", "fair to"),
        rows,
        "Against the oracle: what double dummy allows and is not taken. Against the fair: what "
        "the oracle takes from the same opponents beyond it.",
    )  # fmt: skip


def _footing(result: PlayResult | MatchResult, prefix: str) -> list[StudyTable]:
    tables = [
        StudyTable(
            f"{prefix}-times",
            "Thinking time",
            ("strategy", "choices", "ms a choice", "slowest ms"),
            tuple(
                (name, choices, 1000 * seconds / choices, 1000 * slowest)
                for name, (choices, seconds, slowest) in result.times.items()
                if choices
            ),
        )
    ]
    if result.faults:
        tables.append(
            StudyTable(
                f"{prefix}-faults",
                "Faults",
                ("strategy", "deal", "seat", "actions before", "fault", "message"),
                tuple(
                    (
                        fault.strategy,
                        fault.number,
                        fault.seat.letter,
                        fault.action,
                        fault.kind,
                        fault.message,
                    )
                    for fault in result.faults
                ),
                "A substitute chose instead: a pass, or any legal card.",
            )
        )
    return tables


def _note(result: PlayResult | MatchResult) -> str:
    work = result.work
    laws = work.laws if isinstance(work, MatchWork) else None
    scoring = f"scoring scheme {work.scheme}" if laws is None else f"laws {laws}"
    return f"{result.deals:,} {work.unit}s of seed {work.seed}, {scoring}."


def _three(interval: Interval | None) -> tuple[float | None, float | None, float | None]:
    """An interval as cells, empty where there is none."""
    if interval is None:
        return None, None, None
    low, high = (end if isfinite(end) else None for end in (interval.low, interval.high))
    return interval.estimate, low, high


def _times_100(one: Interval) -> Interval:
    return Interval(100 * one.estimate, 100 * one.low, 100 * one.high)


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
