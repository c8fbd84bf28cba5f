"""Count tables and their products, in exact integers.

A table counts rows, or groups of rows of several suits, by three coordinates: the cards of the two
hands, and two states. Each coordinate is a small tuple of numbers that add up over suits, so
counting groups means multiplying tables: counts multiply, coordinates add. A sum outside the space
of its coordinate (too many cards, an overspent budget) is dropped.

**Encoding.** A space lists its states, and a table is an array of 64-bit integers by (cards, first
state, second state), each given by its place in the list. A table of two suits has entries below
2^41: there are at most 26!/(9! 9! 8!) < 2^37 pairs of rows with given numbers of ones, twos and
zeros, each counted at most once per state, and no sum of tables here has more than eight terms.
Counts of whole deals (up to 5.2e21) need two words: value = high 2^20 + low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.common.compiled import njit, quickest

I64 = NDArray[np.int64]
Places = NDArray[np.uint16]

LOW_BITS: Final = 20
LOW_MASK: Final = (1 << LOW_BITS) - 1


@dataclass(frozen=True, slots=True)
class Space:
    """The states that one coordinate can take."""

    states: tuple[tuple[int, ...], ...]
    marked: bool = False
    """Whether a group in one of these states contains the marked suit."""

    def __len__(self) -> int:
        return len(self.states)

    def sum_with(self, other: Space) -> Space:
        """The space that contains sums of states of both."""
        return self if self.marked or not other.marked else other


@cache
def _addition(left: Space, right: Space) -> Places:
    """The place of each sum of two states; a dropped sum gets the place after the last."""
    place = {state: at for at, state in enumerate(left.sum_with(right).states)}
    dropped = len(place)
    return np.array(
        [
            [
                place.get(tuple(x + y for x, y in zip(a, b, strict=True)), dropped)
                for b in right.states
            ]
            for a in left.states
        ],
        np.uint16,
    ).reshape(len(left), len(right))


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counts by cards, first state and second state."""

    cards: Space
    first: Space
    second: Space
    counts: I64

    def __add__(self, other: CountTable) -> CountTable:
        return CountTable(self.cards, self.first, self.second, self.counts + other.counts)

    def __mul__(self, other: CountTable) -> CountTable:
        """The table of groups that combine one group from each table."""
        first, second = self.first.sum_with(other.first), self.second.sum_with(other.second)
        counts = np.zeros((len(self.cards), len(first), len(second) + 1), np.int64)
        left, right = _runs(self), _runs(other)
        multiply = quickest(_multiply, len(left.counts) * len(right.counts))
        multiply(left, right, _additions(self, other), counts)
        return CountTable(self.cards, first, second, counts[:, :, :-1])

    def deals(self, other: CountTable) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
        """The number of combinations with complete hands, by both states."""
        first, second = self.first.sum_with(other.first), self.second.sum_with(other.second)
        high, low = np.zeros((2, len(first), len(second)), np.int64)
        left, right = _runs(self), _runs(other)
        finish = quickest(_finish, len(left.counts) * len(right.counts))
        finish(left, right, _additions(self, other), high, low)
        return {
            (first.states[i], second.states[j]): whole(high, low, i, j)
            for i, j in np.argwhere(high | low).tolist()
        }


def nothing(cards: Space, first: Space, second: Space) -> CountTable:
    """The table of no suits, the identity of the product; the spaces need a zero."""
    counts = np.zeros((len(cards), len(first), len(second)), np.int64)
    zeros = (space.states.index((0,) * len(space.states[0])) for space in (cards, first, second))
    counts[tuple(zeros)] = 1
    return CountTable(cards, first, second, counts)


def chains(tables: Sequence[CountTable], length: int) -> list[CountTable]:
    """For 0 to `length` suits, all ways to divide them into consecutive sections, one per table.

    These are the complete homogeneous polynomials: sums of all ordered products of that many
    tables, with repetition.
    """
    last = tables[-1]
    empty = nothing(last.cards, last.first, last.second)
    none = CountTable(last.cards, last.first, last.second, 0 * last.counts)
    result = [empty] + [none] * length
    for table in tables:
        result = with_section(result, table)
    return result


def with_section(shorter: Sequence[CountTable], table: CountTable) -> list[CountTable]:
    """Chains with one more section."""
    result = [shorter[0]]
    for chain in shorter[1:]:
        result.append(chain + (table * result[-1] if len(result) > 1 else table))
    return result


@dataclass(frozen=True, slots=True)
class Lists:
    """For each class of rows, the places of its states in a space: none, one or several."""

    space: Space
    starts: I64
    places: I64

    @classmethod
    def of(cls, space: Space, states: Sequence[Sequence[tuple[int, ...]]]) -> Lists:
        """The lists of these states; states outside the space are left out."""
        place = {state: at for at, state in enumerate(space.states)}
        lists = [[place[state] for state in group if state in place] for group in states]
        starts = np.cumsum([0, *map(len, lists)])
        return cls(space, starts, np.array([at for group in lists for at in group], np.int64))


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a suit, grouped: cards, class for each coordinate, and number of rows."""

    space: Space
    cards: I64
    first: I64
    second: I64
    counts: I64

    @classmethod
    def grouped(cls, space: Space, cards: I64, first: I64, second: I64) -> Rows:
        """Group rows; a row with a negative entry is left out."""
        kept = (cards >= 0) & (first >= 0) & (second >= 0)
        bases = [int(values.max(initial=0)) + 1 for values in (first, second)]
        keys = (cards[kept] * bases[0] + first[kept]) * bases[1] + second[kept]
        keys, counts = np.unique(keys, return_counts=True)
        keys, second = np.divmod(keys, bases[1])
        cards, first = np.divmod(keys, bases[0])
        return cls(space, cards, first, second, counts.astype(np.int64))

    def table(self, first: Lists, second: Lists) -> CountTable:
        """The rows, counted by cards and by every pair of states of their classes."""
        counts = np.zeros((len(self.space), len(first.space), len(second.space)), np.int64)
        rows = self.cards, self.first, self.second, self.counts
        fill = quickest(_fill, len(self.cards))
        fill(rows, (first.starts, first.places), (second.starts, second.places), counts)
        return CountTable(self.space, first.space, second.space, counts)


Additions = tuple[Places, Places, Places]
"""Where sums of cards, of first states and of second states have their places."""


def _additions(left: CountTable, right: CountTable) -> Additions:
    return (
        _addition(left.cards, right.cards),
        _addition(left.first, right.first),
        _addition(left.second, right.second),
    )


def sparse(table: CountTable) -> tuple[I64, I64, I64, I64]:
    """The nonzero entries: cards, both states, counts."""
    # As columns of one array they would have strides, but a single entry none: compiled twice.
    cards, first, second = map(np.ascontiguousarray, np.nonzero(table.counts))
    return cards, first, second, table.counts[cards, first, second]


class Runs(NamedTuple):
    """The nonzero entries of a table in runs with one first state, in the order of the cards."""

    starts: I64
    """By cards: the first run; an extra run at the front lets each start where the last ends."""
    first: I64
    """By run: its first state."""
    end: I64
    second: I64
    counts: I64


def _runs(table: CountTable) -> Runs:
    cards, first, second, counts = sparse(table)
    last = np.flatnonzero(np.diff(cards * len(table.first) + first, append=-1))
    starts = np.searchsorted(cards[last], np.arange(len(table.cards) + 1))
    return Runs(starts + 1, np.append(0, first[last]), np.append(0, last + 1), second, counts)


def whole(high: I64, low: I64, i: int, j: int) -> int:
    """The number held in the two words at a place."""
    return (int(high[i, j]) << LOW_BITS) + int(low[i, j])


@njit(cache=True, nogil=True)
def _fill(rows: Any, first_lists: Any, second_lists: Any, out: I64) -> None:
    cards, first, second, counts = rows
    (first_starts, first_places), (second_starts, second_places) = first_lists, second_lists
    for row in range(len(cards)):
        x, y = first[row], second[row]
        for a in range(first_starts[x], first_starts[x + 1]):
            for b in range(second_starts[y], second_starts[y + 1]):
                out[cards[row], first_places[a], second_places[b]] += counts[row]


@njit(cache=True, nogil=True)
def _multiply(left: Runs, right: Runs, add: Additions, out: I64) -> None:
    # The sums of two runs all lie in one short row of the result; a dropped second state goes into
    # an extra last column, which is cheaper than a test.
    starts, first, end, second, counts = left
    other_starts, other_first, other_end, other_second, other_counts = right
    add_cards, add_first, add_second = add
    for cards in range(len(starts) - 1):
        for other_cards in range(len(other_starts) - 1):
            c = add_cards[cards, other_cards]
            if c >= out.shape[0]:
                continue
            for run in range(starts[cards], starts[cards + 1]):
                for other_run in range(other_starts[other_cards], other_starts[other_cards + 1]):
                    i = add_first[first[run], other_first[other_run]]
                    if i >= out.shape[1]:
                        continue
                    row = out[c, i]
                    for x in range(end[run - 1], end[run]):
                        sums, count = add_second[second[x]], counts[x]
                        for y in range(other_end[other_run - 1], other_end[other_run]):
                            row[sums[other_second[y]]] += count * other_counts[y]


@njit(cache=True, nogil=True)
def _finish(left: Runs, right: Runs, add: Additions, high: I64, low: I64) -> None:
    starts, first, end, second, counts = left
    other_starts, other_first, other_end, other_second, other_counts = right
    add_cards, add_first, add_second = add
    goal = len(starts) - 2  # the last state of the cards: both hands complete
    for cards in range(len(starts) - 1):
        for other_cards in range(len(other_starts) - 1):
            if add_cards[cards, other_cards] != goal:
                continue
            for run in range(starts[cards], starts[cards + 1]):
                for other_run in range(other_starts[other_cards], other_starts[other_cards + 1]):
                    i = add_first[first[run], other_first[other_run]]
                    if i >= high.shape[0]:
                        continue
                    for x in range(end[run - 1], end[run]):
                        for y in range(other_end[other_run - 1], other_end[other_run]):
                            j = add_second[second[x], other_second[y]]
                            if j < high.shape[1]:
                                total = low[i, j] + counts[x] * (other_counts[y] & LOW_MASK)
                                high[i, j] += counts[x] * (other_counts[y] >> LOW_BITS)
                                high[i, j] += total >> LOW_BITS
                                low[i, j] = total & LOW_MASK
