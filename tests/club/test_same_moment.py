"""Requests that arrive at the same moment: nobody is told what another seat sees.

A move is being stored while its player asks for a hint, advice or the outlook; or takes it back,
or leaves. Whatever is answered must be what the asker's own view gives, byte for byte.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.club.database import programs
from tests.club.helpers import Client, running
from tests.club.test_leaks import hidden_cards, plain
from tests.club.two_servers import two, until
from tribridge.advice import calls
from tribridge.cards.deals import Seat, three
from tribridge.club.core import events
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.state import Place, State
from tribridge.club.errors import StaleError
from tribridge.club.pages.templates import page
from tribridge.club.view import advice
from tribridge.club.view.table import seat_view
from tribridge.common import codec
from tribridge.game import View, view
from tribridge.game.view_json import action_name
from tribridge.strategies import options

pytestmark = pytest.mark.anyio

NEEDED = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
SERVERS = ["one", pytest.param("two", marks=NEEDED)]


@pytest.fixture(autouse=True)
def few_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "DEFENCE", 2)
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

    async def hint(self, client: Client, token: str) -> Any:
        return await self.post(client, "hint", token)

    async def advice(self, client: Client, token: str) -> Any:
        headers = {"authorization": f"Bearer {token}"}
        return await client.post(f"/api/tables/{self.name}/advice", headers=headers)

    async def outlook(self, client: Client, token: str) -> Any:
        return await client.get(f"/table/{self.name}/outlook")

    async def settled(self) -> None:
        """Wait until all servers know all events and no bot is to act."""

        async def known() -> bool:
            rooms = [await client.server.rooms.load(self.name) for client in self.clients]
            stored = len(self.clients[0].server.rooms.store.events(self.name))
            state = rooms[0].state
            turn = state.turn
            waits = turn is None or state.places[turn].person
            return waits and all(room.state.number == stored for room in rooms)

        await until(known)

    def after(self, before: State) -> State:
        """The table after the first event that affects what can be asked."""
        state = before
        for event in self.clients[0].server.rooms.store.events(self.name, before.number):
            state = events.after(state, event)
            if state.since > before.since:
                break
        return state

    async def move(self, action: str) -> None:
        """The seat on turn acts."""
        rooms = self.clients[0].server.rooms
        await rooms.add(rooms.held[self.name], events.Act(self.turn, action))
        await self.settled()


@asynccontextmanager
async def opened(
    folder: Path, servers: str, people: str = "NES", slow: float = 0.01, *, started: bool = True
) -> AsyncIterator[Table]:
    """A table at one server, or at two; storing an event takes a while."""

    async def open_at(*clients: Client) -> Table:
        places = [
            Place(f"P{seat.letter}", "pass+maxims", person=True)
            if seat.letter in people
            else Place("", "pass+maxims", open=not started)
            for seat in Seat
        ]
        if not started and people:
            places[Seat.SOUTH] = Place("", "pass+maxims", open=True)
        room = await clients[0].server.rooms.open(MatchPlan(3, deals=2), places)
        for client in clients:
            rooms = client.server.rooms
            rooms.attend(await rooms.load(room.name))
            append = rooms.store.append

            async def later(*args: Any, append: Any = append, **named: Any) -> None:
                await asyncio.sleep(slow)
                await append(*args, **named)

            rooms.store.append = later  # type: ignore[method-assign]
        shown = Table(clients, room.name)
        await shown.settled()
        return shown

    if servers == "one":
        async with running(folder) as (_, client):
            yield await open_at(client)
    else:
        async with two(folder) as clients:
            yield await open_at(*clients)


Before = tuple[State, State]
"""The table before and after two requests."""


def own_views(states: Before, seat: Seat | None) -> list[tuple[View, State]]:
    """What a seat may have seen when it asked."""
    tables = [(state.table, state) for state in states if not state.closed]
    return [(view(table, seat), state) for table, state in tables if table is not None]


def explained_hint(answer: Any, states: Before, seat: Seat, name: str) -> None:
    """A hint is refused, or it is what the asker's view gives on the asker's turn."""
    if answer.status_code == 200:
        own = [
            page("hint.html", s=seat_view(name, state, seat), seen=seen, options=options(seen)).body
            for seen, _ in own_views(states, seat)
            for state in states
            if seen.turn is seat
        ]
        assert answer.content in own
        hidden = [set(hidden_cards(plain(answer.text, name), state, seat)) for state in states]
        assert not hidden[0] & hidden[1]


def explained_advice(answer: Any, states: Before, seat: Seat, name: str) -> None:
    """Advice is refused, or it is what the asker's view gives."""
    if answer.status_code == 200:
        own = []
        for seen, state in own_views(states, seat):
            given = state.number, answer.json()["strategy"], advice.study(seen)
            own.append(json.loads(codec.dumps(advice.full_advice(seen, *given))))
        assert answer.json() | {"number": 0} in [one | {"number": 0} for one in own]


def explained_outlook(answer: Any, states: Before, seat: Seat, name: str) -> None:
    """The outlook is empty for whoever has a seat, or what everyone can see gives."""
    own = [page("outlook.html", found=None).body]
    own += [
        page("outlook.html", found=advice.outlook(seen)).body for seen, _ in own_views(states, None)
    ]
    assert answer.content in own


QUESTIONS = {
    "hint": (Table.hint, explained_hint),
    "advice": (Table.advice, explained_advice),
    "outlook": (Table.outlook, explained_outlook),
}
GRID = [
    *(("one", people, question) for people in ("NES", "S") for question in QUESTIONS),
    *(
        pytest.param("two", people, question, marks=[NEEDED, *[pytest.mark.full] * (at % 2)])
        for at, (people, question) in enumerate(
            (people, question) for question in QUESTIONS for people in ("NES", "S")
        )
    ),
]
"""At one server all; at two, where each takes seconds, every second one but for `make test-all`."""
MOVES = ["1C", "Pass", "Pass", *[None] * 9]
"""A contract, then cards."""


async def at_once(here: Table, question: str, moves: str, **sent: Any) -> tuple[int, int]:
    """A request that changes the table, and a question of the same player; how they are answered.

    The question reaches the other server, where there is one.
    """
    before, seat = here.state, here.turn
    token, (ask, explained) = here.token(seat), QUESTIONS[question]
    for client in here.clients:  # what was thought ahead is another way to the same answer
        client.server.rooms.held[here.name].thoughts.clear()
    moved, answer = await asyncio.gather(
        here.post(here.clients[0], moves, token, **sent),
        ask(here, here.clients[-1], token),
    )
    await here.settled()
    assert answer.status_code in (200, 403, 409, 422), answer.text
    assert answer.status_code == 200 or "\n" not in answer.text.strip()
    explained(answer, (before, here.after(before)), seat, here.name)
    return moved.status_code, answer.status_code


@pytest.mark.parametrize(("servers", "people", "question"), GRID)
async def test_a_move_and_a_question(
    tmp_path: Path, servers: str, people: str, question: str
) -> None:
    answered, met = Counter[int](), 0
    async with opened(tmp_path, servers, people) as here:
        for move in MOVES if question != "advice" else MOVES[:6]:
            state = here.state
            assert state.table is not None
            legal = [action_name(action) for action in state.table.legal]
            action = move if move in legal else legal[0]
            sent = {"action": action, "at": state.number}
            moved, status = await at_once(here, question, "act", **sent)
            assert moved in (200, 409)
            answered[status] += 1
            met += 409 in (moved, status)
            if moved == 409:  # the question was stored first
                await here.move(action)
    assert answered[200] if question == "outlook" else met  # whichever came second was refused


@pytest.mark.parametrize("servers", SERVERS)
async def test_an_undo_and_a_hint(tmp_path: Path, servers: str) -> None:
    async with opened(tmp_path, servers, "S") as here:
        for _ in range(4):
            table = here.state.table
            assert table is not None
            await here.move("1C" if table.position is None else action_name(table.legal[0]))
            sent = {"at": here.state.number}
            moved, _ = await at_once(here, "hint", "undo", **sent)
            assert moved in (200, 409)


@pytest.mark.parametrize("for_good", ["true", "false"])
@pytest.mark.parametrize("servers", SERVERS)
async def test_leaving_and_a_hint(tmp_path: Path, servers: str, for_good: str) -> None:
    async with opened(tmp_path, servers) as here:
        for action in ("1C", "Pass", "Pass"):
            await here.move(action)
        for _ in range(2):
            await at_once(here, "hint", "leave", for_good=for_good)


def test_a_question_about_a_position_that_has_gone_is_refused_and_old_ones_are_read() -> None:
    places = three(Place(seat.letter, "pass+random", person=True) for seat in Seat)
    opened = events.Opened(MatchPlan(3), places, dice=1)
    state = events.after(
        events.after(opened.state(), events.Started()), events.Act(Seat.NORTH, "1C")
    )
    asked = [events.Advised(Seat.EAST, at) for at in (None, state.number)]
    assert {events.after(state, event).advice for event in asked} == {((Seat.EAST, 1),)}
    said = events.after(state, events.Chat("Hello!", Seat.NORTH))  # it changes nothing on the board
    assert events.after(said, asked[1]).advice
    with pytest.raises(StaleError):
        events.after(state, events.Advised(Seat.EAST, state.number - 1))
    kept = codec.loads('[{"kind": "advised", "seat": "E"}]', events.EVENTS, "a file")
    assert kept == asked[:1]


async def test_whoever_has_left_writes_nothing_under_the_name_of_the_seat(tmp_path: Path) -> None:
    async with opened(tmp_path, "one") as here:
        (client,), seat = here.clients, Seat.EAST
        token = here.token(seat)
        left, wrote = await asyncio.gather(
            here.post(client, "leave", token, for_good="true"),
            here.post(client, "chat", token, text="Hello!"),
        )
        assert (left.status_code, wrote.status_code) == (303, 403)
        assert here.state.messages == ()


async def test_a_seat_is_kept_for_whoever_leaves_while_the_match_begins(tmp_path: Path) -> None:
    async with opened(tmp_path, "one", started=False) as here:
        (client,) = here.clients
        host, other = (here.token(seat) for seat in (Seat.NORTH, Seat.EAST))
        answers = await asyncio.gather(
            here.post(client, "start", host), here.post(client, "leave", other)
        )
        assert [answer.status_code for answer in answers] == [200, 303]
        place = here.state.places[Seat.EAST]
        assert (place.name, place.away) == ("PE", True)


@pytest.mark.parametrize("servers", SERVERS)
async def test_all_who_take_the_last_seats_get_them(tmp_path: Path, servers: str) -> None:
    async with opened(tmp_path, servers, people="", started=False) as here:
        path = f"/api/tables/{here.name}"
        answers = await asyncio.gather(
            *(
                here.clients[at % len(here.clients)].post(f"{path}/seats/{seat}", json={})
                for at, seat in enumerate("NES")
            )
        )
        assert [answer.status_code for answer in answers] == [201, 201, 201], answers
        await here.settled()
        assert here.state.started
        for answer in answers:
            held = {"authorization": f"Bearer {answer.json()['token']}"}
            seen = await here.clients[0].get(path, headers=held)
            assert seen.json()["seat"] == answer.json()["seat"]
