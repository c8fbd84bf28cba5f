"""Which store it is, and how one is copied to another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.store import SqliteStore, Store
from tribridge.common.errors import RunError, SettingError, first_line, need

_COPIED: Final = {
    "meta": "key, value",
    "tables": "id, over, opened, touched, listed, client",
    "events": "tab, number, body",
    "reviews": "tab, deal, body",
    "challenges": "id, body",
    "entries": "challenge, player, tab, body",
    "games": "device, tab, seat, serial, body, date, seen",
    "puzzle_answers": "device, puzzle, number, answer, solved, missed, daily, rating, deviation, "
    "volatility, seen",
    "puzzle_ratings": "puzzle, rating, deviation, volatility",
}
"""What a store holds, in an order in which it can be copied."""
_TRUTHS: Final = {"over", "listed", "solved", "missed"}
"""Columns of yes and no, for which SQLite gives numbers."""


def copy_store(source: Store, target: Store) -> dict[str, int]:
    """Copy everything into an empty store, or nothing; returns the number of rows by what they are.

    The secret is copied, too, so that everybody keeps their seats.
    """
    if target.rows("SELECT 1 FROM tables LIMIT 1"):
        raise RunError(f"{target.name}: there are tables already: copy to an empty store")
    copied = {}

    def parts() -> Iterator[tuple[str, list[Any]]]:
        for part, columns in _COPIED.items():
            names = columns.split(", ")
            where = "WHERE key = 'secret'" if part == "meta" else ""
            rows = [
                tuple(bool(v) if name in _TRUTHS else v for name, v in zip(names, row, strict=True))
                for row in source.rows(f"SELECT {columns} FROM {part} {where}")
            ]
            copied[part] = len(rows)
            command = f"INSERT INTO {part} ({columns}) VALUES ({', '.join('?' for _ in names)})"
            if part == "meta":
                command += " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            yield command, rows

    try:
        target.load(parts())
    except target.failures as error:
        raise RunError(f"{target.name}: nothing was copied: {first_line(error, '?')}") from None
    return copied


def read_store(text: str) -> str | Path:
    """The URL of a database, or the path of a file."""
    scheme, separator, _ = text.partition("://")
    if not separator:
        return Path(text)
    if scheme not in ("postgresql", "postgres"):
        raise SettingError(f"{scheme}://: expected postgresql://USER@HOST/DATABASE or a file")
    need("psycopg")
    return text


def open_store(where: Path | str) -> Store:
    """The store in a file, or in the database of a URL: `postgresql://...`."""
    if isinstance(where, Path):
        return SqliteStore(where)
    return PostgresStore(where)
