"""A table, as a page and for programs: look, sit down, act, claim, leave, add up the score.

A seat's token is in a cookie, or in the `Authorization: Bearer` header of a program. Changes name
the event that they follow, `at`; one that comes too late gets a 409 and can be sent again after
reading the table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Header
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from markupsafe import escape
from pydantic import Field

from tribridge.cards.deals import Seat
from tribridge.club.core import events as happened
from tribridge.club.core.chat import LONGEST_MESSAGE
from tribridge.club.core.names import clean_name
from tribridge.club.core.state import Message, State
from tribridge.club.errors import NotNowError, NotStoredError, NotYoursError
from tribridge.club.pages.board import Follower, board_context, board_html
from tribridge.club.pages.review import judge_ahead, think
from tribridge.club.pages.templates import download, page, part, render
from tribridge.club.pages.updates import said_at_once, updates
from tribridge.club.server.access import Visit, VisitOf, cookie_name, stream_of
from tribridge.club.server.guard import asks_for_head
from tribridge.club.server.operations import AT_A_TABLE, CHANGING, api_router, form, streamed
from tribridge.club.view.board import aloud, prompt_of
from tribridge.club.view.table import Chat, ScoreSheet, SeatView, score_sheet
from tribridge.club.view.values import sent, value
from tribridge.common import codec
from tribridge.game import Rubber
from tribridge.game.record import rubbers as record_rubber
from tribridge.game.rubber import rows_above, rows_below
from tribridge.strategies import options

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("tables", "/api/tables/{table}")


def answer(here: Visit, _: object = None) -> Response:
    """The table after a change: part of the page, or a redirect for browsers without scripts.

    A page that follows the table by its stream gets the change from there.
    """
    if "board-stream" in here.request.headers:
        return Response(status_code=204)
    if here.for_part:
        return part(board_html(here.view, here.order))
    return RedirectResponse(f"/table/{here.room.name}", 303)


_form = partial(form, router, page=answer)


def _prepare(here: Visit) -> SeatView:
    """What a visitor sees; a learner's hint, and everyone's first, is thought of ahead.

    The deal so far is judged ahead, for the review.
    """
    seen = here.view
    if not seen.your_turn or here.now is not here:
        return seen
    judge_ahead(here, seen.names)
    if not seen.hints or seen.game is None:
        return seen
    asked = [*seen.advised, *(seat for done in here.state.finished for seat in done.advised)]
    first = seen.deal == 1 and len(seen.calls) < len(Seat)
    learner = first or here.newcomer or seen.seat in asked
    if learner and not here.server.rooms.workers.queue.waiting:
        think(here, options, seen.game)
    return seen


def people(here: Visit) -> dict[str, Any]:
    """What the list of people at a table is drawn from."""
    return {"s": here.view, "chat": here.chat(), "presence": here.presence}


async def _returned(here: Visit, seen: int = 0) -> Visit:
    """The visit after the seat has gone back to whoever opens its page.

    A page that has `seen` its holder go has been open all the time: nobody has come.
    """
    seat, state = here.seat, here.state
    if seat is None or state.over or seen >= happened.went(state, seat):
        return here
    if not asks_for_head(here.request.scope):
        with contextlib.suppress(NotNowError, NotStoredError, NotYoursError):  # a button is there
            await here.add(happened.Back(seat))
    return here.now


@router.get("")
async def show_table(here: VisitOf) -> HTMLResponse:
    """A table, for its players and for kibitzers."""
    here = await _returned(here)
    name, token, shown = here.room.name, here.token, people(here)
    _prepare(here)
    shown |= board_context(shown["s"], here.order)
    return page(
        "table.html",
        **shown,
        name=here.name,
        seat_link=None if here.seat is None else f"/table/{name}/seat?token={token}",
        longest=LONGEST_MESSAGE,
    )


@router.get("/board")
async def table_board(here: VisitOf) -> HTMLResponse:
    """The part of the table's page that changes."""
    return part(board_html(here.view, here.order))


@api.get("", responses=AT_A_TABLE)
async def look(here: VisitOf) -> SeatView:
    """The table as the token's seat sees it; without a token, as a kibitzer sees it."""
    return here.view


@api.get("/score", responses=AT_A_TABLE)
async def score(here: VisitOf) -> ScoreSheet:
    """The score of the match so far."""
    return score_sheet(here.state)


@value
class Log:
    """What happened on this deal, in words."""

    log: tuple[str, ...]
    notes: tuple[str, ...]
    """Notices about the seats."""


@api.get("/log", responses=AT_A_TABLE)
async def log(here: VisitOf) -> Log:
    """What happened on the current deal, in words."""
    return Log(log=tuple(text for _, text in here.state.said), notes=here.state.notes)


async def _followed(after: int = 0, last_event_id: Annotated[int | None, Header()] = None) -> int:
    return after if last_event_id is None else last_event_id


FollowedOf = Annotated[int, Depends(_followed)]


def _live(
    here: Visit,
    after: int,
    draw: Callable[[Visit], str],
    write: Callable[[Chat], str],
    present: Callable[[Visit], str],
    tell: Callable[[Visit, list[str]], str] = lambda there, said: said_at_once(said),
    encode: Callable[[str], str] = escape,
) -> StreamingResponse:
    """Live updates of a table, starting after the last event that the client has."""

    def written(since: int) -> str:
        if not here.room.state.read_by(None, since):  # nobody has written anything
            return ""
        chat = here.now.chat(since)
        return write(chat) if chat.messages else ""

    def drawn(state: State) -> str:
        return draw(here.at(state))

    def told(state: State, said: list[str]) -> str:
        return tell(here.at(state), said)

    def presence() -> str:
        return present(here.now)

    sent = updates(here.room, after, drawn, told, written, presence, encode)
    return stream_of(here, here.room.presence.during(here.seat, sent))


def _heard(there: Visit, said: list[str]) -> str:
    """What a screen reader says: what has happened, and to whoever is to act what to do."""
    seen = there.view
    text = said_at_once(map(seen.told, said))
    return f"{aloud(text)} {prompt_of(seen)}." if seen.your_turn else aloud(text)


@router.get("/stream")
async def table_stream(here: VisitOf, after: FollowedOf) -> StreamingResponse:
    """Live updates for a page."""
    here = await _returned(here, after)
    follower = Follower(here.order)
    return _live(
        here,
        after,
        lambda there: follower.draw(_prepare(there)),
        lambda chat: render("messages.html", s=here.now.view, chat=chat),
        lambda there: render("presence.html", **people(there)),
        _heard,
    )


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
async def events(here: VisitOf, after: FollowedOf) -> StreamingResponse:
    """Server-sent events: the view after each change, the log, the chat, and who is there."""
    return _live(
        here,
        after,
        lambda there: codec.dumps(there.view),
        lambda chat: codec.dumps(chat.messages, tuple[Message, ...]),
        lambda there: codec.dumps(there.presence),
        encode=str,
    )


@value
class SeatToken:
    """The token that holds a seat: keep it."""

    seat: Seat
    token: str
    number: int


async def _seated(here: Visit, held: SeatToken) -> Response:
    name = here.state.places[held.seat].name
    return await here.sit(here.room, held.token, name=name)


@sent
class Sit:
    """Under what name somebody sits down."""

    name: str = ""


@_form("/sit", Sit, named=("seat",), page=_seated)
@api.post("/seats/{seat}", status_code=201, responses=CHANGING)
async def sit(here: VisitOf, seat: str, body: Sit | None = None) -> SeatToken:
    """Take an open seat."""
    if here.seat is not None:
        raise NotNowError("you are already sitting here, as {seat}", seat=here.seat)
    place = Seat(seat)
    person = clean_name(body.name if body else "", place)
    token = await here.server.rooms.sit(here.room, place, person)
    return SeatToken(seat=place, token=token, number=here.now.state.number)


@router.get("/seat")
async def take_seat(here: VisitOf, token: str = "") -> Response:
    """Come back to a seat on another device, by the link that its holder copied.

    Whoever holds another seat is asked first: any page can lead to such a link.
    """
    seat = _linked(here, token)
    if here.seat not in (None, seat):
        return page("seat.html", s=here.view, seat=seat, token=token)
    return await here.sit(here.room, token)


@router.post("/seat")
async def change_seat(here: VisitOf, token: Annotated[str, Form()] = "") -> Response:
    """Take the seat of a link in place of the one that the visitor holds."""
    _linked(here, token)
    return await here.sit(here.room, token)


def _linked(here: Visit, token: str) -> Seat:
    """The seat that a link holds."""
    seat = here.server.rooms.seat_of(here.room.name, here.state, token)
    if seat is None:
        raise NotYoursError("this link no longer holds a seat at the table")
    return seat


@sent
class Start:
    """The event after which the match is started; whichever is the last, if none is named."""

    at: int | None = None


@_form("/start", Start)
@api.post("/start", responses=CHANGING)
async def start(here: VisitOf, body: Start | None = None) -> SeatView:
    """Start the match, with strategies in the seats that are still open: for the host."""
    at = body.at if body else None
    here = await here.after(at)
    await here.add(happened.Started(here.player), at)
    return here.now.view


@sent
class Act:
    """A call or a card, and the event that it follows."""

    action: Annotated[str, Field(max_length=16)]
    at: int


@_form("/act", Act)
@api.post("/actions", responses=CHANGING)
async def act(here: VisitOf, body: Act) -> SeatView:
    """Call (`1NT`, `Pass`, `X`, `XX`) or play a card (`SK`)."""
    here = await here.after(body.at)
    if here.from_page:
        await here.server.rooms.click(here.room, here.player, body.action, body.at, here.still)
    else:
        await here.add(happened.Act(here.player, body.action), body.at)
    return here.now.view


@sent
class Undo:
    """The event after which an action is undone."""

    at: int


@_form("/undo", Undo)
@api.post("/undo", responses=CHANGING)
async def undo(here: VisitOf, body: Undo) -> SeatView:
    """Undo your last action: against strategies only, and not beyond a refused claim."""
    here = await here.after(body.at)
    await here.add(happened.Undo(here.player), body.at)
    return here.now.view


@sent
class Claim:
    """How many of the remaining tricks are claimed, and the event that it follows."""

    tricks: Annotated[int, Field(ge=0)]
    at: int


@_form("/claim", Claim)
@api.post("/claims", responses=CHANGING)
async def claim(here: VisitOf, body: Claim) -> SeatView:
    """Claim some of the remaining tricks: on your turn, between tricks, once per trick."""
    here = await here.after(body.at)
    await here.add(happened.ClaimTricks(here.player, body.tricks), body.at)
    return here.now.view


@sent
class AnswerClaim:
    """Whether somebody agrees to a claim, and the event that it follows."""

    agree: bool
    at: int


@_form("/answer", AnswerClaim)
@api.post("/claims/answer", responses=CHANGING)
async def answer_claim(here: VisitOf, body: AnswerClaim) -> SeatView:
    """Agree to a claim, or refuse it."""
    here = await here.after(body.at)
    await here.add(happened.Answer(here.player, body.agree), body.at)
    return here.now.view


@sent
class NextDeal:
    """The event that the next deal follows."""

    at: int


@_form("/next", NextDeal)
@api.post("/next", responses=CHANGING)
async def next_deal(here: VisitOf, body: NextDeal) -> SeatView:
    """Say that you are ready for the next deal.

    It begins when all people are ready, and at the latest 30 seconds after the first of them.
    """
    here = await here.after(body.at)
    alone = here.state.people == (here.player,)
    await here.add(happened.NextDeal() if alone else happened.Onward(here.player), body.at)
    return here.now.view


def _absent(here: Visit) -> list[Seat]:
    asking = here.player
    return [seat for seat in here.server.rooms.absent(here.room) if seat is not asking]


@router.get("/absent")
async def missing(here: VisitOf) -> HTMLResponse:
    """Players the table is waiting for who have gone: how long it waits, then a way to play on.

    Onlookers read it, too; to play on is for those who play.
    """
    gone = here.server.rooms.leaving(here.room)
    asking = None if here.seat is None else here.player
    return page("absent.html", gone={s: t for s, t in gone.items() if s is not asking}, s=here.view)


@api.get("/absent", responses=AT_A_TABLE)
async def absent(here: VisitOf) -> list[Seat]:
    """The seats that the table is waiting for and that have been silent for a while."""
    return _absent(here)


@sent
class StandIn:
    """The event after which a strategy takes over."""

    at: int


@_form("/stand-in", StandIn, named=("seat",))
@api.post("/seats/{seat}/stand-in", responses=CHANGING)
async def stand_in(here: VisitOf, seat: str, body: StandIn) -> SeatView:
    """Let a strategy play for a person who has been away while the table waits for them."""
    here = await here.after(body.at)
    await here.server.rooms.stand_in(here.room, here.player, Seat(seat), body.at, here.still)
    return here.now.view


@_form("/back")
@api.post("/back", responses=CHANGING)
async def back(here: VisitOf) -> SeatView:
    """Take your seat back from the strategy that played for you."""
    if here.seat is None:
        raise NotYoursError("you are not seated at this table")
    await here.add(happened.Back(here.seat))
    return here.now.view


def _left(here: Visit, _: object) -> Response:
    response = RedirectResponse("/", 303)
    if here.seat is None:  # given up
        response.delete_cookie(cookie_name(here.room.name), path=f"/table/{here.room.name}")
    return response


@sent
class Leave:
    """Whether the seat is given up; null: as is usual for a page or a program."""

    for_good: bool | None = None


@_form("/leave", Leave, page=_left)
@api.post("/leave", responses=CHANGING)
async def leave(here: VisitOf, body: Leave | None = None) -> SeatView:
    """Leave the table: give up the seat to a strategy, or let one hold it until you are back.

    A program gives it up unless it says otherwise.
    """
    asked = body.for_good if body else None
    gone = not here.from_page if asked is None else asked
    await here.server.rooms.leave(here.room, here.player, for_good=gone, by=here.still)
    return here.now.view


def payments(rubber: Rubber) -> tuple[tuple[Seat, Seat, int], ...]:
    """Who pays whom how much: each pair settles the difference of its totals.

    >>> from tribridge.game import Contract
    >>> payments(Rubber().add(Contract("3NT", "N"), 9))
    ((Seat.EAST, Seat.NORTH, 30), (Seat.SOUTH, Seat.NORTH, 30))
    """
    totals = rubber.totals()
    pairs = (sorted(pair, key=lambda seat: totals[seat]) for pair in combinations(Seat, 2))
    return tuple(
        (less, more, totals[more] - totals[less])
        for less, more in pairs
        if totals[more] > totals[less]
    )


def _rubber(here: Visit) -> Rubber:
    rubber = here.state.match.rubber
    if rubber is None:
        raise NotNowError("this table plays single deals: only a rubber has a score sheet")
    return rubber


@router.get("/sheet")
async def sheet(here: VisitOf) -> HTMLResponse:
    """The score sheet, for the dialog of the table's page or as a page of its own."""
    rubber = _rubber(here)
    return page(
        "sheet.html" if here.for_part else "sheet_page.html",
        s=here.view,
        rubber=rubber,
        above=rows_above(rubber),
        games=rows_below(rubber),
        payments=payments(rubber) if here.state.over else (),
    )


@router.get("/rubber.jsonl")
async def rubber_jsonl(here: VisitOf) -> Response:
    """The rubber as JSON Lines, as `tribridge score` reads it."""
    return download(record_rubber.dumps([_rubber(here)]), "rubber.jsonl")
