"""Other decks and budgets: array counts against the algorithms as written, and against exact."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tribridge.capture import NATURAL, READINGS, Conditions, exact
from tribridge.capture.algorithm import Result, algorithm1, algorithm2
from tribridge.capture.simulation.arrays import FAILURES, DeckWork
from tribridge.cards import Deck, Hand, cards_of
from tribridge.dealer import deal
from tribridge.errors import SettingError

DEALS = 400


def code(result: Result) -> int:
    held = result.outcome is Conditions.BOTH_HOLD
    return len(FAILURES) + result.captures if held else FAILURES.index(result.outcome)


@pytest.mark.parametrize(
    ("deck", "budget", "reading"),
    [
        (Deck(1, 4), 1, "natural"),
        (Deck(2, 4), 1, "non-strict"),
        (Deck(3, 4), 2, "gap-paid"),
        (Deck(3, 12), 6, "natural"),
        (Deck(4, 13), 9, "gap-paid"),
        (Deck(4, 3), 0, "non-strict"),
    ],
    ids=str,
)
def test_counts_equal_the_algorithms_as_written(deck: Deck, budget: int, reading: str) -> None:
    work = DeckWork(deck, budget, reading, seed=7)
    pairs, games, passed = work.split(work.run((0, DEALS)))
    seen: Counter[tuple[int, int]] = Counter()
    contracts: Counter[tuple[int, int, int, int]] = Counter()
    for number in range(DEALS):
        hands = deal(7, number, deck).hands
        ones = [algorithm1(hand, deck, budget, READINGS[reading]) for hand in hands]
        seen[code(ones[0]), code(algorithm2(hands[0], hands[1], deck, budget))] += 1
        levels = [max(0, one.captures - deck.book) for one in ones]
        if max(levels[:3]):
            seat = levels.index(max(levels[:3]))
            result = algorithm2(hands[seat], hands[3], deck, budget)
            contracts[seat, levels[seat] - 1, levels[3], code(result)] += 1
    assert {tuple(at): int(pairs[tuple(at)]) for at in np.argwhere(pairs).tolist()} == seen
    assert {tuple(at): int(games[tuple(at)]) for at in np.argwhere(games).tolist()} == contracts
    assert passed == DEALS - contracts.total()


@pytest.mark.parametrize(("deck", "budget"), [(Deck(1, 8), 2), (Deck(2, 4), 2), (Deck(4, 2), 4)])
def test_exact_counts_equal_enumeration(deck: Deck, budget: int) -> None:
    """What simulations are tested against, from every pair of hands of a tiny deck."""
    cards = list(cards_of(deck.mask))
    ones: Counter[int] = Counter()
    twos: Counter[int] = Counter()
    for first in combinations(cards, deck.hand_size):
        hand = Hand(first)
        ones[code(algorithm1(hand, deck, budget, NATURAL))] += 1
        for second in combinations([card for card in cards if card not in hand], deck.hand_size):
            twos[code(algorithm2(hand, Hand(second), deck, budget))] += 1
    for counted, seen in (
        (exact.algorithm1(deck, budget), ones),
        (exact.algorithm2(deck, budget), twos),
    ):
        assert counted.total == seen.total()
        assert (counted.a_fails, counted.b_fails) == (seen[0], seen[1])
        assert dict(counted.captures) == {at - 2: n for at, n in sorted(seen.items()) if at > 1}


def test_bad_settings_are_refused() -> None:
    with pytest.raises(SettingError, match="into four equal"):
        DeckWork(Deck(3, 3), 1)
    with pytest.raises(SettingError, match="deck of 3x4"):
        DeckWork(Deck(3, 4), 13)
