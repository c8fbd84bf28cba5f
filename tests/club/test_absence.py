"""A person who vanishes does not hold up the table, and finds the seat again."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.club.ears import Ear
from tests.club.helpers import FAST, Client, act, client_of, form_at, look, run, running, three
from tribridge.cards.deals import Seat
from tribridge.club.core.events import (
    Act,
    Answer,
    Away,
    Back,
    ClaimTricks,
    Gone,
    Left,
    Opened,
    Started,
    after,
    went,
)
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.room import Presence
from tribridge.club.core.state import Place, State
from tribridge.game.view_json import action_name

AT_ONCE = replace(FAST, silence=0.0)


async def _stand_in(client: Client, table: str, asking: Any, seat: str) -> httpx.Response:
    at = client.server.rooms.find(table).state.number
    path = f"/api/tables/{table}/seats/{seat}/stand-in"
    return await client.post(path, json={"at": at}, headers=asking)


def test_a_strategy_plays_until_the_person_is_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, timing=AT_ONCE) as (_, client):
            table, seats = await three(client)
            room = client.server.rooms.find(table)
            number = room.state.number
            for asking, seat in ((seats["E"], "S"), (seats["N"], "N")):  # not due; oneself
                assert (await _stand_in(client, table, asking, seat)).status_code == 422
            assert (await _stand_in(client, table, {}, "N")).status_code == 403
            assert room.state.number == number
            assert (await _stand_in(client, table, seats["E"], "N")).status_code == 200
            while room.state.turn is not Seat.EAST:
                await asyncio.sleep(0)
            view = await look(client, table, seats["E"])
            assert view["calls"] == ["Pass"]
            assert view["names"][0] == "PN"
            gone = await look(client, table, seats["N"])
            assert len(gone["hand"]) == 13  # still one's own cards, and nobody else's
            answer = await act(client, table, seats["N"], "Pass", room.state.number)
            assert answer.status_code == 422
            assert "take your seat" in answer.text
            for who, status in (({}, 403), (seats["E"], 422), (seats["N"], 200)):
                answer = await client.post(f"/api/tables/{table}/back", headers=who)
                assert answer.status_code == status
            for letter in "ES":
                await act(
                    client, table, seats[letter], "1C" if letter == "E" else "1D", room.state.number
                )
            await asyncio.sleep(0.05)
            view = await look(client, table)
            assert view["turn"] == "N"  # a person again: nobody acts for them
            answer = await act(client, table, seats["N"], "Pass", room.state.number)
            assert answer.status_code == 200
            north, east, south = (replace(place, person=False) for place in room.state.places)
            east = replace(east, person=True)
            alone = replace(room.state, places=(north, east, south))
            missed = replace(room.state, places=(replace(north, away=True), east, south))
            assert alone.undo_to(Seat.EAST) is not None
            assert missed.undo_to(Seat.EAST) is None  # nobody's calls are undone behind their back

    run(test())


@pytest.mark.slow
def test_the_page_offers_it_only_for_one_who_is_missing(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as (app, client):
            table, seats = await three(client)
            room = client.server.rooms.find(table)

            async def asks(who: str, path: str, **data: Any) -> httpx.Response:
                token = seats[who]["authorization"].split()[1]
                headers = {"cookie": f"seat-{table}={token}"}
                url = f"/table/{table}{path}"
                async with client_of(app) as browser:
                    if data:
                        return await browser.post(url, data=data, headers=headers)
                    return await browser.get(url, headers=headers)

            waits = (await asks("E", "")).text.partition("/absent")[2]
            assert waits.startswith('" hx-target="this"')  # and not the board around it
            assert "/absent" not in (await asks("N", "")).text
            assert "play for" not in (await asks("E", "/absent")).text
            data = {"seat": "N", "at": room.state.number}
            assert (await asks("E", "/stand-in", **data)).status_code == 422
            # An onlooker is told, too, and cannot do anything about it.
            assert "/absent" in (await client.get(f"/table/{table}")).text
            assert (await client.get(f"/table/{table}/absent")).text.strip() == ""
            # Whoever has gone is waited for, and it is counted down when a bot can play on.
            room.presence._last[Seat.NORTH] -= 42
            counted = (await asks("E", "/absent")).text
            assert "PN" in counted
            left = re.search(r'data-left="(\d+)"', counted)
            assert left is not None
            assert 0 < int(left[1]) <= 18
            assert "play for" not in counted
            assert "is not here" in (await client.get(f"/table/{table}/absent")).text
            client.server.rooms.timing = AT_ONCE
            assert "play for PN" in (await asks("E", "/absent")).text
            looked = (await client.get(f"/table/{table}/absent")).text
            assert "has been away" in looked
            assert "<button" not in looked
            assert (await client.post(f"/table/{table}/stand-in", data=data)).status_code == 403
            assert (await asks("E", "/stand-in", **data)).status_code == 303
            assert "Take my seat back" in (await asks("N", "/board")).text  # an old page
            page = (await asks("N", "")).text
            assert form_at(page) >= 6
            assert "Take my seat back" not in page

    run(test())


def test_whoever_opens_the_page_has_the_seat_again(tmp_path: Path) -> None:
    """A page that comes, or finds its connection again; not one that has been open all along."""

    async def test() -> None:
        async with running(tmp_path, timing=AT_ONCE) as (app, client):
            table, seats = await three(client)
            room = client.server.rooms.find(table)
            holder = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}

            async def goes() -> int:
                assert (await _stand_in(client, table, seats["E"], "N")).status_code == 200
                return went(room.state, Seat.NORTH)

            async def follows(seen: int) -> bool:
                asking = holder | {"last-event-id": str(seen)}
                async with Ear().at(app, f"/table/{table}/stream", asking) as ear:
                    await asyncio.wait_for(ear.more.wait(), 10)
                return room.state.places[0].person

            await client.get(f"/table/{table}", headers=holder)
            assert room.state.places[0].person
            await goes()
            await client.get(f"/table/{table}", headers={"cookie": ""})  # an onlooker
            assert room.state.places[0].away
            page = (await client.get(f"/table/{table}", headers=holder)).text
            assert '<li data-seat="N" class="here">' in page  # to oneself
            assert room.state.places[0].person
            assert "PN is back." in room.state.notes
            number = room.state.number
            await client.get(f"/table/{table}", headers=holder)
            assert room.state.number == number
            gone = await goes()
            assert not await follows(gone)
            assert await follows(gone - 1)

    run(test())


def test_a_notice_about_a_seat_goes_when_it_is_no_longer_news() -> None:
    def played(state: State, actions: int) -> State:
        for _ in range(actions):
            assert state.table is not None
            assert state.turn is not None
            called = "1NT" if not state.actions else action_name(state.table.legal[0])
            state = after(state, Act(state.turn, called))
        return state

    north, east, south = (Place(s.letter, "maxims", person=True) for s in Seat)
    begun = played(after(Opened(MatchPlan(5), (north, east, south), 1).state(), Started()), 3)
    gone = after(begun, Away(Seat.NORTH, left=True))
    assert len(gone.notes) == 1
    assert played(gone, 40).notes == gone.notes  # still true
    back = after(gone, Back(Seat.NORTH))
    assert len(back.notes) == 1
    assert back.notes != gone.notes
    assert played(back, 2).notes in (back.notes, ())
    assert played(back, 4).notes == ()  # North has played
    left = after(begun, Left(Seat.NORTH))
    assert played(left, 4).notes == left.notes != ()
    assert played(left, 12).notes == ()
    kept = after(begun, Gone(Seat.NORTH))
    assert kept.notes
    assert played(kept, 4).notes == ()


def test_a_claim_stands_once_all_who_are_there_agree(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path, timing=AT_ONCE) as (_, client):
            table, seats = await three(client)
            rooms, room = client.server.rooms, client.server.rooms.find(table)
            for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
                await act(client, table, seats[seat], call, room.state.number)
            leader = room.state.turn
            assert leader is Seat.EAST
            await rooms.add(room, ClaimTricks(Seat.EAST, 3))
            await rooms.add(room, Answer(Seat.NORTH, True))
            assert not room.state.closed
            assert (await _stand_in(client, table, seats["N"], "S")).status_code == 200
            assert room.state.closed
            assert room.state.finished[-1].outcome.tricks == 10

    run(test())


def test_an_open_page_is_presence(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("tribridge.club.core.room.time", clock)

    async def two() -> Any:
        yield "a"
        yield "b"

    async def test() -> None:
        presence = Presence(since=100.0)
        stream = presence.during(Seat.NORTH, two())
        await anext(stream)
        now[0] = 200.0
        assert (presence.silence(Seat.NORTH), presence.silence(Seat.EAST)) == (0.0, 100.0)
        await stream.aclose()  # type: ignore[attr-defined]
        now[0] = 230.0
        assert presence.silence(Seat.NORTH) == 30.0
        presence.seen(Seat.EAST)
        assert presence.silence(Seat.EAST) == 0.0

    run(test())
