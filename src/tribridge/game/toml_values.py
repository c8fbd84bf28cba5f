"""Reading the TOML files of scoring schemes and laws: tables, numbers, and errors in one line."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

from tribridge.errors import FormatError, NotFoundError

T = TypeVar("T")

_MOST_DIGITS: Final = 12


def points_name(points: Fraction) -> str:
    """Write points without needless decimals: `30`, `-3.5`.

    >>> points_name(Fraction(7, 2)), points_name(Fraction(30))
    ('3.5', '30')
    """
    if points.denominator == 1:
        return str(points.numerator)
    return f"{Decimal(points.numerator) / Decimal(points.denominator):f}"


def loads_tables(text: str, source: str, kind: str) -> dict[str, Any]:
    """The tables of a TOML text with exact numbers; `source` names it in errors."""
    try:
        data = tomllib.loads(text, parse_float=_fraction)
    except ValueError as error:  # broken TOML, or an absurd number
        raise FormatError(f"{source}: {error}") from None
    except RecursionError:
        raise FormatError(f"{source}: nested too deeply") from None
    if not data:
        raise FormatError(f"{source}: no {kind} in it")
    return data


def read_toml(path: Path) -> str:
    """The text of a user's file."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not a text file") from None


def split_file_name(text: str, kind: str, known: Collection[str]) -> tuple[Path, str]:
    """The path and the name in `FILE` or `FILE:NAME`; anything but a TOML file is refused."""
    file, _, name = text.partition(":") if ".toml:" in text else (text, "", "")
    if not file.endswith(".toml"):
        raise NotFoundError(f"unknown {kind} {text!r}: expected {', '.join(known)} or a TOML file")
    if not Path(file).is_file():
        raise NotFoundError(f"{file}: no such {kind} file")
    return Path(file), name


def pick(entries: Mapping[str, T], name: str, path: Path, kinds: str) -> T:
    """The entry of a file by name, or its only one."""
    if not name and len(entries) == 1:
        return next(iter(entries.values()))
    if name not in entries:
        raise NotFoundError(f"{path} has the {kinds} {', '.join(entries)}: write {path}:NAME")
    return entries[name]


def table(value: Any, where: str, keys: Collection[str]) -> dict[str, Any]:
    """A table that has no other keys than these."""
    if not isinstance(value, dict):
        raise FormatError(f"{where}: expected a table with {', '.join(sorted(keys))}")
    unknown = value.keys() - set(keys)
    if unknown:
        raise FormatError(
            f"{where}: unknown entry {min(unknown)!r}: expected {', '.join(sorted(keys))}"
        )
    return value


def number(entries: dict[str, Any], key: str, where: str, default: int | None = None) -> Fraction:
    """A number of points, 0 or more."""
    value = entries.get(key, default)
    if value is None:
        raise FormatError(f"{where}: {key} is missing")
    return _points(value, key, where)


def numbers(entries: dict[str, Any], key: str, where: str) -> tuple[Fraction, ...]:
    """A list of at least one number of points; none if the key is missing."""
    values = entries.get(key)
    if values is None:
        return ()
    if not isinstance(values, list) or not values:
        raise FormatError(f"{where}: {key} must be a list of numbers, not {values!r}")
    return tuple(_points(value, key, where) for value in values)


def choice(
    entries: dict[str, Any], key: str, where: str, choices: Collection[Any], default: Any = None
) -> Any:
    """One of a few words or truth values."""
    value = entries.get(key, default)
    if value is None:
        raise FormatError(f"{where}: {key} is missing")
    if not any(value is word or (isinstance(value, str) and value == word) for word in choices):
        listed = ", ".join(_toml_name(word) for word in choices)
        raise FormatError(f"{where}: {key} must be one of {listed}, not {_toml_name(value)}")
    return value


def _toml_name(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _points(value: Any, key: str, where: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise FormatError(f"{where}: {key} must be a number, 0 or more, not {value!r}")
    points = Fraction(value)
    if abs(points) > 10**_MOST_DIGITS:
        raise FormatError(f"{where}: {key} must be a number up to 10^{_MOST_DIGITS}")
    if points < 0:
        raise FormatError(f"{where}: {key} must be a number, 0 or more, not {points_name(points)}")
    return points


def _fraction(text: str) -> Fraction:
    """A number from the file, exactly; one too large or too precise for points is an error."""
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"{text} is not a number of points")
    return Fraction(number)
