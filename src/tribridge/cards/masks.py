"""Many hands at once, as arrays of the 52-bit masks of `tribridge.cards.cards`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Suit

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

RANKS: Final = 13
ROWS: Final = 1 << RANKS
"""Number of possible holdings in a suit."""
LENGTH: Final = np.bitwise_count(np.arange(ROWS)).astype(np.int64)
"""Cards in a holding."""


def popcount(masks: U64) -> I64:
    """The number of cards in each mask."""
    return np.bitwise_count(masks).astype(np.int64)


def rows_of(hands: U64, suits: int = 4) -> I64:
    """The suits of hands: an array (n, suits) of 13-bit masks, ace in the lowest bit."""
    shifts = np.uint64(RANKS) * np.arange(suits, dtype=np.uint64)
    masks = np.asarray(hands, np.uint64)[:, None]
    return (masks >> shifts & np.uint64(ROWS - 1)).astype(np.int64)


def lengths(hands: U64) -> I64:
    """Cards in each suit: an array (n, 4)."""
    return np.asarray(LENGTH[rows_of(hands)])


def suit_mask(suit: int) -> np.uint64:
    """All thirteen cards of a suit."""
    return np.uint64(ROWS - 1 << RANKS * suit)


def legal(held: U64, led: Suit | None) -> U64:
    """The cards of each hand that may be played to a suit led (None: when leading)."""
    if led is None:
        return held
    following = held & suit_mask(led.index)
    return np.where(following != 0, following, held)


def honour_points(hands: U64) -> I64:
    """Ace 4, king 3, queen 2, jack 1."""
    total = np.zeros(len(hands), dtype=np.int64)
    for rank in range(4):
        column = np.uint64(sum(1 << RANKS * suit + rank for suit in range(4)))
        total += (4 - rank) * popcount(hands & column)
    return total
