"""Requests that arrive at the same moment: nobody is told what another seat sees.

A move is being stored while its player asks for a hint, advice or the outlook; or takes it back,
or leaves. Whatever is answered must be what the asker's own view gives, byte for byte.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.web.database import programs
from tests.web.helpers import Client, running
from tests.web.test_leaks import cards_in, hidden_cards, plain
from tests.web.test_shared import two, until
from tribridge.deals import Seat
from tribridge.game import View, view
from tribridge.game.view_json import action_name
from tribridge.web.core.events import Act
from tribridge.web.core.matches import MatchPlan
from tribridge.web.core.state import Place, State
from tribridge.web.pages.drawing import page
from tribridge.web.view import advice

pytestmark = pytest.mark.anyio

SERVERS = [
    "one",
    pytest.param(
        "two", marks=pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
    ),
]


@pytest.fixture(autouse=True)
def few_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "DEFENCE", 2)
    monkeypatch.setattr(advice, "_LAYOUTS", 4)
    monkeypatch.setattr(advice, "_DRAWS", 50)


@dataclass
class Table:
    """A table, and the servers at which moves and questions arrive."""

    clients: Sequence[Client]
    name: str

    @property
    def state(self) -> State:
        return self.clients[0].server.rooms.held[self.name].state

    @property
    def turn(self) -> Seat:
        assert self.state.turn is not None
        return self.state.turn

    def token(self, seat: Seat) -> str:
        rooms = self.clients[0].server.rooms
        return rooms.token(rooms.held[self.name], seat)

    async def post(self, client: Client, what: str, token: str, **fields: Any) -> Any:
        headers = {"cookie": f"seat-{self.name}={token}", "hx-request": "true"}
        return await client.post(f"/table/{self.name}/{what}", data=fields, headers=headers)

    async def get(self, client: Client, what: str, token: str = "") -> Any:
        headers = {"cookie": f"seat-{self.name}={token}"}
        return await client.get(f"/table/{self.name}/{what}", headers=headers)

    async def same(self) -> None:
        """Wait until all servers know the same events, and a person is to act."""

        async def known() -> bool:
            rooms = [await client.server.rooms.load(self.name) for client in self.clients]
            stored = len(self.clients[0].server.rooms.store.events(self.name))
            state = rooms[0].state
            waits = state.closed or (state.turn is not None and state.places[state.turn].person)
            return waits and all(room.state.number == stored for room in rooms)

        await until(known)

    async def moves(self, *actions: str) -> None:
        """The seats on turn act, one after the other."""
        rooms = self.clients[0].server.rooms
        for action in actions:
            await rooms.add(rooms.held[self.name], Act(self.turn, action))
        await self.same()


@asynccontextmanager
async def table(
    folder: Path, servers: str, people: str = "NES", seed: int = 3, slow: float = 0.0
) -> AsyncIterator[Table]:
    """A table at one server, or at two; storing an event takes a while."""

    async def open_at(*clients: Client) -> Table:
        places = [Place(f"P{s.letter}", "pass+maxims", person=s.letter in people) for s in Seat]
        room = await clients[0].server.rooms.open(MatchPlan(seed, deals=2), places)
        for client in clients:
            rooms = client.server.rooms
            rooms.attend(await rooms.load(room.name))
            append = rooms.store.append

            async def later(*args: Any, append: Any = append, **named: Any) -> None:
                await asyncio.sleep(slow)
                await append(*args, **named)

            rooms.store.append = later  # type: ignore[method-assign]
        shown = Table(clients, room.name)
        await shown.same()
        return shown

    if servers == "one":
        async with running(folder) as (_, client):
            yield await open_at(client)
    else:
        async with two(folder) as clients:
            yield await open_at(*clients)


def hint_page(seen: View, scheme: str) -> str:
    body = page("hint.html", seen=seen, options=advice.hints(seen, scheme)).body
    return bytes(body).decode()


def explained(answer: Any, states: Sequence[State], seat: Seat) -> None:
    """A hint is refused, or what the asker's view gives on the asker's turn: before, or after."""
    assert answer.status_code in (200, 409, 422), answer.text
    if answer.status_code != 200:
        assert "\n" not in answer.text.strip()
        return
    scheme = states[0].match.scheme.name
    own = [
        hint_page(view(state.table, seat), scheme)
        for state in states
        if state.table is not None and not state.closed and state.table.turn is seat
    ]
    assert answer.text in own


@pytest.mark.parametrize("servers", SERVERS)
async def test_a_move_and_a_hint(tmp_path: Path, servers: str) -> None:
    refused = Counter[int]()
    async with table(tmp_path, servers, slow=0.01) as here:
        await here.moves("1C")
        for at in range(14):
            before, seat = here.state, here.turn
            assert before.table is not None
            token = here.token(seat)
            legal = before.table.legal
            action = action_name(legal[0 if at in (0, 1) else -1 if at < 6 else 0])
            if at < 2:
                action = "Pass"
            acted, asked = await asyncio.gather(
                here.post(here.clients[0], "act", token, action=action, at=before.number),
                here.post(here.clients[-1], "hint", token),
            )
            assert acted.status_code in (200, 409), acted.text
            await here.same()
            explained(asked, (before, here.state), seat)
            if asked.status_code == 200:
                assert not hidden_cards(plain(asked.text, here.name), before, seat)
            refused[asked.status_code] += 1
            if acted.status_code == 409:
                await here.moves(action)
    assert set(refused) <= {200, 409, 422}
