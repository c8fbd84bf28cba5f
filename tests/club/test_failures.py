"""What fails and comes back: a full disk, a damaged table, tables that nobody attends to."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.club.ears import Ear
from tests.club.helpers import (
    FAST,
    HereWorkers,
    act,
    look,
    open_table,
    run,
    running,
    store_in,
    three,
)
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act, Chat, Event, NextDeal
from tribridge.club.core.open_store import open_store
from tribridge.club.core.reviews import Analysis, Reviews
from tribridge.club.core.room import Room
from tribridge.club.core.store import SqliteStore, Store
from tribridge.club.core.workers import FailedError
from tribridge.club.errors import NotStoredError
from tribridge.club.view.advice import study
from tribridge.reviews import judge

pytestmark = pytest.mark.anyio


SOON = replace(FAST, retry=0.01, call=0.01, card=0.01, trick=0.01)


@contextmanager
def no_writing(store: Store) -> Iterator[None]:
    """As long as it lasts, every write fails, as on a disk that is full or read-only."""
    if isinstance(store, SqliteStore):
        store.read("PRAGMA query_only = ON", ())
        yield
        store.read("PRAGMA query_only = OFF", ())
        return

    def refused(statements: object) -> list[int]:
        raise store.failures[0]("no space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "run", refused)
        yield


async def _grows(room: Room, number: int) -> None:
    async with asyncio.timeout(20):
        await room.wait(number)


async def test_a_table_goes_on_when_the_disk_takes_events_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, timing=SOON) as (_, client):
        store = client.server.rooms.store
        table, seats = await three(client)
        name = await open_table(client, open=[], deals=9)
        room = client.server.rooms.find(name)
        with no_writing(store):
            answer = await act(client, table, seats["N"], "1C", 5)
            assert answer.status_code == 503
            assert "try again" in answer.text
            assert str(tmp_path) not in answer.text
            assert (await look(client, table))["calls"] == []
            for path in ("/", f"/table/{table}", "/lobby/tables"):
                assert (await client.get(path)).status_code == 200
            number = room.state.number
            await asyncio.sleep(0.1)
            assert room.state.number == number  # strategies try, and cannot act
        await _grows(room, number)  # by itself
        answer = await act(client, table, seats["N"], "1C", 5)
        assert answer.status_code == 200
        assert caplog.text.count("events are not stored") == 1


def test_a_full_disk_refuses_events_until_it_has_room(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")
    large = Chat("x" * 100_000)

    async def write() -> None:
        async with asyncio.timeout(20):
            await store.append("t", 1, NextDeal())
            pages = store._db.execute("PRAGMA page_count").fetchone()[0]
            store._db.execute(f"PRAGMA max_page_count = {pages}")
            with pytest.raises(NotStoredError):
                await store.append("t", 2, large)
            assert store.events("t") == [NextDeal()]
            store._db.execute("PRAGMA max_page_count = 1000000")
            await store.append("t", 2, large)

    run(write())
    assert store.events("t") == [NextDeal(), large]
    store.close()
    again = SqliteStore(tmp_path / "x.sqlite")
    again._db.execute("PRAGMA query_only = ON")
    reviews = Reviews(again, HereWorkers())
    asyncio.run(reviews.keep("t", 1, Analysis(0)))  # only to save time: not kept, and no harm
    assert asyncio.run(reviews.stored("t", 1, 0)) is None
    assert again.expire(-1) == 0
    again.close()


def test_an_event_that_cannot_be_written_does_not_stop_the_writer(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "x.sqlite")

    async def write() -> None:
        async with asyncio.timeout(20):
            bad_action: Any = object()
            for bad in (Chat("\ud800"), Act(Seat.NORTH, bad_action)):
                with pytest.raises(NotStoredError):
                    await store.append("t", 1, bad)
            await store.append("t", 1, NextDeal())

    run(write())
    assert store.events("t") == [NextDeal()]
    store.close()


async def test_after_a_write_in_doubt_the_disk_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        store, append = client.server.rooms.store, client.server.rooms.store.append

        async def doubtful(*args: Any, **kwargs: Any) -> None:
            await append(*args, **kwargs)
            raise NotStoredError("stored, but nobody knows")

        monkeypatch.setattr(store, "append", doubtful)
        assert (await act(client, table, seats["N"], "1C", 5)).status_code == 503
        monkeypatch.undo()
        # Sent again as it was, it acts once.
        assert (await act(client, table, seats["N"], "1C", 5)).status_code == 200
        assert (await act(client, table, seats["E"], "1D", 6)).status_code == 200
        assert (await look(client, table))["calls"] == ["1C", "1D"]


def _damage(folder: Path, *changes: str) -> None:
    store = open_store(store_in(folder))
    store.change(*((change, ()) for change in changes))
    store.close()


def test_a_damaged_table_is_set_aside_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        async with running(tmp_path) as (_, client):
            names = [(await three(client, listed=True))[0] for _ in range(4)]
        _damage(
            tmp_path,
            f"UPDATE events SET body = '{{\"kin' WHERE tab = '{names[0]}' AND number = 3",
            f"UPDATE events SET body = '{{}}' WHERE tab = '{names[1]}' AND number = 1",
            f"DELETE FROM events WHERE tab = '{names[2]}' AND number = 2",
        )
        async with running(tmp_path) as (_, client):
            lobby = (await client.get("/lobby/tables")).text
            assert names[3] in lobby
            for name in names[:3]:
                assert name not in lobby
                for _ in range(2):
                    answer = await client.get(f"/api/tables/{name}")
                    assert answer.status_code == 410
                    assert name in answer.json()["error"]
                assert caplog.text.count(name) == 1
            assert (await look(client, names[3]))["started"]

    with caplog.at_level(logging.WARNING, logger="tribridge"):
        run(test())


async def test_a_silent_database_holds_up_only_those_who_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, asked = threading.Event(), asyncio.Event()
    async with running(tmp_path) as (_, client):
        store, loop = client.server.rooms.store, asyncio.get_running_loop()
        read = store.read

        def silent(query: str, values: Sequence[object]) -> list[Any]:
            loop.call_soon_threadsafe(asked.set)
            answers.wait(5)
            return read(query, values)

        monkeypatch.setattr(store, "read", silent)
        waiting = asyncio.ensure_future(client.get("/"))
        try:
            await asked.wait()
            assert (await client.get("/api/schemes")).status_code == 200
            assert not waiting.done()
        finally:
            answers.set()
        assert (await waiting).status_code == 200


async def test_tables_are_read_when_somebody_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        names = [(await three(client, listed=True))[0] for _ in range(3)]
    read: list[str] = []
    events = Store.events

    def counted(self: Store, table: str, after: int = 0) -> list[Event]:
        read.append(table)
        return events(self, table, after)

    monkeypatch.setattr(Store, "events", counted)
    async with running(tmp_path) as (_, client):
        assert read == []
        await look(client, names[1])
        assert read == [names[1]]
        rooms = client.server.rooms
        for _ in range(3):  # read once, not for everyone who looks at the lobby
            assert [room.name for room in await rooms.listed(most=1)] == [names[2]]
            assert read == [names[1], names[2]]
        monkeypatch.setattr("tribridge.club.core.all_rooms._FORGET", -1.0)
        await open_table(client)  # lets go of what nobody looks at
        assert names[1] not in rooms.held
        await look(client, names[1])
        assert read == [names[1], names[2], names[1]]


async def test_a_table_that_nobody_needs_expires(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        old, new = (await three(client))[0], (await three(client))[0]
        over = await open_table(client, open=[], strategies=["pass+random"] * 3, deals=1)
        room = client.server.rooms.find(over)
        while not room.state.over:
            await room.wait(room.state.number)
    days = "touched = touched - 31 * 86400"
    _damage(tmp_path, f"UPDATE tables SET {days} WHERE id IN ('{old}', '{over}')")
    async with running(tmp_path) as (_, client):
        async with asyncio.timeout(20):
            while client.server.rooms.store.events(old):
                await asyncio.sleep(0.01)
        assert (await client.get(f"/api/tables/{old}")).status_code == 404
        assert (await client.get(f"/api/tables/{new}")).status_code == 200
        assert (await client.get(f"/api/tables/{over}")).status_code == 404  # nobody's game


class _Counting(HereWorkers):
    """Counts what strategies are asked."""

    asked = 0

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        self.asked += 1
        return await super().run(limit, function, *args)


def test_nobody_thinks_for_a_table_that_nobody_attends_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later[0], time=time.time)
    monkeypatch.setattr("tribridge.club.core.room.time", clock)
    workers = _Counting()

    async def test() -> None:
        async with running(tmp_path, workers=workers, timing=slow) as (_, client):
            answer = await client.post(
                "/watch", data={"scoring": "auction", "deals": "9", "other": "pass+random"}
            )
            path = answer.headers["location"]
        before = workers.asked
        async with running(tmp_path, workers=workers, timing=slow) as (app, client):
            await client.get("/")  # the lobby shows the table, but is no audience
            room = client.server.rooms.find(path.rpartition("/")[2])
            await asyncio.sleep(0.05)
            assert workers.asked == before
            async with Ear().at(app, f"{path}/stream", {}):
                later[0] = 100.0
                await _grows(room, room.state.number + 4)  # a kibitzer counts, for any time
            later[0] = 200.0
            async with asyncio.timeout(20):
                while room.driver is not None:
                    await asyncio.sleep(0.01)
            assert not room.state.over
            await client.get(path)  # whoever comes back finds it going on
            await _grows(room, room.state.number)

    slow = replace(FAST, call=0.01, card=0.01, trick=0.01)
    run(test())


class Unable(HereWorkers):
    """Cannot judge, as where a package is missing."""

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        if function is judge:
            raise FailedError("endplay is not installed")
        return await super().run(limit, function, *args)


async def test_a_review_that_fails_says_so_on_the_page_in_the_api_and_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, workers=Unable()) as (_, client):
        table, seats = await three(client, deals=1)
        for seat in "NES":
            await act(client, table, seats[seat], "Pass", (await look(client, table))["number"])
        await client.get(f"/table/{table}/review/1")
        task = client.server.reviews.known[table, 1].task
        assert task is not None
        await task
        board = await client.get(f"/table/{table}/review/1/board")
        assert "The analysis failed after 0 of 3" in board.text
        assert "load delay" not in board.text  # it does not ask again and again
        decided = await client.get(f"/table/{table}/review/1/decided")
        assert "The analysis of this deal failed." in decided.text
        told = (await client.get(f"/api/tables/{table}/review/1")).json()
        assert (told["over"], told["failed"], told["judged"]) == (True, True, [])
    (line,) = [line for line in caplog.messages if "review" in line]
    assert "endplay is not installed" in line


async def test_advice_that_fails_is_in_the_log_without_cards(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(HereWorkers):
        async def run(self, limit: float, function: Any, *args: Any) -> Any:
            if function is study:
                raise FailedError("secret SK")
            return await super().run(limit, function, *args)

    async with running(tmp_path, workers=Broken()) as (_, client):
        table, seats = await three(client, deals=1)
        answer = await client.post(f"/api/tables/{table}/advice", headers=seats["N"])
        assert answer.status_code == 200
    (line,) = [line for line in caplog.messages if "failed" in line]
    assert "study" in line
    assert "SK" not in line
