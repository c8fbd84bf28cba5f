"""Fair play: cards that nobody chose, advice that everyone sees, claims that cannot be probed."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.club.helpers import (
    FAST,
    Client,
    act,
    client_of,
    look,
    next_deal,
    open_table,
    play_deal,
    running,
    sit,
    three,
)
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act, ClaimTricks, Undo
from tribridge.club.core.matches import MatchPlan, Seal, seal
from tribridge.club.core.state import Place
from tribridge.club.errors import StaleError
from tribridge.game.record import loads
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio


async def _post(client: Client, table: str, seat: Any, path: str, **body: Any) -> httpx.Response:
    body.setdefault("at", client.server.rooms.find(table).state.number)
    return await client.post(f"/api/tables/{table}/{path}", json=body, headers=seat)


# The cards


async def test_every_deal_is_committed_to_before_and_proved_after(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client, deals=2)
        first = (await look(client, table))["proofs"]  # before anybody sits
        seats = {letter: await sit(client, table, letter) for letter in "NES"}
        room = client.server.rooms.find(table)
        secret = room.state.plan.secret
        assert secret is not None
        committed = []
        for at in range(2):
            view = await look(client, table, seats["S"])
            assert [proof["deal"] for proof in view["proofs"]] == [*range(1, at + 2)]
            proof = view["proofs"][at]
            assert (proof["seed"], proof["nonce"]) == (None, None)
            assert at or view["proofs"] == first
            committed.append(proof["commitment"])
            sealed = seal(secret, at)
            for path in ("", "/board", "/match.jsonl", "/match.pbn"):
                page = (await client.get(f"/table/{table}{path}")).text
                assert not [x for x in (secret, sealed.nonce, str(sealed.seed)) if x in page]
            await play_deal(client, table, seats, Random(at))
            view = await look(client, table)
            proof = view["proofs"][at]
            text = f"{proof['nonce']}:{proof['seed']}"
            assert sha256(text.encode()).hexdigest() == proof["commitment"] == committed[at]
            record = room.state.finished[at].record
            assert record.deal == deal(proof["seed"], at)
            page = (await client.get(f"/table/{table}")).text
            assert text in page
            assert secret not in page
            found = loads((await client.get(f"/table/{table}/review/{at + 1}/deal.jsonl")).text)
            assert (found[0].seed, found[0].number) == (proof["seed"], at)
            if at == 0:
                await next_deal(client, table, seats)
        assert not view["known"]
        # The same deals again, for others; now the table says that they are known.
        again = await open_table(client, secret=secret, deals=2, open=["N"])
        assert client.server.rooms.find(again).state.plan.known


def test_nothing_visible_tells_the_next_deals() -> None:
    secret = "ab" * 32
    seals = [seal(secret, at) for at in range(99)]
    assert len({one.seed for one in seals} | {one.nonce for one in seals}) == 198
    assert all(0 <= one.seed < 1 << 64 and len(one.nonce) == 64 for one in seals)
    # The same seed under another nonce has another commitment: it cannot be found by trying.
    assert Seal(1, "00" * 32).commitment != Seal(1, "01" * 32).commitment
    secrets = {MatchPlan().checked().secret for _ in range(100)}
    assert len(secrets) == 100
    assert all(re.fullmatch("[0-9a-f]{64}", one or "") for one in secrets)


async def test_a_table_says_to_all_that_its_cards_were_given(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        words = "fixed beforehand"
        for fields in ({"seed": 7}, {"secret": "ab" * 32}, {}):
            table = await open_table(client, open=["N", "S"], listed=True, **fields)
            path = f"/table/{table}"
            async with client_of(app) as friend:
                assert (words in (await friend.get(path)).text) is bool(fields)
                await friend.post(f"{path}/sit", data={"seat": "N"})
                await client.post(f"{path}/sit", data={"seat": "S"})
                assert (words in (await friend.get(path)).text) is bool(fields)
                assert (await look(friend, table))["known"] is bool(fields)
        assert (await client.get("/lobby/tables")).text.count("cards known in advance") == 2
        for secret in ("x", "AB" * 32, "ab" * 31, "<b>"):
            answer = await client.post("/api/tables", json={"secret": secret})
            assert answer.status_code == 400
    async with running(tmp_path / "b", seed=3) as (_, client):
        table = await open_table(client)
        assert (await look(client, table))["known"]


# Advice


async def test_all_can_see_who_asks_for_advice(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=1)
        cookie = {"cookie": f"seat-{table}={seats['E']['authorization'].split()[1]}"}
        assert (await client.get(f"/table/{table}/advice", headers=cookie)).status_code == 405
        for _ in range(2):  # asked twice of the same position it counts once
            assert (await client.post(f"/table/{table}/advice", headers=cookie)).status_code == 200
        assert (await look(client, table))["advised"] == ["E"]
        page = (await client.get(f"/table/{table}")).text
        assert "PE asks" in page
        assert "asked for advice" in page
        # What others had chosen before they were told is still good.
        assert (await act(client, table, seats["N"], "1C", 5)).status_code == 200
        assert (await act(client, table, seats["E"], "1D", 5)).status_code == 409
        await client.post(f"/table/{table}/advice", headers=cookie)
        assert (await look(client, table))["advised"] == ["E", "E"]
        await play_deal(client, table, seats, Random(1))
        assert "PE 2 times" in (await client.get(f"/table/{table}/review/1")).text
        answer = await client.post(f"/table/{table}/advice", headers=cookie)
        assert answer.status_code == 422


# Claims


async def _declared(client: Client, **fields: Any) -> tuple[str, dict[str, dict[str, str]]]:
    """Three seats of programs; North declares 1C, East is to lead."""
    table, seats = await three(client, **fields)
    for seat, call in (("N", "1C"), ("E", "Pass"), ("S", "Pass")):
        number = (await look(client, table))["number"]
        await act(client, table, seats[seat], call, number)
    return table, seats


async def test_programs_see_make_and_answer_claims(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await _declared(client)
        view = await look(client, table, seats["E"])
        assert view["may_claim"]
        assert view["claim"] is None
        assert not (await look(client, table, seats["N"]))["may_claim"]
        for tricks, status in ((99, 422), (-1, 422), (5, 200)):
            answer = await _post(client, table, seats["E"], "claims", tricks=tricks)
            assert answer.status_code == status
        claim = {"seat": "E", "tricks": 5, "answering": ["N", "S"]}
        for who in (seats["N"], None):
            assert (await look(client, table, who))["claim"] == claim
        answer = await _post(client, table, seats["E"], "claims/answer", agree=True)
        assert answer.status_code == 403
        answer = await _post(client, table, seats["N"], "claims/answer", agree=True)
        assert answer.json()["claim"]["answering"] == ["S"]
        answer = await _post(client, table, seats["S"], "claims/answer", agree=True)
        assert answer.json()["deal_over"]


async def test_a_claim_shows_the_hand_for_the_rest_of_the_deal(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await _declared(client, deals=2)
        whole = (await look(client, table, seats["E"]))["hand"]
        viewers = (*seats.values(), None)
        assert [(await look(client, table, who))["faced"] for who in viewers] == [[]] * 4
        assert 'class="suit-lines"' not in (await client.get(f"/table/{table}")).text
        await _post(client, table, seats["E"], "claims", tricks=13)
        assert 'class="suit-lines"' in (await client.get(f"/table/{table}")).text
        for who in viewers:
            assert (await look(client, table, who))["faced"] == [{"seat": "E", "cards": whole}]
        await _post(client, table, seats["N"], "claims/answer", agree=False)
        for who in viewers:
            assert (await look(client, table, who))["faced"] == [{"seat": "E", "cards": whole}]
        view = await look(client, table, seats["E"])
        await act(client, table, seats["E"], view["legal"][0], view["number"])
        left = [card for card in whole if card != view["legal"][0]]
        for who in viewers:
            assert (await look(client, table, who))["faced"] == [{"seat": "E", "cards": left}]
        while not (view := await look(client, table))["deal_over"]:
            seat = seats[view["turn"]]
            card = (await look(client, table, seat))["legal"][0]
            await act(client, table, seat, card, view["number"])
        await next_deal(client, table, seats)
        assert [(await look(client, table, who))["faced"] for who in viewers] == [[]] * 4


async def test_a_claim_that_nobody_answers_lapses(tmp_path: Path) -> None:
    async with running(tmp_path, timing=replace(FAST, answer=0.05)) as (_, client):
        table, seats = await _declared(client)
        room = client.server.rooms.find(table)
        await _post(client, table, seats["E"], "claims", tricks=13)
        await _post(client, table, seats["N"], "claims/answer", agree=True)
        async with asyncio.timeout(20):
            while room.state.claim is not None:  # South is a program that knows no claims
                await asyncio.sleep(0.01)
        view = await look(client, table, seats["E"])
        assert (view["turn"], view["deal_over"], view["may_claim"]) == ("E", False, False)
        answer = await act(client, table, seats["E"], view["legal"][0], view["number"])
        assert answer.status_code == 200


async def test_the_judge_is_no_oracle(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        rooms = client.server.rooms
        places = [Place(str(s), "pass+random", person=s is Seat.SOUTH) for s in Seat]
        room = await rooms.open(MatchPlan(2), places, strategy_seed=1)

        async def mine() -> None:
            async with asyncio.timeout(20):
                while room.state.turn is not Seat.SOUTH:
                    await room.wait(room.state.number)

        async def play() -> None:
            assert room.state.table is not None
            card = action_name(room.state.table.legal[0])
            await rooms.add(room, Act(Seat.SOUTH, card))
            await mine()

        await mine()
        await rooms.add(room, Act(Seat.SOUTH, "1NT"))
        await mine()
        while not room.state.may_claim(Seat.SOUTH):
            await play()
        assert room.state.undo_to(Seat.SOUTH) is not None
        await rooms.add(room, ClaimTricks(Seat.SOUTH, 13 - _won(room)))
        async with asyncio.timeout(20):
            while room.state.claim is not None:
                await room.wait(room.state.number)
        refused = len(room.state.actions)
        assert room.state.undo_to(Seat.SOUTH) is None  # what the judge saw stands
        await play()
        assert room.state.undo_to(Seat.SOUTH) is not None  # what came after may be undone
        while len(room.state.actions) > refused:
            await rooms.add(room, Undo(Seat.SOUTH), room.state.number)
        assert room.state.undo_to(Seat.SOUTH) is None
        assert not room.state.may_claim(Seat.SOUTH)  # and the judge is not asked again


def _won(room: Any) -> int:
    return len(room.state.table.position.tricks)


# Clicks


async def test_the_second_of_two_quick_clicks_plays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("tribridge.club.core.all_rooms.time.monotonic", lambda: now[0])

    async with running(tmp_path, timing=replace(FAST, settle=0.35)) as (_, client):
        table, seats = await three(client)
        room = client.server.rooms.find(table)
        token = seats["N"]["authorization"].split()[1]
        headers = {"cookie": f"seat-{table}={token}"}

        async def click() -> int:
            assert room.state.table is not None
            action = action_name(room.state.table.legal[1])
            data = {"action": action, "at": room.state.number}
            answer = await client.post(f"/table/{table}/act", data=data, headers=headers)
            return answer.status_code

        assert await click() == 303
        for seat in "ES":  # so fast that it is North's turn when the second click comes
            view = await look(client, table, seats[seat])
            await act(client, table, seats[seat], view["legal"][1], view["number"])
        now[0] += 0.15
        number = room.state.number
        assert await click() == 409
        assert room.state.number == number
        now[0] += 0.25
        assert await click() == 303
        with pytest.raises(StaleError):
            await client.server.rooms.click(room, Seat.NORTH, "7NT", room.state.number)
