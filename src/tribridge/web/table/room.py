"""A table in memory, and the times that rule it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from tribridge.deals import Seat
from tribridge.web.table.presence import Presence
from tribridge.web.table.state import State

SETTLE: Final = 0.35


@dataclass(frozen=True, slots=True)
class Timing:
    """How long strategies may think, how fast they act, and how long is waited for whom."""

    limit: float = 10.0
    call: float = 0.7
    card: float = 0.7
    trick: float = 1.5
    """Before the first card of a new trick, so that the last one can be seen."""
    silence: float = 60.0
    """Seconds after which a person who is not there may be played for."""
    attention: float = 60.0
    """Seconds for which a table goes on after anybody has looked at it."""
    settle: float = SETTLE
    """Seconds after an action on a page in which the same seat's next one is not taken."""
    answer: float = 30.0
    """Seconds after which a claim that nobody has answered lapses."""
    retry: float = 2.0
    """Seconds before a strategy's action that could not be stored is tried again."""


@dataclass(eq=False)
class Room:
    """A table in memory."""

    name: str
    state: State
    client: str = ""
    """The visitor for whom its strategies think: who opened it, or woke it up."""
    doubtful: bool = False
    """Whether an event may or may not have been stored: the disk knows."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    clicked: dict[Seat, float] = field(default_factory=dict)
    """When a seat last acted on a page."""
    driver: asyncio.Task[None] | None = None
    presence: Presence = field(default_factory=Presence)

    async def wait(self, number: int) -> State:
        """The state, once it has more events than `number`."""
        while self.state.number <= number:
            await self.changed.wait()
        return self.state

    def show(self, state: State) -> None:
        """Let everyone see a new state."""
        self.state = state
        self.changed.set()
        self.changed = asyncio.Event()
