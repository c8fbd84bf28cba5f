"""Columns of tables: made from the fields of rows, written by what they are, never by a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan, sqrt
from typing import Annotated, Any

import pytest

from tribridge.common import codec
from tribridge.common.errors import SettingError
from tribridge.common.stats import Interval
from tribridge.common.tables import (
    P_VALUE,
    PERCENT,
    STATISTIC,
    TRICKS,
    VERDICT,
    Z_SCORE,
    Column,
    StudyTable,
    table,
)


@dataclass(frozen=True)
class Inner:
    """A part of a row."""

    share: Annotated[float, "share", PERCENT]


@dataclass(frozen=True)
class Row:
    """A row with a field of every kind."""

    name: str
    bias: Interval
    lost: Annotated[Interval | None, "tricks lost", TRICKS]
    runs: Annotated[tuple[int, ...], "run {}", Column(exact=True)]
    p: Annotated[float, P_VALUE]
    inner: Inner
    hidden: Annotated[int, None]
    made: Annotated[float, Column("made", "%", of="run 1")]


ROW = Row("a", Interval(1.0, 0.5, 1.5), None, (7, 8), 0.5, Inner(20.0), 3, 25.0)


def test_the_fields_of_a_row_are_its_columns() -> None:
    assert table("t", "", [ROW]).columns == (
        Column("name"),
        Column("bias", interval=("bias from", "bias to")),
        Column("bias from"),
        Column("bias to"),
        Column("tricks lost", "tricks", interval=("95% from", "to")),
        Column("95% from", "tricks"),
        Column("to", "tricks"),
        Column("run 1", exact=True),
        Column("run 2", exact=True),
        P_VALUE.named("p"),
        PERCENT.named("share"),
        Column("made", "%", of="run 1"),
    )
    assert table("t", "", [ROW]).rows == (
        ("a", 1.0, 0.5, 1.5, None, None, None, 7, 8, 0.5, 20.0, 25.0),
    )


def test_columns_can_be_chosen_by_what_gives_their_cells() -> None:
    chosen = table(
        "t",
        "",
        [ROW],
        columns={
            "name": "name",
            PERCENT.named("share"): "inner.share",
            TRICKS.named("bias", "low", "high"): "bias",
            "twice": lambda row: 2 * row.hidden,
        },
    )
    assert chosen.names == ("name", "share", "bias", "low", "high", "twice")
    assert chosen.rows == (("a", 20.0, 1.0, 0.5, 1.5, 6),)
    assert {column.unit for column in chosen.columns[2:5]} == {"tricks"}


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Z_SCORE, 1.234, "+1.23"),
        (Z_SCORE, inf, "beyond chance"),
        (STATISTIC, inf, "beyond chance"),
        (Column(), inf, "–"),
        (P_VALUE, 0.00001, "<0.0001"),
        (P_VALUE, 0.0001, "0.0001"),
        (replace(P_VALUE, digits=3), 0.0004, "<0.001"),
        (Column(), -1e-16, "0.000"),
        (Column(), 0.0, "0.000"),
        (Column(), 0.001234567, "0.001235"),
        (Column(), -65.04, "-65.040"),
        (Column(), 1234.56, "1,234.6"),
        (Column(), 2000.0, "2,000"),
        (Column(), 12345.6, "12,346"),
        (Column(digits=1), -0.04, "0.0"),
        (Column(digits=0), 1234567.0, "1,234,567"),
        (Column(digits=2), 1234567, "1,234,567"),
    ],
)
def test_a_number_is_written_as_its_column_says(column: Column, value: float, text: str) -> None:
    for name in ("", "p", "z ours", "% made", "points to"):
        assert replace(column, name=name).text(value) == text


def test_the_standard_error_is_what_the_row_says_of_it() -> None:
    row: dict[str, Any] = {"mean": 10.0, "se": 0.5, "low": 9.0, "high": 11.0, "%": 20.0, "of": 400}
    assert Column("mean", error="se").standard_error(row) == 0.5
    by_interval = Column("mean", interval=("low", "high")).standard_error(row)
    assert by_interval == pytest.approx(1 / 1.96, rel=1e-4)
    assert Column("%", "%", of="of").standard_error(row) == pytest.approx(
        100 * sqrt(0.2 * 0.8 / 400)
    )
    assert Column("mean").standard_error(row) is None
    for missing in ("low", "of", "se"):
        row[missing] = None
    for column in (
        Column("mean", interval=("low", "high")),
        Column("%", "%", of="of"),
        Column("mean", error="se"),
    ):
        assert column.standard_error(row) is None


def test_columns_survive_json() -> None:
    columns = table("t", "", [ROW]).columns
    assert columns[0].as_json() == {"name": "name"}
    said = codec.plain([column.as_json() for column in columns])
    assert codec.read(said, tuple[Column, ...]) == columns


def test_a_table_keeps_every_cell_and_refers_to_columns_that_it_has() -> None:
    columns = (Column("a"), Column("b", error="a"))
    whole = StudyTable("t", "", columns, ((1, nan),))
    assert whole.select("b").columns == (Column("b"),)
    assert whole.select("b", "a").columns == columns[::-1]
    with pytest.raises(SettingError, match="1 cells in a row of 2 columns"):
        StudyTable("t", "", columns, ((1,),))
    with pytest.raises(SettingError, match="two columns have the name 'a'"):
        StudyTable("t", "", (Column("a"), Column("a")), ())
    with pytest.raises(SettingError, match="column 'b' refers to a column 'a' that is not there"):
        StudyTable("t", "", columns[1:], ())


def test_a_verdict_is_no_number() -> None:
    assert table("t", "", ["holds"], columns={VERDICT.named("verdict"): str}).rows == (("holds",),)
