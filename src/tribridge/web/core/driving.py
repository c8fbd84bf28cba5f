"""What a table does by itself: strategies act, the judge answers, a claim lapses, deals follow.

A table is driven while somebody plays or kibitzes. When everyone has been away for a while it
rests, and it goes on as soon as somebody looks at it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Iterable
from typing import Final, Protocol

from tribridge.deals import Seat
from tribridge.errors import TribridgeError
from tribridge.game import Mark, view
from tribridge.web.core import clock, events, thinking
from tribridge.web.core.fairness import FairWorkers
from tribridge.web.core.room import Room, Timing
from tribridge.web.core.state import State, needed_answers
from tribridge.web.core.store import Event
from tribridge.web.core.workers import FailedError, OutOfTimeError
from tribridge.web.errors import NotNowError, NotStoredError, StaleError, TooManyError

FALLBACK: Final = "maxims"
"""The strategy that replaces one that failed."""

_LOG: Final = logging.getLogger("tribridge.web")
_SECONDS_TO_JUDGE: Final = 30.0


class Add(Protocol):
    """Adds an event to a table."""

    def __call__(self, room: Room, event: Event, at: int | None = None) -> Awaitable[State]: ...


def due(state: State) -> bool:
    """Whether something is due that needs no person."""
    if state.claim is not None:
        return True
    if state.closed:
        return not state.over and not state.people
    if clock.timed(state):
        return True
    return state.turn is not None and not state.places[state.turn].person


class Driver:
    """Drives the tables of a server."""

    def __init__(self, add: Add, workers: FairWorkers, timing: Timing) -> None:
        self._add, self._workers, self.timing = add, workers, timing
        self._closing = False

    def drive(self, room: Room) -> None:
        """Keep a table going if something is due and somebody attends."""
        if room.driver is None and not self._closing and self._needed(room):
            room.resumed = time.time()
            room.driver = asyncio.get_running_loop().create_task(self._drive_on(room))

    async def close(self, rooms: Iterable[Room]) -> None:
        """Stop driving."""
        self._closing = True
        tasks = [room.driver for room in rooms if room.driver is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _needed(self, room: Room) -> bool:
        return due(room.state) and room.presence.attended(self.timing.attention)

    async def _drive_on(self, room: Room) -> None:
        try:
            while self._needed(room):
                try:
                    await self._step(room)
                except (
                    NotStoredError,
                    TooManyError,
                ):  # until the disk, or the queue, has recovered
                    await asyncio.sleep(self.timing.retry)
                except (StaleError, NotNowError):  # undone while the strategy was thinking
                    await asyncio.sleep(0)
        except Exception:
            _LOG.exception("a table has stopped")
        finally:
            room.driver = None

    async def _step(self, room: Room) -> None:
        """One action of a strategy, the answer to a claim, or the next deal of strategies."""
        state, timing = room.state, self.timing
        if state.claim is not None:
            await self._answer(room, state)
        elif state.closed:
            await asyncio.sleep(4 * timing.trick)
            await self._add(room, {"kind": "next"}, state.number)
        elif clock.timed(state):
            await self._time_out(room, state)
        else:
            await self._act(room, state)

    async def _act(self, room: Room, state: State) -> None:
        table, seat, timing = state.table, state.turn, self.timing
        assert table is not None
        assert seat is not None
        pause = timing.call
        if table.position is not None:
            pause = timing.card if table.position.trick else timing.trick
        begun = asyncio.get_running_loop().time()
        event: Event = {"kind": "act", "seat": seat.letter}
        try:
            action, _ = await self._workers.ask(
                room.client,
                room.name,
                timing.limit,
                thinking.choose,
                state.places[seat].strategy,
                view(table, seat),
                state.strategy_seed,
                state.deal,
                len(state.actions),
                state.match.scheme.name,
            )
            event["action"] = events.action_name(action)
        except (FailedError, OutOfTimeError) as error:
            event = _instead(state, seat, error)
        rest = pause - (asyncio.get_running_loop().time() - begun)
        if rest > 0:
            await asyncio.sleep(rest)
        await self._add(room, event, state.number)

    async def _time_out(self, room: Room, state: State) -> None:
        """Wait for a person to act; act for them when their time is over and somebody is there.

        The action comes at a fixed time, so that it says nothing about how hard it was to choose.
        """
        table, seat = state.table, state.turn
        assert table is not None
        assert seat is not None
        end = clock.deadline(room, state, self.timing)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, end - time.time())):
                await room.wait_past(state.since)
        if room.state.since != state.since or not self._needed(room):
            return
        event: Event = {"kind": "timeout", "seat": seat.letter, "action": Mark.PASS.value}
        if table.position is not None:
            choice = events.action_name(table.legal[0])
            with contextlib.suppress(FailedError, OutOfTimeError):
                action, _ = await self._workers.ask(
                    room.client,
                    room.name,
                    self.timing.limit,
                    thinking.choose,
                    FALLBACK,
                    view(table, seat),
                    state.strategy_seed,
                    state.deal,
                    len(state.actions),
                )
                choice = events.action_name(action)
            event["action"] = choice
        await asyncio.sleep(max(0.0, end + self.timing.late - time.time()))
        await self._add(room, event, state.number)

    async def _answer(self, room: Room, state: State) -> None:
        """The judge's answer to a claim, or its lapse if people do not answer in time."""
        claim, table = state.claim, state.table
        assert claim is not None
        assert table is not None
        assert table.contract is not None
        if needed_answers(state) != {claim.seat}:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.timing.answer):
                    await room.wait_past(state.since)
            if room.state.since == state.since:
                await self._add(room, {"kind": "lapsed"}, state.number)
            return
        declaring = claim.seat is table.contract.declarer
        try:
            agree = await self._workers.ask(
                room.client,
                room.name,
                _SECONDS_TO_JUDGE,
                thinking.judge,
                table,
                claim.tricks,
                declaring,
            )
        except (FailedError, OutOfTimeError):
            agree = False
        await self._add(room, {"kind": "answer", "seat": "judge", "agree": agree}, state.number)


def _instead(state: State, seat: Seat, error: TribridgeError) -> Event:
    """Replace a strategy that failed by another, with a note."""
    name = state.places[seat].strategy
    _LOG.warning("%s failed to answer and was replaced", name)  # no cards in a log
    if name != FALLBACK:
        why = str(error) if isinstance(error, OutOfTimeError) else "failed"
        return {"kind": "replaced", "seat": seat.letter, "strategy": FALLBACK, "why": why}
    # Even that one failed: the first legal action keeps the table alive.
    assert state.table is not None
    first = events.action_name(state.table.legal[0])
    return {"kind": "act", "seat": seat.letter, "action": first}
