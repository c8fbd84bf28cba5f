"""The same tables for programs: JSON in and out, described at `/openapi.json`.

A seat's token goes into the `Authorization: Bearer` header. Every change names the event it
follows, `at`; a change that comes too late gets a 409 and can be sent again after reading the
table.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from tribridge.cards import Card
from tribridge.deals import Seat, parse_seat
from tribridge.game import call_name, points_name
from tribridge.web.pages import stream
from tribridge.web.pages.public import Public
from tribridge.web.pages.table_page import TablePage, table_page
from tribridge.web.server.access import RoomOf, ServerOf, client_of, pay_for_table, stream_of
from tribridge.web.table.events import action_name
from tribridge.web.table.room import Room
from tribridge.web.table.rooms import MatchPlan, clean_name
from tribridge.web.table.state import MOST_DEALS, State

router = APIRouter(prefix="/api", tags=["tables"])


class Strict(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class NewTable(Strict):
    """The settings of a new table."""

    strategies: list[str] = Field(
        min_length=3,
        max_length=3,
        description="Strategies for North, East and South, used where no person plays.",
    )
    open: list[str] = Field(
        default=["S"], description="Seats that people (or programs) may take: N, E, S."
    )
    deals: int = Field(default=4, ge=1, le=MOST_DEALS)
    scheme: str = "auction"
    doubles: bool = False
    seed: int | None = Field(
        default=None,
        ge=0,
        lt=1 << 64,
        description="Fixes the cards (the table then says so). By default they are random.",
    )
    first: int = Field(default=0, ge=0, lt=1 << 62)
    secret: str | None = Field(
        default=None,
        description="The secret of an earlier match, to replay its deals; also fixes the cards.",
    )


class TableName(BaseModel):
    """A table that was opened."""

    table: str
    number: int


class NewSeat(Strict):
    """Who sits down."""

    name: str = ""


class SeatToken(BaseModel):
    """The token that holds a seat: keep it."""

    seat: str
    token: str
    number: int


class Action(Strict):
    """A call (`1NT`, `Pass`, `X`, `XX`) or a card (`SK`)."""

    action: str = Field(max_length=16)
    at: int = Field(description="The number of the event that this change follows.")


class At(Strict):
    """A change without further data."""

    at: int


class NewClaim(Strict):
    """A claim to a number of the remaining tricks, for the side of the seat."""

    tricks: int = Field(ge=0)
    at: int


class Answer(Strict):
    """A seat's answer to a claim."""

    agree: bool
    at: int


class ClaimView(BaseModel):
    """A claim waiting for answers."""

    seat: str
    tricks: int = Field(description="How many of the remaining tricks the side claims.")
    answering: list[str] = Field(
        description="Seats that have yet to answer; empty if the judge decides. Without "
        "an answer the claim lapses after half a minute."
    )


class ProofView(BaseModel):
    """The proof of a deal: the SHA-256 of `nonce:seed`, which are shown after the deal."""

    deal: int
    commitment: str
    seed: int | None
    nonce: str | None


class SeatView(BaseModel):
    """Everything a seat may see. Cards are written as suit and rank, from clubs, from aces down."""

    table: str
    number: int = Field(description="Events so far; the `at` of the next change.")
    seat: str | None
    names: list[str]
    started: bool
    deal: int = Field(description="Which deal of the match, from 1.")
    deals: int
    over: bool = Field(description="Whether the match is over.")
    deal_over: bool
    dealer: str | None
    calls: list[str]
    contract: str | None
    declarer: str | None
    hand: list[str]
    dummy: list[str] | None
    trick: list[str]
    leader: str | None = Field(description="The chair that led the current trick.")
    tricks: list[list[str]]
    won: int = Field(description="Tricks won by the declarer's side.")
    turn: str | None
    chair: str | None = Field(description="Whose card is due: declarer, left, dummy, right.")
    legal: list[str]
    totals: list[str]
    claim: ClaimView | None
    may_claim: bool
    advised: list[str] = Field(description="Who asked for advice on this deal, and how often.")
    known: bool = Field(description="Whether the person who opened the table could know the cards.")
    proofs: list[ProofView] = Field(
        description="Proofs of the deals so far and of the current one."
    )


def seat_view(shown: TablePage, turn: Seat | None) -> SeatView:
    """A view in JSON."""
    public, seen = shown.public, shown.view
    base: dict[str, Any] = {
        "table": public.name,
        "number": public.number,
        "names": [place.name for place in public.places],
        "started": public.started,
        "deal": public.deal + 1,
        "deals": public.deals,
        "over": public.over,
        "deal_over": public.closed,
        "totals": [points_name(points) for points in public.totals],
        "turn": None if turn is None else turn.letter,
        "claim": _claim_view(public),
        "may_claim": shown.may_claim,
        "advised": [seat.letter for seat in public.advised],
        "known": public.known,
        "proofs": [asdict(proof) for proof in public.proofs],
    }
    if seen is None:
        return SeatView(
            **base,
            seat=None,
            dealer=None,
            calls=[],
            contract=None,
            declarer=None,
            hand=[],
            dummy=None,
            trick=[],
            leader=None,
            tricks=[],
            won=0,
            chair=None,
            legal=[],
        )
    contract = seen.contract
    return SeatView(
        **base,
        seat=None if seen.seat is None else seen.seat.letter,
        dealer=seen.dealer.letter,
        calls=[call_name(call) for call in seen.auction.calls],
        contract=None
        if contract is None
        else call_name(contract.bid) + "x" * (contract.factor // 2),
        declarer=None if contract is None else contract.declarer.letter,
        hand=_names(seen.hand),
        dummy=None if seen.dummy is None else _names(seen.dummy),
        trick=_names(seen.trick),
        leader=None if seen.leader is None else seen.leader.name.lower(),
        tricks=[_names(trick.cards) for trick in seen.tricks],
        won=seen.won,
        chair=None if seen.chair is None else seen.chair.name.lower(),
        legal=[] if turn is not seen.seat else [action_name(action) for action in seen.legal],
    )


def _claim_view(public: Public) -> ClaimView | None:
    claim = public.claim
    if claim is None:
        return None
    missing = [s.letter for s in Seat if s in public.answering - claim.agreed - {claim.seat}]
    return ClaimView(seat=claim.seat.letter, tricks=claim.tricks, answering=missing)


def _names(cards: Any) -> list[str]:
    return [card.name for card in cards if isinstance(card, Card)]


def _token(authorization: str | None) -> str | None:
    kind, _, token = (authorization or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _seen(room: Room, state: State, seat: Seat | None) -> SeatView:
    return seat_view(table_page(room.name, state, seat), state.turn)


Authorization = Annotated[str | None, Header()]


async def _player(room: RoomOf, server: ServerOf, authorization: Authorization = None) -> Seat:
    return server.rooms.player(room, _token(authorization))


async def _viewer(
    room: RoomOf, server: ServerOf, authorization: Authorization = None
) -> Seat | None:
    seat = server.rooms.seat_of(room, _token(authorization))
    if seat is not None:
        room.presence.seen(seat)
    return seat


PlayerOf = Annotated[Seat, Depends(_player)]
ViewerOf = Annotated[Seat | None, Depends(_viewer)]


@router.post("/tables", status_code=201, dependencies=[Depends(pay_for_table)])
async def open_table(request: Request, new: NewTable, server: ServerOf) -> TableName:
    """Open a table. It starts when every open seat is taken, or on request."""
    taken = {parse_seat(text) for text in new.open}
    places = [
        {"name": "", "strategy": strategy, "open": seat in taken}
        for seat, strategy in zip(Seat, new.strategies, strict=True)
    ]
    plan = MatchPlan(new.seed, new.first, new.deals, new.scheme, new.doubles, secret=new.secret)
    room = await server.rooms.open(plan, places, client_of(request))
    return TableName(table=room.name, number=room.state.number)


@router.post("/tables/{table}/seats/{seat}", status_code=201)
async def sit(room: RoomOf, server: ServerOf, seat: str, who: NewSeat) -> SeatToken:
    """Take an open seat."""
    place = parse_seat(seat)
    token = await server.rooms.sit(room, place, clean_name(who.name, str(place)))
    return SeatToken(seat=place.letter, token=token, number=room.state.number)


@router.get("/tables/{table}")
async def look(room: RoomOf, seat: ViewerOf) -> SeatView:
    """The table as the token's seat sees it; without a token, as a kibitzer sees it."""
    return _seen(room, room.state, seat)


@router.post("/tables/{table}/actions")
async def act(room: RoomOf, server: ServerOf, seat: PlayerOf, action: Action) -> SeatView:
    """Call or play a card."""
    event = {"kind": "act", "seat": seat.letter, "action": action.action}
    state = await server.rooms.add(room, event, action.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/claims")
async def claim(room: RoomOf, server: ServerOf, seat: PlayerOf, new: NewClaim) -> SeatView:
    """Claim some of the remaining tricks: on your turn, between tricks, once per trick."""
    event = {"kind": "claim", "seat": seat.letter, "tricks": new.tricks}
    state = await server.rooms.add(room, event, new.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/claims/answer")
async def answer_claim(room: RoomOf, server: ServerOf, seat: PlayerOf, answer: Answer) -> SeatView:
    """Agree to a claim, or refuse it."""
    event = {"kind": "answer", "seat": seat.letter, "agree": answer.agree}
    state = await server.rooms.add(room, event, answer.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/start")
async def start(room: RoomOf, server: ServerOf, seat: PlayerOf, change: At) -> SeatView:
    """Start the match, with strategies in the seats that are still open."""
    state = await server.rooms.add(room, {"kind": "started"}, change.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/next")
async def next_deal(room: RoomOf, server: ServerOf, seat: PlayerOf, change: At) -> SeatView:
    """The next deal of the match."""
    state = await server.rooms.add(room, {"kind": "next"}, change.at)
    return _seen(room, state, seat)


@router.post("/tables/{table}/seats/{seat}/stand-in")
async def stand_in(
    room: RoomOf, server: ServerOf, seat: str, asking: PlayerOf, change: At
) -> SeatView:
    """Let a strategy play for a person who has been away while the table waits for them."""
    await server.rooms.stand_in(room, asking, parse_seat(seat), change.at)
    return _seen(room, room.state, asking)


@router.post("/tables/{table}/back")
async def back(room: RoomOf, server: ServerOf, seat: ViewerOf) -> SeatView:
    """Take your seat back from the strategy that played for you."""
    await server.rooms.back(room, seat)
    return _seen(room, room.state, seat)


@router.get(
    "/tables/{table}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    seat: ViewerOf,
    after: int = 0,
    authorization: Authorization = None,
    last_event_id: Annotated[int | None, Header()] = None,
) -> StreamingResponse:
    """Server-sent events: `table` with the view after each change, `say` with the log messages."""
    token = _token(authorization)

    def draw(state: State) -> str:
        return _seen(room, state, server.rooms.seat_of(room, token)).model_dump_json()

    number = after if last_event_id is None else last_event_id
    updates = stream.updates(room, number, draw, encode=str)  # JSON and plain text, not HTML
    return stream_of(request, server, room.presence.during(seat, updates))
