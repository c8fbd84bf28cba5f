"""A run of the algorithms in words: one wording for the terminal, the pictures and the pages."""

from __future__ import annotations

from collections.abc import Iterator

from tribridge.capture.algorithm import Capture, Conditions, Result, Stop
from tribridge.common.sentences import Words, counted, joined, words


def headline(result: Result) -> Words:
    """The verdict in one line."""
    name = words("Algorithm 1 ({reading} reading)", reading=result.reading.name)
    name = words("Algorithm 2") if result.dummy else name
    if result.outcome is Conditions.BOTH_HOLD:
        captures = counted("{number} capture", "{number} captures", result.captures)
        holds = "{algorithm}: both conditions hold, {captures}, check value {check}"
        return words(holds, algorithm=name, captures=captures, check=result.check)
    fails, reasons = "{algorithm}: {outcome}, {reasons}; 0 captures", joined("; ", _reasons(result))
    return words(fails, algorithm=name, outcome=words(result.outcome.value), reasons=reasons)


def total_gap(result: Result) -> Words:
    """The total leading gap as a sum: `total leading gap 0 + 1 + 2 + 1 = 4`."""
    gaps = " + ".join(str(row.leading_gap) for row in result.rows)
    return words("total leading gap {gaps} = {total}", gaps=gaps, total=result.total_gap)


def conditions(result: Result) -> dict[str, Words]:
    """What each condition compares, and whether it holds; B is not checked if A fails."""
    holds, fails, total = words("holds"), words("fails"), result.total_gap
    if result.outcome is Conditions.A_FAILS:
        return {"A": joined(": ", (f"{total} > {result.budget}", fails))}
    verdict = holds if result.outcome is Conditions.BOTH_HOLD else fails
    reasons = [*_reasons(result)] or [words("enough cards above each leading gap")]
    return {
        "A": joined(": ", (f"{total} <= {result.budget}", holds)),
        "B": joined(": ", (joined("; ", reasons), verdict)),
    }


def captured(step: Capture) -> Words:
    """Which card is captured, what it costs, and which card it removes."""
    by_hand = "{card} of the hand captured, {paid}"
    by_dummy = "{card} of the dummy captured, {paid}"
    paid = words("free, the row's budget is spent") if step.options else words("free")
    if not step.free:
        paid = words(
            "gap {gap} paid: Z {before} -> {after}, Z{suit} {row} -> {left}",
            gap=step.gap_paid,
            before=step.budget_before,
            after=step.budget_after,
            suit=step.suit.sign,
            row=step.row_budget_before,
            left=step.row_budget_after,
        )
    line = words(by_hand if step.holder == 1 else by_dummy, card=step.card, paid=paid)
    if step.removed is None:
        return line
    of_hand, of_dummy = "{card} of the hand removed", "{card} of the dummy removed"
    removed = words(of_dummy if step.holder == 1 else of_hand, card=step.removed)
    return joined("; ", (line, removed))


def stopped(result: Result, stop: Stop) -> Words:
    """Why there is no further capture."""
    compare = f"{stop.check} >= {result.target}" if not stop.options else f"Z = {stop.budget}"
    return words("stop: {reason} ({compare})", reason=words(stop.reason.value), compare=compare)


def totals(result: Result) -> Words:
    """The totals of the run."""
    pattern = "total captures {captures}, check value {check}"
    return words(pattern, captures=result.captures, check=result.check)


def _reasons(result: Result) -> Iterator[Words]:
    if result.outcome is Conditions.A_FAILS:
        over = "the total leading gap {total} exceeds the budget {budget}"
        yield words(over, total=result.total_gap, budget=result.budget)
        return
    for row in result.failing_rows:
        least = row.leading_gap + result.reading.strict
        hand = "{suit} with its leading gap of {gap} needs {cards}, the hand has {count}"
        dummy = "{suit} with its leading gap of {gap} needs {cards}, the dummy has {count}"
        for count, pattern in ((row.c1, hand), (row.c2, dummy))[: 2 if result.dummy else 1]:
            if count < least:
                cards = counted("{number} card", "{number} cards", least)
                gap, suit = row.leading_gap, row.suit.sign
                yield words(pattern, suit=suit, gap=gap, cards=cards, count=count)
