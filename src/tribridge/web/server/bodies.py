"""The JSON of the API: what programs send, what they get, and how a refusal looks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from pydantic import BaseModel, Field

from tribridge.deals import Seat
from tribridge.game import points_name
from tribridge.game.view_json import view_fields
from tribridge.web.core.matches import MOST_DEALS
from tribridge.web.core.state import Place
from tribridge.web.pages.table_page import TablePage
from tribridge.web.server.guard import MOST_BYTES, MOST_UPLOADED
from tribridge.web.server.rubber_bodies import RubberSheet, StandingView
from tribridge.web.server.together_bodies import Strict as Strict
from tribridge.web.server.together_bodies import TableOptions, TogetherView, together_fields


class Refusal(BaseModel):
    """A refused request; it changed nothing."""

    error: str = Field(description="What was refused and why, in one line.")


_REASONS: Final = {
    400: "The table or match cannot be opened with these settings, or the device key is malformed.",
    403: "You do not hold that seat, it is not your turn, the table or match is not yours, or a "
    "page of another site asked.",
    404: "There is no such table, finished deal, challenge or match.",
    409: "The table has moved on since `at`: read it and decide again.",
    410: "The stored events of this table are damaged.",
    413: f"The body is longer than {MOST_BYTES} bytes; {MOST_UPLOADED} for an import.",
    421: "The server does not answer to the host name of this request.",
    422: "The rules do not allow it, or the request does not fit its description.",
    429: "Too many requests, tables, matches, streams or messages; see `Retry-After`.",
    503: "Nothing can be stored or read right now: try again in a moment.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Descriptions of the refusals of an operation, for OpenAPI."""
    return {
        status: {"model": Refusal, "description": _REASONS[status]}
        | ({"headers": _RETRY_AFTER} if status == 429 else {})
        for status in statuses
    }


_RETRY_AFTER: Final = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
}
ANYWHERE: Final = refusals(413, 421, 422, 429, 503)
AT_A_TABLE: Final = refusals(400, 403, 404, 410)
WITH_A_SEAT: Final = AT_A_TABLE
CHANGING: Final = WITH_A_SEAT | refusals(409)


class NewTable(TableOptions):
    """The settings of a new table."""

    strategies: list[str] | None = Field(
        default=None,
        min_length=3,
        max_length=3,
        description="Strategies for North, East and South, used where no person plays; by "
        "default those of the default level.",
    )
    open: list[str] = Field(
        default=["S"],
        description="Seats that people (or programs) may take: N, E, S. Without any, three "
        "strategies play and the match starts at once.",
    )
    deals: int | None = Field(
        default=None,
        ge=1,
        le=MOST_DEALS,
        description="How many deals: by default 4; of a rubber, at most so many.",
    )
    scheme: str = Field(default="auction", description="A scoring scheme, from `/api/schemes`.")
    laws: str | None = Field(
        default=None,
        description="Play a rubber under these laws, from `/api/laws`, in place of the scheme.",
    )
    doubles: bool | None = Field(
        default=None, description="Whether players may double; by default in rubbers only."
    )
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
    url: str | None = Field(
        description="The address of the table's page for others; null if they cannot open it."
    )


class NewSeat(Strict):
    """Who sits down."""

    name: str = ""


class SeatToken(BaseModel):
    """The token that holds a seat: keep it."""

    seat: str
    token: str
    number: int


class NewAction(Strict):
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


class PlaceView(BaseModel):
    """Who sits in a seat."""

    seat: str
    name: str
    strategy: str = Field(description="The strategy that plays here when no person does.")
    person: bool = Field(description="Whether a person (or a program) plays here.")
    open: bool = Field(description="Whether the seat can be taken.")
    away: bool = Field(description="Whether the strategy plays for a person who may come back.")


def place_views(places: tuple[Place, ...]) -> list[PlaceView]:
    """The three places, North first."""
    return [
        PlaceView(
            seat=seat.letter,
            name=place.name,
            strategy=place.strategy,
            person=place.person,
            open=place.open,
            away=place.away,
        )
        for seat, place in zip(Seat, places, strict=True)
    ]


class TableSummary(BaseModel):
    """A table in the list of unfinished tables."""

    table: str
    places: list[PlaceView]
    started: bool
    deal: int = Field(description="Which deal of the match, from 1.")
    deals: int = Field(description="How many deals; of a rubber, at most so many.")
    scheme: str = Field(description="The scoring scheme; in a rubber, the name of its laws.")
    laws: str | None = Field(description="The laws of the rubber; null for single deals.")
    doubles: bool
    known: bool = Field(description="Whether the person who opened the table could know the cards.")


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


class SeatView(TogetherView):
    """Everything a seat may see. Cards are written as suit and rank, from clubs, from aces down."""

    table: str
    number: int = Field(description="Events so far; the `at` of the next change.")
    seat: str | None
    names: list[str]
    places: list[PlaceView]
    started: bool
    deal: int = Field(description="Which deal of the match, from 1.")
    deals: int = Field(description="How many deals; of a rubber, at most so many.")
    scheme: str = Field(description="The scoring scheme; in a rubber, the name of its laws.")
    laws: str | None = Field(description="The laws of the rubber; null for single deals.")
    rubber: StandingView | None = Field(
        description="How the rubber stands before this deal; null for single deals."
    )
    doubles: bool
    deck: str
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
    turn: str | None = Field(description="Whose call or card is due; null while a claim waits.")
    chair: str | None = Field(description="Whose card is due: declarer, left, dummy, right.")
    legal: list[str]
    totals: list[str]
    claim: ClaimView | None
    may_claim: bool
    may_undo: bool
    advised: list[str] = Field(description="Who asked for advice on this deal, and how often.")
    known: bool = Field(description="Whether the person who opened the table could know the cards.")
    proofs: list[ProofView] = Field(
        description="Proofs of the deals so far and of the current one."
    )


_NOTHING_YET: Final[dict[str, Any]] = {
    "dealer": None,
    "calls": [],
    "contract": None,
    "declarer": None,
    "hand": [],
    "dummy": None,
    "trick": [],
    "leader": None,
    "tricks": [],
    "won": 0,
    "chair": None,
    "legal": [],
    "rubber": None,
}
"""The fields of a view before the first deal."""


def seat_view(shown: TablePage, turn: Seat | None, deck: str) -> SeatView:
    """A table as a seat sees it."""
    public, seen = shown.public, shown.view
    fields = _NOTHING_YET if seen is None else view_fields(seen)
    if seen is None or turn is not seen.seat:
        fields = fields | {"legal": []}
    return SeatView(
        **fields
        | {
            "table": public.name,
            "number": public.number,
            "seat": None if shown.seat is None else shown.seat.letter,
            "names": [place.name for place in public.places],
            "places": place_views(public.places),
            "started": public.started,
            "deal": public.deal + 1,
            "deals": public.deals,
            "scheme": public.scheme,
            "laws": None if public.rubber is None else public.rubber.laws.name,
            "doubles": public.doubles,
            "deck": deck,
            "over": public.over,
            "deal_over": public.closed,
            "totals": [points_name(points) for points in public.totals],
            "turn": None if turn is None else turn.letter,
            "claim": _claim_view(shown),
            "may_claim": shown.may_claim,
            "may_undo": shown.undo,
            "advised": [seat.letter for seat in public.advised],
            "known": public.known,
            "proofs": [asdict(proof) for proof in public.proofs],
        }
        | together_fields(public)
    )


def _claim_view(shown: TablePage) -> ClaimView | None:
    claim = shown.public.claim
    if claim is None:
        return None
    missing = shown.public.answering - claim.agreed - {claim.seat}
    letters = [seat.letter for seat in Seat if seat in missing]
    return ClaimView(seat=claim.seat.letter, tricks=claim.tricks, answering=letters)


class ScoreLine(BaseModel):
    """A finished deal on the score sheet."""

    deal: int
    dealer: str
    contract: str | None = Field(description="With `x` if doubled; null for a deal passed out.")
    declarer: str | None
    tricks: int
    scores: list[str]


class ScoreSheet(BaseModel):
    """The score of a match; points are written as text, since some schemes have fractions."""

    lines: list[ScoreLine]
    totals: list[str]
    settlement: list[str]
    rubber: RubberSheet | None = Field(
        description="The sheet above and below the line; null for single deals."
    )
    challenge: str | None = Field(
        description="The path of the page where others play the same deals, once the match is over."
    )


class Log(BaseModel):
    """What happened on this deal, in words."""

    log: list[str]
    notes: list[str] = Field(description="Notices about the seats.")


class ParameterView(BaseModel):
    """A parameter of a strategy."""

    name: str
    default: int | float | str | bool
    help: str


class StrategyView(BaseModel):
    """A strategy by its name, with the parameters that can follow it: `sampling:layouts=50`."""

    name: str
    summary: str
    parameters: list[ParameterView]


class LevelView(BaseModel):
    """A level of the lobby."""

    name: str
    note: str
    strategy: str


class StrategyList(BaseModel):
    """The strategies that may sit at a table."""

    default: str
    levels: list[LevelView]
    strategies: list[StrategyView]


class SchemeView(BaseModel):
    """A scoring scheme."""

    name: str
    note: str
