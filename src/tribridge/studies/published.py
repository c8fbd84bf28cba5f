"""The published figures, for comparison only: every cell of the paper's four tables.

They are stored in `published.csv`: table, row, column, value, and the number of deals in the
cell's run. Tables: `captures` (distribution of captures), `conditions`
(pre-qualification), `second hand` (Algorithm 2 by Algorithm 1's result) and `headline` (the whole
game). Percentages are in percent, as printed.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Figure:
    """One published cell."""

    table: str
    row: str
    column: str
    value: Decimal
    sample: int


@cache
def published() -> tuple[Figure, ...]:
    """All published figures in the order of the paper."""
    text = resources.files("tribridge.studies").joinpath("published.csv").read_text("utf-8")
    return tuple(
        Figure(row["table"], row["row"], row["column"], Decimal(row["value"]), int(row["sample"]))
        for row in csv.DictReader(text.splitlines())
    )


def published_table(table: str) -> dict[tuple[str, str], Figure]:
    """One table's figures by row and column."""
    return {(f.row, f.column): f for f in published() if f.table == table}
