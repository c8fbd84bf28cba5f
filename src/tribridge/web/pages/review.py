"""What there is to say about a deal: advice and hints while it is played, the review afterwards.

Advice and hints are for the seat that asks, and everyone at the table sees that it asked. In a
review every call and card is judged by what its player could know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeVar
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, Response

from tribridge.capture import Result, algorithm1, algorithm2
from tribridge.cards import Hand
from tribridge.deals import HIDDEN, Seat
from tribridge.formats import lin
from tribridge.game import Record, Table, View, record, view
from tribridge.game.record.pbn import dumps_pbn
from tribridge.reviews import Judgement
from tribridge.web.core.bots import levels
from tribridge.web.core.event import record_so_far
from tribridge.web.core.events import Advised
from tribridge.web.core.reviews import Ahead, Analysis
from tribridge.web.core.room import Room
from tribridge.web.core.state import Finished
from tribridge.web.core.workers import FailedError
from tribridge.web.errors import NotNowError, UnknownTableError
from tribridge.web.pages.algorithm import frames
from tribridge.web.pages.drawing import download, page
from tribridge.web.pages.lobby import play_from
from tribridge.web.pages.open_hands import called, last_trick, open_hands, plays, review_chart
from tribridge.web.server.access import Visit, VisitOf, pay_for_table
from tribridge.web.server.operations import AT_A_TABLE, api_router, changes
from tribridge.web.view import advice
from tribridge.web.view.table import DealResult
from tribridge.web.view.values import Points, filled, value

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("analysis")

_DECIDED_SECONDS: Final = 25.0
_SECONDS: Final = 20.0
"""For advice."""
T = TypeVar("T")


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


def analysis_of(here: Visit, deal: int) -> Analysis:
    """The review of a deal as far as it has got."""
    record, names = finished_deal(here.room, deal).record, here.view.names
    known = _AHEAD.get(here.room, Ahead(record, names)).standing(record, names)
    ahead = Ahead(record, names, known)
    return here.server.reviews.find(here.client, here.room.name, deal, ahead)


_AHEAD: Final = WeakKeyDictionary[Room, Ahead]()
"""What has been judged of the last deal at a table."""


def judge_ahead(here: Visit, names: Sequence[str]) -> None:
    """Judge the deal so far, for its review, while someone thinks about their turn."""
    room, record = here.room, record_so_far(here.state)
    ahead = _AHEAD.setdefault(room, Ahead(record, names))
    ahead.judgements = ahead.standing(record, names)
    ahead.record, ahead.names = record, names
    if ahead.task is None or ahead.task.done():
        judging = here.server.reviews.judge_ahead(ahead, lambda: not room.state.closed)
        ahead.task = asyncio.create_task(judging)


def _predictions(done: Finished) -> list[Result]:
    """What Algorithm 1 says of declarer's hand, and Algorithm 2 of hand and dummy."""
    deal, contract = done.record.deal, done.outcome.contract
    if contract is None:
        return []
    hand = deal.hands[contract.declarer]
    return [algorithm1(hand, deal.deck), algorithm2(hand, deal.hands[HIDDEN], deal.deck)]


@router.get("/review/{deal}")
@router.get("/review/{deal}/board")
async def review(
    here: VisitOf, deal: int, step: Annotated[int | None, Query(ge=0, le=52)] = None
) -> HTMLResponse:
    """The deal after some cards; unless a step is asked for, at its turning point.

    The page asks for its part that changes with the step, and as the verdicts come.
    """
    asked, analysis = step, analysis_of(here, deal)
    done, names = finished_deal(here.room, deal), here.view.names
    table = done.record.replay()
    cards = plays(table, names, analysis)
    turning = analysis.turning_point
    if step is None:
        step = 0 if turning is None else turning.number - len(table.auction.calls)
    step = max(0, min(step, len(cards)))
    shown = cards[:step]
    contract, deck = done.outcome.contract, done.record.deal.deck
    needed = None if contract is None else contract.tricks_needed(deck)
    base = here.seat or (Seat.SOUTH if contract is None else contract.declarer)
    return page(
        "review_board.html" if here.request.url.path.endswith("/board") else "review.html",
        s=here.view,
        deal=deal,
        done=done,
        line=here.state.match.sheet()[deal - 1],
        last=len(here.state.finished),
        calls=called(table, names, analysis),
        plays=cards,
        asked=asked,
        step=step,
        hands=open_hands(table, shown, base, names),
        trick=last_trick(table, shown, base),
        now=shown[-1] if shown else None,
        analysis=analysis,
        graph=review_chart(cards, done, needed, step) if cards else None,
        needed=needed,
        predictions=_predictions(done),
        link_out=lin.link_of(done.record.deal) if deck.size == 52 else None,
        may_play_on=record_of(here.room, deal).seed is not None and step < len(cards),
    )


@router.get("/review/{deal}/decided")
async def decided(here: VisitOf, deal: int) -> HTMLResponse:
    """What decided a deal, in one sentence, once its review is complete.

    It begins a review only while nobody waits for the workers; the review page always does.
    """
    begun = (here.room.name, deal) in here.server.reviews.known
    if not begun and here.server.rooms.workers.queue.waiting:
        return page("decided.html", analysis=None)
    analysis = analysis_of(here, deal)
    if analysis.task is not None:
        await asyncio.wait({analysis.task}, timeout=_DECIDED_SECONDS)
    return page("decided.html", analysis=analysis, s=here.view, deal=deal)


@router.post("/review/{deal}/play-on", dependencies=[Depends(pay_for_table)])
async def play_on(
    here: VisitOf, deal: int, step: Annotated[int, Form(ge=0, le=52)] = 0
) -> Response:
    """A new table that starts from a position of the deal, with strategies in the other seats."""
    source, state = record_of(here.room, deal), here.state
    calls = len(source.replay().auction.calls)
    start = replace(source, actions=source.actions[: calls + step])
    turn = start.replay().turn
    if source.seed is None:
        raise NotNowError("this deal can be played on when the match is over")
    if turn is None or start.actions == source.actions:
        raise NotNowError("there is nothing left to play on from here")
    # An onlooker does not play under somebody else's name.
    name = "" if here.seat is None else state.places[here.seat].name
    strategies = [place.strategy for place in state.places]
    return await play_from(here, start, here.seat or turn, strategies, name)


@router.get("/review/{deal}/deal.{kind}")
async def deal_file(here: VisitOf, deal: int, kind: Literal["pbn", "jsonl"]) -> Response:
    """The deal as PBN or JSON Lines."""
    return _file([record_of(here.room, deal)], f"deal-{deal}.{kind}")


@router.get("/match.{kind}")
async def match_file(here: VisitOf, kind: Literal["pbn", "jsonl"]) -> Response:
    """All finished deals, as PBN or JSON Lines."""
    deals = range(1, len(here.state.finished) + 1)
    return _file([record_of(here.room, deal) for deal in deals], f"match.{kind}")


def _file(records: list[Record], name: str) -> Response:
    return download(dumps_pbn(records) if name.endswith("pbn") else record.dumps(records), name)


@value
class ReviewView(DealResult):
    """A finished deal, all cards face up, with the verdicts that are known so far."""

    hands: dict[str, Hand]
    """By seat, and `hidden`: spades.hearts.diamonds.clubs"""
    record: list[dict[str, Any]]
    """The events of the deal, as in a JSON Lines record."""
    claimed: bool
    scores: tuple[Points, ...]
    advised: tuple[Seat, ...]
    """Who asked for advice, once for each position."""
    choices: int
    """Calls and cards of the deal."""
    judged: list[Judgement]
    """The verdicts so far, in order."""
    over: bool
    """Whether no more verdicts will come; until then, ask again."""
    players: list[str]
    """A sentence about each player, once all is judged."""
    estimates: tuple[advice.Estimate, ...]
    """Algorithm 1 on the declarer's hand, and Algorithm 2 with the dummy."""


@api.get("/tables/{table}/review/{deal}", responses=AT_A_TABLE)
async def review_deal(here: VisitOf, deal: int) -> ReviewView:
    """A finished deal: a verdict on each call and card, and what the algorithms predicted.

    The first request begins the review, which takes some seconds of a core; ask again until
    `over`.
    """
    done = finished_deal(here.room, deal)
    analysis = analysis_of(here, deal)
    dealt = done.record.deal
    return filled(
        ReviewView,
        done.outcome,
        done,
        analysis,
        here.state.match.sheet()[deal - 1],
        deal=deal,
        hands={seat.letter: dealt.hands[seat] for seat in Seat} | {"hidden": dealt.hidden},
        record=list(record_of(here.room, deal).events()),
        choices=analysis.total,
        players=[str(one) for one in analysis.players],
        judged=analysis.judgements,
        estimates=tuple(advice.estimate(result) for result in _predictions(done)),
    )


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
    except FailedError:
        return None


def _advised(here: Visit, given: advice.Advice) -> HTMLResponse:
    return page("advice.html", s=here.view, a=given, frames=frames(given.result))


@changes(router, api, "/advice", "/tables/{table}/advice", page=_advised, answers=advice.Advice)
async def advise(here: Visit) -> advice.Advice:
    """Advice for this seat, from what it may see. Everyone at the table sees that it asked."""
    strategy = levels()[-1].strategy
    if here.player and (here.state.table is None or here.state.closed):
        raise NotNowError("advice is only available while a deal is being played")
    seen, state = await _asked(here), here.state
    given = await _think(
        here,
        advice.full_advice,
        seen,
        state.number,
        state.match.scheme.name,
        strategy,
        state.strategy_seed,
        state.deal,
    )
    return given or advice.plain_advice(seen, state.number, strategy)


Thought = asyncio.Task[tuple[advice.Option, ...] | None]
_THOUGHTS: Final = WeakKeyDictionary[Room, tuple[Table, Thought]]()
"""The hint of the last position of a table that was thought about."""


def think_ahead(here: Visit) -> Thought:
    """The hint for the seat on turn, thought about once for a position unless it fails."""
    table, known = here.state.table, _THOUGHTS.get(here.room)
    assert table is not None
    failed = known is not None and known[1].done() and known[1].result() is None
    if known is None or known[0] is not table or failed:
        seen, scheme = view(table, table.turn), here.state.match.scheme.name
        known = table, asyncio.create_task(_think(here, advice.hints, seen, scheme))
        _THOUGHTS[here.room] = known
    return known[1]


@router.post("/hint")
async def hint(here: VisitOf) -> HTMLResponse:
    """The options of this seat on its turn, each with its value and a reason."""
    if here.state.turn is not here.player:
        raise NotNowError("a hint is only available on your turn")
    seen = await _asked(here)
    return page("hint.html", seen=seen, options=await asyncio.shield(think_ahead(here)) or ())


Foreseen = asyncio.Task[advice.Outlook | None]
_OUTLOOKS: Final = WeakKeyDictionary[Room, tuple[int, Foreseen]]()
"""The outlook at a table after so many events: one computation for all who look on."""


@router.get("/outlook")
async def show_outlook(here: VisitOf) -> HTMLResponse:
    """For kibitzers: how the contract is likely to end, by what everyone can see.

    While others wait for the workers, it stays as it was.
    """
    table, now = here.state.table, here.state.number
    if here.seat is not None or table is None or not here.view.hints:
        return page("outlook.html", found=None)
    number, task = _OUTLOOKS.get(here.room, (-1, None))
    if task is None or (number != now and not here.server.rooms.workers.queue.waiting):
        task = asyncio.create_task(_think(here, advice.outlook, view(table, None)))
        _OUTLOOKS[here.room] = now, task
    return page("outlook.html", found=await asyncio.shield(task))
