"""The algorithm step by step on a grid of cards; the URL holds the whole position."""

from __future__ import annotations

import secrets
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tribridge.capture import algorithm1, algorithm2
from tribridge.capture.wording import headline
from tribridge.cards import FULL_DECK, Card, Hand, card_at, hand_name, parse_cards
from tribridge.dealer import deal
from tribridge.deals import HIDDEN
from tribridge.errors import CardsError, FormatError, TribridgeError
from tribridge.formats import boards_of, is_board_text
from tribridge.web.pages.capture_frames import RANKS, frames
from tribridge.web.pages.drawing import page
from tribridge.web.server.access import is_part

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
        "cards_of": lambda suit: [card_at(suit, rank) for rank in range(size)],
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
