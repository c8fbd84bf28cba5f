"""Faults: people play at two servers with two workers and one PostgreSQL while things go wrong.

    python -m tools.faults [--tables 100] [--seconds 240] [--pace 3] [--seed 1]

At each table three people play, each request goes to either server, and what fails is sent again,
as a page does; some moves go to both servers at the same moment. Meanwhile, at random: a server or
a worker is killed, or frozen for a while (SIGSTOP), the database restarts or is frozen, one server
is cut off from it, its disk is full, the clock of a server jumps by an hour, a worker of another
version joins. One table in four has a bot. At the end, every move that was acknowledged is in its
place, none is there that was not sent there, every view that was sent is what that seat may see
after those events and shows no other card, none was older than what its reader had been told
before, and every table goes on.

The database listens on the loopback address; a proxy before it drops what it should. A full disk
needs the right to mount (a small `tmpfs`); without it this fault is left out, and the figures say
so. A clock jumps where a server reads it: `time.time` (a library that shifts it for the whole
process, such as Debian's `faketime`, disturbs the locks of the interpreter).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import psycopg

from tests.club.database import Database
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act, NextDeal, states
from tribridge.club.core.open_store import open_store
from tribridge.club.core.state import State
from tribridge.club.view.table import SeatView, seat_view
from tribridge.common import codec
from tribridge.game import record_of

_PATIENCE = 90.0
"""Seconds that a table may stand still after a fault before it counts as stuck."""
_FROM_ONE = 10
"""Tables that one address opens."""
_TWICE = 0.1
"""How often a move is sent to both servers at the same moment."""
_VIEWS = 40
"""Views of a table that are kept and checked."""


@dataclass
class Seen:
    """What the visitors saw."""

    moves: list[tuple[str, int, str, str]] = field(default_factory=list)
    """Acknowledged: table, the event before, seat, action."""
    tried: set[tuple[str, int, str]] = field(default_factory=set)
    """Sent, once or more: table, the event before, the seat and action or `next`."""
    views: dict[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    refused: Counter[int] = field(default_factory=Counter)
    pause: float = 0.0
    stale: int = 0
    """Views that were older than what their reader had seen or done before."""
    stuck: list[str] = field(default_factory=list)


class Proxy:
    """Passes on what a server and the database say to each other, or drops it."""

    def __init__(self, port: int) -> None:
        self.target, self.port, self.cut = port, _free_port(), False
        self.server: asyncio.Server | None = None

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(
                self._pass(reader, far_writer),
                self._pass(far_reader, writer),
                return_exceptions=True,
            )

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                while self.cut:  # a network holds nothing back for ever: TCP sends again
                    await asyncio.sleep(0.1)
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


CLOCKED = """
import sys, time
from pathlib import Path
clock, real = Path(sys.argv.pop(1)), time.time
time.time = lambda: real() + float(clock.read_text() or 0)
from tribridge.cli import main
main()
"""
"""Runs a command with a clock that is wrong by the seconds in a file."""
OTHER = """
import sys
sys.argv.pop(1)
import tribridge
tribridge.__version__ = "0.0.1"
from tribridge.cli import main
main()
"""
"""Runs a command as a program of another version."""


class Program:
    """A server or a worker: a process that is started again when it was killed."""

    def __init__(self, words: list[str], clock: Path, script: str = CLOCKED) -> None:
        self.words, self.clock, self.script = words, clock, script
        clock.write_text("0")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", self.script, str(self.clock), *self.words]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)

    def signal(self, number: int) -> None:
        """Send a signal to it and to the processes that it started."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def kill(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Play:
    """People at tables, and what goes wrong."""

    def __init__(self, folder: Path, options: argparse.Namespace, stack: ExitStack) -> None:
        self.options, self.rng, self.seen = options, Random(options.seed), Seen()
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()
        small = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "none", str(self.disk)]
        self.small = subprocess.run(small, check=False, capture_output=True).returncode == 0
        if self.small:
            stack.callback(subprocess.run, ["umount", str(self.disk)], check=False)
        self.port = _free_port()
        self.database = Database(self.disk)
        self.database.start(port=self.port)
        stack.callback(self.database.stop)
        self.proxies = [Proxy(self.port) for _ in range(2)]
        self.ports = [_free_port(), _free_port()]
        urls = [f"postgresql://tribridge@127.0.0.1:{proxy.port}/postgres" for proxy in self.proxies]
        self.url = f"postgresql://tribridge@127.0.0.1:{self.port}/postgres"
        quick = ["--no-browser", "--pace", "0.2", "--workers", "1"]
        self.servers = [
            Program(["play", "--store", url, "--port", str(port), *quick], folder / f"clock-{port}")
            for url, port in zip(urls, self.ports, strict=True)
        ]
        think = ["worker", "--processes", "1", "--store"]
        self.workers = [
            Program([*think, url], folder / f"clock-worker-{number}")
            for number, url in enumerate(urls)
        ]
        self.stranger = Program([*think, urls[0]], folder / "clock-stranger", OTHER)
        for program in (*self.servers, *self.workers, self.stranger):
            stack.callback(program.kill)
        self.ended = False

    async def run(self) -> None:
        for proxy in self.proxies:
            await proxy.start()
        for program in (*self.servers, *self.workers):
            program.start()
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tables:
            async with asyncio.TaskGroup() as opening:
                for first in range(0, self.options.tables, _FROM_ONE):
                    local = f"127.0.0.{first // _FROM_ONE + 2}"
                    transport = httpx.AsyncHTTPTransport(local_address=local)
                    client = httpx.AsyncClient(timeout=15, transport=transport)
                    await stack.enter_async_context(client)
                    numbers = range(first, min(first + _FROM_ONE, self.options.tables))
                    opening.create_task(self._open(client, numbers, tables))
            await self._break()
            self.ended = True

    async def _open(
        self, client: httpx.AsyncClient, numbers: range, tables: asyncio.TaskGroup
    ) -> None:
        """Open the tables of an address, and let people play there."""
        for number in numbers:
            opened = await self._opened(client, number)
            tables.create_task(self._table(client, *opened))

    async def _ask(self, client: httpx.AsyncClient, method: str, path: str, **more: Any) -> Any:
        """Ask either server until one answers something final."""
        while True:
            port = self.rng.choice(self.ports)
            with suppress(httpx.HTTPError):
                answer = await client.request(method, f"http://127.0.0.1:{port}{path}", **more)
                if answer.status_code < 400 or answer.status_code == 409:
                    return answer
                self.seen.refused[answer.status_code] += 1
                if answer.status_code not in (403, 404, 410, 422, 429, 503):
                    raise AssertionError(f"{path}: {answer.status_code} {answer.text}")
                if answer.status_code in (403, 410, 422):  # somebody else's turn by then; damaged
                    return answer
            await asyncio.sleep(0.5)

    async def _opened(
        self, client: httpx.AsyncClient, number: int
    ) -> tuple[str, dict[str, dict[str, str]]]:
        people = "NES" if number % 4 else "NE"
        body = {"strategies": ["points+maxims"] * 3, "open": list(people), "deals": 99}
        table = (await self._ask(client, "POST", "/api/tables", json=body)).json()["table"]
        seats = {}
        for seat in people:
            path = f"/api/tables/{table}/seats/{seat}"
            answer = await self._ask(client, "POST", path, json={"name": seat})
            if answer.status_code != 201:  # an answer was lost, and the token with it
                return await self._opened(client, number)
            seats[seat] = {"authorization": f"Bearer {answer.json()['token']}"}
        return table, seats

    async def _table(
        self, client: httpx.AsyncClient, table: str, seats: dict[str, dict[str, str]]
    ) -> None:
        """The people of a table play until everything has been tried, and then one move more."""
        path, last, final = f"/api/tables/{table}", time.monotonic(), 0.0
        kept, known = self.seen.views.setdefault(table, []), 0
        while True:
            await asyncio.sleep(self.rng.expovariate(1 / self.options.pace))
            seat = self.rng.choice(list(seats))
            seen = {"Last-Event-ID": str(known)}
            answer = await self._ask(client, "GET", path, headers=seats[seat] | seen)
            if answer.status_code == 410:  # damaged
                self.seen.stuck.append(table)
                return
            view = answer.json()
            self.seen.stale += view["number"] < known or view["seat"] != seat
            known = max(known, view["number"])
            if len(kept) < _VIEWS or self.rng.random() < 0.05:
                kept.append((seat, view))
            now = time.monotonic()
            final = final or (now if self.ended else 0.0)
            if now - last > _PATIENCE and self.ended:
                self.seen.stuck.append(table)
                return
            turn = view["turn"] if view["turn"] in seats else None
            if view["deal_over"]:
                body = {"at": view["number"]}
                self.seen.tried.add((table, view["number"], "next"))
                await self._ask(client, "POST", f"{path}/next", json=body, headers=seats[seat])
                continue
            if turn is None:
                continue
            view = (await self._ask(client, "GET", path, headers=seats[turn])).json()
            if not view.get("legal"):
                continue
            action, at = self._chosen(view["legal"]), view["number"]
            body = {"action": action, "at": at}
            self.seen.tried.add((table, at, f"{turn} {action}"))
            send = partial(
                self._ask, client, "POST", f"{path}/actions", json=body, headers=seats[turn]
            )
            twice = 1 + (self.rng.random() < _TWICE)
            answers = await asyncio.gather(*(send() for _ in range(twice)))
            moved = min(answers, key=lambda one: one.status_code)
            if moved.status_code != 200:
                continue
            known = max(known, moved.json()["number"])
            self.seen.moves.append((table, at, turn, action))
            self.seen.pause = max(self.seen.pause, time.monotonic() - last)
            last = time.monotonic()
            if final:
                return

    def _chosen(self, legal: list[str]) -> str:
        return "pass" if "pass" in legal and self.rng.random() < 0.7 else self.rng.choice(legal)

    async def _break(self) -> None:
        """One fault after the other, with time in between to recover."""
        kinds: list[Callable[[], Coroutine[Any, Any, None]]] = [
            self.server_killed, self.worker_killed, self.database_restarted, self.server_cut_off,
            self.clock_jumped, self.server_frozen, self.worker_frozen, self.database_frozen,
            self.worker_of_another_version,
        ]  # fmt: skip
        kinds += [self.disk_full] if self.small else []
        until, waiting = time.monotonic() + self.options.seconds, list[Any]()
        while time.monotonic() < until:
            if not waiting:
                waiting = self.rng.sample(kinds, len(kinds))
            await asyncio.sleep(self.rng.uniform(3, 8))
            fault = waiting.pop()
            self.seen.faults[fault.__name__.replace("_", " ")] += 1
            await fault()
            print(f"{fault.__name__}: {len(self.seen.moves)} moves so far", file=sys.stderr)
            await self._supervise()
        await asyncio.sleep(5)
        await self._supervise()

    async def _supervise(self) -> None:
        """Start a database that has given up, as a supervisor would."""
        process = self.database.process
        if process is None or process.poll() is not None:
            await asyncio.to_thread(self.database.start, port=self.port)

    async def server_killed(self) -> None:
        server = self.rng.choice(self.servers)
        server.kill()
        await asyncio.sleep(self.rng.uniform(0, 3))
        server.start()

    async def worker_killed(self) -> None:
        worker = self.rng.choice(self.workers)
        worker.kill()
        await asyncio.sleep(self.rng.uniform(0, 5))
        worker.start()

    async def server_frozen(self) -> None:
        await self._frozen(self.rng.choice(self.servers).signal, self.rng.uniform(5, 15))

    async def worker_frozen(self) -> None:
        await self._frozen(self.rng.choice(self.workers).signal, self.rng.uniform(5, 15))

    async def database_frozen(self) -> None:
        await self._frozen(self._signal_database, self.rng.uniform(1, 8))

    async def _frozen(self, send: Callable[[int], None], seconds: float) -> None:
        send(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        send(signal.SIGCONT)

    def _signal_database(self, number: int) -> None:
        """Send a signal to the database and to the processes of its connections."""
        process = self.database.process
        if process is None:
            return
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for text in (str(process.pid), *children.read_text().split()):
            with suppress(ProcessLookupError):
                os.kill(int(text), number)

    async def worker_of_another_version(self) -> None:
        self.stranger.kill()
        self.stranger.start()

    async def database_restarted(self) -> None:
        kill = self.rng.random() < 0.5
        await asyncio.to_thread(self.database.stop, kill=kill)
        await asyncio.sleep(self.rng.uniform(0, 3))
        await asyncio.to_thread(self.database.start, port=self.port)

    async def server_cut_off(self) -> None:
        proxy = self.rng.choice(self.proxies)
        proxy.cut = True
        await asyncio.sleep(self.rng.uniform(1, 12))
        proxy.cut = False

    async def disk_full(self) -> None:
        filler = self.disk / "filler"
        with suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        await asyncio.sleep(self.rng.uniform(2, 6))
        filler.unlink()

    async def clock_jumped(self) -> None:
        self.rng.choice(self.servers).clock.write_text(self.rng.choice(("-3600", "0", "3600")))


def wrong(url: str, seen: Seen) -> dict[str, int]:
    """Moves that were lost or that nobody sent (once), and views that were not the seat's own."""
    store, found = open_store(url), Counter({"lost": 0, "doubled": 0, "leaked": 0, "damaged": 0})
    for table, at, seat, action in seen.moves:
        query = "SELECT body FROM events WHERE tab = ? AND number = ?"
        rows = store.rows(query, table, at + 1)
        body = json.loads(rows[0][0]) if rows else {}
        found["lost"] += (body.get("seat"), body.get("action")) != (seat, action)
    for table, views in seen.views.items():
        try:
            after = list(states(store.events(table)))
        except ValueError:  # events are missing
            found["damaged"] += 1
            continue
        for at, (event, state) in enumerate(after):
            sent = "next" if isinstance(event, NextDeal) else ""
            if isinstance(event, Act) and state.places[event.seat].person:
                sent = f"{event.seat.letter} {event.action}"
            found["doubled"] += bool(sent) and (table, at, sent) not in seen.tried
        for letter, view in views:
            state, viewer = after[view["number"] - 1][1], Seat(letter)
            right = codec.plain(seat_view(table, state, viewer), SeatView) == view
            found["leaked"] += not right or not _visible(state, viewer).issuperset(_cards(view))
    store.close()
    return dict(found)


def _cards(view: dict[str, Any]) -> set[str]:
    """The cards that a view shows."""
    tricks = [card for trick in view["tricks"] for card in trick]
    legal = view["legal"] if view["contract"] else []
    return {*view["hand"], *(view["dummy"] or ()), *view["trick"], *tricks, *legal}


def _visible(state: State, seat: Seat) -> set[str]:
    """The cards that a seat may know of."""
    table = state.table
    if table is None:
        return set()
    dummy = () if table.contract is None else table.deal.hidden
    played = [action for action in record_of(table).actions if isinstance(action, Card)]
    return {card.name for card in (*table.deal.hands[seat], *dummy, *played)}


def main() -> int:
    """Play, break things, and print the figures; not 0 if anything is wrong."""
    parser = argparse.ArgumentParser(description="Faults of servers, workers and the database.")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--pace", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tb-faults-")))
        folder.chmod(0o755)
        play = Play(folder, options, stack)
        asyncio.run(play.run())
        with psycopg.connect(play.url) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM events").fetchone() or (0,)
        seen, bad = play.seen, wrong(play.url, play.seen)
    figures = {
        "tables": options.tables,
        "seconds": options.seconds,
        "faults": dict(seen.faults),
        "moves acknowledged": len(seen.moves),
        "events": rows,
        "views checked": sum(map(len, seen.views.values())),
        "refused and sent again": {str(status): n for status, n in seen.refused.items()},
        "longest pause of a table, s": round(seen.pause, 1),
        "tables that stopped": len(seen.stuck),
        "stale views": seen.stale,
        **bad,
    }
    print(json.dumps(figures, indent=2))
    return int(bool(seen.stuck or seen.stale or any(bad.values())))


if __name__ == "__main__":
    sys.exit(main())
