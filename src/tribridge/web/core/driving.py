"""What a table does by itself: strategies act, the judge answers, a claim lapses, deals follow.

A table is driven while somebody plays or kibitzes. When everyone has been away for a while it
rests, and it goes on as soon as somebody looks at it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from tribridge.game import Action, Mark, view
from tribridge.game.view_json import action_name
from tribridge.web.core import thinking
from tribridge.web.core.events import Act, Answer, Event, Lapsed, NextDeal, Replaced, Timeout
from tribridge.web.core.room import Room, Timing
from tribridge.web.core.state import State
from tribridge.web.core.workers import FailedError, OutOfTimeError, Workers
from tribridge.web.errors import NotNowError, NotStoredError, StaleError, TooManyError

FALLBACK: Final = "maxims"
"""The strategy that replaces one that failed."""

_LOG: Final = logging.getLogger("tribridge.web")
_SECONDS_TO_JUDGE: Final = 30.0


Add = Callable[[Room, Event, int], Awaitable[State]]
"""Adds an event to a table, after another one."""


def due(state: State) -> bool:
    """Whether something is due that needs no person."""
    if state.claim is not None:
        return True
    if state.closed:
        return not state.over and not state.people
    return state.timed or (state.turn is not None and not state.places[state.turn].person)


class Driver:
    """Drives the tables of a server."""

    def __init__(self, add: Add, workers: Workers, timing: Timing) -> None:
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
            await self._add(room, NextDeal(), state.number)
        elif state.timed:
            await self._time_out(room, state)
        else:
            await self._act(room, state)

    async def _choice(self, room: Room, state: State, strategy: str, scheme: str) -> Action:
        """What a strategy chooses for the seat whose turn it is."""
        table, seat = state.table, state.turn
        assert table is not None
        assert seat is not None
        action, _ = await self._workers.ask(
            room.client,
            room.name,
            self.timing.limit,
            thinking.choose,
            strategy,
            view(table, seat),
            state.strategy_seed,
            state.deal,
            len(state.actions),
            scheme,
        )
        return action

    async def _act(self, room: Room, state: State) -> None:
        table, seat, timing = state.table, state.turn, self.timing
        assert table is not None
        assert seat is not None
        pause = timing.call
        if table.position is not None:
            pause = timing.card if table.position.trick else timing.trick
        begun = asyncio.get_running_loop().time()
        strategy = state.places[seat].strategy
        event: Event
        try:
            action = await self._choice(room, state, strategy, state.match.scheme.name)
            event = Act(seat, action_name(action))
        except (FailedError, OutOfTimeError) as error:
            _LOG.warning("%s failed to answer and was replaced", strategy)  # no cards in a log
            why = str(error) if isinstance(error, OutOfTimeError) else "failed"
            event = Replaced(seat, FALLBACK, why)
            if strategy == FALLBACK:  # even that one: the first legal action keeps the table alive
                event = Act(seat, action_name(table.legal[0]))
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
        end = room.deadline(self.timing)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, end - time.time())):
                await room.wait_past(state.since)
        if room.state.since != state.since or not self._needed(room):
            return
        action: Action = Mark.PASS
        if table.position is not None:
            action = table.legal[0]
            with contextlib.suppress(FailedError, OutOfTimeError):
                action = await self._choice(room, state, FALLBACK, "auction")
        await asyncio.sleep(max(0.0, end + self.timing.late - time.time()))
        await self._add(room, Timeout(seat, action_name(action)), state.number)

    async def _answer(self, room: Room, state: State) -> None:
        """The judge's answer to a claim, or its lapse if people do not answer in time."""
        claim, table = state.claim, state.table
        assert claim is not None
        assert table is not None
        assert table.contract is not None
        if state.answering != {claim.seat}:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.timing.answer):
                    await room.wait_past(state.since)
            if room.state.since == state.since:
                await self._add(room, Lapsed(), state.number)
            return
        declaring = claim.seat is table.contract.declarer
        ask = self._workers.ask(
            room.client,
            room.name,
            _SECONDS_TO_JUDGE,
            thinking.judge,
            table,
            claim.tricks,
            declaring,
        )
        try:
            agree = await ask
        except (FailedError, OutOfTimeError):
            agree = False
        await self._add(room, Answer("judge", agree), state.number)
