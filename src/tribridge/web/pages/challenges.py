"""Challenges: the invitation, and the results of everybody on one page; the same for programs."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Header, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.deals import Seat
from tribridge.web.core.bots import bot_name
from tribridge.web.core.challenges import Challenge
from tribridge.web.core.keys import new_key
from tribridge.web.core.names import clean_name
from tribridge.web.language import translated
from tribridge.web.pages.drawing import page
from tribridge.web.server.access import (
    HEADER,
    Server,
    ServerOf,
    Visit,
    client_of,
    entrant,
    give_key,
    go_to_seat,
    key_of,
    name_of,
    pay_for_table,
)
from tribridge.web.server.operations import api_router, changes, refusals
from tribridge.web.view.table import seat_view
from tribridge.web.view.values import ANYTHING, ON_PAGES, Points, body, filled, value

router = APIRouter(include_in_schema=False)
api = api_router("challenges")


@value
class ResultView:
    """One line of the results."""

    rank: int
    name: str
    scores: tuple[Points, ...]
    """Points of each deal, as text."""
    total: Points
    net: Points
    """The settlement with the two opponents, which decides the rank."""
    bot: bool
    origin: bool
    """Whether it is the match that the challenge was made from."""
    you: bool


@value
class ChallengeView:
    """A challenge. The results are shown once you have finished it, or after its day."""

    challenge: str
    day: date | None
    """The date of a daily challenge."""
    by: str
    """Whose match it was made from; empty for a daily challenge."""
    deals: int
    scheme: str
    known: bool
    """Whether somebody may know the cards in advance."""
    seat: Seat
    strategies: tuple[str, ...]
    players: int
    """How many people have finished it."""
    table: str | None
    """The table at which you play it."""
    finished: bool
    """Whether you have finished it."""
    results: tuple[ResultView, ...] | None
    computing: bool
    """Whether more results of bots will follow."""
    laws: Annotated[str | None, ANYTHING, ON_PAGES]
    playable: Annotated[bool, ANYTHING, ON_PAGES]


async def _seen(server: Server, challenge: Challenge, key: str | None) -> ChallengeView:
    """A challenge as a player sees it."""
    challenges, player = server.challenges, entrant(key)
    shown = await challenges.may_see(challenge, player)
    match = seat_view("", challenge.state(), None)
    results = challenges.results(challenge) if shown else None
    return filled(
        ChallengeView,
        challenge,
        match,
        challenge=challenge.id,
        players=challenges.count(challenge),
        table=await challenges.table_of(challenge, player),
        finished=await challenges.finished(challenge.id, player),
        results=results and tuple(filled(ResultView, r, you=r.player == player) for r in results),
        computing=shown and challenges.computing(challenge),
        playable=challenge.day is None or challenge.day == challenges.today(),
    )


async def _draw(request: Request, server: Server, name: str, template: str) -> HTMLResponse:
    challenge = server.challenges.find(name)
    state = challenge.state()
    opponents = [
        bot_name(state.places, strategy, seat, one_name=False)
        for seat, strategy in zip(Seat, challenge.strategies, strict=True)
        if seat is not challenge.seat
    ]
    return page(
        template,
        c=await _seen(server, challenge, key_of(request)),
        opponents=opponents,
        name=name_of(request),
    )


@router.get("/daily")
async def daily(server: ServerOf) -> Response:
    """Today's challenge."""
    return RedirectResponse(f"/challenge/{server.challenges.today().isoformat()}", 303)


@router.get("/challenge/{challenge}")
async def show(request: Request, server: ServerOf, challenge: str) -> HTMLResponse:
    """A challenge, and its results for those who have finished it."""
    return await _draw(request, server, challenge, "challenge.html")


@router.get("/challenge/{challenge}/results")
async def results(request: Request, server: ServerOf, challenge: str) -> HTMLResponse:
    """The part of the page that changes while bots play."""
    return await _draw(request, server, challenge, "challenge_results.html")


@router.post("/challenge/{challenge}/play", dependencies=[Depends(pay_for_table)])
async def play(
    request: Request, server: ServerOf, challenge: str, name: Annotated[str, Form()] = ""
) -> Response:
    """Play a challenge, or go on with it."""
    found = server.challenges.find(challenge)
    key = key_of(request) or new_key()
    player = clean_name(name, translated(found.seat))
    room = await server.challenges.play(found, entrant(key), player, client_of(request))
    token = server.rooms.token(room, found.seat)
    return give_key(request, go_to_seat(request, room, token, name=player, key=key), key)


@value
class ChallengeName:
    """A challenge that was made."""

    challenge: str
    url: str | None
    """The address of its page for others; null if they cannot open it."""


@body
class NewPlayer:
    """Who plays a challenge."""

    name: str = ""


@value
class ChallengeSeat:
    """Your seat in a challenge."""

    table: str
    seat: Seat
    token: str
    device: str
    """Send this as `X-Device-Key` from now on."""


async def _device(
    request: Request,
    sent: Annotated[
        str | None,
        Header(
            alias=HEADER,
            description="The key that you were given when you first played a challenge.",
        ),
    ] = None,
) -> str | None:
    return None if sent is None else key_of(request)


DeviceOf = Annotated[str | None, Depends(_device)]


@api.get("/challenges/daily", responses=refusals(400))
async def daily_challenge(server: ServerOf, device: DeviceOf) -> ChallengeView:
    """Today's challenge (the day begins at midnight UTC)."""
    name = server.challenges.today().isoformat()
    return await _seen(server, server.challenges.find(name), device)


@api.get("/challenges/{challenge}", responses=refusals(400, 404))
async def show_challenge(server: ServerOf, challenge: str, device: DeviceOf) -> ChallengeView:
    """A challenge and, once you have finished it, everyone's results."""
    return await _seen(server, server.challenges.find(challenge), device)


@api.post(
    "/challenges/{challenge}/play",
    status_code=201,
    dependencies=[Depends(pay_for_table)],
    responses=refusals(400, 403, 404, 410),
)
async def play_challenge(
    request: Request, server: ServerOf, challenge: str, new: NewPlayer, device: DeviceOf
) -> ChallengeSeat:
    """Your table in a challenge: a new one, or the one at which you have begun it."""
    found = server.challenges.find(challenge)
    key = device or new_key()
    name = clean_name(new.name, str(found.seat))
    room = await server.challenges.play(found, entrant(key), name, client_of(request))
    token = server.rooms.token(room, found.seat)
    return ChallengeSeat(table=room.name, seat=found.seat, token=token, device=key)


def _made(here: Visit, made: ChallengeName) -> Response:
    return RedirectResponse(f"/challenge/{made.challenge}", 303)


@changes(
    router,
    api,
    "/table/{table}/challenge",
    "/tables/{table}/challenge",
    page=_made,
    answers=ChallengeName,
    status_code=201,
    dependencies=[Depends(pay_for_table), Depends(_device)],
)
async def make_challenge(here: Visit) -> ChallengeName:
    """Challenge others with the deals of a finished match, from your seat."""
    player = entrant(key_of(here.request)) or f"m:{here.room.name}"
    challenge = here.server.challenges.make(here.room, here.player, player)
    url = here.server.link(here.request, f"/challenge/{challenge.id}")
    return ChallengeName(challenge=challenge.id, url=url)
