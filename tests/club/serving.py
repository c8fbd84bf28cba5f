"""A server in this process, on a port of its own, that can go away and come back."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from fastapi import FastAPI

from tests.club.helpers import FAST, HereWorkers, store_in
from tribridge.club.app import Settings, create_app
from tribridge.club.run import configured


class _Quiet(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Leave signals to the tests."""


@contextmanager
def serving(folder: Path, port: int = 0, **changes: Any) -> Iterator[tuple[str, FastAPI]]:
    """The address of a server in another thread, and its application."""
    fields: dict[str, Any] = {"data": store_in(folder), "timing": FAST, "rate": 0.0}
    app = create_app(Settings(**(fields | changes)), workers=HereWorkers())
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    server = _Quiet(configured(app))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", app
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
