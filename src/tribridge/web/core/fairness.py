"""Fair turns at the workers, so that nobody's tables hold up those of others.

Whoever has used the workers least comes first: among the visitors, and among the tables of one
visitor. Use is counted in seconds and forgotten by half every `HALF_LIFE`. A strategy cannot
be interrupted, so one worker is kept free for tables that think little.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tribridge.web.core.workers import Workers
from tribridge.web.errors import TooManyError

T = TypeVar("T")

HALF_LIFE: Final = 30.0
LIGHT: Final = 1.0
"""Seconds of recent use up to which a table counts as one that thinks little."""
_MOST_WAITING: Final = 100
_FORGOTTEN: Final = 1e-3


@dataclass(eq=False, slots=True)
class _Waiter:
    client: str
    table: str
    ready: asyncio.Future[None]


@dataclass(slots=True)
class FairQueue:
    """A limited number of concurrent turns, and the queue for them."""

    turns: int
    clock: Callable[[], float] = time.monotonic
    _busy: int = 0
    _waiting: list[_Waiter] = field(default_factory=list)
    _used: dict[tuple[str, ...], tuple[float, float]] = field(default_factory=dict)
    """Seconds used by a visitor, or by a visitor at a table, and when that was counted."""

    @asynccontextmanager
    async def turn(self, client: str, table: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it."""
        if sum(one.client == client for one in self._waiting) >= _MOST_WAITING:
            raise TooManyError("too many requests to strategies at once: wait a moment")
        waiter = _Waiter(client, table, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._advance()
        try:
            await waiter.ready
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            else:  # its turn had just come
                self._busy -= 1
                self._advance()
            raise
        begun = self.clock()
        try:
            yield
        finally:
            for owner in ((client,), (client, table)):
                self._used[owner] = (self.used(*owner) + self.clock() - begun, self.clock())
            self._busy -= 1
            self._advance()

    def used(self, *owner: str) -> float:
        """Seconds that a visitor, or a visitor at a table, has used lately."""
        seconds, since = self._used.get(owner, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self.clock() - since) / HALF_LIFE))

    def _advance(self) -> None:
        """Give free turns to those who have used least; equals in the order they came."""
        while self._waiting and self._busy < self.turns:
            last = self._busy == self.turns - 1 and self.turns > 1
            able = [
                one
                for one in self._waiting
                if not one.ready.done()  # cancelled, and about to leave by itself
                and (not last or self.used(one.client, one.table) < LIGHT)
            ]
            if not able:
                return
            first = min(able, key=lambda o: (self.used(o.client), self.used(o.client, o.table)))
            self._waiting.remove(first)
            self._busy += 1
            first.ready.set_result(None)
        self._used = {
            owner: entry for owner, entry in self._used.items() if self.used(*owner) > _FORGOTTEN
        }


class FairWorkers:
    """Workers that serve visitors in fair turns."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.queue = FairQueue(workers.count)

    async def ask(
        self, client: str, table: str, limit: float, function: Callable[..., T], *args: Any
    ) -> T:
        """What a function returns from a worker, within `limit` seconds once its turn has come."""
        async with self.queue.turn(client, table):
            return await self.workers.ask(limit, function, *args)
