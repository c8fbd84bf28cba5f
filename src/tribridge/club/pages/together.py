"""Playing together: readiness, bots for open seats, chat, presence, rematch."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from tribridge.cards.deals import Seat
from tribridge.club.core import events as happened
from tribridge.club.core.bots import check_strategy
from tribridge.club.core.chat import LONGEST_MESSAGE
from tribridge.club.core.names import LONGEST_NAME, clean_name, clean_text, legible
from tribridge.club.errors import NotYoursError, TooManyError
from tribridge.club.pages.table import answer, people
from tribridge.club.pages.templates import part, render
from tribridge.club.server.access import Visit, VisitOf, pay_for_table
from tribridge.club.server.operations import AT_A_TABLE, CHANGING, api_router, form
from tribridge.club.view.table import Chat, Presence, SeatView
from tribridge.club.view.values import sent, value

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("together", "/api/tables/{table}")

_form = partial(form, router, page=answer)
_PAID: Final = [Depends(pay_for_table)]
_LONGEST_READ: Final = 4 * LONGEST_MESSAGE
"""What is longer is cut before it is examined; it is too long in any case."""
_TEXT: Final = f"One of `phrases`, or free text of up to {LONGEST_MESSAGE} characters."
_NAME: Final = f"An onlooker's name, up to {LONGEST_NAME} letters."


@sent
class SayReady:
    """Whether somebody is ready to start."""

    ready: bool = True


@_form("/ready", SayReady)
@api.post("/ready", responses=CHANGING)
async def say_ready(here: VisitOf, body: SayReady | None = None) -> SeatView:
    """Say that you are ready to start, or not."""
    await here.add(happened.Ready(here.player, body.ready if body else True))
    return here.now.view


@sent
class ChooseBot:
    """The strategy that plays an open seat."""

    strategy: str


@_form("/bot", ChooseBot, named=("seat",))
@api.post("/seats/{seat}/bot", responses=CHANGING)
async def choose_bot(here: VisitOf, seat: str, body: ChooseBot) -> SeatView:
    """Choose the strategy that plays an open seat if nobody takes it: for the host."""
    if here.player is not here.state.host:
        raise NotYoursError("only the host can choose the bots")
    await here.add(happened.ChooseBot(Seat(seat), check_strategy(body.strategy)))
    return here.now.view


def _stay(here: Visit, html: str = "") -> Response:
    """Answer a request that changes nothing on the board."""
    if here.for_part:
        return part(html, 200 if html else 204)
    return RedirectResponse(f"/table/{here.room.name}", 303)


@api.get("/chat", responses=AT_A_TABLE)
async def read_chat(here: VisitOf) -> Chat:
    """The last messages, without those of people you have muted."""
    return here.chat()


@sent
class WriteChat:
    """A message to everyone at the table."""

    text: Annotated[str, Field(description=_TEXT)] = ""
    name: Annotated[str, Field(description=_NAME)] = ""


@_form("/chat", WriteChat, page=lambda here, _: _stay(here))
@api.post("/chat", responses=CHANGING)
async def write_chat(here: VisitOf, body: WriteChat | None = None) -> Chat:
    """Write to everyone at the table. Onlookers can only where the table allows it."""
    seat, written = here.seat, body or WriteChat()
    writer = f"onlooker {here.client}" if seat is None else f"{here.room.name} {seat.letter}"
    if here.server.messages.take(writer):
        raise TooManyError("too many messages: wait a moment")
    words = clean_text(legible(written.text[:_LONGEST_READ]), _LONGEST_READ)
    onlooker = clean_name(written.name, None) if seat is None else None
    return here.at(await here.add(happened.Chat(words, seat, onlooker))).chat()


Whom = Annotated[str, Field(max_length=16, description="A seat (N, E, S), or `onlookers`.")]


@sent
class Mute:
    """Whose messages somebody reads, or no longer."""

    whom: Whom
    on: bool = True


@_form("/mute", Mute, page=lambda here, _: _stay(here, render("muted.html", **people(here))))
@api.post("/mute", responses=CHANGING)
async def mute(here: VisitOf, body: Mute) -> Chat:
    """Stop reading someone's messages, or start again. Nobody else learns of it."""
    return here.at(await here.add(happened.Mute(here.player, body.whom, body.on))).chat()


@api.get("/presence", responses=AT_A_TABLE)
async def presence(here: VisitOf) -> Presence:
    """Who has the table open, and how long the person to act has left."""
    return here.presence


@value
class Rematch:
    """A rematch: who has agreed and, once it has begun, your seat there."""

    agreed: tuple[Seat, ...]
    table: str | None
    seat: Seat | None
    token: str | None


def _agreed(here: Visit, token: str | None) -> Rematch:
    agreed = tuple(seat for seat in Seat if seat in here.state.rematch)
    table = here.state.rematch_table
    return Rematch(agreed=agreed, table=table, seat=here.player, token=token)


@api.get("/rematch", responses=AT_A_TABLE)
async def show_rematch(here: VisitOf) -> Rematch:
    """Who would like to play again."""
    return _agreed(here, None)


Now = Annotated[bool, Field(description="For the host: begin at once, with bots for the others.")]


@sent
class AskRematch:
    """How a rematch is asked for."""

    now: Now = False


@_form("/rematch", AskRematch, dependencies=_PAID)
@api.post("/rematch", responses=CHANGING, dependencies=_PAID)
async def rematch(here: VisitOf, body: AskRematch | None = None) -> Rematch:
    """Play again, in the same seats with new deals, once everyone agrees.

    Ask again to get your token once it has begun.
    """
    now = body is not None and body.now
    await here.server.rooms.rematch(here.room, here.player, here.client, now=now)
    agreed = here.now
    if here.from_page or agreed.state.rematch_table is None:
        return _agreed(agreed, None)
    _, token = await here.server.rooms.follow(here.room, agreed.player)
    return _agreed(agreed, token)


@router.post("/follow")
async def follow(here: VisitOf) -> Response:
    """Go to the table of the rematch, to the same seat."""
    if here.seat is None:
        raise NotYoursError("you are not seated at this table")
    following, token = await here.server.rooms.follow(here.room, here.seat)
    return await here.sit(following, token)
