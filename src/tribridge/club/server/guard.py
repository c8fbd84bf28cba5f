"""The guard: what a request must satisfy before any page sees it.

Bodies are read here, up to a limit; requests are rate-limited per client; requests from other
sites' pages are rejected; and every response carries headers that confine the browser to this
server. A cookie set over TLS is sent over TLS only. What answers GET also answers HEAD, with the
same headers and no body. Under `/api/` a rejection is JSON, elsewhere one line of text.

The language is the one chosen on the page, else what the browser asks for, else English; programs
under `/api/` are always answered in English.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import Counter
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tribridge.club.language import COOKIE, DEFAULT, gettext, preferred, speaking
from tribridge.club.server.logs import REQUEST

MOST_BYTES: Final = 64 * 1024
"""Longer than any form on these pages."""
MOST_UPLOADED: Final = 16 * 1024 * 1024
"""For a file of games: as many deals as may be imported, of 8 KB each."""
_LENGTH: Final = re.compile("[0-9]{1,12}")
_MOST_DRAINED: Final = 4 * MOST_UPLOADED
_SECONDS_DRAINED: Final = 1.0
"""For which a client may pause before the rest of a body that is too long."""
_TOO_LARGE: Final = 413
UPLOADS: Final = frozenset({"/me/import", "/api/me/import"})

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "manifest-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_HSTS: Final = "max-age=31536000"
"""Who came by TLS once comes by TLS for a year."""
_HEAD: Final = "tribridge.head"
"""Marks a HEAD request, which the pages see as a GET."""
_MOST_CLIENTS: Final = 10_000
_IPV6_SITE: Final = 64
_HOST: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9._-]+)|\[(?P<six>[0-9A-Fa-f:.]+)\])(?::[0-9]*)?")


@lru_cache(maxsize=4096)
def visitor(address: str | None) -> str:
    """The visitor behind an address: all IPv6 addresses of one network are one visitor.

    >>> visitor("10.0.0.7"), visitor("::ffff:10.0.0.7"), visitor("2001:db8::1:2")
    ('10.0.0.7', '10.0.0.7', '2001:db8::')
    """
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> _IPV6_SITE << _IPV6_SITE))


@dataclass(slots=True)
class Buckets:
    """A token bucket for each client: `rate` requests a second, up to `burst` saved up."""

    rate: float
    burst: float
    spent: Counter[str] | None = None
    """What clients have paid since other servers were last told, if there are others."""
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, client: str, cost: float = 1.0, now: float | None = None) -> float:
        """Pay for a request; returns 0, or the seconds to wait.

        >>> buckets = Buckets(rate=1, burst=2)
        >>> [buckets.take("a", now=0.0) for _ in range(3)], buckets.take("a", now=1.0)
        ([0.0, 0.0, 1.0], 0.0)
        """
        now = time.monotonic() if now is None else now
        level = self._level(client, now)
        if level < cost:
            self._levels[client] = (level, now)
            return (cost - level) / self.rate
        self._levels[client] = (level - cost, now)
        if self.spent is not None:
            self.spent[client] += cost  # type: ignore[assignment]
        if len(self._levels) > _MOST_CLIENTS:
            low = [key for key in self._levels if self._level(key, now) < self.burst - 1]
            self._levels = {key: self._levels[key] for key in low}
        return 0.0

    def charge(self, client: str, cost: float) -> None:
        """Take note of what a client has paid to another server."""
        now = time.monotonic()
        self._levels[client] = (max(0.0, self._level(client, now) - cost), now)

    def _level(self, client: str, now: float) -> float:
        level, since = self._levels.get(client, (self.burst, now))
        return min(self.burst, level + (now - since) * self.rate)


@dataclass(slots=True)
class Answers:
    """What a server has answered since it started."""

    statuses: Counter[int] = field(default_factory=Counter)
    """How many responses had each status."""
    refusals: Counter[str] = field(default_factory=Counter)
    """How many requests were refused for each reason."""


class Guard:
    """The ASGI layer around the pages."""

    def __init__(
        self,
        app: ASGIApp,
        buckets: Buckets | None,
        hosts: frozenset[str],
        public_url: str | None = None,
        bans: Container[str] = (),
        answers: Answers | None = None,
    ) -> None:
        self.app, self.buckets, self.hosts, self.public_url = app, buckets, hosts, public_url
        self.bans = bans
        self.answers = answers or Answers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        REQUEST.set(secrets.token_hex(8))  # each request is a task of its own
        language = _language(Request(scope))
        with speaking(language):
            await self._answer(scope, receive, send, language)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, language: str) -> None:
        head = scope["method"] == "HEAD"
        secure = self._encrypted(scope)

        async def send_with_headers(message: Message) -> None:
            if head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                headers["x-request-id"] = REQUEST.get()
                self.answers.statuses[message["status"]] += 1
                if headers.get("content-type", "").startswith("text/html"):
                    headers["content-language"] = language
                    headers.add_vary_header("accept-language, cookie")
                for key, value in _HEADERS.items():
                    headers.setdefault(key, value)
                if secure:
                    headers.setdefault("strict-transport-security", _HSTS)
                    message["headers"] = [
                        (key, value + b"; Secure" if key == b"set-cookie" else value)
                        for key, value in message["headers"]
                    ]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            body = await _read(receive, _most(scope))
            if body is None:
                return  # the client left before the request was complete
            if isinstance(body, bytes):
                inner = {**scope, "method": "GET", _HEAD: True} if head else scope
                await self.app(inner, _replayed(body, receive), send_with_headers)
                return
            refusal = self._too_large(scope)
        if not self._banned(scope):
            await _drain(receive)  # or the client, still sending, would not see the answer
        refusal.headers["connection"] = "close"  # the rest of the body is not read
        await refusal(scope, receive, send_with_headers)

    def _encrypted(self, scope: Scope) -> bool:
        """Whether the visitor's connection uses TLS, directly or up to the proxy."""
        public = self.public_url or ""
        host = Headers(scope=scope).get("host", "")
        return scope.get("scheme") == "https" or public == f"https://{host}"

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        client = visitor(scope["client"][0] if scope.get("client") else None)
        host, refuse = headers.get("host", ""), partial(self._refused, scope["path"])
        if self._banned(scope):
            return refuse("banned", gettext("this server does not answer your network"), 403)
        if len(headers.getlist("host")) > 1:
            return refuse("host", gettext("a request has one Host header"), 400)
        if self.hosts and _name(host) not in self.hosts:
            return refuse("host", gettext("this server does not answer to that host name"), 421)
        wait = 0.0 if self.buckets is None else self.buckets.take(client)
        if wait:
            seconds = {"retry-after": str(int(wait) + 1)}
            return refuse("rate", gettext("too many requests: wait a moment"), 429, seconds)
        origin, own = headers.get("origin"), (self.public_url, f"http://{host}", f"https://{host}")
        if scope["method"] not in ("GET", "HEAD") and origin not in (None, *own):
            return refuse("origin", gettext("forms on other sites cannot act here"), 403)
        length = headers.get("content-length", "0")
        if not _LENGTH.fullmatch(length) or int(length) > _most(scope):
            return self._too_large(scope)
        return None

    def _banned(self, scope: Scope) -> bool:
        return bool(scope.get("client")) and scope["client"][0] in self.bans

    def _refused(self, path: str, reason: str, *more: Any) -> Response:
        self.answers.refusals[reason] += 1
        return refused(path, *more)

    def _too_large(self, scope: Scope) -> Response:
        text = gettext("the request is too large: at most {most} bytes").format(most=_most(scope))
        return self._refused(scope["path"], "too_large", text, _TOO_LARGE)


def _language(request: Request) -> str:
    if request.scope["path"].startswith("/api/"):
        return DEFAULT
    accepted = request.headers.get("accept-language", "")
    return preferred(request.cookies.get(COOKIE, ""), accepted)


def _name(host: str) -> str:
    """The name in a Host header without its port; empty if the header is malformed.

    >>> [_name(host) for host in ("localhost:8013", "[::1]:8013", "[", "a@localhost", "a:b")]
    ['localhost', '::1', '', '', '']
    """
    match = _HOST.fullmatch(host)
    return "" if match is None else (match["name"] or match["six"]).lower()


def asks_for_head(scope: Scope) -> bool:
    """Whether the client asked for the headers alone."""
    return _HEAD in scope


def refused(
    path: str, text: str, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    """A refusal as JSON for programs, and as one line of text for others."""
    if path.startswith("/api/"):
        return JSONResponse({"error": text}, status, headers)
    return PlainTextResponse(f"{text}\n", status, headers)


def _most(scope: Scope) -> int:
    """How long the body of a request may be."""
    return MOST_UPLOADED if scope["path"] in UPLOADS else MOST_BYTES


async def _drain(receive: Receive) -> None:
    """Let a client finish a body that nobody wants, within reason."""
    left = _MOST_DRAINED
    with suppress(TimeoutError):
        while left > 0:
            async with asyncio.timeout(_SECONDS_DRAINED):
                message = await receive()
            left -= len(message.get("body", b""))
            if not message.get("more_body", False):
                return


async def _read(receive: Receive, most: int) -> bytes | bool | None:
    """The whole body; False if it is too long, None if the client has gone."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > most:
            return False
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body as one message, then whatever comes after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
