"""The arena, as pages: set up a match, watch it, look at its result, replay its deals."""

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
from tribridge.errors import TribridgeError
from tribridge.game import schemes
from tribridge.game.laws import all_laws
from tribridge.strategies import DEFAULT_PLAYER, find_strategy
from tribridge.web.arena import matches
from tribridge.web.arena.match import ArenaMatch
from tribridge.web.arena.matches import Arena
from tribridge.web.arena.plan import MOST_DEALS, MOST_RUBBERS, SECONDS_PER_CHOICE, Plan
from tribridge.web.core.bots import bot_for, choices, levels
from tribridge.web.errors import NotNowError, TooManyError, UnknownTableError
from tribridge.web.language import gettext
from tribridge.web.pages import arena_page
from tribridge.web.pages.arena_page import Board, Follower
from tribridge.web.pages.drawing import render
from tribridge.web.pages.stream import BEAT, message
from tribridge.web.server.access import TABLE_COST, ServerOf, client_of, page, stream_of

router = APIRouter(include_in_schema=False)

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
    if server.buckets is not None and server.buckets.take(client_of(request), TABLE_COST):
        raise TooManyError("too many matches started at once: wait a moment")


def _cookie(match: ArenaMatch) -> str:
    return f"arena-{match.id}"


def _own(request: Request, arena: Arena, match: ArenaMatch) -> bool:
    return arena.owns(match, request.cookies.get(_cookie(match)))


def _context(match: ArenaMatch, own: bool) -> dict[str, Any]:
    now = match.standing
    return {
        "match": match,
        "own": own,
        "bots": arena_page.bots(match),
        "progress": arena_page.progress_words(match),
        "caution": arena_page.caution(match),
        "charts": [
            arena_page.chart(match, at) for at in range(0 if now is None else len(now.differences))
        ],
        "interval": arena_page.interval_words,
        "minutes": int(matches.LONGEST / 60),
    }


def _board_context(match: ArenaMatch, follower: Follower) -> dict[str, Any]:
    live = follower.live
    return {
        "match": match,
        "bots": arena_page.bots(match),
        "live": live,
        "b": follower.board(),
    }


def _offered() -> list[dict[str, Any]]:
    """The strategies to choose from: those of the levels, then the others of the registry."""
    offered = [
        {
            "name": level.strategy,
            "title": gettext(level.name),
            "line": gettext(level.note),
            "bot": level.bots[0],
        }
        for level in levels()
    ]
    entries = sorted(choices(), key=lambda entry: entry.name != DEFAULT_PLAYER)
    for at, entry in enumerate(entries):
        if entry.name not in {one["name"] for one in offered}:
            try:
                strategy = find_strategy(entry.name)
            except TribridgeError:  # a part that is not installed
                continue
            parts = (getattr(one, "summary", "") for one in (strategy.caller, strategy.player))
            words = "; ".join(text for text in parts if text)
            bot = bot_for(entry.name, Seat(at % 3))
            line = f"{words[:1].upper()}{words[1:]}."
            offered.append({"name": entry.name, "title": entry.name, "line": line, "bot": bot})
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
    response: Response = RedirectResponse(where, 303)
    if "hx-request" in request.headers:
        response = Response(status_code=204, headers={"hx-redirect": where})
    response.set_cookie(
        _cookie(match), token, max_age=86400, path=where, httponly=True, samesite="lax"
    )
    return response


@router.get("/arena/{match}")
async def show(
    request: Request, server: ServerOf, match: MatchOf, still: bool = False
) -> HTMLResponse:
    """A match; a still page keeps its board as it is."""
    own = _own(request, server.arena, match)
    board = _board_context(match, Follower(match))
    return page("arena_match.html", still=still, **(_context(match, own) | board))


@router.get("/arena/{match}/stream")
async def stream(request: Request, server: ServerOf, match: MatchOf) -> StreamingResponse:
    """The match as it goes on."""
    own = _own(request, server.arena, match)
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
    if "hx-request" in request.headers:
        context = _context(match, own=True)
        return HTMLResponse(render("arena_controls.html", **context))
    return RedirectResponse(f"/arena/{match.id}", 303)


@router.post("/arena/{match}/go-on", dependencies=[Depends(pay_for_match)])
async def go_on(request: Request, server: ServerOf, match: MatchOf) -> Response:
    """Play the rest of a match that was stopped or interrupted."""
    server.arena.go_on(match, request.cookies.get(_cookie(match)), client_of(request))
    return RedirectResponse(f"/arena/{match.id}", 303)


async def result_json(server: ServerOf, match: ArenaMatch) -> str:
    """The result of a match in the form of the arena's result files."""
    if match.running:
        raise NotNowError("the match is still running: the result can be had when it is over")
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
    headers = {"content-disposition": f'attachment; filename="arena-{match.id}.json"'}
    return Response(await result_json(server, match), 200, headers, "application/json")


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
    games = await asyncio.to_thread(arena_page.replays, text)
    if game > len(games):
        raise UnknownTableError(
            "there are {number} games on this deal, not {game}"
            if match.plan.laws is None
            else "there are {number} games on this rubber, not {game}",
            number=len(games),
            game=game,
        )
    shown = games[game - 1]
    step = len(shown.actions) if step is None else min(step, len(shown.actions))
    plan = match.plan
    now: Board = arena_page.board(
        shown.table(step),
        shown.names,
        shown.reasons[step - 1] if step else "",
        plan.scheme if plan.laws is None else None,
    )
    return page(
        "arena_deal.html",
        match=match,
        bots=arena_page.bots(match),
        number=number,
        game=game,
        games=games,
        step=step,
        steps=len(shown.actions),
        b=now,
    )


@router.get("/arena/{match}/deal/{number}/deal.jsonl")
async def deal_records(server: ServerOf, match: MatchOf, number: int) -> Response:
    """The records of all games on a deal."""
    headers = {"content-disposition": f'attachment; filename="deal-{number}.jsonl"'}
    text = server.arena.records(match, number - 1)
    return Response(text, 200, headers, "application/jsonl")
