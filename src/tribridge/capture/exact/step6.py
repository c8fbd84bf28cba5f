"""A suit's part in the walk of Step 6, level by level.

A walk is Step 6 on a whole deal: captures in the order of (level, suit, place), see
`tribridge.capture.row_classes`, until one cannot be afforded or the check value reaches its target.
Gaps and check value only grow, so a capture takes place if and only if

- it and all captures before it together cost no more than the budget, and
- the check value before it is below the target.

Both are sums over the suits of what each suit has done before the *marked* capture: a suit before
the marked one has made its captures up to the mark's level, a suit after it those below that level,
and the marked suit those before the mark. Nothing else has to be counted. A deal has at most one
n-th capture for each n, so no deal is counted twice.

**Encoding.** A state is (spent, check, captures). `captures` are those before the mark, excluding
the initial capture of each suit; `check` is the check value before the mark minus those initial
captures; `spent` is the cost of leading gaps and captures, including the mark. A group of suits
without the mark has check = spent + captures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.exact.tables import I64, CountTable, Lists, Space, chains
from tribridge.capture.readings import NATURAL, Reading
from tribridge.capture.row_classes import C1_SHIFT, C2_SHIFT, LEADING_SHIFT, RowClass, field, unpack
from tribridge.cards.cards import Deck
from tribridge.cards.masks import U64

State = tuple[int, int, int]
Steps = tuple[int, tuple[int, ...]]
"""A leading gap and the effective gaps up to the first one that can never be afforded."""

NOTHING = Space(((),))
"""The space of an unused coordinate."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The walk on a deck with a budget."""

    suits: int
    ranks: int
    target: int
    budget: int

    @classmethod
    def on(cls, deck: Deck, budget: int) -> Walk:
        """The walk of a deck; no deal can spend more than its number of cards."""
        return cls(deck.suits, deck.ranks, deck.hand_size, min(budget, deck.size))

    @property
    def room(self) -> int:
        """How far the check value is from its target after the initial captures, without gaps."""
        return self.target - self.suits

    @property
    def levels(self) -> range:
        """The levels that can be marked."""
        return range(min(self.budget, self.ranks - 1) + 1) if self.room > 0 else range(0)

    def unmarked(self, level: int) -> Space:
        """The states of suits without the mark that leave enough budget for a gap of its level."""
        return Space(
            tuple(
                (spent, spent + captures, captures)
                for spent in range(min(self.budget - level, self.room - 1) + 1)
                for captures in range(self.room - spent)
            )
        )

    def marked(self, level: int) -> Space:
        """The states with a mark at a level: the first of its level in the suit, or a later one."""
        return Space(
            tuple(
                (before + gap, before + captures, captures)
                for before in range(min(self.budget, self.room - 1) + 1)
                for captures in range(self.room - before)
                for gap in range(level + 1)
                if before + gap <= self.budget and (gap == level or before >= level)
            ),
            marked=True,
        )

    def steps(self, row: RowClass) -> Steps:
        """A class, cut after the first capture that could not take place even on its own."""
        spent = row.leading_gap
        for place, gap in enumerate(row.gaps):
            if spent + gap > self.budget or spent + place >= self.room:
                return row.leading_gap, (*row.gaps[:place], min(gap, self.budget + 1))
            spent += gap
        return row.leading_gap, row.gaps

    def lists(self, classes: list[Steps], level: int) -> LevelLists:
        """The states of classes below a level, up to it, and at each mark of that level."""
        unmarked, marked = self.unmarked(level), self.marked(level)
        return LevelLists(
            Lists.of(unmarked, [[_up_to(steps, level - 1)] for steps in classes]),
            Lists.of(unmarked, [[_up_to(steps, level)] for steps in classes]),
            Lists.of(marked, [list(_marks(steps, level)) for steps in classes]),
        )


@dataclass(frozen=True, slots=True)
class LevelLists:
    """A coordinate's states at one level."""

    below: Lists
    up_to: Lists
    mark: Lists


def _up_to(steps: Steps, level: int) -> State:
    """The state after all captures up to a level."""
    spent, gaps = steps
    captures = 0
    for gap in gaps:
        if gap > level:
            break
        spent += gap
        captures += 1
    return spent, spent + captures, captures


def _marks(steps: Steps, level: int) -> Iterator[State]:
    """The states with the mark on each capture of a level."""
    spent, gaps = steps
    reached = 0
    for captures, gap in enumerate(gaps):
        reached = max(reached, gap)
        if reached == level:
            yield spent + gap, spent + captures, captures
        spent += gap


def around(
    mark: CountTable, below: CountTable, up_to: CountTable, others: int
) -> tuple[CountTable, CountTable]:
    """Two tables whose product puts `others` suits around the mark, in every position.

    Suits before the mark count up to its level, suits after it only below. Three others are split
    so that neither table has more than two suits: a^3 + a^2 b + a b^2 + b^3 = (a + b)(a^2 + b^2).
    """
    if others == 3:
        return mark * (up_to + below), up_to * up_to + below * below
    return mark, chains((up_to, below), others)[-1]


def card_space(first: int, second: int) -> Space:
    """The numbers of cards of two hands; complete hands come last."""
    return Space(tuple(product(range(first + 1), range(second + 1))))


def card_places(words: U64, first: int, second: int) -> I64:
    """The place of each row's cards in that space; -1 if there are too many."""
    c1, c2 = field(words, C1_SHIFT), field(words, C2_SHIFT)
    return np.where((c1 <= first) & (c2 <= second), c1 * (second + 1) + c2, -1)


def leading_gaps(words: U64) -> I64:
    """The leading gap of each row."""
    return field(words, LEADING_SHIFT)


def qualifying(words: U64, reading: Reading = NATURAL, *, dummy: bool = True) -> NDArray[np.bool_]:
    """Condition B for each row."""
    least = leading_gaps(words) + reading.strict
    c1, c2 = field(words, C1_SHIFT), field(words, C2_SHIFT)
    return (c1 >= least) & ((c2 >= least) | (not dummy))


def classes_of(words: U64, walk: Walk) -> tuple[I64, list[Steps]]:
    """An index into the distinct steps for each row, and the distinct steps."""
    different, inverse = np.unique(words, return_inverse=True)
    number: dict[Steps, int] = {}
    numbers = [
        number.setdefault(walk.steps(unpack(word)), len(number)) for word in different.tolist()
    ]
    return np.array(numbers, np.int64)[inverse], list(number)
