"""What one visitor cannot do to the others: fill the disk, hold them up, pass for one of them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.club.helpers import (
    Client,
    act,
    client_of,
    kinds_of,
    look,
    open_table,
    play_deal,
    run,
    running,
    sit,
    stored_events,
    three,
)
from tribridge.cards.deals import Seat
from tribridge.club.core import bots, events, store
from tribridge.club.core import event_base as event
from tribridge.club.core.all_rooms import Rooms
from tribridge.club.core.events import Act
from tribridge.club.core.games import MOST_IMPORTED, Games
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.names import alike
from tribridge.club.core.state import Place
from tribridge.club.errors import WebError
from tribridge.club.history import PlayedDeal, dumps, played
from tribridge.club.pages import me
from tribridge.club.server import access, guard
from tribridge.club.server.guard import Buckets
from tribridge.game import Mark, record_of
from tribridge.game.view_json import action_name
from tribridge.strategies import Strategy
from tribridge.strategies.program import ProgramStrategy
from tribridge.strategies.registry import as_strategy

pytestmark = pytest.mark.anyio


LIMITED = 1e9
"""Requests a second: nobody waits, but what is limited otherwise is limited."""
BOTS: dict[str, Any] = {"strategies": ["pass+random"] * 3}


async def _finished(client: Client, key: str = "", **fields: Any) -> str:
    """A finished deal of three people, among the games of a key if there is one; its table."""
    table, seats = await three(client, deals=1, **fields)
    if key:
        body = {"table": table, "token": seats["S"]["authorization"].removeprefix("Bearer ")}
        bearer = {"authorization": f"Bearer {key}"}
        assert (await client.post("/api/me/games", json=body, headers=bearer)).status_code == 201
    await play_deal(client, table, seats, Random(3))
    return table


def _forget(client: Client) -> None:
    """Drop all tables from memory, as a restart does."""
    client.server.rooms.held.clear()


# Changes that are sent again, or too late


@pytest.mark.parametrize("turn_seconds", [None, 600])
async def test_a_change_that_is_sent_again_acts_once(
    tmp_path: Path, turn_seconds: float | None
) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, turn_seconds=turn_seconds, deals=2)
        south = await sit(client, table, "S")
        path = f"/api/tables/{table}"
        at = client.server.rooms.find(table).state.number

        async def thrice(change: str, body: dict[str, Any]) -> None:
            answers = [
                await client.post(f"{path}/{change}", json=body, headers=south) for _ in range(3)
            ]
            assert [one.status_code for one in answers] == [200] * 3, (change, answers[-1].text)

        async def turn() -> int:
            async with asyncio.timeout(60):
                while (view := await look(client, table, south))["turn"] != "S":
                    await asyncio.sleep(0.001)
            return int(view["number"])

        await thrice("start", {"at": at})
        number = await turn()
        await thrice("actions", {"at": number, "action": "1NT"})
        number = await turn()
        await thrice("undo", {"at": number})
        kinds = kinds_of(client, table)
        assert (kinds.count("started"), kinds.count("undo")) == (1, 1)
        stored = stored_events(client, table)
        assert sum(event.get("action") == "1NT" for event in stored) == 1
        assert all(("time" in event) is (turn_seconds is not None) for event in stored[1:])


async def test_a_stale_change_does_not_read_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        for seat, call in zip("NES", ("1C", "Pass", "1D"), strict=True):
            at = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, at)
        monkeypatch.setattr(client.server.rooms.store, "events", None)
        for at in (-1, 0, 1, 2, 3):
            answer = await act(client, table, seats["N"], "Pass", at)
            assert answer.status_code == 409
        assert (await act(client, table, seats["N"], "1C", 5)).status_code == 200  # again


def test_only_the_last_changes_are_remembered() -> None:
    north, east, south = (Place(seat, "maxims", person=True) for seat in "NES")
    opened = events.Opened(MatchPlan(deals=2).checked(), (north, east, south), 1)
    state = events.after(opened.state(), events.Started())
    for _ in range(80):
        assert state.turn is not None
        event = events.Away(Seat.NORTH)
        state = events.after(state, event)
        assert events.repeated(state, event, state.number - 1)
        state = events.after(state, events.Back(Seat.NORTH))
    assert len(state.recent) == 64
    assert not events.repeated(state, events.Started(), 1)
    assert events.repeated(state, event, state.number - 2)


# Events without limit


async def test_what_changes_nothing_is_not_stored(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, hold=False)
        path = f"/api/tables/{table}"
        north = await sit(client, table, "N")
        changes: list[tuple[str, dict[str, Any]]] = [
            ("mute", {"whom": "E", "on": True}),
            ("mute", {"whom": "E", "on": False}),
            ("ready", {"ready": True}),
            ("ready", {"ready": False}),
            ("seats/E/bot", {"strategy": "points+maxims"}),
            ("start", {"at": 7}),
            ("leave", {"for_good": False}),
        ]
        for change, body in changes:
            answer = await client.post(f"{path}/{change}", json=body, headers=north)
            assert answer.status_code == 200, answer.text
            kinds = kinds_of(client, table)
            if change != "start":  # bots may be playing by then
                await client.post(f"{path}/{change}", json=body, headers=north)
            again = kinds_of(client, table)
            assert again.count(kinds[-1]) == kinds.count(kinds[-1]), change


def _mute(client: Client, path: str, seat: dict[str, str], number: int) -> Any:
    body = {"whom": "E", "on": number % 2 == 0}
    return client.post(f"{path}/mute", json=body, headers=seat)


def _ready(client: Client, path: str, seat: dict[str, str], number: int) -> Any:
    return client.post(f"{path}/ready", json={"ready": number % 2 == 0}, headers=seat)


def _bot(client: Client, path: str, seat: dict[str, str], number: int) -> Any:
    body = {"strategy": f"points+{('random', 'maxims')[number % 2]}"}
    return client.post(f"{path}/seats/E/bot", json=body, headers=seat)


async def _sit(client: Client, path: str, seat: dict[str, str], number: int) -> Any:
    answer = await client.post(f"{path}/seats/E", json={"name": "Eve"})
    if answer.status_code == 201:
        eve = {"authorization": f"Bearer {answer.json()['token']}"}
        await client.post(f"{path}/leave", json={"for_good": True}, headers=eve)
    return answer


@pytest.mark.parametrize("change", [_mute, _ready, _bot, _sit])
async def test_nobody_changes_their_mind_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., Any]
) -> None:
    monkeypatch.setattr(event, "MOST_CHANGES", 6)

    async with running(tmp_path) as (_, client):
        table = await open_table(client)
        path, north = f"/api/tables/{table}", await sit(client, table, "N")
        refused = [
            answer
            for number in range(12)
            if (answer := await change(client, path, north, number)).status_code >= 400
        ]
        assert len(refused) >= 5
        assert {one.status_code for one in refused} == {429}
        room = client.server.rooms.find(table)
        assert room.state.number < 2 + 2 * 7
        assert events.replay(client.server.rooms.store.events(table)) == room.state
        assert (await client.post(f"{path}/seats/S", json={"name": "Sam"})).status_code == 201


def test_undoing_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event, "MOST_CHANGES", 3)

    async def test() -> list[int]:
        async with running(tmp_path) as (_, client):
            table = await open_table(client, open=["N"])
            north = await sit(client, table, "N")
            codes = []
            for _ in range(3):
                number = (await look(client, table))["number"]
                assert (await act(client, table, north, "1C", number)).status_code == 200
                async with asyncio.timeout(60):
                    while (view := await look(client, table, north))["turn"] not in ("N", None):
                        await asyncio.sleep(0.001)
                path = f"/api/tables/{table}/undo"
                answer = await client.post(path, json={"at": view["number"]}, headers=north)
                codes.append(answer.status_code)
            return codes

    assert run(test()) == [200, 200, 429]


# Long histories


async def test_long_histories_are_read_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[str, set[threading.Thread]] = {}
    counts: dict[str, int] = {}

    def watched(owner: type, name: str) -> None:
        function = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            threads.setdefault(name, set()).add(threading.current_thread())
            counts[name] = counts.get(name, 0) + 1
            return function(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    key = new_key()
    async with running(tmp_path) as (_, client):
        table = await _finished(client, key)
        _forget(client)
        watched(Rooms, "_read")
        for name in ("_of", "_alone"):
            watched(Games, name)
        looks = [client.get(f"/api/tables/{table}") for _ in range(5)]
        assert {one.status_code for one in await asyncio.gather(*looks)} == {200}
        assert counts == {"_read": 1}
        bearer = {"authorization": f"Bearer {key}"}
        for path in ("games", "stats"):
            assert (await client.get(f"/api/me/{path}", headers=bearer)).status_code == 200
        file = (await client.get("/api/me/export", headers=bearer)).json()
        assert (await client.post("/api/me/import", json=file, headers=bearer)).is_success
        assert (await client.delete("/api/me", headers=bearer)).is_success
        assert set(threads) == {"_read", "_of", "_alone"}
        for name, used in threads.items():
            assert threading.current_thread() not in used, name


# Disk


async def test_unfinished_tables_on_disk_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "MOST_TABLES", 2)

    async with running(tmp_path, rate=LIMITED, burst=LIMITED) as (_, client):
        table, seats = await three(client, deals=1)
        await open_table(client)
        stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"127.0.0.1" not in stored
    async with running(tmp_path, rate=LIMITED, burst=LIMITED) as (_, client):
        refused = await client.post("/api/tables", json=BOTS)
        assert (refused.status_code, "2 unfinished" in refused.text) == (429, True)
        await play_deal(client, table, seats, Random(3))
        assert (await client.post("/api/tables", json=BOTS)).status_code == 201
        assert (await client.post("/api/tables", json=BOTS)).status_code == 429
        clients = client.server.rooms.store.rows("SELECT client FROM tables WHERE over")
        assert clients == [(None,)]


async def test_one_address_cannot_fill_the_disk(tmp_path: Path) -> None:
    async with running(tmp_path, rate=LIMITED, burst=LIMITED) as (_, client):
        key = new_key()
        await _finished(client, key)
        bearer = {"authorization": f"Bearer {key}"}
        file = (await client.get("/api/me/export", headers=bearer)).json()
        size = len(file["games"])
        client.server.disk = Buckets(1e-9, 2.5 * size)
        codes = []
        for _ in range(4):  # a fresh key every time
            bearer = {"authorization": f"Bearer {new_key()}"}
            answer = await client.post("/api/me/import", json=file, headers=bearer)
            codes.append(answer.status_code)
        assert codes == [200, 200, 429, 429]
        assert (await client.post("/api/tables", json=BOTS)).status_code == 429


async def test_a_full_server_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(tmp_path) as (_, client):
        key = new_key()
        table, seats = await three(client, deals=1)
        await _finished(client, key)
        bearer = {"authorization": f"Bearer {key}"}
        file = (await client.get("/api/me/export", headers=bearer)).json()
        monkeypatch.setattr(store, "MOST_BYTES", 0)
        assert (await client.post("/api/tables", json=BOTS)).status_code == 503
        refused = await client.post("/api/me/import", json=file, headers=bearer)
        assert (refused.status_code, "no space" in refused.text) == (503, True)
        await play_deal(client, table, seats, Random(4))  # what has begun goes on


async def test_finished_tables_and_imports_expire(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        kept, key, other = client.server.rooms.store, new_key(), new_key()
        nobodys, mine = await _finished(client), await _finished(client, key)
        bearer = {"authorization": f"Bearer {key}"}
        file = (await client.get("/api/me/export", headers=bearer)).json()
        theirs = {"authorization": f"Bearer {other}"}
        assert (await client.post("/api/me/import", json=file, headers=theirs)).is_success
        kept.change(("UPDATE tables SET touched = touched - 31 * 86400", ()))
        assert kept.expire(30) == 1
        assert not kept.events(nobodys)
        late = "UPDATE games SET seen = seen - 401 * 86400"
        kept.change((late, ()))
        assert (await client.get("/api/me/games", headers=theirs)).json()["games"]
        assert kept.expire(30) == 1  # only the other one came back
        assert not kept.events(mine)
        kept.change((late, ()))
        kept.expire(30)
        assert kept.rows("SELECT COUNT(*) FROM games") == [(0,)]


def _long_deal() -> PlayedDeal:
    """A deal with a long auction and the longest names."""
    name = 24 * "ぞ"
    plan = MatchPlan(deals=1, seed=1, laws="auction-rubber", doubles=True).checked()
    place = Place(name, "forecast+sampling")
    state = events.after(events.Opened(plan, (place, place, place), 1).state(), events.Started())
    while not state.closed:
        assert state.table is not None
        assert state.turn is not None
        bids = [one for one in state.table.legal if one is not Mark.PASS]
        action = action_name((bids or state.table.legal)[0])
        state = events.after(state, Act(state.turn, action))
    assert state.table is not None
    deal = played(record_of(state.table), Seat.SOUTH)
    assert deal is not None
    return PlayedDeal(
        record=deal.record, outcome=deal.outcome, seat=deal.seat, names=(name, name, name)
    )


def test_what_may_be_kept_can_be_imported() -> None:
    text = dumps([_long_deal()])
    form = len(text.encode()) * MOST_IMPORTED
    program = len(json.dumps({"games": text}, ensure_ascii=False).encode()) * MOST_IMPORTED
    assert 4 * 1024 * 1024 < form < program < guard.MOST_UPLOADED


async def test_my_games_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(me, "GAMES_AT_ONCE", 2)

    async with running(tmp_path) as (_, client):
        key = new_key()
        tables = {await _finished(client, key) for _ in range(5)}
        client.cookies.set("player", key)
        pages, address = [], "/me"
        while address:
            text = (await client.get(address)).text
            pages.append({table for table in tables if f"/table/{table}/" in text})
            further = re.search(r'rel="next"\s+href="([^"]*)"', text)
            address = further[1] if further else ""
        assert [len(page) for page in pages] == [2, 2, 1]
        assert set().union(*pages) == tables
        listed, before = client.server.games, ""
        games, following = await listed.page(device_of_key(key), before, 4)
        assert following is not None
        assert {game.last.match for game in games} < tables
        rest, end = await listed.page(device_of_key(key), following, 4)
        assert {game.last.match for game in [*games, *rest]} == tables
        assert end is None
        for wrong in ("x", "[]", "1"):
            assert (await client.get("/me", params={"before": wrong})).status_code == 400


# Who knows the cards, and who is who


async def test_a_challenge_says_that_somebody_may_know_the_cards(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for fields in ({"seed": 7}, {}):
            table, seats = await three(client, deals=1, **fields)
            await play_deal(client, table, seats, Random(3))
            answer = await client.post(f"/api/tables/{table}/challenge", headers=seats["S"])
            name = answer.json()["challenge"]
            known = bool(fields)
            assert (await client.get(f"/api/challenges/{name}")).json()["known"] is known
            page = (await client.get(f"/challenge/{name}")).text
            assert ("may know every" in page) is known
            body = {"name": "Ben"}
            new = await client.post(f"/api/challenges/{name}/play", json=body)
            token = {"authorization": f"Bearer {new.json()['token']}"}
            view = await client.get(f"/api/tables/{new.json()['table']}", headers=token)
            assert view.json()["known"] is known


async def test_a_challenge_says_that_a_new_key_plays_again(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = (await client.get("/daily", follow_redirects=True)).text
        assert "a new key" in page


async def test_a_finished_challenge_is_not_played_again_when_its_table_has_gone(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (_, client):
        key = {"x-device-key": new_key()}
        table, seats = await three(client, deals=1)
        await play_deal(client, table, seats, Random(3))
        made = await client.post(f"/api/tables/{table}/challenge", headers=seats["S"] | key)
        name = made.json()["challenge"]
        client.server.rooms.store.change(("DELETE FROM events WHERE tab = ?", (table,)))
        _forget(client)
        again = await client.post(f"/api/challenges/{name}/play", json={}, headers=key)
        assert again.status_code == 422


async def test_a_rubber_can_be_a_challenge_for_programs(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, laws="auction-rubber", deals=1)
        await play_deal(client, table, seats, Random(3))
        made = await client.post(f"/api/tables/{table}/challenge", headers=seats["S"])
        assert made.status_code == 201, made.text
        shown = await client.get(f"/api/challenges/{made.json()['challenge']}")
        assert shown.json()["scheme"] == "auction-rubber"


async def test_an_onlooker_plays_on_under_their_own_name(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as visitor:
        table, seats = await three(client, deals=1, seed=3)
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            number = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, number)
        await play_deal(client, table, seats, Random(5))
        path = f"/table/{table}/review/1/play-on"
        for name in ("", "Uma"):
            if name:
                visitor.cookies.set("name", name)
            answer = await visitor.post(path, data={"step": "6"})
            room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
            (person,) = room.state.people
            assert room.state.places[person].name == (name or str(person))
        token = seats["N"]["authorization"].removeprefix("Bearer ")
        visitor.cookies.set(f"seat-{table}", token)
        answer = await visitor.post(path, data={"step": "6"})
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        assert room.state.places[Seat.NORTH].name == "PN"


UNSEEN = ["\u3164", "\u115f\u1160", "\u2800", "An\u3164n", "Ann\ufe00", "\uffa0x", "a\U000e0100"]
TOWERS = ["Z" + 4 * "\u0335", "A\u0301\u0302\u0303\u0304nn", "\u0301Ann", "Ann \u0301"]
LEGIBLE = ["Zoe\u0308", "Nguye\u0302\u0303n", "น้ำผึ้ง", "שָּׁלוֹם", "हिन्दी", "Đặng", "❤\ufe0f", "Łukasz"]
LOOKALIKES = ["ANN", "ａｎｎ", "ᗩᑎᑎ", "ꓮꓠꓠ"]
MIXED = ["\u0410nn", "\u0391nn", "\u0410NN", "Ann\u0627", "Ann\u07ca", "A\u057cn"]
"""Words with letters of several scripts: no list has all that look the same."""


async def test_a_name_that_is_not_legible_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, onlooker_chat=True)
        for name in UNSEEN + TOWERS + MIXED:
            message = {"text": "x", "name": name}
            for answer in (
                await client.post(f"/api/tables/{table}/seats/E", json={"name": name}),
                await client.post("/play", data={"name": name}),
                await client.post(f"/api/tables/{table}/chat", json=message),
            ):
                if answer.status_code != 429:  # onlookers cannot write that fast
                    assert answer.status_code == 400, (ascii(name), answer.text)
                    assert answer.text.isascii()
                    assert "\n" not in answer.text.strip()
        assert client.server.rooms.find(table).state.number == 1


async def test_names_in_other_scripts_are_welcome_and_look_alikes_are_not(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for name in LEGIBLE:
            await sit(client, await open_table(client), "N", name)
        table = await open_table(client, onlooker_chat=True)
        await sit(client, table, "N", "Ann")
        for name in LOOKALIKES:
            answer = await client.post(f"/api/tables/{table}/seats/E", json={"name": name})
            assert (answer.status_code, "such as" in answer.text) == (422, True), name
            body = {"text": "hello", "name": name}
            answer = await client.post(f"/api/tables/{table}/chat", json=body)
            assert answer.status_code == 422
        await sit(client, table, "E", "Анна")


def test_which_names_look_alike() -> None:
    for one, other in (("Ivan", "lvan"), ("Kevin", "Keνin"), ("Boss", "Воѕѕ"), ("Igor", "Ӏgor")):
        assert alike(one, other)
    for one, other in (("Ann", "Anna"), ("Rene", "René"), ("Иван", "Ivan"), ("Άννα", "Anna")):
        assert not alike(one, other)


async def test_messages_are_legible(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        path = f"/api/tables/{table}/chat"
        text = "He" + 50 * "\u0335" + "llo\u3164!"
        answer = await client.post(path, json={"text": text}, headers=seats["N"])
        assert answer.json()["messages"][-1]["text"] == "He" + 3 * "\u0335" + "llo !"
        empty = await client.post(path, json={"text": "\u3164"}, headers=seats["N"])
        assert empty.status_code == 422


def test_a_program_may_take_the_time_that_it_has_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def found(text: str) -> Strategy:  # where the environment named one before Python started
        seconds = text.partition("=")[2]
        return as_strategy(ProgramStrategy(float(seconds)) if seconds else ProgramStrategy())

    monkeypatch.setattr(bots, "find_strategy", found)
    assert bots.check_strategy("program") == "program"
    with pytest.raises(WebError, match="too much"):
        bots.check_strategy("program:seconds=3000")


async def test_the_text_of_a_strategy_has_a_limit(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        long = f"random:passing=0.{'0' * 20_000}1"
        answer = await client.post("/api/tables", json={"strategies": [long] * 3})
        assert answer.status_code == 400
        assert len(answer.json()["error"]) < 200
        bots.bot_for.cache_clear()
        for number in range(1100):
            bots.bot_for(f"random:passing=0.{number:04}", Seat.NORTH)
        assert bots.bot_for.cache_info().currsize <= 1024


@pytest.mark.parametrize("name", ["North", "n0rth", "NORD", "Ｎorth", "Ost"])
async def test_nobody_is_called_like_another_seat(tmp_path: Path, name: str) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, onlooker_chat=True)
        answer = await client.post(f"/api/tables/{table}/seats/S", json={"name": name})
        assert answer.status_code == 400
        assert "another seat" in answer.json()["error"]
        body = {"text": "I pass.", "name": name}
        assert (await client.post(f"/api/tables/{table}/chat", json=body)).status_code == 400
        seat = "E" if name == "Ost" else "N"
        await sit(client, table, seat, name)  # it is what the seat is called


async def test_a_name_that_was_a_seat_is_not_kept_for_the_next(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        client.cookies.set("name", "Nord")
        answer = await client.post("/anyone", data={})
        assert answer.status_code == 303
        (room,) = client.server.rooms.held.values()
        assert room.state.places[Seat.SOUTH].name == "South"


@pytest.mark.parametrize("name", ["judge", "Judge", "The  judge", "Ꭻudge", "jսdge", "ϳudge"])
async def test_nobody_is_called_like_the_judge(tmp_path: Path, name: str) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client)
        answer = await client.post(f"/api/tables/{table}/seats/N", json={"name": name})
        assert answer.status_code == 400
        await sit(client, table, "E", "Judy")
