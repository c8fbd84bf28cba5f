"""Algorithms 1 and 2 against a second, slow implementation, in every respect."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from tests.library.capture.layouts import stacked
from tests.library.capture.slow_reference import (
    RANKS,
    SUITS,
    Named,
    Step,
    Verdict,
    slow_algorithm1,
    slow_algorithm2,
)
from tribridge.capture import (
    READINGS,
    Conditions,
    Reading,
    Result,
    algorithm1,
    algorithm2,
)
from tribridge.cards.cards import FULL_DECK, Card, Deck, Hand, cards_of
from tribridge.cards.dealer_arrays import deal_masks

SEED = 20250805


def named(card: Card) -> Named:
    return SUITS[card.row], RANKS[card.column]


def summary(result: Result) -> Verdict:
    """A result in the words of the slow implementation."""
    steps = tuple(
        Step(
            named(c.card),
            c.holder,
            c.free,
            c.gap_paid,
            None if c.removed is None else named(c.removed),
        )
        for c in result.trace
    )
    if result.final is None or result.stop is None:
        return Verdict(result.outcome.value, result.captures, steps, result.check, None, None, None)
    held: tuple[set[Named], ...] = (set(), set(), set())
    for suit, row in enumerate(result.final.rows):
        for rank, holder in enumerate(row):
            held[holder].add((SUITS[suit], RANKS[rank]))
    return Verdict(
        result.outcome.value,
        result.captures,
        steps,
        result.check,
        frozenset(held[1]),
        frozenset(held[2]),
        result.stop.reason.name,
    )


def assert_agree2(hand: int, dummy: int, deck: Deck, budget: int | None = None) -> str:
    """Both implementations of Algorithm 2 say the same in every respect; returns the outcome."""
    expected = slow_algorithm2(hand, dummy, deck, budget)
    actual = summary(algorithm2(Hand(hand), Hand(dummy), deck, budget))
    assert actual == expected, f"{Hand(hand)} and {Hand(dummy)}, deck {deck}, budget {budget}"
    return expected.outcome


def assert_agree1(hand: int, deck: Deck, budget: int | None, reading: Reading) -> str:
    """Both implementations of Algorithm 1 say the same in every respect; returns the outcome."""
    expected = slow_algorithm1(hand, deck, budget, reading)
    actual = summary(algorithm1(Hand(hand), deck, budget, reading))
    assert actual == expected, f"{Hand(hand)}, deck {deck}, budget {budget}, {reading.name}"
    return expected.outcome


def all_hands(deck: Deck, without: int = 0) -> Iterator[int]:
    """The masks of all hands that the cards of a deck, less some, can make."""
    bits = [card.bit for card in cards_of(deck.mask & ~without)]
    return map(sum, combinations(bits, deck.hand_size))


@pytest.mark.full
def test_algorithm2_agrees_on_random_deals() -> None:
    deals = deal_masks(SEED, 0, 10_000).tolist()
    seen = Counter(assert_agree2(hand, dummy, FULL_DECK) for hand, dummy, _, _ in deals)
    assert min(seen[outcome.value] for outcome in Conditions) > 1_000


def test_algorithm2_agrees_on_a_few_random_deals() -> None:
    for budget in (None, 0, 3, 13):
        for hand, dummy, _, _ in deal_masks(SEED, 100_000, 500).tolist():
            assert_agree2(hand, dummy, FULL_DECK, budget)


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))
def test_algorithm1_agrees_on_random_deals(reading: Reading) -> None:
    deals = deal_masks(SEED, 200_000, 2_000).tolist()
    seen = Counter(assert_agree1(hand, FULL_DECK, None, reading) for hand, *_ in deals)
    assert min(seen[outcome.value] for outcome in Conditions) > 80


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deck", "budgets"),
    [
        (Deck(1, 4), (0, 1, 2, 4)),
        (Deck(1, 8), (0, 1, 2, 4, 8)),
        (Deck(2, 4), (0, 1, 2, 4, 8)),
        (Deck(4, 2), (0, 1, 2, 8)),
        (Deck(2, 2), (0, 1, 4)),
        (Deck(4, 1), (0, 1, 4)),
    ],
    ids=str,
)
def test_algorithm2_agrees_on_every_pair_of_a_small_deck(
    deck: Deck, budgets: tuple[int, ...]
) -> None:
    for budget in budgets:
        for hand in all_hands(deck):
            for dummy in all_hands(deck, without=hand):
                assert_agree2(hand, dummy, deck, budget)


@pytest.mark.full
@pytest.mark.parametrize(
    ("deck", "budget"),
    [(Deck(2, 6), 3), (Deck(3, 4), 2)],
    ids=str,
)
def test_algorithm2_agrees_on_every_pair_of_twelve_cards(deck: Deck, budget: int) -> None:
    pairs = 0
    for hand in all_hands(deck):
        for dummy in all_hands(deck, without=hand):
            assert_agree2(hand, dummy, deck, budget)
            pairs += 1
    assert pairs == 18_480  # 12! / (3! 3! 6!)


@pytest.mark.slow
@pytest.mark.parametrize(
    "deck",
    [Deck(4, 4), Deck(2, 8), Deck(3, 8), Deck(2, 12), Deck(4, 8), Deck(3, 12), Deck(4, 12)],
    ids=str,
)
def test_algorithm2_agrees_on_a_sample_of_a_middling_deck(deck: Deck) -> None:
    for budget in (None, 0, deck.hand_size):
        for hand, dummy, _, _ in deal_masks(SEED, 0, 200, deck).tolist():
            assert_agree2(hand, dummy, deck, budget)


@pytest.mark.slow
def test_algorithm2_agrees_on_long_suits() -> None:
    source = Random(SEED)
    free = 0
    for _ in range(1_000):
        hand, dummy = stacked(source, FULL_DECK, alone=False)
        assert_agree2(hand.mask, dummy.mask, FULL_DECK)
        free += any(c.free for c in algorithm2(hand, dummy).trace[4:])
    assert free > 100  # the sample does reach rows whose budget is spent


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))
def test_algorithm1_agrees_on_long_suits(reading: Reading) -> None:
    source = Random(SEED)
    free = 0
    for _ in range(500):
        hand, _dummy = stacked(source, FULL_DECK, alone=True)
        assert_agree1(hand.mask, FULL_DECK, None, reading)
        free += any(c.free for c in algorithm1(hand).trace[4:])
    assert free > 100


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))
@pytest.mark.parametrize("deck", [Deck(1, 12), Deck(2, 8), Deck(4, 4)], ids=str)
def test_algorithm1_agrees_on_every_hand_of_a_small_deck(deck: Deck, reading: Reading) -> None:
    for budget in (None, 0, deck.hand_size):
        for hand in all_hands(deck):
            assert_agree1(hand, deck, budget, reading)
