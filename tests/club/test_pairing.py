"""Playing with whoever comes, and joining by a code."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.club.helpers import FAST, Client, client_of, look, open_table, running, sit
from tribridge.cards.deals import Seat
from tribridge.club.core import room
from tribridge.club.core.all_rooms import CODE

pytestmark = pytest.mark.anyio
PATIENT = replace(FAST, pairing=300.0)


async def _paired(client: Client, name: str = "") -> str:
    client.cookies.set("name", name)
    answer = await client.post("/anyone")
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].rpartition("/")[2]


async def test_three_who_look_for_a_game_meet_at_one_table(tmp_path: Path) -> None:
    async with (
        running(tmp_path, timing=PATIENT) as (app, first),
        client_of(app) as second,
        client_of(app) as third,
        client_of(app) as fourth,
    ):
        tables = [
            await _paired(client, name)
            for client, name in ((first, "Ann"), (second, ""), (third, "Cyd"))
        ]
        assert len(set(tables)) == 1
        view = await look(first, tables[0])
        assert view["started"]
        assert {place["name"] for place in view["places"]} == {"Ann", "North", "Cyd"}
        assert all(place["person"] for place in view["places"])
        assert await _paired(fourth, "Dee") != tables[0]


async def test_a_table_that_somebody_opened_waits_for_those_who_choose_it(tmp_path: Path) -> None:
    async with running(tmp_path, timing=PATIENT) as (_, client):
        table = await open_table(client, listed=True)
        assert await _paired(client, "Ann") != table


async def test_bots_fill_in_when_nobody_comes(tmp_path: Path) -> None:
    async with running(tmp_path, timing=replace(FAST, pairing=0.2)) as (_, client):
        table = await _paired(client, "Ann")
        async with asyncio.timeout(30):
            while not (view := await look(client, table))["started"]:
                await asyncio.sleep(0.02)
        assert [place["person"] for place in view["places"]].count(True) == 1


async def test_somebody_who_left_is_not_waited_for(tmp_path: Path) -> None:
    away = replace(PATIENT, attention=0.0)
    async with running(tmp_path, timing=away) as (app, first), client_of(app) as second:
        assert await _paired(first, "Ann") != await _paired(second, "Bob")


async def test_a_bot_plays_for_somebody_who_left_before_the_match_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "GONE", 0.0)
    timing = replace(FAST, pairing=0.5)
    async with running(tmp_path, timing=timing) as (app, first), client_of(app) as second:
        table = await _paired(first, "Ann")
        assert await _paired(second, "Bob") == table
        there = first.server.rooms.find(table).presence
        there._open[Seat.SOUTH] += 1  # Ann looks at the table
        async with asyncio.timeout(30):
            while not (view := await look(first, table))["places"][Seat.NORTH]["away"]:
                await asyncio.sleep(0.02)
        assert view["started"]
        assert view["places"][Seat.SOUTH]["person"]


async def test_a_code_leads_to_an_open_seat_and_to_nothing_else(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, open=["N", "S"])
        code = table[:CODE]
        for typed in (code, f" {code[:2].lower()} {code[2:]} "):
            answer = await client.get("/join", params={"code": typed})
            assert answer.headers["location"] == f"/table/{table}"
        for wrong in ("", code[:3], code[:4] + "1", "%%%%%", "_____", code[::-1] + "X", "ZZZZZ"):
            answer = await client.get("/join", params={"code": wrong})
            assert answer.status_code == 404
            letters = len(wrong) == CODE and wrong.isalpha()
            assert ("five letters" in answer.text) is not letters
        for seat in "NS":
            await sit(client, table, seat, seat)
        assert (await client.get("/join", params={"code": code})).status_code == 404


async def test_a_wrong_code_stays_in_its_field(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        headers = {"accept": "text/html"}
        answer = await client.get("/join", params={"code": "QQQQ"}, headers=headers)
        assert answer.status_code == 404
        form = answer.text.partition('action="/join"')[2].partition("</form>")[0]
        assert 'value="QQQQ"' in form


async def test_codes_cannot_be_tried_out(tmp_path: Path) -> None:
    async with running(tmp_path, rate=1.0, burst=100.0) as (_, client):
        statuses = [
            (await client.get("/join", params={"code": "AAAAA"})).status_code for _ in range(8)
        ]
        assert statuses[0] == 404
        assert statuses[-1] == 429
