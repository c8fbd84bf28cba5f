"""The arena in the browser: matches run, equal those of the command, stop, and are limited."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tests.web.ears import Ear
from tests.web.helpers import Client, HereWorkers, client_of, run, running
from tribridge.arena.results import MatchResult, loads
from tribridge.arena.work import MatchWork, summaries
from tribridge.cli import app as command_line
from tribridge.game import record
from tribridge.web.arena import matches
from tribridge.web.arena.match import ArenaMatch
from tribridge.web.arena.plan import MOST_DEALS, SECONDS_PER_CHOICE, Plan
from tribridge.web.arena.standings import Estimate
from tribridge.web.pages import arena as pages
from tribridge.web.pages.arena_page import Follower, chart
from tribridge.web.table.workers import FailedError

QUICK = ["pass+random", "random"]
FAST = ["points+random", "points+maxims"]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The board moves as fast as it can."""
    monkeypatch.setattr(pages, "PACE", 0)
    monkeypatch.setattr(pages, "PAUSE", 0)


async def _start(
    client: Client, strategies: Sequence[str] = QUICK, **fields: Any
) -> dict[str, Any]:
    body = {"strategies": list(strategies), "deals": 3} | fields
    answer = await client.post("/api/arena", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _ended(client: Client, name: str) -> ArenaMatch:
    match = client.server.arena.find(name)
    async with asyncio.timeout(300):
        while match.running:
            await match.changed(1)
    return match


def _told_by_the_command(words: Sequence[str], folder: Path) -> tuple[list[str], MatchResult]:
    """What the command prints, and the result that it writes."""
    file = folder / "result.json"
    done = CliRunner().invoke(
        command_line, [*words, "--processes", "1", "--result", str(file)], catch_exceptions=False
    )
    assert done.exit_code == 0
    result = loads(file.read_text())
    assert isinstance(result, MatchResult)
    return " ".join(done.stdout.split()).split(". "), result


@pytest.mark.parametrize(
    "fields",
    [
        {"strategies": FAST, "deals": 4, "seed": 7},
        {"strategies": [*FAST, "capture+random"], "deals": 2, "seed": 2, "doubles": True},
        {"strategies": FAST, "deals": 2, "seed": 3, "laws": "auction-rubber"},
    ],
    ids=["two strategies", "three, with doubles", "rubbers"],
)
def test_a_match_gives_the_numbers_of_the_command(fields: dict[str, Any], tmp_path: Path) -> None:
    async def test() -> tuple[dict[str, Any], str]:
        async with running(tmp_path) as (_, client):
            name = (await _start(client, **fields))["match"]
            await _ended(client, name)
            state = (await client.get(f"/api/arena/{name}")).json()
            assert state["status"] == "finished"
            assert state["played"] == fields["deals"]
            file = await client.get(f"/arena/{name}/result.json")
            assert file.text == (await client.get(f"/api/arena/{name}/result")).text
            return state, file.text

    state, file = run(test())
    words = state["command"].split()
    assert words[:3] == ["tribridge", "arena", "match"]
    printed, result = _told_by_the_command(words[1:], tmp_path)
    mine = loads(file)
    assert isinstance(mine, MatchResult)
    assert mine.work == result.work
    assert mine.seats == result.seats
    assert mine.contracts == result.contracts
    assert mine.tricks == result.tricks
    assert mine.points.tolist() == result.points.tolist()
    for line in state["standing"]["lines"]:
        assert line.removesuffix(".") in ". ".join(printed)
    assert [one["mean"] for one in state["standing"]["scores"]] == pytest.approx(
        result.by_deal().mean(axis=0).tolist()
    )


def test_the_records_are_those_of_the_arena(tmp_path: Path) -> None:
    def untimed(text: str) -> list[Any]:
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            line.get("game", {}).pop("times", None)
        return lines

    async def test() -> None:
        async with running(tmp_path) as (_, client):
            name = (await _start(client, FAST, seed=5))["match"]
            await _ended(client, name)
            text = (await client.get(f"/api/arena/{name}/deals/2")).text
            assert text == (await client.get(f"/arena/{name}/deal/2/deal.jsonl")).text
            work = MatchWork(tuple(FAST), seed=5, limit=SECONDS_PER_CHOICE)
            played = gzip.decompress(work.run((1, 2))).decode()
            assert untimed(text) == untimed(played)
            assert len(summaries(gzip.compress(text.encode()))) == work.games
            assert len(record.loads(text)) == work.games

    run(test())


def test_the_pages_show_progress_result_and_replay(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as (_, client):
            assert 'href="/arena"' in (await client.get("/")).text
            setup = (await client.get("/arena")).text
            assert "points+maxims" in setup
            form = {"strategy": FAST, "deals": 2, "seed": 9, "scoring": "contract"}
            answer = await client.post("/arena", data=form)
            assert answer.status_code == 303
            where = answer.headers["location"]
            shown = (await client.get(where)).text
            assert "0 of 2 deals" in shown
            assert "Stop the match" in shown  # the visitor's own
            name = where.removeprefix("/arena/")
            match = await _ended(client, name)
            assert match.plan.scheme == "contract"
            shown = (await client.get(where)).text
            assert "2 of 2 deals" in shown
            assert match.command in shown
            assert match.standing is not None
            assert match.standing.lines[0].split(";")[0] in shown
            assert "Stop the match" not in shown
            replay = await client.get(f"{where}/deal?number=1", follow_redirects=True)
            assert "game 1 of 6" in replay.text
            for step in (0, 1, 4, 30, 99):
                replay = await client.get(f"{where}/deal/2?game=6&step={step}")
                assert replay.status_code == 200
                assert "deal 2, game 6 of 6" in replay.text.lower()
            assert "Points: " in replay.text or "Passed out." in replay.text
            assert FAST[0] in (await client.get("/arena")).text

    run(test())


def test_the_stream_brings_the_board_the_standing_and_the_end(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as (app, client):
            begun = await _start(client, FAST, deals=2)
            ear = Ear()
            async with ear.at(app, f"/arena/{begun['match']}/stream", {}):
                async with asyncio.timeout(300):
                    while not any("event: over" in text for text in ear.heard):
                        ear.more.clear()
                        await ear.more.wait()
            text = ear.take()
            for event in ("board", "status", "results", "controls"):
                assert f"event: {event}\n" in text
            assert re.search(r"seating \d of 6", text)
            assert "The same match in a terminal" in text
            events = Ear()
            async with events.at(app, f"/api/arena/{begun['match']}/events", {}):
                async with asyncio.timeout(300):
                    while "data: " not in "".join(events.heard):
                        await asyncio.sleep(0)
            data = events.take().split("data: ")[1].split("\n")[0]
            assert json.loads(data)["status"] == "finished"

    run(test())


class _Held(HereWorkers):
    """Workers that wait for a sign before each answer."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Semaphore(0)

    async def ask(self, limit: float, function: Any, *args: Any, **kwargs: Any) -> Any:
        await self.go.acquire()
        return await super().ask(limit, function, *args, **kwargs)


def test_only_who_started_a_match_can_stop_it_and_its_deals_count(tmp_path: Path) -> None:
    async def test() -> None:
        workers = _Held()
        async with running(tmp_path, workers=workers) as (app, client):
            begun = await _start(client, FAST, deals=100)
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
            await _ended(client, match.id)
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

    run(test())


def test_matches_are_limited_for_a_visitor_and_for_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "MOST_RUNNING", 3)

    async def test() -> None:
        async with running(tmp_path, workers=_Held()) as (app, client):
            for _ in range(matches.MOST_PER_VISITOR):
                await _start(client)
            body = {"strategies": QUICK}
            refused = await client.post("/api/arena", json=body)
            assert (refused.status_code, "of yours are still running" in refused.text) == (
                429,
                True,
            )
            other = Client(
                transport=httpx.ASGITransport(app=app, client=("10.0.0.9", 1)),
                base_url="http://localhost",
            )
            other.server = client.server
            async with other:
                await _start(other)
                refused = await other.post("/api/arena", json=body)
                assert refused.status_code == 429
                assert "running on this server" in refused.json()["error"]

    run(test())


def test_a_match_ends_when_its_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "LONGEST", -1.0)

    async def test() -> None:
        async with running(tmp_path) as (_, client):
            begun = await _start(client)
            match = await _ended(client, begun["match"])
            assert (match.status, match.deals) == ("out of time", 0)
            shown = (await client.get(f"/arena/{match.id}")).text
            assert "No deal was finished." in shown
            result = await client.get(f"/arena/{match.id}/result.json")
            assert (result.status_code, "no deal was finished" in result.text) == (422, True)

    run(test())


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
def test_bad_settings_are_refused_in_one_line(
    fields: dict[str, Any], words: str, tmp_path: Path
) -> None:
    async def test() -> None:
        async with running(tmp_path) as (_, client):
            answer = await client.post("/api/arena", json={"strategies": QUICK} | fields)
            assert answer.status_code in (400, 422)
            error = answer.json()["error"]
            assert words in error
            assert "\n" not in error
            assert client.server.arena.recent() == []

    run(test())


def test_the_form_refuses_in_one_line_too(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as (_, client):
            for form in ({}, {"strategy": QUICK, "scoring": "laws:none"}, {"strategy": ["random"]}):
                answer = await client.post("/arena", data=form, headers={"hx-request": "true"})
                assert answer.status_code == 400
                assert len(answer.text.strip().splitlines()) == 1
            for path in ("/arena/none", "/arena/none/stream", "/api/arena/none"):
                assert (await client.get(path)).status_code == 404
            name = (await _start(client))["match"]
            await _ended(client, name)
            for path in ("deal/9", "deal/0", "deal/1?game=99"):
                assert (await client.get(f"/arena/{name}/{path}")).status_code == 404

    run(test())


def test_a_match_survives_the_server(tmp_path: Path) -> None:
    async def begin() -> tuple[str, int]:
        workers = _Held()
        async with running(tmp_path, workers=workers) as (_, client):
            match = client.server.arena.find((await _start(client, FAST, deals=50))["match"])
            while match.deals < 2:
                workers.go.release()
                await match.changed(0.01)
            return match.id, match.deals

    async def go_on(name: str, deals: int) -> None:
        async with running(tmp_path) as (_, client):
            match = await _ended(client, name)
            assert match.status == "interrupted"
            assert match.deals >= deals
            assert match.standing is not None
            assert match.standing.lines
        async with running(tmp_path) as (_, client):
            again = client.server.arena.find(name)
            assert (again.standing, again.history) == (match.standing, match.history)

    run(go_on(*run(begin())))


def test_old_matches_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MOST_KEPT", 2)

    async def test() -> None:
        async with running(tmp_path) as (_, client):
            names = []
            for _ in range(4):
                names.append((await _start(client, deals=2))["match"])
                await _ended(client, names[-1])
            kept = [one.id for one in client.server.arena.recent()]
            assert kept == [names[3], names[2]]
            assert (await client.get(f"/arena/{names[0]}")).status_code == 404
            rows = client.server.rooms.store.rows("SELECT DISTINCT match FROM arena_deals")
            assert {name for (name,) in rows} == set(kept)

    run(test())


def test_a_lost_worker_ends_the_match(tmp_path: Path) -> None:
    class Broken(HereWorkers):
        async def ask(self, limit: float, function: Any, *args: Any, **kwargs: Any) -> Any:
            raise FailedError("ended its process")

    async def test() -> None:
        async with running(tmp_path, workers=Broken()) as (_, client):
            match = await _ended(client, (await _start(client))["match"])
            assert (match.status, match.why) == ("failed", "ended its process")
            assert "ended its process" in (await client.get(f"/arena/{match.id}")).text

    run(test())


def test_the_board_shows_every_call_and_card_of_a_game(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as (_, client):
            match = await _ended(client, (await _start(client, FAST, deals=2))["match"])
            follower = Follower(match)
            assert follower.ended
            assert match.live is not None
            follower.table, follower.step = match.live.game.start, 0
            steps = 0
            while follower.advance():
                steps += 1
                board = follower.board()
                assert board is not None
                held = sum(len(side.cards) for side in board.sides)
                assert held == 52 - max(0, steps - len(board.calls))
            assert steps == len(match.live.game.events)
            assert board.result

    run(test())


def test_the_graph_holds_the_last_interval() -> None:
    match = ArenaMatch("x", Plan(("random", "pass+random"), 100), "")
    assert chart(match, 0) is None
    match.history = [(n, (Estimate(3.0, 3 - 400 / n, 3 + 400 / n),)) for n in range(2, 50)]
    match.history[0] = (2, (Estimate(5.0, None, None),))
    drawn = chart(match, 0)
    assert drawn is not None
    labels = [float(label) for _, label in drawn.levels]
    assert labels[0] <= 3 - 400 / 49
    assert labels[-1] >= 3 + 400 / 49
    heights = [float(pair.split(",")[1]) for pair in drawn.band.split()]
    assert min(heights) >= 0
    assert max(heights) <= drawn.bottom
