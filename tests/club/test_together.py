"""Friends at a table: one host, one name each, coming back, presence, a rematch."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.club.ears import Ear
from tests.club.helpers import (
    FAST,
    Client,
    act,
    choose,
    client_of,
    kinds_of,
    look,
    open_table,
    play_deal,
    running,
    sit,
    three,
    told_by_events,
)
from tests.club.test_injection import messages
from tribridge.cards.deals import Seat
from tribridge.club.core import events
from tribridge.club.core.bots import bot_name
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.names import free_name
from tribridge.club.core.room import Room
from tribridge.club.core.state import Options, Place
from tribridge.club.core.wording import winner_words
from tribridge.club.language import speaking, translated
from tribridge.club.view.table import seat_view

pytestmark = pytest.mark.anyio


LEAVE = {"for_good": False}


async def _opened(client: Client, **fields: Any) -> tuple[str, Room]:
    """A table for friends, opened on the page; its path and room."""
    data = {"name": "Ann", "other": "pass+random"} | fields
    answer = await client.post("/open", data=data)
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    return path, client.server.rooms.find(path.rpartition("/")[2])


async def _finished(client: Client, **fields: Any) -> tuple[str, dict[str, dict[str, str]], Room]:
    """A match of three persons that is over."""
    table, seats = await three(client, deals=1, **fields)
    await play_deal(client, table, seats, Random(2))
    return table, seats, client.server.rooms.find(table)


# The start


async def test_the_host_starts_when_the_others_are_ready(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        path, room = await _opened(client)
        table = room.name
        answer = await friend.post(f"{path}/sit", data={"seat": "N", "name": "Ben"})
        assert answer.status_code == 303
        east = await sit(client, table, "E", "Cleo")
        assert not room.state.started  # full, but the host has not started it
        view = await look(client, table)
        assert (view["host"], view["waits"], view["ready"]) == ("S", True, [])
        waiting = (await client.get(path)).text
        assert "Start without waiting" in waiting
        # Nobody else can sit down: there is nobody to share the link with but onlookers.
        assert "Share this page" not in waiting
        assert "can look on" in waiting
        assert "I am ready" in (await friend.get(path)).text
        assert (await friend.post(f"{path}/ready")).status_code == 303
        answer = await client.post(f"/api/tables/{table}/ready", json={}, headers=east)
        assert answer.json()["ready"] == ["N", "E"]
        assert "not ready" in (await friend.get(path)).text
        answer = await friend.post(f"{path}/ready", data={"ready": "false"})
        assert (await look(client, table))["ready"] == ["E"]
        at = {"at": room.state.number}
        answer = await client.post(f"/api/tables/{table}/start", json=at, headers=east)
        assert answer.status_code == 403
        assert answer.json()["error"] == "only the host, Ann, can start the match"
        assert (await client.post(f"{path}/start")).status_code == 303
        assert room.state.started
        answer = await friend.post(f"{path}/ready")
        assert (answer.status_code, "has already begun" in answer.text) == (422, True)
        assert told_by_events(client, table)


async def test_the_host_chooses_the_bots_for_empty_seats(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        path, room = await _opened(client)
        data = {"seat": "E", "strategy": "points+random"}
        await friend.post(f"{path}/sit", data={"seat": "N", "name": "Ben"})
        answer = await friend.post(f"{path}/bot", data=data)
        assert (answer.status_code, "only the host" in answer.text) == (403, True)
        assert (await client.post(f"{path}/bot", data=data)).status_code == 303
        answer = await client.post(f"{path}/bot", data=data | {"seat": "N"})
        assert (answer.status_code, "not open" in answer.text) == (422, True)
        answer = await client.post(f"{path}/bot", data=data | {"strategy": "none"})
        assert answer.status_code == 422
        assert "Dot" in (await friend.get(path)).text
        await client.post(f"{path}/start")
        assert room.state.places[Seat.EAST].name == "Dot"
        assert room.state.places[Seat.EAST].strategy == "points+random"


async def test_one_click_against_bots_still_starts_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/play", data={"name": "Ann", "other": "pass+random"})
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        assert room.state.started
        table = await open_table(client, open=["S"], wait=True)
        south = await sit(client, table, "S", "Ann")
        waiting = client.server.rooms.find(table)
        assert not waiting.state.started
        at = {"at": waiting.state.number}
        answer = await client.post(f"/api/tables/{table}/start", json=at, headers=south)
        assert answer.json()["started"]


async def test_the_host_passes_on_when_the_host_leaves_before_the_start(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        path, room = await _opened(client)
        await friend.post(f"{path}/sit", data={"seat": "N", "name": "Ben"})
        await client.post(f"{path}/leave")
        assert room.state.host is Seat.NORTH
        assert room.state.places[Seat.SOUTH].open  # free for someone else
        assert (await friend.post(f"{path}/start")).status_code == 303


# Names


async def test_a_second_ann_is_told_what_would_do(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client)
        await sit(client, table, "N", "Ann")
        room = client.server.rooms.find(table)
        number = room.state.number
        for name in ("Ann", "ANN", " a n n ", "ａｎｎ"):
            path = f"/api/tables/{table}/seats/E"
            answer = await client.post(path, json={"name": name})
            assert answer.status_code == 422
            assert "choose another name" in answer.json()["error"]
            assert "\n" not in answer.json()["error"]
        assert answer.json()["error"].endswith("ａｎｎ 2")
        assert room.state.number == number
        both = await asyncio.gather(
            *(client.post(f"/api/tables/{table}/seats/{s}", json={"name": "Bo"}) for s in "ES")
        )
        assert sorted(one.status_code for one in both) == [201, 422]


def test_bots_have_names_of_their_own() -> None:
    person = Place("walter", "points+maxims", person=True)
    places = [Place("", "points+maxims"), person, person]
    assert bot_name(places, "points+maxims", Seat.NORTH) == "Robin"
    assert bot_name(places, "points+maxims", Seat.NORTH, one_name=False) == "Walter"
    assert free_name("x" * 40, ["x" * 24]) == "x" * 21 + " 2"


async def test_a_fourth_person_opens_a_table_of_their_own(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as other:
        path, room = await _opened(client)
        offer = 'action="/open/again"'
        for seat, name in (("N", "Ben"), ("E", "Cleo")):
            assert offer not in (await other.get(path)).text
            async with client_of(app) as friend:
                await friend.post(f"{path}/sit", data={"seat": seat, "name": name})
        for begun in (False, True):
            page = (await other.get(path)).text
            assert offer in page
            assert f"{path}/sit" not in page
            assert offer not in (await client.get(path)).text
            if not begun:
                await client.post(f"{path}/start")
                assert room.state.started
        await other.post("/open", data={"name": "Dora", "scoring": "contract", "deals": "3"})
        answer = await other.post("/open/again")
        own = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        assert own.state.places[Seat.SOUTH].name == "Dora"
        assert [place.open for place in own.state.places] == [True, True, False]
        assert (own.state.match.scheme.name, own.state.match.deals) == ("contract", 3)


# Leaving and coming back


async def test_people_without_a_name_are_guests_in_the_language_of_the_reader(
    tmp_path: Path,
) -> None:
    german = {"accept-language": "de"}
    async with running(tmp_path) as (app, client), client_of(app) as friend, client_of(app) as one:
        path, room = await _opened(client)
        await friend.post(f"{path}/sit", data={"seat": "N", "name": ""}, headers=german)
        read = [(await one.get(path, headers=headers)).text for headers in ({}, german)]
        assert [(">Guest<" in page or "Guest\n" in page) for page in read] == [True, False]
        assert "Gast" in read[1]
        assert "Nord (du)" not in (await friend.get(path, headers=german)).text
        seen = client.server.rooms.held[room.name]
        view = seat_view(room.name, seen.state, Seat.SOUTH)
        said = next(text for _, text in seen.state.said if "sits down" in text)
        assert translated(view.told(said)) == "Guest sits down as North."
        with speaking("de"):
            assert translated(view.told(said)) == "Gast setzt sich auf Nord."
            assert view.on_plates[0] == "Gast"
            own = seat_view(room.name, seen.state, Seat.NORTH)
            assert translated(own.told(said)) == "Du setzt dich auf Nord."
        await one.post(f"{path}/sit", data={"seat": "E", "name": ""})
        view = seat_view(room.name, seen.state, Seat.SOUTH)
        assert view.on_plates[:2] == ("Guest (North)", "Guest (East)")


async def test_one_who_leaves_comes_back_to_the_same_seat(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        path, room = await _opened(client)
        await friend.post(f"{path}/sit", data={"seat": "N", "name": "Ben"})
        await client.post(f"{path}/start")
        await friend.post(f"{path}/leave")
        assert room.state.places[Seat.NORTH].away
        assert "Ben leaves; Robin plays until they return." in room.state.notes
        await friend.head(path)
        assert room.state.places[Seat.NORTH].away  # nobody looks
        page = (await friend.get(path)).text
        assert "Take my seat" not in page
        assert "Ben is back." in room.state.notes
        place = room.state.places[Seat.NORTH]
        assert (place.person, place.away, place.name) == (True, False, "Ben")
        # On another device, by the link of the seat.
        link = f"{path}/seat?token={client.server.rooms.token(room, Seat.NORTH)}"
        assert link.replace("&", "&amp;") in page
        async with client_of(app) as phone:
            assert "Your hand" not in (await phone.get(path)).text
            assert (await phone.get(link)).status_code == 303
            assert "Your hand" in (await phone.get(path)).text
            answer = await phone.get(f"{path}/seat?token=abc")
            assert (answer.status_code, "no longer" in answer.text) == (403, True)
        await friend.post(f"{path}/leave", data={"for_good": "true"})
        assert (await friend.get(link)).status_code == 403


async def test_a_link_takes_nobody_from_their_seat_without_asking(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        path, room = await _opened(client)
        await friend.post(f"{path}/sit", data={"seat": "N", "name": "Ben"})
        token = client.server.rooms.token(room, Seat.NORTH)
        held = client.cookies[f"seat-{room.name}"]
        asked = await client.get(f"{path}/seat?token={token}")
        assert (asked.status_code, "Ben" in asked.text) == (200, True)
        assert client.cookies[f"seat-{room.name}"] == held
        there = {"origin": "https://elsewhere.example", "sec-fetch-site": "cross-site"}
        answer = await client.post(f"{path}/seat", data={"token": token}, headers=there)
        assert answer.status_code == 403
        assert client.cookies[f"seat-{room.name}"] == held
        assert (await friend.get(f"{path}/seat?token={token}")).status_code == 303  # their own
        assert (await client.post(f"{path}/seat", data={"token": "abc"})).status_code == 403
        assert (await client.post(f"{path}/seat", data={"token": token})).status_code == 303
        assert client.cookies[f"seat-{room.name}"] == token


async def test_a_table_can_wait_for_one_who_leaves(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, hold=False)
        path = f"/api/tables/{table}/leave"
        answer = await client.post(path, json=LEAVE, headers=seats["N"])
        view = answer.json()
        assert (view["seat"], view["places"][0]["person"]) == ("N", True)
        log = (await client.get(f"/api/tables/{table}/log")).json()
        assert log["notes"] == ["PN has left. The seat is kept for them."]
        number = view["number"]
        assert (await act(client, table, seats["N"], "Pass", number)).status_code == 200


# Presence


async def test_presence_counts_players_and_onlookers(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), AsyncExitStack() as stack:
        table, seats = await three(client)
        path = f"/api/tables/{table}/presence"
        assert (await client.get(path)).json() == {
            "here": [],
            "onlookers": 0,
            "seconds_left": None,
        }
        ear = Ear()
        await stack.enter_async_context(ear.at(app, f"/api/tables/{table}/events", seats["N"]))
        page = f"/table/{table}/stream"
        async with Ear().at(app, page, {}) as other:
            while "onlookers" not in "".join(ear.heard):
                ear.more.clear()
                await ear.more.wait()
            while "1 onlooker." not in "".join(other.heard):
                other.more.clear()
                await other.more.wait()
            assert (await client.get(path)).json()["onlookers"] == 1
        while '"here":["N"],"onlookers":0' not in "".join(ear.heard).rpartition("presence")[2]:
            ear.more.clear()
            await ear.more.wait()
        kinds = {kind for kind, _ in messages(ear.take())}
        assert kinds == {"table", "say", "presence"}


# The end


@pytest.mark.parametrize("rubber", [None, "rubber"])
def test_whoever_has_not_won_is_told_how_far_behind_they_are(rubber: str | None) -> None:
    totals = Fraction(413), Fraction(710), Fraction(58)
    state: Any = SimpleNamespace(
        winners=(Seat.EAST,),
        places=[SimpleNamespace(name=name) for name in ("Walter", "Maud", "Ann")],
        match=SimpleNamespace(totals=lambda: totals, rubber=rubber),
    )
    assert winner_words(state, Seat.SOUTH) == "You finish 652 points behind Maud."
    assert winner_words(state).startswith("Maud ")
    assert winner_words(state, Seat.EAST).startswith("You ")


async def test_the_winner_is_named_and_a_rematch_needs_everyone(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats, room = await _finished(client, seed=3)
        totals = room.state.match.totals()
        won = [seat.letter for seat in Seat if totals[seat] == max(totals)]
        assert (await look(client, table))["winners"] == won
        assert winner_words(room.state) in (await client.get(f"/table/{table}")).text
        told = winner_words(room.state, Seat(won[0]))  # to whom it is about
        assert told.startswith("You ")
        token = seats[won[0]]["authorization"].partition(" ")[2]
        seen = await client.get(f"/table/{table}", headers={"cookie": f"seat-{table}={token}"})
        assert told in seen.text
        path = f"/api/tables/{table}/rematch"
        assert (await client.post(path, json={})).status_code == 403
        for letter in "NE":
            answer = await client.post(path, json={}, headers=seats[letter])
            assert answer.json()["table"] is None
        answer = await client.get(path, headers=seats["S"])
        assert answer.json()["agreed"] == ["N", "E"]
        last = (await client.post(path, json={}, headers=seats["S"])).json()
        again = client.server.rooms.find(last["table"])
        assert [place.name for place in again.state.places] == ["PN", "PE", "PS"]
        assert again.state.started
        assert not again.state.plan.known
        assert again.state.match.first_dealer is Seat.EAST  # the deal passes on
        assert again.state.match.seed != room.state.match.seed
        new = {"authorization": f"Bearer {last['token']}"}
        assert (await look(client, again.name, new))["seat"] == "S"
        # Whoever asks again gets the seat there; there is only one rematch.
        more = (await client.post(path, json={}, headers=seats["N"])).json()
        assert (more["table"], more["seat"]) == (again.name, "N")
        new = {"authorization": f"Bearer {more['token']}"}
        assert len((await look(client, again.name, new))["hand"]) == 13


async def test_the_host_begins_a_rematch_and_the_others_follow(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats, room = await _finished(client)
        path = f"/table/{table}"

        async def post(letter: str, what: str, **data: str) -> Any:
            token = seats[letter]["authorization"].split()[1]
            headers = {"cookie": f"seat-{table}={token}"}
            return await client.post(f"{path}/{what}", data=data, headers=headers)

        answer = await post("E", "rematch", now="true")
        assert (answer.status_code, "only the host (PN)" in answer.text) == (422, True)
        assert (await post("E", "follow")).status_code == 422
        assert (await post("N", "rematch", now="true")).status_code == 303
        again = client.server.rooms.find(room.state.rematch_table or "")
        assert [place.away for place in again.state.places] == [False, True, True]
        answer = await post("E", "follow")
        assert answer.headers["location"] == f"/table/{again.name}"
        assert f"seat-{again.name}=" in answer.headers["set-cookie"]
        assert again.state.places[Seat.EAST].person
        assert (await client.post(f"{path}/follow")).status_code == 403
        assert room.state.rematch_table == again.name


async def test_a_rematch_on_a_server_with_a_seed_can_be_repeated(tmp_path: Path) -> None:
    async def played(folder: Path) -> list[Any]:
        async with running(folder, seed=900_017) as (_, client):
            table, seats, room = await _finished(client)
            path = f"/api/tables/{table}/rematch"
            for letter in "NES":
                last = (await client.post(path, json={}, headers=seats[letter])).json()
            again = client.server.rooms.find(last["table"])
            assert again.state.plan.known  # as on every table of this server
            headers = {"authorization": f"Bearer {last['token']}"}
            page = (await client.get(f"/table/{again.name}", headers=headers)).text
            view = (await client.get(f"/api/tables/{again.name}", headers=headers)).text
            for text in (page, view):
                assert str(again.state.match.seed) not in text
                assert again.name in text
            assert again.state.table is not None
            states = (room.state, again.state)
            seeds = [(one.match.seed, one.strategy_seed) for one in states]
            return [*seeds, (again.state.table.deal, None)]

    first, second = await played(tmp_path / "a"), await played(tmp_path / "b")
    assert first == second
    (seed, dice), (next_seed, next_dice), _ = first
    assert seed != next_seed
    assert dice != next_dice


async def test_two_clicks_at_once_open_one_rematch(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats, room = await _finished(client)
        path = f"/api/tables/{table}/rematch"
        answers = await asyncio.gather(
            *(client.post(path, json={}, headers=seats[s]) for s in "NESNES")
        )
        assert {one.json()["table"] for one in answers} <= {
            None,
            room.state.rematch_table,
        }
        kinds = kinds_of(client, table)
        assert (kinds.count("rematch"), kinds.count("moved")) == (3, 1)


# The next deal


async def _two_after_a_deal(client: Client, **fields: Any) -> tuple[Room, dict[str, Any]]:
    """Two people and a bot at a table after its first deal."""
    table = await open_table(client, open=["N", "S"], deals=2, **fields)
    seats = {letter: await sit(client, table, letter, f"P{letter}") for letter in "NS"}
    room = client.server.rooms.find(table)
    random = Random(2)
    while not room.state.closed:
        turn = room.state.turn
        if turn is None or turn.letter not in seats:
            await asyncio.sleep(0)
            continue
        view = await look(client, table, seats[turn.letter])
        await act(client, table, seats[turn.letter], choose(view, random), view["number"])
    return room, seats


async def test_the_next_deal_waits_until_both_are_ready(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room, seats = await _two_after_a_deal(client)
        path, at = f"/api/tables/{room.name}", {"at": room.state.number}
        assert (await client.get(f"{path}/presence")).json()["seconds_left"] is None
        for _ in range(2):  # to say it again changes nothing
            answer = await client.post(f"{path}/next", json=at, headers=seats["N"])
            view = answer.json()
            assert (view["next_ready"], view["deal"], view["deal_over"]) == (["N"], 1, True)
        left = (await client.get(f"{path}/presence")).json()["seconds_left"]
        assert 25 < left <= 30
        # Each sees it: who is ready has a mark, and waits; the other one has the button.
        pages = {}
        for letter, seat in seats.items():
            token = seat["authorization"].partition(" ")[2]
            cookie = {"cookie": f"seat-{room.name}={token}"}
            pages[letter] = (await client.get(f"/table/{room.name}", headers=cookie)).text
            assert pages[letter].count('class="tag key ready"') == 1
            assert 'id="clock" data-seconds="30' in pages[letter]
        assert ("Waiting for PS." in pages["N"], 'id="next"' in pages["N"]) == (True, False)
        assert ("Waiting for" in pages["S"], 'id="next"' in pages["S"]) == (False, True)
        view = (await client.post(f"{path}/next", json=at, headers=seats["S"])).json()
        assert (view["next_ready"], view["deal"], view["deal_over"]) == ([], 2, False)
        answer = await client.post(f"{path}/next", json=at, headers=seats["S"])
        assert answer.json()["deal"] == 2  # the answer was lost
        assert told_by_events(client, room.name)
        assert (await client.get(f"{path}/presence")).json()["seconds_left"] is None


async def test_one_who_sleeps_stops_the_table_for_a_while_only(tmp_path: Path) -> None:
    timing = replace(FAST, next_deal=0.1)
    async with running(tmp_path, timing=timing) as (_, client):
        room, seats = await _two_after_a_deal(client)
        at = {"at": room.state.number}
        await client.post(f"/api/tables/{room.name}/next", json=at, headers=seats["S"])
        assert room.state.closed
        await room.until(lambda state: not state.closed)
        assert kinds_of(client, room.name).count("next") == 1
        assert told_by_events(client, room.name)


async def test_the_next_deal_does_not_wait_for_one_who_leaves(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room, seats = await _two_after_a_deal(client)
        at = {"at": room.state.number}
        await client.post(f"/api/tables/{room.name}/next", json=at, headers=seats["S"])
        await client.post(f"/api/tables/{room.name}/leave", json=LEAVE, headers=seats["N"])
        await room.until(lambda state: not state.closed)
        assert room.state.deal == 1


async def test_the_wait_for_the_next_deal_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room, seats = await _two_after_a_deal(client)
        at, name = {"at": room.state.number}, room.name
        await client.post(f"/api/tables/{name}/next", json=at, headers=seats["S"])
    async with running(tmp_path, timing=replace(FAST, next_deal=0.2)) as (_, client):
        assert (await look(client, name))["next_ready"] == ["S"]
        again = client.server.rooms.find(name)
        assert again.state.onward_since == room.state.onward_since > 0
        await again.until(lambda state: not state.closed)


async def test_all_get_ready_at_the_same_moment(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=2)
        await play_deal(client, table, seats, Random(2))
        path, at = f"/api/tables/{table}/next", client.server.rooms.find(table).state.number
        answers = await asyncio.gather(
            *(client.post(path, json={"at": at}, headers=seats[s]) for s in "NESNES")
        )
        assert {answer.status_code for answer in answers} <= {200, 409}
        kinds = kinds_of(client, table)
        assert (kinds.count("onward"), kinds.count("next")) == (3, 0)
        view = await look(client, table)
        assert (view["deal"], view["deal_over"]) == (2, False)


async def test_a_stored_table_whose_next_deal_one_person_asked_for(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        room, _ = await _two_after_a_deal(client)
        await client.server.rooms.add(room, events.NextDeal())
        assert told_by_events(client, room.name)
        assert (room.state.deal, room.state.closed) == (1, False)


async def test_one_person_gets_the_next_deal_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=2)
        for letter in "NE":
            await client.post(f"/api/tables/{table}/leave", json={}, headers=seats[letter])
        room = client.server.rooms.find(table)
        while not room.state.closed:
            if room.state.turn is not Seat.SOUTH:
                await asyncio.sleep(0)
                continue
            view = await look(client, table, seats["S"])
            await act(client, table, seats["S"], view["legal"][0], view["number"])
        body = {"at": room.state.number}
        answer = await client.post(f"/api/tables/{table}/next", json=body, headers=seats["S"])
        assert answer.json()["deal"] == 2
        assert kinds_of(client, table).count("onward") == 0


# The turn timer


def _timer(seconds: float) -> Options:
    return Options(turn_seconds=seconds)


async def _timed(
    client: Client, seconds: float, monkeypatch: pytest.MonkeyPatch, *calls: str
) -> Room:
    """A table of people with a clock; its first deal begins after these calls."""
    monkeypatch.setattr("tribridge.club.core.state.TURN_SECONDS", (0, 600))
    places = [Place(s.letter, "maxims", person=True) for s in Seat]
    rooms, options = client.server.rooms, _timer(seconds)
    return await rooms.open(MatchPlan(5), places, options=options, actions=calls)


async def test_a_turn_that_runs_out_is_a_pass_or_a_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing = replace(FAST, late=0.0, grace=0.0)
    async with running(tmp_path, timing=timing) as (_, client):
        room = await _timed(client, 0.02, monkeypatch, "1NT")
        while not room.state.actions[3:]:
            await room.wait(room.state.number)
        table = room.state.table
        assert table is not None
        assert [str(call) for call in table.auction.calls[1:]] == ["Pass", "Pass"]
        notes = " ".join(note.text for note in room.state.noted)
        assert "E ran out of time: a pass was chosen for them." in notes
        assert "E ran out of time: a card was chosen for them." in notes
        while not any(place.away for place in room.state.places):
            await room.wait(room.state.number)
        assert "is away; " in " ".join(room.state.notes)  # after three turns in a row
        room.presence.looked()
        state = events.replay(client.server.rooms.store.events(room.name))
        assert state is not None
        assert state.turn_since > 0


async def test_the_clock_goes_on_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        room = await _timed(client, 60, monkeypatch)
        name, since = room.name, room.state.turn_since
        left = (await client.get(f"/api/tables/{name}/presence")).json()["seconds_left"]
        assert 0 < left <= 60
    async with running(tmp_path) as (_, client):
        again = await client.server.rooms.load(name)
        assert again.state.turn_since == since
        left = (await client.get(f"/api/tables/{name}/presence")).json()["seconds_left"]
        assert 0 < left <= 60
        # Long after: some time is left all the same, since nobody could act.
        again.state = replace(again.state, turn_since=since - 1000)
        left = (await client.get(f"/api/tables/{name}/presence")).json()["seconds_left"]
        assert 0 < left <= FAST.grace


async def test_a_turn_timer_has_limits(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for seconds in (5, 601):
            answer = await client.post("/api/tables", json={"turn_seconds": seconds})
            assert answer.status_code == 422
            answer = await client.post("/open", data={"turn_seconds": str(seconds)})
            assert answer.status_code == 400
            assert f"a turn timer of {seconds} seconds: expected 10 to 600" in answer.text
        answer = await client.post("/open", data={"chat": "loud"})
        assert answer.text == "chat 'loud': expected free, phrases, off\n"


async def test_an_action_for_a_late_player_comes_at_a_fixed_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the choice takes, it is shown `late` seconds after the turn has ended."""
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    timing = replace(FAST, late=500.0, grace=0.0)
    async with running(tmp_path, timing=timing) as (_, client):
        monkeypatch.setattr("tribridge.club.core.room.asyncio.sleep", sleep)
        room = await _timed(client, 0.01, monkeypatch)
        while not room.state.actions:
            await room.wait(room.state.number)
        assert any(400 < seconds <= 500 for seconds in slept)
        await client.server.rooms.close()
