"""The algorithm step by step on a grid of cards, a frame for each; the URL holds the position."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.capture import Capture, Option, Result, Row, algorithm1, algorithm2, wording
from tribridge.capture.wording import headline
from tribridge.cards.cards import FULL_DECK, Card, Hand, hand_name, parse_cards
from tribridge.cards.dealer import deal
from tribridge.cards.deals import HIDDEN
from tribridge.cards.formats import boards_of, is_board_text
from tribridge.club.language import gettext, translated
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf
from tribridge.club.view.board import cell_words
from tribridge.common.errors import CardsError, FormatError, TribridgeError
from tribridge.common.sentences import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A run of the algorithm after some captures, as one step shows it."""

    result: Result
    captures: int = 0
    title: str
    text: str
    options: tuple[Option, ...] = ()
    failing: tuple[Row, ...] = ()
    """Rows that break a condition."""
    final: bool = False

    @property
    def done(self) -> tuple[Capture, ...]:
        return self.result.trace[: self.captures]

    @property
    def last(self) -> Capture | None:
        """The capture of this step."""
        return self.done[-1] if self.done and not self.final else None

    @property
    def budget(self) -> int:
        """The global budget Z."""
        result = self.result
        return self.done[-1].budget_after if self.done else result.budget - result.total_gap

    @property
    def check(self) -> int:
        return self.captures + self.result.budget - self.budget

    def row_budget(self, row: Row) -> int:
        """Zeros of a row that are still to be paid for."""
        paid = [step.row_budget_after for step in self.done if step.suit is row.suit]
        return paid[-1] if paid else row.c0

    def option(self, row: Row) -> Option | None:
        return next((option for option in self.options if option.suit is row.suit), None)

    def number(self, card: Card) -> int | None:
        """The place of a card in the order of captures so far."""
        return next((at for at, step in enumerate(self.done, 1) if step.card == card), None)

    def removed(self, card: Card) -> bool:
        return any(step.removed == card for step in self.done)

    def words(self, card: Card) -> str:
        """A card, whose it is and what became of it, for screen readers."""
        parts = [cell_words(card, self.result.initial.holder(card))]
        if number := self.number(card):
            parts.append(gettext("captured, number {number}").format(number=number))
        if self.removed(card):
            parts.append(gettext("removed"))
        return ", ".join(parts)


def frames(result: Result) -> list[Frame]:
    """All steps of a run: the matrix, the conditions, each capture, the end."""
    frame, stop = partial(Frame, result=result), result.stop
    both = gettext("1 is the hand, 2 the dummy, blank neither.")
    alone = gettext("1 is the hand, blank the other three.")
    shown = [
        frame(title=gettext("Step 1: the state matrix"), text=both if result.dummy else alone),
        frame(
            title=gettext("Steps 2 and 3: the gaps and the conditions"),
            text=_conditions(result),
            failing=result.failing_rows,
            final=stop is None,
        ),
    ]
    steps = gettext("Step 5: a free capture in each suit"), gettext("Step 6: smallest gap")
    for number, step in enumerate(result.trace, 1):
        title = steps[number > len(result.rows)]
        what = words("capture {number}: {what}", number=number, what=wording.captured(step))
        text = _sentences(what)
        shown.append(frame(captures=number, title=title, text=text, options=step.options))
    if stop is not None:
        text = _sentences(wording.stopped(result, stop), wording.totals(result))
        title, captures = gettext("Step 7: the verdict"), len(result.trace)
        shown.append(
            frame(captures=captures, title=title, text=text, options=stop.options, final=True)
        )
    return shown


def _conditions(result: Result) -> str:
    parts = [
        words("condition {name}: {verdict}", name=name, verdict=verdict)
        for name, verdict in wording.conditions(result).items()
    ]
    if result.stop is None:
        parts.append(words("no capture is predicted"))
    return _sentences(wording.total_gap(result), *parts)


def _sentences(*parts: str) -> str:
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in map(translated, parts))


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
    clicked, size = Hand(card.bit), FULL_DECK.hand_size
    if card in dummy:
        return hand, dummy - clicked
    if card not in hand and len(hand) < size:
        return hand | clicked, dummy
    return hand - clicked, dummy | clicked if len(dummy) < size else dummy


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


def _run(hand: Hand, dummy: Hand) -> Result | None:
    """The algorithm that the cards are complete for; None if there is none."""
    size = FULL_DECK.hand_size
    if len(hand) == size == len(dummy):
        return algorithm2(hand, dummy)
    return algorithm1(hand) if len(hand) == size and not dummy.mask else None


@router.get("/algorithm")
async def algorithm_page(
    here: AskedOf, hand: Text = "", dummy: Text = "", step: Annotated[int, Query(ge=0)] = 0
) -> HTMLResponse:
    """The page, or the part of it that changes."""
    error = None
    try:
        own, other = _read(hand, dummy)
        typed = tuple(str(cards) if cards.mask else "" for cards in (own, other))
    except (CardsError, FormatError) as problem:
        own, other, error, typed = Hand(), Hand(), str(problem), (hand, dummy)
    result = _run(own, other)
    steps = frames(result) if result is not None else []
    step = max(0, min(step, len(steps) - 1))
    return page(
        "algorithm_board.html" if here.for_part else "algorithm.html",
        hand=own,
        dummy=other,
        steps=len(steps),
        step=step,
        frame=steps[step] if steps else None,
        headline=headline(result) if result is not None else None,
        link=lambda card: address(*toggled(own, other, card)),
        at=lambda number: address(own, other, number),
        error=error,
        typed=typed,
    )


@router.get("/algorithm/deal")
async def algorithm_deal(hand: Text = "", alone: bool = False) -> Response:
    """A hand and a dummy dealt at random, or a dummy for the hand that is there."""
    dealt = deal(secrets.randbits(40), 0)
    own, other = dealt.hands[0], dealt.hidden
    with suppress(TribridgeError):
        if hand.strip():
            own, _ = _read(hand, "")
            rest = [card for h in dealt.hands for card in h if card not in own]
            other = Hand(secrets.SystemRandom().sample(rest, FULL_DECK.hand_size))
    return RedirectResponse(address(own, Hand() if alone else other), 303)
