"""Players without rules of thumb or search: any card, double dummy, and the paper's captures.

At the start of the play, the declarer of the paper runs Algorithm 2 on hand and dummy, and then
takes tricks in the order of its captures. The next card of the order is led from the hand that
holds it, or its suit is led towards it; the other hand plays its lowest card, as the algorithm
removes it. If a condition fails there is no order, and the highest cards come first.

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
from tribridge.cards.cards import Card, Deck, Hand, card_at
from tribridge.common.errors import quantity
from tribridge.common.sentences import words
from tribridge.game.position import Position
from tribridge.game.table import Table
from tribridge.game.tricks import beats
from tribridge.game.views import View, view
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.players.suits import above, low, top
from tribridge.strategies.protocol import Choice, StrategyError, position_of


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Any legal card."""

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "plays a legal card at random, all equally likely"

    def card(self, view: View, rng: Generator) -> Choice:
        legal = view.legal
        if len(legal) == 1:
            return Choice(legal[0], words("{card} is the only legal card.", card=legal[0]))
        card = legal[int(rng.integers(len(legal)))]
        chosen = "Chose {card} at random from {number} cards."
        return Choice(card, words(chosen, card=card, number=len(legal)))


@dataclass(frozen=True, slots=True)
class OraclePlayer:
    """Plays with all cards visible; ties are broken by the maxims."""

    name: ClassVar[str] = "oracle"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "sees all hands and plays double dummy; unfair, for measuring only"

    def open_card(self, table: Table, rng: Generator) -> Choice:
        play = table.position
        if play is None or play.over:
            raise StrategyError("the oracle was asked for a card when none is due")
        legal = play.legal
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        values = solver_of(table.deal.deck).cards(play)
        best = (max if play.chair.declaring else min)(values.values())
        sense, _ = maxim(position_of(view(table, table.turn)))
        card = (
            sense
            if values[sense] == best
            else max((card for card in legal if values[card] == best), key=lambda card: card.column)
        )
        return Choice(card, f"Double dummy, {card} gives declarer {quantity(best, 'trick')}.")


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
        winning = [c for c in Hand(legal) if beats(c.index, best.index, s.trump)]
        if winning:
            card = max(winning, key=lambda c: (c.row != s.trump, c.column))
            return card, f"{card} beats {best} and stops the capture."
    card = min(Hand(legal), key=lambda c: (c.row == s.trump, _stops(s, c), -c.column))
    return card, f"{card} stops nothing; the cards above dummy's are kept."


def _stops(s: Position, card: Card) -> int:
    """How many of dummy's cards in its suit a card beats."""
    return (s.row(s.dummy, card.row) >> card.column).bit_count()


def _leading_gap(row: int) -> int:
    return top(row) if row else 13


def _lowest(s: Position, legal: int) -> Card:
    """The lowest card, trumps last."""
    return min(Hand(legal), key=lambda c: (c.row == s.trump, -c.column))
