"""Challenges, as pages: the invitation, and the results of everybody on one page."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Final
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.deals import Seat
from tribridge.web.core.bots import bot_name
from tribridge.web.core.challenges import Challenge
from tribridge.web.core.keys import new_key
from tribridge.web.core.names import clean_name
from tribridge.web.language import Text, mark, translated
from tribridge.web.pages.public import public
from tribridge.web.pages.routes import remember
from tribridge.web.server.access import (
    PlayerOf,
    RoomOf,
    Server,
    ServerOf,
    client_of,
    give_seat,
    page,
    pay_for_table,
)
from tribridge.web.server.devices import entrant, give_key, key_of

router = APIRouter(include_in_schema=False)


_WEEKDAYS: Final = (
    mark("Monday"),
    mark("Tuesday"),
    mark("Wednesday"),
    mark("Thursday"),
    mark("Friday"),
    mark("Saturday"),
    mark("Sunday"),
)
_MONTHS: Final = (
    mark("January"),
    mark("February"),
    mark("March"),
    mark("April"),
    mark("May"),
    mark("June"),
    mark("July"),
    mark("August"),
    mark("September"),
    mark("October"),
    mark("November"),
    mark("December"),
)


def day_words(day: date) -> Text:
    """A day in words.

    >>> day_words(date(2026, 3, 1))
    'Sunday, 1 March 2026'
    """
    return Text(
        "{weekday}, {day} {month} {year}",
        weekday=Text(_WEEKDAYS[day.weekday()]),
        day=day.day,
        month=Text(_MONTHS[day.month - 1]),
        year=day.year,
    )


async def _context(request: Request, server: Server, challenge: Challenge) -> dict[str, Any]:
    challenges, player = server.challenges, entrant(key_of(request))
    shown = await challenges.may_see(challenge, player)
    state = challenge.state()
    table = await challenges.table_of(challenge, player)
    opponents = [
        bot_name(state.places, strategy, seat, one_name=False)
        for seat, strategy in zip(Seat, challenge.strategies, strict=True)
        if seat is not challenge.seat
    ]
    return {
        "challenge": challenge,
        "date": None if challenge.day is None else day_words(challenge.day),
        "opponents": opponents,
        "p": public("", state),
        "player": player,
        "table": table,
        "finished": await challenges.finished(challenge.id, player),
        "players": challenges.count(challenge),
        "results": challenges.results(challenge) if shown else None,
        "computing": shown and challenges.computing(challenge),
        "playable": challenge.day is None or challenge.day == challenges.today(),
        "name": unquote(request.cookies.get("name", "")),
    }


@router.get("/daily")
async def daily(server: ServerOf) -> Response:
    """Today's challenge."""
    return RedirectResponse(f"/challenge/{server.challenges.today().isoformat()}", 303)


@router.get("/challenge/{challenge}")
async def show(request: Request, server: ServerOf, challenge: str) -> HTMLResponse:
    """A challenge, and its results for those who have finished it."""
    found = server.challenges.find(challenge)
    return page("challenge.html", **await _context(request, server, found))


@router.get("/challenge/{challenge}/results")
async def results(request: Request, server: ServerOf, challenge: str) -> HTMLResponse:
    """The part of the page that changes while bots play."""
    found = server.challenges.find(challenge)
    return page("challenge_results.html", **await _context(request, server, found))


@router.post("/challenge/{challenge}/play", dependencies=[Depends(pay_for_table)])
async def play(
    request: Request, server: ServerOf, challenge: str, name: Annotated[str, Form()] = ""
) -> Response:
    """Play a challenge, or go on with it."""
    found = server.challenges.find(challenge)
    key = key_of(request) or new_key()
    player = clean_name(name, translated(found.seat))
    room = await server.challenges.play(found, entrant(key), player, client_of(request))
    response = RedirectResponse(f"/table/{room.name}", 303)
    give_seat(request, response, room, server.rooms.token(room, found.seat), key)
    return remember(give_key(request, response, key), player)


@router.post("/table/{table}/challenge", dependencies=[Depends(pay_for_table)])
async def make(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> Response:
    """Challenge a friend with the deals of a finished match."""
    key = key_of(request) or new_key()
    challenge = server.challenges.make(room, seat, entrant(key))
    return give_key(request, RedirectResponse(f"/challenge/{challenge.id}", 303), key)
