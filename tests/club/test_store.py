"""The file of events: nothing acknowledged is lost, nothing is stored twice, old files open."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.club.helpers import HereWorkers
from tribridge.club.core.events import Chat, NextDeal, Opened
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.reviews import Analysis, Reviews
from tribridge.club.core.state import Options, Place
from tribridge.club.core.store import SqliteStore, Store
from tribridge.club.errors import StaleError
from tribridge.common.errors import RunError
from tribridge.common.sentences import Sentence


def _raw(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path)


def test_events_come_back_in_order_after_the_file_is_opened_again(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        for number in range(1, 6):
            await store.append("t", number, Chat(str(number)))

    store = SqliteStore(tmp_path / "a" / "b.sqlite")
    asyncio.run(write(store))
    secret = store.secret
    store.close()
    again = SqliteStore(tmp_path / "a" / "b.sqlite")
    assert again.events("t") == [Chat(str(number)) for number in range(1, 6)]
    assert again.secret == secret
    assert again.events("unknown") == []
    again.close()


def test_a_number_is_given_once_and_the_rest_of_a_batch_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")

    async def write() -> list[object]:
        await store.append("t", 1, Chat("a"))
        jobs = [store.append("t", number, Chat(str(number))) for number in (2, 2, 3, 1)]
        return await asyncio.gather(*jobs, return_exceptions=True)

    found = asyncio.run(write())
    assert [isinstance(one, StaleError) for one in found] == [False, True, False, True]
    assert store.events("t") == [Chat("a"), Chat("2"), Chat("3")]
    store.close()


def test_a_table_is_listed_until_it_is_over(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")

    async def write() -> None:
        place = Place("", "maxims")
        for name, listed in (("a", False), ("b", False), ("c", True)):
            options = Options(listed=listed)
            opened = Opened(MatchPlan(1, deals=1), (place, place, place), 1, options)
            await store.append(name, 1, opened)
        await store.append("a", 2, NextDeal(), over=True)

    asyncio.run(write())
    assert sorted(store.tables(over=False)) == ["b", "c"]
    assert list(store.tables(over=False, listed=True)) == ["c"]
    assert list(store.tables(over=True)) == ["a"]
    store.close()


def test_an_acknowledged_event_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    store = SqliteStore(path)
    asyncio.run(store.append("t", 1, NextDeal()))
    # What another machine would find after a loss of power: the files as they are now.
    for file in tmp_path.iterdir():
        (tmp_path / f"copy-{file.name}").write_bytes(file.read_bytes())
    copy = _raw(tmp_path / "copy-x.sqlite")
    assert copy.execute("SELECT body FROM events").fetchall() == [('{"kind":"next"}',)]
    copy.close()
    store.close()


def test_a_computed_review_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")
    asyncio.run(store.append("t", 1, NextDeal()))
    players = [Sentence("{name} won.", {"name": name}) for name in "abc"]
    reviews, review = Reviews(store, HereWorkers()), Analysis(0, players=players, over=True)
    asyncio.run(reviews.keep("t", 1, review))
    assert asyncio.run(reviews.stored("t", 1, 0)) == review
    assert asyncio.run(reviews.stored("t", 2, 0)) is None
    store.close()


async def _written(store: SqliteStore, number: int) -> None:
    await store.append("t", number, NextDeal())


def test_a_store_is_backed_up_while_it_is_written_to(tmp_path: Path) -> None:
    store, copy = SqliteStore(tmp_path / "x.sqlite"), tmp_path / "copy.sqlite"
    for number in (1, 2):
        asyncio.run(_written(store, number))
        store.back_up(copy)  # the second time in place of the first
        asyncio.run(_written(store, number + 10))
    with pytest.raises(RunError, match="no backup") as refused:
        store.back_up(tmp_path / "nowhere" / "copy.sqlite")
    assert "\n" not in str(refused.value)
    store.close()
    again = SqliteStore(copy)
    numbers = again.rows("SELECT number FROM events ORDER BY number")
    assert [number for (number,) in numbers] == [1, 2, 11]
    assert again.secret == store.secret
    assert copy.stat().st_mode & 0o077 == 0
    again.close()


@pytest.mark.parametrize(("version", "age"), [(99, "newer"), (5, "development")])
def test_a_file_of_another_version_is_refused(tmp_path: Path, version: int, age: str) -> None:
    path = tmp_path / "x.sqlite"
    other = _raw(path)
    other.execute(f"PRAGMA user_version = {version}")
    other.close()
    with pytest.raises(RunError, match=f"{age} version"):
        SqliteStore(path)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_text("not a database at all, but long enough to look at" * 20)
    with pytest.raises(RunError, match="Tribridge table file"):
        SqliteStore(path)
    assert path.read_text().startswith("not a database")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="unable to open"):
        SqliteStore(tmp_path)


def test_nobody_else_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    SqliteStore(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_two_servers_cannot_use_one_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")
    with pytest.raises(RunError, match="another server"):
        SqliteStore(tmp_path / "x.sqlite")
    store.close()


def test_the_file_is_not_closed_in_the_middle_of_a_query(tmp_path: Path) -> None:
    """A server that stops while a thread deletes old tables must not crash."""
    store = SqliteStore(tmp_path / "x.sqlite")
    with store._lock:  # as a query holds it
        closing = threading.Thread(target=store.close)
        closing.start()
        store._writer.join()
        closing.join(0.2)
        assert closing.is_alive()
    closing.join()
    assert store.expire(1) == 0


@pytest.mark.anyio
@pytest.mark.parametrize("asked", ["tables(over=False)", "claim('t')", "change(('DELETE', ()))"])
async def test_a_call_on_the_loop_is_found_though_nobody_hears_of_it(
    tmp_path: Path, database_apart: list[str], asked: str
) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")
    route: dict[str, Any] = {}
    exec(compile(f"def ask(store):\n    return store.{asked}", "/a/route.py", "exec"), route)
    with suppress(Exception):  # as somebody does who goes on after any failure
        await store.apart(route["ask"], store)
    assert not database_apart
    with suppress(Exception):
        route["ask"](store)
    assert database_apart == ["/a/route.py:2"]
    database_apart.clear()
    store.close()


@pytest.mark.anyio
async def test_a_move_does_not_write_the_table_again(tmp_path: Path) -> None:
    store, place = SqliteStore(tmp_path / "x.sqlite"), Place("", "maxims")
    await store.append("t", 1, Opened(MatchPlan(1, deals=1), (place, place, place), 1, Options()))

    def row() -> tuple[bool, float]:
        (found,) = store.rows("SELECT over, touched FROM tables")
        return bool(found[0]), found[1]

    begun = row()
    await store.append("t", 2, Chat("a"))
    assert row() == begun
    store.change(("UPDATE tables SET touched = touched - 60", ()))
    await store.append("t", 3, Chat("b"))
    assert row()[1] >= begun[1]
    await store.append("t", 4, NextDeal(), over=True)
    assert row()[0]
    store.close()
