"""A turning point of one's own games as a puzzle: the position again, and what was better there."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.games import TurningPoint
from tribridge.club.core.names import seat_named
from tribridge.club.core.wording import called, told
from tribridge.club.errors import UnknownTableError
from tribridge.club.language import translated
from tribridge.club.pages.puzzles import sides_of
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf
from tribridge.common.errors import TribridgeError
from tribridge.common.sentences import Sentence
from tribridge.game import Position, view
from tribridge.reviews import wording
from tribridge.reviews.values import ERRORS, Judgement, Option, read_action
from tribridge.strategies.reasons import reason_for

router = APIRouter(include_in_schema=False)


def right(judgement: Judgement, option: Option) -> bool:
    """Whether an option is better than the one chosen, and as good as the best within the error."""
    if option.action == judgement.action or option is judgement.best:
        return option.action != judgement.action
    return option.points_loss <= max(1e-9, ERRORS * option.points_error)


def compared(point: TurningPoint, position: Position | None, given: Option) -> list[Sentence]:
    """What there is to say for an answer, or against it."""
    judged, best = point.judgement, point.judgement.best
    chosen = judged.chosen
    assert best is not None
    assert chosen is not None
    if given.action in (best.action, judged.action):
        return list(judged.why)
    better, other = (given, chosen) if right(judged, given) else (best, given)
    sentences = [wording.beside(judged, better, other)]
    if isinstance(better.action, Card) and isinstance(other.action, Card) and position is not None:
        reason = reason_for(position, better.action, other.action)
        if reason is not None:
            sentences.insert(0, wording.said_for(better.action, reason))
    return sentences


@router.get("/turning/{table}/{deal}")
async def turning_point(
    here: AskedOf, table: str, deal: int, answer: Annotated[str, Query(max_length=8)] = ""
) -> HTMLResponse:
    """The costliest mistake of the visitor on a deal: first the question, then the answer."""
    games = here.server.games
    point = await games.turning_point_at(here.device, table, deal) if here.device else None
    if point is None:
        raise UnknownTableError(
            "there is no turning point of yours here: it takes a finished deal with a review"
        )
    judgement, record = point.judgement, point.played.record
    before = replace(record, actions=record.actions[: judgement.number - 1], claimed=None)
    position = before.replay()
    options, given = judgement.options, None
    if answer:
        try:
            action = read_action(answer)
        except TribridgeError:
            action = None
        given = next((option for option in options if option.action == action), None)
        if given is None:
            raise UnknownTableError(
                "{answer!r} is not an answer here: choose one that is offered", answer=answer
            )
        await games.answer(here.device, point)
    seen, names = view(position, position.turn), point.played.names
    why = [] if given is None else compared(point, seen.position, given)
    you = names[judgement.seat]
    shown = [
        translated(seat) if seat_named(name) else name
        for seat, name in zip(Seat, names, strict=True)
    ]
    return page(
        "turning.html",
        point=point,
        seen=seen,
        sides=sides_of(seen, here.order, shown),
        names=shown,
        offered=frozenset(option.action for option in options),
        given=given,
        right=given is not None and right(judgement, given),
        rights=frozenset(option.action for option in options if right(judgement, option)),
        why=[told(called(sentence, names), you) for sentence in why],
        step=judgement.number - len(position.auction.calls),
    )
