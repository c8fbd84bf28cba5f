"""Signals between the defenders: count in declarer's suits, attitude to partner's honours.

Count: with an even number of small cards a higher one first, with an odd number the lowest.
Attitude: a higher small card asks partner to go on with an honour lead, the lowest to switch.
A reader who does not see all small cards takes one for low where no lower one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tribridge.cards import Card
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.suits import low, top

_NINE: Final = 5
"""The highest rank that is spent on a signal."""


def small_card(s: Position, suit: int, row: int) -> int:
    """The rank of a card that need not win: the lowest, or one that signals to partner."""
    lowest = low(row)
    if s.declaring or suit == s.trump:
        return lowest
    spots = row & -(1 << _NINE)
    if not spots & (spots - 1) or any(followed(s, suit, s.chair)):
        return lowest
    if s.leader == s.partner:
        encourages = s.trick[0] % 13 <= 1 and _likes(s, suit, row)
        return top(spots) if encourages else lowest
    if row.bit_count() & 1:
        return lowest
    return top(spots if row.bit_count() == 2 else spots & (spots - 1))


def signal(s: Position, row: int, card: Card) -> str:
    """What a card says to partner, to be added to a sentence; empty for the lowest card."""
    if card % 13 == low(row):
        return ""
    return " encourages partner" if s.leader == s.partner else " shows an even number"


def _likes(s: Position, suit: int, row: int) -> bool:
    """Whether this hand wants partner's suit continued: the queen, or a ruff to come."""
    if row >> 2 & 1:
        return True
    return s.trump != NO_TRUMP and row.bit_count() == 2 and bool(s.row(s.mine, s.trump))


def followed(s: Position, suit: int, chair: int) -> Iterator[tuple[int, Card, Card]]:
    """Who led what, and the card of a chair that followed suit, trick by trick."""
    for leader, cards in s.rounds():
        at = (chair - leader) & 3
        if at < len(cards) and cards[0] // 13 == suit == cards[at] // 13:
            yield leader, cards[0], cards[at]


def partner_high(s: Position, suit: int, leaders: tuple[int, ...]) -> bool | None:
    """Whether partner's first card, to a lead of one of these chairs, was a high signal.

    None where it says nothing: no such lead, or partner played an honour.
    """
    cards = list(followed(s, suit, s.partner))
    if not cards:
        return None
    leader, led, card = cards[0]
    rank = card % 13
    if leader not in leaders or rank < _NINE or (leader == s.chair and led % 13 > 1):
        return None
    others = s.row(s.unseen, suit)
    for _, _, later in cards[1:]:
        others |= 1 << later % 13
    return bool(others >> rank + 1)
