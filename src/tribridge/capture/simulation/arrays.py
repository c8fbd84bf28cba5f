"""Both studies on NumPy arrays: a second, independent way to the counts of `kernel`.

It shares no tables with the compiled kernels: hands come from `dealer_arrays` as masks, rows from
`row_classes` by their base-3 number with all their gaps, and Step 6 compares the four heads each
time. The layout of the counts is that of `tables`. It is also one of the benchmarked backends, and
beliefs evaluate pairs of hands of any deck with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.capture import row_classes
from tribridge.capture.readings import NATURAL, Reading
from tribridge.capture.simulation.tables import (
    A_FAILS,
    B_FAILS,
    BUDGET,
    CAPTURE_CELLS,
    CAPTURE_SHAPE,
    GAME_CELLS,
    GAME_SHAPE,
    PASSED_OUT,
    Counts,
)
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.masks import I64, U64, rows_of

CHUNK: Final = 1 << 16
_NONE: Final = 99


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """An algorithm's results on many hands or pairs of hands: arrays with one entry each."""

    gap: I64
    """Total leading gap."""
    condition_b: NDArray[np.bool_]
    """Whether Condition B holds, whatever the gap."""
    captures: I64
    """T; 0 where a condition fails."""
    check: I64
    """The check value; 0 where a condition fails."""
    budget: int = BUDGET

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether both conditions hold."""
        return self.condition_b & (self.gap <= self.budget)

    @property
    def verdict(self) -> I64:
        """The captures, or A_FAILS or B_FAILS where a condition fails."""
        fails = np.where(self.gap > self.budget, A_FAILS, B_FAILS)
        return np.where(self.holds, self.captures, fails)


def _evaluate(words: U64, least: int, tricks: int, budget: int, *, dummy: bool) -> Evaluation:
    """The evaluation of deals given as their packed rows, one for each suit."""
    leading = row_classes.field(words, row_classes.LEADING_SHIFT)
    gap = leading.sum(axis=1)
    held = row_classes.field(words, row_classes.C1_SHIFT)
    if dummy:
        held = np.minimum(held, row_classes.field(words, row_classes.C2_SHIFT))
    condition_b = np.all(held >= leading + least, axis=1)
    left, captures = budget - gap, np.full(len(words), words.shape[1])
    holds = condition_b & (left >= 0)
    goes_on = holds.copy()
    gaps, length = words.copy(), row_classes.field(words, row_classes.LENGTH_SHIFT)
    deals = np.arange(len(words))
    for _ in range(tricks):
        heads = np.where(length > 0, row_classes.field(gaps, 0), _NONE)
        suit = np.argmin(heads, axis=1)
        cost = heads[deals, suit]
        goes_on &= (captures + budget - left < tricks) & (cost <= left)
        if not goes_on.any():
            break
        left -= np.where(goes_on, cost, 0)
        captures += goes_on
        gaps[deals, suit] >>= np.uint64(row_classes.GAP_BITS)
        length[deals, suit] -= 1
    check = (captures + budget - left) * holds
    return Evaluation(gap, condition_b, captures * holds, check, budget)


def single(hands: U64, reading: Reading = NATURAL, *, ordered: bool = False) -> Evaluation:
    """Algorithm 1 on hands, given as 52-bit masks; `ordered` as in `pair`."""
    words = row_classes.hand_rows(FULL_DECK.ranks)[rows_of(hands)]
    words = _ordered(words) if ordered else words
    return _evaluate(words, int(reading.strict), FULL_DECK.hand_size, BUDGET, dummy=False)


def pair(
    first: U64,
    second: U64,
    *,
    ordered: bool = False,
    deck: Deck = FULL_DECK,
    budget: int = BUDGET,
) -> Evaluation:
    """Algorithm 2 on pairs of hands, given as 52-bit masks.

    Ties go to the first suit, so captures can depend on which suit is which. `ordered` takes the
    suits in the order of their packed classes instead, highest first.
    """
    numbers = row_classes.ternary(deck.ranks)
    index = numbers[rows_of(first, deck.suits)] + 2 * numbers[rows_of(second, deck.suits)]
    words = row_classes.pair_rows(deck.ranks)[index]
    words = _ordered(words) if ordered else words
    return _evaluate(words, 1, deck.hand_size, budget, dummy=True)


def _ordered(words: U64) -> U64:
    return np.sort(words, axis=1)[:, ::-1]


def _levels(hands: U64, reading: Reading) -> I64:
    """The level that each hand can bid by Algorithm 1, or 0."""
    return np.maximum(single(hands, reading).captures - BUDGET, 0)


def capture_counts(seed: int, start: int, count: int) -> Counts:
    """The counts of study `capture` over deals `start` to `start + count - 1`."""
    counts = np.zeros(CAPTURE_CELLS, np.int64)
    for done in range(0, count, CHUNK):
        hands = deal_masks(seed, start + done, min(CHUNK, count - done))
        evaluation = pair(hands[:, 0], hands[:, 1])
        cells = np.ravel_multi_index(
            (evaluation.gap, evaluation.captures, evaluation.check), CAPTURE_SHAPE
        )
        counts += np.bincount(cells, minlength=CAPTURE_CELLS)
    return counts


def game_counts(seed: int, start: int, count: int, reading: Reading = NATURAL) -> Counts:
    """The counts of study `game` over deals `start` to `start + count - 1`."""
    counts = np.zeros(GAME_CELLS, np.int64)
    for done in range(0, count, CHUNK):
        hands = deal_masks(seed, start + done, min(CHUNK, count - done))
        levels = np.stack([_levels(hands[:, seat], reading) for seat in range(3)], axis=1)
        played = levels.max(axis=1) > 0
        counts[PASSED_OUT] += int(np.sum(~played))
        hands, levels = hands[played], levels[played]
        seat = np.argmax(levels, axis=1)
        dummy = _levels(hands[:, 3], reading)
        verdict = pair(hands[np.arange(len(hands)), seat], hands[:, 3]).verdict
        cells = np.ravel_multi_index((seat, levels.max(axis=1) - 1, dummy, verdict), GAME_SHAPE)
        counts += np.bincount(cells, minlength=GAME_CELLS)
    return counts
