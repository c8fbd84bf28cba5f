"""Puzzles: a position, the answer, what it loses and why; and the position played out.

Before the answer, pages and API are made from the view of the player to act and the answers that
are offered, and from nothing else: not the hidden cards, the theme or the values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.core.bots import levels
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.workers import FailedError
from tribridge.club.errors import NotNowError, TooManyError, UnknownTableError
from tribridge.club.language import mark, translated
from tribridge.club.pages.lobby import play_from
from tribridge.club.pages.templates import page
from tribridge.club.puzzles import Answer, Puzzle, Rating, Theme, find, offered, read_theme
from tribridge.club.server.access import Asked, AskedOf, KeyedOf, give_key, pay_for_table
from tribridge.club.server.operations import api_router, refusals
from tribridge.club.view import board
from tribridge.club.view.values import filled, sent, value
from tribridge.common.errors import TribridgeError
from tribridge.game import View
from tribridge.game.view_json import action_name, view_fields
from tribridge.reviews.lines import PlayedLine, difference, play_line

router = APIRouter(prefix="/puzzles", include_in_schema=False)
api = api_router("puzzles")

_SECONDS: Final = 20.0
"""For a line."""
THEMES: Final = {
    Theme.LEAD: mark("Leads"),
    Theme.FINESSE: mark("Finesses"),
    Theme.DROP: mark("Playing for the drop"),
    Theme.HOLD_UP: mark("Hold-ups"),
    Theme.TAKE: mark("Taking the trick"),
    Theme.DUCK: mark("Ducks"),
    Theme.ENTRY: mark("Entries"),
    Theme.UNBLOCK: mark("Unblocking"),
    Theme.THROW_IN: mark("Throw-ins"),
    Theme.COUNTING: mark("Counting"),
    Theme.CASH_OUT: mark("Cashing out"),
    Theme.DRAW_TRUMPS: mark("Drawing trumps"),
    Theme.RUFF: mark("Ruffs"),
    Theme.DISCARD: mark("Discards"),
    Theme.SIGNAL: mark("Signals"),
    Theme.PLAY: mark("Other cards"),
    Theme.OPENING: mark("Opening bids"),
    Theme.OVERCALL: mark("Overcalls"),
    Theme.DOUBLE: mark("Doubles"),
    Theme.PASS: mark("Passes"),
}


def _seats() -> list[str]:
    """What the players are called in a puzzle."""
    return [translated(seat) for seat in Seat]


def sides_of(
    seen: View, order: board.HandOrder, names: Sequence[str] = ()
) -> list[tuple[board.Side, Card | None, int]]:
    """The sides of the table as the player to act sees them, with their cards in the trick.

    The last value says which card of it is theirs, from 1. Without names they have those of seats.
    """
    contract, names, sides = seen.contract, names or _seats(), []
    for spot, seat in board.around(seen.seat or Seat.SOUTH):
        chair = board.chair_of(seat, contract)
        held, dealt = (seen.hand, seen.dealt) if seat is seen.seat else (None, None)
        if seat is None:
            held, dealt = seen.dummy, seen.dummy_dealt
        cards = board.sorted_cards(held or (), board.trump_of(contract), order, dealt)
        turn = chair is not None and seen.chair is chair
        side = board.side_of(spot, seat, chair, names, cards=cards, turn=turn)
        played = board.card_of(chair, seen.leader, seen.trick)
        sides.append((side, played, board.order_of(chair, seen.leader)))
    return sides


def _found(name: str) -> Puzzle:
    try:
        return find(name)
    except TribridgeError:
        raise UnknownTableError("there is no such puzzle") from None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which puzzles a visitor goes through: all, those of a theme, those of experts' boards."""

    theme: Theme | None = None
    experts: bool = False

    def query(self, **more: str) -> str:
        """The same in an address."""
        named = {"theme": self.theme.value if self.theme else ""}
        named |= {"experts": "true" if self.experts else ""} | more
        query = urlencode({key: value for key, value in named.items() if value})
        return f"?{query}" if query else ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """The step of a line that is on the board: 0 before its first card, then trick by trick."""

    line: str
    """`best`, or `other` for the one that fails."""
    step: int


def _stepped(
    seen: View, played: PlayedLine, step: int, order: board.HandOrder
) -> list[tuple[board.Side, Card | None, int]]:
    """The sides of the table after a trick of a line, as in `sides_of`, all hands open."""
    contract, names, sides = seen.contract, _seats(), []
    now = played.shown[step - 1].after if step else played.start
    leader, cards = now.leader, now.trick
    if step:
        leader, cards = played.shown[step - 1].leader, played.shown[step - 1].cards
    for spot, seat in board.around(seen.seat or Seat.SOUTH):
        chair = board.chair_of(seat, contract)
        assert chair is not None
        held = seen.dealt if seat is seen.seat else seen.dummy_dealt if seat is None else None
        dealt = held or Hand(played.start.hands[chair])
        hand = board.sorted_cards(Hand(now.hands[chair]), board.trump_of(contract), order, dealt)
        side = board.side_of(spot, seat, chair, names, cards=hand)
        sides.append((side, board.card_of(chair, leader, cards), board.order_of(chair, leader)))
    return sides


async def _lines(here: Asked, puzzle: Puzzle, given: Answer) -> tuple[PlayedLine, ...] | None:
    """The best answer played out and, beside it, the one that was given, if it loses something.

    Else it is the tempting one, which the puzzle has. None if that could not be found out now.
    """
    lines = puzzle.lines()
    if lines is None:
        return ()
    best = lines[0]
    if given.right or not isinstance(given.action, Card) or given.action == puzzle.tempting:
        return lines
    asked, start = here.server.rooms.workers.ask, best.start
    try:
        cards = await asked(here.client, puzzle.id, _SECONDS, play_line, start, given.action)
    except (FailedError, TooManyError):
        return None
    own = PlayedLine(start, cards)
    lost = (best.end.won - own.end.won) * (1 if start.declaring else -1)
    if lost <= 0:
        return lines
    decides = best.made != own.made
    return replace(best, decides=decides), replace(own, decides=decides)


async def _draw(
    here: Asked,
    puzzle: Puzzle,
    given: Answer | None,
    wanted: _Wanted,
    shown: _Shown | None = None,
) -> HTMLResponse:
    """A puzzle, with all that there is to say once there is an answer."""
    asked, seen = here.server.puzzles, puzzle.view()
    after: dict[str, Any] = {}
    lines, sides = {}, sides_of(seen, here.order)
    if given is not None:
        hidden = {int(seat): translated(seat) for seat in Seat if seat is not seen.seat}
        if seen.contract is None:
            hidden[HIDDEN] = board.fourth_hand(None)
        after = {
            "puzzle": puzzle,
            "idea": puzzle.idea(given),
            "figures": puzzle.figures(given),
            "hidden": hidden,
            "kind": THEMES[puzzle.theme],
            "rated": await asked.rating(puzzle),
            "layout": puzzle.layout,
            "difference": None,
            "address": _address(puzzle, wanted, action_name(given.action)),
        }
        played = await _lines(here, puzzle, given)
        after["late"] = played is None
        lines = dict(zip(("best", "other"), played or (), strict=False))
        if lines:
            after["difference"] = difference(lines["best"], lines["other"])
            after["elsewhere"] = puzzle.elsewhere(lines["best"], lines["other"])
        if shown is not None and shown.line in lines:
            shown = replace(shown, step=min(shown.step, len(lines[shown.line].shown)))
            sides = _stepped(seen, lines[shown.line], shown.step, here.order)
    return page(
        "puzzles.html",
        puzzle=puzzle.id,
        seen=seen,
        sides=sides,
        names=_seats(),
        lines=lines,
        shown=shown if lines else None,
        offered=frozenset(puzzle.offered),
        question=puzzle.question,
        judged=puzzle.judged,
        scoring=puzzle.laws or puzzle.scheme or "auction",
        standing=None if puzzle.laws is None else puzzle.standing,
        daily=puzzle.id == asked.daily().id,
        solver=await asked.solver(here.device),
        theme=wanted.theme,
        experts=wanted.experts,
        next=f"/puzzles{wanted.query()}",
        themes=THEMES,
        counts=await _counts(here),
        given=given,
        first=await asked.answered(here.device, puzzle),
        after=after,
    )


async def _counts(here: Asked) -> dict[str, tuple[int, int]]:
    """How many puzzles of each kind the visitor has not answered, and how many there are.

    By the name of a theme; those of experts' boards are `experts`, and all are "".
    """
    left, every = map(_counted, (await here.server.puzzles.left(here.device), offered()))
    return {kind: (left[kind], every[kind]) for kind in every}


def _counted(puzzles: Sequence[Puzzle]) -> Counter[str]:
    counts = Counter(puzzle.theme.value for puzzle in puzzles)
    counts["experts"] = sum(puzzle.experts is not None for puzzle in puzzles)
    counts[""] = len(puzzles)
    return counts


async def _theme(theme: Annotated[str, Query(max_length=20)] = "") -> Theme | None:
    return read_theme(theme) if theme else None


async def _wanted(
    theme: Annotated[Theme | None, Depends(_theme)], experts: bool = False
) -> _Wanted:
    return _Wanted(theme, experts)


WantedOf = Annotated[_Wanted, Depends(_wanted)]


@router.get("")
async def puzzles(here: AskedOf, wanted: WantedOf) -> Response:
    """The next puzzle: today's, then those near the visitor's rating."""
    following = await here.server.puzzles.next(here.device, wanted.theme, experts=wanted.experts)
    if following is None:
        return await _used_up(here, wanted)
    return RedirectResponse(_address(following, wanted), 303)


async def _used_up(here: Asked, wanted: _Wanted) -> HTMLResponse:
    """The page of a kind of which no puzzle is left: how many it had, and what else there is."""
    counts = await _counts(here)
    kind = "experts" if wanted.experts else wanted.theme.value if wanted.theme else ""
    return page(
        "puzzles_used_up.html",
        number=counts.get(kind, (0, 0))[1],
        solver=await here.server.puzzles.solver(here.device),
        theme=wanted.theme,
        experts=wanted.experts,
        themes=THEMES,
        counts=counts,
        daily=False,
    )


def _address(puzzle: Puzzle, wanted: _Wanted, answer: str = "") -> str:
    return f"/puzzles/{puzzle.id}{wanted.query(answer=answer)}"


@router.get("/daily")
async def today(here: AskedOf) -> Response:
    """Today's puzzle."""
    return RedirectResponse(_address(here.server.puzzles.daily(), _Wanted()), 303)


@router.get("/again")
async def again(here: AskedOf) -> Response:
    """The puzzle that was missed longest ago."""
    missed = (await here.server.puzzles.solver(here.device)).missed
    if not missed:
        raise NotNowError("there is nothing to repeat: no puzzle is missed")
    return RedirectResponse(f"/puzzles/{missed[0]}?again=true", 303)


@router.get("/{name}")
async def show(
    here: AskedOf,
    name: str,
    wanted: WantedOf,
    answer: Annotated[str, Query(max_length=8)] = "",
    again: bool = False,
    line: Literal["", "best", "other"] = "",
    step: Annotated[int, Query(ge=0, le=13)] = 0,
) -> HTMLResponse:
    """A puzzle; once the visitor has answered it, with the solution, and a step of a line."""
    puzzle = _found(name)
    given = await here.server.puzzles.answered(here.device, puzzle)
    if given is not None and answer:
        given = puzzle.answer(answer)
    elif again:
        given = None
    return await _draw(here, puzzle, given, wanted, _Shown(line, step) if line else None)


@router.post("/{name}")
async def answer(
    here: AskedOf,
    name: str,
    action: Annotated[str, Form(max_length=8)],
    theme: Annotated[str, Form(max_length=20)] = "",
    experts: Annotated[bool, Form()] = False,
) -> Response:
    """Answer a puzzle; the first answer of a browser counts."""
    puzzle, key = _found(name), here.key or new_key()
    given = await here.server.puzzles.answer(device_of_key(key), puzzle, action)
    wanted = _Wanted(await _theme(theme), experts)
    where = _address(puzzle, wanted, action_name(given.action))
    return give_key(RedirectResponse(where, 303), key)


@router.post("/{name}/play", dependencies=[Depends(pay_for_table)])
async def play_out(
    here: AskedOf, name: str, action: Annotated[str, Form(max_length=8)]
) -> Response:
    """A table that goes on from a puzzle with an answer, against strong bots."""
    puzzle = _found(name)
    if await here.server.puzzles.answered(here.device, puzzle) is None:
        raise NotNowError("a puzzle can be played out once you have answered it")
    if not puzzle.source.seats:  # a table has the dealer's deals
        raise NotNowError("only puzzles from games of the bots can be played out")
    source, record = puzzle.source, puzzle.record()
    actions = (*record.actions, puzzle.answer(action).action)
    start = replace(record, seed=source.seed, number=source.number, actions=actions)
    seat, strategies = puzzle.view().seat, [levels()[-1].strategy] * 3
    assert seat is not None
    return await play_from(here, start, seat, strategies)


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
    theme: Theme
    explanation: str
    lines: tuple[tuple[str, ...], ...]
    """The best card and a tempting one played out, a sentence a trick; of calls, nothing."""
    answers: tuple[Answer, ...]
    """All answers, the best first."""
    rating: float
    """Yours, after your first answer to the puzzle."""
    deviation: float


@sent
class GivenAnswer:
    """An answer to a puzzle."""

    action: str


async def _seen(here: Asked, puzzle: Puzzle) -> PuzzleView:
    return filled(
        PuzzleView,
        await here.server.puzzles.rating(puzzle),
        puzzle=puzzle.id,
        question=puzzle.question,
        answers=tuple(action_name(action) for action in puzzle.offered),
        position=view_fields(puzzle.view()),
        answered=await here.server.puzzles.answered(here.device, puzzle) is not None,
    )


@api.get("/puzzles/daily", responses=refusals(400))
async def daily_puzzle(here: KeyedOf) -> PuzzleView:
    """Today's puzzle (the day begins at midnight UTC)."""
    return await _seen(here, here.server.puzzles.daily())


@api.get("/puzzles/{puzzle}", responses=refusals(400, 404))
async def show_puzzle(here: KeyedOf, puzzle: str) -> PuzzleView:
    """A puzzle by its name: the question, without the answer."""
    return await _seen(here, _found(puzzle))


@api.post("/puzzles/{puzzle}", responses=refusals(400, 404))
async def answer_puzzle(here: KeyedOf, puzzle: str, given: GivenAnswer) -> Solution:
    """Answer a puzzle. Without a device key nothing is kept."""
    asked, own = _found(puzzle), Rating()
    answer = asked.answer(given.action)
    if here.device:
        await here.server.puzzles.answer(here.device, asked, given.action)
        own = (await here.server.puzzles.solver(here.device)).rating
    lines = tuple(tuple(map(str, line.sentences())) for line in asked.lines() or ())
    explanation = " ".join(map(str, asked.sentences(answer)))
    return filled(
        Solution, answer, own, asked,
        points_lost=answer.loss, explanation=explanation, lines=lines,
    )  # fmt: skip
