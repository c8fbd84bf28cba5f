"""Running the server: socket, address, browser, shutdown, and slow connections.

Uvicorn waits for the rest of a request for ever. Here a connection has some seconds for each whole
request, however the bytes trickle in. Of one address only some may wait at once without having sent
one, a trusted proxy's aside: the oldest makes room for the next. So do others when the descriptors
of the process, of which it takes as many as the system allows, run out.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import signal
import socket
import sys
import time
import webbrowser
from contextlib import suppress
from dataclasses import replace
from errno import EACCES, EADDRINUSE
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tribridge.club.app import Settings, create_app
from tribridge.club.core.open_store import open_store
from tribridge.club.core.store import Store
from tribridge.club.server import addresses
from tribridge.club.server.guard import visitor
from tribridge.club.server.logs import write_json
from tribridge.common.errors import RunError, SettingError
from tribridge.common.parallel import follow_parent

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_UNHEARD: Final = 30_000
"""Milliseconds after which a connection without acknowledgements is dropped."""
_AGAIN: Final = 0.5
"""Seconds before a server process that ended is replaced."""
_GARBAGE: Final = (50_000, 20, 100)
_QUEUE: Final = 1024
"""Connections the system queues until they are accepted."""
_AT_ONCE: Final = 32
"""Connections one process accepts at once: others share the socket."""
_SECONDS: Final = 20.0
"""For each request to arrive completely."""
_HEAD: Final = 1 << 16
"""Most bytes of a request before its body."""


_DESCRIPTORS: Final = 65_536
"""Open files and connections that a server asks the system for."""
_RESERVE: Final = 200
"""Descriptors that connections leave to the store, the workers, files, and others that have come
since: three times `_AT_ONCE` are accepted before the first of them is counted."""
_FROM_ONE: Final = 32
"""Connections of one address that may wait at once without a whole request."""
_GRACE: Final = 1.0
"""Seconds that each of them has in any case, unless descriptors run out."""
_ENDING: Final = 1
"""Seconds that a server which stops waits for its answers."""
_HANG_UP: Final = 0.8
"""Seconds after which it hangs up on those that are still on their way."""


class Doors:
    """The connections of a server process, and those that can be spared."""

    def __init__(self, most: int, proxies: frozenset[str] = frozenset()) -> None:
        self.most, self.proxies = most, proxies
        self.open = 0
        self.waiting: dict[str, dict[_Connection, float]] = {}
        """Those without a whole request, by address, the oldest first, and since when."""
        self.idle: dict[_Connection, None] = {}
        """Those that have been answered and may ask again, the oldest first."""

    def enter(self, connection: _Connection, address: str) -> None:
        """A new connection: older ones go if there are too many."""
        now = time.monotonic()
        self.open += 1
        own = self.waiting.setdefault(address, {})
        own[connection] = now
        while len(own) > _FROM_ONE and address not in self.proxies:
            oldest, since = next(iter(own.items()))
            if now - since < _GRACE:  # its request may be on the way
                break
            oldest.give_way()
        if self.open > self.most:
            crowd = max(self.waiting.values(), key=len)
            spare = crowd if len(crowd) > 1 or not self.idle else self.idle
            next(iter(spare)).give_way()

    def serve(self, connection: _Connection, address: str) -> None:
        """A whole request has come."""
        self.idle.pop(connection, None)
        own = self.waiting.get(address, {})
        own.pop(connection, None)
        if not own:
            self.waiting.pop(address, None)

    def rest(self, connection: _Connection) -> None:
        """A request was answered."""
        self.idle[connection] = None

    def leave(self, connection: _Connection, address: str) -> None:
        self.open -= 1
        self.serve(connection, address)


class _Connection(HttpToolsProtocol):
    """A connection that is closed if a request is too slow to arrive, or its head too long."""

    seconds: float
    doors: Doors
    address = ""
    deadline: asyncio.TimerHandle | None = None
    head: int | None = None
    """Bytes of a head that has not arrived completely."""
    measured = 0
    """Bytes of the parts of a head that have arrived."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = visitor(peer[0] if peer else None)
        self._arriving()
        self.doors.enter(self, self.address)

    def data_received(self, data: bytes) -> None:
        self._arriving()
        super().data_received(data)
        if self.head is not None:
            self.head += len(data)
            if self.head > _HEAD:
                self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.head = 0
        self._arriving()

    def on_url(self, url: bytes) -> None:
        self._measure(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._measure(len(name) + len(value) + 4)
        super().on_header(name, value)

    def _measure(self, size: int) -> None:
        """Refuse a head that is too long, though it came in one piece."""
        self.measured += size
        if self.measured > _HEAD:
            raise ValueError("the head is too long")  # the parser answers with a 400

    def on_headers_complete(self) -> None:
        self.head, self.measured = None, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._arrived()
        self.doors.serve(self, self.address)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self.doors.rest(self)

    def give_way(self) -> None:
        """Make room for another connection."""
        self.doors.serve(self, self.address)
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        self.doors.leave(self, self.address)
        super().connection_lost(exc)

    def _arriving(self) -> None:
        if self.deadline is None:
            self.deadline = self.loop.call_later(self.seconds, self.transport.abort)

    def _arrived(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def take_descriptors() -> int:
    """Take as many descriptors as the system allows, up to a limit; how many there are."""
    if resource is None:
        return _DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    wanted = max(soft, _DESCRIPTORS if unlimited else min(hard, _DESCRIPTORS))
    with suppress(OSError, ValueError):  # what there is must do
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def collect_seldom() -> None:
    """Search for garbage seldom: with hundreds of tables, a search through all takes a while."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(*_GARBAGE)


class _Server(uvicorn.Server):
    """Prints its address and opens the browser once it is up; hangs up on streams in the end."""

    address = ""
    shared: str | None = None
    browser = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listener in sockets or ():
                listener.listen(_QUEUE)  # Uvicorn's backlog is also how many it takes at once
            if self.address:
                print(f"The table is at {self.address}/  (press Ctrl-C to stop)", flush=True)
            if self.address and self.shared not in (None, self.address):
                print(f"Others can open {self.shared}/", flush=True)
            if self.browser:
                webbrowser.open(f"{self.address}/")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A stream has no end: Uvicorn would cancel it, and write a traceback for each.
        hang_up = asyncio.get_running_loop().call_later(_HANG_UP, self._hang_up)
        await super().shutdown(sockets)
        hang_up.cancel()

    def _hang_up(self) -> None:
        for connection in tuple(self.server_state.connections):
            connection.transport.close()


def configured(
    app: ASGIApp,
    proxies: frozenset[str] = frozenset(),
    seconds: float = _SECONDS,
    descriptors: int = _DESCRIPTORS,
) -> uvicorn.Config:
    """How Uvicorn runs the application."""
    doors = Doors(max(descriptors - _RESERVE, descriptors // 2), proxies)
    return uvicorn.Config(
        app,
        http=type("Connection", (_Connection,), {"seconds": seconds, "doors": doors}),
        ws="none",
        backlog=_AT_ONCE,
        log_level="error",  # visitors must not be able to fill the log
        access_log=False,  # paths name tables, and nobody needs to know who looked at what
        proxy_headers=bool(proxies),
        forwarded_allow_ips=sorted(proxies),
        timeout_graceful_shutdown=_ENDING,
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
    processes: int = 1,
) -> None:
    """Serve until stopped.

    The X-Forwarded-For headers of `proxies` are trusted. The host names in `allowed_hosts` are
    answered; by default those that lead to the server.
    """
    listener = _listening(host, port)
    try:
        store = open_store(settings.data)
        if processes > 1:
            store.close()  # each process opens it for itself
    except BaseException:
        listener.close()
        raise
    if addresses.listens_to_all(host) or not addresses.is_local(host):
        print(
            f"tribridge: listening on {host}: everyone who can reach this machine there can "
            "see the tables, sit down and play. Traffic is not encrypted. Use it in a network you "
            "trust, or behind a proxy with TLS.",
            file=sys.stderr,
        )
    port, public = listener.getsockname()[1], settings.public_url
    reached = addresses.network_address(host, port)
    hosts = addresses.answered_hosts(host, public, allowed_hosts, proxied=bool(proxies))
    loopback = "::1" if ":" in host else "127.0.0.1"
    address = addresses.web_address(loopback if addresses.listens_to_all(host) else host, port)
    settings = replace(settings, hosts=hosts, network_address=reached)
    if processes > 1:
        _serve_together(processes, settings, listener, proxies, address, browser)
    else:
        _serve_on(settings, listener, proxies, address, browser, store)


def _serve_on(
    settings: Settings,
    listener: socket.socket,
    proxies: frozenset[str],
    address: str,
    browser: bool,
    store: Store | None = None,
) -> None:
    """Serve what arrives at a socket."""
    if settings.log_json:
        write_json()
    collect_seldom()
    config = configured(create_app(settings, store), proxies, descriptors=take_descriptors())
    server = _Server(config)
    server.address, server.browser = address, browser
    server.shared = settings.public_url or settings.network_address
    with suppress(KeyboardInterrupt):  # Ctrl-C is the normal way to stop it
        server.run(sockets=[listener])
    listener.close()
    if not server.started:
        raise RunError("the server could not start")


def _child(*given: Any) -> None:
    follow_parent()
    _serve_on(*given)


def _serve_together(processes: int, *given: Any) -> None:
    """Serve with several processes at one socket; one that ends is replaced."""
    context = multiprocessing.get_context("spawn")
    settings, listener, proxies, address, browser = given

    def start(number: int) -> BaseProcess:
        named = (address, browser) if number == 0 else ("", False)
        child = context.Process(target=_child, args=(settings, listener, proxies, *named))
        child.start()
        return child

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    children = [start(number) for number in range(processes)]
    try:
        while True:
            wait([child.sentinel for child in children])
            time.sleep(_AGAIN)
            for number, child in enumerate(children):
                if not child.is_alive():
                    children[number] = start(number)
    except KeyboardInterrupt:
        pass
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.join()
        listener.close()


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
