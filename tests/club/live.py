"""A server as a user starts it: its own process, a port, a file; it can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from tests.library.cli.helpers import COMMAND

QUICK_PLAY = (sys.executable, "-P", str(Path(__file__).with_name("quick_play.py")))
"""The command with quick reviews."""


class Live:
    """`tribridge play` in another process."""

    def __init__(self, data: Path, *options: str, command: Sequence[str] = (COMMAND,)) -> None:
        self.data, self.options, self.port = data, options, 0
        self.command = command
        self.complaints = ""
        """What it wrote to its log, once it has ended."""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start it (again, on the same port and file); its address."""
        self.process = subprocess.Popen(
            [
                *self.command,
                "play",
                "--no-browser",
                *(() if "--store" in self.options else ("--data", str(self.data))),
                "--port",
                str(self.port),
                "--pace",
                "0",
                "--workers",
                "1",
                *self.options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http" not in line:
            assert self.process.stderr is not None
            raise AssertionError(f"{line}{self.process.stderr.read()}")
        address = line.split("at ")[1].split()[0]
        self.port = int(address.rsplit(":", 1)[1].strip("/"))
        return address.rstrip("/")

    def kill(self) -> None:
        """End it as a loss of power would."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self._wait()

    def stop(self) -> int:
        """End it as Ctrl-C does; its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self._wait()

    def _wait(self) -> int:
        assert self.process is not None
        process = self.process
        code = process.wait(300)
        assert process.stderr is not None
        self.complaints = process.stderr.read()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        return code

    def __enter__(self) -> Live:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def wait_for(client: httpx.Client, table: str, headers: dict[str, str]) -> Any:
    """The view of a seat once it is its turn or the deal is over."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        view = client.get(f"/api/tables/{table}", headers=headers).json()
        if view["turn"] == view["seat"] or view["deal_over"]:
            return view
        time.sleep(0.02)
    raise AssertionError(f"nothing happened: {view}")
