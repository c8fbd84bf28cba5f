"""An I/O error at every single call of the store, one after the other, as SQLite tests itself.

A game, a puzzle and a player's games go through a store whose n-th call fails, for every n: before
anything was done, or after it was done, when only the answer is lost. Whoever is refused with 503
sends the request again. At the end nothing is lost, nothing is there twice, and nothing has failed
in any other way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.club.helpers import Client, look, running, stored_events
from tribridge.club.core.events import replay
from tribridge.club.core.keys import new_key
from tribridge.club.core.store import SqliteStore
from tribridge.club.puzzles import shipped
from tribridge.game.view_json import action_name

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

_AGAIN = 5
"""How often a request is sent: only one call fails."""


class Failing:
    """The call of a store that fails."""

    def __init__(self, store: SqliteStore, kind: str, number: int, *, done: bool) -> None:
        self.kind, self.left, self.done, self.failed = kind, number, done, False
        self._call: Callable[..., Any] = getattr(store, kind)
        setattr(store, kind, self)

    def __call__(self, *args: Any) -> Any:
        self.left -= 1
        if self.left:
            return self._call(*args)
        self.failed = True
        if self.done:
            self._call(*args)
        raise sqlite3.OperationalError("disk I/O error")


async def _ask(client: Client, method: str, path: str, **more: Any) -> httpx.Response:
    """Ask until something can be stored."""
    for _ in range(_AGAIN):
        answer = await client.request(method, path, **more)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        if answer.status_code != 503:
            return answer
        assert "\n" not in answer.json()["error"]
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
    return table, acted


async def _view(client: Client, table: str) -> dict[str, Any]:
    view: dict[str, Any] = (await _ask(client, "GET", f"/api/tables/{table}")).json()
    return view


async def _attempt(folder: Path, kind: str, number: int, *, done: bool) -> bool:
    """One run; whether so many calls were made that one of them failed."""
    folder.mkdir()
    key = new_key()
    mine = {"authorization": f"Bearer {key}"}
    async with running(folder, data=folder / "play.sqlite") as (_, client):
        store = client.server.rooms.store
        assert isinstance(store, SqliteStore)
        fault = Failing(store, kind, number, done=done)
        table, acted = await _play(client, key)
        if not fault.failed:
            return False
        stored = stored_events(client, table)
        for at, seat in acted:  # what was acknowledged is in its place
            assert (stored[at]["kind"], stored[at]["seat"]) == ("act", seat)
        assert [event["kind"] for event in stored].count("act") == len(acted)
        assert replay(store.events(table)) == client.server.rooms.find(table).state
        games = (await client.get("/api/me/games", headers=mine)).json()["games"]
        assert len(games) == 1
        rows = store.rows("SELECT COUNT(*), SUM(solved) FROM puzzle_answers")
        assert rows == [(1, 1)]
    async with running(folder, data=folder / "play.sqlite") as (_, client):
        assert (await look(client, table))["over"]  # and after a restart
    return True


@pytest.mark.parametrize(("kind", "done"), [("run", False), ("run", True), ("read", False)])
async def test_an_error_at_every_call_loses_and_doubles_nothing(
    tmp_path: Path, kind: str, done: bool
) -> None:
    for number in count(1):
        if not await _attempt(tmp_path / str(number), kind, number, done=done):
            assert number > 8  # it was a whole game
            return
