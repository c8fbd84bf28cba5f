"""Faults: people play at two servers with two workers and one PostgreSQL while things go wrong.

    python -m tools.faults [--tables 100] [--seconds 1800] [--pace 3] [--seed 1] [--brief]

At each table three people play, each request goes to either server, and what fails, or is not
answered for some seconds, is sent again to the other, as a page and a proxy do; some moves are sent
twice at the same moment, and sometimes two different ones. Meanwhile, at random: a server or a
worker is killed, or frozen for a while (SIGSTOP), the database is killed, restarts or is frozen,
one server is cut off from it, its disk is full, the clock of a server jumps by an hour, a worker of
another version joins. One table in four has a bot.

What each client saw is kept and compared with what is stored. Every move that was acknowledged is
in its place (none is *lost*), none is there that was not sent there (*doubled*), nobody who holds a
seat was taken for a stranger (*forgotten*), no view was older than what its reader had been told
before (*stale*), every view is what that seat may see after those events and shows no other card
(else it is *leaked*), and every table goes on.

How long people wait for their next move is measured from the last one, without the time in which
they think themselves. The longest waits are printed with what they were spent on: answers, refusals
and silence of either server, and the bots' turns.

With `--brief`, every kind of fault comes once, for about a second, and the next one when people
have played on: it takes half a minute, and is among the tests.

The database listens on the loopback address; a proxy before it drops what it should. A full disk
needs the right to mount (a small `tmpfs`); without it this fault is left out, and the figures say
so. Meanwhile the database has to begin new files of its log, which ends it: a supervisor starts it
again. A clock jumps where a server reads it: `time.time` (a library that shifts it for the whole
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
from math import inf
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
_LONG = 20.0
"""Seconds that people wait at most for their next move."""
_SILENT = 6.0
"""Seconds after which a page sends a move again that has no answer (`static/outbox.js`)."""
_AGAIN = 0.5
"""Seconds before what was refused is sent again."""
_LOOK = 1.0
"""Seconds between two looks at a table whose bots are to act."""
_SHOWN = 8
"""Waits that are printed."""
_STARTS = 60.0
"""Seconds until the servers answer."""
_NOBODY = "not seated"
"""What a stranger is told who acts."""
_BRIEFLY = 0.15
"""How much shorter faults are in brief."""
_FILES = 20
"""More files of a log than a database keeps in reserve."""
_VIEWS = 40
"""Views of a table that are kept and checked."""


@dataclass
class Wait:
    """How long the people of a table waited for their next move."""

    begun: float
    thought: float = 0.0
    """Seconds in which they thought."""
    spent: Counter[str] = field(default_factory=Counter)
    """Seconds by what passed meanwhile."""
    seconds: float = 0.0
    faults: tuple[str, ...] = ()
    """What went wrong meanwhile, or just before."""

    def __str__(self) -> str:
        spent = (f"{what} {time:.1f} s" for what, time in self.spent.most_common(4) if time > 0.1)
        faults = ", ".join(self.faults) or "no fault"
        return f"{self.seconds:.1f} s, {faults}: {', '.join(spent)}"


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
    waits: list[Wait] = field(default_factory=list)
    """The longest waits for a next move."""
    slow: int = 0
    """Waits of more than `_LONG` seconds."""
    forgotten: int = 0
    """Answers to the holder of a seat as to a stranger."""
    stale: int = 0
    """Views that were older than what their reader had seen or done before."""
    stuck: list[str] = field(default_factory=list)


class StuckError(Exception):
    """A table does not go on though nothing has gone wrong for long."""


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
        self.broken: list[tuple[float, float, str]] = []
        """When each fault began and ended, and its kind."""
        self.ended = 0.0
        """When there were no more faults."""

    async def run(self) -> None:
        for proxy in self.proxies:
            await proxy.start()
        for program in (*self.servers, *self.workers):
            program.start()
        await self._started()
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tables:
            async with asyncio.TaskGroup() as opening:
                for first in range(0, self.options.tables, _FROM_ONE):
                    local = f"127.0.0.{first // _FROM_ONE + 2}"
                    transport = httpx.AsyncHTTPTransport(local_address=local)
                    client = httpx.AsyncClient(timeout=_SILENT, transport=transport)
                    await stack.enter_async_context(client)
                    numbers = range(first, min(first + _FROM_ONE, self.options.tables))
                    opening.create_task(self._open(client, numbers, tables))
            await self._break()
            self.ended = time.monotonic()

    async def _started(self) -> None:
        """Wait until the servers answer."""
        until = time.monotonic() + _STARTS
        async with httpx.AsyncClient(timeout=5) as client:
            for port in self.ports:
                while time.monotonic() < until:
                    with suppress(httpx.HTTPError):
                        if (await client.get(f"http://127.0.0.1:{port}/health")).is_success:
                            break
                    await asyncio.sleep(0.1)

    async def _open(
        self, client: httpx.AsyncClient, numbers: range, tables: asyncio.TaskGroup
    ) -> None:
        """Open the tables of an address, and let people play there."""
        for number in numbers:
            opened = await self._opened(client, number)
            tables.create_task(self._play_on(client, *opened))

    async def _play_on(self, client: httpx.AsyncClient, table: str, seats: Any) -> None:
        try:
            await self._table(client, table, seats)
        except StuckError:
            self.seen.stuck.append(table)

    async def _ask(
        self, client: httpx.AsyncClient, method: str, path: str, wait: Wait, **more: Any
    ) -> Any:
        """Ask either server, then the other in turn, until one answers something final."""
        at = self.rng.randrange(len(self.ports))
        while not self._given_up(time.monotonic()):
            url, begun, what = f"http://127.0.0.1:{self.ports[at]}{path}", time.monotonic(), ""
            try:
                answer = await client.request(method, url, **more)
                what = str(answer.status_code)
                if answer.status_code < 400 or answer.status_code == 409:
                    return answer
                self.seen.refused[answer.status_code] += 1
                if answer.status_code not in (403, 404, 410, 422, 429, 503):
                    raise AssertionError(f"{path}: {answer.status_code} {answer.text}")
                self.seen.forgotten += _NOBODY in answer.text
                if answer.status_code in (403, 410, 422):  # somebody else's turn by then; damaged
                    return answer
            except httpx.HTTPError as error:
                what = type(error).__name__
            finally:
                wait.spent[f"{method} {what}"] += time.monotonic() - begun  # type: ignore[assignment]
            at = (at + 1) % len(self.ports)
            await asyncio.sleep(_AGAIN)
            wait.spent["sending again"] += _AGAIN  # type: ignore[assignment]
        raise StuckError

    def _given_up(self, since: float) -> bool:
        """Whether nothing has gone wrong for long, and still nothing is as it was `since` then."""
        return bool(self.ended) and time.monotonic() - max(since, self.ended) > _PATIENCE

    async def _opened(
        self, client: httpx.AsyncClient, number: int
    ) -> tuple[str, dict[str, dict[str, str]]]:
        people = "NES" if number % 4 else "NE"
        body = {"strategies": ["points+maxims"] * 3, "open": list(people), "deals": 99}
        wait = Wait(time.monotonic())
        table = (await self._ask(client, "POST", "/api/tables", wait, json=body)).json()["table"]
        seats = {}
        for seat in people:
            path = f"/api/tables/{table}/seats/{seat}"
            answer = await self._ask(client, "POST", path, wait, json={"name": seat})
            if answer.status_code != 201:  # an answer was lost, and the token with it
                return await self._opened(client, number)
            seats[seat] = {"authorization": f"Bearer {answer.json()['token']}"}
        return table, seats

    async def _table(
        self, client: httpx.AsyncClient, table: str, seats: dict[str, dict[str, str]]
    ) -> None:
        """The people of a table play until everything has been tried, and then one move more."""
        path, wait = f"/api/tables/{table}", Wait(time.monotonic())
        kept, known, ended = self.seen.views.setdefault(table, []), 0, False
        for_bots = False
        while True:
            pause = _LOOK if for_bots else self.rng.expovariate(1 / self.options.pace)
            await asyncio.sleep(pause)
            wait.thought += 0.0 if for_bots else pause
            wait.spent["bots' turn"] += pause if for_bots else 0.0  # type: ignore[assignment]
            seat = self.rng.choice(list(seats))
            seen = {"Last-Event-ID": str(known)}
            answer = await self._ask(client, "GET", path, wait, headers=seats[seat] | seen)
            if answer.status_code == 410 or self._given_up(wait.begun):  # or nothing happens
                raise StuckError
            view = answer.json()
            self.seen.forgotten += view["seat"] != seat
            self.seen.stale += view["number"] < known
            known, ended = max(known, view["number"]), bool(self.ended)
            if len(kept) < _VIEWS or self.rng.random() < 0.05:
                kept.append((seat, view))
            if view["deal_over"]:
                body = {"at": view["number"]}
                self.seen.tried.add((table, view["number"], "next"))
                await self._ask(
                    client, "POST", f"{path}/next", wait, json=body, headers=seats[seat]
                )
                continue
            for_bots = view["turn"] not in seats
            if for_bots:
                continue
            moved = await self._move(client, table, view["turn"], seats[view["turn"]], wait)
            if not moved:
                continue
            known = max(known, moved)
            self._waited(wait)
            wait = Wait(time.monotonic())
            if ended:
                return

    def _waited(self, wait: Wait) -> None:
        """A move has been made: keep the wait for it if it was long."""
        waits, now = self.seen.waits, time.monotonic()
        wait.seconds = now - wait.begun - wait.thought
        self.seen.slow += wait.seconds > _LONG
        if len(waits) < _SHOWN or wait.seconds > waits[-1].seconds:
            near = (kind for _, end, kind in self.broken if end > wait.begun - _SILENT)
            wait.faults = tuple(near)
            waits.append(wait)
            waits.sort(key=lambda one: -one.seconds)
            del waits[_SHOWN:]

    async def _move(
        self,
        client: httpx.AsyncClient,
        table: str,
        turn: str,
        headers: dict[str, str],
        wait: Wait,
    ) -> int:
        """One player acts, sometimes twice at the same moment; the event of it, 0 if of none."""
        path = f"/api/tables/{table}"
        view = (await self._ask(client, "GET", path, wait, headers=headers)).json()
        if not view.get("legal"):
            return 0
        at, legal = view["number"], view["legal"]
        chosen = [self._chosen(legal)]
        if self.rng.random() < _TWICE:
            kind = self.rng.choice(("one move sent twice at once", "two moves sent at once"))
            self.seen.faults[kind] += 1
            chosen.append(chosen[0] if kind.startswith("one") else self.rng.choice(legal))
        for action in chosen:
            self.seen.tried.add((table, at, f"{turn} {action}"))
        send = partial(self._ask, client, "POST", f"{path}/actions", wait, headers=headers)
        answers = await asyncio.gather(
            *(send(json={"action": action, "at": at}) for action in chosen)
        )
        number = 0
        for action, answer in zip(chosen, answers, strict=True):
            if answer.status_code == 200:
                self.seen.moves.append((table, at, turn, action))
                number = max(number, answer.json()["number"])
        return number

    def _chosen(self, legal: list[str]) -> str:
        return "pass" if "pass" in legal and self.rng.random() < 0.7 else self.rng.choice(legal)

    async def _break(self) -> None:
        """One fault after the other, with time in between to recover."""
        kinds: list[Callable[[], Coroutine[Any, Any, None]]] = [
            self.server_killed, self.worker_killed, self.database_killed, self.database_restarted,
            self.server_cut_off, self.clock_jumped, self.server_frozen, self.worker_frozen,
            self.database_frozen, self.worker_of_another_version,
        ]  # fmt: skip
        kinds += [self.disk_full] if self.small else []
        until, waiting = time.monotonic() + self.options.seconds, list[Any]()
        if self.options.brief:
            until, waiting = inf, self.rng.sample(kinds, len(kinds))
        while time.monotonic() < until and (waiting or not self.options.brief):
            waiting = waiting or self.rng.sample(kinds, len(kinds))
            await self._rest()
            fault, begun = waiting.pop(), time.monotonic()
            kind = fault.__name__.replace("_", " ")
            self.seen.faults[kind] += 1
            self.broken.append((begun, inf, kind))
            await fault()
            await self._supervise()
            self.broken[-1] = (begun, time.monotonic(), kind)
            lasted = time.monotonic() - begun
            moves = f"{len(self.seen.moves)} moves so far"
            print(f"{kind}, for {lasted:.1f} s: {moves}", file=sys.stderr)
        await self._rest()
        await self._supervise()

    async def _rest(self) -> None:
        """Some time to recover; in brief, until people have played on."""
        before, until = len(self.seen.moves), time.monotonic() + _PATIENCE
        if not self.options.brief:
            await asyncio.sleep(self.rng.uniform(3, 8))
        while self.options.brief and len(self.seen.moves) < before + self.options.tables:
            if time.monotonic() > until:  # the tables say so in the end
                return
            await asyncio.sleep(0.1)

    async def _while(self, low: float, high: float) -> None:
        """As long as a fault lasts."""
        await asyncio.sleep(self.rng.uniform(low, high) * (_BRIEFLY if self.options.brief else 1))

    async def _supervise(self) -> None:
        """Start a database that has given up, as a supervisor would."""
        process = self.database.process
        if process is None or process.poll() is not None:
            await asyncio.to_thread(self.database.start, port=self.port)

    async def server_killed(self) -> None:
        server = self.rng.choice(self.servers)
        server.kill()
        await self._while(0, 3)
        server.start()

    async def worker_killed(self) -> None:
        worker = self.rng.choice(self.workers)
        worker.kill()
        await self._while(0, 5)
        worker.start()

    async def server_frozen(self) -> None:
        await self._frozen(self.rng.choice(self.servers).signal, 5, 15)

    async def worker_frozen(self) -> None:
        await self._frozen(self.rng.choice(self.workers).signal, 5, 15)

    async def database_frozen(self) -> None:
        await self._frozen(self._signal_database, 1, 8)

    async def _frozen(self, send: Callable[[int], None], low: float, high: float) -> None:
        send(signal.SIGSTOP)
        await self._while(low, high)
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

    async def database_killed(self) -> None:
        await self._database_away(kill=True)

    async def database_restarted(self) -> None:
        await self._database_away(kill=False)

    async def _database_away(self, *, kill: bool) -> None:
        await asyncio.to_thread(self.database.stop, kill=kill)
        await self._while(0, 3)
        await asyncio.to_thread(self.database.start, port=self.port)

    async def server_cut_off(self) -> None:
        proxy = self.rng.choice(self.proxies)
        proxy.cut = True
        await self._while(1, 12)
        proxy.cut = False

    async def disk_full(self) -> None:
        filler = self.disk / "filler"
        with suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        await asyncio.to_thread(self._begin_files)
        await self._while(2, 6)
        filler.unlink()

    def _begin_files(self) -> None:
        """Make the database need more files than it has."""
        with suppress(psycopg.Error), psycopg.connect(self.url, autocommit=True) as connection:
            for _ in range(_FILES):
                connection.execute("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")

    async def clock_jumped(self) -> None:
        self.rng.choice(self.servers).clock.write_text(self.rng.choice(("-3600", "0", "3600")))


def wrong(url: str | Path, seen: Seen) -> dict[str, int]:
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
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--pace", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brief", action="store_true")
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
        "seconds": "in brief" if options.brief else options.seconds,
        "faults": dict(seen.faults),
        "moves acknowledged": len(seen.moves),
        "events": rows,
        "views checked": sum(map(len, seen.views.values())),
        "refused and sent again": {str(status): n for status, n in seen.refused.items()},
        f"waits of more than {_LONG:g} s": seen.slow,
        "longest waits for a move": list(map(str, seen.waits)),
        "tables that stopped": len(seen.stuck),
        "stale": seen.stale,
        "forgotten": seen.forgotten,
        **bad,
    }
    print(json.dumps(figures, indent=2))
    return int(bool(seen.stuck or seen.stale or seen.forgotten or any(bad.values())))


if __name__ == "__main__":
    sys.exit(main())
