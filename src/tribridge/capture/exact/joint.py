"""Both algorithms at once: Algorithm 1 on a hand, and Algorithm 2 on that hand and its dummy.

A row of two hands has a class for each algorithm: Algorithm 1 sees only its ones. Condition A of
Algorithm 1 implies that of Algorithm 2, since a second hand can only shorten a leading gap and the
budgets are equal. So the outcomes need one walk, over rows that satisfy Condition B of both
algorithms.

The captures of both need two walks with a mark in each. The marks are at two levels, in the same
suit or in different ones, and the other suits fall into sections: before both marks, between them,
after both. What is counted is the deals with an n-th capture in one walk and an m-th in the other,
that is, with at least n and m captures; differences give the distribution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.algorithm import Conditions
from tribridge.capture.exact.distribution import ExactDistribution, Joint, Verdict
from tribridge.capture.exact.single import (
    Captured,
    Progress,
    captures,
    gap_counts,
    gap_lists,
    no_progress,
    nothing_lists,
)
from tribridge.capture.exact.step6 import (
    LevelLists,
    Steps,
    Walk,
    around,
    card_places,
    card_space,
    classes_of,
    leading_gaps,
    qualifying,
)
from tribridge.capture.exact.tables import (
    I64,
    LOW_BITS,
    LOW_MASK,
    CountTable,
    Rows,
    Space,
    chains,
    sparse,
    whole,
    with_section,
)
from tribridge.capture.readings import Reading
from tribridge.capture.row_classes import hand_rows, pair_masks, pair_rows
from tribridge.cards.cards import Deck
from tribridge.common.compiled import njit

Kept = NDArray[np.bool_]
Alive = NDArray[np.object_]
"""By (n, m): the number of deals with at least n and m captures beyond the initial ones."""


@dataclass(frozen=True, slots=True)
class _Suit:
    """All rows of a suit of two hands, as arrays, with their classes for each algorithm."""

    space: Space
    cards: I64
    gaps: I64
    """Leading gaps of the first hand."""
    good: tuple[Kept, Kept]
    """Condition B of each algorithm."""
    classes: tuple[I64, I64]
    steps: tuple[list[Steps], list[Steps]]

    @classmethod
    def of(cls, deck: Deck, walk: Walk, reading: Reading) -> _Suit:
        size = deck.hand_size
        hands, pairs = hand_rows(deck.ranks), pair_rows(deck.ranks)
        ones, _ = pair_masks(deck.ranks)
        hands_good, pairs_good = qualifying(hands, reading, dummy=False), qualifying(pairs)
        # Rows that fail Condition B take no part in a walk: they do not need their own class.
        hand_classes, hand_steps = classes_of(hands * hands_good, walk)
        pair_classes, pair_steps = classes_of(pairs * pairs_good, walk)
        return cls(
            card_space(size, size),
            card_places(pairs, size, size),
            leading_gaps(hands)[ones],
            (hands_good[ones], pairs_good),
            (hand_classes[ones], pair_classes),
            (hand_steps, pair_steps),
        )

    def rows(self, kept: Kept, first: I64, second: I64) -> Rows:
        return Rows.grouped(self.space, self.cards[kept], first[kept], second[kept])

    def condition_a(self, kept: Kept, walk: Walk) -> int:
        """The number of deals of these rows that satisfy Condition A of Algorithm 1."""
        rows = self.rows(kept, self.gaps, 0 * self.gaps)
        return sum(gap_counts(rows, walk, walk.budget).values())

    def first_captures(self, kept: Kept, walk: Walk) -> list[int]:
        """How many of those have at least n captures in Algorithm 1, for n = 0, 1, ..."""
        rows = self.rows(kept, 0 * self.gaps, self.classes[0])
        captured = captures(rows, self.steps[0], walk, nothing_lists(1))
        return _alive(walk, self.condition_a(kept, walk), captured)

    def second_captures(self, kept: Kept, walk: Walk) -> list[int]:
        """How many of those have at least n captures in Algorithm 2, for n = 0, 1, ..."""
        rows = self.rows(kept, self.gaps, self.classes[1])
        captured = captures(rows, self.steps[1], walk, gap_lists(walk.budget))
        return _alive(walk, self.condition_a(kept, walk), captured)


def _alive(walk: Walk, total: int, captured: Captured) -> list[int]:
    alive = [total] + [0] * _longest(walk)
    for (_, (_, _, before)), count in captured.items():
        alive[before + 1] += count
    return alive


def _longest(walk: Walk) -> int:
    """One more capture than the check value allows, so that differences end in zero."""
    return max(walk.room, 0) + 1


def _exactly(alive: list[int], walk: Walk) -> dict[Verdict, int]:
    """The number of deals with exactly n captures, from the numbers with at least n."""
    return {walk.suits + n: a - b for n, (a, b) in enumerate(pairwise(alive))}


def count_joint(
    reading: Reading,
    hand_counts: ExactDistribution,
    pair_counts: ExactDistribution,
    *,
    with_captures: bool,
    progress: Progress = no_progress,
) -> Joint:
    """Count every ordered pair of hands by both verdicts, given each algorithm's distribution."""
    deck = pair_counts.deck
    walk = Walk.on(deck, pair_counts.budget)
    suit = _Suit.of(deck, walk, reading)
    good = suit.good[1]
    # Of the deals where both conditions of Algorithm 2 hold: all, those that satisfy Condition A of
    # Algorithm 1, and those that satisfy both of its conditions, by captures.
    if with_captures:
        hold: Mapping[Verdict, int] = _verdicts(pair_counts.captures)
        a_hold = _exactly(suit.second_captures(good, walk), walk)
        both_hold = _captures_of_both(suit, walk, progress)
    else:
        hold = {Conditions.BOTH_HOLD: pair_counts.both_hold}
        a_hold = {Conditions.BOTH_HOLD: suit.condition_a(good, walk)}
        firsts = _exactly(suit.first_captures(good & suit.good[0], walk), walk)
        both_hold = {(first, Conditions.BOTH_HOLD): count for first, count in firsts.items()}
    counts: Counter[tuple[Verdict, Verdict]] = Counter(both_hold)
    for second, count in hold.items():
        a_count = a_hold.get(second, 0)
        both_count = sum(n for (_, verdict), n in both_hold.items() if verdict == second)
        counts[Conditions.B_FAILS, second] = a_count - both_count
        counts[Conditions.A_FAILS, second] = count - a_count
    counts[Conditions.A_FAILS, Conditions.A_FAILS] = pair_counts.a_fails
    # The remaining deals of each verdict of Algorithm 1 fail Condition B of Algorithm 2.
    dummies = comb(deck.size - deck.hand_size, deck.hand_size)
    verdicts = _verdicts(hand_counts.captures) | {
        Conditions.A_FAILS: hand_counts.a_fails,
        Conditions.B_FAILS: hand_counts.b_fails,
    }
    for first, hands in verdicts.items():
        known = sum(n for (verdict, _), n in counts.items() if verdict == first)
        counts[first, Conditions.B_FAILS] = hands * dummies - known
    return Joint(
        deck, pair_counts.budget, reading.name, {pair: n for pair, n in counts.items() if n}
    )


def _verdicts(captures: Mapping[int, int]) -> dict[Verdict, int]:
    return dict(captures.items())


def _captures_of_both(
    suit: _Suit, walk: Walk, progress: Progress
) -> dict[tuple[Verdict, Verdict], int]:
    """The deals in which all four conditions hold, by the captures of both algorithms."""
    kept = suit.good[0] & suit.good[1]
    alive = _two_walks(suit.rows(kept, *suit.classes), suit.steps, walk, progress)
    alive[:, 0] = suit.first_captures(kept, walk)
    alive[0, :] = suit.second_captures(kept, walk)
    exactly = alive[:-1, :-1] - alive[1:, :-1] - alive[:-1, 1:] + alive[1:, 1:]
    return {(walk.suits + n, walk.suits + m): exactly[n, m] for n, m in np.ndindex(*exactly.shape)}


def _two_walks(
    rows: Rows, steps: tuple[list[Steps], list[Steps]], walk: Walk, progress: Progress
) -> Alive:
    """The number of deals with an n-th capture in the first walk and an m-th in the second."""
    size = _longest(walk) + 1
    alive = np.zeros((size, size), object)
    lists = [[walk.lists(classes, level) for level in walk.levels] for classes in steps]
    jobs = list(product(*lists))
    pool = ThreadPoolExecutor()
    try:
        work = pool.map(lambda job: _at_levels(rows, job[0], job[1], walk), jobs)
        for done, counts in enumerate(work, 1):
            alive[1:, 1:] += counts
            progress(done, len(jobs))
    finally:
        pool.shutdown(cancel_futures=True)  # if interrupted, stop after the levels in progress
    return alive


def _at_levels(rows: Rows, first: LevelLists, second: LevelLists, walk: Walk) -> Alive:
    """The same for marks at two given levels."""
    size = _longest(walk)
    high, low = np.zeros((2, size, size), np.int64)
    for left, right in _factors(rows, first, second, walk.suits):
        numbers = _numbers(left.first), _numbers(left.second)
        reach = _reach(left.first, right.first, walk), _reach(left.second, right.second, walk)
        _survive(sparse(left), numbers, _cumulated(right), reach, high, low)
    result = np.empty((size, size), object)
    for i, j in np.ndindex(size, size):
        result[i, j] = whole(high, low, i, j)
    return result


def _factors(
    rows: Rows, first: LevelLists, second: LevelLists, suits: int
) -> Iterator[tuple[CountTable, CountTable]]:
    """Pairs of tables whose products cover all places of two marks; the first has both marks."""
    after, before = rows.table(first.below, second.below), rows.table(first.up_to, second.up_to)
    yield around(rows.table(first.mark, second.mark), after, before, suits - 1)
    if suits == 1:
        return
    outside = chains((before, after), suits - 2)
    # First the first walk's mark in an earlier suit than the second's, then in a later one.
    marks = rows.table(first.mark, second.up_to) * rows.table(first.below, second.mark)
    yield marks, with_section(outside, rows.table(first.below, second.up_to))[-1]
    marks = rows.table(first.up_to, second.mark) * rows.table(first.mark, second.below)
    yield marks, with_section(outside, rows.table(first.up_to, second.below))[-1]


def _numbers(space: Space) -> I64:
    """The captures of each state."""
    return np.array([state[2] for state in space.states], np.int64)


def _shape(space: Space) -> tuple[int, int]:
    """The number of capture counts and of amounts spent in an unmarked space."""
    spent, _, numbers = zip(*space.states, strict=True)
    return max(numbers) + 1, max(spent) + 1


def _cumulated(table: CountTable) -> I64:
    """An unmarked table by (cards, captures, at most this much spent, and both for the second)."""
    counts = np.zeros((len(table.cards), *_shape(table.first), *_shape(table.second)), np.int64)
    for (i, x), (j, y) in product(enumerate(table.first.states), enumerate(table.second.states)):
        counts[:, x[2], x[0], y[2], y[0]] = table.counts[:, i, j]
    return counts.cumsum(axis=2).cumsum(axis=4)


def _reach(marked: Space, unmarked: Space, walk: Walk) -> I64:
    """The most the other suits may spend, or -1, by marked state and the others' captures."""
    numbers, amounts = _shape(unmarked)
    return np.array(
        [
            [
                max(-1, min(walk.budget - spent, walk.room - 1 - check - others, amounts - 1))
                for others in range(numbers)
            ]
            for spent, check, _ in marked.states
        ],
        np.int64,
    )


@njit(cache=True, nogil=True)
def _survive(
    marked: Any, numbers: tuple[I64, I64], others: I64, reach: tuple[I64, I64], high: I64, low: I64
) -> None:
    cards, first, second, counts = marked
    (first_numbers, second_numbers), (first_reach, second_reach) = numbers, reach
    goal = others.shape[0] - 1  # card states are numbered so that complete hands come last
    for entry in range(len(cards)):
        count = counts[entry]
        remaining = others[goal - cards[entry]]
        for n in range(first_reach.shape[1]):
            most_first = first_reach[first[entry], n]
            if most_first < 0:
                break
            i = first_numbers[first[entry]] + n
            for m in range(second_reach.shape[1]):
                most_second = second_reach[second[entry], m]
                if most_second < 0:
                    break
                other = remaining[n, most_first, m, most_second]
                j = second_numbers[second[entry]] + m
                total = low[i, j] + count * (other & LOW_MASK)
                high[i, j] += count * (other >> LOW_BITS) + (total >> LOW_BITS)
                low[i, j] = total & LOW_MASK
