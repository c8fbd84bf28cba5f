"""Challenges, as pages: the invitation, and the results of everybody on one page."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.deals import Seat
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
from tribridge.web.server.device import device_of, give_device, new_device, player_key
from tribridge.web.table.challenges import Challenge
from tribridge.web.table.company import bot_name
from tribridge.web.table.rooms import clean_name

router = APIRouter(include_in_schema=False)


def _context(request: Request, server: Server, challenge: Challenge) -> dict[str, Any]:
    challenges, player = server.challenges, player_key(device_of(request))
    shown = challenges.may_see(challenge, player)
    state = challenge.state(challenge.strategies)
    table = challenges.table_of(challenge, player)
    opponents = [
        bot_name(state.places, strategy, seat, one_name=False)
        for seat, strategy in zip(Seat, challenge.strategies, strict=True)
        if seat is not challenge.seat
    ]
    return {
        "challenge": challenge,
        "opponents": opponents,
        "p": public("", state),
        "player": player,
        "table": table,
        "finished": challenges.finished(challenge.id, player),
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
    return page("challenge.html", **_context(request, server, found))


@router.get("/challenge/{challenge}/results")
async def results(request: Request, server: ServerOf, challenge: str) -> HTMLResponse:
    """The part of the page that changes while bots play."""
    found = server.challenges.find(challenge)
    return page("challenge_results.html", **_context(request, server, found))


@router.post("/challenge/{challenge}/play", dependencies=[Depends(pay_for_table)])
async def play(
    request: Request, server: ServerOf, challenge: str, name: Annotated[str, Form()] = ""
) -> Response:
    """Play a challenge, or go on with it."""
    found = server.challenges.find(challenge)
    device = device_of(request) or new_device()
    player = clean_name(name, str(found.seat))
    room = await server.challenges.play(found, player_key(device), player, client_of(request))
    response = RedirectResponse(f"/table/{room.name}", 303)
    give_seat(response, room, server.rooms.token(room, found.seat))
    return remember(give_device(response, device), player)


@router.post("/table/{table}/challenge", dependencies=[Depends(pay_for_table)])
async def make(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> Response:
    """Challenge a friend with the deals of a finished match."""
    device = device_of(request) or new_device()
    challenge = server.challenges.make(room, seat, player_key(device))
    return give_device(RedirectResponse(f"/challenge/{challenge.id}", 303), device)
