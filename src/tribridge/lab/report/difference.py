"""Two reports compared: changed verdicts, then figures that moved beyond noise, then the others.

Noise is judged for each number by itself, from what its own row says: a column `standard error` or
`se`, the ends of an interval (`from` and `to`), or the number of deals of a percentage or a count.
A difference of at most `FAR` standard errors is within noise. Where seeds and all other settings
are the same, runs are deterministic and no change is noise; nor is a change of an exact number. A
number that says nothing about its error, such as the p-value of a test, is not judged. Timings are
not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import hypot, isclose, sqrt
from pathlib import Path
from typing import Any, Final, TypeGuard

from tribridge.common.errors import FormatError, NotFoundError
from tribridge.lab.studies.published import FAR

NAME: Final = "report.json"
_NORMAL: Final = 1.959964
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


def _figures(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name, before, after in _changed(old["tables"], new["tables"]):
        if before is None or after is None:
            yield Change("figure", f"table {name}", _there(before), _there(after))
            continue
        for key, was, is_now in _changed(_rows(before), _rows(after)):
            where = f"{name}: {', '.join(str(part) for part in key[:-1])}"
            if was is None or is_now is None:
                yield Change("figure", where, _there(was), _there(is_now))
            else:
                yield from _cells(where, was, is_now)


def _there(part: object) -> str | None:
    return None if part is None else "there"


def _rows(records: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a table by what names them: their texts, and a number where those repeat."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for record in records:
        texts = tuple(v for k, v in record.items() if isinstance(v, str) and "verdict" not in k)
        first = next(iter(record.values()), "")
        name = texts if isinstance(first, str) else (first, *texts)
        again = 0
        while (*name, again) in rows:
            again += 1
        rows[*name, again] = record
    return rows


def _cells(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for column, before, after in _changed(old, new):
        if _close(before, after):
            continue
        place = f"{where}, {column}"
        if "exact" in column or not (_number(before) and _number(after)):
            yield Change("figure", place, before, after)
            continue
        errors = [error for row in (old, new) if (error := _error(row, column)) is not None]
        spread = hypot(*errors)
        if len(errors) < 2 or not spread:
            yield Change("figure", place, before, after, noise=None)
        else:
            z = (after - before) / spread
            yield Change("figure", place, before, after, z, abs(z) <= FAR)


_DERIVED: Final = frozenset(
    ("standard error", "se", "from", "to", "of", "deals", "games", "sample", "statistic", "df",
     "size", "t", "p", "p (Holm)")
)  # fmt: skip
"""Columns about the precision of others."""


def _error(row: Mapping[str, Any], column: str) -> float | None:
    """The standard error of a number, from its row."""
    if column in _DERIVED or column.split()[0] == "z":
        return None
    whole = next((row[name] for name in ("of", "deals", "games") if _number(row.get(name))), 0)
    if whole and column == "count" and 0 <= row[column] <= whole:
        return sqrt(row[column] * (1 - row[column] / whole))
    for name in ("standard error", "se"):
        if _number(row.get(name)):
            return float(row[name])
    low, high = row.get("from"), row.get("to")
    if _number(low) and _number(high):
        return float(high - low) / (2 * _NORMAL)
    share = row[column] / 100
    if whole and "%" in column and 0 <= share <= 1:
        return 100 * sqrt(share * (1 - share) / whole)
    return None


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _close(before: Any, after: Any) -> bool:
    return _number(before) and _number(after) and isclose(before, after, rel_tol=_SAME)
