"""The file of events: nothing acknowledged is lost, nothing is stored twice, old files open."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from tribridge.errors import RunError
from tribridge.web.core.store import MIGRATIONS, Store
from tribridge.web.errors import StaleError


def _raw(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path)


def test_events_come_back_in_order_after_the_file_is_opened_again(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        for number in range(1, 6):
            await store.append("t", number, {"kind": "x", "n": number})

    store = Store(tmp_path / "a" / "b.sqlite")
    asyncio.run(write(store))
    secret = store.secret
    store.close()
    again = Store(tmp_path / "a" / "b.sqlite")
    assert [event["n"] for event in again.events("t")] == [1, 2, 3, 4, 5]
    assert again.secret == secret
    assert again.events("unknown") == []
    again.close()


def test_a_number_is_given_once_and_the_rest_of_a_batch_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")

    async def write() -> list[object]:
        await store.append("t", 1, {"kind": "a"})
        jobs = [store.append("t", number, {"kind": str(number)}) for number in (2, 2, 3, 1)]
        return await asyncio.gather(*jobs, return_exceptions=True)

    found = asyncio.run(write())
    assert [isinstance(one, StaleError) for one in found] == [False, True, False, True]
    assert [event["kind"] for event in store.events("t")] == ["a", "2", "3"]
    store.close()


def test_a_table_is_listed_until_it_is_over(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")

    async def write() -> None:
        for name, options in (("a", {}), ("b", {"listed": False}), ("c", {"listed": True})):
            await store.append(name, 1, {"kind": "opened", "options": options})
        await store.append("d", 1, {"kind": "opened"})
        await store.append("a", 2, {"kind": "end"}, over=True)

    asyncio.run(write())
    assert sorted(store.tables(over=False)) == ["b", "c", "d"]
    assert list(store.tables(over=False, listed=True)) == ["c"]
    assert list(store.tables(over=True)) == ["a"]
    store.close()


def test_an_acknowledged_event_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    store = Store(path)
    asyncio.run(store.append("t", 1, {"kind": "a"}))
    # What another machine would find after a loss of power: the files as they are now.
    for file in tmp_path.iterdir():
        (tmp_path / f"copy-{file.name}").write_bytes(file.read_bytes())
    copy = _raw(tmp_path / "copy-x.sqlite")
    assert copy.execute("SELECT body FROM events").fetchall() == [('{"kind": "a"}',)]
    copy.close()
    store.close()


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    old = _raw(path)
    old.executescript(MIGRATIONS[0] + "PRAGMA user_version = 1;")
    old.execute("INSERT INTO tables (id) VALUES ('t')")
    old.execute("INSERT INTO events VALUES ('t', 1, '{\"kind\": \"a\"}')")
    old.commit()
    old.close()
    store = Store(path)
    assert store.events("t") == [{"kind": "a"}]
    store.keep_review("t", 1, [{"SA": 9}])
    assert store.review("t", 1) == [{"SA": 9}]
    assert store.review("t", 2) is None
    store.close()
    version = _raw(path)
    assert version.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    version.close()


def test_games_in_an_older_file_get_their_dates(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    old = _raw(path)
    old.executescript("".join(MIGRATIONS[:7]) + "PRAGMA user_version = 7;")
    old.execute("INSERT INTO tables (id, opened) VALUES ('t', '2026-01-02 03:04:05')")
    body = '{"event": "deal", "player": {"date": "2025-01-01 00:00:00"}}\n{"event": "end"}\n'
    for table, text in (("t", None), ("imported", body), ("odd", "x")):
        old.execute("INSERT INTO games VALUES ('d', ?, 'N', 1, ?)", (table, text))
    old.commit()
    old.close()
    store = Store(path)
    rows = store.rows("SELECT date FROM games WHERE seen > 0 ORDER BY date")
    assert rows == [("",), ("2025-01-01 00:00:00",), ("2026-01-02 03:04:05",)]
    store.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    newer = _raw(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(RunError, match="newer version"):
        Store(path)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_text("not a database at all, but long enough to look at" * 20)
    with pytest.raises(RunError, match="not a Tribridge table file"):
        Store(path)
    assert path.read_text().startswith("not a database")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="unable to open"):
        Store(tmp_path)


def test_nobody_else_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    Store(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_two_servers_cannot_use_one_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")
    with pytest.raises(RunError, match="another server"):
        Store(tmp_path / "x.sqlite")
    store.close()


def test_the_file_is_not_closed_in_the_middle_of_a_query(tmp_path: Path) -> None:
    """A server that stops while a thread deletes old tables must not crash."""
    store = Store(tmp_path / "x.sqlite")
    with store._lock:  # as a query holds it
        closing = threading.Thread(target=store.close)
        closing.start()
        store._writer.join()
        closing.join(0.2)
        assert closing.is_alive()
    closing.join()
    assert store.expire(1) == 0
