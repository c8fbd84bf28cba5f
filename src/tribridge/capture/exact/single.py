"""One algorithm at a time: the distributions of Algorithms 1 and 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.exact.distribution import ExactDistribution
from tribridge.capture.exact.step6 import (
    NOTHING,
    State,
    Steps,
    Walk,
    around,
    card_places,
    card_space,
    classes_of,
    leading_gaps,
    qualifying,
)
from tribridge.capture.exact.tables import CountTable, Lists, Rows, Space, nothing
from tribridge.capture.readings import NATURAL, Reading
from tribridge.capture.row_classes import hand_rows, pair_rows
from tribridge.cards.cards import Deck
from tribridge.cards.masks import U64

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the total."""

Captured = Mapping[tuple[tuple[int, ...], State], int]
"""The number of deals with a capture, by the state of another coordinate and of the capture."""


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""


def count_algorithm1(
    deck: Deck, budget: int, reading: Reading, progress: Progress = no_progress
) -> ExactDistribution:
    """Algorithm 1 on every hand of a deck."""
    words = hand_rows(deck.ranks)
    good = qualifying(words, reading, dummy=False)
    return _count(words, good, deck, budget, 0, progress)


def count_algorithm2(
    deck: Deck, budget: int, progress: Progress = no_progress
) -> ExactDistribution:
    """Algorithm 2 on every ordered pair of hands of a deck."""
    words = pair_rows(deck.ranks)
    return _count(words, qualifying(words, NATURAL), deck, budget, deck.hand_size, progress)


def _count(
    words: U64,
    good: NDArray[np.bool_],
    deck: Deck,
    budget: int,
    second_hand: int,
    progress: Progress,
) -> ExactDistribution:
    walk = Walk.on(deck, budget)
    space = card_space(deck.hand_size, second_hand)
    cards, gaps = card_places(words, deck.hand_size, second_hand), leading_gaps(words)
    total_gap = gap_counts(Rows.grouped(space, cards, gaps, 0 * gaps), walk, deck.size)
    cards, gaps, words = cards[good], gaps[good], words[good]
    classes, steps = classes_of(words, walk)
    starts = gap_counts(Rows.grouped(space, cards, gaps, 0 * gaps), walk, walk.budget)
    rows = Rows.grouped(space, cards, gaps, classes)
    side = gap_lists(min(walk.budget, max(walk.room - 1, 0)))
    captured = captures(rows, steps, walk, side, progress)
    return ExactDistribution(deck, budget, total_gap, _ends(walk, starts, captured))


def gap_lists(most: int) -> Lists:
    """The coordinate that sums leading gaps, up to a limit."""
    space = Space(tuple((gap,) for gap in range(most + 1)))
    return Lists.of(space, [[(gap,)] for gap in range(max(most, 13) + 1)])


def nothing_lists(classes: int) -> Lists:
    """An unused coordinate."""
    return Lists.of(NOTHING, [[()]] * classes)


def gap_counts(rows: Rows, walk: Walk, most: int) -> dict[int, int]:
    """The number of deals of these rows by total leading gap, their first coordinate."""
    table = rows.table(gap_lists(most), nothing_lists(int(rows.second.max(initial=0)) + 1))
    pairs = reduce(CountTable.__mul__, [table] * ((walk.suits + 1) // 2))
    others = [table] * (walk.suits // 2) or [nothing(table.cards, table.first, table.second)]
    counts = pairs.deals(reduce(CountTable.__mul__, others))
    return {gap[0]: count for (gap, _), count in counts.items()}


def captures(
    rows: Rows, steps: list[Steps], walk: Walk, side: Lists, progress: Progress = no_progress
) -> Captured:
    """The number of deals with a capture in each state, by the state of the first coordinate.

    The second coordinate of the rows is the index of their steps. A capture's state is that of a
    mark on it, see `step6`.
    """
    counts: Counter[tuple[tuple[int, ...], State]] = Counter()
    for level in walk.levels:
        lists = walk.lists(steps, level)
        below, up_to, mark = (
            rows.table(side, choice) for choice in (lists.below, lists.up_to, lists.mark)
        )
        left, right = around(mark, below, up_to, walk.suits - 1)
        for (other, (spent, check, before)), count in left.deals(right).items():
            counts[other, (spent, check, before)] += count
        progress(level + 1, len(walk.levels))
    return dict(counts)


def _ends(
    walk: Walk, starts: Mapping[int, int], captured: Captured
) -> dict[tuple[int, int, int], int]:
    """Where the walks end, as (total gap, captures, check), from their starts and captures.

    A walk ends where it arrives if no capture takes place from there.
    """
    left: Counter[tuple[int, int, int]] = Counter()
    for gap, count in starts.items():
        left[gap, 0, gap] += count
    for ((gap,), (spent, check, before)), count in captured.items():
        left[gap, before, check - before] -= count
        left[gap, before + 1, spent] += count
    return {
        (gap, walk.suits + taken, walk.suits + taken + spent): count
        for (gap, taken, spent), count in sorted(left.items())
        if count
    }
