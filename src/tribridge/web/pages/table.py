"""A table, as a page and for programs: look, sit down, act, write, leave, play again.

What changes a table is one function for both: `changes` gives it a form for pages, which answers
with the board, and an operation of the API, which answers with the view of the seat. A seat's token
is in a cookie, or in the `Authorization: Bearer` header of a program. Changes name the event that
they follow, `at`; one that comes too late gets a 409 and can be sent again after reading the table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import fields
from inspect import get_annotations
from typing import Annotated, Any, Final
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from pydantic import Field, TypeAdapter, ValidationError

from tribridge import codec
from tribridge.deals import Seat, parse_seat
from tribridge.web.core import events as happened
from tribridge.web.core.bots import check_strategy
from tribridge.web.core.events import LONGEST_MESSAGE
from tribridge.web.core.names import LONGEST_NAME, clean_name, clean_text, legible
from tribridge.web.core.state import Message, State
from tribridge.web.errors import NotNowError, NotYoursError, TooManyError
from tribridge.web.language import gettext, translated
from tribridge.web.pages import stream
from tribridge.web.pages.drawing import board_html, order_of, page, part, render
from tribridge.web.server.access import (
    Visit,
    VisitOf,
    cookie_name,
    give_seat,
    is_part,
    pay_for_table,
    remember,
    stream_of,
)
from tribridge.web.server.refusals import AT_A_TABLE, CHANGING, api_router, streamed
from tribridge.web.view.board import board_of
from tribridge.web.view.table import (
    Chat,
    Presence,
    ScoreSheet,
    SeatView,
    chat_of,
    presence_of,
    score_sheet,
    seat_view,
)
from tribridge.web.view.values import body, value

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("tables", "/api/tables/{table}")

Handler = Callable[..., Awaitable[Any]]
_LONGEST_READ: Final = 4 * LONGEST_MESSAGE
"""What is longer is cut before it is examined; it is too long in any case."""


@body
class At:
    """A change without further data."""

    at: int
    """The number of the event that this change follows."""


@body
class NewAction(At):
    """A call (`1NT`, `Pass`, `X`, `XX`) or a card (`SK`)."""

    action: Annotated[str, Field(max_length=16)]


@body
class NewClaim(At):
    """A claim to a number of the remaining tricks, for the side of the seat."""

    tricks: Annotated[int, Field(ge=0)]


@body
class Answer(At):
    """A seat's answer to a claim."""

    agree: bool


@body
class Start:
    """When the match is started."""

    at: int | None = None
    """The number of the event that this change follows, if it has to."""


@body
class Ready:
    """Whether a person is ready to start."""

    ready: bool = True


@body
class SeatBot:
    """The strategy for an open seat."""

    strategy: str


@body
class Leaving:
    """How a person leaves."""

    for_good: bool = True
    """Give up the seat, and the token with it. Otherwise the seat stays yours: come back with
    `back`."""


@body
class NewSeat:
    """Who sits down."""

    name: str = ""


@value
class SeatToken:
    """The token that holds a seat: keep it."""

    seat: Seat
    token: str
    number: int


@body
class NewMessage:
    """A message to everyone at a table."""

    text: Annotated[
        str,
        Field(description=f"One of `phrases`, or free text of up to {LONGEST_MESSAGE} characters."),
    ] = ""
    name: Annotated[
        str, Field(description=f"An onlooker's name, up to {LONGEST_NAME} letters.")
    ] = ""


@body
class Mute:
    """Whom a seat no longer reads."""

    whom: Annotated[str, Field(max_length=16)]
    """A seat (N, E, S), or `onlookers`."""
    on: bool = True


@body
class NewRematch:
    """An offer to play again."""

    now: bool = False
    """For the host: begin at once. Bots play for those who have not agreed."""


@value
class Rematch:
    """A rematch: who has agreed and, once it has begun, your seat there."""

    agreed: tuple[Seat, ...]
    table: str | None
    seat: Seat | None
    token: str | None


@value
class Log:
    """What happened on this deal, in words."""

    log: tuple[str, ...]
    notes: tuple[str, ...]
    """Notices about the seats."""


async def _sent(request: Request, kind: type[Any]) -> Any:
    """What a form sends, as the value that a program would send."""
    form = await request.form()
    known = {part.name: form[part.name] for part in fields(kind) if part.name in form}
    try:
        return TypeAdapter(kind).validate_python(known)
    except ValidationError as error:
        errors = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(errors) from None


def changes(path: str, operation: str | None = None) -> Callable[[Handler], Handler]:
    """Serve a function that changes a table as a form at `path` and an operation of the API."""

    def decorate(handler: Handler) -> Handler:
        kind = get_annotations(handler, eval_str=True)["new"]

        async def by_form(here: VisitOf) -> Response:
            await handler(here, await _sent(here.request, kind))
            return answer(here)

        async def by_program(here: VisitOf, new: Any) -> SeatView:
            await handler(here, new)
            return here.view

        by_program.__annotations__["new"] = kind
        router.post(path)(by_form)
        named: dict[str, Any] = {"name": handler.__name__, "description": handler.__doc__}
        api.post(operation or path, responses=CHANGING, **named)(by_program)
        return handler

    return decorate


def answer(here: Visit) -> Response:
    """The table after a change: part of the page, or a redirect for browsers without scripts."""
    if is_part(here.request):
        return part(board_html(here.view, order_of(here.request)))
    return RedirectResponse(f"/table/{here.room.name}", 303)


@router.get("")
async def show_table(here: VisitOf) -> HTMLResponse:
    """A table, for its players and for kibitzers."""
    seat, token = here.seat, here.token
    return page(
        "table.html",
        s=here.view,
        board=board_of(here.view, order_of(here.request)),
        name=unquote(here.request.cookies.get("name", "")),
        chat=chat_of(here.room, seat),
        presence=presence_of(here.room, here.server.rooms.timing),
        seat_link=None if seat is None else f"/table/{here.room.name}/seat?token={token}",
        longest=LONGEST_MESSAGE,
    )


@router.get("/board")
async def table_board(here: VisitOf) -> HTMLResponse:
    """The part of the table's page that changes."""
    return part(board_html(here.view, order_of(here.request)))


@api.get("", responses=AT_A_TABLE)
async def look(here: VisitOf) -> SeatView:
    """The table as the token's seat sees it; without a token, as a kibitzer sees it."""
    return here.view


@api.get("/score", responses=AT_A_TABLE)
async def score(here: VisitOf) -> ScoreSheet:
    """The score of the match so far."""
    return score_sheet(here.state)


@api.get("/log", responses=AT_A_TABLE)
async def log(here: VisitOf) -> Log:
    """What happened on the current deal, in words."""
    return Log(log=tuple(text for _, text in here.state.said), notes=here.state.notes)


After = Annotated[int | None, Header()]


@router.get("/stream")
async def table_stream(
    here: VisitOf, after: int = 0, last_event_id: After = None
) -> StreamingResponse:
    """Live updates of a table, starting after the last event the browser has."""
    room, seat, order = here.room, here.seat, order_of(here.request)

    def draw(state: State) -> str:
        return board_html(seat_view(room.name, state, here.seat), order)

    def written(since: int) -> str:
        chat = chat_of(room, seat, since)
        return render("messages.html", s=here.view, chat=chat) if chat.messages else ""

    def present() -> str:
        return render("presence.html", **_people(here))

    number = after if last_event_id is None else last_event_id
    updates = stream.updates(room, number, draw, written, present)
    return stream_of(here.request, here.server, room.presence.during(seat, updates))


def _people(here: Visit) -> dict[str, Any]:
    """What the list of people at a table is drawn from."""
    presence = presence_of(here.room, here.server.rooms.timing)
    return {"s": here.view, "chat": chat_of(here.room, here.seat), "presence": presence}


@api.get(
    "/events",
    response_class=StreamingResponse,
    responses=AT_A_TABLE
    | streamed(
        "text/event-stream",
        "Server-sent events: `table` with a `SeatView`, `say` with plain text, `chat` with a list "
        "of `Message`, `presence` with a `Presence`.",
    ),
)
async def events(here: VisitOf, after: int = 0, last_event_id: After = None) -> StreamingResponse:
    """Server-sent events: the view after each change, the log, the chat, and who is there."""
    room = here.room

    def draw(state: State) -> str:
        return codec.dumps(seat_view(room.name, state, here.seat))

    def written(since: int) -> str:
        messages = chat_of(room, here.seat, since).messages
        return codec.dumps(messages, tuple[Message, ...]) if messages else ""

    def present() -> str:
        return codec.dumps(presence_of(room, here.server.rooms.timing))

    number = after if last_event_id is None else last_event_id
    updates = stream.updates(room, number, draw, written, present, encode=str)
    return stream_of(here.request, here.server, room.presence.during(here.seat, updates))


async def _sit(here: Visit, seat: Seat, name: str) -> str:
    """Take an open seat; its token."""
    if here.seat is not None:
        raise NotNowError("you are already sitting here, as {seat}", seat=here.seat)
    return await here.server.rooms.sit(here.room, seat, name)


@router.post("/sit")
async def sit_down(
    here: VisitOf, seat: Annotated[str, Form()], name: Annotated[str, Form()] = ""
) -> Response:
    """Take an open seat."""
    place = parse_seat(seat)
    person = clean_name(name, translated(place))
    token = await _sit(here, place, person)
    where = f"/table/{here.room.name}"
    response: Response = RedirectResponse(where, 303)
    if is_part(here.request):  # the page has to be loaded as a whole
        response = Response(status_code=204, headers={"hx-redirect": where})
    return remember(give_seat(here.request, response, here.room, token), person)


@api.post("/seats/{seat}", status_code=201, responses=CHANGING)
async def sit(here: VisitOf, seat: str, who: NewSeat) -> SeatToken:
    """Take an open seat."""
    place = parse_seat(seat)
    token = await _sit(here, place, clean_name(who.name, str(place)))
    return SeatToken(seat=place, token=token, number=here.state.number)


@router.get("/seat")
async def take_seat(here: VisitOf, token: str = "") -> Response:
    """Come back to a seat on another device, by the link that its holder copied."""
    if here.server.rooms.seat_of(here.room, token) is None:
        raise NotYoursError("this link no longer holds a seat at the table")
    response = RedirectResponse(f"/table/{here.room.name}", 303)
    return give_seat(here.request, response, here.room, token)


@changes("/start")
async def start(here: Visit, new: Start) -> None:
    """Start the match, with strategies in the seats that are still open: for the host."""
    await here.add(happened.Started(here.player), new.at)


@changes("/act", "/actions")
async def act(here: Visit, new: NewAction) -> None:
    """Call or play a card."""
    if here.from_page:
        await here.server.rooms.click(here.room, here.player, new.action, new.at)
        return
    await here.add(happened.Act(here.player, new.action), new.at)


@changes("/undo")
async def undo(here: Visit, new: At) -> None:
    """Undo your last action: against strategies only, and not beyond a refused claim."""
    await here.add(happened.Undo(here.player), new.at)


@changes("/claim", "/claims")
async def claim(here: Visit, new: NewClaim) -> None:
    """Claim some of the remaining tricks: on your turn, between tricks, once per trick."""
    await here.add(happened.ClaimTricks(here.player, new.tricks), new.at)


@changes("/answer", "/claims/answer")
async def answer_claim(here: Visit, new: Answer) -> None:
    """Agree to a claim, or refuse it."""
    await here.add(happened.Answer(here.player, new.agree), new.at)


@changes("/next")
async def next_deal(here: Visit, new: At) -> None:
    """The next deal of the match."""
    assert here.player is not None
    await here.add(happened.NextDeal(), new.at)


@changes("/ready")
async def say_ready(here: Visit, new: Ready) -> None:
    """Say that you are ready to start, or not."""
    await here.add(happened.Ready(here.player, new.ready))


def _absent(here: Visit) -> list[Seat]:
    asking = here.player
    return [seat for seat in here.server.rooms.absent(here.room) if seat is not asking]


@router.get("/absent")
async def missing(here: VisitOf) -> HTMLResponse:
    """Players the table is waiting for who have gone, with a way to play on."""
    return page("absent.html", missing=_absent(here), s=here.view)


@api.get("/absent", responses=AT_A_TABLE)
async def absent(here: VisitOf) -> list[Seat]:
    """The seats that the table is waiting for and that have been silent for a while."""
    return _absent(here)


@router.post("/stand-in")
async def play_on_for(
    here: VisitOf, missing: Annotated[str, Form()], at: Annotated[int, Form()]
) -> Response:
    """Let a strategy play for a person who has gone."""
    await here.server.rooms.stand_in(here.room, here.player, parse_seat(missing), at)
    return answer(here)


@api.post("/seats/{seat}/stand-in", responses=CHANGING)
async def stand_in(here: VisitOf, seat: str, new: At) -> SeatView:
    """Let a strategy play for a person who has been away while the table waits for them."""
    await here.server.rooms.stand_in(here.room, here.player, parse_seat(seat), new.at)
    return here.view


@router.post("/back")
async def come_back(here: VisitOf) -> Response:
    """Take your seat back from the strategy that played for you."""
    await here.server.rooms.back(here.room, here.seat)
    return answer(here)


@api.post("/back", responses=CHANGING)
async def back(here: VisitOf) -> SeatView:
    """Take your seat back from the strategy that played for you."""
    await here.server.rooms.back(here.room, here.seat)
    return here.view


@router.post("/leave")
async def leave_page(here: VisitOf, for_good: Annotated[bool, Form()] = False) -> Response:
    """Leave the table; during a match the seat stays one's own unless it is given up."""
    kept = await here.server.rooms.leave(here.room, here.player, for_good=for_good)
    response = RedirectResponse("/", 303)
    if not kept:
        response.delete_cookie(cookie_name(here.room.name), path=f"/table/{here.room.name}")
    return response


@api.post("/leave", responses=CHANGING)
async def leave(here: VisitOf, how: Leaving | None = None) -> SeatView:
    """Leave the table: give up the seat to a strategy, or let one hold it until you are back."""
    await here.server.rooms.leave(here.room, here.player, for_good=how is None or how.for_good)
    return here.view


async def _choose_bot(here: Visit, seat: str, strategy: str) -> None:
    if here.player is not here.state.host:
        raise NotYoursError("only the host can choose the bots")
    await here.add(happened.ChooseBot(parse_seat(seat), check_strategy(strategy)))


@router.post("/bot")
async def bot(
    here: VisitOf, seat: Annotated[str, Form()], strategy: Annotated[str, Form()]
) -> Response:
    """The host chooses who plays an open seat if nobody takes it."""
    await _choose_bot(here, seat, strategy)
    return answer(here)


@api.post("/seats/{seat}/bot", responses=CHANGING)
async def choose_bot(here: VisitOf, seat: str, new: SeatBot) -> SeatView:
    """Choose the strategy that plays an open seat if nobody takes it: for the host."""
    await _choose_bot(here, seat, new.strategy)
    return here.view


async def _write(here: Visit, new: NewMessage) -> None:
    """Send a message from a seat, or from an onlooker under a name."""
    room, seat = here.room, here.seat
    writer = f"onlooker {here.client}" if seat is None else f"{room.name} {seat.letter}"
    if here.server.messages.take(writer):
        raise TooManyError("too many messages: wait a moment")
    words = clean_text(legible(new.text[:_LONGEST_READ]), _LONGEST_READ)
    name = clean_name(new.name, gettext("Onlooker")) if seat is None else None
    await here.add(happened.Chat(words, seat, name))


def _stay(here: Visit, html: str = "") -> Response:
    """Answer a request that changes nothing on the board."""
    if is_part(here.request):
        return part(html, 200 if html else 204)
    return RedirectResponse(f"/table/{here.room.name}", 303)


@router.post("/chat")
async def write(here: VisitOf) -> Response:
    """Write a message; the stream brings it to everyone, the writer included."""
    await _write(here, await _sent(here.request, NewMessage))
    return _stay(here)


@api.post("/chat", responses=CHANGING)
async def write_chat(here: VisitOf, new: NewMessage) -> Chat:
    """Write to everyone at the table. Onlookers can only where the table allows it."""
    await _write(here, new)
    return chat_of(here.room, here.seat)


@api.get("/chat", responses=AT_A_TABLE)
async def read_chat(here: VisitOf) -> Chat:
    """The last messages, without those of people you have muted."""
    return chat_of(here.room, here.seat)


async def _mute(here: Visit, new: Mute) -> None:
    await here.add(happened.Mute(here.player, new.whom, new.on))


@router.post("/mute")
async def mute_on_page(here: VisitOf) -> Response:
    """Stop reading someone's messages, or start again."""
    await _mute(here, await _sent(here.request, Mute))
    return _stay(here, render("muted.html", **_people(here)))


@api.post("/mute", responses=CHANGING)
async def mute(here: VisitOf, new: Mute) -> Chat:
    """Stop reading someone's messages, or start again. Nobody else learns of it."""
    await _mute(here, new)
    return chat_of(here.room, here.seat)


@api.get("/presence", responses=AT_A_TABLE)
async def presence(here: VisitOf) -> Presence:
    """Who has the table open, and how long the person to act has left."""
    return presence_of(here.room, here.server.rooms.timing)


async def _rematch(here: Visit, *, now: bool) -> None:
    await here.server.rooms.rematch(here.room, here.player, here.client, now=now)


@router.post("/rematch", dependencies=[Depends(pay_for_table)])
async def play_again(here: VisitOf, now: Annotated[bool, Form()] = False) -> Response:
    """Ask for a rematch; it begins when all agree, or when the host says so."""
    await _rematch(here, now=now)
    return answer(here)


@api.get("/rematch", responses=AT_A_TABLE)
async def show_rematch(here: VisitOf) -> Rematch:
    """Who would like to play again."""
    return _agreed(here, None)


@api.post("/rematch", responses=CHANGING)
async def rematch(here: VisitOf, new: NewRematch) -> Rematch:
    """Play again, in the same seats with new deals, once everyone agrees.

    Ask again to get your token once it has begun.
    """
    await _rematch(here, now=new.now)
    token = None
    if here.state.rematch_table is not None:
        _, token = await here.server.rooms.follow(here.room, here.player)
    return _agreed(here, token)


def _agreed(here: Visit, token: str | None) -> Rematch:
    agreed = tuple(seat for seat in Seat if seat in here.state.rematch)
    table = here.state.rematch_table
    return Rematch(agreed=agreed, table=table, seat=here.player, token=token)


@router.post("/follow")
async def follow(here: VisitOf) -> Response:
    """Go to the table of the rematch, to the same seat."""
    if here.seat is None:
        raise NotYoursError("you are not seated at this table")
    following, token = await here.server.rooms.follow(here.room, here.seat)
    response = RedirectResponse(f"/table/{following.name}", 303)
    return give_seat(here.request, response, following, token)
