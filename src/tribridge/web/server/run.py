"""Running the server: socket, address, browser, shutdown."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES, EADDRINUSE
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from tribridge.errors import RunError, SettingError
from tribridge.web.server.app import LOOPBACK, Settings, create_app
from tribridge.web.server.connections import AT_ONCE, Limits, protocol
from tribridge.web.table.room import SETTLE, Timing
from tribridge.web.table.store import Store

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

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach it."""
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


class _Server(uvicorn.Server):
    """Prints its address and opens the browser once it is up."""

    address = ""
    browser = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listener in sockets or ():
                listener.listen(_QUEUE)  # Uvicorn's backlog is also how many it takes at once
            print(f"The table is at {self.address}  (press Ctrl-C to stop)", flush=True)
            if self.browser:
                webbrowser.open(self.address)


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
    app = create_app(
        Settings(
            plan.data,
            plan.paper,
            timing,
            plan.processes,
            seed=plan.seed,
            keep=plan.keep,
            # Behind a proxy the public name is the proxy's business.
            hosts=frozenset() if plan.open_to_others or plan.proxies else LOOPBACK,
        ),
        store,
    )
    server = _Server(configured(app, Limits(proxies=plan.proxies)))
    host = f"[{plan.host}]" if ":" in plan.host else plan.host
    server.address = f"http://{host}:{listener.getsockname()[1]}/"
    server.browser = plan.browser
    with suppress(KeyboardInterrupt):  # Ctrl-C is the normal way to stop it
        server.run(sockets=[listener])
    listener.close()
    if not server.started:
        raise RunError("the server could not start")
