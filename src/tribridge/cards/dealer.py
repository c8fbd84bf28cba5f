"""The dealer: deal number `i` of seed `s`, the same on every machine and in any order.

This module is the specification in code; `docs/reference/dealer.md` has it in words. Two steps:

1. The generator Philox4x32-10 turns (seed, deal number, attempt) into two 64-bit words.
2. The words become three uniform integers, one for each of the first three hands, below the
   number of hands that can be drawn from the cards left. Each integer is turned into a hand by a
   fixed numbering of all such hands: by suit lengths first, then by the holding in each suit.
   The fourth hand is what is left.

Every bound is an exact integer and biased words are rejected, so all deals are equally likely.

Cards may be fixed: given to hands beforehand. The integers then number the ways to draw what each
hand still needs from the other cards, and all deals with these cards in place are equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb, prod
from typing import Final

from tribridge.cards.cards import FULL_DECK, Deck, Hand
from tribridge.cards.deals import Deal
from tribridge.common.errors import SettingError

WORD: Final = 1 << 64
MOST_DEALS: Final = (1 << 63) - 1
"""As many as a 64-bit count can hold."""
Fixed = tuple[int, int, int, int]
"""The cards that each hand has before the others are dealt, as masks."""
NONE_FIXED: Final[Fixed] = (0, 0, 0, 0)
_MASK32: Final = (1 << 32) - 1
_PHILOX_MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
_PHILOX_WEYL: Final = (0x9E3779B9, 0xBB67AE85)


def philox(key: int, counter: int) -> tuple[int, int, int, int]:
    """Philox4x32-10 (Salmon and others, 2011): four 32-bit words of a key and a counter.

    The key has 64 bits, the counter 128; both are split into 32-bit words, lowest first.
    """
    k0, k1 = key & _MASK32, key >> 32
    c0, c1, c2, c3 = (counter >> 32 * word & _MASK32 for word in range(4))
    for _ in range(10):
        p0, p1 = _PHILOX_MULTIPLIERS[0] * c0, _PHILOX_MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            p1 >> 32 ^ c1 ^ k0,
            p1 & _MASK32,
            p0 >> 32 ^ c3 ^ k1,
            p0 & _MASK32,
        )
        k0, k1 = k0 + _PHILOX_WEYL[0] & _MASK32, k1 + _PHILOX_WEYL[1] & _MASK32
    return c0, c1, c2, c3


def needs(deck: Deck, fixed: Fixed = NONE_FIXED) -> tuple[int, int, int, int]:
    """How many cards each hand still draws."""
    north, east, south, hidden = (deck.hand_size - mask.bit_count() for mask in fixed)
    return north, east, south, hidden


def bounds(deck: Deck, fixed: Fixed = NONE_FIXED) -> tuple[int, int, int]:
    """How many choices there are for the first, the second and the third hand."""
    first, second, third, fourth = needs(deck, fixed)
    left = second + third + fourth
    return comb(first + left, first), comb(left, second), comb(third + fourth, third)


def hand_numbers(
    seed: int, number: int, deck: Deck = FULL_DECK, fixed: Fixed = NONE_FIXED
) -> tuple[int, int, int]:
    """The three uniform integers of a deal, each below its bound.

    The first word gives the first hand, the second word the second and the third hand together.
    A word `w` becomes `w * bound >> 64`; it is rejected when the low 64 bits of that product are
    below `2**64 % bound`. If either word is rejected, both are drawn again with the next attempt.
    """
    check_seed(seed)
    check_number(number)
    first, second, third = bounds(deck, fixed)
    pair = second * third
    attempt = 0
    while True:
        words = philox(seed, number | attempt << 64)
        low = (words[0] | words[1] << 32) * first
        high = (words[2] | words[3] << 32) * pair
        if low % WORD >= WORD % first and high % WORD >= WORD % pair:
            return low // WORD, *divmod(high // WORD, third)
        attempt += 1


def unrank_hand(number: int, sizes: Sequence[int], cards: int) -> tuple[list[int], list[int]]:
    """Hand `number` of all hands of `cards` cards from suits with `sizes` cards left.

    The hands are numbered by their suit lengths, in lexicographic order, Clubs first; among hands
    of the same lengths the number is read in mixed radix, Clubs as the leading digit, each digit
    the number of the holding in its suit. Returned are the lengths and the digits.
    """
    lengths: list[int] = []
    weight, left = 1, sum(sizes)
    for size in sizes:
        left -= size
        length = 0
        while True:
            block = (
                weight * comb(size, length) * comb(left, cards - length) if length <= cards else 0
            )
            if number < block:
                break
            number -= block
            length += 1
        weight *= comb(size, length)
        cards -= length
        lengths.append(length)
    digits: list[int] = []
    for size, length in zip(reversed(sizes), reversed(lengths), strict=True):
        number, digit = divmod(number, comb(size, length))
        digits.append(digit)
    return lengths, digits[::-1]


@cache
def holdings(size: int, length: int) -> tuple[int, ...]:
    """All holdings of `length` out of `size` cards, as masks in increasing order."""
    return tuple(mask for mask in range(1 << size) if mask.bit_count() == length)


def _spread(holding: int, row: int) -> int:
    """Lay bit `j` of a holding on the j-th card of a row, counted from the Ace."""
    result = 0
    while holding:
        low = row & -row
        if holding & 1:
            result |= low
        holding >>= 1
        row ^= low
    return result


def deal(seed: int, number: int, deck: Deck = FULL_DECK, fixed: Fixed = NONE_FIXED) -> Deal:
    """Deal number `number` of seed `seed`, with some cards fixed beforehand.

    Examples:
        >>> print(deal(1, 0))
        N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64
    """
    return numbered(hand_numbers(seed, number, deck, fixed), deck, fixed)


def numbered(
    choices: tuple[int, int, int], deck: Deck = FULL_DECK, fixed: Fixed = NONE_FIXED
) -> Deal:
    """The deal of three integers, each below its bound."""
    free = deck.mask & ~(fixed[0] | fixed[1] | fixed[2] | fixed[3])
    rows = [free >> 13 * suit & (1 << 13) - 1 for suit in range(deck.suits)]
    hands: list[Hand] = []
    for choice, cards, held in zip(choices, needs(deck, fixed), fixed, strict=False):
        sizes = [row.bit_count() for row in rows]
        lengths, digits = unrank_hand(choice, sizes, cards)
        mask = held
        for suit, (size, length, digit) in enumerate(zip(sizes, lengths, digits, strict=True)):
            taken = _spread(holdings(size, length)[digit], rows[suit])
            rows[suit] ^= taken
            mask |= taken << 13 * suit
        hands.append(Hand(mask))
    left = sum(row << 13 * suit for suit, row in enumerate(rows))
    return Deal((hands[0], hands[1], hands[2], Hand(left | fixed[3])), deck)


def deal_count(deck: Deck = FULL_DECK) -> int:
    """How many different deals a deck has: 52! / 13!^4 for the full deck."""
    return prod(bounds(deck))


def check_seed(seed: int) -> None:
    """Check that a seed fits the 64 bits of the generator's key."""
    if not 0 <= seed < WORD:
        raise SettingError(f"seed {seed} is out of range: 0 to 2^64 - 1")


def check_deals(start: int, deals: int) -> tuple[int, int]:
    """The range of `deals` deals from number `start` on, checked."""
    if deals < 1:
        raise SettingError(f"the number of deals must be 1 or more, not {deals}")
    if deals > MOST_DEALS:
        raise SettingError(f"the number of deals must be at most 2^63 - 1, not {deals:,}")
    if start < 0 or start + deals > WORD:
        raise SettingError(f"deals {start} to {start + deals - 1} are out of range: 0 to 2^64 - 1")
    return start, start + deals


def check_number(number: int) -> None:
    """Check that a deal number fits the generator's 64-bit counter."""
    if not 0 <= number < WORD:
        raise SettingError(f"deal number {number} is out of range: 0 to 2^64 - 1")
