"""What studies return: tables, and published figures compared with ours one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from tribridge.errors import SettingError

Cell = str | int | float | bool | None

FAR: Final = 4.0
"""Standard errors beyond which a published figure counts as different."""


@dataclass(frozen=True, slots=True)
class StudyTable:
    """Rows under named columns, with a name for files and a title for readers."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise SettingError(
                    f"table {self.name}: {len(row)} cells in a row of {len(self.columns)} columns"
                )

    def column(self, name: str) -> list[Cell]:
        """All cells of one column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def records(self) -> list[dict[str, Cell]]:
        """The rows as mappings."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


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

    def record(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Study:
    """The outcome of one study."""

    name: str
    title: str
    tables: tuple[StudyTable, ...]
    comparisons: tuple[Comparison, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Single numbers used to judge the claims."""

    def table(self, name: str) -> StudyTable:
        """The table of a name."""
        return next(table for table in self.tables if table.name == name)


def check_sample(study: str, deals: int, least: int) -> None:
    """Refuse a sample too small for the tests of a study."""
    if deals < least:
        raise SettingError(
            f"study {study} needs at least {least:,} deals for its tests, not {deals}"
        )


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
    place: tuple[str, str, str],
    published: Decimal,
    sample: int,
    share: Fraction,
    ours: float | None,
    *,
    unit: float = 1.0,
) -> Comparison:
    """A published count (or share in units, 100 for percent) of `sample` against an exact share.

    `unit` is what one whole stands for in the figure: the sample itself for a count.
    """
    p = float(share)
    true = p * unit
    se = sqrt(p * (1 - p) / sample) * unit
    difference = float(published) - true
    z = difference / se if se else (0.0 if not difference else float("inf"))
    table, row, column = place
    return Comparison(
        table=table,
        row=row,
        column=column,
        published=float(published),
        sample=sample,
        exact=true,
        expected=true,
        simulated=ours,
        se=se,
        z=z,
        verdict=judge(z),
    )
