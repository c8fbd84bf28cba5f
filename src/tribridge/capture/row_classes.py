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
from tribridge.compiled import njit
from tribridge.errors import SettingError
from tribridge.once import once

U64 = NDArray[np.uint64]

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


def row_class(cells: Sequence[int], reading: Reading = NATURAL) -> RowClass:
    """The class of a row of up to 13 cells, each 0, 1 or 2."""
    if not 1 <= len(cells) <= 13 or not set(cells) <= {0, 1, 2}:
        raise SettingError(f"not a row: {tuple(cells)}: expected 1 to 13 cells of 0, 1 or 2")
    ones, twos = (
        sum(1 << column for column, cell in enumerate(cells) if cell == holder) for holder in (1, 2)
    )
    return unpack(int(pack_row(ones, twos, len(cells), reading.row_budget_pays_gap)))


def unpack(word: int) -> RowClass:
    """The class of a packed word."""
    length = word >> LENGTH_SHIFT & _NIBBLE
    return RowClass(
        word >> C1_SHIFT & _NIBBLE,
        word >> C2_SHIFT & _NIBBLE,
        word >> LEADING_SHIFT & _NIBBLE,
        tuple(word >> GAP_BITS * place & _NIBBLE for place in range(length)),
    )


@njit(cache=True)
def _first_at(mask: int, start: int) -> int:
    """The lowest column from `start` on that is set, or -1."""
    mask >>= start
    if mask == 0:
        return -1
    while mask & 1 == 0:
        mask >>= 1
        start += 1
    return start


@njit(cache=True)
def _last(mask: int) -> int:
    """The highest column that is set, or -1."""
    column = -1
    while mask:
        mask >>= 1
        column += 1
    return column


@njit(cache=True)
def _count(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def pack_row(ones: int, twos: int, ranks: int, pays_gap: bool) -> np.uint64:
    """The packed class of a row, compiled; the masks have the Ace in the lowest bit."""
    c1, c2 = _count(ones), _count(twos)
    limit, row_budget = max(c1, c2), ranks - c1 - c2
    leading = _first_at(ones | twos, 0)
    if leading < 0:
        return np.uint64(ranks) << np.uint64(LEADING_SHIFT)
    gaps, length = np.uint64(0), 0
    pointer = leading
    while True:
        # The card under the pointer is captured: the other hand's lowest card goes.
        if ones >> pointer & 1:
            removed = _last(twos)
            if removed >= 0:
                twos ^= 1 << removed
        else:
            removed = _last(ones)
            if removed >= 0:
                ones ^= 1 << removed
        if 0 <= removed < pointer:
            # The list of owned columns lost an entry before the pointer, which keeps its index.
            pointer = _first_at(ones | twos, pointer + 1)
            if pointer < 0:
                break
        following = _first_at(ones | twos, pointer + 1)
        if length + 1 >= limit or following < 0:
            break
        if row_budget > 0:
            gap = following - pointer - 1
            row_budget -= gap if pays_gap else 1
            gaps |= np.uint64(gap) << np.uint64(GAP_BITS * length)
        length += 1
        pointer = following
    return (
        gaps
        | np.uint64(length) << np.uint64(LENGTH_SHIFT)
        | np.uint64(leading) << np.uint64(LEADING_SHIFT)
        | np.uint64(c1) << np.uint64(C1_SHIFT)
        | np.uint64(c2) << np.uint64(C2_SHIFT)
    )


@njit(cache=True)
def _pack_hand_rows(ranks: int, pays_gap: bool, words: U64) -> None:
    for ones in range(len(words)):
        words[ones] = pack_row(ones, 0, ranks, pays_gap)


@njit(cache=True)
def _pack_pair_rows(ranks: int, words: U64) -> None:
    for number in range(len(words)):
        ones, twos, rest = 0, 0, number
        for column in range(ranks):
            ones |= (rest % 3 == 1) << column
            twos |= (rest % 3 == 2) << column
            rest //= 3
        words[number] = pack_row(ones, twos, ranks, False)


@once
def hand_rows(ranks: int, reading: Reading = NATURAL) -> U64:
    """The packed class of every row of one hand, by its mask: what Algorithm 1 sees."""
    words = np.empty(1 << ranks, np.uint64)
    _pack_hand_rows(ranks, reading.row_budget_pays_gap, words)
    words.setflags(write=False)
    return words


@once
def pair_rows(ranks: int) -> U64:
    """The packed class of every row of two hands, by its number: what Algorithm 2 sees."""
    words = np.empty(3**ranks, np.uint64)
    _pack_pair_rows(ranks, words)
    words.setflags(write=False)
    return words


@cache
def ternary(ranks: int) -> NDArray[np.int64]:
    """For each mask, the number of the row that has a one in each of its columns."""
    masks = np.arange(1 << ranks)
    numbers = sum((masks >> column & 1) * 3**column for column in range(ranks))
    result = np.asarray(numbers, np.int64)
    result.setflags(write=False)
    return result
