"""Questions that players ask about the cards of one suit, held as 13 bits (a row).

The ace is bit 0, so a *higher* card is a *lower* bit, and the bit's position is the rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from tribridge.cards.cards import Card
from tribridge.game.position import SUIT, Position

Masks = TypeVar("Masks", int, Any)
Pick = tuple[Card, str] | tuple[Card, str, Card] | tuple[Card, str, Card, Card]
"""A card, the pattern of its reason, and what that calls `{other}` and `{dummy}`."""


def top(row: int) -> int:
    """The rank of the highest card of a row."""
    return (row & -row).bit_length() - 1


def low(row: int) -> int:
    """The rank of the lowest card of a row."""
    return row.bit_length() - 1


def above(row: int, rank: int) -> int:
    """The cards of a row that are higher than a rank."""
    return row & ((1 << rank) - 1)


def masters(row: int, others: int) -> int:
    """The cards of a row that are higher than every card of another row."""
    return row & ((others & -others) - 1)


def equals(card: Masks, others: Masks) -> Masks:
    """The cards that are as good as one: all of its suit with no card of `others` between.

    Both may be arrays, of cards and of masks. A suit's row, with a rank as the card, will do too.

    >>> bin(equals(3, 0b1000010))  # the queen and the seven are out
    '0b111100'
    """
    suit = SUIT << card // 13 * 13
    higher, lower = others & suit & (1 << card) - 1, others & suit & -(2 << card)
    for step in (1, 2, 4, 8):
        higher, lower = higher | higher >> step, lower | lower << step
    return suit & ~higher & ~lower


def lowest_equal(row: int, rank: int, others: int) -> int:
    """The lowest card of a row that is equivalent to one of its ranks."""
    return low(row & equals(rank, others))


def apart(position: Position, cards: Iterable[Card]) -> list[Card]:
    """The lowest card of each group of equivalent cards."""
    others = position.hidden
    for chair, mask in enumerate(position.hands):
        if chair != position.chair:
            others |= mask
    for card in position.trick:
        others |= card.bit
    lowest: list[Card] = []
    for card in sorted(cards, key=lambda card: -card.index):
        if not lowest or not equals(lowest[-1].index, others) & card.bit:
            lowest.append(card)
    return lowest


def sequence(row: int, out: int) -> bool:
    """Whether no card still out lies between the two highest cards of a row."""
    if not row & (row - 1):
        return False
    first = top(row)
    second = top(row & (row - 1))
    return not above(out, second) & -(1 << first)
