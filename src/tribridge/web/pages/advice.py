"""Advice and hints on request, for the seat that asks. Everyone at the table sees that it asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from tribridge.game import View, view
from tribridge.web.core.bots import levels
from tribridge.web.core.events import Advised
from tribridge.web.core.workers import FailedError, OutOfTimeError
from tribridge.web.errors import NotNowError
from tribridge.web.pages.capture_frames import frames
from tribridge.web.pages.drawing import page
from tribridge.web.server.access import Visit, VisitOf
from tribridge.web.server.refusals import CHANGING, api_router
from tribridge.web.view import hints
from tribridge.web.view.advice import Advice, full_advice, plain_advice

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("analysis")

_SECONDS: Final = 20.0
T = TypeVar("T")


async def _asked(here: Visit) -> View:
    """What the seat that asks may see; that it asked is noted."""
    await here.add(Advised(here.player))
    assert here.state.table is not None
    return view(here.state.table, here.player)


async def _think(here: Visit, function: Callable[..., T], *args: Any) -> T | None:
    """What a worker says; None if it fails or takes too long."""
    workers = here.server.rooms.workers
    try:
        return await workers.ask(here.client, here.room.name, _SECONDS, function, *args)
    except (FailedError, OutOfTimeError):
        return None


async def _advice(here: Visit) -> Advice:
    player, strategy = here.player, levels()[-1].strategy
    if here.state.table is None or here.state.closed:
        raise NotNowError("advice is only available while a deal is being played")
    seen, state = await _asked(here), here.state
    assert player is seen.seat
    given = await _think(
        here,
        full_advice,
        seen,
        state.number,
        state.match.scheme.name,
        strategy,
        state.strategy_seed,
        state.deal,
        len(state.actions),
    )
    return given or plain_advice(seen, state.number, strategy)


@router.post("/advice")
async def advice(here: VisitOf) -> HTMLResponse:
    """Advice for this seat, as a part of the page."""
    given = await _advice(here)
    return page("advice.html", s=here.view, a=given, frames=frames(given.result))


@api.post("/tables/{table}/advice", responses=CHANGING)
async def advise(here: VisitOf) -> Advice:
    """Advice for this seat, from what it may see. Everyone at the table sees that it asked."""
    return await _advice(here)


@router.post("/hint")
async def hint(here: VisitOf) -> HTMLResponse:
    """The options of this seat on its turn, each with its value and a reason."""
    if here.state.turn is not here.player:
        raise NotNowError("a hint is only available on your turn")
    seen = await _asked(here)
    options = await _think(here, hints.options, seen, here.state.match.scheme.name)
    return page("hint.html", seen=seen, options=options or ())
