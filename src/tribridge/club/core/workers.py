"""Worker processes with a time limit and fair turns, so that nobody holds up the others.

Each worker is a process that answers one question at a time through a pipe. One that takes longer
than its limit is killed and another is started in its place.

Whoever has used the workers least comes first: among the visitors, and among the tables of one
visitor. Use is counted in seconds and forgotten by half every `HALF_LIFE`. A strategy cannot
be interrupted, so one worker is kept free for tables that think little.

At the end is what tables ask them: a strategy's choice, and why it chose it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import LifoQueue
from typing import Any, Final, TypeVar

from numpy.random import Generator

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.errors import TooManyError
from tribridge.common.errors import TribridgeError, first_line
from tribridge.common.parallel import cores, follow_parent
from tribridge.game import Action, Table, View, new_table, view
from tribridge.strategies import Strategy, bidding_for, decision_rng, find_strategy, guarded
from tribridge.strategies.choices import Why, said_for, why
from tribridge.strategies.protocol import actions_made

T = TypeVar("T")

_START_LIMIT: Final = 60.0
"""Seconds a new process may take for its imports."""
_KILLED: Final = -9
"""The exit code of a process that was killed, as when memory runs out."""
HALF_LIFE: Final = 30.0
LIGHT: Final = 1.0
"""Seconds of recent use up to which a table counts as one that thinks little."""
_MOST_WAITING: Final = 100
_PATIENT, _ASIDE = 5, 15
"""How much less urgent thinking is than moves for the system, and what is thought of aside."""
_FORGOTTEN: Final = 1e-3
_FIRST: Final = 4
"""How many times as long a process may take for the first call, or card, of a strategy.

It loads what the strategy needs: on a busy machine that takes longer than any choice.
"""


class FailedError(TribridgeError):
    """A question at which a worker failed; the message is the first line of its error."""


class OutOfTimeError(FailedError):
    """A question that a worker did not answer in time."""


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
        if sum(waiter.client == client for waiter in self._waiting) >= _MOST_WAITING:
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

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return len(self._waiting)

    def used(self, *owner: str) -> float:
        """Seconds that a visitor, or a visitor at a table, has used lately."""
        seconds, since = self._used.get(owner, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self.clock() - since) / HALF_LIFE))

    def _advance(self) -> None:
        """Give free turns to those who have used least; equals in the order they came."""
        while self._waiting and self._busy < self.turns:
            last = self._busy == self.turns - 1 and self.turns > 1
            able = [
                waiter
                for waiter in self._waiting
                if not waiter.ready.done()  # cancelled, and about to leave by itself
                and (not last or self.used(waiter.client, waiter.table) < LIGHT)
            ]
            if not able:
                return
            first = min(able, key=lambda w: (self.used(w.client), self.used(w.client, w.table)))
            self._waiting.remove(first)
            self._busy += 1
            first.ready.set_result(None)
        self._used = {
            owner: entry for owner, entry in self._used.items() if self.used(*owner) > _FORGOTTEN
        }


class Workers:
    """A fixed number of worker processes, started when they are first needed."""

    def __init__(self, count: int = 0) -> None:
        self.queue = FairQueue(count or cores())
        self._threads = ThreadPoolExecutor(self.queue.turns + 1, thread_name_prefix="worker")
        # The one used last first: it is warm, and a quiet table needs no second process.
        self._idle: LifoQueue[_Worker] = LifoQueue()
        self._all = [_Worker() for _ in range(self.queue.turns)]
        for worker in self._all:
            self._idle.put(worker)
        self._all.append(_Worker(_ASIDE))

    async def ask(
        self, client: str, table: str, limit: float, function: Callable[..., T], *args: Any
    ) -> T:
        """What a function returns from a worker, within `limit` seconds once its turn has come."""
        async with self.queue.turn(client, table):
            return await self.run(limit, function, *args)

    async def run(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        """Run a function in a worker and return its result; raises after `limit` seconds."""

        def run() -> T:
            worker = self._idle.get()
            try:
                result: T = worker.ask(limit, function, args)
                return result
            finally:
                self._idle.put(worker)

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    async def aside(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        """Run a function, one at a time, in a process that gives way to all others."""
        ask = self._all[-1].ask
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, ask, limit, function, args
        )

    async def get_ready(self, strategies: Iterable[str]) -> None:
        """Start a process and let it load what strategies need, before anyone waits for them."""
        table = new_table(deal(1, 0), Seat.NORTH)
        tables = table, table.call("1NT pass pass")
        for name in strategies:
            for at in tables:  # a card needs other networks than a call
                with suppress(FailedError):
                    seen = view(at, at.turn)
                    await Workers.run(self, _START_LIMIT, choose, name, seen, 1, 0)

    async def choice(
        self,
        client: str,
        name: str,
        limit: float,
        strategy: str,
        table: Table,
        *given: Any,
    ) -> Action:
        """What a strategy chooses for the player on turn; `given` is what `choose` takes more."""
        seen = view(table, table.turn)
        action, _ = await self.ask(client, name, limit, choose, strategy, seen, *given)
        return action

    def heard(self, kind: str, text: str) -> None:
        """A worker elsewhere says that it is there, or has an answer."""

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.kill()
        self._threads.shutdown()  # anyone who waited for one has had an error by now
        for worker in self._all:
            worker.stop()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, patience: int = _PATIENT) -> None:
        self.patience = patience
        self.process: BaseProcess | None = None
        self.pipe: Connection | None = None
        self.closed = False
        self.loaded: set[tuple[str, bool]] = set()
        """The strategies that have made a call, or have played a card, in this process."""

    def ask(
        self,
        limit: float,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        *,
        again: bool = True,
    ) -> Any:
        pipe, new = self._started(), None
        if function is choose:
            new = args[0], args[1].contract is None
            limit *= 1 if new in self.loaded else _FIRST
        try:
            pipe.send((function, args))
            if not pipe.poll(limit):
                self.stop()
                raise OutOfTimeError(f"took longer than {limit:g} seconds")
            good, value = pipe.recv()
        except (EOFError, OSError):
            assert self.process is not None
            self.process.join(1.0)
            killed = self.process.exitcode == _KILLED and not self.closed
            self.stop()
            if killed and again:  # by the system, short of memory: not the strategy's fault
                return self.ask(limit, function, args, again=False)
            raise FailedError("ended its process") from None
        if not good:
            raise FailedError(value)
        if new is not None:
            self.loaded.add(new)
        return value

    def _started(self) -> Connection:
        if self.pipe is not None and self.process is not None and self.process.is_alive():
            return self.pipe
        self.stop()
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        process = context.Process(target=_serve, args=(other, self.patience), daemon=True)
        process.start()
        self.process = process  # one that is not started cannot be killed
        other.close()
        try:
            if not self.closed and self.pipe.poll(_START_LIMIT):
                self.pipe.recv()
                return self.pipe
        except EOFError:  # it has ended at once
            pass
        self.stop()
        raise FailedError("could not start a worker process")

    def kill(self) -> None:
        """End the process; whoever is waiting for its answer sees the pipe close."""
        self.closed = True
        if self.process is not None:
            _end(self.process)

    def stop(self) -> None:
        if self.process is not None:
            _end(self.process)
            self.process.join()
        if self.pipe is not None:
            self.pipe.close()
        self.process = self.pipe = None
        self.loaded.clear()


def _end(process: BaseProcess) -> None:
    """End a process, and with it what it has started: another program might think on for ever."""
    if hasattr(os, "killpg") and process.pid and process.is_alive():
        with suppress(ProcessLookupError):  # it has no group of its own yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _serve(pipe: Connection, patience: int) -> None:
    """The worker's own loop: questions in, answers out, until the other end has gone."""
    follow_parent()
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    if hasattr(os, "nice"):
        os.nice(patience)
    pipe.send(None)
    while True:
        try:
            function, args = pipe.recv()
        except EOFError:
            return
        try:
            answer = (True, function(*args))
        except Exception as error:
            kind = "" if isinstance(error, TribridgeError) else f"{type(error).__name__}: "
            line = first_line(error, "no message")
            answer = (False, f"{kind}{line}" if kind else line)
        pipe.send(answer)


def choose(name: str, view: View, strategy_seed: int, deal: int) -> tuple[Action, str]:
    """A strategy's choice from a view, and its reason; it bids for the scheme of the table."""
    choice = guarded(*_asked(name, view, strategy_seed, deal))
    return choice.action, choice.reason


def reasons(name: str, view: View, strategy_seed: int, deal: int, action: Action) -> Why:
    """Why an action was chosen from a view: by a strategy, as `choose` did, or by a person."""
    if not name:
        return Why(said_for(view, action), own=False)
    strategy, view, rng = _asked(name, view, strategy_seed, deal)
    return why(strategy, view, action, rng)


def _asked(
    name: str, view: View, strategy_seed: int, deal: int
) -> tuple[Strategy, View, Generator]:
    """A strategy, which bids for the scheme of the table, with the numbers of its decision."""
    seat = Seat.NORTH if view.turn is None else view.turn
    strategy = bidding_for(find_strategy(name), view.scheme)
    return strategy, view, decision_rng(strategy_seed, deal, seat, actions_made(view))
