"""An I/O error at every single call of the store, one after the other, as SQLite tests itself.

A game, its rematch, a puzzle and a player's games go through a store whose n-th call fails, for
every n: before anything was done, or after it was done, when only the answer is lost. Of a database
it is the connection that breaks in its n-th use, of those for reading, writing and leases. Whoever
is refused with 503 sends the request again. At the end nothing is lost, nothing is there twice, and
nothing has failed in any other way.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import Any

import httpx
import pytest

from tests.club.database import shared_database
from tests.club.helpers import Client, look, running, stored_events
from tribridge.club.core.events import replay
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.store import Store
from tribridge.club.puzzles import shipped
from tribridge.game.view_json import action_name

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_AGAIN = 5
"""How often a request is sent: only one call fails."""
_REST = 0.6
"""Seconds until a connection that has failed is tried again, and some to spare."""


class Failing:
    """A call of a store's engine that fails: the n-th of its kind."""

    def __init__(self, owner: Any, kind: str, number: int, *, done: bool) -> None:
        self.left, self.done, self.failed = number, done, False
        self._call: Callable[..., Any] = getattr(owner, kind)
        setattr(owner, kind, self)
        self.mend: Callable[[], None] = partial(delattr, owner, kind)

    def __call__(self, *args: Any) -> Any:
        self.left -= 1
        if self.left:
            return self._call(*args)
        self.failed = True
        return self.fail(*args)

    def fail(self, *args: Any) -> Any:
        if self.done:
            self._call(*args)
        raise sqlite3.OperationalError("disk I/O error")


class Cut(Failing):
    """The use of a connection to PostgreSQL in which it breaks."""

    def fail(self, *args: Any) -> Any:
        (work,) = args

        def cut(connection: Any) -> Any:
            result = work(connection) if self.done else None
            with socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(SHUT_RDWR)
            if self.done:
                connection.execute("SELECT 1")  # the answer is not heard
                raise AssertionError(result)
            return work(connection)

        return self._call(cut)


async def _ask(client: Client, method: str, path: str, **more: Any) -> httpx.Response:
    """Ask until something can be stored."""
    for _ in range(_AGAIN):
        answer = await client.request(method, path, **more)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        if answer.status_code != 503:
            return answer
        assert "\n" not in answer.json()["error"]
        await asyncio.sleep(_REST if client.server.rooms.store.shared else 0)
    raise AssertionError(f"{path} is refused again and again: {answer.text}")


async def _seated(client: Client) -> tuple[str, dict[str, str]]:
    """A table with three people; another one, if the answer with a token was lost."""
    while True:
        body = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"], "deals": 1}
        opened = await _ask(client, "POST", "/api/tables", json=body)
        table, tokens = opened.json()["table"], {}
        for seat in "NES":
            path = f"/api/tables/{table}/seats/{seat}"
            answer = await _ask(client, "POST", path, json={"name": f"P{seat}"})
            if answer.status_code == 201:
                tokens[seat] = answer.json()["token"]
        if len(tokens) == 3:
            return table, tokens


async def _play(client: Client, key: str) -> tuple[str, list[tuple[int, str]]]:
    """A deal that is passed out; the table, and what was acknowledged."""
    table, tokens = await _seated(client)
    acted = []
    if not (await _view(client, table))["started"]:
        held = {"authorization": f"Bearer {tokens['N']}"}
        await _ask(client, "POST", f"/api/tables/{table}/start", json={}, headers=held)
    for _ in range(3):
        view = await _view(client, table)
        held = {"authorization": f"Bearer {tokens[view['turn']]}"}
        body = {"action": "Pass", "at": view["number"]}
        answer = await _ask(client, "POST", f"/api/tables/{table}/actions", json=body, headers=held)
        assert answer.status_code == 200, answer.text
        acted.append((view["number"], view["turn"]))
    mine = {"authorization": f"Bearer {key}"}
    game = {"table": table, "token": tokens["S"]}
    added = await _ask(client, "POST", "/api/me/games", json=game, headers=mine)
    assert added.status_code == 201
    puzzle = shipped().puzzles[0]
    for _ in range(2):
        await _ask(
            client,
            "POST",
            f"/api/puzzles/{puzzle.id}",
            json={"action": action_name(puzzle.best.action)},
            headers={"X-Device-Key": key},
        )
    for token in tokens.values():
        held = {"authorization": f"Bearer {token}"}
        await _ask(client, "POST", f"/api/tables/{table}/rematch", json={}, headers=held)
    return table, acted


async def _view(client: Client, table: str) -> dict[str, Any]:
    view: dict[str, Any] = (await _ask(client, "GET", f"/api/tables/{table}")).json()
    return view


async def _check(client: Client, key: str, table: str, acted: list[tuple[int, str]]) -> None:
    """Check that a game is there, once, as it was acknowledged."""
    store = client.server.rooms.store
    stored = stored_events(client, table)
    for at, seat in acted:  # what was acknowledged is in its place
        assert (stored[at]["kind"], stored[at]["seat"]) == ("act", seat)
    kinds = [event["kind"] for event in stored]
    assert kinds.count("act") == len(acted)
    assert kinds.count("moved") == 1
    assert replay(store.events(table)) == client.server.rooms.find(table).state
    mine = {"authorization": f"Bearer {key}"}
    games = (await client.get("/api/me/games", headers=mine)).json()["games"]
    assert len(games) == 1
    solved = store.rows("SELECT solved FROM puzzle_answers WHERE device = ?", device_of_key(key))
    assert [bool(row[0]) for row in solved] == [True]


async def _every(
    folder: Path, data: Path | str, breaking: Callable[[Store, int], Failing], least: int
) -> None:
    """Games in which the first call fails, the second one, and so on: as many as a game makes."""
    tables = []
    async with running(folder, data=data) as (_, client):
        for number in count(1):
            fault, key = breaking(client.server.rooms.store, number), new_key()
            table, acted = await _play(client, key)
            fault.mend()
            await _check(client, key, table, acted)
            tables.append(table)
            if not fault.failed:
                break
    assert len(tables) > least  # it was a whole game
    async with running(folder, data=data) as (_, client):
        for table in tables:
            assert (await look(client, table))["over"]  # and after a restart


@pytest.mark.parametrize(("kind", "done"), [("run", False), ("run", True), ("read", False)])
async def test_an_error_at_every_call_loses_and_doubles_nothing(
    tmp_path: Path, kind: str, done: bool
) -> None:
    def breaking(store: Store, number: int) -> Failing:
        return Failing(store, kind, number, done=done)

    await _every(tmp_path, tmp_path / "play.sqlite", breaking, 8)


@pytest.mark.parametrize(
    ("line", "done", "least"),
    [
        ("_writing", False, 8),
        ("_writing", True, 8),
        ("_reading", False, 8),
        ("_reading", True, 8),
        ("_leasing", False, 2),
        ("_leasing", True, 2),
    ],
)
async def test_a_connection_that_breaks_at_every_use_loses_and_doubles_nothing(
    tmp_path: Path, line: str, done: bool, least: int
) -> None:
    def breaking(store: Store, number: int) -> Failing:
        return Cut(getattr(store, line), "use", number, done=done)

    await _every(tmp_path, shared_database().url(), breaking, least)
