"""Tables made from the rows of a study: values in, cells out, and never read back.

A column has a name, a unit, a format and, where its numbers are estimates, what says how precise
they are. The page, the files, the terminal and `paper diff` show a table by its columns; nobody
reads a name.

A row is a frozen dataclass, and its fields are the columns of the table. An annotation says what
the field does not: a name, and a `Column` for the rest, as in
`share: Annotated[float, "% of deals", PERCENT]` or `p: Annotated[float, P_VALUE]`. A field can
stand for several columns:

- an `Interval`: the estimate and both ends, which are empty if they are not finite.
  `bias: Interval` has the columns bias, bias from and bias to; `Annotated[Interval, "points"]` has
  points, 95% from and to; three names are for all three;
- a tuple or a mapping: numbered from 1 or named by the keys, in a name such as "published {}";
- another row: its columns.

A field annotated with None has no column.

A result is a frozen dataclass too. Its fields `Annotated[tuple[Row, ...], "name"]` are its tables:
the docstring of a row's class is the title and, below it, the note; `{name}` in them stands for an
attribute of the result. Another title and note may follow the name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from math import isfinite, sqrt
from operator import attrgetter
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from tribridge.common.docstrings import docstring
from tribridge.common.errors import SettingError
from tribridge.common.stats import Interval, Test, holm

Cell = str | int | float | bool | None
T = TypeVar("T")
TestedRow = TypeVar("TestedRow", bound="Tested")
_NORMAL: Final = 1.959964
"""Standard errors from an estimate to either end of its interval."""


class Format(StrEnum):
    """How the cells of a column are written."""

    NUMBER = "number"
    P_VALUE = "p-value"
    Z_SCORE = "z-score"
    """A distance in standard errors."""
    STATISTIC = "statistic"
    """Of a test; beyond chance if it is not finite."""
    VERDICT = "verdict"
    """What was judged: a text that does not name its row."""


@dataclass(frozen=True, slots=True)
class Column:
    """What the cells of a column are, and how they are written.

    Examples:
        >>> Column("bias", unit="tricks").text(0.5), Column("bias", digits=1).text(0.5)
        ('0.500', '0.5')
    """

    name: str = ""
    unit: str = ""
    format: Format = Format.NUMBER
    digits: int | None = None
    """After the decimal point; None: as many as the size of a number calls for."""
    interval: tuple[str, str] | None = None
    """The columns with both ends of the 95% interval."""
    error: str = ""
    """The column with the standard error."""
    of: str = ""
    """The column with the number of cases, if this is a percentage of them."""
    exact: bool = False
    """Whether the numbers are counted or published: no chance has a part in them."""

    def named(self, name: str, *interval: str) -> Column:
        """A column like this one with a name, and with the names of both ends of its interval."""
        low, high = interval or (None, None)
        ends = None if low is None or high is None else (low, high)
        return replace(self, name=name, interval=ends)

    def ends(self) -> tuple[Column, ...]:
        """The columns with both ends of the interval, if there is one."""
        alike = replace(self, interval=None, error="", of="")
        return tuple(replace(alike, name=name) for name in self.interval or ())

    def beside(self, names: Collection[str]) -> Column:
        """The column in a table of these names: it refers to no others."""
        ends = self.interval if set(self.interval or ()) <= set(names) else None
        error, of = (name if name in names else "" for name in (self.error, self.of))
        return replace(self, interval=ends, error=error, of=of)

    def text(self, value: float) -> str:
        """A number as it is written in this column."""
        if isinstance(value, int):
            return f"{value:,}"
        if not isfinite(value):
            return "beyond chance" if self.format in (Format.Z_SCORE, Format.STATISTIC) else "–"
        if self.format is Format.Z_SCORE:
            return f"{value:+.2f}"
        if self.format is Format.P_VALUE:
            digits = self.digits or 4
            least = 10**-digits
            return f"{value:.{digits}f}" if value >= least else f"<{least:.{digits}f}"
        return _by_size(value) if self.digits is None else fixed(value, self.digits)

    def standard_error(self, row: Mapping[str, Any]) -> float | None:
        """The standard error of the number in a row, if the row says it."""
        if self.error:
            return as_number(row.get(self.error))
        if self.interval is not None:
            low, high = (as_number(row.get(end)) for end in self.interval)
            return None if low is None or high is None else (high - low) / (2 * _NORMAL)
        share, cases = as_number(row.get(self.name)), as_number(row.get(self.of))
        if share is None or not cases or not 0 <= share <= 100:
            return None
        return sqrt(share * (100 - share) / cases)

    def as_json(self) -> dict[str, Any]:
        """What is not as in any other column."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}


PERCENT: Final = Column(unit="%")
TRICKS: Final = Column(unit="tricks")
POINTS: Final = Column(unit="points")
BITS: Final = Column(unit="bits")
MICROSECONDS: Final = Column(unit="microseconds", digits=0)
EXACT: Final = Column(exact=True)
EXACT_PERCENT: Final = Column(unit="%", exact=True)
P_VALUE: Final = Column(format=Format.P_VALUE)
Z_SCORE: Final = Column(format=Format.Z_SCORE)
STATISTIC: Final = Column(format=Format.STATISTIC)
VERDICT: Final = Column(format=Format.VERDICT)

_Sourced = tuple[Column, Callable[[Any], Cell]]
Columns = Mapping[Column | str, str | Callable[[Any], Any]]
"""Columns, or their names, with the attribute or the function that gives a cell from a row.

The attribute may be one of an attribute, as in `test.p`; of an interval there is one entry.
"""


def fixed(value: float, digits: int) -> str:
    """A number with fixed digits and no negative zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def as_number(cell: object) -> float | None:
    """The number in a cell, if it is one."""
    return cell if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _by_size(value: float) -> str:
    """A number with as many digits as its size calls for."""
    size = abs(value)
    if size >= 1000 and value.is_integer():
        return f"{value:,.0f}"
    if size < 1e-12:  # rounding error of a zero difference
        return "0.000"
    digits = 0 if size >= 10_000 else 1 if size >= 1000 else 3 if size >= 0.01 else 6
    return f"{value:,.{digits}f}"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis with its test, and p after Holm's correction."""

    hypothesis: str
    test: Test
    holm: float = 1.0
    difference: Interval | None = None
    """What was estimated, if the test compares two numbers."""
    COLUMNS: ClassVar[Columns] = {
        "hypothesis": "hypothesis",
        "test": "test.name",
        STATISTIC.named("statistic"): "test.statistic",
        "df": "test.df",
        P_VALUE.named("p"): "test.p",
        P_VALUE.named("p (Holm)"): "holm",
        "effect": "test.effect",
        STATISTIC.named("size"): "test.size",
        Column("difference in points", "%", interval=("95% from", "to")): "difference",
    }

    @property
    def p(self) -> float:
        return self.test.p


class Tested(Protocol):
    """A row with a p-value (None: not tested) and a place for that after Holm's correction."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def p(self) -> float | None: ...
    @property
    def holm(self) -> float | None: ...


def corrected(rows: Iterable[TestedRow]) -> tuple[TestedRow, ...]:
    """Rows with Holm's correction over all of them."""
    asked = tuple(rows)
    adjusted = iter(holm([row.p for row in asked if row.p is not None]))
    return tuple(row if row.p is None else replace(row, holm=next(adjusted)) for row in asked)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """Rows under named columns, with a name for files and a title for readers."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise SettingError(
                    f"table {self.name}: {len(row)} cells in a row of {len(self.columns)} columns"
                )
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SettingError(f"table {self.name}: two columns have the name {twice!r}")
        for column in self.columns:
            for other in (*(column.interval or ()), column.error, column.of):
                if other and other not in names:
                    raise SettingError(
                        f"table {self.name}: column {column.name!r} refers to a column {other!r} "
                        "that is not there"
                    )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> list[Cell]:
        """All cells of one column."""
        at = self.names.index(name)
        return [row[at] for row in self.rows]

    def records(self) -> list[dict[str, Cell]]:
        """The rows as mappings."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def select(self, *names: str) -> StudyTable:
        """The same table with some of its columns."""
        at = [self.names.index(name) for name in names]
        rows = tuple(tuple(row[i] for i in at) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i].beside(names) for i in at), rows=rows)

    def unrounded(self) -> StudyTable:
        """The same table with as many digits of each number as its size calls for."""
        columns = tuple(replace(column, digits=None) for column in self.columns)
        return replace(self, columns=columns)


def table(
    name: str,
    title: str,
    rows: Iterable[T],
    note: str = "",
    *,
    kind: type[T] | None = None,
    columns: Columns | None = None,
) -> StudyTable:
    """A table of rows; `kind` is their class where there may be none.

    `columns`, or `COLUMNS` of the class, are other columns than the fields.
    """
    values = tuple(rows)
    made: list[_Sourced] = []
    if columns := columns or getattr(kind, "COLUMNS", None):
        for key, source in columns.items():
            get = attrgetter(source) if isinstance(source, str) else source
            made += _with_ends(Column(key) if isinstance(key, str) else key, get)
    else:
        sample = values[0] if values else None
        made = list(_columns(kind or type(sample), sample))
    cells = tuple(tuple(_plain(get(row)) for _, get in made) for row in values)
    return StudyTable(name, title, tuple(column for column, _ in made), cells, note)


def titled(documented: object) -> tuple[str, str]:
    """The first line of a docstring, as a title, and the text below it."""
    title, _, text = docstring(documented).partition("\n\n")
    return title.removesuffix("."), " ".join(text.split())


def tables_of(result: Any) -> Iterator[StudyTable]:
    """The tables of a result, in the order of its fields."""
    hints = get_type_hints(type(result), include_extras=True)
    attributes = _Attributes(result)
    for field in fields(result):
        if get_origin(hints[field.name]) is Annotated:
            rows, name, *texts = get_args(hints[field.name])
            (kind, *_) = get_args(rows)
            title, note = (text.format_map(attributes) for text in texts or titled(kind))
            yield table(name, title, getattr(result, field.name), note, kind=kind)


class _Attributes(dict[str, object]):
    """The attributes of a result by name, for the notes of its tables."""

    def __init__(self, result: object) -> None:
        super().__init__()
        self.result = result

    def __missing__(self, name: str) -> object:
        return getattr(self.result, name)


def in_percent(interval: Interval) -> Interval:
    """A share and its interval as percentages."""
    return Interval(*(100 * end for end in (interval.estimate, interval.low, interval.high)))


def share_of(part: float, whole: float) -> float | None:
    """A part in percent of a whole, None of nothing."""
    return 100 * part / whole if whole else None


def _plain(value: Cell) -> Cell:
    """Yes or no for a truth, and nothing for NaN."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value != value else value


def _columns(kind: type, sample: object) -> Iterator[_Sourced]:
    """The columns of a class of rows, with what takes their cells from a row."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        notes: list[Any] = []
        if get_origin(hint) is Annotated:
            hint, *notes = get_args(hint)
        if notes != [None]:
            column = next((column for column in notes if isinstance(column, Column)), Column())
            own = (column.name, *(column.interval or ())) if column.name else ()
            names = [name for name in notes if isinstance(name, str)] or own
            inner = getattr(sample, field.name, None)
            yield from _expanded(field.name, hint, names, column, inner)


def _expanded(
    field: str, hint: Any, names: Sequence[str], column: Column, sample: Any
) -> Iterator[_Sourced]:
    """The columns of a field, by its annotation and, of a tuple or a mapping, by a sample."""
    get = attrgetter(field)
    spoken = field.replace("_", " ")
    kinds = [kind for kind in (get_args(hint) or (hint,)) if isinstance(kind, type)]
    if Interval in kinds:
        three = {0: (spoken, f"{spoken} from", f"{spoken} to"), 1: (*names, "95% from", "to")}
        yield from _with_ends(column.named(*three.get(len(names), names)), get)
    elif isinstance(sample, Mapping):
        for key in sample:
            name = (names or ("{}",))[0].format(key)
            yield replace(column, name=name), lambda row, key=key: get(row)[key]  # type: ignore[misc]
    elif isinstance(sample, tuple):
        for at in range(len(sample)):
            name = names[at] if len(names) == len(sample) else names[0].format(at + 1)
            yield replace(column, name=name), lambda row, at=at: get(row)[at]  # type: ignore[misc]
    elif isinstance(hint, type) and is_dataclass(hint):
        for inner, cell in _columns(hint, sample):
            yield inner, lambda row, cell=cell: cell(get(row))  # type: ignore[misc]
    else:
        yield replace(column, name=(names or (spoken,))[0]), get


def _with_ends(column: Column, get: Callable[[Any], Any]) -> Iterator[_Sourced]:
    """A column, and those of both ends if it is of intervals."""
    if column.interval is None:
        yield column, get
        return
    for each, field in zip((column, *column.ends()), fields(Interval), strict=True):
        yield each, _end(get, field.name)


def _end(get: Callable[[Any], Any], end: str) -> Callable[[Any], Cell]:
    """The estimate or an end of an interval; too few observations have no finite ends."""

    def cell(row: object) -> Cell:
        span: Interval | None = get(row)
        if span is None or not (end == "estimate" or isfinite(span.high - span.low)):
            return None
        value: float = getattr(span, end)
        return value

    return cell
