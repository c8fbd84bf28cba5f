"""Advice on request, for the seat that asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tribridge.capture import Result, algorithm1, algorithm2
from tribridge.capture.wording import headline
from tribridge.deals import Seat
from tribridge.game import Chair, View, view
from tribridge.web.core.bots import levels
from tribridge.web.core.room import Room
from tribridge.web.core.state import State
from tribridge.web.core.workers import FailedError, OutOfTimeError
from tribridge.web.errors import NotNowError
from tribridge.web.pages import advising, hinting
from tribridge.web.pages.capture_frames import frames
from tribridge.web.server.access import PlayerOf, RoomOf, Server, ServerOf, client_of, page

router = APIRouter(include_in_schema=False)

_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for a seat, from what it may see."""

    seen: View
    result: Result
    """Of Algorithm 2 for the declarer who sees the dummy, else of Algorithm 1."""
    counsel: advising.Counsel
    state: State


async def advice_for(client: str, room: Room, server: Server, seat: Seat) -> Advice:
    """Advice from the paper, the forecasts, the beliefs and a strategy.

    Everyone at the table sees that the seat asked.
    """
    if room.state.table is None or room.state.closed:
        raise NotNowError("advice is only available while a deal is being played")
    await server.rooms.advised(room, seat)
    state = room.state
    assert state.table is not None
    seen = view(state.table, seat)
    deck = seen.deck
    if seen.own_chair is Chair.DECLARER and seen.dummy_dealt is not None:
        result = algorithm2(seen.dealt, seen.dummy_dealt, deck)
    else:
        result = algorithm1(seen.dealt, deck)
    strategy = levels()[-1].strategy
    try:
        counsel = await server.rooms.workers.ask(
            client,
            room.name,
            _SECONDS,
            advising.counsel,
            seen,
            state.match.scheme.name,
            strategy,
            state.strategy_seed,
            state.deal,
            len(state.actions),
        )
    except (FailedError, OutOfTimeError):
        counsel = advising.Counsel(None, None, None, "", strategy)
    return Advice(seen, result, counsel, state)


@router.post("/table/{table}/advice")
async def advice(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> HTMLResponse:
    """Advice for this seat, as a part of the page."""
    given = await advice_for(client_of(request), room, server, seat)
    return page(
        "advice.html",
        seen=given.seen,
        result=given.result,
        headline=headline(given.result),
        frames=frames(given.result),
        counsel=given.counsel,
        places=given.state.places,
        number=given.state.number,
    )


@router.post("/table/{table}/hint")
async def hint(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> HTMLResponse:
    """The options of this seat on its turn, each with its value and a reason.

    A hint counts as advice: everyone at the table sees that the seat asked.
    """
    if room.state.turn is not seat:
        raise NotNowError("a hint is only available on your turn")
    await server.rooms.advised(room, seat)
    state = room.state
    assert state.table is not None
    seen = view(state.table, seat)
    try:
        options = await server.rooms.workers.ask(
            client_of(request),
            room.name,
            _SECONDS,
            hinting.options,
            seen,
            state.match.scheme.name,
        )
    except (FailedError, OutOfTimeError):
        options = ()
    return page("hint.html", seen=seen, options=options)
