"""What goes wrong in a fault run: one fault after the other, while people play."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import httpx
import psycopg

from tests.club.database import Database
from tools.faults.people import PATIENCE, People
from tools.faults.programs import OTHER, Program, Proxy, free_port

_STARTS = 60.0
"""Seconds until the servers answer."""
_BRIEFLY = 0.15
"""How much shorter faults are in brief."""
_FILES = 20
"""More files of a log than a database keeps in reserve."""


class Faults:
    """The programs, and what goes wrong while people play."""

    def __init__(self, folder: Path, options: argparse.Namespace, stack: ExitStack) -> None:
        self.options, self.rng = options, Random(options.seed)
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()
        small = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "none", str(self.disk)]
        self.small = subprocess.run(small, check=False, capture_output=True).returncode == 0
        if self.small:
            stack.callback(subprocess.run, ["umount", str(self.disk)], check=False)
        self.port = free_port()
        self.database = Database(self.disk)
        self.database.start(port=self.port)
        stack.callback(self.database.stop)
        self.proxies = [Proxy(self.port) for _ in range(2)]
        self.ports = [free_port(), free_port()]
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
        self.people = People(self.ports, options.tables, options.pace, self.rng)

    async def run(self) -> None:
        for proxy in self.proxies:
            await proxy.start()
        for program in (*self.servers, *self.workers):
            program.start()
        await self._started()
        await self.people.play(self._break())

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
            self.people.seen.faults[kind] += 1
            self.people.broken.append((begun, inf, kind))
            await fault()
            await self._supervise()
            self.people.broken[-1] = (begun, time.monotonic(), kind)
            lasted = time.monotonic() - begun
            moves = f"{len(self.people.seen.moves)} moves so far"
            print(f"{kind}, for {lasted:.1f} s: {moves}", file=sys.stderr)
        await self._rest()
        await self._supervise()

    async def _rest(self) -> None:
        """Some time to recover; in brief, until people have played on."""
        before, until = len(self.people.seen.moves), time.monotonic() + PATIENCE
        if not self.options.brief:
            await asyncio.sleep(self.rng.uniform(3, 8))
        while self.options.brief and len(self.people.seen.moves) < before + self.options.tables:
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
