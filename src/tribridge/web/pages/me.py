"""My games: a player's history, statistics and rating; the device's key in place of an account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from math import inf
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.game.record.pbn import dumps_pbn
from tribridge.history import PlayedDeal, dumps, loads
from tribridge.history.rating import NORMAL
from tribridge.web.core.bots import levels
from tribridge.web.core.games import Game
from tribridge.web.core.keys import device_of_key, new_key, read_key
from tribridge.web.core.store import GAMES_LAST
from tribridge.web.core.workers import FailedError, OutOfTimeError
from tribridge.web.errors import NotNowError, TooManyError
from tribridge.web.language import gettext
from tribridge.web.pages import stats_words
from tribridge.web.pages.progress import chart
from tribridge.web.server.access import Server, ServerOf, client_of, page, pay_for_disk
from tribridge.web.server.devices import give_key, key_of, take_key

router = APIRouter(include_in_schema=False)

IMPORT_COST = 40.0
"""The cost of importing a file, in requests."""
IMPORT_LIMIT = 120.0
"""Seconds for reading a file."""
GAMES_AT_ONCE = 20
"""Matches on one page."""
PATIENCE = 5.0
"""Seconds after which the page says how far the statistics are."""


async def pay_for_import(request: Request, server: ServerOf) -> None:
    """Charge an import as more than a plain request."""
    if server.buckets is not None and server.buckets.take(client_of(request), IMPORT_COST):
        raise TooManyError("too many files imported at once: wait a moment")


async def import_games(server: Server, client: str, device: str, text: str) -> int:
    """Add the games of a file to those of a device; returns how many deals are new."""
    pay_for_disk(server, client, len(text))
    try:
        deals = await server.rooms.workers.ask(client, "import", IMPORT_LIMIT, loads, text)
    except (FailedError, OutOfTimeError) as error:
        raise NotNowError("that is not a file of games: {error}", error=error) from None
    if not deals:
        raise NotNowError("that is not a file of games: there is no finished deal in it")
    return await asyncio.to_thread(server.histories.games.keep, device, deals)


async def exported(
    server: Server, device: str, write: Callable[[Iterable[PlayedDeal]], str]
) -> str:
    """All deals of a device as the text of a file."""
    return await asyncio.to_thread(lambda: write(server.histories.games.deals(device)))


async def forget_games(server: Server, device: str) -> None:
    """Delete a device's games, and its own tables from memory."""
    for table in await asyncio.to_thread(server.histories.games.forget, device):
        server.rooms.forget(table)
        server.reviews = {k: one for k, one in server.reviews.items() if k[0] != table}


@router.get("/me")
async def my_games(
    request: Request,
    server: ServerOf,
    new: int | None = None,
    gone: bool = False,
    before: str = "",
) -> HTMLResponse:
    """The games of this device, a page of them at a time."""
    key, older = key_of(request), None
    games: list[Game] = []
    if key is not None:
        games, older = await asyncio.to_thread(
            server.histories.games.page, device_of_key(key), before, GAMES_AT_ONCE
        )
    names = {level.strategy: gettext(level.name) for level in levels()}
    return page(
        "me.html",
        key=key,
        games=games,
        names=names,
        new=new,
        gone=gone,
        days=GAMES_LAST,
        newer=bool(before),
        older=older and quote(older, safe=""),
    )


@router.get("/me/stats")
async def my_stats(request: Request, server: ServerOf) -> HTMLResponse:
    """The statistics of this device's games: part of the page, or a page for themselves."""
    key = key_of(request)
    if key is None:
        raise NotNowError("there are no games on this device yet")
    client, device = client_of(request), device_of_key(key)
    part = "hx-request" in request.headers
    stats = await server.histories.stats_within(client, device, PATIENCE if part else inf)
    if isinstance(stats, int):
        return page("me_wait.html", left=stats)
    names = {level.strategy: gettext(level.name) for level in levels()}
    return page(
        "me_stats.html" if part else "me_stats_page.html",
        stats=stats,
        names=names,
        chart=chart(stats.progress) if stats.progress else None,
        interval=stats_words.interval,
        rated=stats_words.rated,
        scoring=stats_words.scoring,
        reviewed=stats_words.reviewed(stats),
        prior=NORMAL * stats.rating.prior,
    )


def _download(text: str, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=kind, headers=headers)


def _device(request: Request) -> str:
    key = key_of(request)
    if key is None:
        raise NotNowError("there are no games on this device yet")
    return device_of_key(key)


@router.get("/me/games.jsonl")
async def my_games_jsonl(request: Request, server: ServerOf) -> Response:
    """All games, with all that is stored about them, to import elsewhere."""
    text = await exported(server, _device(request), dumps)
    return _download(text, "tribridge-games.jsonl", "application/jsonl")


@router.get("/me/games.pbn")
async def my_games_pbn(request: Request, server: ServerOf) -> Response:
    """All games as PBN, for other bridge programs."""
    text = await exported(
        server, _device(request), lambda deals: dumps_pbn(deal.record for deal in deals)
    )
    return _download(text, "tribridge-games.pbn", "application/x-pbn")


@router.post("/me/key")
async def use_key(
    request: Request,
    server: ServerOf,
    key: Annotated[str, Form(max_length=100)],
    bring: Annotated[bool, Form()] = False,
) -> Response:
    """Use the key of another device here, with or without the games of this one."""
    games, wanted, old = server.histories.games, read_key(key), key_of(request)
    device = device_of_key(wanted)
    if not games.any(device):
        raise NotNowError(
            "this server has no games under that key: check it, or import a file of games instead"
        )
    if bring and old is not None and old != wanted:
        games.merge(device_of_key(old), device)
    return give_key(request, RedirectResponse("/me", 303), wanted)


@router.post("/me/import", dependencies=[Depends(pay_for_import)])
async def import_file(request: Request, server: ServerOf, file: UploadFile) -> Response:
    """Add the games of a file to those of this device."""
    try:
        text = (await file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotNowError("that is not a file of games: it is not text") from None
    key = key_of(request) or new_key()
    new = await import_games(server, client_of(request), device_of_key(key), text)
    return give_key(request, RedirectResponse(f"/me?new={new}", 303), key)


@router.post("/me/delete")
async def delete_games(
    request: Request, server: ServerOf, sure: Annotated[bool, Form()] = False
) -> Response:
    """Delete the history of this device."""
    if not sure:
        raise NotNowError("nothing was deleted: tick the box to say that you are sure")
    await forget_games(server, _device(request))
    return take_key(RedirectResponse("/me?gone=true", 303))
