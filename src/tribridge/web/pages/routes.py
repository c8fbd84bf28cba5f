"""The lobby and the table, as pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Form, Header, Query, Request
from fastapi.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from tribridge.deals import Seat, parse_seat
from tribridge.game import schemes
from tribridge.game.laws import all_laws
from tribridge.web.core import events
from tribridge.web.core.bots import choices, default_level, levels
from tribridge.web.core.matches import DEFAULT_LAWS, MOST_DEALS, MatchPlan
from tribridge.web.core.names import clean_name
from tribridge.web.core.room import Room
from tribridge.web.core.state import Options, Place, State
from tribridge.web.errors import NotNowError, WebError
from tribridge.web.language import translated
from tribridge.web.pages import stream, together
from tribridge.web.pages.public import public
from tribridge.web.pages.table_page import table_page
from tribridge.web.server.access import (
    PlayerOf,
    RoomOf,
    ServerOf,
    ViewerOf,
    answer,
    board,
    client_of,
    give_seat,
    order_of,
    page,
    pay_for_table,
    shared_address,
    stream_of,
    token_of,
)

router = APIRouter(include_in_schema=False)

At = Annotated[int, Form()]
_SOUTH = Seat.SOUTH


def _lobby_context(request: Request) -> dict[str, Any]:
    return {
        "levels": levels(),
        "default": default_level(),
        "choices": choices(),
        "schemes": schemes(),
        "laws": all_laws(),
        "most_deals": MOST_DEALS,
        "name": unquote(request.cookies.get("name", "")),
        "first_visit": "name" not in request.cookies,
    }


async def _tables(server: ServerOf) -> list[Any]:
    return [public(room.name, room.state) for room in await server.rooms.listed()]


@router.get("/")
async def lobby(request: Request, server: ServerOf) -> HTMLResponse:
    """The start page."""
    return page(
        "lobby.html", tables=await _tables(server), challenge=None, **_lobby_context(request)
    )


@router.get("/share")
async def share(request: Request, server: ServerOf) -> PlainTextResponse:
    """Where others reach this server, for the links that people copy; empty if they cannot."""
    address = shared_address(request, server) or ""
    return PlainTextResponse(address, headers={"cache-control": "no-store"})


@router.get("/lobby/tables")
async def lobby_tables(server: ServerOf) -> HTMLResponse:
    """The list of open tables."""
    return page("tables.html", tables=await _tables(server))


@router.get("/challenge")
async def challenge(
    request: Request,
    server: ServerOf,
    seed: Annotated[int | None, Query(ge=0, lt=1 << 64)] = None,
    first: Annotated[int, Query(ge=0, lt=1 << 62)] = 0,
    deals: Annotated[int | None, Query(ge=1, le=MOST_DEALS)] = None,
    scheme: str = "auction",
    doubles: bool = False,
    secret: str | None = None,
    laws: str | None = None,
) -> HTMLResponse:
    """The same deals again, for others."""
    if seed is None and secret is None:
        raise WebError("a challenge link needs a seed or a secret")
    plan = MatchPlan(seed, first, deals, scheme, doubles, secret=secret, laws=laws)
    plan = replace(plan, deals=plan.checked().deals)
    return page(
        "lobby.html", tables=await _tables(server), challenge=plan, **_lobby_context(request)
    )


class _Plan:
    """The fields of the forms that open a table."""

    def __init__(
        self,
        deals: Annotated[int | None, Form()] = None,
        scoring: Annotated[str, Form()] = "",
        scheme: Annotated[str | None, Form()] = None,
        laws: Annotated[str | None, Form()] = None,
        doubles: Annotated[bool | None, Form()] = None,
        no_doubles: Annotated[bool, Form()] = False,
        seed: Annotated[int | None, Form()] = None,
        first: Annotated[int, Form()] = 0,
        secret: Annotated[str | None, Form()] = None,
        no_hints: Annotated[bool, Form()] = False,
        name: Annotated[str, Form()] = "",
        strategy: Annotated[str, Form()] = "",
        other: Annotated[str, Form()] = "",
    ) -> None:
        if scoring in all_laws():  # a rubber takes as many deals as it takes
            laws, deals = scoring, None
        elif scoring:
            scheme = scoring
        elif scheme is None:
            laws = laws or DEFAULT_LAWS
        if doubles is None:  # doubles are part of the laws, and of what the lobby offers
            doubles = not no_doubles and bool(scoring or laws)
        self.match = MatchPlan(
            seed,
            first,
            deals,
            scheme or "auction",
            doubles,
            secret=secret or None,
            hints=not no_hints,
            laws=laws,
        )
        self.name = clean_name(name, translated(_SOUTH))
        self.strategy = other.strip() or strategy or default_level().strategy


PlanOf = Annotated[_Plan, Depends()]


def _places(strategy: str, person: str | None = None, *, free: bool = False) -> list[Place]:
    """Three places for a strategy; a person, if one is named, has South's."""
    places = [Place("", strategy, open=free) for _ in Seat]
    if person is not None:
        places[_SOUTH] = Place(person, strategy, person=True)
    return places


def remember(response: Response, name: str) -> Response:
    """Let the browser keep a person's name."""
    response.set_cookie("name", quote(name), max_age=365 * 86400, samesite="lax", httponly=True)
    return response


@router.post("/play", dependencies=[Depends(pay_for_table)])
async def play(request: Request, plan: PlanOf, server: ServerOf) -> Response:
    """One click to a game against two strategies."""
    places = _places(plan.strategy, plan.name)
    room = await server.rooms.open(plan.match, places, client_of(request))
    response = RedirectResponse(f"/table/{room.name}", 303)
    return remember(give_seat(request, response, room, server.rooms.token(room, _SOUTH)), plan.name)


@router.post("/open", dependencies=[Depends(pay_for_table)])
async def open_table(
    request: Request, plan: PlanOf, server: ServerOf, shared: together.OptionsOf
) -> Response:
    """Open a table for friends: the visitor takes a seat and hosts, the others stay open."""
    places = _places(plan.strategy, plan.name, free=True)
    room = await server.rooms.open(plan.match, places, client_of(request), options=shared.options)
    response = RedirectResponse(f"/table/{room.name}", 303)
    return remember(give_seat(request, response, room, server.rooms.token(room, _SOUTH)), plan.name)


@router.post("/watch", dependencies=[Depends(pay_for_table)])
async def watch(request: Request, plan: PlanOf, server: ServerOf) -> Response:
    """Open a table of three strategies to watch."""
    everyone = Options(listed=True)  # nobody's name is at it
    room = await server.rooms.open(
        plan.match, _places(plan.strategy), client_of(request), options=everyone
    )
    return RedirectResponse(f"/table/{room.name}", 303)


@router.get("/table/{table}")
async def show_table(
    request: Request, room: RoomOf, server: ServerOf, seat: ViewerOf
) -> HTMLResponse:
    """A table, for its players and for kibitzers."""
    return page(
        "table.html",
        s=table_page(room.name, room.state, seat, order_of(request)),
        name=unquote(request.cookies.get("name", "")),
        t=together.together(server, room, seat, token_of(request, room)),
    )


@router.get("/table/{table}/board")
async def table_board(request: Request, room: RoomOf, seat: ViewerOf) -> HTMLResponse:
    """The part of the table's page that changes."""
    html = board(room, room.state, seat, order_of(request))
    return HTMLResponse(html, headers={"cache-control": "no-store"})


@router.get("/table/{table}/stream")
async def table_stream(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    after: int = 0,
    last_event_id: Annotated[int | None, Header()] = None,
) -> StreamingResponse:
    """Live updates of a table, starting after the last event the browser has."""
    token, order = token_of(request, room), order_of(request)

    def draw(state: State) -> str:
        return board(room, state, server.rooms.seat_of(room, token), order)

    seat = server.rooms.seat_of(room, token)
    updates = stream.updates(
        room,
        after if last_event_id is None else last_event_id,
        draw,
        chat=lambda _, since: together.written(server, room, seat, since),
        present=lambda: together.present(server, room, seat),
    )
    return stream_of(request, server, room.presence.during(seat, updates))


@router.post("/table/{table}/sit")
async def sit(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seated: ViewerOf,
    seat: Annotated[str, Form()],
    name: Annotated[str, Form()] = "",
) -> Response:
    """Take an open seat."""
    if seated is not None:
        raise NotNowError("you are already sitting here, as {seat}", seat=seated)
    place = parse_seat(seat)
    person = clean_name(name, translated(place))
    token = await server.rooms.sit(room, place, person)
    return remember(give_seat(request, _to_table(request, room), room, token), person)


def _to_table(request: Request, room: Room) -> Response:
    """Send the browser to the page of a table, which it has to load as a whole."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"hx-redirect": f"/table/{room.name}"})
    return RedirectResponse(f"/table/{room.name}", 303)


@router.post("/table/{table}/start")
async def start(request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf) -> Response:
    """Start the match, with strategies in the seats that are still open: for the host."""
    await server.rooms.start(room, seat)
    return answer(request, room, seat)


@router.post("/table/{table}/act")
async def act(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    action: Annotated[str, Form(max_length=16)],
    at: At,
) -> Response:
    """Call or play a card."""
    await server.rooms.click(room, seat, action, at)
    return answer(request, room, seat)


@router.post("/table/{table}/undo")
async def undo(
    request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf, at: At
) -> Response:
    """Undo the last action."""
    await server.rooms.undo(room, seat, at)
    return answer(request, room, seat)


@router.post("/table/{table}/claim")
async def claim(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    tricks: Annotated[int, Form()],
    at: At,
) -> Response:
    """Claim some of the remaining tricks."""
    await server.rooms.add(room, events.ClaimTricks(seat, tricks), at)
    return answer(request, room, seat)


@router.post("/table/{table}/answer")
async def answer_claim(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    agree: Annotated[bool, Form()],
    at: At,
) -> Response:
    """Agree to a claim, or refuse it."""
    await server.rooms.add(room, events.Answer(seat, agree), at)
    return answer(request, room, seat)


@router.post("/table/{table}/next")
async def next_deal(
    request: Request, room: RoomOf, server: ServerOf, seat: PlayerOf, at: At
) -> Response:
    """The next deal of the match."""
    await server.rooms.add(room, events.NextDeal(), at)
    return answer(request, room, seat)


@router.get("/table/{table}/absent")
async def absent(room: RoomOf, server: ServerOf, seat: PlayerOf) -> HTMLResponse:
    """Players the table is waiting for who have gone, with a way to play on."""
    missing = [one for one in server.rooms.absent(room) if one is not seat]
    return page("absent.html", missing=missing, p=public(room.name, room.state))


@router.post("/table/{table}/stand-in")
async def stand_in(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: PlayerOf,
    missing: Annotated[str, Form()],
    at: At,
) -> Response:
    """Let a strategy play for a person who has gone."""
    await server.rooms.stand_in(room, seat, parse_seat(missing), at)
    return answer(request, room, seat)


@router.post("/table/{table}/back")
async def back(request: Request, room: RoomOf, server: ServerOf, seat: ViewerOf) -> Response:
    """Take your seat back from the strategy that played for you."""
    await server.rooms.back(room, seat)
    return answer(request, room, seat)


@router.post("/table/{table}/leave")
async def leave(
    room: RoomOf, server: ServerOf, seat: PlayerOf, for_good: Annotated[bool, Form()] = False
) -> Response:
    """Leave the table; during a match the seat stays one's own unless it is given up."""
    kept = await server.rooms.leave(room, seat, for_good=for_good)
    response = RedirectResponse("/", 303)
    if not kept:
        response.delete_cookie(f"seat-{room.name}", path=f"/table/{room.name}")
    return response
