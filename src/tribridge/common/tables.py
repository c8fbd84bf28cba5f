"""Tables made from the rows of a study: values in, cells out, and never read back.

A row is a frozen dataclass, and its fields are the columns of the table. A title that differs from
the field's name is an annotation: `share: Annotated[float, "% of deals"]`. A field can stand for
several columns:

- an `Interval`: the estimate and both ends, which are empty if they are not finite.
  `bias: Interval` has the columns bias, bias from and bias to; `Annotated[Interval, "points"]` has
  points, 95% from and to; three titles name all three;
- a tuple or a mapping: numbered from 1 or named by the keys, in a title such as "published {}";
- another row: its columns.

A field annotated with None has no column.

A result is a frozen dataclass too. Its fields `Annotated[tuple[Row, ...], "name"]` are its tables:
the docstring of a row's class is the title and, below it, the note; `{name}` in them stands for an
attribute of the result. Another title and note may follow the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from math import isfinite
from operator import attrgetter
from typing import (
    Annotated,
    Any,
    ClassVar,
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
_Column = tuple[str, Callable[[Any], Cell]]
Columns = Mapping[Any, str | Callable[[Any], Any]]
"""Columns by title: an attribute such as `test.p`, or a function; an interval has three titles."""


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
        "statistic": "test.statistic",
        "df": "test.df",
        "p": "test.p",
        "p (Holm)": "holm",
        "effect": "test.effect",
        "size": "test.size",
        ("difference in points", "95% from", "to"): "difference",
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

    def select(self, *columns: str) -> StudyTable:
        """The same table with some of its columns."""
        rows = zip(*(self.column(name) for name in columns), strict=True)
        return StudyTable(self.name, self.title, columns, tuple(rows), self.note)


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
    made: list[_Column] = []
    if columns := columns or getattr(kind, "COLUMNS", None):
        for key, source in columns.items():
            get = attrgetter(source) if isinstance(source, str) else source
            ends = zip(key, fields(Interval), strict=True) if isinstance(key, tuple) else ()
            made += [(end, _end(get, field.name)) for end, field in ends] or [(str(key), get)]
    else:
        sample = values[0] if values else None
        made = list(_columns(kind or type(sample), sample))
    cells = tuple(tuple(_plain(get(row)) for _, get in made) for row in values)
    return StudyTable(name, title, tuple(key for key, _ in made), cells, note)


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


def _columns(kind: type, sample: object) -> Iterator[_Column]:
    """The columns of a class of rows, with what takes their cells from a row."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        titles: list[Any] = []
        if get_origin(hint) is Annotated:
            hint, *titles = get_args(hint)
        if titles != [None]:
            inner = getattr(sample, field.name, None)
            yield from _expanded(field.name, hint, titles, inner)


def _expanded(name: str, hint: Any, titles: Sequence[str], sample: Any) -> Iterator[_Column]:
    get = attrgetter(name)
    spoken = name.replace("_", " ")
    kinds = [kind for kind in (get_args(hint) or (hint,)) if isinstance(kind, type)]
    if Interval in kinds:
        ends = {0: (spoken, f"{spoken} from", f"{spoken} to"), 1: (*titles, "95% from", "to")}
        for title, end in zip(ends.get(len(titles), titles), fields(Interval), strict=True):
            yield title, _end(get, end.name)
    elif isinstance(sample, Mapping):
        for key in sample:
            yield (titles or ("{}",))[0].format(key), lambda row, key=key: get(row)[key]  # type: ignore[misc]
    elif isinstance(sample, tuple):
        for at in range(len(sample)):
            title = titles[at] if len(titles) == len(sample) else titles[0].format(at + 1)
            yield title, lambda row, at=at: get(row)[at]  # type: ignore[misc]
    elif isinstance(hint, type) and is_dataclass(hint):
        for title, inner in _columns(hint, sample):
            yield title, lambda row, inner=inner: inner(get(row))  # type: ignore[misc]
    else:
        yield (titles or (spoken,))[0], get


def _end(get: Callable[[Any], Any], end: str) -> Callable[[Any], Cell]:
    """The estimate or an end of an interval; too few observations have no finite ends."""

    def cell(row: object) -> Cell:
        span: Interval | None = get(row)
        if span is None or not (end == "estimate" or isfinite(span.high - span.low)):
            return None
        value: float = getattr(span, end)
        return value

    return cell
