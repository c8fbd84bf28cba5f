"""What a player sees in a hand: points, long suits, stoppers; the words beside a call.

They describe the cards and do not value them. Each belongs to a lesson of *Learn the game*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.cards.cards import RANKS, SUITS, Hand, Strain, Suit
from tribridge.common.errors import quantity
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call

LESSON: Final = "How good is my hand?"
SCORE_LESSON: Final = "The score"
_HONOURS: Final = 5
_GUARDS: Final = 4
"""The jack is a stopper with four cards, the queen with three, the king with two, the ace alone."""


@dataclass(frozen=True, slots=True)
class Because:
    """What in a hand speaks about a call, and the lesson that explains it."""

    text: str
    lesson: str

    def __str__(self) -> str:
        return self.text


def stopped(hand: Hand, suit: Suit) -> bool:
    """Whether a suit is stopped: the ace, a king with a card, a queen with two, a jack with three.

    >>> [stopped(Hand("A.K2.Q43.J65"), suit) for suit in reversed(SUITS)]
    [True, True, True, False]
    """
    row = hand.row(suit.index)
    return any(row >> rank & 1 and row.bit_count() > rank for rank in range(_GUARDS))


def honours(hand: Hand, suit: Suit) -> str:
    """The honours of a suit in a hand, highest first.

    >>> honours(Hand("AQT92..."), Suit.SPADES)
    'A Q T'
    """
    row = hand.row(suit.index)
    return " ".join(rank.letter for rank in RANKS[:_HONOURS] if row >> rank.index & 1)


def because(hand: Hand, call: Call, standing: Bid | None = None) -> Because:
    """What a hand has for a call, or against it.

    >>> hand = Hand("AKJT4.KQ3.2.A652")
    >>> for call in (Bid("1S"), Bid("1NT"), PASS):
    ...     print(because(hand, call))
    5 spades with A K J T
    17 points, ♦ not stopped
    17 points, 5 spades
    """
    points = f"{quantity(hand.hcp, 'point')}"
    if call is PASS:
        longest = max(SUITS, key=lambda suit: (hand.length(suit), suit))
        return Because(f"{points}, {_length(hand, longest)}", SCORE_LESSON)
    if call is DOUBLE and standing is not None and standing.strain.trump is not None:
        return Because(f"{points}, {_held(hand, standing.strain.trump)}", SCORE_LESSON)
    if call in (DOUBLE, REDOUBLE):
        return Because(points, SCORE_LESSON)
    assert isinstance(call, Bid)
    if call.strain is Strain.NOTRUMP:
        open_suits = [suit.sign for suit in reversed(SUITS) if not stopped(hand, suit)]
        stops = f"{' '.join(open_suits)} not stopped" if open_suits else "all suits stopped"
        return Because(f"{points}, {stops}", LESSON)
    assert call.strain.trump is not None
    return Because(_held(hand, call.strain.trump), LESSON)


def _length(hand: Hand, suit: Suit) -> str:
    length = hand.length(suit)
    return quantity(length, suit.word[:-1], suit.word) if length else f"no {suit.word}"


def _held(hand: Hand, suit: Suit) -> str:
    top = honours(hand, suit)
    return _length(hand, suit) + (f" with {top}" if top else "")
