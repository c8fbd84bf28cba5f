"""The algorithm step by step on a grid of cards, a frame for each; the URL holds the position."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.capture import Option, Result, Row, algorithm1, algorithm2, wording
from tribridge.capture.wording import headline
from tribridge.cards import FULL_DECK, Card, Hand, Rank, card_at, hand_name, parse_cards
from tribridge.dealer import deal
from tribridge.deals import HIDDEN
from tribridge.errors import CardsError, FormatError, TribridgeError
from tribridge.formats import boards_of, is_board_text
from tribridge.web.language import gettext
from tribridge.web.pages.drawing import page
from tribridge.web.server.access import is_part
from tribridge.web.view.board import cell_words


@dataclass(frozen=True, slots=True)
class Cell:
    """One card of the matrix in a frame."""

    card: Card
    holder: int
    number: int | None
    """Its place in the order of captures."""
    removed: bool
    now: bool
    """Captured or removed in this step."""

    @property
    def words(self) -> str:
        """The cell in words, for screen readers."""
        parts = [cell_words(self.card, self.holder)]
        if self.number is not None:
            parts.append(gettext("captured, number {number}").format(number=self.number))
        if self.removed:
            parts.append(gettext("removed"))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """One suit in a frame: its cells and its quantities."""

    row: Row
    cells: tuple[Cell, ...]
    budget: int
    """Zeros that are still to be paid for."""
    option: Option | None
    chosen: bool
    failing: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The algorithm at one step."""

    title: str
    text: str
    rows: tuple[FrameRow, ...]
    budget: int
    """The global budget Z."""
    captures: int
    check: int
    final: bool


def frames(result: Result) -> list[Frame]:
    """All steps of a run: the matrix, the conditions, each capture, the end."""
    first = len(result.rows)
    start = result.budget - result.total_gap
    pictures = [
        _frame(
            result,
            0,
            "Step 1: the state matrix",
            "1 is the hand, 2 the dummy, blank neither."
            if result.dummy
            else "1 is the hand, blank the other three.",
            start,
            (),
        ),
        _frame(
            result,
            0,
            "Steps 2 and 3: the gaps and the conditions",
            _conditions(result),
            start,
            (),
            final=result.stop is None,
            failing=True,
        ),
    ]
    for number, step in enumerate(result.trace, 1):
        head = "Step 5: a free capture in each suit" if number <= first else "Step 6: smallest gap"
        text = f"Capture {number}: {wording.captured(step)}."
        pictures.append(_frame(result, number, head, text, step.budget_after, step.options))
    if result.stop is not None:
        text = _sentences(wording.stopped(result, result.stop), wording.totals(result))
        pictures.append(
            _frame(
                result,
                len(result.trace),
                "Step 7: the verdict",
                text,
                result.stop.budget,
                result.stop.options,
                final=True,
            )
        )
    return pictures


def _conditions(result: Result) -> str:
    parts = [f"Condition {name}: {words}" for name, words in wording.conditions(result).items()]
    if result.stop is None:
        parts.append("No capture is predicted")
    return _sentences(wording.total_gap(result), *parts)


def _sentences(*parts: str) -> str:
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def _frame(
    result: Result,
    done: int,
    title: str,
    text: str,
    budget: int,
    options: tuple[Option, ...],
    *,
    final: bool = False,
    failing: bool = False,
) -> Frame:
    trace = result.trace[:done]
    last = trace[-1] if trace and not final else None
    now = () if last is None else (last.card, last.removed)
    numbers = {step.card: at for at, step in enumerate(trace, 1)}
    removed = {step.removed for step in trace}
    budgets = {row.suit: row.c0 for row in result.rows}
    for step in trace:
        budgets[step.suit] = step.row_budget_after
    by_suit = {option.suit: option for option in options}
    bad = {row.suit for row in result.failing_rows} if failing else set()
    rows = tuple(
        FrameRow(
            row=row,
            cells=tuple(
                Cell(card, holder, numbers.get(card), card in removed, card in now)
                for rank, holder in enumerate(cells)
                for card in [card_at(row.suit.index, rank)]
            ),
            budget=budgets[row.suit],
            option=by_suit.get(row.suit),
            chosen=last is not None and last.suit is row.suit,
            failing=row.suit in bad,
        )
        for row, cells in zip(result.rows, result.initial.rows, strict=True)
    )
    spent = result.budget - budget
    return Frame(
        title=title,
        text=text,
        rows=rows,
        budget=budget,
        captures=done,
        check=done + spent,
        final=final,
    )


RANKS = tuple(rank.letter for rank in Rank)


router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=600)]


def address(hand: Hand, dummy: Hand, step: int = 0) -> str:
    """The URL of a position."""
    fields: dict[str, str] = {}
    if hand.mask:
        fields["hand"] = hand_name(hand)
    if dummy.mask:
        fields["dummy"] = hand_name(dummy)
    if step:
        fields["step"] = str(step)
    return "/algorithm" + (f"?{urlencode(fields)}" if fields else "")


def toggled(hand: Hand, dummy: Hand, card: Card) -> tuple[Hand, Hand]:
    """Hand and dummy after a click on a card: nobody's, the hand's, the dummy's, nobody's."""
    one = Hand(card.bit)
    size = FULL_DECK.hand_size
    if card in hand:
        return hand - one, dummy | one if len(dummy) < size else dummy
    if card in dummy:
        return hand, dummy - one
    if len(hand) < size:
        return hand | one, dummy
    return hand, dummy | one if len(dummy) < size else dummy


def _read(hand: str, dummy: str) -> tuple[Hand, Hand]:
    """Hand and dummy from text: any number of cards, or a whole deal in place of the hand."""
    if is_board_text(hand, files=False):
        boards = boards_of(hand)
        chosen = boards[0].deal
        return chosen.hands[0], chosen.hands[HIDDEN]
    own = parse_cards(hand) if hand.strip() else Hand()
    other = parse_cards(dummy, name="the dummy") if dummy.strip() else Hand()
    common = own & other
    if common:
        raise CardsError(f"{next(iter(common))} is in both the hand and the dummy")
    for cards, name in ((own, "the hand"), (other, "the dummy")):
        if len(cards) > FULL_DECK.hand_size:
            raise CardsError(f"{name} has {len(cards)} cards: at most {FULL_DECK.hand_size}")
    return own, other


def _context(hand: Hand, dummy: Hand, step: int) -> dict[str, Any]:
    size = FULL_DECK.hand_size
    result = None
    if len(hand) == size and len(dummy) == size:
        result = algorithm2(hand, dummy)
    elif len(hand) == size and not dummy.mask:
        result = algorithm1(hand)
    steps = frames(result) if result is not None else []
    step = max(0, min(step, len(steps) - 1))
    links = {
        card: address(*toggled(hand, dummy, card))
        for card in (card_at(suit, rank) for suit in range(4) for rank in range(size))
    }
    return {
        "hand": hand,
        "dummy": dummy,
        "result": result,
        "frames": steps,
        "step": step,
        "frame": steps[step] if steps else None,
        "ranks": RANKS,
        "links": links,
        "headline": headline(result) if result is not None else None,
        "at": lambda n: address(hand, dummy, n),
        "here": address(hand, dummy, step),
        "cards_of": lambda suit: [card_at(suit.index, rank) for rank in range(size)],
    }


@router.get("/algorithm")
async def algorithm_page(
    request: Request, hand: Text = "", dummy: Text = "", step: Annotated[int, Query(ge=0)] = 0
) -> HTMLResponse:
    """The page, or the part of it that changes."""
    error = None
    try:
        own, other = _read(hand, dummy)
    except (CardsError, FormatError) as problem:
        own, other, error = Hand(), Hand(), str(problem)
    context = _context(own, other, step) | {
        "error": error,
        "typed": (hand, dummy)
        if error
        else (str(own) if own.mask else "", str(other) if other.mask else ""),
    }
    return page("algorithm_board.html" if is_part(request) else "algorithm.html", **context)


@router.get("/algorithm/deal")
async def algorithm_deal(hand: Text = "", alone: bool = False) -> Response:
    """A hand and a dummy dealt at random, or a dummy for the hand that is there."""
    number = secrets.randbits(40)
    dealt = deal(number, 0)
    own, other = dealt.hands[0], dealt.hidden
    if hand.strip():
        try:
            own, _ = _read(hand, "")
        except TribridgeError:
            own = dealt.hands[0]
        rest = [card for h in dealt.hands for card in h if card not in own]
        other = Hand(sorted(rest, key=lambda _: secrets.randbits(32))[:13])
    return RedirectResponse(address(own, Hand() if alone else other), 303)
