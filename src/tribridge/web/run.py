"""Running the server: socket, address, browser, shutdown, and connections.

Uvicorn waits for the rest of a request for ever and accepts connections until no more files can be
opened. Here a connection has `Limits.seconds` for each whole request, however the bytes trickle in.
When one address, or all addresses together, reach the limit, the connection that has been idle
longest gives way to the new one; if all are busy, the new one is closed.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import webbrowser
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EACCES, EADDRINUSE
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tribridge.errors import RunError, SettingError
from tribridge.web.app import Settings, create_app
from tribridge.web.core.store import Store
from tribridge.web.server.addresses import (
    answered_hosts,
    is_local,
    listens_to_all,
    network_address,
    web_address,
)
from tribridge.web.server.guard import visitor

_UNHEARD: Final = 30_000
"""Milliseconds after which a connection without acknowledgements is dropped."""
_QUEUE: Final = 1024
"""Connections the system queues until they are accepted."""


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


class _Connection(H11Protocol):
    """A connection with a deadline for each request, counted with the others of its server."""

    limits: Limits
    total: int
    open: Counter[str]
    """The connections of the server, by address."""
    waiting: dict[_Connection, None]
    """Connections without a whole request, longest idle first."""
    address = ""
    counted = False
    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = visitor(self.client[0] if self.client else None)
        self.counted = self._has_room()
        if self.counted:
            self.open[self.address] += 1
            self.waiting[self] = None
            self._arriving()
        else:
            transport.abort()

    def _has_room(self) -> bool:
        """Whether there is room for a connection; the one that is idle longest may give way."""
        each, known = self.limits.each, self.address not in self.limits.proxies
        crowded = known and self.open[self.address] >= each
        if not crowded and self.open.total() < self.total:
            return True
        rivals = (c for c in self.waiting if c.address == self.address or not crowded)
        oldest = next(rivals, None)
        if oldest is not None:
            oldest.drop()
        return oldest is not None

    def data_received(self, data: bytes) -> None:
        if not self.counted:
            return
        self._arriving()
        super().data_received(data)
        if self.conn.their_state not in _ARRIVING:
            self.waiting.pop(self, None)
            self._arrived()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.counted and self.conn.their_state in _ARRIVING:
            self.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close without waiting for anything."""
        self.transport.abort()
        self._leave()

    def _leave(self) -> None:
        self._arrived()
        self.waiting.pop(self, None)
        if self.counted:
            self.counted = False
            self.open[self.address] -= 1
            if not self.open[self.address]:
                del self.open[self.address]

    def _arriving(self) -> None:
        if self.deadline is None:
            self.deadline = self.loop.call_later(self.limits.seconds, self.drop)

    def _arrived(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def protocol(limits: Limits) -> type[asyncio.Protocol]:
    """A connection class with limits shared by all connections of a server."""
    shared: dict[str, Any] = {"limits": limits, "total": limits.total or _files()}
    return type("Connection", (_Connection,), shared | {"open": Counter(), "waiting": {}})


class _Server(uvicorn.Server):
    """Prints its address and opens the browser once it is up."""

    address = ""
    shared: str | None = None
    browser = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listener in sockets or ():
                listener.listen(_QUEUE)  # Uvicorn's backlog is also how many it takes at once
            print(f"The table is at {self.address}/  (press Ctrl-C to stop)", flush=True)
            if self.shared not in (None, self.address):
                print(f"Others can open {self.shared}/", flush=True)
            if self.browser:
                webbrowser.open(f"{self.address}/")


def configured(app: ASGIApp, limits: Limits) -> uvicorn.Config:
    """How Uvicorn runs the application."""
    return uvicorn.Config(
        app,
        http=protocol(limits),
        ws="none",
        backlog=AT_ONCE,
        log_level="error",  # visitors must not be able to fill the log
        access_log=False,  # paths name tables, and nobody needs to know who looked at what
        proxy_headers=bool(limits.proxies),
        forwarded_allow_ips=sorted(limits.proxies),
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
        server_header=False,
    )


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    browser: bool,
    proxies: frozenset[str] = frozenset(),
    allowed_hosts: frozenset[str] = frozenset(),
) -> None:
    """Serve until stopped.

    The X-Forwarded-For headers of `proxies` are trusted. The host names in `allowed_hosts` are
    answered; by default those that lead to the server.
    """
    listener = _listening(host, port)
    try:
        store = Store(settings.data)
    except BaseException:
        listener.close()
        raise
    if listens_to_all(host) or not is_local(host):
        print(
            f"tribridge: listening on {host}: everyone who can reach this machine there can "
            "see the tables, sit down and play. Traffic is not encrypted. Use it in a network you "
            "trust, or behind a proxy with TLS.",
            file=sys.stderr,
        )
    port, public = listener.getsockname()[1], settings.public_url
    reached = network_address(host, port)
    hosts = answered_hosts(host, public, allowed_hosts, proxied=bool(proxies))
    app = create_app(replace(settings, hosts=hosts, network_address=reached), store)
    server = _Server(configured(app, Limits(proxies=proxies)))
    loopback = "::1" if ":" in host else "127.0.0.1"
    server.address = web_address(loopback if listens_to_all(host) else host, port)
    server.shared = public or reached
    server.browser = browser
    with suppress(KeyboardInterrupt):  # Ctrl-C is the normal way to stop it
        server.run(sockets=[listener])
    listener.close()
    if not server.started:
        raise RunError("the server could not start")


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens where it was asked to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # to notice a browser that vanished
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNHEARD)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        other = "--port" if error.errno in (EADDRINUSE, EACCES) else "--host"
        raise RunError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with {other}"
        ) from None
    except UnicodeError:
        listener.close()
        raise SettingError(f"cannot listen on {host!r}: unknown host name") from None
    return listener
