"""Kind `capture` beside the algorithms as the paper writes them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tribridge.capture import Conditions, Result, algorithm1, algorithm2, row_classes
from tribridge.cards.cards import Hand, Suit, card_at
from tribridge.cards.dealer import deal
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.forecast import capture
from tribridge.forecast.capture import CLASSES, LENGTHS, MOST_GAP, NOTRUMP, Captures, classes
from tribridge.lab.training.estimators import WEIGHT, fit_table


def in_order(hand: Hand, dummy: Hand | None) -> tuple[Hand, Hand | None]:
    """The hands with their suits renamed: the highest row class becomes Clubs, and so on."""

    def word(suit: Suit) -> int:
        twos = 0 if dummy is None else dummy.row(suit.index)
        number = row_classes.ternary(13)[hand.row(suit.index)] + 2 * row_classes.ternary(13)[twos]
        return int(row_classes.pair_rows(13)[number])

    highest = sorted(Suit, key=word, reverse=True)
    order = tuple(highest.index(suit) for suit in Suit)
    return renamed(hand, order), None if dummy is None else renamed(dummy, order)


def renamed(hand: Hand, order: tuple[int, ...]) -> Hand:
    """A hand whose suit s has become suit order[s]."""
    return Hand(card_at(order[card.row], card.column) for card in hand)


def class_of(result: Result) -> int:
    if result.outcome is Conditions.BOTH_HOLD:
        return MOST_GAP + 1 + result.captures - 4
    return min(result.total_gap, MOST_GAP)


@pytest.mark.parametrize("cards", [13, 26])
def test_the_forecast_is_that_of_the_reference_s_class(cards: int) -> None:
    kind = Captures.load()
    masks = deal_masks(8, 0, 400)
    found = kind.from_hand(masks[:, 0]) if cards == 13 else kind.from_pair(masks[:, 0], masks[:, 1])
    held = 0
    for number in range(400):
        hand, dummy = deal(8, number).hands[:2]
        own, other = in_order(hand, dummy if cards == 26 else None)
        result = algorithm1(own) if other is None else algorithm2(own, other)
        held += result.outcome is Conditions.BOTH_HOLD
        table = (kind.single if cards == 13 else kind.pair)[class_of(result)]
        assert np.array_equal(found[number, 4], table[NOTRUMP])
        for suit in Suit:
            trumps = hand.length(suit) + (dummy.length(suit) if cards == 26 else 0)
            assert np.array_equal(found[number, suit], table[trumps])
    assert held > 20


def test_captures_hang_on_the_order_of_suits_but_the_class_does_not() -> None:
    masks = deal_masks(8, 0, 60)
    seen = set()
    for number in range(60):
        hand, dummy = deal(8, number).hands[:2]
        turned = [(renamed(hand, order), renamed(dummy, order)) for order in permutations(range(4))]
        seen.add(len({algorithm2(*pair).captures for pair in turned}) > 1)
        pairs = np.array([[one.mask for one in pair] for pair in turned], np.uint64)
        assert len(set(classes(pairs[:, 0], pairs[:, 1]).tolist())) == 1
    assert seen == {True, False}
    assert len(classes(masks[:, 0])) == 60


def test_counts_outweigh_the_curve_where_there_are_many() -> None:
    """Ten thousand declarers of one class, all with nine tricks; the others get the curve."""
    hand = int(deal(8, 1).hands[0].mask)
    many = np.full(10_000, hand, np.uint64)
    tricks = np.full((10_000, 5), 9, np.int8)
    table = fit_table(many, None, tricks)
    assert table.shape == (CLASSES, LENGTHS, 14)
    number = int(classes(many[:1])[0])
    assert table[number, NOTRUMP, 9] == pytest.approx(1, abs=2 * WEIGHT / 10_000)
    assert np.allclose(table.sum(axis=-1), 1, atol=1e-4)


def test_a_cell_is_its_counts_and_twenty_declarers_of_the_curve() -> None:
    masks, tricks = deal_masks(8, 0, 500), np.tile(np.arange(500) % 14, (5, 1)).T.astype(np.int8)
    table = fit_table(masks[:, 0], None, tricks)
    found = classes(masks[:, 0])
    number = int(np.bincount(found).argmax())
    chosen = tricks[found == number, 4]
    counts = np.bincount(chosen, minlength=14)
    curve = (table[number, NOTRUMP] * (len(chosen) + WEIGHT) - counts) / WEIGHT
    assert curve.sum() == pytest.approx(1, abs=0.01)
    assert (curve > -0.01).all()


def test_more_captures_promise_more_tricks() -> None:
    for table in (capture.Captures.load().single, capture.Captures.load().pair):
        means = table[:, NOTRUMP] @ np.arange(14)
        assert means[MOST_GAP + 1 + 8] > means[MOST_GAP + 1 + 4] > means[MOST_GAP + 1] - 1
        assert means[7] > means[12] > 0
        assert means[7] - 1 > means[18:25].max()  # where hardly a deal is, the curve does not turn
