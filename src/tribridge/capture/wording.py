"""A run of the algorithms in words: one wording for the terminal, the pictures and the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tribridge.capture.algorithm import Capture, Conditions, Result, Stop
from tribridge.errors import quantity

HOLDERS: Final = ("", "hand", "dummy")
"""Whose card it is, by the number in the matrix."""


def headline(result: Result) -> str:
    """The verdict in one line."""
    name = "Algorithm 2" if result.dummy else f"Algorithm 1 ({result.reading.name} reading)"
    if result.outcome is Conditions.BOTH_HOLD:
        captures = quantity(result.captures, "capture")
        return f"{name}: both conditions hold, {captures}, check value {result.check}"
    return f"{name}: {result.outcome.value}, {'; '.join(_reasons(result))}; 0 captures"


def total_gap(result: Result) -> str:
    """The total leading gap as a sum: `total leading gap 0 + 1 + 2 + 1 = 4`."""
    gaps = " + ".join(str(row.leading_gap) for row in result.rows)
    return f"total leading gap {gaps} = {result.total_gap}"


def conditions(result: Result) -> dict[str, str]:
    """What each condition compares, and whether it holds; B is not checked if A fails."""
    if result.outcome is Conditions.A_FAILS:
        return {"A": f"{result.total_gap} > {result.budget}: fails"}
    verdict = "holds" if result.outcome is Conditions.BOTH_HOLD else "fails"
    reasons = "; ".join(_reasons(result)) or "enough cards above each leading gap"
    return {"A": f"{result.total_gap} <= {result.budget}: holds", "B": f"{reasons}: {verdict}"}


def captured(step: Capture) -> str:
    """Which card is captured, what it costs, and which card it removes."""
    paid = "free" if step.free else f"gap {step.gap_paid} paid"
    if step.options and step.free:
        paid = "free, the row's budget is spent"
    line = f"{step.card} of the {HOLDERS[step.holder]} captured, {paid}"
    if not step.free:
        line += f": Z {step.budget_before} -> {step.budget_after}"
        line += f", Z{step.suit.sign} {step.row_budget_before} -> {step.row_budget_after}"
    if step.removed is not None:
        line += f"; {step.removed} of the {HOLDERS[3 - step.holder]} removed"
    return line


def stopped(result: Result, stop: Stop) -> str:
    """Why there is no further capture."""
    compare = f"{stop.check} >= {result.target}" if not stop.options else f"Z = {stop.budget}"
    return f"stop: {stop.reason.value} ({compare})"


def totals(result: Result) -> str:
    """The totals of the run."""
    return f"total captures {result.captures}, check value {result.check}"


def _reasons(result: Result) -> Iterator[str]:
    if result.outcome is Conditions.A_FAILS:
        yield f"the total leading gap {result.total_gap} exceeds the budget {result.budget}"
        return
    for row in result.failing_rows:
        least = row.leading_gap + result.reading.strict
        for count, who in ((row.c1, "hand"), (row.c2, "dummy")):
            if count < least and (who == "hand" or result.dummy):
                gap = f"{row.suit.sign} with its leading gap of {row.leading_gap}"
                yield f"{gap} needs {quantity(least, 'card')}, the {who} has {count}"
