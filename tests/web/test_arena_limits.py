"""What matches of the arena may use: limits, refusals, stopping, keeping, sharing the workers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.helpers import Client, HereWorkers, client_of, look, open_table, run, running
from tests.web.matches import FAST, QUICK, Held, ended, start
from tests.web.test_api import described
from tribridge.strategies.players.simple import RandomPlayer
from tribridge.web.arena import matches
from tribridge.web.arena.match import MOST_DEALS
from tribridge.web.core.workers import FailedError

pytestmark = pytest.mark.anyio


async def test_only_who_started_a_match_can_stop_it_and_its_deals_count(tmp_path: Path) -> None:
    workers = Held()
    async with running(tmp_path, workers=workers) as (app, client):
        begun = await start(client, FAST, deals=100)
        path = f"/api/arena/{begun['match']}"
        match = client.server.arena.find(begun["match"])
        while match.deals < 3:
            workers.go.release()
            await match.changed(0.01)
        async with client_of(app) as other:
            assert (await other.post(f"{path}/stop")).status_code == 403
            assert (await other.post(f"/arena/{match.id}/stop")).status_code == 403
            assert "Stop the match" not in (await other.get(f"/arena/{match.id}")).text
        result = await client.get(f"{path}/result")
        assert (result.status_code, "still running" in result.text) == (422, True)
        token = {"authorization": f"Bearer {begun['token']}"}
        assert (await client.post(f"{path}/stop", headers=token)).status_code == 200
        for _ in range(1000):
            workers.go.release()
        await ended(client, match.id)
        state = (await client.get(path)).json()
        assert state["status"] == "stopped"
        assert 3 <= state["played"] < 100
        assert f"--deals {state['played']} " in state["command"]
        assert state["standing"]["deals"] == state["played"]
        assert state["standing"]["lines"]
        again = await client.post(f"{path}/stop", headers=token)
        assert (again.status_code, again.json()["error"]) == (
            422,
            "the match is already over",
        )


async def test_matches_are_limited_for_a_visitor_and_for_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "MOST_RUNNING", 3)

    async with running(tmp_path, workers=Held()) as (app, client):
        for _ in range(matches.MOST_PER_VISITOR):
            await start(client)
        body = {"strategies": QUICK}
        refused = await client.post("/api/arena", json=body)
        assert (refused.status_code, "still running" in refused.text) == (
            429,
            True,
        )
        other = Client(
            transport=httpx.ASGITransport(app=app, client=("10.0.0.9", 1)),
            base_url="http://localhost",
        )
        other.server = client.server
        async with other:
            await start(other)
            refused = await other.post("/api/arena", json=body)
            assert refused.status_code == 429
            assert "running on this server" in refused.json()["error"]


async def test_a_match_ends_when_its_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "LONGEST", -1.0)

    async with running(tmp_path) as (_, client):
        begun = await start(client)
        match = await ended(client, begun["match"])
        assert (match.status, match.deals) == ("out of time", 0)
        shown = (await client.get(f"/arena/{match.id}")).text
        assert "No deal" in shown
        result = await client.get(f"/arena/{match.id}/result.json")
        assert (result.status_code, "no deal" in result.text) == (422, True)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"strategies": ["random"]}, "choose two or three strategies, not 1"),
        ({"strategies": ["a"] * 2}, "a"),
        ({"strategies": ["pass", "random", "maxims", "points"]}, "not 4"),
        ({"strategies": ["random", "random"]}, "random is named twice"),
        ({"strategies": ["oracle", "random"]}, "sees all four hands"),
        ({"strategies": ["sampling:seconds=99", "random"]}, "seconds=99 is too much"),
        ({"strategies": ["points:scheme=/etc/passwd", "random"]}, "out of range"),
        ({"strategies": ["x" * 200, "random"]}, "at most 120 characters"),
        ({"deals": 1}, "2 to 500 deals, not 1"),
        ({"deals": MOST_DEALS + 1}, "not 501"),
        ({"deals": 51, "laws": "whist-club"}, "2 to 50 rubbers, not 51"),
        ({"scheme": "/etc/passwd"}, "unknown scheme '/etc/passwd'"),
        ({"laws": "/etc/passwd"}, "unknown laws '/etc/passwd'"),
        ({"seed": -1}, "seed"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_bad_settings_are_refused_in_one_line(
    fields: dict[str, Any], words: str, tmp_path: Path
) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/api/arena", json={"strategies": QUICK} | fields)
        assert answer.status_code in (400, 422)
        error = answer.json()["error"]
        assert words in error
        assert "\n" not in error
        assert client.server.arena.recent() == []


async def test_the_form_refuses_in_one_line_too(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for form in ({}, {"strategy": QUICK, "scoring": "laws:none"}, {"strategy": ["random"]}):
            answer = await client.post("/arena", data=form, headers={"hx-request": "true"})
            assert answer.status_code == 400
            assert len(answer.text.strip().splitlines()) == 1
        for path in ("/arena/none", "/arena/none/stream", "/api/arena/none"):
            assert (await client.get(path)).status_code == 404
        name = (await start(client))["match"]
        await ended(client, name)
        for path in ("deal/9", "deal/0", "deal/1?game=99"):
            assert (await client.get(f"/arena/{name}/{path}")).status_code == 404


def test_a_match_survives_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def begin() -> tuple[str, str, int]:
        workers = Held()
        async with running(tmp_path, workers=workers) as (_, client):
            begun = await start(client, FAST, deals=20)
            match = client.server.arena.find(begun["match"])
            while match.deals < 2:
                workers.go.release()
                await match.changed(0.01)
            return match.id, begun["token"], match.deals

    async def go_on(name: str, token: str, deals: int) -> None:
        async with running(tmp_path) as (_, client):
            match = await ended(client, name)
            assert match.status == "interrupted"
            assert match.deals >= deals
            assert match.standing is not None
            assert match.standing.lines
        async with running(tmp_path) as (_, client):
            again = client.server.arena.find(name)
            assert (again.standing, again.history) == (match.standing, match.history)
            path, mine = f"/api/arena/{name}/go-on", {"authorization": f"Bearer {token}"}
            assert (await client.post(path)).status_code == 403
            assert (await client.post(f"/arena/{name}/go-on")).status_code == 403
            assert "Go on with the match" not in (await client.get(f"/arena/{name}")).text
            cookie = {"cookie": f"arena-{name}={token}"}
            page = await client.get(f"/arena/{name}", headers=cookie)
            assert "Go on with" in page.text
            assert str(again.origin.strategies[0]) in page.text
            with monkeypatch.context() as changed:  # not with other strategies
                changed.setattr(RandomPlayer, "version", 99)
                assert (await client.post(path, headers=mine)).status_code == 422
            assert (await client.post(path, headers=mine)).json()["status"] == "running"
            assert (await client.post(path, headers=mine)).status_code == 422
            await ended(client, name)
            assert (again.status, again.deals) == ("finished", 20)
            assert (await client.post(path, headers=mine)).status_code == 422
            whole = await ended(client, (await start(client, FAST, deals=20))["match"])
            assert again.standing == whole.standing  # as if it had not been interrupted

    run(go_on(*run(begin())))


async def test_old_matches_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MOST_KEPT", 2)

    async with running(tmp_path) as (_, client):
        names = []
        for _ in range(3):
            names.append((await start(client, deals=2))["match"])
            await ended(client, names[-1])
        kept = [one.id for one in client.server.arena.recent()]
        assert kept == [names[2], names[1]]
        assert (await client.get(f"/arena/{names[0]}")).status_code == 404
        rows = client.server.rooms.store.rows("SELECT DISTINCT match FROM arena_deals")
        assert {name for (name,) in rows} == set(kept)


async def test_a_lost_worker_ends_the_match(tmp_path: Path) -> None:
    class Broken(HereWorkers):
        async def run(self, limit: float, function: Any, *args: Any) -> Any:
            raise FailedError("ended its process")

    async with running(tmp_path, workers=Broken()) as (_, client):
        match = await ended(client, (await start(client))["match"])
        assert (match.status, match.why) == ("failed", "ended its process")
        assert "ended its process" in (await client.get(f"/arena/{match.id}")).text


async def test_tables_do_not_wait_for_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "SLICE", 0.001)

    async with running(tmp_path) as (_, client):
        match = client.server.arena.find((await start(client, FAST, deals=500))["match"])
        table = await open_table(client, strategies=["points+random"] * 3, open=[], deals=1)
        room = client.server.rooms.find(table)
        async with asyncio.timeout(300):
            while not room.state.over:
                await look(client, table)  # somebody watches
                await asyncio.sleep(0)
        assert match.running
        assert match.live is not None


async def test_the_api_is_as_described(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        api = await described(client)
        body = {"strategies": FAST, "deals": 3, "seed": 4}
        begun = await api.call("start_match", body, status=201)
        at = {"match": begun["match"]}
        await api.call("show_match", **at)
        await api.call("stop_match", **at, status=403)
        await api.call("match_file", **at, status=422)
        stopped = await api.call("stop_match", **at, token=begun["token"])
        assert stopped["status"] == "running"  # until the current choice is made
        await ended(client, begun["match"])
        await api.call("stop_match", **at, token=begun["token"], status=422)
        await api.call("match_deal", **at, number=9, status=404)
        await api.call("start_match", {"strategies": ["random"]}, status=400)
        await api.call("show_match", match="none", status=404)
        other = await api.call("start_match", body | {"deals": 2}, status=201)
        await ended(client, other["match"])
        assert (await api.call("list_matches"))[0]["match"] == other["match"]
        for name, words in (("match_file", '"contracts"'), ("match_deal", '"reason"')):
            method, path, _ = api.operations[name]
            where = path.format(match=other["match"], number=1)
            answer = await client.request(method, where)
            assert answer.status_code == 200
            assert words in answer.text
