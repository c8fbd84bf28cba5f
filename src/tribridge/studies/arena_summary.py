"""The answer of an arena run in a few lines of text, for the terminal and the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tribridge.stats import FEWEST_DEALS
from tribridge.studies.tables import StudyTable


def summary(tables: Sequence[StudyTable], deals: int, seed: int, unit: str = "deal") -> list[str]:
    """The answer of a run in three lines: who is best, by how much, from how many deals."""

    def records(ending: str) -> list[dict[str, Any]]:
        return [row for one in tables if one.name.endswith(ending) for row in one.records()]

    tests, points = records("-tests"), records("match-points")
    if points:
        points.sort(key=lambda row: -row["points"])
        scores = (f"{row['strategy']} {row['points']:+.1f}" for row in points)
        lines = [
            _winner("Match", "points", [row["strategy"] for row in points], tests),
            f"Points per {'game' if unit == 'deal' else unit}: {', '.join(scores)}.",
        ]
    else:
        lines = []
        for side in ("declarer", "defence"):
            names = list(dict.fromkeys(row[side] for row in records("-payoffs")))
            rows = [row for row in tests if row["side"] == side]
            lines.append(_winner(side.capitalize(), "tricks", names, rows))
    if deals < FEWEST_DEALS:
        basis = f": too few for intervals and tests, which take {FEWEST_DEALS} {unit}s"
    else:
        basis = "; 95% intervals; best: p < 0.05 after Holm's correction"
    return [*lines, f"{deals:,} {unit}s of seed {seed}{basis}."]


def _winner(what: str, unit: str, names: Sequence[str], tests: Sequence[Mapping[str, Any]]) -> str:
    """Who leads, who comes second, and whether the difference is significant."""
    if len(names) < 2:
        return f"{what}: {names[0]} alone, nothing to compare."
    beaten = {row["worse"] for row in tests}
    leads = [row for row in tests if row["better"] not in beaten]
    if not leads:  # each is beaten by another
        return f"{what}: no clear winner."
    row = min(leads, key=lambda row: row["difference"])
    digits = 1 if unit == "points" else 2
    lead, p = fixed(row["difference"], digits), row["p (Holm)"]
    if row["Cohen's d"] == 0:
        return f"{what}: {row['better']} and {row['worse']} did equally well."
    if p is not None and p < 0.05:
        verdict = f"{row['better']} is best, {lead} {unit} ahead of {row['worse']}"
    else:
        verdict = f"no clear winner; {row['better']} leads {row['worse']} by {lead} {unit}"
    if row["from"] is None:
        return f"{what}: {verdict}."
    return f"{what}: {verdict} ({fixed(row['from'], digits)} to {fixed(row['to'], digits)})."


def fixed(value: float, digits: int) -> str:
    """A number with fixed digits and no negative zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"
