"""The published figures, for comparison only: every cell of the paper's four tables.

They are stored in `published.csv`: table, row, column, value, and the number of deals in the
cell's run. Tables: `captures` (distribution of captures), `conditions`
(pre-qualification), `second hand` (Algorithm 2 by Algorithm 1's result) and `headline` (the whole
game). Percentages are in percent, as printed.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import resources
from math import sqrt
from typing import Final

from tribridge.game.scoring import Scheme, find_scheme

RUNS: Final = ("sim 1", "sim 2", "sim 3")
FAR: Final = 4.0
"""Standard errors beyond which a published figure counts as different."""
SCHEMES: Final = ("auction", "old", "new")


@dataclass(frozen=True, slots=True)
class Published:
    """One published cell."""

    table: str
    row: str
    column: str
    value: Decimal
    sample: int


@cache
def published() -> tuple[Published, ...]:
    """All published figures in the order of the paper."""
    text = resources.files("tribridge.lab.studies").joinpath("published.csv").read_text("utf-8")
    return tuple(
        Published(
            row["table"], row["row"], row["column"], Decimal(row["value"]), int(row["sample"])
        )
        for row in csv.DictReader(text.splitlines())
    )


def published_table(table: str) -> dict[tuple[str, str], Published]:
    """One table's figures by row and column."""
    return {(f.row, f.column): f for f in published() if f.table == table}


@cache
def compared_schemes() -> dict[str, Scheme]:
    """Trick points by the laws of auction bridge, and our readings of the paper's two schemes."""
    return {name: find_scheme(name) for name in SCHEMES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One published figure with the exact value and our own run of the same experiment.

    `expected` is what it is compared with: the exact value, or our simulation where nothing can be
    counted. `se` is the standard error of a figure from the published sample, and `z` the distance
    of the published figure in standard errors.
    """

    table: str
    row: str
    column: str
    published: float
    sample: int
    exact: float | None
    expected: float | None
    simulated: float | None
    se: float | None
    z: float | None
    verdict: str
    follows: bool = False
    """Whether it follows from other published figures, as a mean does."""


def judge(z: float) -> str:
    """The verdict on a published figure from its distance to the expected value."""
    return "agrees" if abs(z) <= FAR else "differs"


def judge_readings(z: Mapping[str, float]) -> str:
    """The verdict from the distances under each reading: not determined if they disagree."""
    verdicts = {reading: judge(distance) for reading, distance in z.items()}
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values()))
    near = ", ".join(reading for reading, verdict in verdicts.items() if verdict == "agrees")
    return f"not determined by the text: agrees under {near}"


def compare_share(
    figure: Published, share: Fraction, ours: float | None, *, unit: float
) -> Comparison:
    """A published count (or share in units, 100 for percent) against an exact share.

    `unit` is what one whole stands for in the figure: the sample itself for a count.
    """
    p = float(share)
    true = p * unit
    se = sqrt(p * (1 - p) / figure.sample) * unit
    difference = float(figure.value) - true
    z = difference / se if se else (0.0 if not difference else float("inf"))
    return Comparison(
        table=figure.table,
        row=figure.row,
        column=figure.column,
        published=float(figure.value),
        sample=figure.sample,
        exact=true,
        expected=true,
        simulated=ours,
        se=se,
        z=z,
        verdict=judge(z),
    )
