"""A server in this process, and ways to play at it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI

from tests.club.database import shared_database
from tribridge.club.app import Settings, create_app
from tribridge.club.core.events import replay
from tribridge.club.core.room import Timing
from tribridge.club.core.workers import FailedError, Workers
from tribridge.club.core.workers import choose as choose_action
from tribridge.club.server.access import Server

T = TypeVar("T")

FAST = Timing(limit=20, call=0, card=0, trick=0, settle=0)
HEADERS = {"host": "localhost"}


class HereWorkers(Workers):
    """Answers in this process: no time is spent on starting others."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked = 0

    async def run(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        self.asked += 1
        await asyncio.sleep(0)
        try:
            return function(*args)
        except Exception as error:
            raise FailedError(str(error)) from None


class Listening(HereWorkers):
    """Remembers the schemes of the views for which choices were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.schemes: set[Any] = set()

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        if function is choose_action:
            self.schemes.add(args[1].scheme and args[1].scheme.name)
        return await super().run(limit, function, *args)


class Client(httpx.AsyncClient):
    """A browser or a program at the server of a test."""

    server: Server


@asynccontextmanager
async def running(folder: Path, **changes: Any) -> AsyncIterator[tuple[FastAPI, Client]]:
    """The application, started, and a client of it."""
    workers = changes.pop("workers", None) or HereWorkers()
    fields: dict[str, Any] = {"data": store_in(folder), "timing": FAST, "rate": 0.0}
    settings = Settings(**(fields | changes))
    app = create_app(settings, workers=workers)
    async with app.router.lifespan_context(app), client_of(app) as client:
        yield app, client


_DATABASES: dict[Path, str] = {}


def store_in(folder: Path) -> Path | str:
    """The store of a test: a file, or its own part of a database (`TRIBRIDGE_TESTED_STORE`)."""
    if os.environ.get("TRIBRIDGE_TESTED_STORE") != "postgresql":
        return folder / "play.sqlite"
    if folder not in _DATABASES:
        _DATABASES[folder] = shared_database().url()
    return _DATABASES[folder]


def client_of(app: FastAPI) -> Client:
    """Another client of the same server."""
    transport = httpx.ASGITransport(app=app)
    client = Client(transport=transport, base_url="http://localhost", timeout=300)
    client.server = app.state.server
    return client


def run(test: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, in a thread of its own if Playwright's loop runs in this one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(test)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, test).result()


async def open_table(client: Client, **fields: Any) -> str:
    """A table opened through the API; its name."""
    body = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"]} | fields
    answer = await client.post("/api/tables", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


async def sit(client: Client, table: str, seat: str, name: str = "") -> dict[str, str]:
    """Take a seat; the headers that hold it."""
    answer = await client.post(f"/api/tables/{table}/seats/{seat}", json={"name": name})
    assert answer.status_code == 201, answer.text
    return {"authorization": f"Bearer {answer.json()['token']}"}


async def look(client: Client, table: str, seat: dict[str, str] | None = None) -> dict[str, Any]:
    """The table as a seat sees it."""
    answer = await client.get(f"/api/tables/{table}", headers=seat)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def act(
    client: Client, table: str, seat: dict[str, str], action: str, at: int
) -> httpx.Response:
    """Call or play."""
    body = {"action": action, "at": at}
    return await client.post(f"/api/tables/{table}/actions", json=body, headers=seat)


async def three(client: Client, **fields: Any) -> tuple[str, dict[str, dict[str, str]]]:
    """A table with three persons; its name and their headers by seat."""
    table = await open_table(client, **fields)
    return table, {letter: await sit(client, table, letter, f"P{letter}") for letter in "NES"}


def choose(view: dict[str, Any], random: Random, quiet: float = 0.55) -> str:
    """A legal action at random, with passes often enough for the auction to end."""
    legal: list[str] = view["legal"]
    if view["contract"] is None:
        if random.random() < quiet:
            return "Pass"
        legal = [call for call in legal if call != "Pass"][:6] or ["Pass"]
    return legal[int(random.random() * len(legal))]


async def play_deal(
    client: Client, table: str, seats: dict[str, dict[str, str]], random: Random
) -> dict[str, Any]:
    """Play the current deal to its end with random legal actions."""
    for _ in range(400):
        view = await look(client, table, seats["S"])
        if view["deal_over"]:
            return view
        seat = seats[view["turn"]]
        view = await look(client, table, seat)
        answer = await act(client, table, seat, choose(view, random), view["number"])
        assert answer.status_code == 200, answer.text
    raise AssertionError("the deal does not end")


async def next_deal(client: Client, table: str, seats: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The next deal, for which all who sit there are ready; as the last of them sees it."""
    number = (await look(client, table))["number"]
    path, body = f"/api/tables/{table}/next", {"at": number}
    for seat in seats.values():
        answer = await client.post(path, json=body, headers=seat)
        assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def stored_events(client: Client, table: str) -> list[dict[str, Any]]:
    """The events of a table as they are in the file."""
    query = "SELECT body FROM events WHERE tab = ? ORDER BY number"
    return [json.loads(body) for (body,) in client.server.rooms.store.rows(query, table)]


def told_by_events(client: Client, table: str) -> bool:
    """Whether the stored events of a table alone lead to its state.

    Bots may act meanwhile: an event is stored before the state knows it.
    """
    state = client.server.rooms.find(table).state
    return replay(client.server.rooms.store.events(table)[: state.number]) == state


def kinds_of(client: Client, table: str) -> list[str]:
    """The kinds of a table's events."""
    return [event["kind"] for event in stored_events(client, table)]


def form_at(html: str) -> int:
    """The event number that a page of a table shows."""
    return int(html.split('data-number="')[1].split('"')[0])
