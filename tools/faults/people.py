"""The people of a fault run: what they send, again where that is needed, and what they see."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import httpx

PATIENCE = 90.0
"""Seconds that a table may stand still after a fault before it counts as stuck."""
_FROM_ONE = 10
"""Tables that one address opens."""
_TWICE = 0.1
"""How often a move is sent to both servers at the same moment."""
LONG = 20.0
"""Seconds that people wait at most for their next move."""
SILENT = 6.0
"""Seconds after which a page sends a move again that has no answer (`static/outbox.js`)."""
AGAIN = 0.5
"""Seconds before what was refused is sent again."""
_LOOK = 1.0
"""Seconds between two looks at a table whose bots are to act."""
_SHOWN = 8
"""Waits that are printed."""
_NOBODY = "not seated"
"""What a stranger is told who acts."""
_VIEWS = 40
"""Views of a table that are kept and checked."""


@dataclass
class Wait:
    """How long the people of a table waited for their next move."""

    begun: float
    thought: float = 0.0
    """Seconds in which they thought."""
    spent: Counter[str] = field(default_factory=Counter)
    """Seconds by what passed meanwhile."""
    seconds: float = 0.0
    faults: tuple[str, ...] = ()
    """What went wrong meanwhile, or just before."""

    def __str__(self) -> str:
        spent = (f"{what} {time:.1f} s" for what, time in self.spent.most_common(4) if time > 0.1)
        faults = ", ".join(self.faults) or "no fault"
        return f"{self.seconds:.1f} s, {faults}: {', '.join(spent)}"


@dataclass
class Seen:
    """What the visitors saw."""

    moves: list[tuple[str, int, str, str]] = field(default_factory=list)
    """Acknowledged: table, the event before, seat, action."""
    tried: set[tuple[str, int, str]] = field(default_factory=set)
    """Sent, once or more: table, the event before, the seat and action."""
    views: dict[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    refused: Counter[int] = field(default_factory=Counter)
    waits: list[Wait] = field(default_factory=list)
    """The longest waits for a next move."""
    slow: int = 0
    """Waits of more than `LONG` seconds."""
    forgotten: int = 0
    """Answers to the holder of a seat as to a stranger."""
    stale: int = 0
    """Views that were older than what their reader had seen or done before."""
    stuck: list[str] = field(default_factory=list)


class StuckError(Exception):
    """A table does not go on though nothing has gone wrong for long."""


class People:
    """Three people at each table, who ask either of the servers."""

    def __init__(self, ports: Sequence[int], tables: int, pace: float, rng: Random) -> None:
        self.ports, self.tables, self.pace, self.rng, self.seen = ports, tables, pace, rng, Seen()
        self.broken: list[tuple[float, float, str]] = []
        """When each fault began and ended, and its kind."""
        self.ended = 0.0
        """When there were no more faults."""

    async def play(self, breaking: Coroutine[Any, Any, None]) -> None:
        """Open the tables and play at them, until all that is to go wrong has done so."""
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tables:
            async with asyncio.TaskGroup() as opening:
                for first in range(0, self.tables, _FROM_ONE):
                    local = f"127.0.0.{first // _FROM_ONE + 2}"
                    transport = httpx.AsyncHTTPTransport(local_address=local)
                    client = httpx.AsyncClient(timeout=SILENT, transport=transport)
                    await stack.enter_async_context(client)
                    numbers = range(first, min(first + _FROM_ONE, self.tables))
                    opening.create_task(self._open(client, numbers, tables))
            await breaking
            self.ended = time.monotonic()

    async def _open(
        self, client: httpx.AsyncClient, numbers: range, tables: asyncio.TaskGroup
    ) -> None:
        """Open the tables of an address, and let people play there."""
        for number in numbers:
            opened = await self._opened(client, number)
            tables.create_task(self._play_on(client, *opened))

    async def _play_on(self, client: httpx.AsyncClient, table: str, seats: Any) -> None:
        try:
            await self._table(client, table, seats)
        except StuckError:
            self.seen.stuck.append(table)

    async def _ask(
        self, client: httpx.AsyncClient, method: str, path: str, wait: Wait, **more: Any
    ) -> Any:
        """Ask either server, then the other in turn, until one answers something final."""
        at = self.rng.randrange(len(self.ports))
        while not self._given_up(time.monotonic()):
            url, begun, what = f"http://127.0.0.1:{self.ports[at]}{path}", time.monotonic(), ""
            try:
                answer = await client.request(method, url, **more)
                what = str(answer.status_code)
                if answer.status_code < 400 or answer.status_code == 409:
                    return answer
                self.seen.refused[answer.status_code] += 1
                if answer.status_code not in (403, 404, 410, 422, 429, 503):
                    raise AssertionError(f"{path}: {answer.status_code} {answer.text}")
                self.seen.forgotten += _NOBODY in answer.text
                if answer.status_code in (403, 410, 422):  # somebody else's turn by then; damaged
                    return answer
            except httpx.HTTPError as error:
                what = type(error).__name__
            finally:
                wait.spent[f"{method} {what}"] += time.monotonic() - begun  # type: ignore[assignment]
            at = (at + 1) % len(self.ports)
            await asyncio.sleep(AGAIN)
            wait.spent["sending again"] += AGAIN  # type: ignore[assignment]
        raise StuckError

    def _given_up(self, since: float) -> bool:
        """Whether nothing has gone wrong for long, and still nothing is as it was `since` then."""
        return bool(self.ended) and time.monotonic() - max(since, self.ended) > PATIENCE

    async def _opened(
        self, client: httpx.AsyncClient, number: int
    ) -> tuple[str, dict[str, dict[str, str]]]:
        people = "NES" if number % 4 else "NE"
        body = {"strategies": ["points+maxims"] * 3, "open": list(people), "deals": 99}
        wait = Wait(time.monotonic())
        table = (await self._ask(client, "POST", "/api/tables", wait, json=body)).json()["table"]
        seats = {}
        for seat in people:
            path = f"/api/tables/{table}/seats/{seat}"
            answer = await self._ask(client, "POST", path, wait, json={"name": seat})
            if answer.status_code != 201:  # an answer was lost, and the token with it
                return await self._opened(client, number)
            seats[seat] = {"authorization": f"Bearer {answer.json()['token']}"}
        return table, seats

    async def _table(
        self, client: httpx.AsyncClient, table: str, seats: dict[str, dict[str, str]]
    ) -> None:
        """The people of a table play until everything has been tried, and then one move more."""
        path, wait = f"/api/tables/{table}", Wait(time.monotonic())
        kept, known, ended = self.seen.views.setdefault(table, []), 0, False
        for_bots = False
        while True:
            pause = _LOOK if for_bots else self.rng.expovariate(1 / self.pace)
            await asyncio.sleep(pause)
            wait.thought += 0.0 if for_bots else pause
            wait.spent["bots' turn"] += pause if for_bots else 0.0  # type: ignore[assignment]
            seat = self.rng.choice(list(seats))
            seen = {"Last-Event-ID": str(known)}
            answer = await self._ask(client, "GET", path, wait, headers=seats[seat] | seen)
            if answer.status_code == 410 or self._given_up(wait.begun):  # or nothing happens
                raise StuckError
            view = answer.json()
            self.seen.forgotten += view["seat"] != seat
            self.seen.stale += view["number"] < known
            known, ended = max(known, view["number"]), bool(self.ended)
            if len(kept) < _VIEWS or self.rng.random() < 0.05:
                kept.append((seat, view))
            if view["deal_over"]:
                body = {"at": view["number"]}
                await self._ask(
                    client, "POST", f"{path}/next", wait, json=body, headers=seats[seat]
                )
                continue
            for_bots = view["turn"] not in seats
            if for_bots:
                continue
            moved = await self._move(client, table, view["turn"], seats[view["turn"]], wait)
            if not moved:
                continue
            known = max(known, moved)
            self._waited(wait)
            wait = Wait(time.monotonic())
            if ended:
                return

    def _waited(self, wait: Wait) -> None:
        """A move has been made: keep the wait for it if it was long."""
        waits, now = self.seen.waits, time.monotonic()
        wait.seconds = now - wait.begun - wait.thought
        self.seen.slow += wait.seconds > LONG
        if len(waits) < _SHOWN or wait.seconds > waits[-1].seconds:
            near = (kind for _, end, kind in self.broken if end > wait.begun - SILENT)
            wait.faults = tuple(near)
            waits.append(wait)
            waits.sort(key=lambda each: -each.seconds)
            del waits[_SHOWN:]

    async def _move(
        self,
        client: httpx.AsyncClient,
        table: str,
        turn: str,
        headers: dict[str, str],
        wait: Wait,
    ) -> int:
        """One player acts, sometimes twice at the same moment; the event of it, 0 if of none."""
        path = f"/api/tables/{table}"
        view = (await self._ask(client, "GET", path, wait, headers=headers)).json()
        if not view.get("legal"):
            return 0
        at, legal = view["number"], view["legal"]
        chosen = [self._chosen(legal)]
        if self.rng.random() < _TWICE:
            kind = self.rng.choice(("one move sent twice at once", "two moves sent at once"))
            self.seen.faults[kind] += 1
            chosen.append(chosen[0] if kind.startswith("one") else self.rng.choice(legal))
        for action in chosen:
            self.seen.tried.add((table, at, f"{turn} {action}"))
        send = partial(self._ask, client, "POST", f"{path}/actions", wait, headers=headers)
        answers = await asyncio.gather(
            *(send(json={"action": action, "at": at}) for action in chosen)
        )
        number = 0
        for action, answer in zip(chosen, answers, strict=True):
            if answer.status_code == 200:
                self.seen.moves.append((table, at, turn, action))
                number = max(number, answer.json()["number"])
        return number

    def _chosen(self, legal: list[str]) -> str:
        return "pass" if "pass" in legal and self.rng.random() < 0.7 else self.rng.choice(legal)
