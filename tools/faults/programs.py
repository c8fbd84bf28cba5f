"""The programs of a fault run: servers and workers, and the network before the database."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


class Proxy:
    """Passes on what a server and the database say to each other, or drops it."""

    def __init__(self, port: int) -> None:
        self.target, self.port, self.cut = port, free_port(), False
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


def free_port() -> int:
    """A port that nothing listens on."""
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
