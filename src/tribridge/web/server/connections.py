"""Connections: how long a request may take to arrive, and how many are open at once.

Uvicorn waits for the rest of a request for ever and accepts connections until no more files can be
opened. Here a connection has `Limits.seconds` for each whole request, however the bytes trickle in.
When one address, or all addresses together, reach the limit, the connection that has been idle
longest gives way to the new one; if all are busy, the new one is closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tribridge.web.server.guard import visitor

AT_ONCE: Final = 32
"""Connections accepted before any of them can be examined."""
_MOST: Final = 4000
_OTHER_FILES: Final = 64 + 3 * AT_ONCE
"""Files for the store, workers and pages, and for connections not yet examined."""
_ARRIVING: Final = (h11.IDLE, h11.SEND_BODY)
"""States of the client in which no whole request has arrived."""


def _files() -> int:
    """How many connections the limit on open files leaves room for."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows, where sockets are not counted as files
        return _MOST
    files = getrlimit(RLIMIT_NOFILE)[0]
    return _MOST if files < 0 else max(AT_ONCE, min(_MOST, files - _OTHER_FILES))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on connections."""

    seconds: float = 20.0
    """Time for each request to arrive completely."""
    each: int = 120
    """Open connections per address; a browser opens up to six."""
    total: int = 0
    """Open connections in all; 0 for what the limit on open files leaves room for."""
    proxies: frozenset[str] = frozenset()
    """Addresses (of proxies) that connect for many others and count only towards the total."""


class _Doorkeeper:
    """Counts the connections of a server."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.total = limits.total or _files()
        self.open: Counter[str] = Counter()
        self.waiting: dict[_Connection, None] = {}
        """Connections without a whole request, longest idle first."""

    def enter(self, connection: _Connection) -> bool:
        """Count a connection; False if there is no room for it."""
        address = connection.address
        crowded = address not in self.limits.proxies and self.open[address] >= self.limits.each
        if crowded or self.open.total() >= self.total:
            rivals = (c for c in self.waiting if c.address == address or not crowded)
            oldest = next(rivals, None)
            if oldest is None:
                return False
            oldest.drop()
        self.open[address] += 1
        self.waiting[connection] = None
        return True

    def leave(self, connection: _Connection) -> None:
        """Stop counting a connection."""
        self.waiting.pop(connection, None)
        self.open[connection.address] -= 1
        if not self.open[connection.address]:
            del self.open[connection.address]


class _Connection(H11Protocol):
    """A connection counted by the doorkeeper."""

    keeper: _Doorkeeper
    counted = False
    address = ""
    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = visitor(self.client[0] if self.client else None)
        self.counted = self.keeper.enter(self)
        if self.counted:
            self._arriving()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self.counted:
            return
        self._arriving()
        super().data_received(data)
        if self.conn.their_state not in _ARRIVING:
            self.keeper.waiting.pop(self, None)
            self._arrived()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.counted and self.conn.their_state in _ARRIVING:
            self.keeper.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        if self.counted:
            self.counted = False
            self.keeper.leave(self)
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close without waiting for anything."""
        self.transport.abort()
        if self.counted:
            self.counted = False
            self.keeper.leave(self)

    def _arriving(self) -> None:
        if self.deadline is None:
            self.deadline = self.loop.call_later(self.keeper.limits.seconds, self.drop)

    def _arrived(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def protocol(limits: Limits) -> type[asyncio.Protocol]:
    """A connection class with limits shared by all connections of a server."""
    attributes: dict[str, Any] = {"keeper": _Doorkeeper(limits)}
    return type("Connection", (_Connection,), attributes)
