"""Events on disk: appended and synced before anyone is told.

One SQLite file holds the tables, their events numbered from 1, the secret that signs seats, and
what was computed for reviews. The schema has a version; an older file is brought up to date when
it is opened, a newer one is refused. Appends that come together share one transaction: a thread
writes whatever has queued up, syncs once and then answers all of them.
"""

from __future__ import annotations

import asyncio
import json
import queue
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from tribridge.errors import SettingError
from tribridge.web.errors import StaleError

Event = dict[str, Any]

MIGRATIONS: Final = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE tables (id TEXT PRIMARY KEY, over INTEGER NOT NULL DEFAULT 0,
        opened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE events (tab TEXT NOT NULL REFERENCES tables, number INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, number)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE reviews (tab TEXT NOT NULL REFERENCES tables, deal INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, deal)) WITHOUT ROWID;
    """,
)
"""Each brings the schema from the version of its index to the next."""

_MOST_AT_ONCE: Final = 256


class Store:
    """The file of all tables; one process uses it at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not path.exists():
                path.touch(mode=0o600)  # it holds every hand, and the secret that signs seats
        except OSError as error:
            raise SettingError(f"{path}: {error.strerror}") from None
        try:
            self._db = sqlite3.connect(
                path, timeout=0.5, check_same_thread=False, isolation_level=None
            )
        except sqlite3.Error as error:
            raise SettingError(f"{path}: {error}") from None
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[tuple[str, int, Event, bool, Future[None]] | None] = (
            queue.SimpleQueue()
        )
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise SettingError(f"{path}: {_reason(error)}") from None
        except BaseException:
            self._db.close()
            raise
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def _open(self) -> None:
        # Held as long as the file is open: a second server would play the same seats again.
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise SettingError(
                f"{self.path}: written by a newer version (schema {version}, "
                f"this program knows {len(MIGRATIONS)})"
            )
        for step in range(version, len(MIGRATIONS)):
            self._db.executescript(
                f"BEGIN; {MIGRATIONS[step]} PRAGMA user_version = {step + 1}; COMMIT;"
            )

    def close(self) -> None:
        """Finish what is queued and close the file."""
        self._queue.put(None)
        self._writer.join()
        self._db.close()

    def secret(self) -> bytes:
        """The key that signs seats; made on first use and kept."""
        with self._lock:
            self._db.execute(
                "INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(32),)
            )
            row = self._db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        return bytes.fromhex(row[0])

    async def append(self, table: str, number: int, event: Event, *, over: bool = False) -> None:
        """Store a table's event under its number; returns when it is on disk.

        A number that is taken is refused: someone else was first.
        """
        future: Future[None] = Future()
        self._queue.put((table, number, event, over, future))
        await asyncio.wrap_future(future)

    def events(self, table: str) -> list[Event]:
        """All events of a table in order; none if there is no such table."""
        with self._lock:
            rows = self._db.execute(
                "SELECT body FROM events WHERE tab = ? ORDER BY number", (table,)
            ).fetchall()
        return [json.loads(row[0]) for row in rows]

    def tables(self, *, over: bool) -> Iterator[str]:
        """The names of tables that go on (or are over), the latest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id FROM tables WHERE over = ? ORDER BY opened DESC, rowid DESC", (over,)
            ).fetchall()
        return (row[0] for row in rows)

    def keep_review(self, table: str, deal: int, body: object) -> None:
        """Keep what was computed for the review of a deal."""
        with self._lock:
            self._db.execute(
                "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?)", (table, deal, json.dumps(body))
            )

    def review(self, table: str, deal: int) -> Any:
        """What was kept for the review of a deal; None if nothing was."""
        with self._lock:
            row = self._db.execute(
                "SELECT body FROM reviews WHERE tab = ? AND deal = ?", (table, deal)
            ).fetchone()
        return None if row is None else json.loads(row[0])

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

    def _transaction(self, batch: list[tuple[str, int, Event, bool, Future[None]]]) -> None:
        failed: dict[int, Exception] = {}
        try:
            with self._lock:
                self._db.execute("BEGIN IMMEDIATE")
                for at, (table, number, event, over, _) in enumerate(batch):
                    try:
                        self._insert(table, number, event, over)
                    except sqlite3.IntegrityError:
                        failed[at] = StaleError(f"event {number} of the table is taken")
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            failed = dict.fromkeys(
                range(len(batch)), OSError(f"{self.path}: the events were not stored: {error}")
            )
        for at, (*_, future) in enumerate(batch):
            if not future.set_running_or_notify_cancel():
                continue  # nobody waits for it any more
            if at in failed:
                future.set_exception(failed[at])
            else:
                future.set_result(None)

    def _insert(self, table: str, number: int, event: Event, over: bool) -> None:
        if number == 1:
            self._db.execute("INSERT INTO tables (id) VALUES (?)", (table,))
        self._db.execute(
            "INSERT INTO events VALUES (?, ?, ?)",
            (table, number, json.dumps(event, ensure_ascii=False)),
        )
        if over:
            self._db.execute("UPDATE tables SET over = 1 WHERE id = ?", (table,))


def _reason(error: sqlite3.DatabaseError) -> str:
    text = str(error)
    if "locked" in text:
        return "another server has this file open: stop it, or give another file with --data"
    if "not a database" in text:
        return "not a file of tables"
    return text
