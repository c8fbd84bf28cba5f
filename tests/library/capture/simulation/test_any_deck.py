"""Other decks and budgets: arrays of pairs of hands against the algorithm as written."""

from __future__ import annotations

import pytest

from tribridge.capture import Conditions
from tribridge.capture.algorithm import algorithm2
from tribridge.capture.simulation.arrays import pair
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.dealer_arrays import deal_masks


@pytest.mark.parametrize(
    ("deck", "budget"),
    [(Deck(1, 4), 1), (Deck(3, 4), 2), (Deck(3, 12), 6), (Deck(4, 13), 9), (Deck(4, 3), 0)],
    ids=str,
)
def test_pairs_of_any_deck_are_evaluated_as_written(deck: Deck, budget: int) -> None:
    masks = deal_masks(7, 0, 400, deck)
    evaluated = pair(masks[:, 0], masks[:, 1], deck=deck, budget=budget)
    for number in range(400):
        hands = deal(7, number, deck).hands
        result = algorithm2(hands[0], hands[1], deck, budget)
        assert evaluated.holds[number] == (result.outcome is Conditions.BOTH_HOLD)
        assert evaluated.captures[number] == result.captures
