"""Running the server: socket, address, browser, shutdown, and slow connections.

Uvicorn waits for the rest of a request for ever. Here a connection has some seconds for each whole
request, however the bytes trickle in. How many connections one address may open is left to the
proxy in front of a server that strangers can reach.
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
from tribridge.common.errors import RunError, SettingError
from tribridge.common.parallel import follow_parent

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


class _Connection(HttpToolsProtocol):
    """A connection that is closed if a request is too slow to arrive, or its head too long."""

    seconds: float
    deadline: asyncio.TimerHandle | None = None
    head: int | None = None
    """Bytes of a head that has not arrived completely."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arriving()

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

    def on_headers_complete(self) -> None:
        self.head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._arrived()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def _arriving(self) -> None:
        if self.deadline is None:
            self.deadline = self.loop.call_later(self.seconds, self.transport.abort)

    def _arrived(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def collect_seldom() -> None:
    """Search for garbage seldom: with hundreds of tables, a search through all takes a while."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(*_GARBAGE)


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
            if self.address:
                print(f"The table is at {self.address}/  (press Ctrl-C to stop)", flush=True)
            if self.address and self.shared not in (None, self.address):
                print(f"Others can open {self.shared}/", flush=True)
            if self.browser:
                webbrowser.open(f"{self.address}/")


def configured(
    app: ASGIApp, proxies: frozenset[str] = frozenset(), seconds: float = _SECONDS
) -> uvicorn.Config:
    """How Uvicorn runs the application."""
    return uvicorn.Config(
        app,
        http=type("Connection", (_Connection,), {"seconds": seconds}),
        ws="none",
        backlog=_AT_ONCE,
        log_level="error",  # visitors must not be able to fill the log
        access_log=False,  # paths name tables, and nobody needs to know who looked at what
        proxy_headers=bool(proxies),
        forwarded_allow_ips=sorted(proxies),
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
    collect_seldom()
    server = _Server(configured(create_app(settings, store), proxies))
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
