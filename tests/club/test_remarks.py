"""What bots say at the table: by what everybody has seen, and not every time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.club.helpers import Client, running
from tribridge.cards.deals import Seat, three
from tribridge.club.core.events import Act
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.room import Room
from tribridge.club.core.state import Options, Place
from tribridge.club.view.remarks import remark
from tribridge.club.view.table import seat_view
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio

N, E, S = Seat


async def _opened(client: Client, seed: int = 7, deals: int = 2, chat: str = "free") -> Room:
    """A table of three people, so that nobody acts but the test."""
    places = [Place(seat.letter * 3, "pass+random", person=True) for seat in Seat]
    plan = MatchPlan(seed, deals=deals, doubles=True)
    return await client.server.rooms.open(plan, places, options=Options(chat=chat))


def _said(room: Room, people: tuple[Seat, ...] = (S,)) -> tuple[Seat, str] | None:
    """What is said if bots sit in the seats of all others."""
    seated = zip(Seat, room.state.places, strict=True)
    places = three(replace(place, person=seat in people) for seat, place in seated)
    state = replace(room.state, places=places)
    (words,) = {remark(seat_view(room.name, state, seat)) for seat in (None, *Seat)}
    return words


async def _act(client: Client, room: Room, *calls: str) -> int:
    """Make some calls, and play the cards; tricks over the contract."""
    made = list(calls)
    while not room.state.closed:
        state = room.state
        assert state.table is not None
        assert state.turn is not None
        action = made.pop(0) if made else action_name(state.table.legal[0])
        await client.server.rooms.add(room, Act(state.turn, action), state.number)
    outcome = room.state.finished[-1].outcome
    return 0 if outcome.contract is None else outcome.tricks - outcome.contract.tricks_needed()


async def test_a_bot_greets_once_and_says_goodbye(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room = await _opened(client, deals=1)
        said = _said(room)
        assert said is not None
        assert said[0] in (N, E)
        assert said[1] == "Good luck!"
        await client.server.rooms.add(room, Act(N, "Pass"), room.state.number)
        assert _said(room) is None
        passed = await _opened(client, deals=1)
        await _act(client, passed, "Pass", "Pass", "Pass")
        assert _said(passed) is None  # that was no game
        await _act(client, room, "1C", "Pass", "Pass")
        said = _said(room)
        assert said is not None
        assert said[1] == "Good game!"


async def test_a_bot_is_surprised_by_its_own_failure_alone(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room = await _opened(client)
        assert await _act(client, room, "7NT", "Pass", "Pass") < -1
        assert _said(room) == (N, "😮")
        room = await _opened(client)
        assert await _act(client, room, "Pass", "Pass", "7NT", "Pass", "Pass") < -1
        assert _said(room) is None


@pytest.mark.parametrize(("declarer", "word"), [(N, "😊"), (S, "👏")])
async def test_what_makes_though_it_was_doubled_is_worth_a_word(
    declarer: Seat, word: str, tmp_path: Path
) -> None:
    async with running(tmp_path) as (_, client):
        passes = ["Pass"] * int(declarer)
        for seed in range(30):
            plain, doubled = [await _opened(client, seed) for _ in range(2)]
            over = await _act(client, plain, *passes, "1C", "Pass", "Pass")
            assert over < -1 or _said(plain) is None
            if over >= 0:
                await _act(client, doubled, *passes, "1C", "X", "Pass", "Pass")
                words = _said(doubled)
                assert words is not None
                assert words[1] == word
                assert words[0] in ((N,) if declarer is N else (N, E))
                return
        raise AssertionError("no contract made")


async def test_bots_are_quiet_among_themselves_and_where_nobody_writes(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room = await _opened(client)
        assert _said(room, people=()) is None
        assert _said(room, people=(N, E, S)) is None
        assert _said(await _opened(client, chat="off")) is None


async def test_the_page_says_it_in_its_language(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        where = (await client.post("/play", data={"other": "pass+random"})).headers["location"]
        page = await client.get(where)
        assert 'data-remark="Good luck!"' in page.text or 'data-remark=""' in page.text
        german = await client.get(where, headers={"accept-language": "de"})
        assert 'data-remark="Good luck!"' not in german.text
