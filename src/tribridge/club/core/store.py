"""Events, stored before they are published, and whatever else a server keeps.

A store holds the tables, their events numbered from 1, the secret that signs seats, what was
computed for reviews, the challenges with their results, which games belong to which device
(`games`), and its answers to puzzles. It is one SQLite file, which one server has open at a time,
or a PostgreSQL database (`postgres.py`), which any number of servers share.

The schema has a number (`schema.py`): an older store is brought up to date when it is opened.

Appends that come together share one transaction: a thread writes whatever has queued up, syncs once
and then answers all of them. If that fails, for example on a full disk, these events are refused
and the next ones are tried again.

Calls of a store block until the database answers. On an event loop they are awaited in the store's
own threads (`Store.apart`, and `apart` for whole methods), so that a database that is slow or
silent holds up nobody who does not need it.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import secrets
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any, ClassVar, Concatenate, Final, NamedTuple, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from tribridge.club.core.events import EVENTS, Event, Opened
from tribridge.club.core.schema import SCHEMA, missing
from tribridge.club.errors import NotStoredError, StaleError
from tribridge.common import codec
from tribridge.common.errors import RunError

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

    def statements(self) -> list[Statement]:
        """The statements that store it; the last but one changes nothing if it comes too late."""
        now, body = time.time(), codec.dumps(self.event, skip_none=True)
        opening: list[Statement] = []
        if self.number == 1:
            listed = isinstance(self.event, Opened) and self.event.options.listed
            opened = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))
            command = (
                "INSERT INTO tables (id, opened, listed, client) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING"
            )
            opening = [(command, (self.table, opened, listed, self.client or None))]
        event = (
            "INSERT INTO events SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM tables WHERE id = ?) "
            "ON CONFLICT (tab, number) DO NOTHING"
        )
        table = (  # when a table was last touched is known to some seconds: most moves leave it
            "UPDATE tables SET over = ?, touched = ?, client = CASE WHEN ? THEN NULL ELSE client "
            "END WHERE id = ? AND (over <> ? OR touched < ?) AND EXISTS "
            "(SELECT 1 FROM events WHERE tab = ? AND number = ? AND body = ?)"
        )
        row = (self.table, self.number, body)
        values = (self.over, now, self.over, self.table, self.over, now - _TOUCHED_WITHIN)
        return [*opening, (event, (*row, self.table)), (table, (*values, *row))]


GAMES_LAST: Final = 400
"""Days, as long as browsers keep the cookie with a player's key."""
FIELD_LASTS: Final = 60
"""Days for which the runs of bots on a day's deals are kept."""
MOST_BYTES: Final = 8 * 1024**3
"""How large a store may become before no more tables are opened and no games imported."""
_MOST_AT_ONCE: Final = 256
_TOUCHED_WITHIN: Final = 5.0
"""Seconds by which the last event of a table may be later than the table says."""
_SECONDS_ALONE: Final = 10.0
"""For which a request waits for what another server is doing."""
_THREADS: Final = 8
"""Calls of a store that may be under way at once."""
_LOG: Final = logging.getLogger("tribridge.club")

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(slots=True)
class Durations:
    """How long something took, as Prometheus counts it."""

    limits: tuple[float, ...] = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
    counts: list[int] = field(default_factory=lambda: [0] * 9)
    """How often it took up to each of the limits, in seconds."""
    number: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.number, self.seconds = self.number + 1, self.seconds + seconds
        for at, limit in enumerate(self.limits):
            self.counts[at] += seconds <= limit


class Store(ABC):
    """What is kept of all tables. An engine says how statements are run."""

    secret: bytes
    """The key that signs seats; made once and kept."""
    shared: ClassVar[bool] = False
    """Whether other servers may use it at the same time."""
    failures: tuple[type[Exception], ...]
    """What an engine raises when it cannot read or write."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._queue: queue.SimpleQueue[_Append | None] = queue.SimpleQueue()
        self._failing = self._closing = False
        self.took = Durations()
        """How long calls of the store took, with the wait for a thread."""
        self._doing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="store")

    async def apart(self, function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """What a function that calls the store returns, from a thread of the store."""
        if self._closing:
            raise NotStoredError("the tables cannot be read right now: try again in a moment")
        call = partial(copy_context().run, function, *args, **named)
        begun = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, call)
        finally:
            self.took.add(time.monotonic() - begun)

    @abstractmethod
    def read(self, query: str, values: Sequence[object]) -> list[Any]:
        """The rows that a query finds."""

    @abstractmethod
    def run(self, statements: Sequence[Statement]) -> list[int]:
        """Run statements in one transaction; how many rows each of them changed."""

    @abstractmethod
    def load(self, parts: Iterable[tuple[str, list[Any]]]) -> None:
        """Run each statement for all of its rows, in one transaction, however long it takes."""

    @abstractmethod
    def size(self) -> int:
        """How many bytes are in use; refused if the store cannot be read."""

    @abstractmethod
    def shut(self) -> None:
        """Close the connection."""

    # What servers that share a store tell each other; one alone has nobody to tell.

    def listen(self, heard: Callable[[str], None]) -> None:  # noqa: B027
        """Hear, in another thread, what the servers of this store tell each other."""

    def tell(self, text: str) -> None:  # noqa: B027
        """Tell the servers of this store something."""

    def claim(self, table: str) -> bool:
        """Become the one server that acts for the bots and the clock of a table, if none is."""
        return True

    def release(self, table: str) -> None:  # noqa: B027
        """Leave a table's bots and clock to others."""

    @asynccontextmanager
    async def alone(self, what: str) -> AsyncIterator[None]:
        """Hold what no other request, here or at another server, may do meanwhile."""
        async with self._doing.setdefault(what, asyncio.Lock()):
            until = time.monotonic() + _SECONDS_ALONE
            while not await self.apart(self.claim, what):
                if time.monotonic() > until:
                    raise NotStoredError("that could not be stored: try again in a moment")
                await asyncio.sleep(0.05)
            try:
                yield
            finally:
                await self.apart(self.release, what)

    def close(self) -> None:
        """Finish what is queued and close the store."""
        self._closing = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._queue.put(None)
        if self._writer.is_alive():
            self._writer.join()
        self.shut()

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

    def events(self, table: str, after: int = 0) -> list[Event]:
        """The events of a table after some number, in order; none if there is no such table."""
        query = "SELECT number, body FROM events WHERE tab = ? AND number > ? ORDER BY number"
        rows = self.rows(query, table, after)
        if [number for number, _ in rows] != list(range(after + 1, after + len(rows) + 1)):
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
        """Refuse to store more when the store is as large as it may be."""
        if self.size() > MOST_BYTES:
            raise NotStoredError("this server has no space for more games: try again in some days")

    def probe(self) -> None:
        """Write something; refused if nothing can be stored."""
        self.change(upsert("meta", "key", key="probed", value=str(int(time.time()))))

    def expire(self, days: float) -> int:
        """Delete what nobody needs; returns how many tables.

        Tables without an event for that many days go if they are unfinished, or if nobody has them
        among their games. Games, imported ones included, go when their player has not been here
        for `GAMES_LAST` days. The bots' runs of a day go after `FIELD_LASTS` days.
        """
        now = time.time()
        old = (
            f"SELECT id FROM tables WHERE touched < {now - days * 86400:.0f} AND NOT "
            "(over AND EXISTS (SELECT 1 FROM games WHERE tab = tables.id AND body IS NULL))"
        )
        limit = f"{now - GAMES_LAST * 86400:.0f}"
        played = time.strftime("%Y-%m-%d", time.gmtime(now - FIELD_LASTS * 86400))
        commands = [
            *(f"DELETE FROM {part} WHERE seen < {limit}" for part in ("games", "puzzle_answers")),
            *(f"DELETE FROM {part} WHERE tab IN ({old})" for part in ("events", "reviews")),
            f"DELETE FROM entries WHERE player LIKE 'f:%' AND challenge < '{played}'",
            f"DELETE FROM games WHERE body IS NULL AND tab IN ({old})",
            f"DELETE FROM tables WHERE id IN ({old})",
        ]
        try:
            return self.run([(command, ()) for command in commands])[-1]
        except self.failures as error:  # the next start deletes them
            _LOG.warning("%s: old tables were not deleted: %s", self.name, error)
            return 0

    def rows(self, query: str, *values: object) -> list[Any]:
        """The rows that a query finds; refused if the store cannot be read."""
        try:
            return self.read(query, values)
        except self.failures as error:
            _LOG.warning("%s cannot be read: %s", self.name, error)
            raise NotStoredError(
                "the tables cannot be read right now: try again in a moment"
            ) from None

    def change(self, *statements: Statement) -> None:
        """Run statements in one transaction; refused if they cannot be stored."""
        try:
            self.run(statements)
        except self.failures as error:
            _LOG.warning("%s: a change was not stored: %s", self.name, error)
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
        failed = NotStoredError("that could not be stored: try again in a moment")
        refusals: list[Exception | None] = [failed for _ in batch]
        try:
            statements = [item.statements() for item in batch]
            counts = iter(self.run([each for item in statements for each in item]))
            for at, item in enumerate(batch):
                stored = [next(counts) for _ in statements[at]][-2]
                taken = StaleError("event {number} of the table is taken", number=item.number)
                refusals[at] = None if stored else taken
            self._failing = False
        except Exception as error:  # whatever it is, those who wait are answered
            if not self._failing:  # once, not for every event of every table
                _LOG.error("%s: events are not stored: %s", self.name, error)
            self._failing = True
        for item, refused in zip(batch, refusals, strict=True):
            if not item.done.set_running_or_notify_cancel():
                continue  # nobody waits for it any more
            if refused is None:
                item.done.set_result(None)
            else:
                item.done.set_exception(refused)


class HasStore(Protocol):
    """Whatever keeps something in a store."""

    store: Store


S = TypeVar("S", bound=HasStore)


def apart(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """A method that calls the store, to be awaited: it runs in a thread of its object's store."""

    @wraps(method)
    async def awaited(owner: S, /, *args: P.args, **named: P.kwargs) -> T:
        return await owner.store.apart(method, owner, *args, **named)

    return awaited


class SqliteStore(Store):
    """A file; one server has it open at a time."""

    failures = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not path.exists():
                path.touch(mode=0o600)  # it holds every hand, and the secret that signs seats
            self._db = sqlite3.connect(
                path, timeout=0.5, check_same_thread=False, isolation_level=None
            )
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from None
        except sqlite3.Error as error:
            raise RunError(f"{path}: {error}") from None
        self._lock = threading.Lock()
        try:
            self._open()
            new = ("secret", secrets.token_bytes(32).hex())
            self.run([("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING", new)])
            secret = self.read("SELECT value FROM meta WHERE key = 'secret'", ())
            self.secret = bytes.fromhex(secret[0][0])
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise RunError(f"{path}: {_reason(error)}") from None
        except BaseException:
            self._db.close()
            raise
        self._writer.start()

    def _open(self) -> None:
        # Locked as long as the file is open: a second server would play the same seats again.
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if steps := missing(self.name, version):
            made = "".join(step.both for step in steps)
            self._db.executescript(f"BEGIN; {made} PRAGMA user_version = {SCHEMA}; COMMIT;")

    def read(self, query: str, values: Sequence[object]) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def run(self, statements: Sequence[Statement]) -> list[int]:
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            return [self._db.execute(*statement).rowcount for statement in statements]

    def load(self, parts: Iterable[tuple[str, list[Any]]]) -> None:
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for statement, rows in parts:
                self._db.executemany(statement, rows)

    def size(self) -> int:
        sizes = ("page_count", "freelist_count", "page_size")
        pages, free, size = (self.rows(f"PRAGMA {name}")[0][0] for name in sizes)
        return int((pages - free) * size)

    def back_up(self, path: Path) -> None:
        """Copy the store to a file, which is replaced when the copy is complete.

        No other program can read the store while a server has it open. Writers wait meanwhile.
        """
        part = path.with_name(f"{path.name}.part")
        try:
            part.unlink(missing_ok=True)
            part.touch(mode=0o600)
            with closing(sqlite3.connect(part)) as copy, self._lock:
                self._db.backup(copy)
            part.replace(path)
        except (OSError, sqlite3.Error) as error:
            raise RunError(f"{path}: no backup was made: {error}") from None

    def shut(self) -> None:
        with self._lock:  # SQLite crashes when a connection is closed in the middle of a query
            self._db.close()


def _reason(error: sqlite3.DatabaseError) -> str:
    """Why a file cannot be opened."""
    reasons = {
        sqlite3.SQLITE_BUSY: "another server has this file open: stop it, or use another file",
        sqlite3.SQLITE_NOTADB: "not a Tribridge table file",
    }
    return reasons.get(error.sqlite_errorcode & 0xFF, str(error))  # without the extension
