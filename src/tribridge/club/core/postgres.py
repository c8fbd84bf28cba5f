"""A store in PostgreSQL, shared by any number of servers and workers.

Events are unique by table and number, so of two servers that act at once one is refused. The
database notifies all servers of every event (`LISTEN`), and they tell each other who is there and
what clients have used. What the memory of a server holds is a copy: after a lost connection it
reads again.

A server that acts for the bots of a table holds a lease, which it renews while it is alive and
which lapses by the database's clock: a server that is frozen, and not only one that is gone, loses
it. What it does when it wakes up comes too late: the number of its event is taken.

Nothing waits for long: a connection that does not answer is given up after a few seconds, and for
a moment nothing else is tried.
"""

from __future__ import annotations

import logging
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from math import inf
from socket import SHUT_RDWR, socket
from typing import Any, Final, TypeVar

from tribridge.club.core.schema import SCHEMA, missing
from tribridge.club.core.store import Statement, Store, upsert
from tribridge.common.errors import RunError, first_line, need

T = TypeVar("T")

_PATIENCE: Final = 2
"""Seconds until a connection that does not answer is given up."""
_SILENT: Final = 2 * _PATIENCE + 1
"""Seconds until a database that keeps silent is given up: it ends long statements by itself."""
_LOOK: Final = 0.5
"""Seconds between two looks at connections that may be silent."""
_REST: Final = 0.5
"""Seconds after a failure in which nothing is tried."""
_SETTINGS: Final = {
    "connect_timeout": _PATIENCE,
    "tcp_user_timeout": 1000 * _PATIENCE,
    "keepalives_idle": _PATIENCE,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}
_LEASE: Final = 6.0
"""Seconds that a lease holds unless it is renewed."""
_BEAT: Final = 2.0
"""Seconds between two renewals."""
_LIMITS: Final = (
    f"SET statement_timeout = '{2 * _PATIENCE}s'",
    f"SET idle_in_transaction_session_timeout = '{2 * _PATIENCE}s'",
)
_LOG: Final = logging.getLogger("tribridge.club")


@lru_cache(maxsize=256)
def _adapted(query: str) -> str:
    """A query with the marks of PostgreSQL for its values.

    >>> _adapted("SELECT 1 FROM entries WHERE challenge = ? AND player LIKE 'b:%'")
    "SELECT 1 FROM entries WHERE challenge = %s AND player LIKE 'b:%%'"
    """
    return query.replace("%", "%%").replace("?", "%s")


class _Line:
    """A connection, made when it is needed and again after it has broken."""

    def __init__(self, url: str) -> None:
        self._url, self._lock = url, threading.Lock()
        self._connection: Any = None
        self._rest = 0.0
        self._begun = inf
        self.opened = 0
        """How often it was made."""

    def use(self, work: Callable[[Any], T]) -> T:
        """Do something with the connection; refused for a moment after it has failed."""
        psycopg = need("psycopg")
        with self._lock:
            if time.monotonic() < self._rest:
                raise psycopg.OperationalError("the database cannot be reached")
            known = self._connection is not None
            self._begun = time.monotonic()
            try:
                return work(self._connected())
            except (psycopg.OperationalError, psycopg.InterfaceError):
                lost = self._connection is None or self._connection.broken
                self._drop()
                if not (known and lost):  # a new one failed, or a statement took too long
                    self._rest = time.monotonic() + _REST
                raise
            finally:
                self._begun = inf

    def execute(self, query: str, values: Sequence[object]) -> Any:
        """Run one statement; its cursor."""
        return self.use(lambda connection: connection.execute(query, values))

    def check(self) -> None:
        """Cut the connection if it has not answered for too long: whoever waits gets an error."""
        connection = self._connection
        if time.monotonic() > self._begun + _SILENT and connection is not None:
            lost = OSError, need("psycopg").Error
            with suppress(*lost), socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(SHUT_RDWR)

    def _connected(self) -> Any:
        if self._connection is None:
            connection = connected(self._url)
            self._connection, self.opened = connection, self.opened + 1
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
        self._connection = None

    def close(self) -> None:
        """Close it for good: whoever comes late is refused."""
        with self._lock:
            self._drop()
            self._rest = inf


def connected(url: str) -> Any:
    """A new connection; each statement is a transaction unless it is in one."""
    connection = need("psycopg").connect(url, autocommit=True, **_SETTINGS)
    try:
        for limit in _LIMITS:
            connection.execute(limit)
    except BaseException:
        connection.close()
        raise
    return connection


class PostgresStore(Store):
    """A database, by its URL."""

    shared = True

    def __init__(self, url: str) -> None:
        psycopg = need("psycopg")
        super().__init__(_without_password(url))
        self.url = url
        self.failures = (psycopg.Error,)
        self._lines = [_Line(url) for _ in range(5)]
        self._reading, self._writing, self._leasing, self._hearing, self._telling = self._lines
        self._holder = secrets.token_hex(8)
        self._leases: dict[str, float] = {}
        """What this server holds, and until when by its own clock."""
        self._closed = threading.Event()
        self._told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        try:
            self._writing.use(self._set_up)
            (self._schema, secret) = self.read(
                "SELECT current_schema(), value FROM meta WHERE key = 'secret'", ()
            )[0]
        except RunError:
            self.shut()
            raise
        except psycopg.Error as error:
            self.shut()
            raise RunError(f"{self.name}: {first_line(error, 'no answer')}") from None
        self.secret = bytes.fromhex(secret)
        self.channel = f"tribridge_{self._schema}"
        self._writer.start()
        self._start(self._watch)
        self._start(self._beat)

    def _set_up(self, connection: Any) -> None:
        """Make what is missing, once, however many servers start together."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('tribridge', 0))")
            there = "SELECT to_regclass(quote_ident(current_schema()) || '.meta') IS NOT NULL"
            version, settings = 0, {"schema": str(SCHEMA)}
            if connection.execute(there).fetchone()[0]:
                row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
                version = -1 if row is None else int(row[0])
            else:
                settings["secret"] = secrets.token_bytes(32).hex()
            steps = missing(self.name, version)
            made = "".join(step.both + step.postgres for step in steps)
            if steps:
                connection.execute("SET LOCAL statement_timeout = 0")
                connection.execute(made.replace(" WITHOUT ROWID", ""))
                for key, value in settings.items():
                    text, values = upsert("meta", "key", key=key, value=value)
                    connection.execute(_adapted(text), values)
            connection.execute("DELETE FROM leases WHERE until < clock_timestamp()")

    def read(self, query: str, values: Sequence[object]) -> list[Any]:
        try:
            cursor = self._reading.execute(_adapted(query), values)
        except self.failures:  # unless it rests, with a new connection
            cursor = self._reading.execute(_adapted(query), values)
        rows: list[Any] = cursor.fetchall()
        return rows

    def run(self, statements: Sequence[Statement]) -> list[int]:
        def work(connection: Any) -> list[int]:
            with connection.pipeline():  # one question, which PostgreSQL answers as a transaction
                done = [connection.execute(_adapted(text), values) for text, values in statements]
            return [cursor.rowcount for cursor in done]

        return self._writing.use(work)

    def load(self, parts: Iterable[tuple[str, list[Any]]]) -> None:
        with connected(self.url) as connection, connection.transaction():
            connection.execute("SET LOCAL statement_timeout = 0")
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            for statement, rows in parts:
                connection.cursor().executemany(_adapted(statement), rows)

    def size(self) -> int:
        return int(self.rows("SELECT pg_database_size(current_database())")[0][0])

    def shut(self) -> None:
        self._closed.set()
        self._told.put(None)
        for thread in self._threads:
            if thread.is_alive():  # it was not started if a signal came just before
                thread.join()
        if self._leases:
            self._give_up("TRUE")
        for line in self._lines:
            line.close()

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK):
            for line in self._lines:
                line.check()

    # What servers tell each other

    def listen(self, heard: Callable[[str], None]) -> None:
        self._start(self._hear, heard)
        self._start(self._speak)

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, name="store", daemon=True)
        self._threads.append(thread)
        thread.start()

    def tell(self, text: str) -> None:
        self._told.put(text)

    def _hear(self, heard: Callable[[str], None]) -> None:
        listening = 0

        def hear(connection: Any) -> list[str]:
            nonlocal listening
            if listening != self._hearing.opened:
                connection.execute(f'LISTEN "{self.channel}"')
                listening = self._hearing.opened
                return ["again"]  # what was told before is not known
            told = [notice.payload for notice in connection.notifies(timeout=1.0, stop_after=1)]
            if not told:
                connection.execute("SELECT 1")  # is anybody there?
            return told

        while not self._closed.is_set():
            try:
                for text in self._hearing.use(hear):
                    heard(text)
            except self.failures:
                self._closed.wait(_REST)

    def _speak(self) -> None:
        while (text := self._told.get()) is not None:
            with suppress(*self.failures):  # whoever did not hear it asks again
                self._telling.execute("SELECT pg_notify(%s, %s)", (self.channel, text))

    def claim(self, table: str) -> bool:
        asked = time.monotonic()
        if asked < self._leases.get(table, 0.0):
            return True
        self._leases.pop(table, None)
        try:
            rows = self._leasing.execute(_CLAIM, (table, self._holder, _LEASE)).rowcount
        except self.failures:
            return False
        if rows:
            self._leases[table] = asked + _LEASE
        return bool(rows)

    def release(self, table: str) -> None:
        if self._leases.pop(table, None) is not None:
            self._give_up("name = %s", table)

    def _give_up(self, which: str, *values: object) -> None:
        with suppress(*self.failures):  # it lapses
            command = f"DELETE FROM leases WHERE holder = %s AND {which}"
            self._leasing.execute(command, (self._holder, *values))

    def _beat(self) -> None:
        """Renew what is held, as long as this server is alive."""
        while not self._closed.wait(_BEAT):
            names, asked = list(self._leases), time.monotonic()
            if not names:
                continue
            with suppress(*self.failures):  # then it lapses
                rows = self._leasing.execute(_RENEW, (_LEASE, self._holder, names)).fetchall()
                renewed = {name for (name,) in rows}
                for name in names:
                    if name not in renewed:
                        self._leases.pop(name, None)
                    elif name in self._leases:
                        self._leases[name] = asked + _LEASE


_CLAIM: Final = """
    INSERT INTO leases AS held VALUES (%s, %s, clock_timestamp() + %s * interval '1 second')
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE held.holder = excluded.holder OR held.until < clock_timestamp()
"""
_RENEW: Final = """
    UPDATE leases SET until = clock_timestamp() + %s * interval '1 second'
    WHERE holder = %s AND name = ANY(%s) AND until > clock_timestamp() RETURNING name
"""


def _without_password(url: str) -> str:
    """A URL as it may be shown.

    >>> _without_password("postgresql://tribridge:secret@db.example/tables")
    'postgresql://tribridge@db.example/tables'
    """
    scheme, separator, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    name = who.partition(":")[0]
    return f"{scheme}{separator}{name}{at}{where.partition('?')[0]}"
