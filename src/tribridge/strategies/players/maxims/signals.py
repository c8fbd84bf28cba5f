"""Signals between the defenders: count in declarer's suits, attitude to partner's honours.

Count: a higher card first from an even number, the lowest from an odd number.
Attitude: on an honour lead, a higher small card asks partner to continue, the lowest to switch.
Partner reads a card as high if a lower one is still unseen or was played later, else as low.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tribridge.cards import Card
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.suits import low, top

_NINE: Final = 5
"""The highest rank used for a signal."""


def small_card(s: Position, suit: int, row: int) -> int:
    """The rank of a card that need not win: the lowest, or one that signals."""
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
    """What a card signals to partner, as the end of a sentence; empty for the lowest card."""
    if card % 13 == low(row):
        return ""
    return " encourages partner" if s.leader == s.partner else " shows an even number"


def _likes(s: Position, suit: int, row: int) -> bool:
    """Whether this hand wants partner's suit continued: it has the queen or can soon ruff."""
    if row >> 2 & 1:
        return True
    return s.trump != NO_TRUMP and row.bit_count() == 2 and bool(s.row(s.mine, s.trump))


def followed(s: Position, suit: int, chair: int) -> Iterator[tuple[int, Card, Card]]:
    """For each trick in which a chair followed suit: the leader, the card led and its card."""
    for leader, cards in s.rounds():
        at = (chair - leader) & 3
        if at < len(cards) and cards[0] // 13 == suit == cards[at] // 13:
            yield leader, cards[0], cards[at]


def partner_high(s: Position, suit: int, leaders: tuple[int, ...]) -> bool | None:
    """Whether partner's first card in a suit, led by one of these chairs, was a high signal.

    None if there is no signal: no such lead, or partner played an honour.
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
