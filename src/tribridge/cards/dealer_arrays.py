"""The dealer on NumPy arrays: the same deals as `dealer.deal`, thousands at a time.

Suit lengths come from one binary search per hand in a table of cumulative counts (one block for
each way the remaining cards can be distributed over the suits), the holdings from a lookup.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import (
    _PHILOX_MULTIPLIERS,
    _PHILOX_WEYL,
    NONE_FIXED,
    WORD,
    Fixed,
    bounds,
    check_number,
    check_seed,
    holdings,
    needs,
)
from tribridge.cards.masks import I64, U64
from tribridge.common.errors import SettingError
from tribridge.common.once import once

N = TypeVar("N", bound=np.integer[Any])

_LOW: Final = np.uint64(0xFFFFFFFF)
_32: Final = np.uint64(32)


def philox_words(seed: int, numbers: U64, attempt: int = 0) -> tuple[U64, U64]:
    """The two 64-bit words of each deal number, as `dealer.philox` gives them."""
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    c0, c1 = numbers & _LOW, numbers >> _32
    c2, c3 = np.full_like(numbers, attempt & 0xFFFFFFFF), np.full_like(numbers, attempt >> 32)
    m0, m1 = (np.uint64(m) for m in _PHILOX_MULTIPLIERS)
    for _ in range(10):
        p0, p1 = m0 * c0, m1 * c2
        c0, c1, c2, c3 = (
            p1 >> _32 ^ c1 ^ np.uint64(k0),
            p1 & _LOW,
            p0 >> _32 ^ c3 ^ np.uint64(k1),
            p0 & _LOW,
        )
        k0, k1 = (k0 + _PHILOX_WEYL[0]) & 0xFFFFFFFF, (k1 + _PHILOX_WEYL[1]) & 0xFFFFFFFF
    return c0 | c1 << _32, c2 | c3 << _32


def _scale(words: U64, bound: int) -> tuple[U64, NDArray[np.bool_]]:
    """`word * bound >> 64` for each word, and whether the word is accepted."""
    w0, w1 = words & _LOW, words >> _32
    b0, b1 = np.uint64(bound & 0xFFFFFFFF), np.uint64(bound >> 32)
    middle = w1 * b0 + (w0 * b0 >> _32)
    other = w0 * b1 + (middle & _LOW)
    high = w1 * b1 + (middle >> _32) + (other >> _32)
    low = words * np.uint64(bound)
    return high, low >= np.uint64(WORD % bound)


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Suit lengths of one hand for every distribution of the remaining cards over the suits.

    Block `b` holds the cumulative counts for one such way, shifted by `b * total`, so that one
    binary search over all blocks finds the lengths for arrays of hands with different ways.
    """

    index: I64  # by mixed radix of the sizes left: number of the block
    cumulative: I64  # first hand number of each shape, shifted by the block
    lengths: I64  # (shapes, suits)
    total: int  # hands in a block


@once
def _shapes(deck: Deck, left: int, cards: int) -> _Shapes:
    """The table for a hand that draws `cards` cards when `left` are left."""
    radix = deck.ranks + 1
    index = np.full(radix**deck.suits, -1, dtype=np.int64)
    total = comb(left, cards)
    hands, lefts = compositions(deck, cards), compositions(deck, left)
    if len(lefts) * total >= 1 << 63:
        raise SettingError(f"a deck of {deck} is too large for the array dealer")
    ways = binomials(deck.ranks)
    cumulative: list[I64] = []
    lengths: list[I64] = []
    for block, sizes in enumerate(lefts):
        index[sizes @ radix ** np.arange(deck.suits)] = block
        shapes = hands[(hands <= sizes).all(axis=1)]
        counts = ways[sizes, shapes].prod(axis=1)
        cumulative.append(block * total + np.cumsum(counts) - counts)
        lengths.append(shapes)
    return _Shapes(index, np.concatenate(cumulative), np.concatenate(lengths), total)


def compositions(deck: Deck, total: int) -> I64:
    """All ways to spread a number of cards over the suits, in lexicographic order."""
    every = np.indices((deck.ranks + 1,) * deck.suits).reshape(deck.suits, -1).T
    result: I64 = every[every.sum(axis=1) == total]
    return result


@cache
def binomials(ranks: int) -> I64:
    """How many holdings there are of each size and length: n over k, up to the ranks."""
    return np.array([[comb(n, k) for k in range(ranks + 1)] for n in range(ranks + 1)])


@cache
def holding_tables(ranks: int) -> tuple[I64, I64]:
    """All holdings by size and length, end to end, and where each (size, length) starts."""
    starts = np.zeros((ranks + 1, ranks + 1), dtype=np.int64)
    flat: list[int] = []
    for size in range(ranks + 1):
        for length in range(size + 1):
            starts[size, length] = len(flat)
            flat.extend(holdings(size, length))
    return np.array(flat, dtype=np.int64), starts


def spread(holding: NDArray[N], row: NDArray[N], ranks: int) -> NDArray[N]:
    """Lay bit `j` of each holding on the j-th card of its row, counted from the Ace."""
    result = np.zeros_like(row)
    taken = holding.copy()
    for rank in range(ranks):
        present = row >> rank & 1
        result |= (taken & present) << rank
        taken >>= present
    return result


def hand_numbers(
    seed: int, start: int, count: int, deck: Deck = FULL_DECK, fixed: Fixed = NONE_FIXED
) -> tuple[I64, I64, I64]:
    """The three hand numbers of the deals `start` to `start + count - 1`."""
    check_seed(seed)
    if count < 0:
        raise SettingError(f"{count} deals cannot be dealt")
    check_number(start)
    check_number(start + max(count - 1, 0))
    numbers = np.arange(count, dtype=np.uint64) + np.uint64(start)
    first, second, third = bounds(deck, fixed)
    low = np.empty(count, dtype=np.uint64)
    high = np.empty(count, dtype=np.uint64)
    waiting = np.arange(count)
    attempt = 0
    while waiting.size:
        words = philox_words(seed, numbers[waiting], attempt)
        low[waiting], good = _scale(words[0], first)
        high[waiting], also = _scale(words[1], second * third)
        waiting = waiting[~(good & also)]
        attempt += 1
    pair = high.astype(np.int64)
    return low.astype(np.int64), pair // third, pair % third


def deal_masks(
    seed: int, start: int, count: int, deck: Deck = FULL_DECK, fixed: Fixed = NONE_FIXED
) -> U64:
    """The hands of deals `start` to `start + count - 1`: an array (count, 4) of 52-bit masks."""
    numbers = hand_numbers(seed, start, count, deck, fixed)
    result = np.tile(np.array(fixed, dtype=np.uint64), (count, 1))
    free = deck.mask & ~(fixed[0] | fixed[1] | fixed[2] | fixed[3])
    whole = np.array([free >> 13 * suit & (1 << 13) - 1 for suit in range(deck.suits)])
    rows = np.tile(whole, (count, 1))
    sizes = np.tile(np.bitwise_count(whole).astype(np.int64), (count, 1))
    radices = (deck.ranks + 1) ** np.arange(deck.suits)
    ways = binomials(deck.ranks)
    flat, starts = holding_tables(deck.ranks)
    left = free.bit_count()
    for hand, (choice, cards) in enumerate(zip(numbers, needs(deck, fixed), strict=False)):
        shapes = _shapes(deck, left, cards)
        key = shapes.index[sizes @ radices] * shapes.total + choice
        shape = np.searchsorted(shapes.cumulative, key, side="right") - 1
        rest = key - shapes.cumulative[shape]
        for suit in reversed(range(deck.suits)):
            size, length = sizes[:, suit], shapes.lengths[shape, suit]
            rest, digit = np.divmod(rest, ways[size, length])
            taken = spread(flat[starts[size, length] + digit], rows[:, suit], deck.ranks)
            rows[:, suit] ^= taken
            sizes[:, suit] -= length
            result[:, hand] |= (taken << 13 * suit).astype(np.uint64)
        left -= cards
    for suit in range(deck.suits):
        result[:, 3] |= (rows[:, suit] << 13 * suit).astype(np.uint64)
    return result
