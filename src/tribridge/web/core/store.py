"""Events on disk: appended and synced before they are published.

One SQLite file holds the tables, their events numbered from 1, the secret that signs seats, what
was computed for reviews, the challenges with their results, which games belong to which device
(`games`), and its answers to puzzles. The schema has a version; a file of version 0.2.0 is
brought up to date when it is opened. Appends that come together share one
transaction: a thread writes whatever has queued up, syncs once and then answers all of them. If
that fails, for example on a full disk, these events are refused and the next ones are tried again.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import secrets
import sqlite3
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from tribridge import codec
from tribridge.errors import RunError
from tribridge.web.core.events import EVENTS, Event, Opened
from tribridge.web.errors import NotStoredError, StaleError

_RELEASED: Final = 3
"""The schema of version 0.2.0."""
_SCHEMA: Final = 10
SCHEMAS: Final = {
    0: """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE tables (id TEXT PRIMARY KEY, over INTEGER NOT NULL DEFAULT 0,
        opened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, touched INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE events (tab TEXT NOT NULL REFERENCES tables, number INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, number)) WITHOUT ROWID;
    CREATE TABLE reviews (tab TEXT NOT NULL REFERENCES tables, deal INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, deal)) WITHOUT ROWID;
    CREATE INDEX tables_touched ON tables (over, touched);
    """,
    _RELEASED: """
    ALTER TABLE tables ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN client TEXT;
    CREATE INDEX tables_client ON tables (client) WHERE client IS NOT NULL;
    CREATE TABLE challenges (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE entries (challenge TEXT NOT NULL, player TEXT NOT NULL, tab TEXT NOT NULL,
        body TEXT, PRIMARY KEY (challenge, player)) WITHOUT ROWID;
    CREATE TABLE games (device TEXT NOT NULL, tab TEXT NOT NULL, seat TEXT NOT NULL,
        serial INTEGER NOT NULL, body TEXT, date TEXT NOT NULL DEFAULT '',
        seen INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (device, tab, seat)) WITHOUT ROWID;
    CREATE INDEX games_tab ON games (tab);
    """,
    8: """
    CREATE TABLE puzzle_answers (device TEXT NOT NULL, puzzle TEXT NOT NULL,
        number INTEGER NOT NULL, answer TEXT NOT NULL, solved INTEGER NOT NULL,
        missed INTEGER NOT NULL, daily TEXT NOT NULL, rating REAL NOT NULL,
        deviation REAL NOT NULL, volatility REAL NOT NULL, seen INTEGER NOT NULL,
        PRIMARY KEY (device, puzzle)) WITHOUT ROWID;
    CREATE TABLE puzzle_ratings (puzzle TEXT PRIMARY KEY, rating REAL NOT NULL,
        deviation REAL NOT NULL, volatility REAL NOT NULL) WITHOUT ROWID;
    """,
    9: """
    DROP TABLE IF EXISTS arena_matches;
    DROP TABLE IF EXISTS arena_deals;
    """,
}
"""What files of these versions still need: an empty one, that of 0.2.0, one before puzzles, one
with matches of strategies."""


Statement = tuple[str, tuple[object, ...]]
"""A statement with its values, in the SQL that both SQLite and PostgreSQL know."""


def upsert(part: str, keys: str, **row: object) -> Statement:
    """Write a row in place of the one with the same keys, if there is one.

    >>> upsert("meta", "key", key="a", value="b")[0].partition(" ON ")[2]
    'CONFLICT (key) DO UPDATE SET value = excluded.value'
    """
    marks, names = ", ".join("?" for _ in row), ", ".join(row)
    rest = ", ".join(f"{name} = excluded.{name}" for name in row if name not in keys.split(", "))
    text = (
        f"INSERT INTO {part} ({names}) VALUES ({marks}) ON CONFLICT ({keys}) DO UPDATE SET {rest}"
    )
    return text, tuple(row.values())


class _Append(NamedTuple):
    """An event to be stored, and who waits for it."""

    table: str
    number: int
    event: Event
    over: bool
    client: str
    done: Future[None]


GAMES_LAST: Final = 400
"""Days, as long as browsers keep the cookie with a player's key."""
MOST_BYTES: Final = 8 * 1024**3
"""How large the file may become before no more tables are opened and no games imported."""
_MOST_AT_ONCE: Final = 256
_LOG: Final = logging.getLogger("tribridge.web")


class Store:
    """The file of all tables; one process uses it at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not path.exists():
                path.touch(mode=0o600)  # it holds every hand, and the secret that signs seats
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from None
        try:
            self._db = sqlite3.connect(
                path, timeout=0.5, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise RunError(f"{path}: {error}") from None
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[_Append | None] = queue.SimpleQueue()
        self._failing = False
        try:
            self._open()
            self.secret = self._secret()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise RunError(f"{path}: {_reason(error)}") from None
        except BaseException:
            self._db.close()
            raise
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def _open(self) -> None:
        # Locked as long as the file is open: a second server would play the same seats again.
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (*SCHEMAS, _SCHEMA):
            age = "newer" if version > _SCHEMA else "development"
            raise RunError(
                f"{self.path}: written by a {age} version (schema {version}, "
                f"this program knows {_RELEASED} and {_SCHEMA})"
            )
        if version != _SCHEMA:
            missing = "".join(text for since, text in SCHEMAS.items() if since >= version)
            self._db.executescript(f"BEGIN; {missing} PRAGMA user_version = {_SCHEMA}; COMMIT;")

    def close(self) -> None:
        """Finish what is queued and close the file."""
        self._queue.put(None)
        self._writer.join()
        with self._lock:  # SQLite crashes when a connection is closed in the middle of a query
            self._db.close()

    def _secret(self) -> bytes:
        """The key that signs seats; made on first use and kept."""
        row = self._db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        if row is not None:
            return bytes.fromhex(row[0])
        secret = secrets.token_bytes(32)
        self._db.execute("INSERT INTO meta VALUES ('secret', ?)", (secret.hex(),))
        return secret

    async def append(
        self, table: str, number: int, event: Event, *, over: bool = False, client: str = ""
    ) -> None:
        """Store a table's event under its number; returns when it is on disk.

        A number already taken is refused: someone else was first. `client`, who opened the table,
        is kept until it is over.
        """
        future: Future[None] = Future()
        self._queue.put(_Append(table, number, event, over, client, future))
        await asyncio.wrap_future(future)

    def events(self, table: str) -> list[Event]:
        """The events of a table in order; none if there is no such table."""
        rows = self.rows("SELECT number, body FROM events WHERE tab = ? ORDER BY number", table)
        if [number for number, _ in rows] != list(range(1, len(rows) + 1)):
            raise ValueError(f"table {table}: events are missing")
        text = f"[{','.join(body for _, body in rows)}]"
        return codec.loads(text, EVENTS, f"table {table}")

    def tables(self, *, over: bool, listed: bool = False) -> list[str]:
        """The names of unfinished (or finished) tables, most recent events first.

        With `listed`, only those that the lobby lists.
        """
        rows = self.rows(
            "SELECT id FROM tables WHERE over = ? AND listed >= ? ORDER BY touched DESC",
            over,
            listed,
        )
        return [row[0] for row in rows]

    def check_space(self) -> None:
        """Refuse to store more when the file is as large as it may be."""
        sizes = ("page_count", "freelist_count", "page_size")
        pages, free, size = (self.rows(f"PRAGMA {name}")[0][0] for name in sizes)
        if (pages - free) * size > MOST_BYTES:
            raise NotStoredError("this server has no space for more games: try again in some days")

    def expire(self, days: float) -> int:
        """Delete what nobody needs; returns how many tables.

        Tables without an event for that many days go if they are unfinished, or if nobody has them
        among their games. Games, imported ones included, go when their player has not been here
        for `GAMES_LAST` days.
        """
        now = time.time()
        old = (
            f"SELECT id FROM tables WHERE touched < {now - days * 86400:.0f} AND NOT "
            "(over AND EXISTS (SELECT 1 FROM games WHERE tab = tables.id AND body IS NULL))"
        )
        try:
            with self._lock, self._db:
                self._db.execute("BEGIN IMMEDIATE")
                for part in ("games", "puzzle_answers"):
                    limit = now - GAMES_LAST * 86400
                    self._db.execute(f"DELETE FROM {part} WHERE seen < {limit:.0f}")
                for part in ("events", "reviews"):
                    self._db.execute(f"DELETE FROM {part} WHERE tab IN ({old})")
                self._db.execute(f"DELETE FROM games WHERE body IS NULL AND tab IN ({old})")
                return self._db.execute(f"DELETE FROM tables WHERE id IN ({old})").rowcount
        except sqlite3.ProgrammingError:  # closed meanwhile: the next start deletes them
            return 0
        except sqlite3.Error as error:
            _LOG.warning("%s: old tables were not deleted: %s", self.path, error)
            return 0

    def rows(self, query: str, *values: object) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            _LOG.warning("%s cannot be read: %s", self.path, error)
            raise NotStoredError(
                "the tables cannot be read right now: try again in a moment"
            ) from None

    def change(self, *statements: Statement) -> None:
        """Run statements in one transaction."""
        try:
            with self._lock, self._db:
                self._db.execute("BEGIN IMMEDIATE")
                for statement, values in statements:
                    self._db.execute(statement, values)
        except sqlite3.Error as error:
            _LOG.warning("%s: a change was not stored: %s", self.path, error)
            raise NotStoredError("that could not be stored: try again in a moment") from None

    def _write(self) -> None:
        """The writer's thread: one transaction for all that is waiting."""
        while (item := self._queue.get()) is not None:
            batch, last = [item], False
            while len(batch) < _MOST_AT_ONCE and not self._queue.empty():
                more = self._queue.get()
                if more is None:
                    last = True
                    break
                batch.append(more)
            self._transaction(batch)
            if last:
                return

    def _transaction(self, batch: list[_Append]) -> None:
        failed: dict[int, Exception] = {}
        try:
            with self._lock:
                self._db.execute("BEGIN IMMEDIATE")
                for at, item in enumerate(batch):
                    try:
                        self._insert(item)
                    except sqlite3.IntegrityError:
                        failed[at] = StaleError(
                            "event {number} of the table is taken", number=item.number
                        )
                self._db.execute("COMMIT")
            self._failing = False
        except Exception as error:  # whatever it is, those who wait are answered
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            if not self._failing:  # once, not for every event of every table
                _LOG.error("%s: events are not stored: %s", self.path, error)
            self._failing = True
            refusal = NotStoredError("that could not be stored: try again in a moment")
            failed = dict.fromkeys(range(len(batch)), refusal)
        for at, (*_, future) in enumerate(batch):
            if not future.set_running_or_notify_cancel():
                continue  # nobody waits for it any more
            if at in failed:
                future.set_exception(failed[at])
            else:
                future.set_result(None)

    def _insert(self, item: _Append) -> None:
        table, number, event, over, client, _ = item
        if number == 1:
            row = (table, isinstance(event, Opened) and event.options.listed, client or None)
            self._db.execute("INSERT INTO tables (id, listed, client) VALUES (?, ?, ?)", row)
        self._db.execute(
            "INSERT INTO events VALUES (?, ?, ?)",
            (table, number, codec.dumps(event, skip_none=True)),
        )
        self._db.execute(
            "UPDATE tables SET over = ?1, touched = ?3, "
            "client = CASE WHEN ?1 THEN NULL ELSE client END WHERE id = ?2",
            (over, table, time.time()),
        )


def _reason(error: sqlite3.DatabaseError) -> str:
    text = str(error)
    if "locked" in text:
        return "another server has this file open: stop it, or choose another file with --data"
    if "not a database" in text:
        return "not a Tribridge table file"
    return text
