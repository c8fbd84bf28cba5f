"""Worker processes with a time limit, so that no strategy can hold up the pages.

Each worker is a process that answers one question at a time through a pipe. One that takes longer
than its limit is killed and another is started in its place.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import LifoQueue
from typing import Any, Final, ParamSpec, TypeVar, cast

from tribridge.errors import TribridgeError, first_line
from tribridge.parallel import cores, follow_parent

T = TypeVar("T")
P = ParamSpec("P")

_START_LIMIT: Final = 60.0
"""Seconds a new process may take for its imports."""


class OutOfTimeError(TribridgeError):
    """A question that a worker did not answer in time."""


class FailedError(TribridgeError):
    """A question at which a worker failed; the message is the first line of its error."""


class Workers:
    """A fixed number of worker processes, started when they are first needed."""

    def __init__(self, count: int = 0) -> None:
        self.count = count or cores()
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="worker")
        # The one used last first: it is warm, and a quiet table needs no second process.
        self._idle: LifoQueue[_Worker] = LifoQueue()
        self._all = [_Worker() for _ in range(self.count)]
        for worker in self._all:
            self._idle.put(worker)

    async def ask(
        self, limit: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function in a worker and return its result; raises after `limit` seconds."""
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._threads, self._ask, limit, function, args, kwargs)
        return cast(T, answer)

    def _ask(self, limit: float, function: Any, args: Any, kwargs: Any) -> Any:
        worker = self._idle.get()
        try:
            return worker.ask(limit, function, args, kwargs)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End the processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.kill()
        self._threads.shutdown()  # anyone who waited for one has had an error by now
        for worker in self._all:
            worker.stop()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        self.process: BaseProcess | None = None
        self.pipe: Connection | None = None

    def ask(self, limit: float, function: Any, args: Any, kwargs: Any) -> Any:
        pipe = self._started()
        try:
            pipe.send((function, args, kwargs))
            if not pipe.poll(limit):
                self.stop()
                raise OutOfTimeError(f"took longer than {limit:g} seconds")
            good, value = pipe.recv()
        except (EOFError, OSError):
            self.stop()
            raise FailedError("ended its process") from None
        if not good:
            raise FailedError(value)
        return value

    def _started(self) -> Connection:
        if self.pipe is not None and self.process is not None and self.process.is_alive():
            return self.pipe
        self.stop()
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()
        if not self.pipe.poll(_START_LIMIT):
            self.stop()
            raise FailedError("could not start a worker process")
        self.pipe.recv()
        return self.pipe

    def kill(self) -> None:
        """End the process; whoever is waiting for its answer sees the pipe close."""
        if self.process is not None:
            self.process.kill()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
        if self.pipe is not None:
            self.pipe.close()
        self.process = self.pipe = None


def _serve(pipe: Connection) -> None:
    """The worker's own loop: questions in, answers out, until the other end has gone."""
    follow_parent()
    import tribridge.web.core.thinking  # noqa: F401 (warm before the first question)

    pipe.send(None)
    while True:
        try:
            function, args, kwargs = pipe.recv()
        except EOFError:
            return
        try:
            answer = (True, function(*args, **kwargs))
        except Exception as error:
            kind = "" if isinstance(error, TribridgeError) else f"{type(error).__name__}: "
            answer = (False, f"{kind}{first_line(error, 'no message')}")
        pipe.send(answer)
