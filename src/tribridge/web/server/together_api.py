"""Playing together, for programs: readiness, chat, presence, rematch."""

from __future__ import annotations

from fastapi import APIRouter, Request

from tribridge.deals import parse_seat
from tribridge.web.core import events
from tribridge.web.core.bots import check_strategy
from tribridge.web.errors import NotYoursError
from tribridge.web.server import chat
from tribridge.web.server.access import RoomOf, ServerOf, client_of
from tribridge.web.server.api import PlayerOf, ViewerOf, seen_by
from tribridge.web.server.bodies import ANYWHERE, AT_A_TABLE, CHANGING, SeatView, refusals
from tribridge.web.server.together_bodies import (
    ChatView,
    Mute,
    NewMessage,
    NewRematch,
    PresenceView,
    Ready,
    RematchView,
    SeatBot,
    chat_view,
    letters,
    presence_view,
)

router = APIRouter(
    prefix="/api/tables/{table}",
    tags=["together"],
    responses=ANYWHERE | AT_A_TABLE,
    generate_unique_id_function=lambda route: route.name,
)


@router.post("/ready", responses=CHANGING)
async def say_ready(room: RoomOf, server: ServerOf, seat: PlayerOf, new: Ready) -> SeatView:
    """Say that you are ready to start, or not."""
    await server.rooms.add(room, events.Ready(seat, new.ready))
    return seen_by(room, seat)


@router.post("/seats/{seat}/bot", responses=CHANGING)
async def choose_bot(
    room: RoomOf, server: ServerOf, asking: PlayerOf, seat: str, new: SeatBot
) -> SeatView:
    """Choose the strategy that plays an open seat if nobody takes it: for the host."""
    if asking is not room.state.host:
        raise NotYoursError("only the host can choose the bots")
    strategy = check_strategy(new.strategy)
    await server.rooms.add(room, events.ChooseBot(parse_seat(seat), strategy))
    return seen_by(room, asking)


@router.get("/chat")
async def read_chat(room: RoomOf, seat: ViewerOf) -> ChatView:
    """The last messages, without those of people you have muted."""
    return chat_view(room, seat)


@router.post("/chat", responses=CHANGING)
async def write_chat(
    request: Request, room: RoomOf, server: ServerOf, seat: ViewerOf, new: NewMessage
) -> ChatView:
    """Write to everyone at the table. Onlookers can only where the table allows it."""
    await chat.write(server, room, seat, new.text, client_of(request), new.name)
    return chat_view(room, seat)


@router.post("/mute", responses=CHANGING)
async def mute(room: RoomOf, server: ServerOf, seat: PlayerOf, new: Mute) -> ChatView:
    """Stop reading someone's messages, or start again. Nobody else learns of it."""
    await server.rooms.add(room, events.Mute(seat, new.whom, new.on))
    return chat_view(room, seat)


@router.get("/presence")
async def presence(room: RoomOf, server: ServerOf) -> PresenceView:
    """Who has the table open, and how long the person to act has left."""
    return presence_view(room, server.rooms.timing)


@router.get("/rematch", responses=refusals(403))
async def show_rematch(room: RoomOf, server: ServerOf, seat: PlayerOf) -> RematchView:
    """Who would like to play again."""
    return RematchView(
        agreed=letters(room.state.rematch),
        table=room.state.rematch_table,
        seat=seat.letter,
        token=None,
    )


@router.post("/rematch", responses=CHANGING)
async def rematch(
    request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf, new: NewRematch
) -> RematchView:
    """Play again, in the same seats with new deals, once everyone agrees.

    Ask again to get your token once it has begun.
    """
    await server.rooms.rematch(room, seat, client_of(request), now=new.now)
    token = None
    if room.state.rematch_table is not None:
        _, token = await server.rooms.follow(room, seat)
    return RematchView(
        agreed=letters(room.state.rematch),
        table=room.state.rematch_table,
        seat=seat.letter,
        token=token,
    )
