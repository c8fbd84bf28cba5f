"""What a player sees in a hand: points, long suits, stoppers; the words beside a call.

They describe the cards and do not value them. Each belongs to a lesson of *Learn the game*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.cards.cards import RANKS, SUITS, Hand, Rank, Strain, Suit
from tribridge.common.sentences import Sentence, Words, counted, words
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call

LESSON: Final = "How good is my hand?"
SCORE_LESSON: Final = "The score"
_HONOURS: Final = 5
_GUARDS: Final = 4
"""The jack is a stopper with four cards, the queen with three, the king with two, the ace alone."""


@dataclass(frozen=True, slots=True)
class Because:
    """What in a hand speaks about a call, and the lesson that explains it."""

    text: Words
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
    'A Q 10'
    """
    row = hand.row(suit.index)
    held = (rank for rank in RANKS[:_HONOURS] if row >> rank.index & 1)
    return " ".join("10" if rank is Rank.TEN else rank.letter for rank in held)


def because(hand: Hand, call: Call, standing: Bid | None = None) -> Because:
    """What a hand has for a call, or against it.

    >>> hand = Hand("AKJT4.KQ3.2.A652")
    >>> for call in (Bid("1S"), Bid("1NT"), PASS):
    ...     print(because(hand, call))
    5 spades with A K J 10
    17 high-card points, ♦ not stopped
    17 high-card points, 5 spades
    """
    points = counted("{number} high-card point", "{number} high-card points", hand.hcp)
    if call is PASS:
        longest = max(SUITS, key=lambda suit: (hand.length(suit), suit))
        suit = _length(hand, longest)
        return Because(words("{points}, {suit}", points=points, suit=suit), SCORE_LESSON)
    if call is DOUBLE and standing is not None and standing.strain.trump is not None:
        suit = _held(hand, standing.strain.trump)
        return Because(words("{points}, {suit}", points=points, suit=suit), SCORE_LESSON)
    if call in (DOUBLE, REDOUBLE):
        return Because(Words(points), SCORE_LESSON)
    assert isinstance(call, Bid)
    if call.strain is Strain.NOTRUMP:
        suits = " ".join(suit.sign for suit in reversed(SUITS) if not stopped(hand, suit))
        if not suits:
            return Because(words("{points}, all suits stopped", points=points), LESSON)
        return Because(words("{points}, {suits} not stopped", points=points, suits=suits), LESSON)
    assert call.strain.trump is not None
    return Because(Words(_held(hand, call.strain.trump)), LESSON)


def _length(hand: Hand, suit: Suit) -> Sentence:
    length = hand.length(suit)
    if not length:
        return {
            Suit.CLUBS: words("no clubs"),
            Suit.DIAMONDS: words("no diamonds"),
            Suit.HEARTS: words("no hearts"),
            Suit.SPADES: words("no spades"),
        }[suit].sentence
    return {
        Suit.CLUBS: counted("{number} club", "{number} clubs", length),
        Suit.DIAMONDS: counted("{number} diamond", "{number} diamonds", length),
        Suit.HEARTS: counted("{number} heart", "{number} hearts", length),
        Suit.SPADES: counted("{number} spade", "{number} spades", length),
    }[suit]


def _held(hand: Hand, suit: Suit) -> Sentence:
    top, length = honours(hand, suit), _length(hand, suit)
    if not top:
        return length
    return words("{length} with {honours}", length=length, honours=top).sentence
