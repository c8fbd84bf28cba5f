"""A real server: killed in the middle of a deal, it goes on; what a second one is told."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.club.live import Live, wait_for
from tests.library.cli.helpers import COMMAND, refusal


def _bid_and_play(client: httpx.Client, table: str, me: dict[str, str], actions: int) -> int:
    """So many actions of one seat; the number of the last event that was acknowledged."""
    number = 0
    for _ in range(actions):
        view = wait_for(client, table, me)
        if view["deal_over"]:
            break
        legal = view["legal"]
        first = legal[1] if not view["calls"] or set(view["calls"]) == {"Pass"} else legal[0]
        action = first if view["contract"] is None else legal[0]
        body = {"action": action, "at": view["number"]}
        answer = client.post(f"/api/tables/{table}/actions", json=body, headers=me)
        assert answer.status_code == 200, answer.text
        number = answer.json()["number"]
    return number


@pytest.mark.full
def test_killed_in_the_middle_of_a_deal_every_table_goes_on(tmp_path: Path) -> None:
    with Live(tmp_path / "play.sqlite") as live:
        tables = {}
        with httpx.Client(base_url=live.address, timeout=300) as client:
            for n in range(3):
                body = {"strategies": ["pass+random"] * 3, "seed": n, "deals": 1}
                table = client.post("/api/tables", json=body).json()["table"]
                token = client.post(f"/api/tables/{table}/seats/S", json={}).json()["token"]
                me = {"authorization": f"Bearer {token}"}
                tables[table] = (me, _bid_and_play(client, table, me, 3 + 2 * n))
            strategies = client.post(
                "/watch", data={"scoring": "auction", "deals": "3", "other": "pass+random"}
            )
            watched = strategies.headers["location"].rpartition("/")[2]
            seen = {
                t: client.get(f"/api/tables/{t}", headers=me).json()
                for t, (me, _) in tables.items()
            }
        live.kill()

        # What was acknowledged is on disk, numbered without a gap.
        database = sqlite3.connect(tmp_path / "play.sqlite")
        for table, (_, number) in tables.items():
            numbers = [
                row[0]
                for row in database.execute(
                    "SELECT number FROM events WHERE tab = ? ORDER BY number", (table,)
                )
            ]
            assert numbers == list(range(1, len(numbers) + 1))
            assert len(numbers) >= number
        database.close()

        live.start()
        with httpx.Client(base_url=live.address, timeout=300) as client:
            for table, (me, number) in tables.items():
                view = wait_for(client, table, me)  # the token still holds the seat
                assert view["number"] >= max(number, seen[table]["number"])
                assert set(view["hand"]) <= set(seen[table]["hand"])
                assert view["calls"][: len(seen[table]["calls"])] == seen[table]["calls"]
                _bid_and_play(client, table, me, 40)
                assert client.get(f"/api/tables/{table}", headers=me).json()["over"]
            until = time.monotonic() + 300
            while not client.get(f"/api/tables/{watched}").json()["over"]:  # goes on by itself
                assert time.monotonic() < until, "the table of strategies has stopped"
                time.sleep(0.02)
        assert live.stop() == 0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for the tests that leave it as it is."""
    with Live(tmp_path_factory.mktemp("running") / "play.sqlite") as live:
        yield live


@pytest.mark.slow
def test_a_server_that_stops_hangs_up_on_streams_without_a_word(tmp_path: Path) -> None:
    """Uvicorn would write a traceback for each."""
    with Live(tmp_path / "play.sqlite") as live:
        body = {"strategies": ["pass+random"] * 3, "open": ["N"], "deals": 1}
        with httpx.Client(base_url=live.address, timeout=300) as client:
            path = f"/api/tables/{client.post('/api/tables', json=body).json()['table']}"
            with client.stream("GET", f"{path}/events") as stream:
                updates = stream.iter_text()
                next(updates)
                assert live.stop() == 0
    assert live.complaints == ""


@pytest.mark.slow
def test_requests_that_never_end_take_no_descriptor_that_a_server_needs(tmp_path: Path) -> None:
    few = ("sh", "-c", 'ulimit -n 300; exec "$0" "$@"', COMMAND)
    with ExitStack() as stack, Live(tmp_path / "play.sqlite", command=few) as live:
        for _ in range(500):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", live.port)))
            half.sendall(b"GET / HT")
        assert httpx.get(f"{live.address}/health", timeout=300).status_code == 200
        assert live.stop() == 0
    assert live.complaints == ""


@pytest.mark.slow
def test_a_stream_catches_up_by_event_number(running: Live) -> None:
    with httpx.Client(base_url=running.address, timeout=300) as client:
        body = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"], "seed": 1}
        table = client.post("/api/tables", json=body).json()["table"]
        seats = {
            letter: {
                "authorization": "Bearer "
                + client.post(f"/api/tables/{table}/seats/{letter}", json={}).json()["token"]
            }
            for letter in "NES"
        }
        number = client.get(f"/api/tables/{table}").json()["number"]
        for letter, call in (("N", "1C"), ("E", "1D"), ("S", "1H")):
            client.post(
                f"/api/tables/{table}/actions",
                json={"action": call, "at": number},
                headers=seats[letter],
            )
            number += 1
        path = f"/api/tables/{table}/events"

        def first(after: int) -> tuple[int, dict[str, object], str]:
            headers = seats["N"] | {"last-event-id": str(after)}
            event, found, told = 0, {}, ""
            with client.stream("GET", path, headers=headers) as answer:
                for line in answer.iter_lines():
                    if line.startswith("id: "):
                        event = int(line[4:])
                    if line.startswith("data: {"):
                        found = json.loads(line[6:])
                    elif line.startswith("data: "):
                        told = line[6:]
                        break
            return event, found, told

        event, view, told = first(number - 2)
        assert event == number == view["number"]
        assert view["calls"] == ["1C", "1D", "1H"]
        assert told == "East calls 1♦. South calls 1♥."  # and not what was heard before
        event, view, told = first(number - 1)
        assert told == "South calls 1♥."


@pytest.mark.slow
def test_what_a_second_server_is_told(running: Live, tmp_path: Path) -> None:
    message = refusal(
        "play", "--no-browser", "--port", str(running.port), "--data", str(tmp_path / "b")
    )
    assert "--port" in message
    message = refusal("play", "--no-browser", "--port", "0", "--data", str(running.data))
    assert "another server" in message


@pytest.mark.slow
def test_wrong_settings_are_refused_in_one_line(tmp_path: Path) -> None:
    data = ("--no-browser", "--data", str(tmp_path / "x"))
    assert "'--port'" in refusal("play", "--port", "99999", *data)
    assert "--think must be" in refusal("play", "--think", "0", *data)
    assert "--think must be" in refusal("play", "--think", "nan", *data)
    assert "seed" in refusal("play", "--seed", "-1", *data)
    assert "--host" in refusal("play", "--port", "0", "--host", "nobody.invalid", *data)
    broken = tmp_path / "broken"
    broken.write_text("this is no database, whatever it is called" * 30)
    assert "Tribridge table file" in refusal(
        "play", "--port", "0", "--no-browser", "--data", str(broken)
    )


def test_a_server_starts_without_statistics_and_compilers() -> None:
    """Start-up cost is guarded by what is loaded, not by a clock."""
    script = (
        "import sys, tribridge.club.app, tribridge.club.run\n"
        "print(sorted({'numba', 'scipy.stats', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.slow
def test_a_host_for_others_says_what_that_means(tmp_path: Path) -> None:
    live = Live(tmp_path / "play.sqlite", "--host", "0.0.0.0")
    live.start()
    assert live.process is not None
    assert live.process.stderr is not None
    line = live.process.stderr.readline()
    live.stop()
    assert "reach this machine" in line
