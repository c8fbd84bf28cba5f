"""Row classes: everything one suit contributes to Algorithms 1 and 2.

A row is one suit of the state matrix: cells 0, 1 and 2, Ace first. Its class is (c1, c2, leading
gap, sequence of effective gaps), where the sequence lists what Step 6 offers in this suit, capture
after capture, until the suit is skipped for good: the capture limit is reached or no next card is
left. Two rows of one class can be exchanged in any deal without changing either algorithm's
outcome, captures or check value.

**Why classes suffice.** Everything that decides what a suit offers next (pointer, owned columns,
capture limit, row budget, the card to be removed) is kept for each suit separately and changes only
when that suit captures. So the k-th gap that a suit offers is a function of its own row and of k,
whoever captures in between. The suits touch in three places: the conditions, which read c1, c2 and
the leading gap; the choice of the smallest effective gap; the global budget. A free capture and a
paid one of gap 0 both leave the budget as it is and can always be afforded, and what they do to the
row budget is in the sequence already: they need not be distinguished.

**Levels.** The level of a capture is the largest effective gap of its suit up to and including
this one. Step 6 captures in the order of (level, suit, place in the suit's sequence): when a gap g
has just been taken it was the smallest on offer, first suit first, so the same suit's following
gaps up to g go next, before any other suit's. What is left everywhere is then larger, or as large
and in a later suit. The merge of four suits is a stable sort, and needs no comparison of heads.

**Encoding.** A packed class is one 64-bit word:

| bits  | content                                            |
|-------|----------------------------------------------------|
| 0-47  | the effective gaps, 4 bits each, the first lowest  |
| 48-51 | how many they are (0 to 12)                        |
| 52-55 | leading gap (the number of ranks for an empty row) |
| 56-59 | c1                                                 |
| 60-63 | c2                                                 |

Rows are numbered in base 3, the Ace as the lowest digit: `ternary(ranks)[ones]` plus twice
`ternary(ranks)[twos]` for masks of ones and twos with the Ace in the lowest bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.readings import NATURAL, Reading
from tribridge.cards.masks import I64, U64
from tribridge.common.errors import SettingError
from tribridge.common.once import once

I16 = NDArray[np.int16]

GAP_BITS: Final = 4
LENGTH_SHIFT: Final = 48
LEADING_SHIFT: Final = 52
C1_SHIFT: Final = 56
C2_SHIFT: Final = 60
_NIBBLE: Final = 15


@dataclass(frozen=True, slots=True)
class RowClass:
    """The class of a row.

    >>> row_class((1, 0, 2, 1, 0, 0, 2))
    RowClass(c1=2, c2=2, leading_gap=0, gaps=(1,))
    """

    c1: int
    c2: int
    leading_gap: int
    gaps: tuple[int, ...]

    def qualifies(self, reading: Reading = NATURAL, *, dummy: bool = True) -> bool:
        """Condition B for this row; without a dummy it asks about the ones alone."""
        least = self.leading_gap + reading.strict
        return self.c1 >= least and (self.c2 >= least or not dummy)

    @property
    def levels(self) -> tuple[int, ...]:
        """The level of each gap: the largest so far."""
        return tuple(max(self.gaps[: place + 1]) for place in range(len(self.gaps)))


def row_class(cells: Sequence[int]) -> RowClass:
    """The class of a row of up to 13 cells, each 0, 1 or 2."""
    if not 1 <= len(cells) <= 13 or not set(cells) <= {0, 1, 2}:
        raise SettingError(f"not a row: {tuple(cells)}: expected 1 to 13 cells of 0, 1 or 2")
    ones, twos = (
        np.array([sum(1 << at for at, cell in enumerate(cells) if cell == holder)], np.int16)
        for holder in (1, 2)
    )
    return unpack(int(pack_rows(ones, twos, len(cells))[0]))


def field(words: U64, shift: int) -> I64:
    """The field of packed classes that begins at a bit."""
    return (words >> np.uint64(shift)).astype(np.int64) & _NIBBLE


def unpack(word: int) -> RowClass:
    """The class of a packed word."""
    length = word >> LENGTH_SHIFT & _NIBBLE
    return RowClass(
        word >> C1_SHIFT & _NIBBLE,
        word >> C2_SHIFT & _NIBBLE,
        word >> LEADING_SHIFT & _NIBBLE,
        tuple(word >> GAP_BITS * place & _NIBBLE for place in range(length)),
    )


_HOLDINGS: Final = np.arange(1 << 13)
_LAST: Final = np.array([mask.bit_length() - 1 for mask in range(1 << 13)], np.int16)
"""The highest column of a mask; -1 if it is empty."""
_FIRST: Final = _LAST[_HOLDINGS & -_HOLDINGS]
"""The lowest column of a mask; -1 if it is empty."""


def _next(mask: I16, column: I16) -> I16:
    """The lowest column of each mask after another column; -1 if there is none."""
    return np.asarray(_FIRST[mask >> column + 1 << column + 1])


def pack_rows(ones: I16, twos: I16, ranks: int) -> U64:
    """The packed classes of rows, given by their masks with the Ace in the lowest bit."""
    c1, c2 = (np.bitwise_count(mask).astype(np.int16) for mask in (ones, twos))
    leading = _FIRST[ones | twos]
    length, gaps = np.zeros_like(c1), np.zeros(len(c1), np.uint64)
    # The rows that go on, and what changes while they do.
    rows = np.flatnonzero(leading >= 0)
    ones, twos, pointer = ones[rows], twos[rows], leading[rows]
    left, limit = ranks - c1[rows] - c2[rows], np.maximum(c1, c2)[rows]
    while len(rows):
        # The card under the pointer is captured: the other hand's lowest card goes.
        first = ones >> pointer & 1 != 0
        removed = _LAST[np.where(first, twos, ones)]
        kept = ~np.where(removed >= 0, 1 << np.maximum(removed, 0), 0).astype(np.int16)
        ones, twos = np.where(first, ones, ones & kept), np.where(first, twos & kept, twos)
        owned = ones | twos
        # If the list of owned columns lost an entry before the pointer, that keeps its index.
        lost = (removed >= 0) & (removed < pointer)
        pointer = np.where(lost, _next(owned, pointer), pointer)
        following = np.where(pointer >= 0, _next(owned, pointer), -1)
        length_now = length[rows] + 1
        goes_on = (length_now < limit) & (following >= 0)
        paid = goes_on & (left > 0)
        gap = np.where(paid, following - pointer - 1, 0)
        left = left - paid.astype(np.int16)
        places = (GAP_BITS * (length_now - 1)).astype(np.uint64)
        gaps[rows] |= gap.astype(np.uint64) << places
        length[rows] += goes_on
        rows, pointer, limit = rows[goes_on], following[goes_on], limit[goes_on]
        ones, twos, left = ones[goes_on], twos[goes_on], left[goes_on]
    leading = np.where(leading < 0, ranks, leading)
    fields = ((LENGTH_SHIFT, length), (LEADING_SHIFT, leading), (C1_SHIFT, c1), (C2_SHIFT, c2))
    for shift, values in fields:
        gaps |= values.astype(np.uint64) << np.uint64(shift)
    return gaps


def pair_masks(ranks: int) -> tuple[I16, I16]:
    """The masks of ones and of twos of each row, by the row's number, built digit by digit."""
    ones = twos = np.zeros(1, np.int16)
    for rank in range(ranks):
        bit = np.int16(1 << rank)
        ones, twos = (
            np.concatenate([ones, ones | bit, ones]),
            np.concatenate([twos, twos, twos | bit]),
        )
    return ones, twos


@once
def hand_rows(ranks: int) -> U64:
    """The packed class of every row of one hand, by its mask: what Algorithm 1 sees."""
    ones = np.arange(1 << ranks, dtype=np.int16)
    words = pack_rows(ones, np.zeros_like(ones), ranks)
    words.setflags(write=False)
    return words


@once
def pair_rows(ranks: int) -> U64:
    """The packed class of every row of two hands, by its number: what Algorithm 2 sees."""
    words = pack_rows(*pair_masks(ranks), ranks)
    words.setflags(write=False)
    return words


@cache
def ternary(ranks: int) -> I64:
    """For each mask, the number of the row that has a one in each of its columns."""
    masks = np.arange(1 << ranks)
    numbers = sum((masks >> column & 1) * 3**column for column in range(ranks))
    result = np.asarray(numbers, np.int64)
    result.setflags(write=False)
    return result
