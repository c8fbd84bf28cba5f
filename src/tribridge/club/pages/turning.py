"""A turning point of one's own games as a puzzle: the position again, and what was better there."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from tribridge.club.errors import UnknownTableError
from tribridge.club.pages.puzzles import sides_of
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf
from tribridge.common.errors import TribridgeError
from tribridge.game import view
from tribridge.reviews.values import ERRORS, Option, read_action

router = APIRouter(include_in_schema=False)


def right(option: Option) -> bool:
    """Whether an option is as good as the best, within the error."""
    return option.points_loss <= max(1e-9, ERRORS * option.points_error)


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
    seen = view(position, position.turn)
    return page(
        "turning.html",
        point=point,
        seen=seen,
        sides=sides_of(seen, here.order),
        offered=frozenset(option.action for option in options),
        given=given,
        right=given is not None and right(given),
        rights=frozenset(option.action for option in options if right(option)),
        step=judgement.number - len(position.auction.calls),
    )
