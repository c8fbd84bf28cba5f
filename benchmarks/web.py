"""Load on the table: people at many tables, each with the stream of boards that a browser has.

    python -m benchmarks.web [--tables 100] [--seconds 20] [--pace 3] [--bots 0] [--browser]
                             [--attack 0] [--warm 5] [--servers 1] [--cores 1] [--database]

A server is started on loopback as `tribridge play` starts it, on the first `--cores` of the
machine; the visitors share the others, if there are any. At each of `--tables` tables three people
play: each has a stream of boards open, compressed as browsers ask for it, finds the legal actions
on the board that arrives, and sends one of them as the page does; a table moves every `--pace`
seconds on average.

The tables are opened, and people come to them, a few at a time; then they play into their deals
without a pause, and the load begins when the last of them has. What goes on is told on the screen:
500 tables take some minutes until then. The same cards are dealt in each run, and the same calls
and cards chosen: an auction costs more than a trick, so runs with others cannot be compared.

With `--database`, the store is a PostgreSQL that is started for it; with `--servers N` the three
people of each table sit at different ones of N servers.

With `--bots N`, three strategies play at N more tables, with an onlooker at each. With `--browser`,
a player in Chromium clicks calls and cards at a table of their own all the while. With
`--attack N`, one more visitor first asks for N changes at a table of their own, and then sends 40
moves a second there, as many as one address may, that come long after their turn.

Measured: a move from its request to the arrival of the board at each of the three people; the
server's CPU time and the bytes of streams and answers for each move; a click in the browser to the
first frame that shows an effect, a card that has moved by a pixel or the new board, and to the
frame in which the new board is drawn; and that nothing is lost: on every stream each board follows
the last one, and the events on disk replay to what was shown last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

import httpx

SERVE = """
import os, socket, sys
from pathlib import Path
import uvicorn
from tribridge.club.app import Settings, create_app
from tribridge.club.core.room import Timing
from tribridge.club.run import collect_seldom, configured, take_descriptors
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[3])])
where = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
app = create_app(Settings(where, timing=Timing(settle=0), rate=0))
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[2])))
collect_seldom()
uvicorn.Server(configured(app, descriptors=take_descriptors())).run(sockets=[listener])
"""
AT_ONCE = 16
"""Tables that are opened, and that people come to, at the same time."""
LOOPBACKS = sys.platform == "linux"
"""Whether all of 127.0.0.0/8 is this machine."""
_NUMBER = re.compile(r'data-number="(\d+)"')
_FROM = re.compile(r'data-from="(\d+)"')
_DEAL = re.compile(r'data-deal="(\d+)"')
_ACTION = re.compile(r'name="action" value="(\w+)"')


@dataclass
class Figures:
    """What was seen."""

    moves: int = 0
    redrawn: list[float] = field(default_factory=list)
    """Seconds from a request to the board, at each of the three people."""
    seen: list[float] = field(default_factory=list)
    """Seconds from a click to the first frame that shows an effect."""
    click: list[float] = field(default_factory=list)
    """Seconds from a click to the new board."""
    streamed: int = 0
    answered: int = 0
    """Bytes of the bodies."""
    gaps: int = 0
    last: dict[str, int] = field(default_factory=dict)
    cpu: float = 0.0
    memory: float = 0.0
    """Megabytes that the tables and streams added."""


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Wire:
    """A connection to the server that is kept: a browser does less work than an HTTP library."""

    def __init__(self, port: int, table: int = 0) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.local = (f"127.0.{1 + table // 250}.{1 + table % 250}", 0) if LOOPBACKS else None
        """People of different tables come from different addresses."""

    async def connect(self) -> None:
        """Make the connection, or a new one."""
        local = self.local
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=local
        )

    async def ask(self, method: str, path: str, headers: str = "", body: str = "") -> int:
        """Send a request; its status, once the head of the answer is there."""
        if self.reader is None:
            await self.connect()
        if body:
            headers += "content-type: application/x-www-form-urlencoded\r\n"
            headers += f"content-length: {len(body)}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept-encoding: gzip\r\n{headers}"
        try:
            self.writer.write(f"{head}\r\n{body}".encode())
            answer = await self._head()
        except (ConnectionError, asyncio.IncompleteReadError):  # closed while nothing was sent
            await self.connect()
            self.writer.write(f"{head}\r\n{body}".encode())
            answer = await self._head()
        found = re.search(r"content-length: (\d+)", answer)
        self.length = int(found[1]) if found else 0
        self.packed = "content-encoding: gzip" in answer
        return int(answer[9:12])

    async def _head(self) -> str:
        assert self.reader is not None
        return (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()

    async def body(self) -> bytes:
        """The body of an answer that says how long it is."""
        assert self.reader is not None
        return await self.reader.readexactly(self.length)

    async def chunk(self) -> bytes:
        """The next piece of a stream."""
        assert self.reader is not None
        size = int(await self.reader.readline(), 16)
        return (await self.reader.readexactly(size + 2))[:-2]


class Table:
    """A table of three people."""

    def __init__(
        self, name: str, number: int, cookies: list[str], options: argparse.Namespace
    ) -> None:
        self.name, self.number, self.cookies, self.pace = name, number, cookies, options.pace
        self.begin = asyncio.Event()
        """Set when all tables are somewhere in a deal, and the load begins."""
        self.random = Random(number)
        self.ahead = self.random.randrange(min(60, 6000 // options.tables))
        """Moves without a pause, so that the tables are not all in the auction."""
        self.sent = (0.0, -1)
        """When the last move was sent, and after which event; -1 before a board has come."""
        self.ready: set[tuple[int, str]] = set()
        """Which seats are ready for the deal after which one."""

    async def sit(self, seat: int, port: int, figures: Figures) -> None:
        """Watch and play one seat, as a browser does."""
        stream, page = Wire(port, self.number), Wire(port, self.number)
        await stream.ask("GET", f"/table/{self.name}/stream?after=0", self.cookies[seat])
        unpack = zlib.decompressobj(31) if stream.packed else None
        text, number = "", 0
        while True:
            data = await stream.chunk()
            figures.streamed += len(data)
            text += (unpack.decompress(data) if unpack else data).decode()
            *messages, text = text.split("\n\n")
            for message in messages:
                if not message.startswith("event: table"):
                    continue
                begun, after = self.sent
                found, since = _NUMBER.search(message), _FROM.search(message)
                assert found is not None
                if int(found[1]) <= number or (since is not None and int(since[1]) != number):
                    figures.gaps += 1
                number = int(found[1])
                figures.last[self.name] = number
                if after < 0:
                    self.sent = (0.0, 0)
                if begun and number > after:
                    figures.redrawn.append(time.perf_counter() - begun)
                if 'data-turn="1"' in message:
                    actions = _ACTION.findall(message)
                    quiet = "Pass" in actions and self.random.random() < 0.5
                    action = "Pass" if quiet else self.random.choice(actions[:9])
                    await self.move(page, seat, "act", number, figures, action=action)
                elif (
                    'id="next"' in message
                    and (over := (seat, _DEAL.findall(message)[0])) not in self.ready
                ):
                    self.ready.add(over)
                    await self.move(page, seat, "next", number, figures)

    async def move(
        self, page: Wire, seat: int, path: str, number: int, figures: Figures, **what: str
    ) -> None:
        """Think, then send a move as the page does."""
        self.ahead -= 1
        if self.ahead < 0:
            await self.begin.wait()
            await asyncio.sleep(self.pace * (0.5 + self.random.random()))
        headers = f"{self.cookies[seat]}hx-request: true\r\nboard-stream: 1\r\n"
        self.sent = (time.perf_counter(), number)
        where, body = f"/table/{self.name}/{path}", urlencode({"at": number, **what})
        status = await page.ask("POST", where, headers, body)
        answer = await page.body()
        assert status in (200, 204), (status, answer)
        figures.answered += len(answer)
        figures.moves += 1


async def opened(
    client: httpx.AsyncClient, number: int, options: argparse.Namespace, doors: asyncio.Semaphore
) -> Table:
    """A new table with three people."""
    body = {
        "strategies": [options.strategy] * 3,
        "open": ["N", "E", "S"],
        "deals": 99,
        "secret": f"{number:064x}",
    }
    async with doors:
        name = (await client.post("/api/tables", json=body)).json()["table"]
        cookies = []
        for seat in "NES":
            person = {"name": f"{seat} of {name[:5]}"}  # what is drawn for one serves no other
            taken = await client.post(f"/api/tables/{name}/seats/{seat}", json=person)
            cookies.append(f"cookie: rules=1; seat-{name}={taken.json()['token']}\r\n")
    return Table(name, number, cookies, options)


def said(phase: str, begun: float = time.monotonic()) -> None:
    """Tell on the screen what goes on: with hundreds of tables it takes a while."""
    print(f"{time.monotonic() - begun:6.1f} s  {phase}", file=sys.stderr, flush=True)


async def watch(name: str, port: int) -> None:
    """Look on at a table of strategies."""
    wire = Wire(port)
    await wire.ask("GET", f"/table/{name}/stream?after=0")
    while True:
        await wire.chunk()


async def fill(client: httpx.AsyncClient, changes: int) -> tuple[str, dict[str, str]]:
    """A table at which somebody has asked for many changes; its address and their headers."""
    name = (await client.post("/api/tables", json={"open": ["N", "E", "S"]})).json()["table"]
    table = f"/api/tables/{name}"
    token = (await client.post(f"{table}/seats/N", json={})).json()["token"]
    me = {"authorization": f"Bearer {token}"}
    for number in range(changes):
        body = {"whom": "E", "on": number % 2 == 0}
        await client.post(f"{table}/mute", json=body, headers=me)
    return table, me


async def attack(client: httpx.AsyncClient, table: str, me: dict[str, str]) -> None:
    """Send 40 stale moves a second, whether or not they are answered."""
    async with asyncio.TaskGroup() as moves:
        while True:
            move = {"at": 1, "action": "Pass"}
            moves.create_task(client.post(f"{table}/actions", json=move, headers=me))
            await asyncio.sleep(1 / 40)


CLICKS = """
() => {
  window.times = { seen: [], drawn: [] };
  let begun = 0, last = "", waited = 0, seen = "", since = 0, effect = true;
  const after = (list, from) => setTimeout(() => list.push(performance.now() - from));
  document.addEventListener("table:drawn", () => {
    if (!begun) return;
    const from = begun, first = !effect;
    begun = 0, effect = true;
    requestAnimationFrame(() => { after(times.drawn, from); if (first) after(times.seen, from); });
  });
  const look = (card, place) => { // has the card moved by a pixel?
    if (effect) return;
    effect = Math.abs(card.getBoundingClientRect().y - place) > 1;
    if (effect) after(times.seen, begun); else requestAnimationFrame(() => look(card, place));
  };
  setInterval(() => {
    const now = document.querySelector("[data-number]").dataset.number;
    if (now !== seen) [seen, since] = [now, performance.now()];
    if (performance.now() - since < 700) return; // until the cards have come to rest
    const button = document.querySelector(
      "#next, [data-turn='1'] #call-Pass:not([disabled]), button.card:not([disabled])");
    if (!button || (now === last && ++waited < 500)) return;
    const place = button.getBoundingClientRect().y;
    [last, waited, begun] = [now, 0, button.id === "next" ? 0 : performance.now()];
    effect = !begun;
    button.click();
    requestAnimationFrame(() => look(button, place));
  }, 20);
}
"""


def click(address: str, strategy: str, seconds: float) -> tuple[list[float], list[float]]:
    """Seconds from a click to its first effect and to the board, for a player in Chromium."""
    from playwright.sync_api import sync_playwright

    names = ("chromium-headless-shell", "chromium", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = chrome.new_page(viewport={"width": 1366, "height": 650})
        form: dict[str, str | float | bool] = {
            "other": strategy,
            "scoring": "auction-tricks",
            "deals": "99",
        }
        page.goto(page.request.post(f"{address}/play", form=form).url)
        page.wait_for_selector("[data-turn='1']", timeout=60_000)
        page.evaluate(CLICKS)
        page.wait_for_timeout(1000 * seconds)
        times: dict[str, list[float]] = page.evaluate("times")
        chrome.close()
    return [time / 1000 for time in times["seen"]], [time / 1000 for time in times["drawn"]]


def cpu(process: int) -> float:
    """Seconds of CPU time that a process has used, without those it started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> float:
    """Megabytes of memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


async def load(ports: list[int], processes: list[int], options: argparse.Namespace) -> Figures:
    """The whole load, for the seconds asked for."""
    port = ports[0]
    address, figures = f"http://127.0.0.1:{port}", Figures()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        for address_of in (f"http://127.0.0.1:{each}/" for each in ports):
            for _ in range(600):
                try:
                    await client.get(address_of)
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
        figures.memory = -sum(map(memory, processes))
        said("opening tables")
        doors = asyncio.Semaphore(AT_ONCE)
        numbers = range(options.tables)
        tables = list(await asyncio.gather(*(opened(client, at, options, doors) for at in numbers)))
        body = {"strategies": [options.strategy] * 3, "open": [], "deals": 99}
        bots = [await client.post("/api/tables", json=body) for _ in range(options.bots)]
        async with asyncio.TaskGroup() as group:
            said("sitting down")
            tasks = list[asyncio.Task[None]]()
            for number, table in enumerate(tables):
                for seat in range(3):
                    at = ports[(number + seat) % len(ports)]
                    tasks.append(group.create_task(table.sit(seat, at, figures)))
                while sum(each.sent[1] < 0 for each in tables[: number + 1]) > AT_ONCE:
                    await asyncio.sleep(0.01)  # a few tables at a time, not a crowd at the door
            work = [watch(answer.json()["table"], port) for answer in bots]
            if options.attack:
                work.append(attack(client, *await fill(client, options.attack)))
            tasks += [group.create_task(one) for one in work]
            said("playing into the deals")
            while any(table.ahead >= 0 for table in tables):
                await asyncio.sleep(0.1)
            for table in tables:
                table.begin.set()
            said("measuring")
            await asyncio.sleep(options.warm)
            figures.redrawn.clear()
            figures.moves = figures.streamed = figures.answered = 0
            figures.cpu = -sum(map(cpu, processes))
            if options.browser:
                clicked = asyncio.to_thread(click, address, options.strategy, options.seconds)
                figures.seen, figures.click = await clicked
            else:
                await asyncio.sleep(options.seconds)
            figures.cpu += sum(map(cpu, processes))
            figures.memory += sum(map(memory, processes))
            for task in tasks:
                task.cancel()
    return figures


def lost(data: Path | str, figures: Figures) -> list[str]:
    """Tables whose events on disk do not replay to at least what was shown."""
    from tribridge.club.core import events
    from tribridge.club.core.open_store import open_store

    store, wrong = open_store(data), []
    for table, number in figures.last.items():
        state = events.replay(store.events(table))
        if state is None or state.number < number:
            wrong.append(table)
    store.close()
    return wrong


def figures_of(times: list[float]) -> dict[str, Any]:
    """How many there were, and how long they took."""
    cuts = quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    return {
        "number": len(times),
        "median ms": round(1000 * median(times), 1) if times else None,
        "95% ms": round(1000 * cuts[94], 1),
        "99% ms": round(1000 * cuts[98], 1),
    }


def main() -> int:
    """Run the load and print the figures; not 0 if anything was lost."""
    parser = argparse.ArgumentParser(description="Load on the table.")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pace", type=float, default=3.0)
    parser.add_argument("--warm", type=float, default=5.0)
    parser.add_argument("--bots", type=int, default=0)
    parser.add_argument("--strategy", default="points+maxims")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--attack", type=int, default=0)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--database", action="store_true")
    options = parser.parse_args()
    from tribridge.club.run import take_descriptors

    take_descriptors()  # two for each visitor
    with ExitStack() as stack:
        data: Path | str = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "play.sqlite"
        if options.database:
            from tests.club.database import database

            data = stack.enter_context(database()).url()
        ports = [free_port() for _ in range(options.servers)]
        command = [sys.executable, "-c", SERVE, str(data)]
        cores = str(options.cores)
        servers = [subprocess.Popen([*command, str(port), cores]) for port in ports]
        if hasattr(os, "sched_setaffinity"):
            others = sorted(os.sched_getaffinity(0))[options.cores :]
            os.sched_setaffinity(0, others or os.sched_getaffinity(0))
        try:
            figures = asyncio.run(load(ports, [server.pid for server in servers], options))
        finally:
            for server in servers:
                server.send_signal(signal.SIGTERM)
            for server in servers:
                server.wait(30)
        wrong = lost(data, figures)
    moves = figures.moves or 1
    print(
        json.dumps(
            {
                "servers": options.servers,
                "cores of the servers": options.cores,
                "store": "PostgreSQL" if options.database else "SQLite",
                "tables": options.tables,
                "people": 3 * options.tables,
                "tables of bots": options.bots,
                "pace s": options.pace,
                "changes before the attack": options.attack,
                "seconds": options.seconds,
                "cores": os.cpu_count(),
                "machine": f"{platform.machine()}, {platform.system()}",
                "moves a second": round(moves / options.seconds, 1),
                "moves to boards": figures_of(figures.redrawn),
                "clicks to a first effect": figures_of(figures.seen),
                "clicks to redraw": figures_of(figures.click),
                "CPU ms of the server for a move": round(1000 * figures.cpu / moves, 2),
                "CPU share of the server": round(figures.cpu / options.seconds, 2),
                "memory of the servers for a table, MB": round(
                    figures.memory / max(1, options.tables), 2
                ),
                "bytes of the streams for a move": round(figures.streamed / moves),
                "bytes of the answer to a move": round(figures.answered / moves),
                "load average": [round(one, 1) for one in os.getloadavg()],
                "boards out of order": figures.gaps,
                "tables with a loss": len(wrong),
            },
            indent=2,
        )
    )
    return 1 if wrong or figures.gaps else 0


if __name__ == "__main__":
    sys.exit(main())
