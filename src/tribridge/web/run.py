"""Running the server: socket, address, browser, shutdown."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import suppress
from dataclasses import replace
from errno import EACCES, EADDRINUSE
from typing import Final

import uvicorn
from starlette.types import ASGIApp

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
from tribridge.web.server.connections import AT_ONCE, Limits, protocol

_UNHEARD: Final = 30_000
"""Milliseconds after which a connection without acknowledgements is dropped."""
_QUEUE: Final = 1024
"""Connections the system queues until they are accepted."""


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
