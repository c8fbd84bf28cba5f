"""The JSON API as its description has it: a client made from `/openapi.json` alone."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.club.described import DescribedClient
from tests.club.ears import Ear
from tests.club.helpers import FAST, Client, choose, running
from tribridge.club.core import challenges
from tribridge.club.server.guard import MOST_BYTES

pytestmark = pytest.mark.anyio


ROOT = Path(__file__).parents[2]
POLITE = {400, 403, 404, 409, 413, 422, 429}
"""The refusals that a program can bring about."""


async def described(client: Client) -> DescribedClient:
    """A client that has read the description and nothing else."""
    return DescribedClient(client, (await client.get("/openapi.json")).json())


async def seated(api: DescribedClient, table: str, seats: str = "NES") -> dict[str, str]:
    """Take seats; their tokens."""
    return {
        seat: (await api.call("sit", {"name": f"P{seat}"}, table=table, seat=seat, status=201))[
            "token"
        ]
        for seat in seats
    }


async def turn_of(api: DescribedClient, table: str, tokens: dict[str, str]) -> dict[str, Any]:
    """The table as the seat whose turn it is sees it."""
    view: dict[str, Any] = await api.call("look", table=table)
    if view["turn"] in tokens:
        view = await api.call("look", table=table, token=tokens[view["turn"]])
    return view


async def play_on(
    api: DescribedClient, table: str, tokens: dict[str, str], random: Random, *, claim: bool
) -> None:
    """Play the deal to its end, by a claim that the others accept if `claim`."""
    bid = False
    while not (view := await turn_of(api, table, tokens))["deal_over"]:
        seat, at = view["turn"], view["number"]
        if claim and view["may_claim"] and len(view["tricks"]) == 10:
            view = await api.call("claim", {"tricks": 2, "at": at}, table=table, token=tokens[seat])
            assert view["claim"] == {
                "seat": seat,
                "tricks": 2,
                "answering": [s for s in "NES" if s != seat],
            }
            for other in view["claim"]["answering"]:
                body = {"agree": True, "at": view["number"]}
                view = await api.call("answer_claim", body, table=table, token=tokens[other])
            assert view["deal_over"]
            continue
        action = choose(view, random) if bid else "1NT"
        bid = True
        body = {"action": action, "at": at}
        await api.call("act", body, table=table, token=tokens[seat])


async def _a_puzzle(api: DescribedClient) -> None:
    asked = await api.call("daily_puzzle")
    name = asked["puzzle"]
    assert await api.call("show_puzzle", puzzle=name) == asked
    said = [
        await api.call("answer_puzzle", {"action": action}, puzzle=name)
        for action in asked["answers"]
    ]
    assert any(one["right"] for one in said)
    assert not all(one["right"] for one in said)


async def _a_match_of_three(api: DescribedClient) -> None:
    settings = {"open": ["N", "E", "S"], "deals": 2, "doubles": True, "seed": 5}
    table = (await api.call("open_table", settings, status=201))["table"]
    tokens = await seated(api, table)
    view = await turn_of(api, table, tokens)
    advice = await api.call("advise", table=table, token=tokens["N"])
    assert advice["action"] in view["legal"]
    assert advice["estimate"]["algorithm"] == 1
    assert (await api.call("look", table=table))["advised"] == ["N"]
    assert await api.call("absent", table=table, token=tokens["N"]) == []
    random = Random(3)
    await play_on(api, table, tokens, random, claim=False)
    view = await api.call("look", table=table, token=tokens["S"])
    for token in tokens.values():
        await api.call("next_deal", {"at": view["number"]}, table=table, token=token)
    await play_on(api, table, tokens, random, claim=True)
    view = await api.call("look", table=table, token=tokens["S"])
    assert view["over"]

    score = await api.call("score", table=table)
    assert [line["deal"] for line in score["lines"]] == [1, 2]
    assert score["totals"] == view["totals"]
    assert score["challenge"] is None
    assert any("claims 2 of" in text for text in (await api.call("log", table=table))["log"])
    review = await api.call("review_deal", table=table, deal=1)
    assert review["advised"] == ["N"]
    assert review["choices"] >= 52 + 3
    while not review["judged"]:
        await asyncio.sleep(0.05)
        review = await api.call("review_deal", table=table, deal=1)
    first = review["judged"][0]
    assert (first["number"], first["chair"]) == (1, None)
    assert first["action"] == review["record"][1]["call"]
    assert [one["algorithm"] for one in review["estimates"]] == [1, 2]
    assert review["record"][-1]["tricks"] == review["tricks"] == score["lines"][0]["tricks"]
    assert (await api.call("review_deal", table=table, deal=2))["claimed"]


async def _alone_against_strategies(api: DescribedClient) -> None:
    chosen = await api.call("list_strategies")
    assert chosen["default"] in {level["strategy"] for level in chosen["levels"]}
    assert "maxims" in {one["name"] for one in chosen["strategies"]}
    assert "auction-tricks" in {one["name"] for one in await api.call("list_schemes")}
    assert "auction-rubber" in {one["name"] for one in await api.call("list_laws")}
    settings = {"open": ["N", "S"], "strategies": None, "listed": True}
    opened = await api.call("open_table", settings, status=201)
    table = opened["table"]
    listed = await api.call("list_tables")
    assert [one["table"] for one in listed] == [table]
    assert [one["seat"] for one in listed[0]["places"] if one["open"]] == ["N", "S"]
    token = (await seated(api, table, "N"))["N"]
    view = await api.call("look", table=table, token=token)
    view = await api.call("start", {"at": view["number"]}, table=table, token=token)
    assert [place["person"] for place in view["places"]] == [True, False, False]
    assert (view["turn"], view["may_undo"]) == ("N", False)
    body = {"action": "1C", "at": view["number"]}
    await api.call("act", body, table=table, token=token)
    while (view := await api.call("look", table=table, token=token))["turn"] != "N":
        await asyncio.sleep(0.01)  # a request in this process does not let others run
    assert view["may_undo"]
    view = await api.call("undo", {"at": view["number"]}, table=table, token=token)
    assert view["calls"] == []
    view = await api.call("leave", table=table, token=token)
    assert view["seat"] is None
    await api.call("leave", table=table, token=token, status=403)


async def _someone_goes_away(api: DescribedClient) -> None:
    opened = await api.call("open_table", {"open": ["N", "E", "S"]}, status=201)
    table = opened["table"]
    tokens = await seated(api, table)
    assert await api.call("absent", table=table, token=tokens["S"]) == ["N"]
    at = {"at": (await api.call("look", table=table))["number"]}
    view = await api.call("stand_in", at, table=table, seat="N", token=tokens["S"])
    assert view["places"][0]["away"]
    view = await api.call("back", table=table, token=tokens["N"])
    assert view["places"][0]["person"]


async def _friends(api: DescribedClient) -> None:
    """A table that waits for its host, a chat, and a rematch."""
    settings = {"open": ["N", "E"], "deals": 1, "wait": True, "turn_seconds": 600}
    settings |= {"strategies": ["pass+random"] * 3}
    table = (await api.call("open_table", settings, status=201))["table"]
    tokens = await seated(api, table, "N")
    north: dict[str, Any] = {"table": table, "token": tokens["N"]}
    view = await api.call("say_ready", {"ready": True}, **north)
    assert (view["host"], view["ready"], view["waits"]) == ("N", ["N"], True)
    view = await api.call("choose_bot", {"strategy": "random"}, seat="E", **north)
    assert view["places"][1]["strategy"] == "random"
    view = await api.call("start", {"at": view["number"]}, **north)
    chat = await api.call("write_chat", {"text": "Hello!"}, **north)
    assert chat["messages"][0]["text"] == "Hello!"
    assert chat["messages"][0]["text"] in chat["phrases"]
    chat = await api.call("mute", {"whom": "onlookers", "on": True}, **north)
    assert (await api.call("read_chat", **north)) == chat
    assert chat["muted"] == ["onlookers"]
    here = await api.call("presence", table=table)
    assert (here["here"], here["onlookers"]) == ([], 0)
    await _play_alone(api, north, Random(1))
    view = await api.call("look", **north)
    assert view["winners"]
    again = await api.call("rematch", {}, **north)
    assert (again["agreed"], again["seat"]) == (["N"], "N")
    assert (await api.call("show_rematch", **north))["table"] == again["table"]
    view = await api.call("look", table=again["table"], token=again["token"])
    assert (view["seat"], view["started"]) == ("N", True)
    made = await api.call("make_challenge", **north, status=201)
    shown = await api.call("show_challenge", challenge=made["challenge"])
    assert (shown["by"], shown["results"]) == ("PN", None)


async def _play_alone(api: DescribedClient, seat: dict[str, Any], random: Random) -> None:
    """Play a match to its end from one seat."""
    while not (view := await api.call("look", **seat))["over"]:
        if view["deal_over"]:
            await api.call("next_deal", {"at": view["number"]}, **seat)
        elif view["turn"] == view["seat"]:
            body = {"action": choose(view, random), "at": view["number"]}
            await api.call("act", body, **seat)
        else:
            await asyncio.sleep(0.02)


async def _a_challenge(api: DescribedClient) -> None:
    today = await api.call("daily_challenge")
    seat = await api.call(
        "play_challenge", {"name": "Ann"}, challenge=today["challenge"], status=201
    )
    key = {"X-Device-Key": seat["device"]}
    mine: dict[str, Any] = {"table": seat["table"], "token": seat["token"]}
    await api.call("look", table=seat["table"], status=403)
    view = await api.call("look", **mine)
    assert view["challenge"] == today["challenge"]
    await _play_alone(api, mine, Random(1))
    league = await api.call("this_league", **key)
    assert league == await api.call("show_league", week=league["week"], **key)
    await api.call("show_league", week="hearts", status=404)
    shown = await api.call("show_challenge", challenge=today["challenge"], **key)
    assert [one["name"] for one in shown["results"] if one["you"]] == ["Ann"]


@pytest.mark.slow
async def test_a_client_made_from_the_description_plays_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, "levels", tuple)  # no bots for comparison: they take long

    seen: set[tuple[str, int]] = set()
    async with running(tmp_path) as (_, client):
        api = await described(client)
        await _alone_against_strategies(api)
        await _friends(api)
        await _a_challenge(api)
        await _a_puzzle(api)
        await _a_match_of_three(api)  # last: the rest of its reviews is not waited for
        seen |= api.seen
    away = tmp_path / "away"
    away.mkdir()
    async with running(away, timing=replace(FAST, silence=0.0)) as (_, client):
        api = await described(client)
        await _someone_goes_away(api)
        seen |= api.seen
    streamed = {"events"}  # has no end: heard below
    tables = {
        name for name, (_, path, _) in api.operations.items() if not path.startswith("/api/me")
    }  # the others are in test_me
    assert {name for name, status in seen if status < 300} | streamed == tables


async def test_refusals_are_as_described(tmp_path: Path) -> None:
    async with running(tmp_path, rate=1.0, burst=200.0) as (_, client):
        api = await described(client)
        table = (await api.call("open_table", {"open": ["N", "E", "S"]}, status=201))["table"]
        tokens = await seated(api, table)
        north, number = tokens["N"], (await api.call("look", table=table))["number"]
        pass_ = {"action": "Pass", "at": number}
        at = {"table": table}
        await api.call("open_table", {"scheme": "none"}, status=400)
        await api.call("open_table", {"strategies": ["none"] * 3}, status=422)
        await api.call("open_table", {"strategies": ["maxims"]}, status=422, valid=False)
        await api.call("open_table", {"colour": "red"}, status=422, valid=False)
        await api.call("sit", {}, **at, seat="Q", status=422)
        await api.call("sit", {}, **at, seat="N", status=422)  # taken
        await api.call("act", pass_, **at, status=403)
        await api.call("act", pass_, **at, token=tokens["E"], status=403)
        other = {"origin": "http://elsewhere.example"}
        await api.call("act", pass_, **at, token=north, extra=other, status=403)
        await api.call("look", table="none", status=404)
        await api.call("review_deal", **at, deal=1, status=404)
        await api.call("act", pass_ | {"at": 1}, **at, token=north, status=409)
        await api.call("act", pass_ | {"action": "X"}, **at, token=north, status=422)
        await api.call("undo", {"at": number}, **at, token=north, status=422)
        long = {"action": "x" * MOST_BYTES, "at": 1}
        await api.call("act", long, **at, token=north, status=413, valid=False)
        await api.call("look", **at, extra={"host": "elsewhere.example"}, status=421)
        answer = await client.get(f"/api/tables/{table}")
        while answer.status_code == 200:
            answer = await client.get(f"/api/tables/{table}")
        api.checked("look", answer)
        assert {status for _, status in api.seen if status >= 400} == POLITE | {421}


async def test_the_reference_lists_every_operation_and_error(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        api = await described(client)
    page = (ROOT / "docs" / "reference" / "table-api.md").read_text("utf-8")
    operations = {f"{m.upper()} {path}" for m, path, _ in api.operations.values()}
    assert set(re.findall(r"^\| `([A-Z]+ /api[^`]+)` \|", page, re.M)) == operations
    statuses = {s for _, _, one in api.operations.values() for s in one["responses"]}
    assert set(re.findall(r"^\| (\d{3}) \|", page, re.M)) == statuses - {"200", "201"}


async def test_events_are_described_and_carry_views(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        api = await described(client)
        table = (await api.call("open_table", {}, status=201))["table"]
        token = (await seated(api, table, "S"))["S"]
        path = f"/api/tables/{table}/events"
        ear = Ear()
        async with ear.at(app, path, {"authorization": f"Bearer {token}"}):
            while "event: table" not in "".join(ear.heard):
                ear.more.clear()
                await ear.more.wait()
        described_as = api.operations["events"][2]["responses"]["200"]["content"]
        text = ear.take()
        assert list(described_as) == ["text/event-stream"]
        assert "text/event-stream" in text
        data = next(line for line in text.splitlines() if line.startswith("data: "))
        view = json.loads(data.removeprefix("data: "))
        api.check(view, {"$ref": "#/components/schemas/SeatView"}, "events")
        assert view["seat"] == "S"


async def test_head_answers_like_get_without_a_body(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        api = await described(client)
        table = (await api.call("open_table", {"open": ["N", "E", "S"]}, status=201))["table"]
        for path in (
            "/",
            f"/table/{table}",
            "/api/tables",
            f"/api/tables/{table}",
            "/openapi.json",
            "/static/style.css",
            "/api/tables/none",
        ):
            head, get = await client.head(path), await client.get(path)
            assert head.status_code == get.status_code, path
            assert head.headers["content-type"] == get.headers["content-type"], path
            assert head.headers["content-length"] == get.headers["content-length"], path
            assert head.content == b"", path
        for path in (f"/api/tables/{table}/events", f"/table/{table}/stream"):
            head = await client.head(path)
            assert head.status_code == 200, path
            assert head.headers["content-type"].startswith("text/event-stream"), path
        assert (await client.head(f"/api/tables/{table}/actions")).status_code == 405
