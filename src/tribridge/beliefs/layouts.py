"""All deals that fit the hard evidence: counted, numbered and drawn without rejection.

**Layouts.** A layout is a complete deal that fits: an array of layouts has shape (n, 4), dtype
uint64, with columns 0 to 3 for North, East, South and the hidden hand (dummy in the play), each
the 52-bit mask of the hand *as dealt*. Every row is a complete deal; played cards belong to the
hand that played them. `tribridge.beliefs.chairs` gives the remaining cards in chair order, as the
double-dummy solver takes them.

**Counting.** Only loose cards (those in an unknown hand) vary. Suits interact only through the
sizes of the hands, so layouts are counted suit by suit: the state is the room left in each hidden
hand (except the last, which follows from the others), and a step splits a suit's loose cards over
the hands in a multinomial number of ways; a void hand takes none. All counts are exact integers:
three hidden hands of thirteen cards have 8.4e16 layouts, which fit into 64 bits. Four hidden hands
(a kibitzer's view before dummy is exposed) do not, and are rejected on large decks.

**Numbering.** The same table numbers the layouts from 0 to count - 1: the number selects the split
of the first suit by cumulative counts, then one of its holdings, and the remainder is the number
within the other suits. A uniform layout is therefore a uniform random number, and enumerating the
numbers enumerates all layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import comb, factorial, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.evidence import Evidence
from tribridge.cards.cards import HANDS, Card, Hand
from tribridge.cards.dealer_arrays import binomials, holding_tables, spread
from tribridge.cards.masks import I64, RANKS, ROWS, U64
from tribridge.common.errors import SettingError

_LARGEST: Final = 1 << 63
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class _Step:
    """One suit: how its loose cards can be split over the hidden hands.

    A state is the room left in all hidden hands but the last, as a mixed-radix number.
    """

    splits: I64  # (splits, hands): cards to each hand
    ways: I64  # (splits,): number of holdings of each split
    offsets: I64  # (splits,): how much a split reduces the state's number
    before: I64  # (states, splits + 1): layouts of the preceding splits; the last column is all
    arrivals: I64  # (states,): ways to reach a state through the preceding suits


@dataclass(frozen=True, slots=True)
class _Tables:
    steps: tuple[_Step, ...]
    start: int
    total: int


@lru_cache(maxsize=512)
def _tables(
    sizes: tuple[int, ...], needs: tuple[int, ...], open_: tuple[tuple[bool, ...], ...]
) -> _Tables:
    """The tables for loose cards by suit, room by hidden hand, and suits open to each hand."""
    _check_countable(sum(sizes), len(needs))
    shape = tuple(need + 1 for need in needs[:-1])
    states = prod(shape)
    strides = np.array([prod(shape[at + 1 :]) for at in range(len(shape))], dtype=np.int64)
    rooms = np.indices(shape).reshape(len(shape), -1).T if shape else np.zeros((1, 0), np.int64)
    numbers = np.arange(states)
    after = (numbers == 0).astype(np.int64)
    made: list[tuple[I64, I64, I64, I64, NDArray[np.bool_]]] = []
    for size, takers in reversed(list(zip(sizes, open_, strict=True))):
        splits = _splits(size, needs, takers)
        ways = np.array([_multinomial(split) for split in splits.tolist()], dtype=np.int64)
        offsets: I64 = (splits[:, :-1] @ strides).astype(np.int64)
        fits: NDArray[np.bool_] = np.all(rooms[:, None, :] >= splits[None, :, :-1], axis=2)
        following = np.where(fits, numbers[:, None] - offsets, 0)
        counts = np.where(fits, after[following] * ways, 0)
        before = np.zeros((states, len(splits) + 1), dtype=np.int64)
        np.cumsum(counts, axis=1, out=before[:, 1:])
        after = before[:, -1]
        made.append((splits, ways, offsets, before, fits))
    arrivals = (numbers == states - 1).astype(np.int64)
    steps: list[_Step] = []
    for splits, ways, offsets, before, fits in reversed(made):
        steps.append(_Step(splits, ways, offsets, before, arrivals))
        state, split = np.nonzero(fits)
        coming = np.zeros(states, dtype=np.int64)
        np.add.at(coming, state - offsets[split], arrivals[state] * ways[split])
        arrivals = coming
    return _Tables(tuple(steps), states - 1, int(after[states - 1]))


def _check_countable(cards: int, hands: int) -> None:
    """Reject counts that might not fit into 64 bits: equal hands have the most layouts."""
    if hands:
        even = [cards // hands + (at < cards % hands) for at in range(hands)]
        if _multinomial(even) >= _LARGEST:
            raise SettingError(
                f"{cards} unknown cards in {hands} hands have too many layouts: a kibitzer's "
                "beliefs start when dummy is exposed"
            )


def _splits(size: int, needs: Sequence[int], takers: Sequence[bool]) -> I64:
    """All ways to split `size` cards over hands with room for `needs`; only `takers` get any."""
    if not needs:
        return np.zeros((1, 0), dtype=np.int64)
    most = [min(size, need) if may else 0 for need, may in zip(needs, takers, strict=True)]
    firsts = product(*(range(top + 1) for top in most[:-1]))
    splits = [(*first, size - sum(first)) for first in firsts if 0 <= size - sum(first) <= most[-1]]
    return np.array(splits, dtype=np.int64).reshape(len(splits), len(needs))


def _multinomial(parts: Sequence[int]) -> int:
    return factorial(sum(parts)) // prod(factorial(part) for part in parts)


@dataclass(frozen=True)
class Layouts:
    """The layouts that fit the hard evidence, all equally likely given that evidence alone."""

    evidence: Evidence

    @cached_property
    def _table(self) -> _Tables:
        evidence = self.evidence
        open_ = tuple(
            tuple(evidence.void(hand, suit) is None for hand in evidence.hidden)
            for suit in range(evidence.deck.suits)
        )
        needs = tuple(evidence.needs[hand] for hand in evidence.hidden)
        return _tables(evidence.sizes, needs, open_)

    @property
    def count(self) -> int:
        """The number of layouts."""
        return self._table.total

    def sample(self, count: int, rng: np.random.Generator) -> U64:
        """Layouts drawn uniformly, with replacement: an array (count, 4)."""
        if count < 0:
            raise SettingError(f"the number of layouts must be 0 or more, not {count}")
        return self.at(rng.integers(0, self.count, size=count))

    def every(self, limit: int) -> U64:
        """All layouts in order of their numbers; an error if there are more than the limit."""
        if self.count > limit:
            raise SettingError(f"{self.count:,} layouts are more than the limit of {limit:,}")
        return self.at(np.arange(self.count))

    def at(self, numbers: I64) -> U64:
        """The layouts with these numbers."""
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < self.count:
            raise SettingError(f"layouts are numbered from 0 to {self.count - 1:,}")
        parts = [
            self._at(numbers[begin : begin + _CHUNK]) for begin in range(0, len(numbers), _CHUNK)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, HANDS), dtype=np.uint64)

    def _at(self, numbers: I64) -> U64:
        evidence, table = self.evidence, self._table
        result = np.empty((len(numbers), HANDS), dtype=np.uint64)
        result[:] = np.array(evidence.known, dtype=np.uint64)
        if not evidence.hidden:
            return result
        remainder = numbers.astype(np.int64)
        state = np.full(len(remainder), table.start)
        for suit, step in enumerate(table.steps):
            if not evidence.sizes[suit]:
                continue
            split = _last_not_above(step.before, state, remainder)
            remainder = remainder - step.before[state, split]
            # Each holding of a split has the same number of layouts after it.
            within = step.before[state, split + 1] - step.before[state, split]
            digit, remainder = np.divmod(remainder, within // step.ways[split])
            state = state - step.offsets[split]
            self._hold(result, suit, step.splits[split], digit)
        return result

    def _hold(self, result: U64, suit: int, lengths: I64, digit: I64) -> None:
        """Give each hidden hand its cards of a suit, by the number of the holding."""
        (flat, starts), ways = holding_tables(RANKS), binomials(RANKS)
        row = np.full(len(digit), self.evidence.row(suit))
        size = lengths.sum(axis=1)
        shift = np.uint64(RANKS * suit)
        hidden = self.evidence.hidden
        for at, hand in enumerate(hidden[:-1]):
            length = lengths[:, at]
            if at == len(hidden) - 2:
                number = digit
            else:
                digit, number = np.divmod(digit, ways[size, length])
            taken = spread(flat[starts[size, length] + number], row, RANKS)
            row = row ^ taken
            size = size - length
            result[:, hand] |= taken.astype(np.uint64) << shift
        result[:, hidden[-1]] |= row.astype(np.uint64) << shift

    def lengths(self, hand: int, suit: int) -> tuple[int, ...]:
        """The exact number of layouts that deal a hand 0, 1, 2, ... cards of a suit."""
        known = (self.evidence.known[hand] >> RANKS * suit & ROWS - 1).bit_count()
        counts = [0] * (self.evidence.deck.ranks + 1)
        for loose, count in self._loose_lengths((hand,), suit).items():
            counts[known + loose] += count
        return tuple(counts)

    def holding(self, hand: int, card: Card) -> int:
        """The exact number of layouts that deal a card to a hand."""
        return self.count - self.without((hand,), Hand(card.bit))

    def without(self, hands: Sequence[int], cards: Hand) -> int:
        """The exact number of layouts that deal none of the cards, all of one suit, to these hands.

        Loose cards of a suit are interchangeable: among all holdings of a given length, the share
        that avoids some cards is a ratio of binomials.
        """
        suits = {card.row for card in cards}
        if len(suits) > 1:
            raise SettingError(f"{cards} are from {len(suits)} suits: expected cards of one suit")
        if any(self.evidence.known[hand] & cards.mask for hand in hands):
            return 0
        missing = len(cards & Hand(self.evidence.loose))
        if not missing:
            return self.count
        (suit,) = suits
        size = self.evidence.sizes[suit]
        return sum(
            count * comb(size - missing, length) // comb(size, length)
            for length, count in self._loose_lengths(hands, suit).items()
        )

    def _loose_lengths(self, hands: Sequence[int], suit: int) -> dict[int, int]:
        """The number of layouts by how many loose cards of a suit these hands get together."""
        places = [at for at, hand in enumerate(self.evidence.hidden) if hand in hands]
        step = self._table.steps[suit]
        # Ways to reach a state times the ways to continue from it by a split: layouts per split.
        through = step.arrivals @ np.diff(step.before, axis=1)
        counts: dict[int, int] = {}
        lengths = step.splits[:, places].sum(axis=1)
        for length, count in zip(lengths.tolist(), through.tolist(), strict=True):
            counts[length] = counts.get(length, 0) + count
        return counts


def _last_not_above(table: I64, rows: I64, values: I64) -> I64:
    """For each row, the last column but one whose entry is at most the value (binary search)."""
    low = np.zeros(len(rows), dtype=np.int64)
    last = table.shape[1] - 2
    step = 1 << last.bit_length()
    while step := step >> 1:
        probe = np.minimum(low + step, last)
        low = np.where(table[rows, probe] <= values, probe, low)
    return low
