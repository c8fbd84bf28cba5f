"""The arena: set up a match of strategies, watch it, look at its result, replay its deals."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from tribridge import codec
from tribridge.arena.results import match_result
from tribridge.deals import Seat
from tribridge.game import schemes
from tribridge.game.laws import all_laws
from tribridge.stats import FEWEST_DEALS as FEWEST_FOR_INTERVAL
from tribridge.strategies import DEFAULT_PLAYER
from tribridge.web.arena import matches
from tribridge.web.arena.match import (
    MOST_DEALS,
    MOST_RUBBERS,
    SECONDS_PER_CHOICE,
    ArenaMatch,
    Plan,
    Standing,
)
from tribridge.web.core.bots import Bot, bot_for, choices, description, levels
from tribridge.web.errors import NotNowError, UnknownTableError
from tribridge.web.language import gettext, mark
from tribridge.web.pages import open_hands
from tribridge.web.pages.charts import match_chart
from tribridge.web.pages.drawing import BEAT, download, message, page, render
from tribridge.web.pages.open_hands import Follower
from tribridge.web.server.access import (
    TABLE_COST,
    BearerOf,
    Server,
    ServerOf,
    client_of,
    go,
    is_part,
    stream_of,
)
from tribridge.web.server.operations import api_router, refusals, streamed
from tribridge.web.view.values import body, filled, value

router = APIRouter(include_in_schema=False)
api = api_router("arena", "/api/arena")

PACE: Final = 0.25
"""Seconds between two calls or cards on the board."""
PAUSE: Final = 1.5
"""Seconds for which the end of a game stays on the board."""
_PARTS: Final = ("status", "results", "controls")


async def match_named(match: str, server: ServerOf) -> ArenaMatch:
    """The match named in a path."""
    return server.arena.find(match)


MatchOf = Annotated[ArenaMatch, Depends(match_named)]


async def pay_for_match(request: Request, server: ServerOf) -> None:
    """Charge the start of a match as more than a plain request."""
    refusal = mark("too many matches started at once: wait a moment")
    server.charge(client_of(request), TABLE_COST, refusal)


def _cookie(match: ArenaMatch) -> str:
    return f"arena-{match.id}"


def _own(request: Request, server: Server, match: ArenaMatch) -> bool:
    return server.arena.owns(match, request.cookies.get(_cookie(match)))


def _context(match: ArenaMatch, own: bool) -> dict[str, Any]:
    now = match.standing
    return {
        "match": match,
        "own": own,
        "bots": open_hands.bots(match),
        "charts": [match_chart(match, at) for at in range(len(now.differences) if now else 0)],
        "fewest_deals": FEWEST_FOR_INTERVAL,
        "minutes": int(matches.LONGEST / 60),
    }


def _board_context(match: ArenaMatch, follower: Follower) -> dict[str, Any]:
    bots = open_hands.bots(match)
    return {"match": match, "bots": bots, "live": follower.live, "b": follower.board()}


def _offered() -> list[tuple[str, str, str, Bot]]:
    """The strategies to choose from, those of the levels first: name, title, line and bot."""
    offered = [
        (level.strategy, gettext(level.name), gettext(level.note), level.bots[0])
        for level in levels()
    ]
    entries = sorted(choices(), key=lambda entry: entry.name != DEFAULT_PLAYER)
    for at, entry in enumerate(entries):
        line = description(entry.name)  # empty for a part that is not installed
        if line and entry.name not in {name for name, *_ in offered}:
            offered.append((entry.name, entry.name, line, bot_for(entry.name, Seat(at % 3))))
    return offered


@router.get("/arena")
async def setup(server: ServerOf) -> HTMLResponse:
    """Choose who plays, and see the latest matches."""
    return page(
        "arena.html",
        offered=_offered(),
        shown=len(levels()) + 1,
        checked=[levels()[0].strategy, levels()[min(1, len(levels()) - 1)].strategy],
        entries=choices(),
        schemes=schemes(),
        laws=all_laws(),
        seed=secrets.randbelow(9999) + 1,
        recent=server.arena.recent(),
        most_deals=MOST_DEALS,
        most_rubbers=MOST_RUBBERS,
        choice_seconds=SECONDS_PER_CHOICE,
        minutes=int(matches.LONGEST / 60),
    )


@router.post("/arena", dependencies=[Depends(pay_for_match)])
async def start(
    request: Request,
    server: ServerOf,
    strategy: Annotated[list[str] | None, Form()] = None,
    other: Annotated[str, Form()] = "",
    deals: Annotated[int, Form()] = 100,
    seed: Annotated[int, Form()] = 1,
    scoring: Annotated[str, Form()] = "auction",
    doubles: Annotated[bool, Form()] = False,
) -> Response:
    """Start a match and go to it."""
    names = (*(strategy or ()), *other.split())
    laws = scoring.removeprefix("laws:") if scoring.startswith("laws:") else None
    scheme = "auction" if laws is not None else scoring
    plan = Plan(names, deals, seed, scheme, laws, doubles)
    match, token = server.arena.start(plan, client_of(request))
    where = f"/arena/{match.id}"
    response = go(request, where)
    response.set_cookie(
        _cookie(match), token, max_age=86400, path=where, httponly=True, samesite="lax"
    )
    return response


@router.get("/arena/{match}")
async def show(
    request: Request, server: ServerOf, match: MatchOf, still: bool = False
) -> HTMLResponse:
    """A match; a still page keeps its board as it is."""
    own = _own(request, server, match)
    board = _board_context(match, Follower(match))
    return page("arena_match.html", still=still, **(_context(match, own) | board))


@router.get("/arena/{match}/stream")
async def stream(request: Request, server: ServerOf, match: MatchOf) -> StreamingResponse:
    """The match as it goes on."""
    own = _own(request, server, match)
    return stream_of(request, server, _updates(match, own))


async def _updates(match: ArenaMatch, own: bool) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    follower, version = Follower(match), -1
    while True:
        moved = follower.advance()
        if moved:
            yield message("board", render("arena_board.html", **_board_context(match, follower)), 0)
        if match.version != version:
            version, context = match.version, _context(match, own)
            for part in _PARTS if not match.running else _PARTS[:2]:
                yield message(part, render(f"arena_{part}.html", **context), version)
            if not match.running:
                yield message("over", "", version)
                return
        if moved:
            await asyncio.sleep(PAUSE if follower.ended else PACE)
        elif match.version == version and not await match.changed(BEAT):
            yield ": still here\n\n"


@router.post("/arena/{match}/stop")
async def stop(request: Request, server: ServerOf, match: MatchOf) -> Response:
    """End a match with the deals that it has."""
    server.arena.stop(match, request.cookies.get(_cookie(match)))
    match.publish()
    if is_part(request):
        return page("arena_controls.html", **_context(match, own=True))
    return RedirectResponse(f"/arena/{match.id}", 303)


@router.post("/arena/{match}/go-on", dependencies=[Depends(pay_for_match)])
async def go_on(request: Request, server: ServerOf, match: MatchOf) -> Response:
    """Play the rest of a match that was stopped or interrupted."""
    server.arena.go_on(match, request.cookies.get(_cookie(match)), client_of(request))
    return RedirectResponse(f"/arena/{match.id}", 303)


async def result_json(server: Server, match: ArenaMatch) -> str:
    """The result of a match in the form of the arena's result files."""
    if match.running:
        raise NotNowError("the match is still running: the result is available when it is over")
    if not match.deals:
        raise NotNowError(
            "no deal was finished in this match, so there is no result"
            if match.plan.laws is None
            else "no rubber was finished in this match, so there is no result"
        )

    def written() -> str:
        work = match.plan.work()
        origin = replace(match.origin, command=match.command, seconds=match.seconds)
        return codec.dumps(match_result(work, server.arena.games(match), origin))

    return await asyncio.to_thread(written)


@router.get("/arena/{match}/result.json")
async def result(server: ServerOf, match: MatchOf) -> Response:
    """The result as a file."""
    return download(await result_json(server, match), f"arena-{match.id}.json")


@router.get("/arena/{match}/deal")
async def chosen(match: MatchOf, number: Annotated[int, Query()]) -> Response:
    """To a deal that was chosen by its number."""
    return RedirectResponse(f"/arena/{match.id}/deal/{number}", 303)


@router.get("/arena/{match}/deal/{number}")
async def replay(
    server: ServerOf,
    match: MatchOf,
    number: int,
    game: Annotated[int, Query(ge=1)] = 1,
    step: Annotated[int | None, Query(ge=0)] = None,
) -> HTMLResponse:
    """A finished deal, game by game and step by step; deals and games count from 1."""
    text = server.arena.records(match, number - 1)
    games = await asyncio.to_thread(open_hands.replays, text)
    if game > len(games):
        raise UnknownTableError(
            "there are {number} games on this deal, not {game}"
            if match.plan.laws is None
            else "there are {number} games on this rubber, not {game}",
            number=len(games),
            game=game,
        )
    shown = games[game - 1]
    steps = len(shown.game.choices)
    step = steps if step is None else min(step, steps)
    return page(
        "arena_deal.html",
        match=match,
        bots=open_hands.bots(match),
        number=number,
        game=game,
        games=games,
        step=step,
        steps=steps,
        b=open_hands.replayed(shown, step, match.plan),
    )


@router.get("/arena/{match}/deal/{number}/deal.jsonl")
async def deal_records(server: ServerOf, match: MatchOf, number: int) -> Response:
    """The records of all games on a deal."""
    return download(server.arena.records(match, number - 1), f"deal-{number}.jsonl")


@body
class NewMatch(Plan):
    """The settings of a match, as in `tribridge arena match`."""


@value
class MatchView(Plan):
    """A match and how far it has got."""

    match: str
    status: str
    """running, finished, stopped, out of time, interrupted (the server was stopped) or failed."""
    why: str
    """What went wrong, if it failed."""
    played: int
    """Finished deals (or rubbers)."""
    seconds: float
    command: str
    """The command that plays the same deals."""
    standing: Standing | None


@value
class StartedMatch:
    """A match that has begun, and the token that may stop it."""

    match: str
    token: str
    url: str | None
    """Where to watch it; null if only this machine can."""


def match_view(match: ArenaMatch) -> MatchView:
    """A match as programs see it."""
    seconds = round(match.seconds, 1)
    named = {"match": match.id, "played": match.deals, "seconds": seconds}
    return filled(MatchView, match.plan, match, **named)


@api.get("")
async def list_matches(server: ServerOf) -> list[MatchView]:
    """The matches started last, newest first."""
    return [match_view(match) for match in server.arena.recent()]


@api.post(
    "",
    status_code=201,
    dependencies=[Depends(pay_for_match)],
    responses=refusals(400, 403),
    description="Start a match between strategies, played in the background.\n\nAt most "
    f"{matches.MOST_PER_VISITOR} matches of one visitor and {matches.MOST_RUNNING} of the server "
    f"run at once, and a match ends after {matches.LONGEST / 60:.0f} minutes with the deals it "
    "has.",
)
async def start_match(request: Request, server: ServerOf, new: NewMatch) -> StartedMatch:
    """Start a match between strategies."""
    match, token = server.arena.start(new, client_of(request))
    url = server.link(request, f"/arena/{match.id}")
    return StartedMatch(match=match.id, token=token, url=url)


@api.get("/{match}", responses=refusals(404))
async def show_match(match: MatchOf) -> MatchView:
    """A match: its settings, how far it has got, and its standing."""
    return match_view(match)


@api.post("/{match}/stop", responses=refusals(403, 404))
async def stop_match(server: ServerOf, match: MatchOf, bearer: BearerOf) -> MatchView:
    """Stop a match; the bearer token is the one its start returned. Finished deals count."""
    server.arena.stop(match, bearer)
    match.publish()
    return match_view(match)


@api.post("/{match}/go-on", dependencies=[Depends(pay_for_match)], responses=refusals(403, 404))
async def resume_match(
    request: Request, server: ServerOf, match: MatchOf, bearer: BearerOf
) -> MatchView:
    """Play the rest of a match that was stopped, interrupted, or ran out of time."""
    server.arena.go_on(match, bearer, client_of(request))
    match.publish()
    return match_view(match)


@api.get(
    "/{match}/events",
    response_class=StreamingResponse,
    responses=refusals(404)
    | streamed(
        "text/event-stream",
        "Server-sent events: `match` with a `MatchView` after every change; the stream ends with "
        "the match.",
    ),
)
async def match_events(request: Request, server: ServerOf, match: MatchOf) -> StreamingResponse:
    """Server-sent events: the match after each deal."""
    return stream_of(request, server, _views(match))


async def _views(match: ArenaMatch) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    version = -1
    while True:
        if match.version != version:
            version = match.version
            yield message("match", codec.dumps(match_view(match)), version)
            if not match.running:
                return
        elif not await match.changed(BEAT):
            yield ": still here\n\n"


@api.get(
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


@api.get(
    "/{match}/deals/{number}",
    responses=refusals(404)
    | streamed(
        "application/jsonl",
        "JSON Lines: the records of all games on the deal, with a reason for every call and card.",
    ),
    response_class=Response,
)
async def match_deal(server: ServerOf, match: MatchOf, number: int) -> Response:
    """The games of a finished deal (or rubber), counted from 1."""
    return Response(server.arena.records(match, number - 1), media_type="application/jsonl")
