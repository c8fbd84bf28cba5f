"""Puzzles: a position, the answer, what it loses and why; and the position played out.

Before the answer, pages and API are made from the view of the player to act and the answers that
are offered, and from nothing else: not the hidden cards, the theme or the values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.errors import TribridgeError
from tribridge.game import Chair, View
from tribridge.game.view_json import action_name, view_fields
from tribridge.puzzles import Answer, Example, Puzzle, Rating, Theme, find, read_theme
from tribridge.web.core.bots import levels
from tribridge.web.core.keys import device_of_key, new_key
from tribridge.web.core.matches import MatchPlan
from tribridge.web.core.names import clean_name
from tribridge.web.core.puzzles import Solver
from tribridge.web.core.state import Place
from tribridge.web.errors import NotNowError, UnknownTableError
from tribridge.web.language import Text, mark, translated
from tribridge.web.pages.challenges import DeviceOf
from tribridge.web.pages.drawing import order_of, page
from tribridge.web.server.access import (
    Server,
    ServerOf,
    client_of,
    give_key,
    go_to_seat,
    key_of,
    pay_for_table,
)
from tribridge.web.server.operations import api_router, refusals
from tribridge.web.view.board import SPOTS, HandOrder, sorted_cards, trump_of
from tribridge.web.view.values import body, value

router = APIRouter(prefix="/puzzles", include_in_schema=False)
api = api_router("puzzles")

THEMES: Final = {
    Theme.LEAD: mark("Leads"),
    Theme.FINESSE: mark("Finesses"),
    Theme.HOLD_UP: mark("Hold-ups"),
    Theme.ENTRY: mark("Entries"),
    Theme.THROW_IN: mark("Throw-ins"),
    Theme.COUNTING: mark("Counting"),
    Theme.CASH_OUT: mark("Cashing out"),
    Theme.TRUMPS: mark("Trumps"),
    Theme.DISCARD: mark("Discards"),
    Theme.SIGNAL: mark("Signals"),
    Theme.PLAY: mark("Other cards"),
    Theme.OPENING: mark("Opening bids"),
    Theme.OVERCALL: mark("Overcalls"),
    Theme.DOUBLE: mark("Doubles"),
    Theme.PASS: mark("Passes"),
}


@dataclass(frozen=True, slots=True)
class Side:
    """A side of the table as the player to act sees it."""

    spot: str
    name: str
    declarer: bool
    cards: tuple[Card, ...]
    """Those face up."""
    playable: bool
    played: Card | None
    """Its card in the trick on the table."""


def _sides(seen: View, order: HandOrder) -> list[Side]:
    base, contract, trump = seen.seat, seen.contract, trump_of(seen.contract)
    assert base is not None
    sides = []
    for spot, seat in zip(SPOTS, (base, base.left, None, base.right), strict=True):
        chair = None
        if contract is not None:
            chairs = (Chair.DECLARER, Chair.LEFT, Chair.RIGHT)
            away = 0 if seat is None else (seat.index - contract.declarer.index) % 3
            chair = Chair.DUMMY if seat is None else chairs[away]
        held = seen.hand if seat is base else seen.dummy if seat is None else None
        fourth = mark("Hidden hand") if contract is None else mark("Dummy")
        at = 4 if chair is None or seen.leader is None else (chair - seen.leader) % 4
        sides.append(
            Side(
                spot=spot,
                name=translated(seat) if seat is not None else translated(Text(fourth)),
                declarer=contract is not None and contract.declarer is seat,
                cards=() if held is None else sorted_cards(held, trump, order),
                playable=chair is not None and seen.chair is chair,
                played=seen.trick[at] if at < len(seen.trick) else None,
            )
        )
    return sides


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout in which the choice matters, with what two answers come to in it."""

    example: Example
    hands: tuple[tuple[str, tuple[Card, ...]], ...]
    """Names and cards, of the hands that the player did not see."""


def _layouts(puzzle: Puzzle, seen: View) -> list[Layout]:
    shown = [*Seat, HIDDEN]
    hidden = [at for at in shown if at != seen.seat and (at != HIDDEN or seen.contract is None)]
    names = {at: translated(Seat(at)) if at != HIDDEN else _fourth() for at in hidden}
    return [
        Layout(
            one,
            tuple(
                (names[at], sorted_cards(one.hands[at], trump_of(seen.contract))) for at in hidden
            ),
        )
        for one in puzzle.examples
    ]


def _fourth() -> str:
    return translated(Text(mark("Hidden hand")))


def _found(name: str) -> Puzzle:
    try:
        return find(name)
    except TribridgeError:
        raise UnknownTableError("there is no such puzzle") from None


def _device(request: Request) -> str:
    key = key_of(request)
    return "" if key is None else device_of_key(key)


def _draw(
    request: Request, server: Server, puzzle: Puzzle, given: Answer | None, theme: Theme | None
) -> HTMLResponse:
    """A puzzle, with all that there is to say once there is an answer."""
    device, seen = _device(request), puzzle.view()
    solver: Solver = server.puzzles.solver(device)
    after: dict[str, Any] = {}
    if given is not None:
        after = {
            "answers": puzzle.answers,
            "sentences": [Text(one.text, **one.fields) for one in puzzle.sentences()],
            "layouts": _layouts(puzzle, seen),
            "best": puzzle.best.action,
            "tempting": puzzle.tempting,
            "kind": THEMES[puzzle.theme],
            "playable": not puzzle.source.book,
            "rated": server.puzzles.rating(puzzle),
        }
    return page(
        "puzzles.html",
        puzzle=puzzle.id,
        seen=seen,
        sides=_sides(seen, order_of(request)),
        offered=frozenset(puzzle.offered),
        question=puzzle.question,
        scoring=puzzle.laws or puzzle.scheme or "auction",
        doubles=puzzle.doubles,
        standing=None if puzzle.laws is None else puzzle.standing,
        daily=puzzle.id == server.puzzles.daily().id,
        solver=solver,
        theme=theme,
        themes=THEMES,
        given=given,
        first=server.puzzles.answered(device, puzzle),
        after=after,
    )


ThemeName = Annotated[str, Query(max_length=20)]


def _theme(name: str) -> Theme | None:
    return read_theme(name) if name else None


@router.get("")
async def puzzles(request: Request, server: ServerOf, theme: ThemeName = "") -> Response:
    """The next puzzle: today's, then those near the visitor's rating."""
    found = server.puzzles.next(_device(request), _theme(theme))
    if found is None:
        raise NotNowError("you have answered all puzzles of this kind")
    return RedirectResponse(_address(found, theme), 303)


def _address(puzzle: Puzzle, theme: str = "", answer: str = "") -> str:
    parts = [f"{k}={quote(v)}" for k, v in (("theme", theme), ("answer", answer)) if v]
    return f"/puzzles/{puzzle.id}{'?' if parts else ''}{'&'.join(parts)}"


@router.get("/daily")
async def today(server: ServerOf) -> Response:
    """Today's puzzle."""
    return RedirectResponse(_address(server.puzzles.daily()), 303)


@router.get("/again")
async def again(request: Request, server: ServerOf) -> Response:
    """The puzzle that was missed longest ago."""
    missed = server.puzzles.solver(_device(request)).missed
    if not missed:
        raise NotNowError("there is nothing to repeat: no puzzle is missed")
    return RedirectResponse(f"/puzzles/{missed[0]}?again=true", 303)


@router.get("/{name}")
async def show(
    request: Request,
    server: ServerOf,
    name: str,
    theme: ThemeName = "",
    answer: Annotated[str, Query(max_length=8)] = "",
    again: bool = False,
) -> HTMLResponse:
    """A puzzle; once the visitor has answered it, with the solution."""
    puzzle = _found(name)
    first = server.puzzles.answered(_device(request), puzzle)
    given = first
    if first is not None and answer:
        given = puzzle.answer(answer)
    elif again:
        given = None
    return _draw(request, server, puzzle, given, _theme(theme))


@router.post("/{name}")
async def answer(
    request: Request,
    server: ServerOf,
    name: str,
    action: Annotated[str, Form(max_length=8)],
    theme: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Answer a puzzle; the first answer of a browser counts."""
    puzzle, key = _found(name), key_of(request) or new_key()
    given = server.puzzles.answer(device_of_key(key), puzzle, action)
    where = _address(puzzle, theme, action_name(given.action))
    return give_key(request, RedirectResponse(where, 303), key)


@router.post("/{name}/play", dependencies=[Depends(pay_for_table)])
async def play_out(
    request: Request, server: ServerOf, name: str, action: Annotated[str, Form(max_length=8)]
) -> Response:
    """A table that goes on from a puzzle with an answer, against strong bots."""
    puzzle = _found(name)
    if server.puzzles.answered(_device(request), puzzle) is None or puzzle.source.book:
        raise NotNowError("a puzzle can be played out once you have answered it")
    table, source = puzzle.table(), puzzle.source
    seat = table.turn
    assert seat is not None
    strategy = levels()[-1].strategy
    places = [Place("", strategy) for _ in Seat]
    visitor = clean_name(unquote(request.cookies.get("name", "")), translated(seat))
    places[seat] = replace(places[seat], name=visitor, person=True)
    plan = MatchPlan(
        source.seed,
        source.number,
        deals=1,
        scheme=puzzle.scheme or "auction",
        doubles=puzzle.doubles,
        dealer=puzzle.dealer.index,
    )
    if puzzle.laws is not None:
        plan = replace(plan, laws=puzzle.laws, **puzzle.standing._asdict())
    actions = [action_name(one) for one in (*table.history, puzzle.answer(action).action)]
    opened = await server.rooms.open(plan, places, client_of(request), actions=actions)
    return go_to_seat(request, opened, server.rooms.token(opened, seat))


@value
class PuzzleView:
    """A puzzle before its answer."""

    puzzle: str
    question: str
    answers: tuple[str, ...]
    """What may be answered."""
    position: dict[str, Any]
    """What the player to act sees, as in `GET /api/tables/{table}`."""
    rating: float
    deviation: float
    answered: bool
    """Whether you have answered it; only the first answer counts."""


@value
class Solution:
    """What a puzzle says to an answer."""

    right: bool
    points_lost: float
    """How much worse than the best answer, in points."""
    theme: str
    explanation: str
    answers: list[Answer]
    """All answers, the best first."""
    rating: float
    """Yours, after your first answer to the puzzle."""
    deviation: float


@body
class GivenAnswer:
    """An answer to a puzzle."""

    action: str


def _seen(server: Server, puzzle: Puzzle, key: str | None) -> PuzzleView:
    rated: Rating = server.puzzles.rating(puzzle)
    device = "" if key is None else device_of_key(key)
    return PuzzleView(
        puzzle=puzzle.id,
        question=puzzle.question,
        answers=tuple(action_name(one) for one in puzzle.offered),
        position=view_fields(puzzle.view()),
        rating=rated.rating,
        deviation=rated.deviation,
        answered=server.puzzles.answered(device, puzzle) is not None,
    )


@api.get("/puzzles/daily", responses=refusals(400))
async def daily_puzzle(server: ServerOf, device: DeviceOf) -> PuzzleView:
    """Today's puzzle (the day begins at midnight UTC)."""
    return _seen(server, server.puzzles.daily(), device)


@api.get("/puzzles/{puzzle}", responses=refusals(400, 404))
async def show_puzzle(server: ServerOf, puzzle: str, device: DeviceOf) -> PuzzleView:
    """A puzzle by its name: the question, without the answer."""
    return _seen(server, _found(puzzle), device)


@api.post("/puzzles/{puzzle}", responses=refusals(400, 404))
async def answer_puzzle(
    server: ServerOf, puzzle: str, given: GivenAnswer, device: DeviceOf
) -> Solution:
    """Answer a puzzle. Without a device key nothing is kept."""
    found = _found(puzzle)
    if device is None:
        answer, own = found.answer(given.action), Rating()
    else:
        answer = server.puzzles.answer(device_of_key(device), found, given.action)
        own = server.puzzles.solver(device_of_key(device)).rating
    return Solution(
        right=answer.right,
        points_lost=answer.loss,
        theme=found.theme.value,
        explanation=found.explanation,
        answers=list(found.answers),
        rating=own.rating,
        deviation=own.deviation,
    )
