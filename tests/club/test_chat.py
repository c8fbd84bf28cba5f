"""The chat: who may write what, who reads it, and nobody else does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.club.ears import Ear
from tests.club.helpers import FAST, Client, act, client_of, open_table, running, sit, three
from tests.club.test_injection import MARK, injected, messages
from tribridge.cards.deals import Seat
from tribridge.club.core import events
from tribridge.club.core.chat import LONGEST_MESSAGE, PHRASES
from tribridge.club.core.events import ClaimTricks
from tribridge.club.server.guard import Buckets

pytestmark = pytest.mark.anyio


async def _write(
    client: Client, table: str, seat: dict[str, str] | None, text: str, **more: str
) -> Any:
    body = {"text": text} | more
    return await client.post(f"/api/tables/{table}/chat", json=body, headers=seat)


async def _read(client: Client, table: str, seat: dict[str, str] | None = None) -> list[str]:
    answer = await client.get(f"/api/tables/{table}/chat", headers=seat)
    return [f"{one['name']}: {one['text']}" for one in answer.json()["messages"]]


async def _heard(ear: Ear, text: str) -> None:
    while text not in "".join(ear.heard):
        ear.more.clear()
        await ear.more.wait()


async def test_messages_reach_the_table_and_no_other(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client)
        other, _ = await three(client)
        program, page, elsewhere = Ear(), Ear(), Ear()
        async with (
            program.at(app, f"/api/tables/{table}/events", seats["E"]),
            page.at(app, f"/table/{table}/stream", {}),
            elsewhere.at(app, f"/table/{other}/stream", {}),
        ):
            before = client.server.rooms.find(table).state
            answer = await _write(client, table, seats["N"], " Hello,\n\tthere  ")
            assert answer.status_code == 200, answer.text
            await _heard(program, "Hello, there")
            await _heard(page, "Hello, there")
            heard = dict(messages(program.take()))
            assert json.loads(heard["chat"]) == [
                {
                    "number": before.number + 1,
                    "seat": "N",
                    "name": "PN",
                    "text": "Hello, there",
                }
            ]
            state = client.server.rooms.find(table).state
            assert (state.since, state.drawn) == (before.since, before.drawn)
            # An action decided on before the message still counts.
            answer = await act(client, table, seats["N"], "Pass", before.number)
            assert answer.status_code == 200
            await _heard(page, f"id: {state.number + 1}")
            assert "Hello" not in elsewhere.take()
        assert await _read(client, other) == []
        assert "Hello, there" not in (await client.get(f"/table/{other}")).text
        assert "Hello, there" in (await client.get(f"/table/{table}")).text
        assert "Hello" not in (await client.get("/")).text
        state = client.server.rooms.find(table).state
        assert events.replay(client.server.rooms.store.events(table)) == state
    async with running(tmp_path) as (_, client):
        assert await _read(client, table) == ["PN: Hello, there"]


async def test_what_is_written_is_text(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client, onlooker_chat=True)
        async with Ear().at(app, f"/table/{table}/stream", {}) as ear:
            await _write(client, table, seats["S"], MARK)
            await _write(client, table, None, "a\u2028b\u202ec", name=MARK[:24])
            await _heard(ear, "a b c")
            for kind, data in messages(ear.take()):
                assert not injected(data), kind
        assert not injected((await client.get(f"/table/{table}")).text)
        assert f"PS: {MARK}" in await _read(client, table)
        token = seats["N"]["authorization"].split()[1]
        headers = {"cookie": f"seat-{table}={token}", "hx-request": "true"}
        form = {"whom": "E", "on": "true"}
        answer = await client.post(f"/table/{table}/mute", data=form, headers=headers)
        assert "&lt;img" in answer.text
        assert not injected(answer.text)


async def test_limits(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        for text, error in (
            ("", "an empty message: write something, or choose a phrase"),
            ("\n\t\u200b ", "an empty message: write something, or choose a phrase"),
            ("x" * (LONGEST_MESSAGE + 1), "a message has at most 200 characters"),
        ):
            answer = await _write(client, table, seats["N"], text)
            assert (answer.status_code, answer.json()["error"]) == (422, error)
        answer = await _write(client, table, None, "Hello!")
        assert answer.status_code == 403
        assert answer.json()["error"] == "onlookers cannot write at this table"
        assert await _read(client, table) == []
        client.server.messages = Buckets(rate=1e-9, burst=2)
        assert (await _write(client, table, seats["E"], "1")).status_code == 200
        assert (await _write(client, table, seats["E"], "2")).status_code == 200
        answer = await _write(client, table, seats["E"], "3")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert (await _write(client, table, seats["S"], "4")).status_code == 200
        assert await _read(client, table) == ["PE: 1", "PE: 2", "PS: 4"]
        other = {"origin": "http://elsewhere.example"}
        answer = await _write(client, table, seats["S"] | other, "5")
        assert answer.status_code == 403


async def test_a_table_chooses_its_chat(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, chat="phrases", onlooker_chat=True)
        answer = await _write(client, table, seats["N"], "I have four aces")
        assert answer.status_code == 422
        assert answer.json()["error"].startswith("only phrases can be sent at this table")
        assert (await _write(client, table, seats["N"], PHRASES[0])).status_code == 200
        answer = await _write(client, table, None, PHRASES[1], name="PN")
        assert (answer.status_code, "someone called PN" in answer.text) == (422, True)
        assert (await _write(client, table, None, PHRASES[1], name="Uma")).status_code == 200
        assert await _read(client, table) == [f"PN: {PHRASES[0]}", f"Uma: {PHRASES[1]}"]
        page = (await client.get(f"/table/{table}")).text
        assert "Uma (onlooker):" in page
        assert 'id="chat-text"' not in page
        quiet = await open_table(client, chat="off")
        north = await sit(client, quiet, "N", "Ann")
        answer = await _write(client, quiet, north, PHRASES[0])
        assert answer.json()["error"] == "this table is played without chat"
        assert 'id="chat-log"' not in (await client.get(f"/table/{quiet}")).text
        answer = await client.post("/api/tables", json={"chat": "loud"})
        assert answer.status_code == 400


async def test_muting_is_private_and_lasts(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as browser:
        table, seats = await three(client, onlooker_chat=True)

        async def mute(whom: str, on: bool) -> Any:
            body = {"whom": whom, "on": on}
            path = f"/api/tables/{table}/mute"
            return await client.post(path, json=body, headers=seats["N"])

        assert (await mute("E", True)).json()["muted"] == ["E"]
        assert (await mute("N", True)).status_code == 422
        assert (await mute("Q", True)).status_code == 422
        await mute("onlookers", True)
        deaf = Ear()
        async with deaf.at(app, f"/api/tables/{table}/events", seats["N"]):
            await _write(client, table, seats["E"], "word-1")
            await _write(client, table, None, "word-2", name="Uma")
            await _write(client, table, seats["S"], "word-3")
            await _heard(deaf, "word-3")
            heard = deaf.take()
            assert ("word-1" in heard, "word-2" in heard) == (False, False)
        assert await _read(client, table, seats["N"]) == ["PS: word-3"]
        assert await _read(client, table, seats["S"]) == [
            "PE: word-1",
            "Uma: word-2",
            "PS: word-3",
        ]
        # Nobody else learns of it, on the page or through the API.
        for letter in "ES":
            token = seats[letter]["authorization"].split()[1]
            headers = {"cookie": f"seat-{table}={token}"}
            page = (await browser.get(f"/table/{table}", headers=headers)).text
            assert "Unmute" not in page
            answer = await client.get(f"/api/tables/{table}/chat", headers=seats[letter])
            assert answer.json()["muted"] == []
        token = seats["N"]["authorization"].split()[1]
        own = await browser.get(f"/table/{table}", headers={"cookie": f"seat-{table}={token}"})
        assert own.text.count("Unmute") == 2
        assert "PE:" not in own.text
    async with running(tmp_path) as (_, client):
        assert await _read(client, table, seats["N"]) == ["PS: word-3"]
        assert (await mute("E", False)).json()["muted"] == ["onlookers"]
        assert await _read(client, table, seats["N"]) == ["PE: word-1", "PS: word-3"]


async def test_messages_do_not_keep_a_claim_waiting(tmp_path: Path) -> None:
    """A claim lapses in time, however much is said meanwhile."""
    async with running(tmp_path, timing=replace(FAST, answer=0.3)) as (_, client):
        table, seats = await three(client)
        room = client.server.rooms.find(table)
        client.server.messages = Buckets(rate=1e9, burst=1e9)
        for letter, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            await act(client, table, seats[letter], call, room.state.number)
        await client.server.rooms.add(room, ClaimTricks(Seat.EAST, 3))
        written = 0
        while room.state.claim is not None and written < 500:
            await _write(client, table, seats["S"], "Wait!")
            written += 1
        assert room.state.claim is None
