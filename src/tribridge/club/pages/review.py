"""What there is to say about a deal: advice and hints while it is played, the review afterwards.

Advice and hints are for the seat that asks, and everyone at the table sees that it asked. In a
review every call and card is judged by what its player could know.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, Response

from tribridge.capture import Result, algorithm1, algorithm2
from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.core.bots import levels
from tribridge.club.core.event_base import playing, scored_table
from tribridge.club.core.events import Advised
from tribridge.club.core.reviews import Ahead, Analysis
from tribridge.club.core.state import Finished, State, who_acted
from tribridge.club.core.workers import FailedError, reasons
from tribridge.club.errors import NotNowError, UnknownTableError
from tribridge.club.history.played import with_tags
from tribridge.club.pages.algorithm import frames
from tribridge.club.pages.lobby import play_from
from tribridge.club.pages.open_hands import called, last_trick, open_hands, plays, review_chart
from tribridge.club.pages.templates import download, page
from tribridge.club.pages.what_if import WhatIf, line_from, makeable, what_if
from tribridge.club.server.access import Visit, VisitOf, pay_for_table
from tribridge.club.server.operations import AT_A_TABLE, CHANGING, api_router, form
from tribridge.club.view import advice
from tribridge.club.view.table import DealResult
from tribridge.club.view.values import Points, filled, value
from tribridge.common.errors import TribridgeError
from tribridge.game import Record, Table, View, record, view
from tribridge.game.record.pbn import dumps_pbn, link_of
from tribridge.reviews import Judgement
from tribridge.strategies import options

router = APIRouter(prefix="/table/{table}", include_in_schema=False)
api = api_router("analysis")

_LOG: Final = logging.getLogger("tribridge.club")
_DECIDED_SECONDS: Final = 3.0
_SECONDS: Final = 20.0
"""For advice."""
T = TypeVar("T")


def finished_deal(state: State, deal: int) -> Finished:
    """A finished deal of a table, counted from 1."""
    if not 1 <= deal <= len(state.finished):
        raise UnknownTableError("that deal has not been finished at this table")
    return state.finished[deal - 1]


def record_of(state: State, deal: int) -> Record:
    """A finished deal's record; it names the seed only once all deals of that seed are over."""
    record, seed = finished_deal(state, deal).record, state.match.seed
    if isinstance(seed, tuple):
        return replace(record, seed=seed[deal - 1])
    return replace(record, seed=seed) if state.over else record


async def analysis_of(here: Visit, deal: int) -> Analysis:
    """The review of a deal as far as it has got."""
    table, names = finished_deal(here.state, deal).record.replay(), here.view.names
    known = (here.room.ahead or Ahead(table, names)).standing(table, names)
    ahead = Ahead(table, names, known)
    return await here.server.reviews.find(here.client, here.room.name, deal, ahead)


def judge_ahead(here: Visit, names: Sequence[str]) -> None:
    """Judge the deal so far, for its review, while someone thinks about their turn."""
    room, table = here.room, scored_table(here.state)
    ahead = room.ahead = room.ahead or Ahead(table, names)
    ahead.judgements = ahead.standing(table, names)
    ahead.table, ahead.names = table, names
    here.server.reviews.begin_ahead(ahead, lambda: not room.state.closed)


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
    here: VisitOf,
    deal: int,
    step: Annotated[int | None, Query(ge=0, le=52)] = None,
    instead: Annotated[str, Query(max_length=2)] = "",
    trick: Annotated[int, Query(ge=0, le=13)] = 0,
) -> HTMLResponse:
    """The deal after some cards; unless a step is asked for, at its turning point.

    With `instead`, another card in place of the one of the step, and some tricks of what follows.
    The page asks for its part that changes with the step, and as the verdicts come.
    """
    asked, analysis = step, await analysis_of(here, deal)
    done, names = finished_deal(here.state, deal), here.view.on_plates
    table = done.record.replay()
    cards = plays(table, names, analysis)
    turning = analysis.turning_point
    if step is None:
        step = 0 if turning is None else turning.number - len(table.auction.calls)
    step = max(0, min(step, len(cards)))
    shown, now = cards[:step], cards[step - 1] if step else None
    other = await _instead(here, deal, table, step, instead, trick) if instead else None
    cards_out, chosen = (other.cards, None) if other else (shown, now)
    contract, deck = done.outcome.contract, done.record.deal.deck
    needed = None if contract is None else contract.tricks_needed(deck)
    base = here.seat or (Seat.SOUTH if contract is None else contract.declarer)
    return page(
        "review_board.html" if here.request.url.path.endswith("/board") else "review.html",
        s=here.view,
        deal=deal,
        done=done,
        line=here.state.match.sheet()[deal - 1],
        made_up=here.state.match.made_up(deal - 1),
        last=len(here.state.finished),
        calls=called(table, names, analysis),
        plays=cards,
        asked=asked,
        turning=turning,
        step=step,
        hands=open_hands(table, cards_out, base, names, chosen),
        trick=last_trick(table, cards_out, base),
        now=now,
        other=other,
        analysis=analysis,
        graph=review_chart(cards, done, needed, step) if cards else None,
        needed=needed,
        predictions=_predictions(done),
        link_out=link_of(done.record) if deck.size == 52 else None,
        may_play_on=record_of(here.state, deal).seed is not None and step < len(cards),
    )


async def _instead(
    here: Visit, deal: int, table: Table, step: int, instead: str, trick: int
) -> WhatIf | None:
    """Another card in place of the one of a step; None if it cannot be played out just now."""
    back = len(table.history) - len(table.auction.calls) - step + 1
    before = table.undo(back) if step else table
    try:
        card = Card(instead)
    except TribridgeError:
        card = None
    if before.position is None or card not in before.legal:
        raise UnknownTableError("that card could not be played at this point of the deal")
    cards = await _once(here, line_from, (deal, step, card), before, card)
    names, plates = here.view.names, here.view.on_plates
    return None if cards is None else what_if(before, cards, names, plates, trick)


@router.get("/review/{deal}/makes")
async def makes(here: VisitOf, deal: int) -> HTMLResponse:
    """What each player could have made as declarer, all cards seen."""
    done = finished_deal(here.state, deal)
    dealt = done.record.deal
    tricks = await _once(here, makeable, (deal,), dealt)
    return page("makes.html", s=here.view, done=done, tricks=tricks, strains=dealt.deck.strains)


@router.get("/review/{deal}/decided")
async def decided(here: VisitOf, deal: int) -> HTMLResponse:
    """What decided a deal, in one sentence, once its review is complete.

    It begins a review only while nobody waits for the workers; the review page always does.
    """
    begun = (here.room.name, deal) in here.server.reviews.known
    if not begun and here.server.rooms.workers.queue.waiting:
        return page("decided.html", analysis=None, s=here.view, deal=deal)
    analysis = await analysis_of(here, deal)
    if analysis.task is not None:
        await asyncio.wait({analysis.task}, timeout=_DECIDED_SECONDS)
    return page("decided.html", analysis=analysis, s=here.view, deal=deal)


@router.get("/why/{deal}/{at}")
async def why(here: VisitOf, deal: int, at: int) -> HTMLResponse:
    """Why a call or card of a finished deal was chosen, by what its player saw at that moment.

    Of what the review has found wrong, it says that, and not what might be said for it; and the
    same of what nothing can be said for.
    """
    table = finished_deal(here.state, deal).record.replay()
    if not 0 <= at < len(table.history):
        raise UnknownTableError("that call or card was not made on this deal")
    judged, given = _judged(here, deal, at), None
    if judged is None or not judged.verdict.wrong:
        given = await _once(here, reasons, (deal, at), *_reasons_of(here, table, deal, at))
    if given is not None and given.reasons:
        judged = None
    acted, calls = who_acted(table), len(table.auction.calls)
    player, chair = acted[at]
    theirs = [other for other, (seat, _) in enumerate(acted) if seat is player]
    return page(
        "why.html",
        s=here.view,
        deal=deal,
        at=at,
        action=table.history[at],
        who=here.view.on_plates[player],
        own=player is here.view.nameless,
        chair=chair,
        card=max(0, at - calls + 1),
        given=given,
        judged=judged,
        before=max((other for other in theirs if other < at), default=None),
        after=min((other for other in theirs if other > at), default=None),
    )


def _judged(here: Visit, deal: int, at: int) -> Judgement | None:
    """The verdict on a call or card, as far as the review has got."""
    analysis = here.server.reviews.known.get((here.room.name, deal))
    if analysis is None or at >= len(analysis.judgements):
        return None
    return analysis.judgements[at]


def _reasons_of(here: Visit, table: Table, deal: int, at: int) -> tuple[object, ...]:
    """What a worker needs to say why a call or card was chosen."""
    before = table.undo(len(table.history) - at)
    assert before.turn is not None
    place = here.state.places[before.turn]
    strategy = "" if place.person or place.away else place.strategy
    seen = view(before, before.turn)
    return strategy, seen, here.state.strategy_seed, deal - 1, table.history[at]


async def _once(
    here: Visit, function: Callable[..., T], asked: tuple[object, ...], *given: Any
) -> T | None:
    """What a worker makes of a deal that is over, computed once for a table.

    None if it fails, and then it is asked again the next time.
    """
    known, key = here.room.told, (function, *asked)

    async def told() -> T | None:
        try:
            return await _ask(here, function, *given)
        except FailedError:
            return None

    def done(task: asyncio.Task[T | None]) -> None:
        if _refused(task):
            known.pop(key, None)

    if key not in known:
        known[key] = asyncio.create_task(told())
        known[key].add_done_callback(done)
    answer: T | None = await asyncio.shield(known[key])
    return answer


@router.post("/review/{deal}/play-on", dependencies=[Depends(pay_for_table)])
async def play_on(
    here: VisitOf, deal: int, step: Annotated[int, Form(ge=0, le=52)] = 0
) -> Response:
    """A new table that starts from a position of the deal, with strategies in the other seats."""
    source, state = record_of(here.state, deal), here.state
    calls = len(source.replay().auction.calls)
    start = replace(source, actions=source.actions[: calls + step])
    turn = start.replay().turn
    if source.seed is None:
        raise NotNowError("this deal can be played on when the match is over")
    if turn is None or start.actions == source.actions:
        raise NotNowError("there is nothing left to play on from here")
    # An onlooker does not play under somebody else's name.
    name = "" if here.seat is None else state.places[here.seat].name
    strategies = [place.own_strategy for place in state.places]
    return await play_from(here, start, here.seat or turn, strategies, name)


@router.get("/review/{deal}/deal.{kind}")
async def deal_file(here: VisitOf, deal: int, kind: Literal["pbn", "jsonl"]) -> Response:
    """The deal as PBN or JSON Lines."""
    return await _file(here, [record_of(here.state, deal)], f"deal-{deal}.{kind}")


@router.get("/match.{kind}")
async def match_file(here: VisitOf, kind: Literal["pbn", "jsonl"]) -> Response:
    """All finished deals, as PBN or JSON Lines."""
    deals = range(1, len(here.state.finished) + 1)
    return await _file(here, [record_of(here.state, deal) for deal in deals], f"match.{kind}")


async def _file(here: Visit, records: list[Record], name: str) -> Response:
    if not name.endswith("pbn"):
        return download(record.dumps(records), name)
    names, opened = here.view.names, await here.server.games.opened(here.room.name)
    return download(dumps_pbn(with_tags(one, names, opened, here.seat) for one in records), name)


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
    failed: bool
    """Whether the server could not judge all of it; asked again in a minute, it tries again."""
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
    done = finished_deal(here.state, deal)
    analysis = await analysis_of(here, deal)
    dealt = done.record.deal
    return filled(
        ReviewView,
        done.outcome,
        done,
        analysis,
        here.state.match.sheet()[deal - 1],
        deal=deal,
        hands={seat.letter: dealt.hands[seat] for seat in Seat} | {"hidden": dealt.hidden},
        record=list(record_of(here.state, deal).events()),
        choices=analysis.total,
        players=[str(sentence) for sentence in analysis.players],
        judged=analysis.judgements,
        estimates=tuple(advice.estimate(result) for result in _predictions(done)),
    )


async def _asked(here: Visit) -> tuple[View, State]:
    """What the seat that asks sees; that it asked is noted, in the state that is returned.

    The view is made before anything is awaited: if the table moves on meanwhile, it is refused.
    """
    seen = view(playing(here.state), here.player)
    return seen, await here.add(Advised(here.player, here.state.number))


async def _ask(here: Visit, function: Callable[..., T], *given: Any) -> T:
    """What a worker makes of a view."""
    workers = here.server.rooms.workers
    try:
        return await workers.ask(here.client, here.room.name, _SECONDS, function, *given)
    except FailedError:  # no cards in a log: what failed, not how
        _LOG.warning("%s failed at table %s", function.__name__, here.room.name)
        raise


def _refused(task: asyncio.Task[T | None]) -> bool:
    """Whether a question that is over has no answer, and is asked again the next time."""
    return task.cancelled() or task.exception() is not None or task.result() is None


def think(
    here: Visit, function: Callable[..., T], seen: View, *more: Any
) -> asyncio.Task[T | None]:
    """What a function makes of a view; a table remembers the last one of each function."""
    thoughts = here.room.thoughts

    async def thought() -> T | None:
        try:
            return await _ask(here, function, seen, *more)
        except FailedError:
            return None

    def done(task: asyncio.Task[T | None]) -> None:
        if _refused(task):
            thoughts.pop(function, None)  # next time it is computed again

    known = thoughts.get(function)
    if known is None or known[0] != seen:
        known = thoughts[function] = seen, asyncio.create_task(thought())
        known[1].add_done_callback(done)
    return known[1]


def _advised(here: Visit, given: advice.Advice) -> HTMLResponse:
    names = {seat.letter: place.name for seat, place in zip(Seat, here.state.places, strict=True)}
    return page("advice.html", s=here.view, names=names, a=given, frames=frames(given.result))


@form(router, "/advice", page=_advised)
@api.post("/tables/{table}/advice", responses=CHANGING)
async def advise(here: VisitOf) -> advice.Advice:
    """Advice for this seat, from what it may see. Everyone at the table sees that it asked."""
    strategy = levels()[-1].strategy
    if here.player and (here.state.table is None or here.state.closed):
        raise NotNowError("advice is only available while a deal is being played")
    seen, state = await _asked(here)
    studied = await asyncio.shield(think(here, advice.study, seen))
    if studied is None:
        return advice.plain_advice(seen, state.number, strategy)
    return advice.full_advice(seen, state.number, strategy, studied)


@router.post("/hint")
async def hint(here: VisitOf) -> HTMLResponse:
    """The options of this seat on its turn, each with its value and a reason."""
    if here.state.turn is not here.player:
        raise NotNowError("a hint is only available on your turn")
    seen, _ = await _asked(here)
    named = await asyncio.shield(think(here, options, seen))
    return page("hint.html", s=here.view, seen=seen, options=named or ())


@router.get("/outlook")
async def show_outlook(here: VisitOf) -> HTMLResponse:
    """For kibitzers: how the contract is likely to end, by what everyone can see.

    One computation for all who look on. While others wait for the workers, it stays as it was.
    """
    table, shown = here.state.table, here.view
    if here.seat is not None or table is None or not shown.hints:
        return page("outlook.html", found=None)
    busy, known = here.server.rooms.workers.queue.waiting, here.room.thoughts.get(advice.outlook)
    seen = known[0] if busy and known is not None else view(table, None)
    return page("outlook.html", found=await asyncio.shield(think(here, advice.outlook, seen)))
