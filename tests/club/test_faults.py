"""The fault run in brief, and that what it looks for would be found."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.club.database import programs
from tests.club.helpers import run, running
from tools.faults import people
from tools.faults.checking import wrong
from tools.faults.people import Seen
from tribridge.club.core import postgres
from tribridge.club.core.room import Timing
from tribridge.club.server import jobs

ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "server killed", "worker killed", "database killed", "database restarted", "server cut off",
    "clock jumped", "server frozen", "worker frozen", "database frozen",
    "worker of another version",
}  # fmt: skip


@pytest.mark.slow
def test_nothing_is_lost_doubled_forgotten_or_stale_in_any_fault() -> None:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    command = [sys.executable, "-m", "tools.faults", "--brief", "--tables", "4", "--pace", "0.1"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert not done.returncode, f"{done.stderr}{done.stdout}"
    assert json.loads(done.stdout)["faults"].keys() >= KINDS


async def _game(folder: Path) -> tuple[Path, Seen]:
    """A deal that is passed out, as its clients saw it."""
    data, seen = folder / "play.sqlite", Seen()
    async with running(folder, data=data) as (_, client):
        body = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"], "deals": 1}
        table = (await client.post("/api/tables", json=body)).json()["table"]
        path, held = f"/api/tables/{table}", {}
        for seat in "NES":
            sat = await client.post(f"{path}/seats/{seat}", json={"name": f"P{seat}"})
            held[seat] = {"authorization": f"Bearer {sat.json()['token']}"}
        for _ in range(3):
            view: Any = (await client.get(path)).json()
            turn, at = view["turn"], view["number"]
            view = (await client.get(path, headers=held[turn])).json()
            seen.views.setdefault(table, []).append((turn, view))
            seen.tried.add((table, at, f"{turn} Pass"))
            move = {"action": "Pass", "at": at}
            answer = await client.post(f"{path}/actions", json=move, headers=held[turn])
            assert answer.status_code == 200
            seen.moves.append((table, at, turn, "Pass"))
    return data, seen


def test_what_is_wrong_in_a_history_is_found(tmp_path: Path) -> None:
    data, seen = run(_game(tmp_path))
    right = wrong(data, seen)
    assert not any(right.values())
    (table,) = seen.views
    lost = deepcopy(seen)
    lost.moves[1] = (*lost.moves[1][:3], "1NT")
    assert wrong(data, lost) == right | {"lost": 1}
    doubled = deepcopy(seen)
    doubled.tried.pop()
    assert wrong(data, doubled) == right | {"doubled": 1}
    leaked = deepcopy(seen)
    seat, view = leaked.views[table][0]
    leaked.views[table][0] = ("E" if seat == "N" else "N", view)
    assert wrong(data, leaked) == right | {"leaked": 1}
    early = deepcopy(seen)
    early.views[table][0][1]["number"] += 1
    assert wrong(data, early) == right | {"leaked": 1}


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ((7, "N"), (0, 0)),
        ((6, "N"), (1, 0)),  # older than what the reader has seen
        ((7, None), (0, 1)),  # as to a stranger
    ],
)
def test_a_view_that_is_stale_or_forgets_its_reader_is_found(
    told: tuple[int, str | None], found: tuple[int, int]
) -> None:
    views = [(7, "N", []), (7, "N", []), (*told, []), (7, "N", ["pass"])]
    asked = iter(views)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(200, json={"number": 8})
        number, seat, legal = next(asked, views[-1])
        view = {"number": number, "seat": seat, "turn": "N", "legal": legal, "deal_over": False}
        return httpx.Response(200, json=view)

    async def play() -> Seen:
        guests = people.People([1, 2], 1, 1e-9, Random(1))
        guests.ended = time.monotonic()
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            await guests._table(client, "T", {"N": {}})
        return guests.seen

    seen = run(play())
    assert (seen.stale, seen.forgotten) == found
    assert seen.moves == [("T", 7, "N", "pass")]


def test_waits_that_can_follow_each_other_are_shorter_than_what_people_wait_at_most() -> None:
    page = people.SILENT + people.AGAIN
    script = (ROOT / "src/tribridge/club/static/outbox.js").read_text("utf-8")
    assert f"xhr.timeout = {1000 * people.SILENT:.0f};" in script
    # A database that keeps silent: the connection is cut, the next one is not made.
    cut = postgres._SILENT + postgres._LOOK + postgres._PATIENCE + postgres._REST
    assert page + cut < people.LONG
    # A frozen server has the bots, and the worker that the next one asks is frozen, too.
    lapsed = postgres._LEASE + Timing().retry
    assert lapsed + jobs._UNTAKEN + jobs._LOST < people.LONG
