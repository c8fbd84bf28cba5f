"""Reading the TOML files of scoring schemes and laws: tables, numbers, and errors in one line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from tribridge.common.errors import FormatError, NotFoundError, shown

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


def toml_text(value: Any) -> str:
    """A value as TOML on one line.

    >>> toml_text({"game": Fraction(7, 2), "1+1": [True, "a"]})
    '{game = 3.5, "1+1" = [true, "a"]}'
    """
    if isinstance(value, dict):
        keys = [key if key.isidentifier() and key.isascii() else json.dumps(key) for key in value]
        parts = (
            f"{key} = {toml_text(item)}" for key, item in zip(keys, value.values(), strict=True)
        )
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return (
        points_name(value) if isinstance(value, Fraction) else json.dumps(value, ensure_ascii=False)
    )


class TomlValues(Generic[T]):
    """Values from the tables of a TOML file: that of the package, or a user's of the same form."""

    def __init__(
        self, file: str, kind: str, value: type[T], read: Callable[[str, Any, str], T]
    ) -> None:
        self.file, self.kind, self._type, self._read = file, kind, value, read

    @cached_property
    def tables(self) -> Mapping[str, Any]:
        """The tables of the package, on which others may build."""
        text = resources.files("tribridge.game").joinpath(self.file).read_text("utf-8")
        return self._tables(text, self.file)

    @cached_property
    def known(self) -> Mapping[str, T]:
        """The values of the package, by name."""
        return self._values(self.tables, self.file)

    def loads(self, text: str, source: str) -> dict[str, T]:
        """Read values from the text of a TOML file; `source` names it in errors."""
        return self._values(self._tables(text, source), source)

    def load(self, path: Path) -> dict[str, T]:
        """Read values from a user's file."""
        try:
            return self.loads(path.read_text("utf-8"), str(path))
        except UnicodeDecodeError:
            raise FormatError(f"{path}: not a text file") from None

    def named(self, text: object) -> T | None:
        """A value by name or by its table as text; None if there is none, and never a file."""
        if not isinstance(text, str):
            return None
        if "= {" in text:
            return next(iter(self.loads(text, f"{self.kind} {shown(text)}").values()))
        return self.known.get(text)

    def find(self, given: T | str) -> T:
        """A value: itself, by name, by its table, or from a file as `FILE` or `FILE:NAME`."""
        value = given if isinstance(given, self._type) else self.named(given)
        if value is not None:
            return value
        text = given if isinstance(given, str) else ""
        file, _, name = text.partition(":") if ".toml:" in text else (text, "", "")
        if not file.endswith(".toml"):
            expected = f"{', '.join(self.known)} or a TOML file"
            raise NotFoundError(f"unknown {self.kind} {shown(given)}: expected {expected}")
        if not Path(file).is_file():
            raise NotFoundError(f"{file}: no such {self.kind} file")
        values = self.load(Path(file))
        if not name and len(values) == 1:
            return next(iter(values.values()))
        if name not in values:
            kinds = self.kind.split()[-1].rstrip("s") + "s"
            raise NotFoundError(f"{file} has the {kinds} {', '.join(values)}: write {file}:NAME")
        return values[name]

    def entries(self, value: Any, where: str, keys: Collection[str]) -> Entries:
        """A table with the entries of the table of the package that it changes, if any."""
        own = Entries(value, where, (*keys, "base")).values
        return Entries(self._with_base(own, where), where, keys)

    def _with_base(self, data: dict[str, Any], where: str) -> dict[str, Any]:
        if "base" not in data:
            return data
        base = self.tables.get(data["base"]) if isinstance(data["base"], str) else None
        if base is None:
            known = ", ".join(self.tables)
            raise FormatError(f"{where}: base must be one of {known}, not {data['base']!r}")
        own = {key: value for key, value in data.items() if key != "base"}
        return self._with_base(base, where) | own

    def _tables(self, text: str, source: str) -> dict[str, Any]:
        """The tables of a text, with exact numbers."""
        try:
            data = tomllib.loads(text, parse_float=_fraction)
        except ValueError as error:  # broken TOML, or an absurd number
            raise FormatError(f"{source}: {error}") from None
        except RecursionError:
            raise FormatError(f"{source}: nested too deeply") from None
        if not data:
            raise FormatError(f"{source}: no {self.kind} in it")
        return data

    def _values(self, tables: Mapping[str, Any], source: str) -> dict[str, T]:
        return {
            name: self._read(name, entry, f"{source}, [{name!r}]") for name, entry in tables.items()
        }


class Entries:
    """A table of a file, which has no other keys than these, and where it is, for errors."""

    def __init__(self, value: Any, where: str, keys: Collection[str]) -> None:
        if not isinstance(value, dict):
            raise FormatError(f"{where}: expected a table with {', '.join(sorted(keys))}")
        unknown = value.keys() - set(keys)
        if unknown:
            raise FormatError(
                f"{where}: unknown entry {min(unknown)!r}: expected {', '.join(sorted(keys))}"
            )
        self.values: dict[str, Any] = value
        self.where = where

    def table(self, key: str, keys: Collection[str], default: Any = None) -> Entries:
        """The table of a key."""
        return Entries(self.values.get(key, default), f"{self.where}, {key}", keys)

    def number(self, key: str, default: int | None = None) -> Fraction:
        """A number of points, 0 or more."""
        return _points(self._given(key, default), key, self.where)

    def numbers(self, key: str) -> tuple[Fraction, ...]:
        """A list of at least one number of points; none if the key is missing."""
        values = self.values.get(key)
        if values is None:
            return ()
        if not isinstance(values, list) or not values:
            raise FormatError(f"{self.where}: {key} must be a list of numbers, not {values!r}")
        return tuple(_points(value, key, self.where) for value in values)

    def choice(self, key: str, choices: Collection[Any], default: Any = None) -> Any:
        """One of a few words or truth values."""
        value = self._given(key, default)
        if not any(value is word or (isinstance(value, str) and value == word) for word in choices):
            names, given = ", ".join(map(_toml_name, choices)), _toml_name(value)
            raise FormatError(f"{self.where}: {key} must be one of {names}, not {given}")
        return value

    def _given(self, key: str, default: Any) -> Any:
        value = self.values.get(key, default)
        if value is None:
            raise FormatError(f"{self.where}: {key} is missing")
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
