"""Playing together, as pages: readiness, chat, presence, seat links, rematch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from tribridge.deals import Seat, parse_seat
from tribridge.web.core import events
from tribridge.web.core.bots import bot_for, check_strategy
from tribridge.web.core.events import LONGEST_MESSAGE, PHRASES
from tribridge.web.core.room import Room
from tribridge.web.core.state import Message, Options
from tribridge.web.errors import NotYoursError
from tribridge.web.language import gettext
from tribridge.web.pages.drawing import render
from tribridge.web.pages.public import public
from tribridge.web.server import chat
from tribridge.web.server.access import (
    PlayerOf,
    RoomOf,
    Server,
    ServerOf,
    ViewerOf,
    answer,
    client_of,
    give_seat,
    pay_for_table,
)

router = APIRouter(include_in_schema=False)


class _OptionsForm:
    """The fields with which a table for friends is opened."""

    def __init__(
        self,
        turn_seconds: Annotated[int, Form()] = 0,
        chat: Annotated[str, Form()] = "free",
        onlooker_chat: Annotated[bool, Form()] = False,
        no_hold: Annotated[bool, Form()] = False,
        listed: Annotated[bool, Form()] = False,
    ) -> None:
        self.options = Options(
            waits=True,
            hold=not no_hold,
            turn_seconds=turn_seconds or None,
            chat=chat,
            onlooker_chat=onlooker_chat,
            listed=listed,
        )


OptionsOf = Annotated[_OptionsForm, Depends()]


@dataclass(frozen=True, slots=True)
class Guest:
    """Who sits in a seat, and whether they are there."""

    seat: Seat
    name: str
    here: bool
    word: str
    host: bool
    person: bool


def guests(room: Room) -> list[Guest]:
    """The three seats with their presence."""
    listed = []
    for seat, place in zip(Seat, room.state.places, strict=True):
        here = place.person and room.presence.here(seat)
        word = gettext("bot")
        if place.open:
            word = gettext("open seat")
        elif place.away:
            bot = bot_for(place.strategy, seat).name
            word = gettext("away, {bot} plays").format(bot=bot)
        elif place.person:
            word = gettext("here") if here else gettext("not here")
        host = seat is room.state.host
        listed.append(Guest(seat, place.name, here, word, host, place.person or place.away))
    return listed


@dataclass(frozen=True, slots=True)
class Together:
    """What the page of a table shows besides the board."""

    seat: Seat | None
    guests: tuple[Guest, ...]
    onlookers: int
    muted: frozenset[str]
    messages: tuple[Message, ...]
    writes: bool
    seconds_left: float | None
    seat_link: str | None
    phrases: tuple[str, ...] = PHRASES
    longest: int = LONGEST_MESSAGE


def together(
    server: Server, room: Room, seat: Seat | None, token: str | None = None, after: int = 0
) -> Together:
    """The people at a table and their messages after an event, for one seat."""
    state, options = room.state, room.state.options
    return Together(
        seat,
        tuple(guests(room)),
        room.presence.onlookers,
        frozenset(whom for one, whom in state.muted if one is seat),
        state.read_by(seat, after),
        options.chat != "off" and (seat is not None or options.onlooker_chat),
        room.seconds_left(server.rooms.timing),
        None if seat is None or token is None else f"/table/{room.name}/seat?token={token}",
    )


def present(server: Server, room: Room, seat: Seat | None) -> Markup:
    """Who is there, as part of a page."""
    shown = public(room.name, room.state)
    return render("presence.html", t=together(server, room, seat), p=shown)


def written(server: Server, room: Room, seat: Seat | None, after: int) -> Markup:
    """The messages after an event that a seat reads, as part of a page; empty for none."""
    shown = together(server, room, seat, after=after)
    return render("messages.html", t=shown) if shown.messages else Markup()


def _stay(request: Request, room: Room, html: str = "") -> Response:
    """Answer a request that changes nothing on the board."""
    if "hx-request" in request.headers:
        return HTMLResponse(html, 200 if html else 204, headers={"cache-control": "no-store"})
    return RedirectResponse(f"/table/{room.name}", 303)


@router.post("/table/{table}/ready")
async def ready(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    ready: Annotated[bool, Form()] = True,
) -> Response:
    """Say that you are ready, or not."""
    await server.rooms.add(room, events.Ready(seat, ready))
    return answer(request, room, seat)


@router.post("/table/{table}/bot")
async def bot(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    asking: PlayerOf,
    seat: Annotated[str, Form()],
    strategy: Annotated[str, Form()],
) -> Response:
    """The host chooses who plays an open seat if nobody takes it."""
    if asking is not room.state.host:
        raise NotYoursError("only the host can choose the bots")
    strategy = check_strategy(strategy)
    await server.rooms.add(room, events.ChooseBot(parse_seat(seat), strategy))
    return answer(request, room, asking)


@router.post("/table/{table}/chat")
async def write(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: ViewerOf,
    text: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
) -> Response:
    """Write a message; the stream brings it to everyone, the writer included."""
    await chat.write(server, room, seat, text, client_of(request), name)
    return _stay(request, room)


@router.post("/table/{table}/mute")
async def mute(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    whom: Annotated[str, Form(max_length=16)],
    on: Annotated[bool, Form()],
) -> Response:
    """Stop reading someone's messages, or start again."""
    await server.rooms.add(room, events.Mute(seat, whom, on))
    shown = together(server, room, seat)
    html = render("muted.html", t=shown, p=public(room.name, room.state))
    return _stay(request, room, html)


@router.get("/table/{table}/seat")
async def take_seat(request: Request, room: RoomOf, server: ServerOf, token: str = "") -> Response:
    """Come back to a seat on another device, by the link that its holder copied."""
    if server.rooms.seat_of(room, token) is None:
        raise NotYoursError("this link no longer holds a seat at the table")
    return give_seat(request, RedirectResponse(f"/table/{room.name}", 303), room, token)


@router.post("/table/{table}/rematch", dependencies=[Depends(pay_for_table)])
async def rematch(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    now: Annotated[bool, Form()] = False,
) -> Response:
    """Ask for a rematch; it begins when all agree, or when the host says so."""
    await server.rooms.rematch(room, seat, client_of(request), now=now)
    return answer(request, room, seat)


@router.post("/table/{table}/follow")
async def follow(request: Request, room: RoomOf, server: ServerOf, seat: ViewerOf) -> Response:
    """Go to the table of the rematch, to the same seat."""
    if seat is None:
        raise NotYoursError("you are not seated at this table")
    following, token = await server.rooms.follow(room, seat)
    response = RedirectResponse(f"/table/{following.name}", 303)
    return give_seat(request, response, following, token)
