"""Chairs, tricks and who wins them.

Four chairs sit around the table in playing order: 0 the declarer, 1 the left defender, 2 the
dummy, 3 the right defender. The left defender leads to the first trick. Follow suit if you can;
the highest trump wins, or without trumps the highest card of the suit led; the winner leads next.
Declarer plays both their own cards and the dummy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tribridge.cards.cards import Card, Suit
from tribridge.cards.deals import Deal, Seat
from tribridge.common.codec import text_form
from tribridge.common.errors import unchanging


@text_form(lambda text: Chair[text.upper()], lambda chair: chair.name.lower())
class Chair(IntEnum):
    """A hand at the table, seen from the declarer."""

    DECLARER = 0
    LEFT = 1
    DUMMY = 2
    RIGHT = 3

    def player(self, declarer: Seat) -> Seat:
        """Who plays the cards of this chair."""
        return _PLAYERS[declarer.index][self]

    def __repr__(self) -> str:
        return f"Chair.{self.name}"

    @property
    def declaring(self) -> bool:
        """Whether the chair is on the declarer's side."""
        return self in (Chair.DECLARER, Chair.DUMMY)


CHAIRS: Final = tuple(Chair)
Hands = tuple[int, int, int, int]
"""One mask for each chair, in their order."""
_PLAYERS: Final = tuple((seat, seat.left, seat, seat.right) for seat in Seat)


def chair_of(seat: Seat, declarer: Seat) -> Chair:
    """A player's own chair in the play, not the dummy's."""
    return (Chair.DECLARER, Chair.LEFT, Chair.RIGHT)[seat.index - declarer.index]


@unchanging
@dataclass(frozen=True, slots=True)
class Trick:
    """Four cards in the order played, from the leader's chair, and the chair that won."""

    leader: Chair
    cards: tuple[Card, ...]
    winner: Chair


def winner(leader: Chair, cards: Sequence[Card], trump: Suit | None) -> Chair:
    """The chair that wins a trick, or is winning it so far: the rule in its plain form.

    Examples:
        >>> trick = [Card(text) for text in ("HK", "HA", "C2", "SA")]
        >>> winner(Chair.LEFT, trick, Suit.CLUBS).name, winner(Chair.LEFT, trick, None).name
        ('RIGHT', 'DUMMY')
    """
    best = 0
    for at in range(1, len(cards)):
        card, top = cards[at], cards[best]
        if card.suit is top.suit:
            if card.rank > top.rank:
                best = at
        elif card.suit is trump:
            best = at
    return CHAIRS[(leader + best) % 4]


def beats(card: int, best: int, trump: int) -> bool:
    """Whether a card beats the best one of a trick so far; fast, and compilable.

    `trump` is the number of a suit, or any other number where there are no trumps.
    """
    if card // 13 == best // 13:
        return card < best
    return card // 13 == trump


def winning_place(cards: Sequence[Card], trump: int) -> int:
    """The index of the winning card of a trick, complete or not; a fast `winner`.

    Examples:
        >>> winning_place([Card(text) for text in ("HK", "HA", "C2", "SA")], Suit.CLUBS.index)
        2
    """
    place, best = 0, cards[0]
    suit, column = best.row, best.column
    for at in range(1, len(cards)):
        card = cards[at]
        if card.row == suit:
            if card.column < column:
                place, column = at, card.column
        elif card.row == trump:
            place, suit, column = at, trump, card.column
    return place


def chair_hands(deal: Deal, declarer: Seat) -> Hands:
    """The four hands as masks in the order of the chairs."""
    hands = deal.hands
    return (
        hands[declarer].mask,
        hands[declarer.left].mask,
        deal.hidden.mask,
        hands[declarer.right].mask,
    )
