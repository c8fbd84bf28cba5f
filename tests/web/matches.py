"""Starting matches of the arena at a server in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.web.helpers import Client, HereWorkers
from tribridge.web.arena.match import ArenaMatch

QUICK = ["pass+random", "random"]
FAST = ["points+random", "points+maxims"]


async def start(client: Client, strategies: Sequence[str] = QUICK, **fields: Any) -> dict[str, Any]:
    """Start a match through the API."""
    body = {"strategies": list(strategies), "deals": 3} | fields
    answer = await client.post("/api/arena", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def ended(client: Client, name: str) -> ArenaMatch:
    """A match once it is over."""
    match = client.server.arena.find(name)
    async with asyncio.timeout(300):
        while match.running:
            await match.changed(1)
    return match


class Held(HereWorkers):
    """Workers that wait for a sign before each answer."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Semaphore(0)

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        await self.go.acquire()
        return await super().run(limit, function, *args)
