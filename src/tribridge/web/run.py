"""Running the server: socket, address, browser, shutdown."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES, EADDRINUSE
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from tribridge.errors import RunError, SettingError
from tribridge.web.app import Settings, create_app
from tribridge.web.core.room import SETTLE, Timing
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlan:
    """How to run the server."""

    host: str
    port: int
    data: Path
    browser: bool
    think: float
    pace: float
    processes: int
    paper: Path
    seed: int | None = None
    keep: float = 30.0
    """Days an unfinished table is kept after its last event."""
    proxies: frozenset[str] = frozenset()
    """Addresses of proxies whose X-Forwarded-For header is trusted."""
    public_url: str | None = None
    """Where others reach it, if not at the address of this machine."""
    allowed_hosts: frozenset[str] = frozenset()
    """Host names it answers to; by default those that lead to it."""

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach it."""
        return listens_to_all(self.host) or not is_local(self.host)


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


def serve(plan: ServerPlan) -> None:
    """Serve until stopped."""
    family = socket.AF_INET6 if ":" in plan.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # to notice a browser that vanished
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNHEARD)
    try:
        listener.bind((plan.host, plan.port))
    except OSError as error:
        listener.close()
        other = "--port" if error.errno in (EADDRINUSE, EACCES) else "--host"
        raise RunError(
            f"cannot listen on {plan.host} port {plan.port}: {error.strerror}; "
            f"choose another with {other}"
        ) from None
    except UnicodeError:
        listener.close()
        raise SettingError(f"cannot listen on {plan.host!r}: unknown host name") from None
    try:
        store = Store(plan.data)
    except BaseException:
        listener.close()
        raise
    if plan.open_to_others:
        print(
            f"tribridge: listening on {plan.host}: everyone who can reach this machine there can "
            "see the tables, sit down and play. Traffic is not encrypted. Use it in a network you "
            "trust, or behind a proxy with TLS.",
            file=sys.stderr,
        )
    timing = Timing(plan.think, plan.pace, plan.pace, 2 * plan.pace, settle=min(SETTLE, plan.pace))
    port = listener.getsockname()[1]
    reached = network_address(plan.host, port)
    app = create_app(
        Settings(
            plan.data,
            plan.paper,
            timing,
            plan.processes,
            seed=plan.seed,
            keep=plan.keep,
            hosts=answered_hosts(
                plan.host, plan.public_url, plan.allowed_hosts, proxied=bool(plan.proxies)
            ),
            public_url=plan.public_url,
            network_address=reached,
        ),
        store,
    )
    server = _Server(configured(app, Limits(proxies=plan.proxies)))
    loopback = "::1" if ":" in plan.host else "127.0.0.1"
    server.address = web_address(loopback if listens_to_all(plan.host) else plan.host, port)
    server.shared = plan.public_url or reached
    server.browser = plan.browser
    with suppress(KeyboardInterrupt):  # Ctrl-C is the normal way to stop it
        server.run(sockets=[listener])
    listener.close()
    if not server.started:
        raise RunError("the server could not start")
