"""Thinking on other machines: questions in a database that servers share, answered by workers.

A server with a question writes it down, and a worker takes it (`SKIP LOCKED`: each is taken once).
If no worker takes it within a second, or the one that did is not heard of any more, the server
answers it itself, as it does without workers. Questions are pickled: whoever can write to the
database is trusted with the servers.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from tribridge.club.core.store import Statement, Store
from tribridge.club.core.workers import FailedError, Workers
from tribridge.club.errors import NotStoredError
from tribridge.common.errors import TribridgeError

T = TypeVar("T")

_UNTAKEN: Final = 1.0
"""Seconds that a question waits for a worker."""
_BEAT: Final = 2.0
"""Seconds between two signs of life of a worker."""
_LOST: Final = 3 * _BEAT
_OLD: Final = 600.0
"""Seconds after which a question that nobody waits for is deleted."""
_LOG: Final = logging.getLogger("tribridge.club")
_TAKE: Final = (
    "UPDATE jobs SET taken = ? WHERE id = (SELECT id FROM jobs WHERE taken = '' "
    "ORDER BY asked LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, seconds, question"
)


class SharedWorkers(Workers):
    """The worker processes of a server, and those that work for its store elsewhere."""

    def __init__(self, count: int, store: Store) -> None:
        super().__init__(count)
        self._store, self._own = store, self.queue.turns
        self._elsewhere: dict[str, tuple[int, float]] = {}
        """The workers elsewhere: how many processes each has, and when it was heard of."""
        self._waiting: dict[str, asyncio.Event] = {}

    def heard(self, kind: str, text: str) -> None:
        name, _, processes = text.partition(" ")
        if kind == "worker":
            self._elsewhere[name] = (int(processes), time.monotonic())
        elif name in self._waiting:
            self._waiting[name].set()
        self._count()

    def _count(self) -> int:
        since = time.monotonic() - _LOST
        self._elsewhere = {n: w for n, w in self._elsewhere.items() if w[0] and w[1] > since}
        others = sum(processes for processes, _ in self._elsewhere.values())
        self.queue.turns = self._own + others
        return others

    async def run(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        if not self._count():
            return await super().run(limit, function, *args)
        name = secrets.token_hex(8)
        self._waiting[name] = asyncio.Event()
        try:
            found = await self._asked(name, limit, pickle.dumps((function, args)))
        except TribridgeError:
            raise
        except Exception as error:  # the database is away, or the answer is not to be read
            _LOG.warning("a question was not answered elsewhere: %s", error)
            found = None
        finally:
            del self._waiting[name]
        if found is None:
            return await super().run(limit, function, *args)
        answer: T = found[0]
        return answer

    async def _asked(self, name: str, limit: float, question: bytes) -> tuple[Any] | None:
        """The answer of a worker; None if there is none to be had."""
        asked = "INSERT INTO jobs (id, asked, seconds, question) VALUES (?, ?, ?, ?)"
        await self._change((asked, (name, time.time(), limit, question)))
        self._store.tell("job")
        begun = time.monotonic()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_UNTAKEN):
                    await self._waiting[name].wait()
            query = "SELECT taken, answer FROM jobs WHERE id = ?"
            rows = await self._store.apart(self._store.rows, query, name)
            worker, answer = rows[0] if rows else ("", None)
            self._count()
            patience = limit + _LOST if worker in self._elsewhere else _UNTAKEN
            waits = not worker or worker in self._elsewhere
            if rows and answer is None and waits and time.monotonic() < begun + patience:
                continue
            await self._change(("DELETE FROM jobs WHERE id = ?", (name,)))
            if answer is None:
                return None
            value = pickle.loads(answer)
            if isinstance(value, FailedError):
                raise value
            return (value,)

    async def _change(self, statement: Statement) -> None:
        await self._store.apart(self._store.change, statement)


async def work(store: Store, processes: int) -> None:
    """Answer the questions of a store's servers until it is cancelled."""
    workers, name = Workers(processes), secrets.token_hex(4)
    count, loop = workers.queue.turns, asyncio.get_running_loop()
    news, busy = asyncio.Event(), set[asyncio.Task[None]]()

    async def answer(job: str, seconds: float, question: bytes) -> None:
        function, args = pickle.loads(question)
        try:
            found = await workers.run(seconds, function, *args)
        except FailedError as error:
            found = error
        given = "UPDATE jobs SET answer = ? WHERE id = ?", (pickle.dumps(found), job)
        with suppress(NotStoredError):  # the server that asked helps itself
            await store.apart(store.change, given)
            store.tell(f"answer {job}")

    def done(task: asyncio.Task[None]) -> None:
        busy.discard(task)
        news.set()

    async def take() -> None:
        while len(busy) < count:
            rows = await store.apart(store.rows, _TAKE, name)
            if not rows:
                return
            task = loop.create_task(answer(*rows[0]))
            busy.add(task)
            task.add_done_callback(done)

    async def live() -> None:
        while True:
            store.tell(f"worker {name} {count}")
            with suppress(NotStoredError):
                old = "DELETE FROM jobs WHERE asked < ?", (time.time() - _OLD,)
                await store.apart(store.change, old)
            await asyncio.sleep(_BEAT)

    def heard(text: str) -> None:
        if text in ("again", "job"):
            loop.call_soon_threadsafe(news.set)

    store.listen(heard)
    living = loop.create_task(live())
    try:
        while True:
            news.clear()
            with suppress(NotStoredError):
                await take()
            with suppress(TimeoutError):
                async with asyncio.timeout(_BEAT):
                    await news.wait()
    finally:
        living.cancel()
        store.tell(f"worker {name} 0")
        await asyncio.gather(*busy, return_exceptions=True)
        workers.close()
