"""Both studies on NumPy arrays: a second, independent way to the counts of `kernel`.

It shares no tables with the compiled kernels: hands come from `dealer_arrays` as masks, rows from
`row_classes` by their base-3 number with all their gaps, and Step 6 compares the four heads each
time. The layout of the counts is that of `tables`. It is also one of the benchmarked backends, and
the one for other decks and budgets than the paper's.

**Any deck.** A `DeckWork` adds each deal to one flat array of counts, in three parts:

- Algorithm 1 on the first hand and Algorithm 2 on the first two: (verdicts, verdicts);
- the game: (3 seats, levels, levels + 1, verdicts), by declarer's seat, level minus one, level of
  the hidden hand (0: not eligible) and the verdict of Algorithm 2 on declarer and hidden hand;
- the deals that are passed out: 1 cell.

Its verdict is 0 where Condition A fails, 1 where Condition B fails, otherwise 2 plus the captures.
A bid is worth the captures beyond the book (half the tricks), whatever the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.capture import row_classes
from tribridge.capture.algorithm import Conditions
from tribridge.capture.readings import NATURAL, Reading, parse_reading
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
from tribridge.cards import FULL_DECK, Deck
from tribridge.dealer import check_seed
from tribridge.dealer_arrays import deal_masks
from tribridge.errors import SettingError
from tribridge.masks import I64, U64, rows_of
from tribridge.parallel import Range

CHUNK: Final = 1 << 16
_NONE: Final = 99
FAILURES: Final = (Conditions.A_FAILS, Conditions.B_FAILS)
"""Verdicts 0 and 1."""


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


def _field(words: U64, shift: int) -> I64:
    return (words >> np.uint64(shift)).astype(np.int64) & 15


def _evaluate(words: U64, least: int, tricks: int, budget: int, *, dummy: bool) -> Evaluation:
    """The evaluation of deals given as their packed rows, one for each suit."""
    leading = _field(words, row_classes.LEADING_SHIFT)
    gap = leading.sum(axis=1)
    held = _field(words, row_classes.C1_SHIFT)
    if dummy:
        held = np.minimum(held, _field(words, row_classes.C2_SHIFT))
    condition_b = np.all(held >= leading + least, axis=1)
    left, captures = budget - gap, np.full(len(words), words.shape[1])
    holds = condition_b & (left >= 0)
    goes_on = holds.copy()
    gaps, length = words.copy(), _field(words, row_classes.LENGTH_SHIFT)
    deals = np.arange(len(words))
    for _ in range(tricks):
        heads = np.where(length > 0, _field(gaps, 0), _NONE)
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


def single(
    hands: U64,
    reading: Reading = NATURAL,
    *,
    ordered: bool = False,
    deck: Deck = FULL_DECK,
    budget: int = BUDGET,
) -> Evaluation:
    """Algorithm 1 on hands, given as 52-bit masks; `ordered` as in `pair`."""
    words = row_classes.hand_rows(deck.ranks, reading)[rows_of(hands, deck.suits)]
    words = _ordered(words) if ordered else words
    return _evaluate(words, int(reading.strict), deck.hand_size, budget, dummy=False)


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


@dataclass(frozen=True, slots=True)
class DeckWork:
    """A simulation on a deck; a job for `parallel.run`."""

    deck: Deck
    budget: int
    reading: str = "natural"
    seed: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        parse_reading(self.reading)
        _ = self.deck.hand_size  # refuses a deck that cannot be dealt
        if not 0 <= self.budget <= self.deck.size:
            raise SettingError(
                f"the budget must be 0 to {self.deck.size}, the cards of a deck of {self.deck}, "
                f"not {self.budget}"
            )

    @property
    def verdicts(self) -> int:
        """How many verdicts there are."""
        return len(FAILURES) + self.deck.hand_size + 1

    @property
    def pair_shape(self) -> tuple[int, int]:
        return self.verdicts, self.verdicts

    @property
    def game_shape(self) -> tuple[int, int, int, int]:
        return 3, self.deck.levels, self.deck.levels + 1, self.verdicts

    @property
    def cells(self) -> int:
        """The length of the array of counts."""
        return prod(self.pair_shape) + prod(self.game_shape) + 1

    def split(self, counts: Counts) -> tuple[Counts, Counts, int]:
        """The counts of the pairs of hands, of the contracts, and of deals passed out."""
        pairs, games, passed = np.split(
            counts, [prod(self.pair_shape), prod(self.pair_shape) + prod(self.game_shape)]
        )
        return pairs.reshape(self.pair_shape), games.reshape(self.game_shape), int(passed[0])

    def run(self, piece: Range) -> Counts:
        """The counts of a range of deals, on this thread."""
        start, stop = piece
        counts = np.zeros(self.cells, np.int64)
        for at in range(start, stop, CHUNK):
            counts += self._count(deal_masks(self.seed, at, min(CHUNK, stop - at), self.deck))
        return counts

    def _count(self, hands: U64) -> Counts:
        reading = parse_reading(self.reading)
        singles = [self._single(hands[:, at], reading) for at in range(4)]
        levels = np.stack([self._level(verdict) for verdict in singles], axis=1)
        pairs = np.ravel_multi_index(
            (singles[0], self._pair(hands[:, 0], hands[:, 1])), self.pair_shape
        )
        bids = levels[:, :3]
        played = bids.max(axis=1) > 0
        hands, levels, bids = hands[played], levels[played], bids[played]
        seat = np.argmax(bids, axis=1)
        verdict = self._pair(hands[np.arange(len(hands)), seat], hands[:, 3])
        games = np.ravel_multi_index(
            (seat, bids.max(axis=1, initial=1) - 1, levels[:, 3], verdict), self.game_shape
        )
        return np.concatenate(
            [
                np.bincount(pairs, minlength=prod(self.pair_shape)),
                np.bincount(games, minlength=prod(self.game_shape)),
                [int(np.sum(~played))],
            ]
        )

    def _single(self, hands: U64, reading: Reading) -> I64:
        return _verdict(single(hands, reading, deck=self.deck, budget=self.budget))

    def _pair(self, first: U64, second: U64) -> I64:
        return _verdict(pair(first, second, deck=self.deck, budget=self.budget))

    def _level(self, verdict: I64) -> I64:
        return np.maximum(verdict - len(FAILURES) - self.deck.book, 0)


def _verdict(evaluation: Evaluation) -> I64:
    fails = np.where(evaluation.gap > evaluation.budget, 0, 1)
    return np.where(evaluation.holds, evaluation.captures + len(FAILURES), fails)
