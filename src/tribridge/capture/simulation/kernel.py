"""The compiled kernels: both studies on dealt hands, counted into integer tables.

The tables, their encoding and the layout of the counts are in `tables`; dealing, up to the suit
lengths, is in `dealing`. The rest is here, also as short loops over a batch of deals: digits and
conditions, rows, captures. Most deals fail a condition or cannot reach a bid, and drop out before
the large tables are touched.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tribridge.capture import row_classes
from tribridge.capture.readings import NATURAL, Reading
from tribridge.capture.simulation.dealing import (
    Word,
    divide,
    numbers,
    round_keys,
    third_shapes,
    two_shapes,
    words,
)
from tribridge.capture.simulation.simd import compiled, four_captures, high
from tribridge.capture.simulation.tables import (
    BITS,
    BUDGET,
    CAPTURE_CELLS,
    FIRST_CARD,
    GAME_CELLS,
    LENGTHS_BITS,
    PASSED_OUT,
    RADIX_SHIFT,
    RANKS,
    START_SHIFT,
    TRICKS,
    U32,
    U64,
    WIDE_BITS,
    Counts,
    DealTables,
    PairTables,
    RowTables,
    deal_tables,
    pair_tables,
    row_tables,
)
from tribridge.common.once import once

BATCH: Final = 256
"""Deals that go through the stages together: their words stay in the L1 cache."""

_U: Final = np.uint64
_0, _1, _2, _3, _4, _5, _6, _7, _8, _10, _15, _16, _31, _32, _63 = map(
    np.uint64, (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 31, 32, 63)
)
_13: Final = _U(RANKS)
_ENTRY: Final = _U(LENGTHS_BITS)
_LENGTHS: Final = _U((1 << LENGTHS_BITS) - 1)
_WIDE: Final = _U(64 - WIDE_BITS)
_RADIX, _START = _U(RADIX_SHIFT), _U(START_SHIFT)
_RADIX_MASK: Final = _U((1 << START_SHIFT - RADIX_SHIFT) - 1)
_FULL: Final = _U(16 * RANKS)
_ONES: Final = _U(0b00001_00001_00001_00001)
_GUARDS: Final = _U(0b10000_10000_10000_10000)
_SUM: Final = _U(15)
_BUDGET, _TRICKS, _BOOK = _U(BUDGET), _U(TRICKS), _U(BUDGET)
_CAPTURES_CELLS, _CHECK_CELLS = _U(14), _U(20)
_ROW: Final = _U((1 << RANKS) - 1)
_DECK: Final = _U((1 << 52) - 1)
_LEFT7: Final = _U(127)
_SIX: Final = _U(1 << 14)
_LEADS: Final = _U(255)
_BID: Final = _U((BUDGET + 1) << 8)
_BITS, _CARD, _NUMBER = _U(BITS), _U(FIRST_CARD), _U((1 << BITS) - 1)


@compiled
def _conditions(
    deals: DealTables, count: Word, one: U64, two: U64, index: U32, gaps: U32, counts: Counts
) -> Word:
    kept = _0
    for i in range(count):
        lengths1, lengths2 = one[i] & _LENGTHS, two[i] & _LENGTHS
        number1, number2 = one[i] >> _ENTRY, two[i] >> _ENTRY
        leads = _0
        for turn in range(4):
            suit = _3 - _U(turn)
            c1 = lengths1 >> _5 * suit & _15
            c2 = lengths2 >> _5 * suit & _15
            key1, key2 = _FULL + c1, (_13 - c1) * _16 + c2
            suit1, suit2 = deals.suit[key1], deals.suit[key2]
            if turn == 0:
                quotient = high(number1 << _WIDE, deals.wide[key1])
                digit1 = number1 - quotient * (suit1 >> _RADIX & _RADIX_MASK)
                number1 = quotient
                number2, digit2 = divide(number2, suit2)
            elif turn == 3:
                digit1, digit2 = number1, number2
            else:
                number1, digit1 = divide(number1, suit1)
                number2, digit2 = divide(number2, suit2)
            # The first card of either hand: neither hand has any card above it.
            lead = min(
                deals.lead[(suit1 >> _START) + digit1], deals.lead[(suit2 >> _START) + digit2]
            )
            leads |= _U(lead) << _5 * suit
            index[kept, suit] = (
                _U(deals.pair_start[c1 * _16 + c2])
                + digit1 * (suit2 >> _RADIX & _RADIX_MASK)
                + digit2
            )
        gap = leads * _ONES >> _SUM & _31
        # Four comparisons at once: a guard bit survives where the length is above the gap.
        above1 = (lengths1 | _GUARDS) - leads - _ONES
        above2 = (lengths2 | _GUARDS) - leads - _ONES
        holds = gap <= _BUDGET and above1 & above2 & _GUARDS == _GUARDS
        gaps[kept] = gap
        kept += _U(holds)
        counts[gap * (_CAPTURES_CELLS * _CHECK_CELLS)] += 1 - holds
    return kept


@compiled
def _play(
    table: RowTables,
    kept: Word,
    index: U32,
    sequences: U32,
    gaps: U32,
    results: U32,
    counts: Counts,
) -> None:
    for i in range(kept):
        for suit in range(4):
            sequences[suit, i] = table.sequences[table.pair[index[i, suit]]]
    for i in range(_0, kept, _4):
        four_captures(sequences[0], sequences[1], sequences[2], sequences[3], gaps, results, i)
    for i in range(kept):
        counts[gaps[i] * (_CAPTURES_CELLS * _CHECK_CELLS) + results[i]] += 1


@compiled
def count_capture(
    deals: DealTables, table: RowTables, keys: U32, start: Word, count: Word, counts: Counts
) -> None:
    """Run study `capture` on `count` deals from number `start` and add to the counts."""
    hands = np.empty((3, BATCH), np.uint64)
    one, two, three = hands[0], hands[1], hands[2]
    index = np.empty((BATCH, 4), np.uint32)
    sequences = np.zeros((4, BATCH), np.uint32)
    gaps, results = np.zeros(BATCH, np.uint32), np.zeros(BATCH, np.uint32)
    done = _0
    while done < count:
        batch = min(count - done, _U(BATCH))
        words(keys, start + done, batch, one, two)
        numbers(keys, start + done, batch, one, two, three)
        two_shapes(deals, batch, one, two)
        kept = _conditions(deals, batch, one, two, index, gaps, counts)
        _play(table, kept, index, sequences, gaps, results, counts)
        done += batch


@compiled
def _spread(table: RowTables, holding: Word, taken: Word) -> Word:
    """Spread a holding over the columns of a row that are not taken."""
    free = ~taken & _ROW
    low = free & _LEFT7
    shift = _U(table.mask[low]) >> _BITS & _15
    return (
        _U(table.spread[low << _7 | holding & _LEFT7])
        | _U(table.spread[_SIX + ((free >> _7) << _6 | holding >> shift & _63)]) << _7
    )


@compiled
def _gather(table: RowTables, row: Word, taken: Word) -> Word:
    """The inverse: a row as a holding of the columns that are not taken."""
    free = ~taken & _ROW
    low = free & _LEFT7
    shift = _U(table.mask[low]) >> _BITS & _15
    return (
        _U(table.gather[low << _7 | row & _LEFT7])
        | _U(table.gather[_SIX + ((free >> _7) << _6 | row >> _7)]) << shift
    )


@compiled
def _bidders(
    deals: DealTables,
    table: RowTables,
    count: Word,
    one: U64,
    two: U64,
    three: U64,
    who: U32,
    gaps: U32,
) -> Word:
    """Turn shapes and numbers into hands; list those that could bid, in calling order."""
    kept = _0
    for i in range(count):
        lengths1, lengths2, lengths3 = one[i] & _LENGTHS, two[i] & _LENGTHS, three[i] & _LENGTHS
        number1, number2, number3 = one[i] >> _ENTRY, two[i] >> _ENTRY, three[i] >> _ENTRY
        hand1, hand2, hand3 = _0, _0, _0
        bid1, bid2, bid3 = _0, _0, _0
        for turn in range(4):
            suit = _3 - _U(turn)
            c1 = lengths1 >> _5 * suit & _15
            c2 = lengths2 >> _5 * suit & _15
            c3 = lengths3 >> _5 * suit & _15
            key1, key2 = _FULL + c1, (_13 - c1) * _16 + c2
            suit1, suit2 = deals.suit[key1], deals.suit[key2]
            suit3 = deals.suit[(_13 - c1 - c2) * _16 + c3]
            if turn == 0:
                quotient = high(number1 << _WIDE, deals.wide[key1])
                digit1 = number1 - quotient * (suit1 >> _RADIX & _RADIX_MASK)
                number1 = quotient
                number2, digit2 = divide(number2, suit2)
                number3, digit3 = divide(number3, suit3)
            elif turn == 3:
                digit1, digit2, digit3 = number1, number2, number3
            else:
                number1, digit1 = divide(number1, suit1)
                number2, digit2 = divide(number2, suit2)
                number3, digit3 = divide(number3, suit3)
            row1 = _U(deals.holding[(suit1 >> _START) + digit1])
            row2 = _spread(table, _U(deals.holding[(suit2 >> _START) + digit2]), row1)
            row3 = _spread(table, _U(deals.holding[(suit3 >> _START) + digit3]), row1 | row2)
            bid1 += _U(table.bid[row1])
            bid2 += _U(table.bid[row2])
            bid3 += _U(table.bid[row3])
            hand1 |= row1 << _13 * suit
            hand2 |= row2 << _13 * suit
            hand3 |= row3 << _13 * suit
        one[i], two[i], three[i] = hand1, hand2, hand3
        # A bid needs a total gap within the budget and seven captures within reach.
        who[kept], gaps[kept] = _4 * _U(i), bid1 & _LEADS
        kept += _U(bid1 & _LEADS <= _BUDGET and bid1 >= _BID)
        who[kept], gaps[kept] = _4 * _U(i) + _1, bid2 & _LEADS
        kept += _U(bid2 & _LEADS <= _BUDGET and bid2 >= _BID)
        who[kept], gaps[kept] = _4 * _U(i) + _2, bid3 & _LEADS
        kept += _U(bid3 & _LEADS <= _BUDGET and bid3 >= _BID)
    return kept


@compiled
def _level(result: Word) -> Word:
    """The level for `20 * captures + check`: captures minus six, or 0."""
    captures = result // _CHECK_CELLS
    return captures - _BOOK if captures > _BOOK else _0


@compiled
def _auction(
    table: RowTables,
    kept: Word,
    hands: U64,
    who: U32,
    sequences: U32,
    gaps: U32,
    results: U32,
    best: U32,
) -> None:
    """Algorithm 1 on the hands kept; the highest bid of each deal as `level << 2 | 3 - seat`."""
    for i in range(kept):
        deal, seat = _U(who[i]) >> _2, _U(who[i]) & _3
        hand = hands[seat, deal]
        for suit in range(4):
            sequences[suit, i] = table.hand[hand >> _13 * _U(suit) & _ROW]
    for i in range(_0, kept, _4):
        four_captures(sequences[0], sequences[1], sequences[2], sequences[3], gaps, results, i)
    for i in range(kept):
        level = _level(_U(results[i]))
        bid = level << _2 | _3 - (_U(who[i]) & _3) if level else _0
        # A later seat must bid higher: at the same level its number is smaller.
        best[who[i] >> _2] = max(_U(best[who[i] >> _2]), bid)


@compiled
def _contracts(
    table: RowTables,
    deals: DealTables,
    count: Word,
    hands: U64,
    who: U32,
    sequences: U32,
    gaps: U32,
    results: U32,
    best: U32,
    dummies: U32,
    counts: Counts,
) -> None:
    """For the deals with a bid: the hidden hand's level, Algorithm 2, and counting."""
    made = _0
    for i in range(count):
        who[made] = _U(i)
        made += _U(best[i] > 0)
    counts[PASSED_OUT] += np.int64(count - made)
    for i in range(made):
        deal = _U(who[i])
        hidden = _DECK ^ hands[0, deal] ^ hands[1, deal] ^ hands[2, deal]
        bid = _0
        for suit in range(4):
            row = hidden >> _13 * _U(suit) & _ROW
            bid += _U(table.bid[row])
            sequences[suit, i] = table.hand[row]
        gaps[i] = bid & _LEADS
    for i in range(_0, made, _4):
        four_captures(sequences[0], sequences[1], sequences[2], sequences[3], gaps, results, i)
    for i in range(made):
        dummies[i] = _level(_U(results[i])) if gaps[i] <= _BUDGET else _0
        deal = _U(who[i])
        seat = _3 - (_U(best[deal]) & _3)
        hand = hands[seat, deal]
        hidden = _DECK ^ hands[0, deal] ^ hands[1, deal] ^ hands[2, deal]
        gap, fails = _0, _0
        for suit in range(4):
            row1, row2 = hand >> _13 * _U(suit) & _ROW, hidden >> _13 * _U(suit) & _ROW
            holding = _U(table.mask[_gather(table, row2, row1)])
            whole = _U(table.mask[row1])
            c1, c2 = whole >> _BITS & _15, holding >> _BITS & _15
            lead = _U(table.mask[row1 | row2]) >> _CARD
            gap += lead
            fails |= _U(min(c1, c2) <= lead)
            radix = deals.suit[(_13 - c1) * _16 + c2] >> _RADIX & _RADIX_MASK
            sequences[suit, i] = (
                _U(deals.pair_start[c1 * _16 + c2])
                + (whole & _NUMBER) * radix
                + (holding & _NUMBER)
            )
        gaps[i] = _31 if fails != _0 and gap <= _BUDGET else gap
    # A separate loop, so that the cache misses of the large table overlap.
    for suit in range(4):
        for i in range(made):
            sequences[suit, i] = table.sequences[table.pair[sequences[suit, i]]]
    for i in range(_0, made, _4):
        four_captures(sequences[0], sequences[1], sequences[2], sequences[3], gaps, results, i)
    for i in range(made):
        bid = _U(best[who[i]])
        captures = _U(results[i]) // _CHECK_CELLS
        result = captures if gaps[i] <= _BUDGET else _1 if gaps[i] == _31 else _0
        cell = ((_3 - (bid & _3)) * _7 + (bid >> _2) - _1) * _8 + _U(dummies[i])
        counts[cell * _CAPTURES_CELLS + result] += 1


@compiled
def count_game(
    deals: DealTables, table: RowTables, keys: U32, start: Word, count: Word, counts: Counts
) -> None:
    """Run study `game` on `count` deals from number `start` and add to the counts."""
    hands = np.empty((3, BATCH), np.uint64)
    one, two, three = hands[0], hands[1], hands[2]
    room = 3 * BATCH + 4
    who = np.zeros(room, np.uint32)
    best, dummies = np.zeros(BATCH, np.uint32), np.zeros(BATCH, np.uint32)
    sequences = np.zeros((4, room), np.uint32)
    gaps, results = np.zeros(room, np.uint32), np.zeros(room, np.uint32)
    done = _0
    while done < count:
        batch = min(count - done, _U(BATCH))
        words(keys, start + done, batch, one, two)
        numbers(keys, start + done, batch, one, two, three)
        two_shapes(deals, batch, one, two)
        third_shapes(deals, batch, one, two, three)
        kept = _bidders(deals, table, batch, one, two, three, who, gaps)
        best[:] = 0
        _auction(table, kept, hands, who, sequences, gaps, results, best)
        _contracts(table, deals, batch, hands, who, sequences, gaps, results, best, dummies, counts)
        done += batch


@once
def _pair_tables() -> PairTables:
    return pair_tables(row_classes.pair_rows(RANKS))


@once
def _tables(reading: Reading) -> RowTables:
    return row_tables(_pair_tables(), row_classes.hand_rows(RANKS), strict=reading.strict)


def capture_counts(seed: int, start: int, count: int) -> Counts:
    """The counts of study `capture` over deals `start` to `start + count - 1`."""
    counts = np.zeros(CAPTURE_CELLS, np.int64)
    count_capture(deal_tables(), _tables(NATURAL), round_keys(seed), _U(start), _U(count), counts)
    return counts


def game_counts(seed: int, start: int, count: int, reading: Reading = NATURAL) -> Counts:
    """The counts of study `game` over deals `start` to `start + count - 1`."""
    counts = np.zeros(GAME_CELLS, np.int64)
    count_game(deal_tables(), _tables(reading), round_keys(seed), _U(start), _U(count), counts)
    return counts
