"""Asking a server in this process, with seeds and a clock that are always the same."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest.mock import patch

import httpx
from fastapi import FastAPI

from tests.club.ears import Ear
from tests.club.helpers import Client
from tests.club.quick_play import LAYOUTS
from tribridge.advice import calls
from tribridge.club.core import reviews
from tribridge.club.view import advice

_CLOCK = 1_790_000_000.0
_HEADERS = ("content-type", "location", "hx-redirect", "set-cookie", "cache-control")
_PART = {"hx-request": "true"}


@contextmanager
def fixed() -> Iterator[None]:
    """Whatever is drawn at random, and the clock, is the same each time."""
    random = Random(1)

    with ExitStack() as stack:
        for name, value in {
            "token_bytes": random.randbytes,
            "token_hex": lambda size: "0" * 2 * size,  # of requests: how many there are varies
            "choice": random.choice,
            "randbits": random.getrandbits,
            "token_urlsafe": lambda size: random.randbytes(size).hex()[:12],
            "SystemRandom": lambda: random,
        }.items():
            stack.enter_context(patch.object(secrets, name, value))
        stack.enter_context(patch.object(time, "time", lambda: _CLOCK))
        for module, name, few in (
            (reviews, "LAYOUTS", LAYOUTS),
            (calls, "DEFENCE", 2),
            (advice, "_LAYOUTS", 4),
            (advice, "_DRAWS", 50),
        ):
            stack.enter_context(patch.object(module, name, few))
        yield


class Walk:
    """A server that is asked, and what it answers."""

    def __init__(self, app: FastAPI, client: Client) -> None:
        self.app, self.client, self.answers = app, client, list[dict[str, Any]]()
        self.asked = set[tuple[str, str]]()

    def note(self, asked: str, body: str, **more: Any) -> None:
        self.answers.append({"asked": asked, **more, "body": body})

    async def ask(
        self,
        method: str,
        path: str,
        cookies: str = "",
        *,
        token: str = "",
        part: bool = False,
        **sent: Any,
    ) -> httpx.Response:
        """Ask as a browser with cookies, or as a program with a token."""
        headers = {"accept": "text/html", **({"cookie": cookies} if cookies else {})}
        headers |= _PART if part else {}
        if token:
            headers["authorization"] = f"Bearer {token}"
        self.client.cookies.clear()
        self.asked.add((method, path.partition("?")[0]))
        answer = await self.client.request(method, path, headers=headers, **sent)
        assert answer.status_code < 500, (path, answer.text)
        head = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
        who = f" [{cookies}{token}{' part' if part else ''}]"
        body = "" if path == "/metrics" else answer.text
        self.note(f"{method} {path}{who}", body, status=answer.status_code, headers=head)
        return answer

    async def both(self, path: str, cookies: str = "", **more: Any) -> None:
        """A page in both languages."""
        await self.ask("GET", path, cookies, **more)
        await self.ask("GET", path, f"language=de; {cookies}", **more)

    async def hear(self, path: str, headers: dict[str, str]) -> None:
        """What a stream says at first."""
        self.asked.add(("GET", path))
        async with asyncio.timeout(60), Ear().at(self.app, path, headers) as ear:
            while not any("event: presence" in text for text in ear.heard):
                ear.more.clear()
                await ear.more.wait()
            self.note(f"GET {path} {headers}", "".join(ear.heard[1:]))


def given(answer: httpx.Response) -> list[str]:
    """The cookies that an answer sets."""
    return [cookie.partition(";")[0] for cookie in answer.headers.get_list("set-cookie")]


@dataclass(frozen=True)
class Seated:
    """People at a table, who ask through its pages with cookies and as programs with tokens."""

    walk: Walk
    table: str
    tokens: dict[str, str] = field(default_factory=dict)
    """By seat; somebody who looks on has none."""

    @property
    def page(self) -> str:
        return f"/table/{self.table}"

    @property
    def api(self) -> str:
        return f"/api/tables/{self.table}"

    def cookie(self, seat: str) -> str:
        """What the browser of a player sends."""
        return f"seat-{self.table}={self.tokens[seat]}" if seat else ""

    async def form(
        self, seat: str, what: str, /, *, part: bool = True, language: str = "", **data: Any
    ) -> httpx.Response:
        """A form of the page."""
        cookies = f"language={language}; {self.cookie(seat)}" if language else self.cookie(seat)
        sent: Any = {"data": data} if data else {}
        return await self.walk.ask("POST", f"{self.page}/{what}", cookies, part=part, **sent)

    async def send(self, seat: str, what: str, /, **body: Any) -> httpx.Response:
        """A request of a program."""
        sent: Any = {"json": body} if body else {}
        token = self.tokens[seat] if seat else ""
        return await self.walk.ask("POST", f"{self.api}/{what}", token=token, **sent)

    async def seen(self, seat: str) -> dict[str, Any]:
        """The table as a player sees it, noted as an answer."""
        answer = await self.walk.ask("GET", self.api, token=self.tokens[seat])
        view: dict[str, Any] = answer.json()
        return view

    async def view(self) -> dict[str, Any]:
        """The table as everybody sees it, not noted."""
        view: dict[str, Any] = (await self.walk.client.get(self.api)).json()
        return view

    async def settled(self) -> dict[str, Any]:
        """The same once no bot is to act."""
        while True:
            view = await self.view()
            turn = view["turn"]
            if view["deal_over"] or view["claim"]:
                return view
            if turn is not None and view["places"]["NES".index(turn)]["person"]:
                return view
            await asyncio.sleep(0.01)
