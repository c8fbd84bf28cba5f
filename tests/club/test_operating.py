"""Running servers: several at one address, workers elsewhere, stores copied, health, numbers."""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import psycopg
import pytest

from tests.club.database import programs, shared_database
from tests.club.helpers import act, look, open_table, running, sit, three
from tests.club.live import Live
from tests.library.cli.helpers import COMMAND, tribridge
from tribridge.cards.deals import Seat
from tribridge.club.core import all_rooms
from tribridge.club.core.events import NextDeal
from tribridge.club.core.open_store import copy_store, open_store
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.store import SqliteStore
from tribridge.club.errors import WebError
from tribridge.club.server import bans, guard, logs
from tribridge.common.errors import SettingError

SAMPLES = {"TEXT": "x", "INTEGER": 99, "BOOLEAN": True, "DOUBLE PRECISION": 0.5}
"""Something to store in a column of each type."""
needs_database = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")


@pytest.mark.anyio
async def test_health_and_numbers(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("/ready")).status_code == 200
        table = await open_table(client, deals=1)
        seats = {seat: await sit(client, table, seat, seat) for seat in "NES"}
        dealt = (await client.get(f"/api/tables/{table}", headers=seats["N"])).json()
        await act(client, table, seats[dealt["turn"]], "1C", dealt["number"])
        await act(client, table, seats[dealt["turn"]], "1C", dealt["number"] - 1)
        await client.get("/", headers={"host": "elsewhere"})
        lines = (await client.get("/metrics")).text.splitlines()
        numbers = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        assert numbers["tribridge_rooms"] == "1"
        assert int(numbers["tribridge_event_seconds_count"]) == dealt["number"]  # but the first
        assert table not in "".join(lines)
        assert int(numbers['tribridge_responses_total{status="200"}']) > 3
        refusals = {"stale": 1, "host": 1}
        for reason, count in refusals.items():
            assert int(numbers[f'tribridge_refusals_total{{reason="{reason}"}}']) == count
        assert int(numbers["tribridge_store_seconds_count"]) > 0
        assert int(numbers["tribridge_memory_bytes"]) > 1_000_000
        named = {name.partition("{")[0] for name in numbers}
        rules = Path(__file__).parents[2] / "deploy" / "alerts.yaml"
        asked = set(re.findall(r"tribridge_\w+", rules.read_text("utf-8")))
        assert asked <= named  # an alert on a number that is not there never comes
        labels = re.findall(r'reason=~?"([\w|]+)"', rules.read_text("utf-8"))
        reasons = {error.reason for error in WebError.__subclasses__()}
        reasons |= {*client.server.rooms.metrics.faults}
        reasons |= {*re.findall(r'refuse\("(\w+)"', inspect.getsource(guard))}
        assert {reason for label in labels for reason in label.split("|")} <= reasons


@pytest.mark.anyio
async def test_the_loop_tells_how_late_it_was(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        await asyncio.sleep(0)
        time.sleep(1.2)
        await asyncio.sleep(0.1)
        assert client.server.lag.worst > 0.5


@pytest.mark.anyio
async def test_a_request_has_an_id_which_the_log_names(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answers = [await client.get("/api/schemes") for _ in range(2)]
        ids = [answer.headers["x-request-id"] for answer in answers]
        assert len(set(ids)) == 2
    token = logs.REQUEST.set("abc")
    try:
        record = logging.LogRecord("tribridge", logging.ERROR, "", 0, "no %s", ("room",), None)
        line = json.loads(logs.JsonLines().format(record))
    finally:
        logs.REQUEST.reset(token)
    assert (line["request"], line["message"], line["level"]) == ("abc", "no room", "error")


@pytest.mark.anyio
async def test_browsers_that_came_by_tls_come_by_tls_again(tmp_path: Path) -> None:
    async with running(tmp_path, public_url="https://localhost") as (_, client):
        assert "max-age" in (await client.get("/")).headers["strict-transport-security"]
    async with running(tmp_path) as (_, client):
        assert "strict-transport-security" not in (await client.get("/")).headers


@pytest.mark.anyio
async def test_a_network_that_is_banned_gets_no_answer_until_it_is_not(tmp_path: Path) -> None:
    file = tmp_path / "bans.txt"
    file.write_text("203.0.113.0/24\n")
    async with running(tmp_path, bans=file) as (_, client):
        assert (await client.get("/api/schemes")).status_code == 200  # 127.0.0.1
    now = [0.0]
    banned = bans.Bans(file, lambda: now[0])
    assert "203.0.113.9" in banned
    assert "::ffff:203.0.113.9" in banned
    assert "198.51.100.1" not in banned
    for text, holds in (("198.51.100.1 # spam\n", True), ("nonsense\n", True), ("", False)):
        file.write_text(text)
        os.utime(file, (now[0], now[0] + 1))
        now[0] += 10.0
        assert ("198.51.100.1" in banned) is holds  # a file that cannot be read changes nothing
    file.write_text("127.0.0.0/8\n")
    async with running(tmp_path, bans=file) as (_, client):
        assert (await client.get("/api/schemes")).status_code == 403
    file.write_text("127.0.0.0/8\nhere\n")
    with pytest.raises(SettingError, match="line 2"):
        bans.Bans(file)


@pytest.mark.anyio
async def test_a_ban_ends_the_streams_that_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bans, "_OFTEN", -1.0)
    file = tmp_path / "bans.txt"
    file.write_text("203.0.113.0/24\n")
    async with running(tmp_path, bans=file) as (_, client):
        table = await open_table(client)
        room = client.server.rooms.held[table]
        stream = asyncio.create_task(client.get(f"/api/tables/{table}/events"))
        while not room.presence.onlookers:
            await asyncio.sleep(0.01)
        file.write_text("127.0.0.1\n")
        os.utime(file, (0, 0))
        await client.server.rooms.sit(room, Seat.NORTH, "Ann")  # whoever is banned is not shown it
        async with asyncio.timeout(10):
            shown = (await stream).text
        assert "event: table" in shown
        assert "Ann" not in shown
        await asyncio.sleep(0)
        assert not room.presence.onlookers
        assert not client.server.streams


@pytest.mark.anyio
async def test_a_server_holds_so_many_tables_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_rooms, "MOST_HELD", 3)
    async with running(tmp_path) as (_, client):
        tables = [await open_table(client) for _ in range(5)]
        assert len(client.server.rooms.held) <= 3
        for table in tables:  # whoever looks finds each of them
            assert (await client.get(f"/api/tables/{table}")).status_code == 200
        for room in client.server.rooms.held.values():
            room.presence._open[None] += 1
        body = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"]}
        answer = await client.post("/api/tables", json=body)
        assert answer.status_code == 503
        for room in client.server.rooms.held.values():
            room.presence._open[None] -= 1
        assert (await client.post("/api/tables", json=body)).status_code == 201


@pytest.mark.anyio
async def test_a_table_that_made_room_hears_what_is_added_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_rooms, "MOST_HELD", 1)
    async with running(tmp_path) as (_, client):
        rooms = client.server.rooms
        table = await open_table(client)
        in_hand = rooms.held[table]  # by two requests that wait for something else
        await open_table(client)
        assert table not in rooms.held
        await rooms.sit(in_hand, Seat.NORTH, "Ann")
        again = await rooms.load(table)
        await rooms.sit(again, Seat.EAST, "Ben")
        assert [place.name for place in in_hand.state.places][:2] == ["Ann", "Ben"]
        assert (await look(client, table))["number"] == 3


@pytest.mark.anyio
async def test_a_table_that_made_room_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_rooms, "MOST_HELD", 1)
    async with running(tmp_path) as (_, client):
        rooms = client.server.rooms
        gc.disable()  # a server looks for garbage seldom
        try:
            for _ in range(5):
                table, seats = await three(client)
                await act(client, table, seats["N"], "1C", (await look(client, table))["number"])
                await client.get(f"/table/{table}")
            assert len(rooms.known) <= 2
        finally:
            gc.enable()


@pytest.mark.anyio
async def test_a_server_whose_disk_is_full_is_alive_and_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        store = client.server.rooms.store

        def full(statements: object) -> list[int]:
            raise store.failures[0]("database or disk is full")

        monkeypatch.setattr(store, "run", full)
        assert (await client.get("/health")).status_code == 200
        answer = await client.get("/ready")
        assert (answer.status_code, answer.text.count("\n")) == (503, 1)


@pytest.mark.full
@needs_database
def test_two_processes_serve_one_address_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    url = shared_database().url()
    live = Live(tmp_path, "--store", url, "--processes", "2")
    live.start()
    try:
        with httpx.Client(base_url=live.address, timeout=60) as client:
            body = {"strategies": ["points+maxims"] * 3, "open": ["S"]}
            table = client.post("/api/tables", json=body).json()["table"]
            taken = client.post(f"/api/tables/{table}/seats/S", json={"name": "Ann"}).json()
            held = {"authorization": f"Bearer {taken['token']}"}
            assert live.process is not None
            children = _children(live.process.pid)
            assert len(children) >= 2
            os.kill(children[-1], signal.SIGKILL)
            until = time.monotonic() + 120
            while len(living := _children(live.process.pid)) < 2 or children[-1] in living:
                assert time.monotonic() < until
                time.sleep(0.1)
            for _ in range(8):  # whichever answers
                with httpx.Client(base_url=live.address, timeout=60) as fresh:
                    view = fresh.get(f"/api/tables/{table}", headers=held).json()
                    assert view["seat"] == "S"
    finally:
        assert live.stop() == 0


def _children(pid: int) -> list[int]:
    """The server processes of a server, in the order in which they were started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and "spawn_main" in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return sorted(found)


@needs_database
def test_a_store_closes_that_was_interrupted_while_it_opened() -> None:
    """A signal may come between the thread that listens and its start."""
    opened = open_store(shared_database().url())
    assert isinstance(opened, PostgresStore)
    opened._threads.append(Thread(target=print))
    opened.close()


@needs_database
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_starts_and_stops(tmp_path: Path, number: signal.Signals) -> None:
    command = [COMMAND, "worker", "--store", shared_database().url(), "--processes", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert "Thinking" in worker.stdout.readline()
        worker.send_signal(number)
        assert worker.wait(60) == 0


@needs_database
@pytest.mark.anyio
async def test_a_store_is_copied_there_and_back(tmp_path: Path) -> None:
    file, url = tmp_path / "play.sqlite", shared_database().url()
    async with running(tmp_path, data=file) as (_, client):
        table = await open_table(client, open=["S"], deals=1)
        await sit(client, table, "S", "Ann")
    first = SqliteStore(file)
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'meta'"
    known: dict[str, list[Any]] = {part: [] for (part,) in first.rows(query)}
    for part in known:
        types = first.rows(f"SELECT name, type FROM pragma_table_info('{part}')")
        row = [table if name == "tab" else SAMPLES[kind] for name, kind in types]
        command = f"INSERT INTO {part} VALUES ({', '.join('?' for _ in row)})"
        first.load([(command, [row])])
        known[part] = first.rows(f"SELECT * FROM {part}")
    secret = first.secret
    first.close()
    copy = partial(asyncio.to_thread, tribridge, "store", "copy")
    assert "events" in (await copy(str(file), url)).stdout
    again = await copy(str(file), url)
    assert again.returncode == 1
    assert "empty" in again.stderr
    back = tmp_path / "back.sqlite"
    assert (await copy(url, str(back))).returncode == 0
    copied = open_store(back)
    for part, rows in known.items():
        assert sorted(copied.rows(f"SELECT * FROM {part}")) == sorted(rows)
    assert copied.secret == secret
    copied.close()


@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=needs_database)])
def test_a_copy_that_is_interrupted_leaves_the_target_empty(tmp_path: Path, shared: bool) -> None:
    class Interrupted(SqliteStore):
        def rows(self, query: str, *values: object) -> list[Any]:
            if "FROM events" in query:
                raise KeyboardInterrupt
            return super().rows(query, *values)

    source = Interrupted(tmp_path / "source.sqlite")
    asyncio.run(source.append("t", 1, NextDeal()))
    target = open_store(shared_database().url() if shared else tmp_path / "target.sqlite")
    with pytest.raises(KeyboardInterrupt):
        copy_store(source, target)
    assert target.rows("SELECT id FROM tables") == []
    source.close()
    again = SqliteStore(tmp_path / "source.sqlite")
    assert copy_store(again, target)["events"] == 1
    for store in (again, target):
        store.close()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["play", "--processes", "2"], "--store"),
        (["play", "--store", "mysql://x", "--no-browser"], "postgresql://"),
        (["worker", "--store", "file.sqlite"], "database"),
        (["store", "copy", "nowhere.sqlite", "x.sqlite"], "no such file"),
        (["store", "copy", __file__, f"/.{__file__}"], "same file"),
    ],
)
def test_what_cannot_be_shared_is_refused_in_one_line(words: list[str], reason: str) -> None:
    done = tribridge(*words)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


@needs_database
def test_rights_that_are_missing_are_named() -> None:
    database = shared_database()
    url = database.url()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        schema = url.rpartition("%3D")[2]
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")
    done = tribridge("play", "--no-browser", "--store", url.replace("tribridge@", "reader@"))
    assert done.returncode == 1
    assert "permission" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_server_does_not_load_what_only_its_workers_need() -> None:
    loaded = "import sys, tribridge.club.run; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", loaded], check=True, capture_output=True)
    modules = set(done.stdout.decode().split())
    assert "tribridge.club.app" in modules
    assert not modules & {"scipy", "numba", "matplotlib", "torch", "pyarrow", "psycopg"}
