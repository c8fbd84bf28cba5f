"""The arena in the browser: matches run, equal those of the command, stop, and are limited."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.web.ears import Ear
from tests.web.helpers import run, running
from tests.web.matches import FAST, ended, start
from tribridge.arena.results import MatchResult, loads
from tribridge.arena.running import Playing
from tribridge.arena.work import MatchWork, recorded
from tribridge.cli import app as command_line
from tribridge.game import record
from tribridge.web.arena import matches
from tribridge.web.arena.match import SECONDS_PER_CHOICE, ArenaMatch, Ends, Plan
from tribridge.web.pages import arena as pages
from tribridge.web.pages.charts import match_chart
from tribridge.web.pages.open_hands import Follower

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The board moves as fast as it can, and games are played in many slices."""
    monkeypatch.setattr(matches, "SLICE", 0.005)
    monkeypatch.setattr(pages, "PACE", 0)
    monkeypatch.setattr(pages, "PAUSE", 0)


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
        pytest.param(
            {"strategies": FAST, "deals": 2, "seed": 3, "laws": "auction-rubber"},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["two strategies", "three, with doubles", "rubbers"],
)
def test_a_match_gives_the_numbers_of_the_command(fields: dict[str, Any], tmp_path: Path) -> None:
    async def test() -> tuple[dict[str, Any], str]:
        async with running(tmp_path) as (_, client):
            name = (await start(client, **fields))["match"]
            await ended(client, name)
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
    assert mine.origin.strategies == result.origin.strategies == mine.work.versions
    assert mine.seats == result.seats
    assert mine.contracts == result.contracts
    assert mine.tricks == result.tricks
    assert mine.points.tolist() == result.points.tolist()
    for line in state["standing"]["lines"]:
        assert line.removesuffix(".") in ". ".join(printed)
    assert [one["mean"] for one in state["standing"]["scores"]] == pytest.approx(
        result.by_deal().mean(axis=0).tolist()
    )


async def test_the_records_are_those_of_the_arena(tmp_path: Path) -> None:
    def untimed(text: str) -> list[Any]:
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            line.get("game", {}).pop("times", None)
        return lines

    async with running(tmp_path) as (_, client):
        name = (await start(client, FAST, seed=5))["match"]
        await ended(client, name)
        text = (await client.get(f"/api/arena/{name}/deals/2")).text
        assert text == (await client.get(f"/arena/{name}/deal/2/deal.jsonl")).text
        work = MatchWork(tuple(FAST), seed=5, limit=SECONDS_PER_CHOICE)
        played = gzip.decompress(Playing(work, keep=True).run((1, 2)).records).decode()
        assert untimed(text) == untimed(played)
        assert len(recorded(gzip.compress(text.encode()))) == work.games
        assert len(record.loads(text)) == work.games


async def test_the_pages_show_progress_result_and_replay(tmp_path: Path) -> None:
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
        match = await ended(client, name)
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


async def test_the_stream_brings_the_board_the_standing_and_the_end(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        begun = await start(client, FAST, deals=2)
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
        assert "same match" in text
        events = Ear()
        async with events.at(app, f"/api/arena/{begun['match']}/events", {}):
            async with asyncio.timeout(300):
                while "data: " not in "".join(events.heard):
                    await asyncio.sleep(0)
        data = events.take().split("data: ")[1].split("\n")[0]
        assert json.loads(data)["status"] == "finished"


async def test_the_board_shows_every_call_and_card_of_a_game(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        match = await ended(client, (await start(client, FAST, deals=2))["match"])
        follower = Follower(match)
        assert follower.ended
        assert match.live is not None
        follower.table, follower.step = match.live.game.start, 0
        steps = 0
        while follower.advance():
            steps += 1
            board = follower.board()
            assert board is not None
            held = sum(len(hand.cards) for hand in board.hands)
            assert held == 52 - max(0, steps - len(board.table.auction.calls))
        assert steps == len(match.live.game.choices)
        final = follower.board()
        assert final is not None
        assert final.result


def test_the_graph_holds_the_last_interval() -> None:
    match = ArenaMatch(id="x", plan=Plan(("random", "pass+random")), key="")
    assert match_chart(match, 0) is None
    match.history = [(n, (Ends(3.0, 3 - 400 / n, 3 + 400 / n),)) for n in range(2, 50)]
    match.history[0] = (2, (Ends(5.0, None, None),))
    drawn = match_chart(match, 0)
    assert drawn is not None
    labels = [float(label) for _, label in drawn.levels]
    assert labels[0] <= 3 - 400 / 49
    assert labels[-1] >= 3 + 400 / 49
    heights = [height for _, height in drawn.band]
    assert min(heights) >= 0
    assert max(heights) <= drawn.plot.height - drawn.plot.bottom
