"""Review of a finished deal: every call and card judged by what its player could know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.capture import Conditions, Result, algorithm1, algorithm2
from tribridge.deals import HIDDEN
from tribridge.formats import lin
from tribridge.game import Record, record
from tribridge.game.record.pbn import dumps_pbn
from tribridge.game.view_json import action_name
from tribridge.web.core import reviews as analysing
from tribridge.web.core.matches import MatchPlan
from tribridge.web.core.names import clean_name
from tribridge.web.core.reviews import Analysis
from tribridge.web.core.room import Room
from tribridge.web.core.state import Finished, Place
from tribridge.web.errors import NotNowError, UnknownTableError
from tribridge.web.language import gettext, ngettext, translated
from tribridge.web.pages.public import public
from tribridge.web.pages.review_page import called, graph_of, hands_around, plays
from tribridge.web.pages.table_page import SPOTS
from tribridge.web.server.access import (
    RoomOf,
    Server,
    ServerOf,
    ViewerOf,
    client_of,
    give_seat,
    page,
    pay_for_table,
)

router = APIRouter(include_in_schema=False)

_MOST_KEPT: Final = 64
"""Finished reviews kept in memory."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predictions of Algorithm 2 for declarer and dummy and of Algorithm 1 for declarer alone."""

    two: Result
    one: Result

    @staticmethod
    def words(result: Result) -> str:
        """The verdict in a few words."""
        if result.outcome is Conditions.BOTH_HOLD:
            count = result.captures
            return ngettext("{number} capture", "{number} captures", count).format(number=count)
        condition = result.outcome.value
        return gettext("no prediction: condition {name}").format(name=condition)


def finished_deal(room: Room, deal: int) -> Finished:
    """A finished deal of a table, counted from 1."""
    if not 1 <= deal <= len(room.state.finished):
        raise UnknownTableError("that deal has not been finished at this table")
    return room.state.finished[deal - 1]


def record_of(room: Room, deal: int) -> Record:
    """A finished deal's record; it names the seed only once all deals of that seed are over."""
    record, seed = finished_deal(room, deal).record, room.state.match.seed
    if isinstance(seed, tuple):
        return replace(record, seed=seed[deal - 1])
    return replace(record, seed=seed) if room.state.over else record


def analysis_of(server: Server, client: str, room: Room, deal: int) -> Analysis:
    """The review of a deal as far as it has got; it is begun when it is first asked for."""
    key = (room.name, deal)
    known = server.reviews.get(key)
    if known is not None and (known.complete or not known.over):
        return known
    done = finished_deal(room, deal)
    store = server.rooms.store
    analysis = analysing.stored(store, room.name, deal, len(done.record.actions))
    if analysis is None:
        names = [place.name for place in room.state.places]
        analysis = analysing.begin(
            store, server.rooms.workers, client, room.name, deal, done.record, names
        )
    if len(server.reviews) >= _MOST_KEPT:
        server.reviews = {k: one for k, one in server.reviews.items() if not one.over}
    server.reviews[key] = analysis
    return analysis


def _context(room: Room, deal: int, step: int, analysis: Analysis) -> dict[str, Any]:
    done = finished_deal(room, deal)
    table = done.record.replay()
    places = room.state.places
    cards = plays(table, [place.name for place in places], analysis)
    step = max(0, min(step, len(cards)))
    shown = cards[:step]
    trick = shown[(step - 1) // 4 * 4 :] if step else []
    contract = done.outcome.contract
    prediction = needed = None
    if contract is not None:
        deck, hands = done.record.deal.deck, done.record.deal.hands
        needed = contract.tricks_needed(deck)
        prediction = Prediction(
            algorithm2(hands[contract.declarer], hands[HIDDEN], deck),
            algorithm1(hands[contract.declarer], deck),
        )
    return {
        "p": public(room.name, room.state),
        "deal": deal,
        "done": done,
        "places": places,
        "line": room.state.match.sheet()[deal - 1],
        "last": len(room.state.finished),
        "calls": called(table, places, analysis),
        "plays": cards,
        "tricks": [cards[at : at + 4] for at in range(0, len(cards), 4)],
        "step": step,
        "steps": len(cards),
        "hands": hands_around(done.record.deal, table, shown, places),
        "trick": {SPOTS[one.chair]: one for one in trick},
        "now": shown[-1] if shown else None,
        "analysis": analysis,
        "best": cards[0].before if cards else None,
        "graph": graph_of(cards, done, needed, step) if cards else None,
        "prediction": prediction,
        "link_out": lin.link_of(done.record.deal) if done.record.deal.deck.size == 52 else None,
        "may_play_on": record_of(room, deal).seed is not None and step < len(cards),
    }


Step = Annotated[int, Query(ge=0, le=52)]


@router.get("/table/{table}/review/{deal}")
async def review(
    request: Request, room: RoomOf, server: ServerOf, deal: int, step: Step = 0
) -> HTMLResponse:
    """The page; it asks for the verdicts as they come."""
    analysis = analysis_of(server, client_of(request), room, deal)
    return page("review.html", **_context(room, deal, step, analysis))


@router.get("/table/{table}/review/{deal}/board")
async def review_board(
    request: Request, room: RoomOf, server: ServerOf, deal: int, step: Step = 0
) -> HTMLResponse:
    """The part of the page that changes with the step and as the verdicts come."""
    analysis = analysis_of(server, client_of(request), room, deal)
    return page("review_board.html", **_context(room, deal, step, analysis))


@router.post("/table/{table}/review/{deal}/play-on", dependencies=[Depends(pay_for_table)])
async def play_on(
    request: Request,
    room: RoomOf,
    server: ServerOf,
    viewer: ViewerOf,
    deal: int,
    step: Annotated[int, Form(ge=0, le=52)] = 0,
) -> Response:
    """A new table that starts from a position of the deal, with strategies in the other seats."""
    source = record_of(room, deal)
    calls = len(source.replay().auction.calls)
    start = replace(source, actions=source.actions[: calls + step])
    turn = start.replay().turn
    if source.seed is None:
        raise NotNowError("this deal can be played on when the match is over")
    if turn is None or start.actions == source.actions:
        raise NotNowError("there is nothing left to play on from here")
    seat = turn if viewer is None else viewer
    places = [Place("", place.strategy) for place in room.state.places]
    name = room.state.places[seat].name
    if viewer is None:  # an onlooker does not play under somebody else's name
        name = clean_name(unquote(request.cookies.get("name", "")), translated(seat))
    places[seat] = replace(places[seat], name=name, person=True)
    plan = MatchPlan(
        source.seed,
        source.number or 0,
        deals=1,
        scheme=source.scheme or "auction",
        doubles=source.doubles,
        deck=str(source.deal.deck),
        dealer=source.dealer,
    )
    if source.rubber is not None:
        plan = replace(plan, laws=source.rubber.laws.name, **source.rubber.standing._asdict())
    actions = [action_name(action) for action in start.actions]
    opened = await server.rooms.open(plan, places, client_of(request), actions=actions)
    response = RedirectResponse(f"/table/{opened.name}", 303)
    return give_seat(request, response, opened, server.rooms.token(opened, seat))


def _download(text: str, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=kind, headers=headers)


@router.get("/table/{table}/review/{deal}/deal.pbn")
async def deal_pbn(room: RoomOf, deal: int) -> Response:
    """The deal as PBN."""
    return _download(dumps_pbn([record_of(room, deal)]), f"deal-{deal}.pbn", "application/x-pbn")


@router.get("/table/{table}/review/{deal}/deal.jsonl")
async def deal_jsonl(room: RoomOf, deal: int) -> Response:
    """The deal as JSON Lines."""
    text = record.dumps([record_of(room, deal)])
    return _download(text, f"deal-{deal}.jsonl", "application/jsonl")


@router.get("/table/{table}/match.jsonl")
async def match_jsonl(room: RoomOf) -> Response:
    """All finished deals, as JSON Lines."""
    deals = [record_of(room, at) for at in range(1, len(room.state.finished) + 1)]
    return _download(record.dumps(deals), "match.jsonl", "application/jsonl")


@router.get("/table/{table}/match.pbn")
async def match_pbn(room: RoomOf) -> Response:
    """All finished deals, as PBN."""
    deals = [record_of(room, at) for at in range(1, len(room.state.finished) + 1)]
    return _download(dumps_pbn(deals), "match.pbn", "application/x-pbn")
