"""A table in memory: its time limits, who is there, and how long a person has left.

Presence is not stored; after a restart everyone counts as just seen. The turn timer goes by the
wall clock, so that it survives a restart.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from math import inf
from typing import Final

from tribridge.deals import Seat
from tribridge.web.core.state import State

SETTLE: Final = 0.35


@dataclass(frozen=True, slots=True)
class Timing:
    """How long strategies may think, how fast they act, and how long the table waits for people."""

    limit: float = 10.0
    call: float = 0.7
    card: float = 0.7
    trick: float = 1.5
    """Pause before the first card of a new trick, so that people can see the last one."""
    silence: float = 60.0
    """Seconds after which a strategy may play for an absent person."""
    attention: float = 60.0
    """Seconds a table keeps going after anyone last looked at it."""
    settle: float = SETTLE
    """Seconds after an action on a page in which another one from the same seat is ignored."""
    answer: float = 30.0
    """Seconds after which a claim that nobody has answered lapses."""
    retry: float = 2.0
    """Seconds before retrying to store a strategy's action."""
    late: float = 1.0
    """Seconds between the end of a turn and the action chosen for it, whatever that is."""
    grace: float = 10.0
    """Seconds that a turn has at least when a table goes on after a rest or a restart."""


@dataclass(slots=True)
class Presence:
    """The players and kibitzers of one table."""

    since: float = field(default_factory=time.monotonic)
    _open: Counter[Seat | None] = field(default_factory=Counter)
    _last: dict[Seat, float] = field(default_factory=dict)
    _looked: float = -inf
    """When anyone last requested anything from the table."""
    changed: Callable[[], None] = lambda: None
    """Called when somebody comes or goes."""

    def here(self, seat: Seat) -> bool:
        """Whether a player has the table open."""
        return self._open[seat] > 0

    @property
    def onlookers(self) -> int:
        """How many have the table open without a seat."""
        return self._open[None]

    def looked(self) -> None:
        """Someone, perhaps a kibitzer, has just made a request."""
        self._looked = time.monotonic()

    def idle(self) -> float:
        """Seconds since anybody at all was there."""
        return 0.0 if self._open.total() else time.monotonic() - self._looked

    def attended(self, within: float) -> bool:
        """Whether anyone is playing or kibitzing, or was recently."""
        return self.idle() <= within

    def needed(self, within: float) -> bool:
        """Whether anyone was there recently, or the table was recently listed."""
        return self.attended(within) or time.monotonic() - self.since <= within

    def seen(self, seat: Seat) -> None:
        """A player has just made a request."""
        self._last[seat] = time.monotonic()

    def silence(self, seat: Seat) -> float:
        """Seconds since a player was last there."""
        if self._open[seat]:
            return 0.0
        return time.monotonic() - self._last.get(seat, self.since)

    async def during(self, seat: Seat | None, updates: AsyncIterator[str]) -> AsyncIterator[str]:
        """A live stream of a player or kibitzer, who counts as present while it is open."""
        self._open[seat] += 1
        self.changed()
        try:
            async for text in updates:
                yield text
        finally:
            self._open[seat] -= 1
            self.changed()
            self.looked()
            if seat is not None:
                self.seen(seat)


@dataclass(eq=False)
class Room:
    """A table in memory."""

    name: str
    state: State
    client: str = ""
    """The visitor whose turns its strategies use: whoever opened it, or woke it up."""
    doubtful: bool = False
    """Whether the last event may or may not have been stored: only the disk knows."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    clicked: dict[Seat, float] = field(default_factory=dict)
    """When a seat last acted on a page."""
    driver: asyncio.Task[None] | None = None
    presence: Presence = field(default_factory=Presence)
    pulse: int = 0
    """How often somebody has come or gone."""
    resumed: float = 0.0
    """When the table last began to be driven, as Unix time."""
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a rematch is opened."""

    def __post_init__(self) -> None:
        self.presence.changed = self._stir

    async def wait(self, number: int) -> State:
        """Wait until the state has more events than `number`."""
        while self.state.number <= number:
            await self.changed.wait()
        return self.state

    async def wait_past(self, since: int) -> None:
        """Wait for an event that concerns the turn which began after event `since`."""
        while self.state.since <= since:
            await self.changed.wait()

    async def news(self, number: int, pulse: int) -> State:
        """Wait until the state has more events than `number`, or somebody has come or gone."""
        while self.state.number <= number and self.pulse == pulse:
            await self.changed.wait()
        return self.state

    def deadline(self, timing: Timing) -> float:
        """When the current turn ends, as Unix time.

        Nobody loses a turn because the server was down or the table rested: there is some time
        left when it goes on.
        """
        seconds = self.state.options.turn_seconds or 0.0
        return max(self.state.turn_since + seconds, self.resumed + min(timing.grace, seconds))

    def seconds_left(self, timing: Timing) -> float | None:
        """Seconds until the current turn ends; None without a timer, or if a bot is to act."""
        return max(0.0, self.deadline(timing) - time.time()) if self.state.timed else None

    def show(self, state: State) -> None:
        """Publish a new state."""
        self.state = state
        self._wake()

    def _stir(self) -> None:
        self.pulse += 1
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()
