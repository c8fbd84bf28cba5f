"""Load on the table: many tables of three cheap strategies at once, and people beside them.

    python benchmarks/web.py [--tables 100] [--people 20] [--seconds 20] [--pace 0.7] [--browser]
                             [--attack 0]

A server is started on loopback in its own process, with as many worker processes as cores. Then
three kinds of work run at once for some seconds:

- `--tables` tables at which three strategies play, one after the other without end, with the pause
  between their actions that people need (`--pace`; 0 for none);
- at all those tables a program listens to the live events;
- `--people` more tables at which a program plays one seat through the API.

With `--browser`, a player in Chromium clicks calls and cards at a table of their own all the while.
With `--attack N`, one more visitor first asks for N changes at a table of their own, and then sends
40 moves a second there, as many as one address may, that come long after their turn.

Measured: an action of a strategy from the moment it is due (the event before it was stored, plus
the pause) to its arrival at the listener; an action of a person from the request to the answer; a
click in the browser to the frame in which the new board is drawn; and that nothing is lost: on
every table the events arrive in order without a gap, and the events on disk replay to what was
shown last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

SERVE = """
import sys
from pathlib import Path
import uvicorn
from tribridge.web.app import Settings, create_app
from tribridge.web.core.room import Timing
data, port, pace = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
app = create_app(Settings(data, timing=Timing(10, pace, pace, pace), rate=0))
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False,
            timeout_keep_alive=60)
"""


@dataclass
class Figures:
    """What was seen."""

    strategy: list[float] = field(default_factory=list)
    person: list[float] = field(default_factory=list)
    click: list[float] = field(default_factory=list)
    gaps: int = 0
    last: dict[str, int] = field(default_factory=dict)


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def listen(client: httpx.AsyncClient, table: str, pace: float, figures: Figures) -> None:
    """Hear every event of a table of strategies."""
    number, since, paused = 0, 0.0, 0.0
    async with client.stream("GET", f"/api/tables/{table}/events") as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            now, view = time.perf_counter(), json.loads(line[6:])
            if "turn" not in view:  # who is there, or the chat
                continue
            if number and view["number"] != number + 1:
                figures.gaps += 1
            if number and not paused:
                figures.strategy.append(now - since - pace)
            number, since = view["number"], now
            figures.last[table] = number
            paused = 4 * pace if view["deal_over"] else 0.0


async def play(client: httpx.AsyncClient, figures: Figures, strategy: str, until: float) -> None:
    """Play one seat for some seconds, as soon as the live events say that it is its turn."""
    body: dict[str, Any] = {"strategies": [strategy] * 3, "deals": 99}
    table = (await client.post("/api/tables", json=body)).json()["table"]
    token = (await client.post(f"/api/tables/{table}/seats/S", json={})).json()["token"]
    me = {"authorization": f"Bearer {token}"}
    async with client.stream("GET", f"/api/tables/{table}/events", headers=me) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            view = json.loads(line[6:])
            if "turn" not in view:
                continue
            if time.perf_counter() > until:
                return
            body = {"at": view["number"]}
            if view["turn"] == "S":
                body["action"] = view["legal"][0]
            elif not view["deal_over"]:
                continue
            path = "next" if view["deal_over"] else "actions"
            begun = time.perf_counter()
            done = await client.post(f"/api/tables/{table}/{path}", json=body, headers=me)
            assert done.status_code == 200, done.text
            figures.person.append(time.perf_counter() - begun)
            figures.last[table] = done.json()["number"]


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


async def attack(client: httpx.AsyncClient, table: str, me: dict[str, str], until: float) -> None:
    """Send 40 stale moves a second, whether or not they are answered."""
    async with asyncio.TaskGroup() as moves:
        while time.perf_counter() < until:
            move = {"at": 1, "action": "Pass"}
            moves.create_task(client.post(f"{table}/actions", json=move, headers=me))
            await asyncio.sleep(1 / 40)


CLICKS = """
() => {
  window.times = [];
  let begun = 0, last = "", waited = 0;
  document.addEventListener("table:drawn", () => {
    if (!begun) return;
    const from = begun;
    begun = 0;
    requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - from)));
  });
  setInterval(() => {
    const now = document.querySelector("[data-number]").dataset.number;
    const button = document.querySelector(
      "#next, [data-turn='1'] #call-Pass:not([disabled]), button.card:not([disabled])");
    if (!button || (now === last && ++waited < 500)) return;
    [last, waited, begun] = [now, 0, button.id === "next" ? 0 : performance.now()];
    button.click();
  }, 20);
}
"""


def click(address: str, strategy: str, seconds: float) -> list[float]:
    """Seconds from a click to the frame that shows its effect, for a player in Chromium."""
    from playwright.sync_api import sync_playwright

    names = ("chromium-headless-shell", "chromium", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = chrome.new_page(viewport={"width": 1366, "height": 650})
        form = {"other": strategy, "scoring": "auction-tricks", "deals": "99"}
        page.goto(page.request.post(f"{address}/play", form=form).url)
        page.wait_for_selector("[data-turn='1']", timeout=60_000)
        page.evaluate(CLICKS)
        page.wait_for_timeout(1000 * seconds)
        times: list[float] = page.evaluate("times")
        chrome.close()
    return [time / 1000 for time in times]


async def load(address: str, options: argparse.Namespace) -> Figures:
    """The whole load, for the seconds asked for."""
    figures = Figures()

    async def clicks(figures: Figures) -> None:
        figures.click = await asyncio.to_thread(click, address, options.strategy, options.seconds)

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        for _ in range(600):
            try:
                await client.get("/")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        body = {"strategies": [options.strategy] * 3, "open": [], "deals": 99}
        tables = [
            (await client.post("/api/tables", json=body)).json()["table"]
            for _ in range(options.tables)
        ]
        ears = [
            asyncio.create_task(listen(client, table, options.pace, figures)) for table in tables
        ]
        target = await fill(client, options.attack) if options.attack else None
        await asyncio.sleep(2)
        figures.strategy.clear()  # the processes have started now
        until = time.perf_counter() + options.seconds
        # Programs of their own: one pool of connections with the listeners would be searched again
        # for every request.
        async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as people:
            await asyncio.gather(
                *(play(people, figures, options.strategy, until) for _ in range(options.people)),
                asyncio.sleep(options.seconds),
                *([clicks(figures)] if options.browser else []),
                *([attack(client, *target, until)] if target else []),
            )
        for ear in ears:
            ear.cancel()
        await asyncio.gather(*ears, return_exceptions=True)
    return figures


def lost(data: Path, figures: Figures) -> list[str]:
    """Tables whose events on disk do not replay to at least what was shown."""
    from tribridge.web.core import events
    from tribridge.web.core.store import Store

    store, wrong = Store(data), []
    for table, number in figures.last.items():
        state = events.replay(store.events(table))
        if state is None or state.number < number:
            wrong.append(table)
    store.close()
    return wrong


def figures_of(times: list[float], seconds: float) -> dict[str, Any]:
    """How many there were, how many a second, and how long they took."""
    cuts = quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    return {
        "actions": len(times),
        "a second": round(len(times) / seconds, 1),
        "median ms": round(1000 * median(times), 1) if times else None,
        "95 % ms": round(1000 * cuts[94], 1),
        "99 % ms": round(1000 * cuts[98], 1),
    }


def main() -> int:
    """Run the load and print the figures; not 0 if anything was lost."""
    parser = argparse.ArgumentParser(description="Load on the table.")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pace", type=float, default=0.7)
    parser.add_argument("--strategy", default="points+maxims")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--attack", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, port = Path(folder) / "play.sqlite", free_port()
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(data), str(port), str(options.pace)]
        )
        try:
            figures = asyncio.run(load(f"http://127.0.0.1:{port}", options))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        wrong = lost(data, figures)
    print(
        json.dumps(
            {
                "tables": options.tables,
                "people": options.people,
                "strategy": options.strategy,
                "pace s": options.pace,
                "changes before the attack": options.attack,
                "seconds": options.seconds,
                "cores": os.cpu_count(),
                "machine": f"{platform.machine()}, {platform.system()}",
                "strategies": figures_of(figures.strategy, options.seconds),
                "people's actions": figures_of(figures.person, options.seconds),
                "clicks to redraw": figures_of(figures.click, options.seconds),
                "load average": [round(one, 1) for one in os.getloadavg()],
                "CPU s of the server": round(spent.ru_utime + spent.ru_stime, 1),
                "events out of order": figures.gaps,
                "tables with a loss": len(wrong),
            },
            indent=2,
        )
    )
    return 1 if wrong or figures.gaps else 0


if __name__ == "__main__":
    sys.exit(main())
