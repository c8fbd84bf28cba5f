"""The same tables for programs: JSON in and out, described at `/openapi.json`.

A seat's token goes into the `Authorization: Bearer` header. Every change names the event it
follows, `at`; a change that comes too late gets a 409 and can be sent again after reading the
table.
"""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tribridge.deals import Seat, parse_seat
from tribridge.game import points_name, schemes
from tribridge.game.laws import all_laws
from tribridge.game.view_json import contract_text
from tribridge.web.core import events as table_events
from tribridge.web.core.bots import choices, default_level, levels
from tribridge.web.core.matches import MatchPlan, rubber_of
from tribridge.web.core.names import clean_name
from tribridge.web.core.room import Room
from tribridge.web.core.state import Message, Place, State
from tribridge.web.errors import NotNowError
from tribridge.web.pages import stream
from tribridge.web.pages.table_page import table_page
from tribridge.web.server.access import (
    RoomOf,
    ServerOf,
    client_of,
    pay_for_table,
    shared_address,
    stream_of,
)
from tribridge.web.server.bodies import (
    ANYWHERE,
    AT_A_TABLE,
    CHANGING,
    WITH_A_SEAT,
    Answer,
    At,
    LevelView,
    Log,
    NewAction,
    NewClaim,
    NewSeat,
    NewTable,
    ParameterView,
    SchemeView,
    ScoreLine,
    ScoreSheet,
    SeatToken,
    SeatView,
    StrategyList,
    StrategyView,
    TableName,
    TableSummary,
    place_views,
    refusals,
    seat_view,
)
from tribridge.web.server.rubber_bodies import LawsView, laws_view, rubber_sheet
from tribridge.web.server.together_bodies import Leaving, message_views, presence_view

router = APIRouter(
    prefix="/api",
    tags=["tables"],
    responses=ANYWHERE,
    generate_unique_id_function=lambda route: route.name,
)


def _seen(room: Room, state: State, seat: Seat | None) -> SeatView:
    return seat_view(table_page(room.name, state, seat), state.turn, str(state.match.deck))


def seen_by(room: Room, seat: Seat | None) -> SeatView:
    """The table as a seat sees it now."""
    return _seen(room, room.state, seat)


def _messages(messages: tuple[Message, ...]) -> str:
    views = [one.model_dump() for one in message_views(messages)]
    return json.dumps(views) if views else ""


Bearer = Annotated[
    HTTPAuthorizationCredentials | None,
    Depends(HTTPBearer(auto_error=False, description="The token of a seat, or a player's key.")),
]


def _token(bearer: HTTPAuthorizationCredentials | None) -> str | None:
    return None if bearer is None else bearer.credentials.strip()


async def _player(room: RoomOf, server: ServerOf, bearer: Bearer) -> Seat:
    return server.rooms.player(room, _token(bearer))


async def _viewer(room: RoomOf, server: ServerOf, bearer: Bearer) -> Seat | None:
    seat = server.rooms.seat_of(room, _token(bearer))
    if seat is not None:
        room.presence.seen(seat)
    return seat


PlayerOf = Annotated[Seat, Depends(_player)]
ViewerOf = Annotated[Seat | None, Depends(_viewer)]


@router.get("/strategies")
async def list_strategies() -> StrategyList:
    """The strategies that may sit at a table, and the levels that the lobby offers."""
    return StrategyList(
        default=default_level().strategy,
        levels=[LevelView(name=a.name, note=a.note, strategy=a.strategy) for a in levels()],
        strategies=[
            StrategyView(
                name=entry.name,
                summary=entry.summary,
                parameters=[
                    ParameterView(name=p.name, default=p.default, help=p.help)
                    for p in entry.parameters
                ],
            )
            for entry in choices()
        ],
    )


@router.get("/schemes")
async def list_schemes() -> list[SchemeView]:
    """The scoring schemes."""
    return [SchemeView(name=scheme.name, note=scheme.note) for scheme in schemes().values()]


@router.get("/laws")
async def list_laws() -> list[LawsView]:
    """The laws under which rubbers can be played."""
    return [laws_view(laws) for laws in all_laws().values()]


@router.get("/tables")
async def list_tables(server: ServerOf) -> list[TableSummary]:
    """The unfinished tables that were opened with `listed`, most recent events first."""
    return [
        TableSummary(
            table=room.name,
            places=place_views(room.state.places),
            started=room.state.started,
            deal=room.state.deal + 1,
            deals=room.state.match.deals,
            scheme=room.state.match.scheme.name,
            laws=None if (rubber := rubber_of(room.state.match)) is None else rubber.laws.name,
            doubles=room.state.match.doubles,
            known=room.state.plan.known,
        )
        for room in await server.rooms.listed()
    ]


@router.post(
    "/tables",
    status_code=201,
    dependencies=[Depends(pay_for_table)],
    responses=refusals(400, 403),
)
async def open_table(request: Request, new: NewTable, server: ServerOf) -> TableName:
    """Open a table. It starts when every open seat is taken, or when the host starts it."""
    free = {parse_seat(text) for text in new.open}
    strategies = new.strategies or [default_level().strategy] * 3
    places = [
        Place("", strategy, open=seat in free)
        for seat, strategy in zip(Seat, strategies, strict=True)
    ]
    doubles = new.laws is not None if new.doubles is None else new.doubles
    plan = MatchPlan(
        new.seed, new.first, new.deals, new.scheme, doubles, secret=new.secret, laws=new.laws
    )
    room = await server.rooms.open(plan, places, client_of(request), options=new.options())
    shared = shared_address(request, server)
    url = None if shared is None else f"{shared}/table/{room.name}"
    return TableName(table=room.name, number=room.state.number, url=url)


@router.post("/tables/{table}/seats/{seat}", status_code=201, responses=CHANGING)
async def sit(
    room: RoomOf, server: ServerOf, seated: ViewerOf, seat: str, who: NewSeat
) -> SeatToken:
    """Take an open seat."""
    if seated is not None:
        raise NotNowError("you are already sitting here, as {seat}", seat=seated)
    place = parse_seat(seat)
    token = await server.rooms.sit(room, place, clean_name(who.name, str(place)))
    return SeatToken(seat=place.letter, token=token, number=room.state.number)


@router.get("/tables/{table}", responses=AT_A_TABLE)
async def look(room: RoomOf, seat: ViewerOf) -> SeatView:
    """The table as the token's seat sees it; without a token, as a kibitzer sees it."""
    return _seen(room, room.state, seat)


@router.post("/tables/{table}/actions", responses=CHANGING)
async def act(room: RoomOf, server: ServerOf, seat: PlayerOf, action: NewAction) -> SeatView:
    """Call or play a card."""
    state = await server.rooms.add(room, table_events.Act(seat, action.action), action.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/undo", responses=CHANGING)
async def undo(room: RoomOf, server: ServerOf, seat: PlayerOf, change: At) -> SeatView:
    """Undo your last action: against strategies only, and not beyond a refused claim."""
    await server.rooms.undo(room, seat, change.at)
    return _seen(room, room.state, seat)


@router.post("/tables/{table}/claims", responses=CHANGING)
async def claim(room: RoomOf, server: ServerOf, seat: PlayerOf, new: NewClaim) -> SeatView:
    """Claim some of the remaining tricks: on your turn, between tricks, once per trick."""
    state = await server.rooms.add(room, table_events.ClaimTricks(seat, new.tricks), new.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/claims/answer", responses=CHANGING)
async def answer_claim(room: RoomOf, server: ServerOf, seat: PlayerOf, answer: Answer) -> SeatView:
    """Agree to a claim, or refuse it."""
    state = await server.rooms.add(room, table_events.Answer(seat, answer.agree), answer.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/start", responses=CHANGING)
async def start(room: RoomOf, server: ServerOf, seat: PlayerOf, change: At) -> SeatView:
    """Start the match, with strategies in the seats that are still open: for the host."""
    await server.rooms.start(room, seat, change.at)
    return _seen(room, room.state, seat)


@router.post("/tables/{table}/next", responses=CHANGING)
async def next_deal(room: RoomOf, server: ServerOf, seat: PlayerOf, change: At) -> SeatView:
    """The next deal of the match."""
    state = await server.rooms.add(room, table_events.NextDeal(), change.at)
    return _seen(room, state, seat)


@router.get("/tables/{table}/absent", responses=WITH_A_SEAT)
async def absent(room: RoomOf, server: ServerOf, seat: PlayerOf) -> list[str]:
    """The seats that the table is waiting for and that have been silent for a while."""
    return [one.letter for one in server.rooms.absent(room) if one is not seat]


@router.post("/tables/{table}/seats/{seat}/stand-in", responses=CHANGING)
async def stand_in(
    room: RoomOf, server: ServerOf, seat: str, asking: PlayerOf, change: At
) -> SeatView:
    """Let a strategy play for a person who has been away while the table waits for them."""
    await server.rooms.stand_in(room, asking, parse_seat(seat), change.at)
    return _seen(room, room.state, asking)


@router.post("/tables/{table}/back", responses=CHANGING)
async def back(room: RoomOf, server: ServerOf, seat: ViewerOf) -> SeatView:
    """Take your seat back from the strategy that played for you."""
    await server.rooms.back(room, seat)
    return _seen(room, room.state, seat)


@router.post("/tables/{table}/leave", responses=CHANGING)
async def leave(
    room: RoomOf, server: ServerOf, seat: PlayerOf, how: Leaving | None = None
) -> SeatView:
    """Leave the table: give up the seat to a strategy, or let one hold it until you are back."""
    kept = await server.rooms.leave(room, seat, for_good=how is None or how.for_good)
    return _seen(room, room.state, seat if kept else None)


@router.get("/tables/{table}/score", responses=AT_A_TABLE)
async def score(room: RoomOf) -> ScoreSheet:
    """The score of the match so far."""
    shown = table_page(room.name, room.state, None).public
    lines = []
    for number, line in enumerate(shown.sheet, 1):
        contract = line.outcome.contract
        lines.append(
            ScoreLine(
                deal=number,
                dealer=line.dealer.letter,
                contract=contract_text(contract),
                declarer=None if contract is None else contract.declarer.letter,
                tricks=line.outcome.tricks,
                scores=[points_name(points) for points in line.scores],
            )
        )
    return ScoreSheet(
        lines=lines,
        totals=[points_name(points) for points in shown.totals],
        settlement=[points_name(points) for points in shown.settlement],
        rubber=None if shown.rubber is None else rubber_sheet(shown.rubber),
        challenge=shown.challenge,
    )


@router.get("/tables/{table}/log", responses=AT_A_TABLE)
async def log(room: RoomOf) -> Log:
    """What happened on the current deal, in words."""
    return Log(log=[text for _, text in room.state.said], notes=list(room.state.notes))


@router.get(
    "/tables/{table}/events",
    response_class=StreamingResponse,
    responses=AT_A_TABLE
    | {
        200: {
            "description": "Server-sent events: `table` with a `SeatView`, `say` with plain text, "
            "`chat` with a list of `MessageView`, `presence` with a `PresenceView`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def events(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: ViewerOf,
    bearer: Bearer,
    after: int = 0,
    last_event_id: Annotated[int | None, Header()] = None,
) -> StreamingResponse:
    """Server-sent events: the view after each change, the log, the chat, and who is there."""
    token = _token(bearer)

    def draw(state: State) -> str:
        return _seen(room, state, server.rooms.seat_of(room, token)).model_dump_json()

    number = after if last_event_id is None else last_event_id
    updates = stream.updates(
        room,
        number,
        draw,
        encode=str,  # JSON and plain text, not HTML
        chat=lambda state, after: _messages(
            state.read_by(server.rooms.seat_of(room, token), after)
        ),
        present=lambda: presence_view(room, server.rooms.timing).model_dump_json(),
    )
    return stream_of(request, server, room.presence.during(seat, updates))
