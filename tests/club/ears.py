"""Hearing all that a live stream of the server sends."""

from __future__ import annotations

import asyncio
import zlib
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI


class Ear:
    """Hears all that a live stream sends, through the whole application."""

    def __init__(self, *, packed: bool = False) -> None:
        self.unpack = zlib.decompressobj(31) if packed else None
        self.heard: list[str] = []
        self.total = 0
        self.more = asyncio.Event()

    @asynccontextmanager
    async def at(self, app: FastAPI, path: str, headers: dict[str, str]) -> Any:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 80),
            "state": {},
            "headers": [(b"host", b"localhost")]
            + [(key.encode(), value.encode()) for key, value in headers.items()],
        }
        first = True

        async def receive() -> dict[str, Any]:
            nonlocal first
            if first:
                first = False
                return {"type": "http.request", "body": b"", "more_body": False}
            await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.heard.append(repr(message["headers"]))
            else:
                body = message.get("body", b"")
                body = body if self.unpack is None else self.unpack.decompress(body)
                self.heard.append(body.decode())
                self.more.set()

        task = asyncio.ensure_future(app(scope, receive, send))
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def take(self) -> str:
        """What was heard since the last time."""
        text = "".join(self.heard)
        self.heard.clear()
        self.total += len(text)
        return text
