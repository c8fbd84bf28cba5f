"""Two reports compared: changed verdicts, then figures that moved beyond noise, then the others.

Noise is judged for each number by itself, from what its column says of its precision: a standard
error, an interval, or the number of cases of a percentage. A difference of at most `FAR` standard
errors is within noise. Where seeds and all other settings are the same, runs are deterministic and
no change is noise; nor is a change of an exact number. A number that says nothing about its error,
such as the p-value of a test, is not judged. Timings are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import hypot, isclose
from pathlib import Path
from typing import Any, Final

from tribridge.common import codec
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.common.tables import Column, Format, as_number
from tribridge.lab.studies.published import FAR

NAME: Final = "report.json"
_SAME: Final = 1e-9
"""Relative difference that is rounding."""


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs."""

    kind: str
    """`setting`, `verdict` or `figure`."""
    where: str
    old: Any
    new: Any
    z: float | None = None
    """The distance in standard errors; None if they are not known."""
    noise: bool | None = False
    """Whether chance alone explains the change; None if that cannot be judged."""

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "where": self.where, "old": self.old, "new": self.new,
                "z": self.z, "within noise": self.noise}  # fmt: skip


def load_report(path: Path) -> dict[str, Any]:
    """The JSON of a report, by its folder or its file."""
    file = path / NAME if path.is_dir() else path
    if not file.is_file():
        raise NotFoundError(f"{file}: no such report: expected a folder of tribridge paper")
    try:
        data = json.loads(file.read_bytes())
        tables, claims, sizes = data["tables"], data["claims"], data["sizes"]
        whole = isinstance(tables, dict) and isinstance(claims, list) and isinstance(sizes, dict)
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise FormatError(f"{file}: not the data of a report, or damaged")
    report: dict[str, Any] = data
    return report


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Everything that differs between two reports: verdicts first, then figures, then settings."""
    settings = list(_settings(old, new))
    figures = list(_figures(old, new))
    if not settings:
        figures = [replace(change, noise=False) for change in figures]
    ordered = sorted(figures, key=lambda change: (False, None, True).index(change.noise))
    return [*_verdicts(old, new), *ordered, *settings]


def _changed(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """What two mappings do not have in common: the key, and both values (None: not there)."""
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield key, old.get(key), new.get(key)


def _settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = (
        {name: run.get(name) for name in ("version", "seed")} | run["sizes"] for run in (old, new)
    )
    for name, was, is_now in _changed(before, after):
        yield Change("setting", name, was, is_now)


def _verdicts(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    claims = ({c["claim"]: c["verdict"] for c in run["claims"]} for run in (old, new))
    figures = (
        {f"published figure {_place(f)}": f["verdict"] for f in run.get("figures", [])}
        for run in (old, new)
    )
    for where, was, is_now in (*_changed(*claims), *_changed(*figures)):
        yield Change("verdict", where, was, is_now)


def _place(figure: Mapping[str, Any]) -> str:
    return f"{figure['table']}, {figure['row']}, {figure['column']}"


def _columns(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, dict[str, Column]]:
    """The columns of all tables, as the newer report has them, by name.

    Those of version 0.3.0 do not say what their columns are; one of the two reports must.
    """
    if "columns" not in old and "columns" not in new:
        raise FormatError(
            "both reports were made by version 0.3.0 or earlier and do not say what their columns "
            "are: make one of them again with tribridge paper"
        )
    stated = old.get("columns", {}) | new.get("columns", {})
    tables = codec.read(stated, dict[str, list[Column]], "columns of the report")
    return {name: {column.name: column for column in table} for name, table in tables.items()}


def _figures(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    columns = _columns(old, new)
    for name, before, after in _changed(old["tables"], new["tables"]):
        if before is None or after is None:
            yield Change("figure", f"table {name}", _there(before), _there(after))
            continue
        stated = columns.get(name, {})
        for key, was, is_now in _changed(_rows(before, stated), _rows(after, stated)):
            where = f"{name}: {', '.join(str(part) for part in key[:-1])}"
            if was is None or is_now is None:
                yield Change("figure", where, _there(was), _there(is_now))
            else:
                yield from _cells(where, was, is_now, stated)


def _there(part: object) -> str | None:
    return None if part is None else "there"


Stated = Mapping[str, Column]
"""The columns of a table by name."""


def _rows(records: list[dict[str, Any]], columns: Stated) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a table by what names them: their texts, and a number where those repeat."""
    verdicts = {name for name, column in columns.items() if column.format is Format.VERDICT}
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for record in records:
        texts = tuple(v for k, v in record.items() if isinstance(v, str) and k not in verdicts)
        first = next(iter(record.values()), "")
        name = texts if isinstance(first, str) else (first, *texts)
        again = 0
        while (*name, again) in rows:
            again += 1
        rows[*name, again] = record
    return rows


def _cells(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], columns: Stated
) -> Iterator[Change]:
    for name, before, after in _changed(old, new):
        column = columns.get(name, Column(name))
        change = Change("figure", f"{where}, {name}", before, after)
        was, is_now = as_number(before), as_number(after)
        if was is None or is_now is None:
            yield change
            continue
        if isclose(was, is_now, rel_tol=_SAME):
            continue
        if column.exact:
            yield change
            continue
        errors = [column.standard_error(row) for row in (old, new)]
        spread = hypot(*(error for error in errors if error is not None))
        if None in errors or not spread:
            yield replace(change, noise=None)
        else:
            z = (is_now - was) / spread
            yield replace(change, z=z, noise=abs(z) <= FAR)
