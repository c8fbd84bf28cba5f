"""Who is there: which seats have a page open, and when each was last heard of.

It is of the moment and is not stored; after a restart everyone counts as just seen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from tribridge.deals import Seat


@dataclass(slots=True)
class Presence:
    """The persons of one table."""

    since: float = field(default_factory=time.monotonic)
    _open: Counter[Seat] = field(default_factory=Counter)
    _last: dict[Seat, float] = field(default_factory=dict)

    def seen(self, seat: Seat) -> None:
        """A person has just asked for something."""
        self._last[seat] = time.monotonic()

    def silence(self, seat: Seat) -> float:
        """Seconds since a person was there."""
        if self._open[seat]:
            return 0.0
        return time.monotonic() - self._last.get(seat, self.since)

    async def during(self, seat: Seat | None, updates: AsyncIterator[str]) -> AsyncIterator[str]:
        """A person's live stream: while it is open they are there."""
        if seat is None:
            async for text in updates:
                yield text
            return
        self._open[seat] += 1
        try:
            async for text in updates:
                yield text
        finally:
            self._open[seat] -= 1
            self.seen(seat)
