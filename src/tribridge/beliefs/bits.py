"""Bit operations on many hands at once; masks are those of `tribridge.cards`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

ROW: Final = (1 << 13) - 1
_M1: Final = np.uint64(0x5555555555555555)
_M2: Final = np.uint64(0x3333333333333333)
_M4: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM: Final = np.uint64(0x0101010101010101)


def popcount(masks: U64) -> I64:
    """The number of cards in each mask."""
    pairs = masks - (masks >> np.uint64(1) & _M1)
    fours = (pairs & _M2) + (pairs >> np.uint64(2) & _M2)
    eights = fours + (fours >> np.uint64(4)) & _M4
    return np.asarray(eights * _SUM >> np.uint64(56), dtype=np.int64)


def suit_mask(suit: int) -> np.uint64:
    """All thirteen cards of a suit."""
    return np.uint64(ROW << 13 * suit)


def legal(held: U64, led: int | None) -> U64:
    """The cards of each hand that may be played to a suit led (None: when leading)."""
    if led is None:
        return held
    following = held & suit_mask(led)
    return np.where(following != 0, following, held)


def honour_points(hands: U64) -> I64:
    """Ace 4, king 3, queen 2, jack 1."""
    total = np.zeros(len(hands), dtype=np.int64)
    for rank in range(4):
        column = np.uint64(sum(1 << 13 * suit + rank for suit in range(4)))
        total += (4 - rank) * popcount(hands & column)
    return total
