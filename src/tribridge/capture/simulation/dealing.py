"""The compiled dealer: from deal numbers to suit lengths and a number within them.

A batch of deals goes through short loops, one per stage: generator, hand numbers, shapes. Short
loops let the processor work on several deals at once while it waits for table lookups. The tables
are those of `tables`; all arithmetic is on unsigned 64-bit words.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tribridge.capture.simulation.simd import compiled, eight_words
from tribridge.capture.simulation.tables import (
    FIRST,
    FIRST_SHIFT,
    LENGTHS_BITS,
    RADIX_SHIFT,
    RANKS,
    SECOND,
    SECOND_CELLS,
    SECOND_SHIFT,
    START_SHIFT,
    THIRD,
    THIRD_CELLS,
    THIRD_SHIFT,
    U32,
    U64,
    DealTables,
    Shapes,
)
from tribridge.cards.dealer import _PHILOX_MULTIPLIERS, _PHILOX_WEYL, WORD

Word = Any
"""An unsigned 64-bit word in compiled code."""

_U: Final = np.uint64
_0, _1, _2, _3, _4, _5, _6, _7, _8, _10, _15, _16, _31, _32, _63 = map(
    np.uint64, (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 31, 32, 63)
)
_13: Final = _U(RANKS)
_M0, _M1 = map(np.uint64, _PHILOX_MULTIPLIERS)
_LOW: Final = _U(0xFFFFFFFF)
_FIRST, _SECOND, _THIRD = _U(FIRST), _U(SECOND), _U(THIRD)
_FIRST_REJECT, _PAIR_REJECT = _U(WORD % FIRST), _U(WORD % (SECOND * THIRD))
_FIRST_SHIFT, _SECOND_SHIFT, _THIRD_SHIFT = map(np.uint64, (FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT))
_SECOND_CELLS, _THIRD_CELLS = _U(SECOND_CELLS), _U(THIRD_CELLS)
_ENTRY: Final = _U(LENGTHS_BITS)
_LENGTHS: Final = _U((1 << LENGTHS_BITS) - 1)
_RADIX, _START = _U(RADIX_SHIFT), _U(START_SHIFT)
_RADIX_MASK: Final = _U((1 << START_SHIFT - RADIX_SHIFT) - 1)
_ONES: Final = _U(0b00001_00001_00001_00001)


def round_keys(seed: int) -> U32:
    """The generator's keys for a seed, two for each of the ten rounds."""
    low, high = seed & 0xFFFFFFFF, seed >> 32
    keys = []
    for turn in range(10):
        keys += [
            low + turn * _PHILOX_WEYL[0] & 0xFFFFFFFF,
            high + turn * _PHILOX_WEYL[1] & 0xFFFFFFFF,
        ]
    return np.array(keys, np.uint32)


@compiled
def words(keys: U32, start: Word, count: Word, one: U64, two: U64) -> None:
    """The generator's two words for `count` deals (and up to seven more), first attempt."""
    for at in range(_0, count, _8):
        eight_words(keys, start + at, one, two, at)


@compiled
def _times(word: Word, factor: Word) -> tuple[Word, Word]:
    """High and low half of the product of a word and a factor below 2^41, from 32-bit products."""
    w0, w1 = _U(np.uint32(word)), _U(np.uint32(word >> _32))
    f0, f1 = _U(np.uint32(factor)), _U(np.uint32(factor >> _32))
    low = w0 * f0
    middle = w1 * f0 + w0 * f1 + (low >> _32)
    return w1 * f1 + (middle >> _32), middle << _32 | low & _LOW


@compiled
def _redraw(keys: U32, number: Word) -> tuple[Word, Word, Word]:
    """The hand numbers of a deal whose first words were rejected."""
    attempt = _1
    while True:
        c0, c1, c2, c3 = number & _LOW, number >> _32, attempt & _LOW, attempt >> _32
        for turn in range(10):
            p0, p1 = _M0 * c0, _M1 * c2
            c0 = p1 >> _32 ^ c1 ^ _U(keys[2 * turn])
            c1 = p1 & _LOW
            c2 = p0 >> _32 ^ c3 ^ _U(keys[2 * turn + 1])
            c3 = p0 & _LOW
        first, rest1 = _times(c0 | c1 << _32, _FIRST)
        second, rest2 = _times(c2 | c3 << _32, _SECOND)
        third, rest3 = _times(rest2, _THIRD)
        if rest1 >= _FIRST_REJECT and rest3 >= _PAIR_REJECT:
            return first, second, third
        attempt += _1


@compiled
def numbers(keys: U32, start: Word, count: Word, one: U64, two: U64, three: U64) -> None:
    """Turn words into hand numbers.

    If B2 and B3 are the bounds of the second and third hand, the dealer's `w * B2 * B3 >> 64`
    divided by B3 is `w * B2 >> 64`, and the remainder is the high half of B3 times the low half of
    that product: no division is needed.
    """
    for i in range(count):
        first, rest1 = _times(one[i], _FIRST)
        second, rest2 = _times(two[i], _SECOND)
        third, rest3 = _times(rest2, _THIRD)
        if rest1 < _FIRST_REJECT or rest3 < _PAIR_REJECT:
            first, second, third = _redraw(keys, start + _U(i))
        one[i], two[i], three[i] = first, second, third


@compiled
def divide(number: Word, suit: Word) -> tuple[Word, Word]:
    """Quotient and remainder of a number below 2^32 by the radix of a suit's holdings."""
    radix = suit >> _RADIX & _RADIX_MASK
    quotient = _U(np.uint32(number)) * _U(np.uint32(suit)) >> _32
    remainder = number - quotient * radix
    # The reciprocal is rounded down: the quotient may be one too small, never more.
    small = remainder < radix
    return (quotient if small else quotient + _1), (remainder if small else remainder - radix)


@compiled
def _entry(shapes: Shapes, at: Word, number: Word) -> Word:
    """The entry of a number, scanning from the one given by the guide."""
    while shapes.entries[at + _1] >> _ENTRY <= number:
        at += _1
    return at


@compiled
def two_shapes(deals: DealTables, count: Word, one: U64, two: U64) -> None:
    """Replace the numbers of two hands by `number within the shape << 20 | lengths`."""
    for i in range(count):
        number = one[i]
        at = _entry(deals.first, _U(deals.first.guide[number >> _FIRST_SHIFT]), number)
        entry = deals.first.entries[at]
        one[i] = number - (entry >> _ENTRY) << _ENTRY | entry & _LENGTHS
        number = two[i]
        cell = at * _SECOND_CELLS + (number >> _SECOND_SHIFT)
        at = _entry(deals.second, _U(deals.second.start[at]) + _U(deals.second.guide[cell]), number)
        entry = deals.second.entries[at]
        two[i] = number - (entry >> _ENTRY) << _ENTRY | entry & _LENGTHS


@compiled
def third_shapes(deals: DealTables, count: Word, one: U64, two: U64, three: U64) -> None:
    """The same for the third hand, after the first two."""
    for i in range(count):
        number = three[i]
        left = _13 * _ONES - (one[i] & _LENGTHS) - (two[i] & _LENGTHS)
        block = (left & _31) << _8 | (left >> _5 & _31) << _4 | left >> _10 & _31
        cell = block * _THIRD_CELLS + (number >> _THIRD_SHIFT)
        at = _U(deals.third.start[block]) + _U(deals.third.guide[cell])
        at = _entry(deals.third, at, number)
        entry = deals.third.entries[at]
        three[i] = number - (entry >> _ENTRY) << _ENTRY | entry & _LENGTHS
