"""The arena, for programs: start a match, read its state, follow it, stop it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from tribridge.web.arena.match import ArenaMatch
from tribridge.web.arena.matches import LONGEST, MOST_PER_VISITOR, MOST_RUNNING
from tribridge.web.arena.plan import FEWEST_DEALS, MOST_DEALS, MOST_RUBBERS, Plan
from tribridge.web.pages.arena import MatchOf, pay_for_match, result_json
from tribridge.web.pages.stream import BEAT, message
from tribridge.web.server.access import ServerOf, client_of, shared_address, stream_of
from tribridge.web.server.api import Bearer
from tribridge.web.server.bodies import ANYWHERE, Strict, refusals

router = APIRouter(
    prefix="/api/arena",
    tags=["arena"],
    responses=ANYWHERE,
    generate_unique_id_function=lambda route: route.name,
)


class NewMatch(Strict):
    """The settings of a match, as in `tribridge arena match`."""

    strategies: list[str] = Field(description="Two or three strategies, by name.")
    deals: int = Field(
        default=100,
        description=f"{FEWEST_DEALS} to {MOST_DEALS}; with `laws` it counts rubbers, up to "
        f"{MOST_RUBBERS}.",
    )
    seed: int = Field(default=1, ge=0, lt=1 << 64)
    scheme: str = Field(default="auction", description="A scoring scheme, by name.")
    laws: str | None = Field(
        default=None, description="Play rubbers by these laws; they replace the scheme."
    )
    doubles: bool = False

    def plan(self) -> Plan:
        return Plan(**{**self.model_dump(), "strategies": tuple(self.strategies)})


class ScoreView(BaseModel):
    """Points per game of a strategy, with a 95% interval; an end not known yet is null."""

    strategy: str
    mean: float
    low: float | None
    high: float | None


class DifferenceView(BaseModel):
    """How many more points the first scores at the same table, with a 95% interval."""

    first: str
    second: str
    mean: float
    low: float | None
    high: float | None
    p: float | None = Field(description="Corrected by Holm; null until the match is over.")


class StandingView(BaseModel):
    """The result after some deals."""

    deals: int
    scores: list[ScoreView]
    differences: list[DifferenceView]
    lines: list[str] = Field(description="The answer in words, once the match is over.")


class MatchView(BaseModel):
    """A match and how far it has got."""

    match: str
    strategies: list[str]
    deals: int = Field(description="How many deals (or rubbers) are to be played.")
    seed: int
    scheme: str
    laws: str | None
    doubles: bool
    status: str = Field(
        description="running, finished, stopped, out of time, interrupted (the server was "
        "stopped) or failed."
    )
    why: str = Field(description="What went wrong, if it failed.")
    played: int = Field(description="Finished deals (or rubbers).")
    seconds: float
    command: str = Field(description="The command that plays the same deals.")
    standing: StandingView | None


class StartedMatch(BaseModel):
    """A match that has begun, and the token that may stop it."""

    match: str
    token: str
    url: str | None = Field(description="Where to watch it; null if only this machine can.")


def match_view(match: ArenaMatch) -> MatchView:
    """A match as JSON."""
    fields: dict[str, Any] = match.plan.as_json()
    standing = None if match.standing is None else match.standing.as_json()
    return MatchView(
        match=match.id,
        **fields,
        status=match.status,
        why=match.why,
        played=match.deals,
        seconds=round(match.seconds, 1),
        command=match.command,
        standing=None if standing is None else StandingView(**standing),
    )


@router.get("")
async def list_matches(server: ServerOf) -> list[MatchView]:
    """The matches started last, newest first."""
    return [match_view(one) for one in server.arena.recent()]


@router.post(
    "", status_code=201, dependencies=[Depends(pay_for_match)], responses=refusals(400, 403)
)
async def start_match(request: Request, server: ServerOf, new: NewMatch) -> StartedMatch:
    """Start a match between strategies, played in the background."""
    match, token = server.arena.start(new.plan(), client_of(request))
    shared = shared_address(request, server)
    url = None if shared is None else f"{shared}/arena/{match.id}"
    return StartedMatch(match=match.id, token=token, url=url)


start_match.__doc__ = (
    "Start a match between strategies, played in the background.\n\n"
    f"At most {MOST_PER_VISITOR} matches of one visitor and {MOST_RUNNING} of the server run at "
    f"once, and a match ends after {LONGEST / 60:.0f} minutes with the deals it has."
)


@router.get("/{match}", responses=refusals(404))
async def show_match(match: MatchOf) -> MatchView:
    """A match: its settings, how far it has got, and its standing."""
    return match_view(match)


@router.post("/{match}/stop", responses=refusals(403, 404))
async def stop_match(server: ServerOf, match: MatchOf, bearer: Bearer) -> MatchView:
    """Stop a match; the bearer token is the one its start returned. Finished deals count."""
    server.arena.stop(match, None if bearer is None else bearer.credentials.strip())
    match.publish()
    return match_view(match)


@router.post("/{match}/go-on", dependencies=[Depends(pay_for_match)], responses=refusals(403, 404))
async def resume_match(
    request: Request, server: ServerOf, match: MatchOf, bearer: Bearer
) -> MatchView:
    """Play the rest of a match that was stopped, interrupted, or ran out of time."""
    token = None if bearer is None else bearer.credentials.strip()
    server.arena.go_on(match, token, client_of(request))
    match.publish()
    return match_view(match)


@router.get(
    "/{match}/events",
    response_class=StreamingResponse,
    responses=refusals(404)
    | {
        200: {
            "description": "Server-sent events: `match` with a `MatchView` after every change; "
            "the stream ends with the match.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def match_events(request: Request, server: ServerOf, match: MatchOf) -> StreamingResponse:
    """Server-sent events: the match after each deal."""
    return stream_of(request, server, _updates(match))


async def _updates(match: ArenaMatch) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    version = -1
    while True:
        if match.version != version:
            version = match.version
            yield message("match", match_view(match).model_dump_json(), version)
            if not match.running:
                return
        elif not await match.changed(BEAT):
            yield ": still here\n\n"


@router.get(
    "/{match}/result",
    responses=refusals(404)
    | {
        200: {
            "description": "The result file, as `tribridge arena match --result` writes it.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
    response_class=Response,
)
async def match_file(server: ServerOf, match: MatchOf) -> Response:
    """The result of a match that is over, game by game."""
    return Response(await result_json(server, match), media_type="application/json")


DealOf = Annotated[int, Field(description="Counted from 1.")]


@router.get(
    "/{match}/deals/{number}",
    responses=refusals(404)
    | {
        200: {
            "description": "JSON Lines: the records of all games on the deal, with a reason for "
            "every call and card.",
            "content": {"application/jsonl": {"schema": {"type": "string"}}},
        }
    },
    response_class=Response,
)
async def match_deal(server: ServerOf, match: MatchOf, number: DealOf) -> Response:
    """The games of a finished deal (or rubber), counted from 1."""
    return Response(server.arena.records(match, number - 1), media_type="application/jsonl")
