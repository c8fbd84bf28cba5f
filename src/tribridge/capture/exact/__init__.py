"""Exact distributions of Algorithms 1 and 2, by counting every deal.

Examples:
    >>> from tribridge.cards.cards import Deck
    >>> deck = Deck(2, 4)
    >>> algorithm2(deck).total, algorithm2(deck).both_hold, dict(algorithm2(deck).captures)
    (420, 36, {2: 36})

There are 635,013,559,600 hands and 5.2e21 pairs of hands, but a suit matters only through its class
(`tribridge.capture.row_classes`), and four suits interact only through sums (`step6`). So small
tables are multiplied (`tables`), once for each level. `docs/explanation/exact.md` explains it from
the beginning.

Results can be stored on disk (`store`); every function here does so with `cache=True`.
"""

from __future__ import annotations

from collections.abc import Callable

from tribridge.capture.algorithm import default_budget
from tribridge.capture.exact.distribution import CountedDeck as CountedDeck
from tribridge.capture.exact.distribution import ExactDistribution as ExactDistribution
from tribridge.capture.exact.distribution import Joint as Joint
from tribridge.capture.exact.distribution import Verdict as Verdict
from tribridge.capture.exact.joint import count_joint
from tribridge.capture.exact.single import Progress as Progress
from tribridge.capture.exact.single import count_algorithm1, count_algorithm2, no_progress
from tribridge.capture.exact.store import Key, R, stored
from tribridge.capture.readings import NATURAL, Reading
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.common.errors import SettingError


def algorithm1(
    deck: Deck = FULL_DECK,
    budget: int | None = None,
    reading: Reading = NATURAL,
    *,
    progress: Progress = no_progress,
    cache: bool = False,
) -> ExactDistribution:
    """Algorithm 1 on every hand of a deck.

    Examples:
        >>> chance = algorithm1().tail(7)
        >>> chance.numerator, chance.denominator, round(float(chance), 6)
        (23729684709, 635013559600, 0.037369)
    """
    budget = _checked(deck, budget)
    key = Key("algorithm1", deck, budget, reading.name)
    return _stored(key, cache, lambda: count_algorithm1(deck, budget, reading, progress))


def algorithm2(
    deck: Deck = FULL_DECK,
    budget: int | None = None,
    *,
    progress: Progress = no_progress,
    cache: bool = False,
) -> ExactDistribution:
    """Algorithm 2 on every hand of a deck with every possible dummy."""
    budget = _checked(deck, budget)
    key = Key("algorithm2", deck, budget, NATURAL.name)
    return _stored(key, cache, lambda: count_algorithm2(deck, budget, progress))


def joint(
    deck: Deck = FULL_DECK,
    budget: int | None = None,
    reading: Reading = NATURAL,
    *,
    captures: bool = False,
    progress: Progress = no_progress,
    cache: bool = False,
) -> Joint:
    """The joint distribution of Algorithm 1's result and Algorithm 2's outcome over all pairs.

    With `captures`, Algorithm 2's captures are included, which takes about ten times as long.
    """
    budget = _checked(deck, budget)

    def count() -> Joint:
        hands = algorithm1(deck, budget, reading, cache=cache)
        pairs = algorithm2(deck, budget, cache=cache)
        return count_joint(reading, hands, pairs, with_captures=captures, progress=progress)

    key = Key("joint captures" if captures else "joint", deck, budget, reading.name)
    return _stored(key, cache, count)


def _stored(key: Key, cache: bool, count: Callable[[], R]) -> R:
    return stored(key, count) if cache else count()


def _checked(deck: Deck, budget: int | None) -> int:
    if budget is None:
        return default_budget(deck)
    if budget < 0:
        raise SettingError(f"the budget must be 0 or more, not {budget}")
    return budget
