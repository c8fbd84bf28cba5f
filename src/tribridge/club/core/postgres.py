"""A store in PostgreSQL, shared by any number of servers and workers.

Events are unique by table and number, so of two servers that act at once one is refused. The
database notifies all servers of every event (`LISTEN`), and they tell each other who is there and
what clients have used. What the memory of a server holds is a copy: after a lost connection it
reads again. A server that acts for the bots of a table holds an advisory lock, which the database
releases when the server is gone.

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

from tribridge.club.core.store import SCHEMA, SCHEMAS, Statement, Store, check_version
from tribridge.common.errors import RunError, first_line, need

T = TypeVar("T")

_PATIENCE: Final = 3
"""Seconds until a connection that does not answer is given up."""
_SILENT: Final = 2 * _PATIENCE + 1
"""Seconds until a database that keeps silent is given up: it ends long statements by itself."""
_REST: Final = 0.5
"""Seconds after a failure in which nothing is tried."""
_SETTINGS: Final = {
    "connect_timeout": _PATIENCE,
    "tcp_user_timeout": 1000 * _PATIENCE,
    "keepalives_idle": _PATIENCE,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}
_LIMITS: Final = (
    f"SET statement_timeout = '{2 * _PATIENCE}s'",
    f"SET idle_in_transaction_session_timeout = '{2 * _PATIENCE}s'",
)
_SHARING: Final = """
    CREATE UNLOGGED TABLE jobs (id TEXT PRIMARY KEY, asked DOUBLE PRECISION NOT NULL,
        seconds DOUBLE PRECISION NOT NULL, question BYTEA NOT NULL, taken TEXT NOT NULL
        DEFAULT '', answer BYTEA);
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA, 'gone ' || OLD.id);
        ELSE
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA,
                'event ' || NEW.tab || ' ' || NEW.number);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER tell AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION tell();
    CREATE TRIGGER tell AFTER DELETE ON tables FOR EACH ROW EXECUTE FUNCTION tell();
"""
"""What servers share in a database and do not need in a file."""
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
        self._reading, self._writing, self._locks, self._hearing, self._telling = self._lines
        self._claims: tuple[int, set[str]] = (0, set())
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

    def _set_up(self, connection: Any) -> None:
        """Make what is missing, once, however many servers start together."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('tribridge', 0))")
            there = "SELECT to_regclass(quote_ident(current_schema()) || '.meta') IS NOT NULL"
            if connection.execute(there).fetchone()[0]:
                row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
                check_version(self.name, -1 if row is None else int(row[0]), (SCHEMA,))
                return
            made = "".join(text for text in SCHEMAS.values() if "DROP" not in text)
            connection.execute(made.replace(" WITHOUT ROWID", "") + _SHARING)
            kept = {"schema": str(SCHEMA), "secret": secrets.token_bytes(32).hex()}
            for row in kept.items():
                connection.execute("INSERT INTO meta VALUES (%s, %s)", row)

    def read(self, query: str, values: Sequence[object]) -> list[Any]:
        try:
            found = self._reading.execute(_adapted(query), values)
        except self.failures:  # unless it rests, with a new connection
            found = self._reading.execute(_adapted(query), values)
        rows: list[Any] = found.fetchall()
        return rows

    def run(self, statements: Sequence[Statement]) -> list[int]:
        def work(connection: Any) -> list[int]:
            with connection.transaction(), connection.pipeline():
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
            thread.join()
        for line in self._lines:
            line.close()

    def _watch(self) -> None:
        while not self._closed.wait(1.0):
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
            told = [one.payload for one in connection.notifies(timeout=1.0, stop_after=1)]
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
        def work(connection: Any) -> bool:
            made, claimed = self._claims
            if made != self._locks.opened:  # the database has released what the lost one held
                made, claimed = self._locks.opened, set()
            self._claims = made, claimed
            if table not in claimed:
                row = connection.execute(_LOCK.format("try_advisory_lock"), self._key(table))
                if not row.fetchone()[0]:
                    return False
                claimed.add(table)
            return True

        try:
            return self._locks.use(work)
        except self.failures:
            return False

    def release(self, table: str) -> None:
        def work(connection: Any) -> None:
            if table in self._claims[1]:
                self._claims[1].discard(table)
                connection.execute(_LOCK.format("advisory_unlock"), self._key(table))

        with suppress(*self.failures):
            self._locks.use(work)

    def _key(self, table: str) -> tuple[str]:
        return (f"{self._schema} {table}",)


_LOCK: Final = "SELECT pg_{}(hashtextextended(%s, 0))"


def _without_password(url: str) -> str:
    """A URL as it may be shown.

    >>> _without_password("postgresql://tribridge:secret@db.example/tables")
    'postgresql://tribridge@db.example/tables'
    """
    scheme, found, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    name = who.partition(":")[0]
    return f"{scheme}{found}{name}{at}{where.partition('?')[0]}"
