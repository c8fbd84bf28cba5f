"""Presence: who has a page open, and when each person was last seen.

Presence is not stored; after a restart everyone counts as just seen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from math import inf

from tribridge.deals import Seat


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
