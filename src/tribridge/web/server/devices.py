"""A browser's key: the cookie that holds it, and what a player's games add up to."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from math import inf
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from tribridge.history import Measured, PlayedDeal, PlayerStats, measure, summarise
from tribridge.web.core.games import Games
from tribridge.web.core.keys import device_of_key, read_key
from tribridge.web.core.store import GAMES_LAST, Store
from tribridge.web.core.workers import FailedError, OutOfTimeError, Workers
from tribridge.web.errors import NotNowError, WebError

HEADER: Final = "X-Device-Key"
_COOKIE: Final = "player"
_AT_ONCE: Final = 8
"""Deals that a worker measures in one go."""
_LIMIT: Final = 60.0
_MOST_MEASURED: Final = 20_000


class Histories:
    """The players' games on a server, and what has been measured of them."""

    def __init__(self, store: Store, workers: Workers) -> None:
        self.games, self.workers = Games(store), workers
        self._measured: dict[tuple[str, int, str], Measured] = {}

    async def stats(self, client: str, device: str) -> PlayerStats:
        """The statistics of a device's games; deals are measured once."""
        stats = await self.stats_within(client, device, inf)
        assert isinstance(stats, PlayerStats)
        return stats

    async def stats_within(self, client: str, device: str, seconds: float) -> PlayerStats | int:
        """The statistics, or after so many seconds the number of deals yet to be measured."""
        deals = await asyncio.to_thread(self.games.deals, device)
        until = time.monotonic() + seconds
        missing = [deal for deal in deals if _name(deal) not in self._measured]
        if len(self._measured) + len(missing) > _MOST_MEASURED:
            self._measured.clear()
            missing = deals
        while missing and time.monotonic() < until:
            part, missing = missing[:_AT_ONCE], missing[_AT_ONCE:]
            try:
                values = await self.workers.ask(client, "statistics", _LIMIT, measure, part)
            except (FailedError, OutOfTimeError):
                raise NotNowError(
                    "the statistics could not be computed: try again in a moment"
                ) from None
            self._measured |= {_name(one.deal): one for one in values}
        if missing:
            return len(missing)
        measured = [replace(self._measured[_name(deal)], deal=deal) for deal in deals]
        return await asyncio.to_thread(summarise, measured)


def _name(deal: PlayedDeal) -> tuple[str, int, str]:
    cards = f"{deal.record.deal} {deal.contract} {deal.seat.letter}"
    return cards, deal.outcome.tricks, deal.record.scheme or ""


def sent_key(text: str) -> str:
    """A key that a program sent; refused if it cannot be one."""
    try:
        return read_key(text)
    except WebError as error:
        raise WebError(
            "{header} {key!r}: {error}", header=HEADER, key=text[:40], error=error
        ) from None


def entrant(key: str | None) -> str:
    """The name under which the results of challenges are stored; empty without a key."""
    return "" if key is None else f"d:{device_of_key(key)}"


def key_of(request: Request) -> str | None:
    """The key that a program sends, or the one in a browser's cookie; None if there is none."""
    if (sent := request.headers.get(HEADER)) is not None:
        return sent_key(sent)
    try:
        return read_key(request.cookies.get(_COOKIE, ""))
    except WebError:
        return None


def give_key(request: Request, response: Response, key: str) -> Response:
    """Give a browser its key."""
    response.set_cookie(
        _COOKIE,
        key,
        max_age=GAMES_LAST * 86400,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def take_key(response: Response) -> Response:
    """Take the key away from a browser."""
    response.delete_cookie(_COOKIE)
    return response
