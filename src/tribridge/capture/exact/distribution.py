"""What is counted, decks of up to eight suits, and the results: integers and fractions of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Final

from tribridge.capture.algorithm import Conditions
from tribridge.cards.cards import Deck
from tribridge.common.errors import SettingError

Counts = Mapping[int, int]

MOST_SUITS: Final = 8
MOST_IN_HALF: Final = 26
"""Cards in half of the suits, rounded up. Tables of half of the suits are multiplied in 64 bits,
which has room for as many cards as the full deck has there."""


@dataclass(frozen=True, init=False, slots=True)
class CountedDeck(Deck):
    """A deck for exact counts only, of up to eight suits.

    Both algorithms are defined for any number of suits, and so is counting: it needs how many cards
    there are, not what they are called. Cards, bids, the dealer and with them the simulations have
    four suits.

    Examples:
        >>> CountedDeck(5, 8).hand_size
        10
    """

    def __post_init__(self) -> None:
        if not (1 <= self.suits <= MOST_SUITS and 1 <= self.ranks <= 13):
            raise SettingError(
                f"no deck of {self.suits} suits x {self.ranks} ranks: 1 to {MOST_SUITS} suits and "
                "1 to 13 ranks can be counted"
            )
        if (self.suits + 1) // 2 * self.ranks > MOST_IN_HALF:
            raise SettingError(
                f"a deck of {self} is too large to count: half of its suits may have at most "
                f"{MOST_IN_HALF} cards, as in 4x13, 5x8, 6x8 or 8x6"
            )


@dataclass(frozen=True)
class ExactDistribution:
    """All hands of a deck under Algorithm 1, or all pairs of hands under Algorithm 2.

    Captures and check values are counted only where both conditions hold.
    """

    deck: Deck
    budget: int
    total_gap: Counts = field(repr=False)
    """The number of hands or pairs by total leading gap, whether or not the conditions hold."""
    cells: Mapping[tuple[int, int, int], int] = field(repr=False)
    """The number by (total gap, captures, check), where both conditions hold."""

    def __str__(self) -> str:
        if not self.both_hold:
            return f"{self.total:,} counted, both conditions hold for none"
        return (
            f"{self.total:,} counted, both conditions hold for {self.both_hold / self.total:.2%}, "
            f"which capture {float(self.mean):.2f} on average"
        )

    @cached_property
    def total(self) -> int:
        """The total number of hands or pairs."""
        return sum(self.total_gap.values())

    @cached_property
    def a_fails(self) -> int:
        """How many fail Condition A."""
        return sum(count for gap, count in self.total_gap.items() if gap > self.budget)

    @cached_property
    def b_fails(self) -> int:
        """How many satisfy Condition A but fail Condition B."""
        return self.total - self.a_fails - self.both_hold

    @cached_property
    def both_hold(self) -> int:
        """How many satisfy both conditions."""
        return sum(self.cells.values())

    @cached_property
    def captures(self) -> Counts:
        """The number of hands or pairs by captures."""
        return self._margin(1)

    @cached_property
    def check(self) -> Counts:
        """The number of hands or pairs by final check value."""
        return self._margin(2)

    def _margin(self, place: int) -> Counts:
        counts: Counter[int] = Counter()
        for cell, count in self.cells.items():
            counts[cell[place]] += count
        return dict(sorted(counts.items()))

    def probability(self, outcome: Conditions) -> Fraction:
        """The chance of an outcome of the conditions.

        Examples:
            >>> counts = ExactDistribution(Deck(2, 4), 1, {0: 3, 2: 1}, {(0, 2, 2): 1})
            >>> counts.probability(Conditions.B_FAILS)
            Fraction(1, 2)
        """
        counts = {Conditions.A_FAILS: self.a_fails, Conditions.B_FAILS: self.b_fails}
        return Fraction(counts.get(outcome, self.both_hold), self.total)

    @property
    def mean(self) -> Fraction:
        """The mean number of captures where both conditions hold."""
        if not self.both_hold:
            raise SettingError(f"both conditions never hold on a deck of {self.deck}")
        return Fraction(sum(t * count for t, count in self.captures.items()), self.both_hold)

    def quantile(self, share: Fraction | float) -> int:
        """The smallest number of captures that covers this share of the both-hold cases."""
        if not 0 <= share <= 1:
            raise SettingError(f"a quantile must be 0 to 1, not {share}")
        if not self.both_hold:
            raise SettingError(f"both conditions never hold on a deck of {self.deck}")
        within = accumulate(self.captures.values())
        return next(
            t
            for t, count in zip(self.captures, within, strict=True)
            if count >= Fraction(share) * self.both_hold
        )

    def tail(self, captures: int) -> Fraction:
        """The chance of at least this many captures; a failed condition counts as none."""
        enough = sum(count for t, count in self.captures.items() if t >= captures)
        return Fraction(enough if captures > 0 else self.total, self.total)


Verdict = Conditions | int
"""The verdict of an algorithm: the condition that fails, or the captures if both hold."""


@dataclass(frozen=True)
class Joint:
    """All pairs of hands by the verdicts of Algorithm 1 on the first and Algorithm 2 on both.

    The second verdict is the captures, or only the outcome if captures were not requested.
    """

    deck: Deck
    budget: int
    reading: str
    counts: Mapping[tuple[Verdict, Verdict], int]

    @cached_property
    def total(self) -> int:
        """The number of pairs."""
        return sum(self.counts.values())

    @cached_property
    def firsts(self) -> Mapping[Verdict, int]:
        """The number of pairs by Algorithm 1's verdict."""
        margin: Counter[Verdict] = Counter()
        for (first, _), count in self.counts.items():
            margin[first] += count
        return dict(margin)

    @cached_property
    def outcomes(self) -> Mapping[tuple[Verdict, Conditions], int]:
        """The number of pairs by Algorithm 1's verdict and Algorithm 2's outcome."""
        margin: Counter[tuple[Verdict, Conditions]] = Counter()
        for (first, second), count in self.counts.items():
            outcome = second if isinstance(second, Conditions) else Conditions.BOTH_HOLD
            margin[first, outcome] += count
        return dict(margin)

    def success(self, first: Verdict) -> Fraction:
        """The chance that both conditions hold with the dummy, given Algorithm 1's verdict."""
        if not self.firsts.get(first):
            raise SettingError(f"Algorithm 1 never gives {first} on a deck of {self.deck}")
        return Fraction(self.outcomes.get((first, Conditions.BOTH_HOLD), 0), self.firsts[first])
