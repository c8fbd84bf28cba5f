"""Questions that rule-based players ask about the cards of one suit, held as 13 bits (a row).

The ace is bit 0, so a *higher* card is a *lower* bit, and the bit's position is the rank.
"""

from __future__ import annotations

from tribridge.cards import ALL_CARDS, Card


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


def lowest_equal(row: int, rank: int, others: int) -> int:
    """The lowest card of a row that is equivalent to a rank: no card of `others` lies between."""
    between = others & -(1 << rank)
    run = row & -(1 << rank) & ((between & -between) - 1)
    return low(run) if run else rank


def sequence(row: int, out: int) -> bool:
    """Whether no card still out lies between the two highest cards of a row."""
    if not row & (row - 1):
        return False
    first = top(row)
    second = top(row & (row - 1))
    return not above(out, second) & -(1 << first)


def card_at(suit: int, rank: int) -> Card:
    """The card of a suit and a rank."""
    return ALL_CARDS[13 * suit + rank]
