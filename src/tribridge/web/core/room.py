"""A table in memory, and its time limits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from tribridge.deals import Seat
from tribridge.web.core.presence import Presence
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
