"""Who may act for a table, where servers share a database and one may be slow or frozen."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.club.database import programs, shared_database
from tests.club.helpers import FAST, HereWorkers, act, look, open_table, running, sit
from tests.club.two_servers import two, until
from tribridge.club.core import postgres
from tribridge.club.core.events import Chat
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.errors import StaleError

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed"),
]


async def test_a_number_is_given_once_by_two_stores() -> None:
    url = shared_database().url()
    stores = [PostgresStore(url), PostgresStore(url)]
    assert stores[0].secret == stores[1].secret
    for number in range(1, 20):
        told = await asyncio.gather(
            *(store.append("t", number, Chat(store.name)) for store in stores),
            return_exceptions=True,
        )
        assert [type(one) for one in told if one is not None] == [StaleError]
    assert len(stores[0].events("t")) == 19
    assert stores[0].claim("t")
    assert not stores[1].claim("t")
    stores[0].close()

    async def free() -> bool:
        return stores[1].claim("t")

    assert await until(free)  # released with the server that held it
    stores[1].close()


def _frozen(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that does nothing, its heartbeat included, until the end of the test."""
    renewed = store._leasing.execute
    monkeypatch.setattr(
        store._leasing,
        "execute",
        lambda query, values: renewed(query, values) if query is not postgres._RENEW else _lost(),
    )


def _lost() -> Any:
    raise psycopg.OperationalError("frozen")


async def test_a_lease_holds_while_its_server_lives_and_lapses_when_it_is_frozen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "_LEASE", 0.6)
    monkeypatch.setattr(postgres, "_BEAT", 0.1)
    url = shared_database().url()
    stores = [PostgresStore(url), PostgresStore(url)]
    assert stores[0].claim("t")
    until_then = time.monotonic() + 2.0
    while time.monotonic() < until_then:
        assert not stores[1].claim("t")
        assert stores[0].claim("t")
        await asyncio.sleep(0.05)
    _frozen(stores[0], monkeypatch)

    async def taken_over() -> bool:
        return stores[1].claim("t")

    await until(taken_over, 10)
    assert not stores[0].claim("t")  # it knows by its own clock, too
    stores[0].release("t")
    assert stores[1].claim("t")
    assert not stores[0].claim("t")
    stores[1].release("t")
    assert stores[0].claim("t")
    for store in stores:
        store.close()


async def test_a_frozen_server_loses_its_bots_and_what_it_does_later_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_LEASE", 0.6)
    monkeypatch.setattr(postgres, "_BEAT", 0.1)
    awake = asyncio.Event()

    class Freezing(HereWorkers):
        """Thinks at its third question until the server wakes up."""

        async def run(self, limit: float, function: Any, *args: Any) -> Any:
            found = await super().run(limit, function, *args)
            if self.asked == 3:
                await awake.wait()
            return found

    frozen, url = Freezing(), shared_database().url()
    timing = replace(FAST, retry=0.1)
    async with (
        running(tmp_path, data=url, workers=frozen, timing=timing) as (_, first),
        running(tmp_path, data=url, workers=HereWorkers(), timing=timing) as (_, second),
    ):
        table = await open_table(first, open=[], deals=1)

        async def stuck() -> bool:
            return frozen.asked == 3

        await until(stuck)
        store = first.server.rooms.store
        assert isinstance(store, PostgresStore)
        _frozen(store, monkeypatch)
        deaf = first.server.sharing
        assert deaf is not None
        monkeypatch.setattr(deaf, "heard", lambda *_: None)

        async def over() -> bool:
            return bool((await look(second, table))["over"])

        await until(over)
        events = second.server.rooms.store.events(table)
        awake.set()

        async def refused() -> bool:
            return first.server.rooms.metrics.faults["stale"] > 0

        await until(refused)
        await asyncio.sleep(0.3)
        assert second.server.rooms.store.events(table) == events


async def test_a_server_that_waited_for_a_bot_does_not_play_for_the_person_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two(tmp_path) as (first, second):
        table = await open_table(first, open=["N", "E"], deals=1)
        seats = {"N": await sit(first, table, "N", "Ann"), "E": await sit(first, table, "E", "Bob")}
        await look(second, table)
        store = first.server.rooms.store
        claim = store.claim

        def slowly(what: str) -> bool:
            time.sleep(0.7)
            return claim(what)

        monkeypatch.setattr(store, "claim", slowly)
        for seat, call in (("N", "1C"), ("E", "Pass")):
            view = await look(second, table, seats[seat])
            assert (await act(second, table, seats[seat], call, view["number"])).status_code == 200

        async def called() -> bool:
            return len((await look(first, table))["calls"]) == 3

        await until(called)
        await asyncio.sleep(1.5)
        assert (await look(first, table))["trick"] == []  # East is to lead, and has not
