"""The store in PostgreSQL by itself: schemas, connections, statements."""

from __future__ import annotations

import time

import psycopg
import pytest

from tests.club.database import programs, shared_database
from tribridge.club.core import postgres
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.schema import SCHEMA
from tribridge.club.core.store import upsert
from tribridge.common.errors import RunError

pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (f"UPDATE meta SET value = '{SCHEMA + 1}' WHERE key = 'schema'", "newer version"),
        ("DELETE FROM meta WHERE key = 'schema'", "version"),
    ],
)
def test_a_schema_that_is_not_known_is_left_alone(change: str, words: str) -> None:
    url = shared_database().url()
    PostgresStore(url).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(change)
        with pytest.raises(RunError, match=words) as refused:
            PostgresStore(url)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["postgresql://nobody:secret@127.0.0.1:1/x", "postgresql://?host=/nowhere", "postgresql://a b"],
)
def test_a_database_out_of_reach_is_one_line(url: str) -> None:
    with pytest.raises(RunError) as refused:
        PostgresStore(url)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_statements_that_belong_together_are_stored_together() -> None:
    store = PostgresStore(shared_database().url())
    good = upsert("meta", "key", key="a", value="b")
    with pytest.raises(psycopg.Error):
        store.run([good, ("INSERT INTO nowhere VALUES (?)", (1,)), good])
    with pytest.raises(psycopg.Error):  # it fails while the values are checked
        store.run([good, ("INSERT INTO meta VALUES (?, NULL)", ("c",))])
    assert store.read("SELECT * FROM meta WHERE key = 'a'", ()) == []
    assert store.run([good, good]) == [1, 1]
    assert store.read("SELECT value FROM meta WHERE key = 'a'", ()) == [("b",)]
    store.close()


def test_a_connection_that_does_not_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_SILENT", 0.5)
    store = PostgresStore(shared_database().url())
    begun = time.monotonic()
    with pytest.raises(psycopg.Error):
        store.run([("SELECT pg_sleep(5)", ())])
    assert time.monotonic() - begun < 4
    assert store.read("SELECT 1", ()) == [(1,)]
    store.close()


def test_a_store_that_was_shut_makes_no_new_connection() -> None:
    store = PostgresStore(shared_database().url())
    store.close()
    with pytest.raises(psycopg.OperationalError):
        store.read("SELECT 1", ())
    assert not store.claim("a table")
