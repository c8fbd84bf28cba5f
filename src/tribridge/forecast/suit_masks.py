"""Suit masks of many hands as arrays, and normal distributions cut into tricks."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Suit
from tribridge.forecast.distribution import TRICKS

U64 = NDArray[np.uint64]
Ints = NDArray[np.int64]

RANKS: Final = 13
ROWS: Final = 1 << RANKS
"""Number of possible holdings in a suit."""
LENGTH: Final = np.array([row.bit_count() for row in range(ROWS)], np.int64)
"""Cards in a holding."""

_SHIFTS: Final = np.uint64(RANKS) * np.arange(len(Suit), dtype=np.uint64)


def rows_of(hands: U64) -> Ints:
    """The suits of hands: an array (n, 4) of 13-bit masks, ace in the lowest bit."""
    masks = np.asarray(hands, np.uint64)[:, None]
    return (masks >> _SHIFTS & np.uint64(ROWS - 1)).astype(np.int64)


def lengths(hands: U64) -> Ints:
    """Cards in each suit: an array (n, 4)."""
    return np.asarray(LENGTH[rows_of(hands)])


def normal_chances(means: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Normal distributions cut into whole tricks, (n, 14); the ends include the tails."""
    from scipy.special import ndtr

    edges = (np.arange(TRICKS) + 0.5 - np.asarray(means)[:, None]) / sd
    below = np.column_stack([np.zeros(len(edges)), ndtr(edges), np.ones(len(edges))])
    return np.asarray(np.diff(below, axis=1))
