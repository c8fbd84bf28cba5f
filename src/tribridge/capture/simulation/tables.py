"""Tables that turn hand numbers into rows without touching a card, and the layout of the counts.

The dealer numbers hands first by suit lengths, then by one digit per suit (see `cards.dealer`).
The compiled kernels follow that numbering through lookups:

- **Shapes.** For every distribution of the remaining cards over the suits there is a block with one
  entry per shape, in the dealer's order. An entry is `first number << 20 | lengths`, with the
  lengths in four fields of five bits, clubs lowest; the fifth bit of each field is spare and allows
  four comparisons in one subtraction. A block ends with an entry whose number no hand reaches. A
  guide maps the leading bits of a number to the entry at which a short scan starts.
- **Digits.** Holdings are indexed by number of remaining cards and length, `16 * size + length`:
  the radix C(size, length), its reciprocal and the start of its holdings, in one word.
- **Rows of two hands.** Sorted by (c1, c2, digit of the first hand, digit of the second), so that
  the row of two hands is `pair_start + digit1 * C(13 - c1, c2) + digit2`.

**Counts.** A study's result is one flat array of 64-bit integers, and arrays over disjoint ranges
of deals add up:

- `capture`: shape (27, 14, 20), by total leading gap, captures and check value. Captures and check
  are 0 where a condition fails: Condition A if the gap is above 6, otherwise Condition B.
- `game`: shape (3, 7, 8, 14) and one more cell at the end. By declarer's seat in calling order,
  level of the contract minus one, level of the hidden hand (0: not eligible), and the result: 0
  where Condition A fails for the two hands, 1 where Condition B fails, otherwise the captures,
  which are never fewer than 4. The last cell counts the deals that were passed out.

Everything here needs only NumPy.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.algorithm import Conditions
from tribridge.capture.row_classes import (
    C1_SHIFT,
    GAP_BITS,
    LEADING_SHIFT,
    LENGTH_SHIFT,
    field,
    ternary,
)
from tribridge.cards.cards import FULL_DECK
from tribridge.cards.dealer import bounds, holdings
from tribridge.cards.dealer_arrays import binomials, compositions, spread
from tribridge.common.once import once

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
Counts = NDArray[np.int64]

RANKS: Final = 13
SUITS: Final = 4
BUDGET: Final = 6
TRICKS: Final = 13
FIRST, SECOND, THIRD = bounds(FULL_DECK)

LENGTHS_BITS: Final = 20
FIELD: Final = 5
FIRST_SHIFT: Final = 27
SECOND_SHIFT: Final = 25
THIRD_SHIFT: Final = 16
SECOND_CELLS: Final = (SECOND >> SECOND_SHIFT) + 1
THIRD_CELLS: Final = (THIRD >> THIRD_SHIFT) + 1

CAPTURE_SHAPE: Final = (27, 14, 20)
GAME_SHAPE: Final = (3, 7, 8, 14)
CAPTURE_CELLS: Final = prod(CAPTURE_SHAPE)
GAME_CELLS: Final = prod(GAME_SHAPE) + 1
PASSED_OUT: Final = GAME_CELLS - 1
A_FAILS: Final = 0
B_FAILS: Final = 1
OUTCOMES: Final = {A_FAILS: Conditions.A_FAILS, B_FAILS: Conditions.B_FAILS}
"""Verdicts that stand for a failed condition; all others are captures, 4 or more."""

RADIX_SHIFT: Final = 32
START_SHIFT: Final = 43
WIDE_BITS: Final = 48

TOP_GAP: Final = 29
NO_GAP: Final = 7
BITS: Final = 12
FIRST_CARD: Final = 16


class Shapes(NamedTuple):
    """Shapes of one hand in blocks; see the module docstring."""

    start: U32  # by block: its first entry
    guide: U16  # by block and leading bits of the number: entry within the block
    entries: U64


class DealTables(NamedTuple):
    """The tables for dealing. Holdings are indexed by `16 * size + length`."""

    first: Shapes
    second: Shapes  # block: the first hand's shape
    third: Shapes  # block: cards left in clubs, diamonds, hearts as `c << 8 | d << 4 | h`
    suit: U64  # `start of its holdings << 43 | radix << 32 | reciprocal`
    wide: U64  # 2^48 // radix + 1, for numbers of more than 32 bits
    holding: U16  # masks of all holdings, highest remaining card in the lowest bit
    lead: U8  # their lowest set bit; 13 for a void
    pair_start: U32  # by `16 * c1 + c2`: first row of two hands with these lengths


def _block(sizes: tuple[int, ...]) -> U64:
    """The entries of one block and its closing entry."""
    shapes = first_shapes()
    shapes = shapes[np.all(shapes <= sizes, axis=1)]
    ways = np.prod(binomials(RANKS)[np.array(sizes), shapes], axis=1)
    ends = np.cumsum(ways)
    lengths = shapes @ (1 << FIELD * np.arange(SUITS))
    entries = np.append((ends - ways) << LENGTHS_BITS | lengths, ends[-1] << LENGTHS_BITS)
    return entries.astype(np.uint64)


def _shapes(blocks: dict[int, U64], keys: int, cells: int, shift: int) -> Shapes:
    start = np.zeros(keys, np.uint32)
    guide = np.zeros((keys, cells), np.uint16)
    cell_starts = np.arange(cells, dtype=np.uint64) << np.uint64(shift)
    entries = 0
    for key, block in blocks.items():
        start[key] = entries
        numbers = block[:-1] >> np.uint64(LENGTHS_BITS)
        guide[key] = np.searchsorted(numbers, cell_starts, side="right") - 1
        entries += len(block)
    return Shapes(start, guide.ravel(), np.concatenate(list(blocks.values())))


@cache
def first_shapes() -> NDArray[np.int64]:
    """The suit lengths of all hands in the dealer's order: an array (560, 4)."""
    return compositions(FULL_DECK, RANKS)


@once
def deal_tables() -> DealTables:
    """The dealer's tables for the full deck."""
    full = (RANKS,) * SUITS
    second = {
        number: _block(tuple(RANKS - length for length in shape))
        for number, shape in enumerate(first_shapes().tolist())
    }
    third = {
        sizes[0] << 8 | sizes[1] << 4 | sizes[2]: _block(sizes)
        for sizes in product(range(RANKS + 1), repeat=SUITS)
        if sum(sizes) == 2 * RANKS
    }
    radix = np.ones(16 * (RANKS + 1), np.uint32)
    holding_start = np.zeros_like(radix)
    masks: list[int] = []
    for size in range(RANKS + 1):
        for length in range(size + 1):
            holding_start[16 * size + length] = len(masks)
            radix[16 * size + length] = comb(size, length)
            masks.extend(holdings(size, length))
    pair_start = np.zeros(256, np.uint32)
    rows = 0
    for c1, c2 in product(range(RANKS + 1), repeat=2):
        if c1 + c2 <= RANKS:
            pair_start[16 * c1 + c2] = rows
            rows += comb(RANKS, c1) * comb(RANKS - c1, c2)
    wide = radix.astype(np.uint64)
    # Reciprocals are rounded down and below 2^32: quotients are exact or one too small.
    reciprocal = np.minimum(np.uint64(1 << 32) // wide, np.uint64((1 << 32) - 1))
    return DealTables(
        _shapes({0: _block(full)}, 1, (FIRST >> FIRST_SHIFT) + 1, FIRST_SHIFT),
        _shapes(second, len(second), SECOND_CELLS, SECOND_SHIFT),
        _shapes(third, 1 << 12, THIRD_CELLS, THIRD_SHIFT),
        holding_start.astype(np.uint64) << np.uint64(START_SHIFT)
        | wide << np.uint64(RADIX_SHIFT)
        | reciprocal,
        np.uint64(1 << WIDE_BITS) // wide + np.uint64(1),
        np.array(masks, np.uint16),
        np.array([(mask & -mask).bit_length() - 1 if mask else RANKS for mask in masks], np.uint8),
        pair_start,
    )


class RowTables(NamedTuple):
    """The tables for rows once the conditions hold.

    A sequence is one 32-bit word: up to nine effective gaps, cut where the budget ends, 3 bits
    each, the first in the highest bits, each gap g stored as 7 - g. Zeros below them mean that no
    captures are left. A left shift brings up the next gap, and the largest word has the smallest
    gap.
    """

    pair: U16  # by row of two hands: its sequence
    sequences: U32
    hand: U32  # by row of one hand: its sequence
    bid: U16  # by row of one hand: leading gap (16: Condition B fails), captures within reach << 8
    spread: U8  # masks spread over 7 columns, `free << 7 | mask`, then over 6, `free << 6 | mask`
    gather: U8  # the inverse
    mask: U32  # by mask: `lowest bit << 16 | bits set << 12 | number among masks of as many bits`


def sequences_of(words: U64) -> U32:
    """The sequences of packed row classes (see `row_classes`), cut where the budget ends."""
    leading, length = field(words, LEADING_SHIFT), field(words, LENGTH_SHIFT)
    left = BUDGET - leading
    result = np.zeros(len(words), np.int64)
    more = np.ones(len(words), bool)
    for place in range(TRICKS - SUITS):
        gap = field(words, GAP_BITS * place)
        more &= (place < length) & (gap <= left)
        left -= np.where(more, gap, 0)
        result |= np.where(more, NO_GAP - gap, 0) << TOP_GAP - 3 * place
    return result.astype(np.uint32)


def pair_masks() -> tuple[U16, U16]:
    """The masks of ones and of twos of every row of two hands, in the kernels' order."""
    ones, twos = [], []
    for c1, c2 in product(range(RANKS + 1), repeat=2):
        if c1 + c2 <= RANKS:
            first = np.array(holdings(RANKS, c1), np.uint16)
            second = np.array(holdings(RANKS - c1, c2), np.uint16)
            ones.append(np.repeat(first, len(second)))
            twos.append(np.tile(second, len(first)))
    row, taken = np.concatenate(ones), np.concatenate(twos)
    return row, spread(taken, ~row, RANKS)


def _spread_tables(columns: int) -> tuple[U8, U8]:
    """Tables that spread masks over the free columns, for every set of them, and gather them."""
    masks = np.arange(1 << columns)
    spread, gather = (np.zeros((1 << columns, 1 << columns), np.uint8) for _ in range(2))
    for free in range(1 << columns):
        places = [column for column in range(columns) if free >> column & 1]
        for at, column in enumerate(places):
            spread[free] |= ((masks >> at & 1) << column).astype(np.uint8)
            gather[free] |= ((masks >> column & 1) << at).astype(np.uint8)
    return spread.ravel(), gather.ravel()


class PairTables(NamedTuple):
    """The first two of `RowTables`, the same under every reading of Algorithm 1."""

    pair: U16
    sequences: U32


def pair_tables(pairs: U64) -> PairTables:
    """The tables for packed row classes of two hands (`pair_rows`)."""
    powers, (ones, twos) = ternary(RANKS), pair_masks()
    sequences, index = np.unique(sequences_of(pairs), return_inverse=True)
    return PairTables(index[powers[ones] + 2 * powers[twos]].astype(np.uint16), sequences)


def row_tables(pairs: PairTables, hands: U64, *, strict: bool) -> RowTables:
    """The tables for two hands, and for packed row classes of one (`hand_rows`)."""
    masks = np.arange(1 << RANKS)
    cells = masks[:, None] >> np.arange(RANKS) & 1
    bits = cells.sum(axis=1)
    hand = sequences_of(hands)
    leading, length = field(hands, LEADING_SHIFT), field(hands, C1_SHIFT)
    reach = 1 + sum((hand >> TOP_GAP - 3 * place & 7 > 0).astype(np.int64) for place in range(9))
    wide, narrow = _spread_tables(7), _spread_tables(6)
    order = np.lexsort((masks, bits))
    number = np.empty_like(bits)
    number[order] = np.arange(len(masks)) - np.searchsorted(bits[order], bits[order])
    lowest = np.where(masks > 0, np.argmax(cells, axis=1), RANKS)
    return RowTables(
        *pairs,
        hand,
        np.where(length >= leading + strict, leading | reach << 8, 16).astype(np.uint16),
        np.concatenate([wide[0], narrow[0]]),
        np.concatenate([wide[1], narrow[1]]),
        (lowest << FIRST_CARD | bits << BITS | number).astype(np.uint32),
    )
