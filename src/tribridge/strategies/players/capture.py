"""The paper's view of the play: captures in the order of Algorithm 2, and what stops them.

At the start of the play, declarer runs Algorithm 2 on hand and dummy, and then takes tricks in the
order of its captures. The next card of the order is led from the hand that holds it, or its suit is
led towards it; the other hand plays its lowest card, as the algorithm removes it. If a condition
fails there is no order, and the highest cards come first.

A defender sees the zeros of that matrix from the other side: a defender's cards above dummy's are
the gaps that declarer must pay for. The defender keeps them, wins tricks when possible, and leads
the suit in which dummy has the widest leading gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from numpy.random import Generator

from tribridge.capture.algorithm import algorithm2
from tribridge.cards import Card, Deck, Hand, card_at
from tribridge.game.position import Position
from tribridge.game.tricks import beats
from tribridge.game.views import View
from tribridge.strategies.players.suits import above, low, top
from tribridge.strategies.protocol import Choice, position_of


@lru_cache(maxsize=64)
def capture_order(hand: Hand, dummy: Hand, deck: Deck) -> tuple[Card, ...]:
    """The captured cards in order, then the other cards of both hands, highest first."""
    order = tuple(dict.fromkeys(algorithm2(hand, dummy, deck).order))
    remaining = sorted(
        (card for card in hand | dummy if card not in order), key=lambda c: (c.column, c.row)
    )
    return (*order, *remaining)


@dataclass(frozen=True, slots=True)
class CapturePlayer:
    """Plays tricks the way the paper's algorithms count them."""

    name: ClassVar[str] = "capture"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = (
        "declares in the order of Algorithm 2's captures; defends by keeping cards that stop them"
    )

    def card(self, view: View, rng: Generator) -> Choice:
        position = position_of(view)
        if len(view.legal) == 1:
            return Choice(view.legal[0], f"{view.legal[0]} is the only legal card.")
        if not position.declaring:
            return Choice(*(_defend(position) if position.trick else _defending_lead(position)))
        assert view.dummy_dealt is not None
        order = capture_order(view.dealt, view.dummy_dealt, view.deck)
        return Choice(*(_take(position, order) if position.trick else _lead(position, order)))


def _lead(s: Position, order: tuple[Card, ...]) -> tuple[Card, str]:
    """The next capture, from the hand that holds it or towards it."""
    for card in order:
        if s.mine & card.bit:
            return card, f"{card} is Algorithm 2's next capture."
        row = s.row(s.mine, card.row)
        if s.friend & card.bit and row:
            small = card_at(card.row, low(row))
            return small, f"{small} is led towards {card}, Algorithm 2's next capture."
    raise AssertionError("a card of the hand is always in the order")


def _take(s: Position, order: tuple[Card, ...]) -> tuple[Card, str]:
    """Capture the trick with the first card of the order that can, else play the lowest card."""
    chair, best = s.best()
    small = _lowest(s, s.legal_mask())
    if chair == s.partner:
        return small, f"{best} already captures the trick: {small} is the lowest card."
    for card in order:
        if s.legal_mask() & card.bit and beats(card.index, best.index, s.trump):
            return card, f"{card} captures the trick."
    return small, f"No card here beats {best}: {small} is the lowest card."


def _defending_lead(s: Position) -> tuple[Card, str]:
    """The suit in which dummy's leading gap is widest."""
    suits = [suit for suit in range(4) if s.row(s.mine, suit)]
    suit = max(suits, key=lambda suit: _leading_gap(s.row(s.dummy, suit)))
    row = s.row(s.mine, suit)
    higher = above(s.row(s.unseen | s.dummy, suit), top(row))
    card = card_at(suit, low(row) if higher else top(row))
    return card, f"{card} attacks dummy's widest leading gap, in {card.suit.word}."


def _defend(s: Position) -> tuple[Card, str]:
    """Win cheaply behind declarer's card, else discard what stops least."""
    chair, best = s.best()
    legal = s.legal_mask()
    if chair != s.partner and len(s.trick) > 1:
        winning = [c for c in _cards(legal) if beats(c.index, best.index, s.trump)]
        if winning:
            card = max(winning, key=lambda c: (c.row != s.trump, c.column))
            return card, f"{card} beats {best} and stops the capture."
    card = min(_cards(legal), key=lambda c: (c.row == s.trump, _stops(s, c), -(c.column)))
    return card, f"{card} stops nothing; the cards above dummy's are kept."


def _stops(s: Position, card: Card) -> int:
    """How many of dummy's cards in its suit a card beats."""
    return (s.row(s.dummy, card.row) >> card.column).bit_count()


def _leading_gap(row: int) -> int:
    return top(row) if row else 13


def _lowest(s: Position, legal: int) -> Card:
    """The lowest card, trumps last."""
    return min(_cards(legal), key=lambda c: (c.row == s.trump, -(c.column)))


def _cards(mask: int) -> list[Card]:
    return list(Hand(mask))
