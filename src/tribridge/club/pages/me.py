"""My games: a player's history, statistics and rating; a device's key in place of an account.

For programs the key is the bearer token.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from math import inf, isfinite
from typing import Annotated, Any, Final, Literal, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, UploadFile
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import Field

from tribridge.cards.deals import Seat
from tribridge.club.core.bots import levels
from tribridge.club.core.games import Game
from tribridge.club.core.keys import device_of_key, new_key, read_key
from tribridge.club.core.store import GAMES_LAST
from tribridge.club.core.workers import FailedError
from tribridge.club.errors import NotNowError, NotYoursError
from tribridge.club.history import dumps, read_games, seats_of
from tribridge.club.history.played import tagged
from tribridge.club.history.rating import NORMAL
from tribridge.club.history.summary import PlayerStats
from tribridge.club.language import gettext, mark
from tribridge.club.pages.open_hands import rating_chart, score_chart
from tribridge.club.pages.templates import download, page
from tribridge.club.server.access import (
    Asked,
    AskedOf,
    BearerOf,
    give_key,
    keep_name,
    take_key,
)
from tribridge.club.server.operations import api_router, refusals
from tribridge.club.view.table import DealResult
from tribridge.club.view.values import Points, filled, sent, value
from tribridge.common import codec
from tribridge.common.errors import FormatError, first_line
from tribridge.common.files import decoded
from tribridge.game.record.pbn import dumps_pbn

T = TypeVar("T")

router = APIRouter(include_in_schema=False)
api = api_router("my games", "/api/me")

IMPORT_COST = 40.0
"""The cost of importing a file, in requests."""
KEPT: Final = 1 << 19
"""Characters of a file that a page keeps while it asks whose games they are."""
IMPORT_LIMIT = 120.0
"""Seconds for reading a file."""
GAMES_AT_ONCE = 20
"""Matches on one page."""
PATIENCE = 5.0
"""Seconds after which the page says how far the statistics are."""
_LISTED: Final = 50
"""Matches in one answer of the API."""
_NAMED: Final = 100
"""Games of a file that are named when they are left out."""
CompassLetter = Literal["", "N", "E", "S", "W"]
"""A seat at a table of four, or nothing."""


async def pay_for_import(here: AskedOf) -> None:
    """Charge an import as more than a plain request."""
    here.pay(IMPORT_COST, mark("too many files imported at once: wait a moment"))


async def import_games(
    here: Asked, device: str, text: str, seat: str = ""
) -> tuple[int, list[str]]:
    """Add the games of a file to those of a device: how many are new, and what is left out.

    A file of another program does not say who the player is: `seat` does.
    """
    here.pay_for_disk(len(text))
    deals, left_out = await _asked(here, read_games, text, seat or None)
    if not deals:
        if left_out:
            raise NotNowError("no game of the file can be used: {error}", error=left_out[0])
        raise NotNowError("that is not a file of games: there is no finished deal in it")
    return await here.server.games.keep(device, deals), left_out


async def _asked(here: Asked, read: Callable[..., T], *args: Any) -> T:
    """What a worker reads in a file."""
    workers = here.server.rooms.workers
    try:
        return await workers.ask(here.client, "import", IMPORT_LIMIT, read, *args)
    except FailedError as error:
        raise NotNowError("the file cannot be imported: {error}", error=first_line(error)) from None


async def exported(here: Asked, device: str, *, pbn: bool = False) -> str:
    """All deals of a device as the text of a file."""
    deals = await here.server.games.deals(device)
    if pbn:
        return await asyncio.to_thread(dumps_pbn, map(tagged, deals))
    return await asyncio.to_thread(dumps, deals)


async def forget_games(here: Asked, device: str) -> None:
    """Delete a device's games and answers to puzzles, and its own tables from memory."""
    await here.server.puzzles.forget(device)
    for table in await here.server.games.forget(device):
        here.server.rooms.forget(table)
        here.server.reviews.forget(table)


def _levels() -> dict[str, str]:
    return {level.strategy: gettext(level.name) for level in levels()}


KINDS: Final[dict[str, tuple[str, Callable[[Game], bool]]]] = {
    "": (mark("All"), lambda game: True),
    "won": (mark("Won"), lambda game: (game.net or 0) > 0),
    "lost": (mark("Lost"), lambda game: (game.net or 0) < 0),
    "rubbers": (mark("Rubbers"), lambda game: game.last.record.rubber is not None),
    "people": (mark("With people"), lambda game: any(s is None for _, s in game.opponents)),
}
"""What can be listed: names and conditions."""


@router.get("/me")
async def my_games(
    here: AskedOf, new: int | None = None, gone: bool = False, before: str = "", show: str = ""
) -> HTMLResponse:
    """The games of this device, a page of them at a time."""
    games, older, kind = list[Game](), None, show if show in KINDS else ""
    if here.device:
        read, wanted = here.server.games.page, KINDS[kind][1]
        games, older = await read(here.device, before, GAMES_AT_ONCE, wanted)
    return page(
        "me.html",
        key=here.key,
        games=games,
        names=_levels(),
        new=new,
        gone=gone,
        days=GAMES_LAST,
        kinds={name: words for name, (words, _) in KINDS.items()},
        kind=kind,
        newer=bool(before),
        older=older and quote(older, safe=""),
        solver=await here.server.puzzles.solver(here.device) if here.device else None,
    )


@router.get("/me/stats")
async def my_stats(here: AskedOf) -> HTMLResponse:
    """The statistics of this device's games: part of the page, or a page for themselves."""
    part, games, device = here.for_part, here.server.games, _device(here)
    stats = await games.stats_within(here.client, device, PATIENCE if part else inf)
    if isinstance(stats, int):
        return page("me_wait.html", left=stats)
    played = await games.all(device)
    scored = [(g, deal) for g in played for deal in g.deals if deal.net is not None]
    scored.sort(key=lambda pair: pair[1].order)
    won, lost = ([pair for pair in scored if sign * (pair[1].net or 0) > 0] for sign in (1, -1))
    return page(
        "me_stats.html" if part else "me_stats_page.html",
        stats=stats,
        names=_levels(),
        score=score_chart([float(deal.net or 0) for _, deal in scored]),
        rating_over_time=rating_chart([deal for _, deal in scored], stats.rating, _levels()),
        best=max(won, key=lambda pair: pair[1].net or 0, default=None),
        worst=min(lost, key=lambda pair: pair[1].net or 0, default=None),
        is_known=lambda mean: isfinite(mean.low) and isfinite(mean.high),
        prior=NORMAL * stats.rating.prior,
    )


def _device(here: Asked) -> str:
    if not here.device:
        raise NotNowError("there are no games on this device yet")
    return here.device


@router.get("/me/games.{kind}")
async def my_games_file(here: AskedOf, kind: Literal["jsonl", "pbn"]) -> Response:
    """All games: as JSON Lines, to import elsewhere, or as PBN, for other bridge programs."""
    text = await exported(here, _device(here), pbn=kind == "pbn")
    return download(text, f"tribridge-games.{kind}")


@router.post("/me/key")
async def use_key(
    here: AskedOf,
    key: Annotated[str, Form(max_length=100)],
    bring: Annotated[bool, Form()] = False,
) -> Response:
    """Use the key of another device here, with or without the games of this one."""
    games = here.server.games
    try:
        wanted = read_key(key)
        device = device_of_key(wanted)
        if not await games.any(device):
            raise NotNowError(
                "this server has no games under that key: check it, or import a file of games "
                "instead"
            )
    except NotNowError as error:
        if not here.for_reading:
            raise
        here.server.answers.refusals[error.reason] += 1
        # Nobody types 24 letters again for one that is wrong.
        again = page("me_key.html", text=error.text, key=here.key, typed=key, bring=bring)
        again.status_code = error.status
        return again
    name = await games.name(device)
    if bring and here.device not in ("", device):
        await games.merge(here.device, device)
    response = give_key(RedirectResponse("/me", 303), wanted)
    if name:
        keep_name(response, name)
    return response


@router.post("/me/import", dependencies=[Depends(pay_for_import)])
async def import_file(
    here: AskedOf,
    file: UploadFile | None = None,
    kept: Annotated[str, Form()] = "",
    seat: Annotated[CompassLetter, Form()] = "",
) -> Response:
    """Add the games of a file to those of this device.

    If the file does not say whose they are, the page asks and keeps what it has read meanwhile.
    """
    try:
        text = (
            await asyncio.to_thread(decoded, await file.read())
            if file is not None
            else codec.read(json.loads(kept), str)
        )
    except (FormatError, ValueError):
        raise NotNowError("that is not a file of games: it is not text") from None
    if not seat:
        seats = await _asked(here, seats_of, text)
        if seats:
            keeps = json.dumps(text) if len(text) <= KEPT else ""
            return page("me_seat.html", players=seats, kept=keeps)
    key = here.key or new_key()
    new, left_out = await import_games(here, device_of_key(key), text, seat)
    if left_out:
        shown, more = left_out[:_NAMED], max(0, len(left_out) - _NAMED)
        return give_key(page("me_import.html", new=new, left_out=shown, more=more), key)
    return give_key(RedirectResponse(f"/me?new={new}", 303), key)


@router.post("/me/delete")
async def delete_games(here: AskedOf, sure: Annotated[bool, Form()] = False) -> Response:
    """Delete the history of this device."""
    if not sure:
        raise NotNowError("nothing was deleted: tick the box to say that you are sure")
    await forget_games(here, _device(here))
    return take_key(RedirectResponse("/me?gone=true", 303))


async def _holder(bearer: BearerOf) -> str:
    if bearer is None:
        raise NotYoursError("your key is missing: send it as the bearer token")
    return device_of_key(read_key(bearer))


DeviceOf = Annotated[str, Depends(_holder)]
_WITH_A_KEY: Final = refusals(403)


@value
class PlayerKey:
    """A key: who has it has the games that are added to it. Keep it secret."""

    key: str


@sent
class NewGame:
    """A seat that you hold at a table."""

    table: Annotated[str, Field(max_length=32)]
    token: Annotated[str, Field(max_length=200)]
    """The token of the seat."""


@value
class PlayedDealView(DealResult):
    """A finished deal of yours."""

    claimed: bool
    settlement: Points | None
    """What you receive; null if it is not known."""
    unaided: bool
    """Without advice, undo or cards known in advance."""
    review: str | None
    """The page of its review; null if it is elsewhere."""


@value
class GameView:
    """A match of yours, as far as it has been played."""

    table: str
    date: str
    """When it began, in UTC."""
    seat: Seat
    names: tuple[str, ...]
    """North, East and South."""
    strategies: tuple[str | None, ...]
    """Null for a person."""
    scoring: str
    over: bool
    imported: bool
    settlement: Points | None
    deals: tuple[PlayedDealView, ...]


@value
class GameList:
    """Some of your games, the newest first."""

    games: tuple[GameView, ...]
    before: str | None
    """Ask again with this `before` for the next ones; null if there are none."""


@sent
class GameFile:
    """Games as JSON Lines, as `tribridge stats` and My games read and write them.

    An import also takes PBN and LIN, of this package or of other programs.
    """

    games: str
    seat: CompassLetter = ""
    """Your seat, in a PBN or LIN file, which does not say who you are."""


@value
class Imported:
    """What an import added."""

    deals: int
    """New deals; those that were there already are left out."""
    left_out: tuple[str, ...] = ()
    """What else is left out, with the reason, up to 100 games."""


@value
class Deleted:
    """What was deleted."""

    games: int


def _seen(game: Game) -> GameView:
    deals = (
        filled(
            PlayedDealView,
            deal.outcome,
            deal,
            claimed=deal.claimed is not None,
            settlement=deal.net,
            review=f"/table/{deal.match}/review/{deal.deal}" if game.here else None,
        )
        for deal in game.deals
    )
    last = game.last
    return filled(GameView, game, last, table=last.match, settlement=game.net, deals=tuple(deals))


@api.post("/key", status_code=201)
async def new_player_key() -> PlayerKey:
    """A new key. Nothing is stored until a game is added to it."""
    return PlayerKey(key=new_key())


@api.get("/games", responses=refusals(400, 403))
async def list_games(here: AskedOf, device: DeviceOf, before: str = "") -> GameList:
    """Your games with at least one finished deal, 50 at a time."""
    games, following = await here.server.games.page(device, before, _LISTED)
    return GameList(games=tuple(map(_seen, games)), before=following)


@api.post("/games", status_code=201, responses=refusals(403, 404, 410))
async def add_game(here: AskedOf, device: DeviceOf, new: NewGame) -> GameList:
    """Add a table at which you hold a seat; its deals are listed as they end."""
    rooms = here.server.rooms
    room = await rooms.load(new.table)
    seat = rooms.seat_of(room.name, room.state, new.token)
    if seat is None:
        raise NotYoursError("you are not seated at this table")
    await here.server.games.add(device, room.name, seat, room.state.places[seat].serial)
    return await list_games(here, device)


@api.get("/stats", responses=_WITH_A_KEY, response_model=PlayerStats)
async def game_stats(here: AskedOf, device: DeviceOf) -> JSONResponse:
    """Your statistics and rating, each mean with its number of deals and an interval."""
    stats = await here.server.games.stats(here.client, device)
    return JSONResponse(codec.plain(stats, digits=3))


@api.get("/export", responses=_WITH_A_KEY)
async def export_games(here: AskedOf, device: DeviceOf) -> GameFile:
    """All your games, to keep or to import elsewhere."""
    return GameFile(games=await exported(here, device))


@api.post("/import", responses=_WITH_A_KEY, dependencies=[Depends(pay_for_import)])
async def import_game_file(here: AskedOf, device: DeviceOf, file: GameFile) -> Imported:
    """Add games from an export; those that are there already are left out."""
    new, left_out = await import_games(here, device, file.games, file.seat)
    return Imported(deals=new, left_out=tuple(left_out[:_NAMED]))


@api.delete("", responses=_WITH_A_KEY)
async def delete_history(here: AskedOf, device: DeviceOf) -> Deleted:
    """Delete your history, and the finished tables at which no other person sat."""
    games = len(await here.server.games.all(device))
    await forget_games(here, device)
    return Deleted(games=games)
