"""Algorithms 1 and 2: what holds for every position."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.library.capture.layouts import stacked
from tribridge.capture import (
    READINGS,
    Conditions,
    Reading,
    Result,
    Skip,
    StopReason,
    algorithm1,
    algorithm2,
)
from tribridge.cards.cards import FULL_DECK, Deck, Hand, card_at, cards_of

DECKS = (Deck(1, 12), Deck(2, 8), Deck(2, 12), Deck(3, 8), Deck(3, 12), Deck(4, 6), FULL_DECK)


@st.composite
def positions(draw: st.DrawFn) -> tuple[Hand, Hand, Deck, int]:
    """Two hands of some deck, and a budget."""
    deck = draw(st.sampled_from(DECKS))
    budget = draw(st.integers(0, deck.hand_size))
    source = draw(st.randoms(use_true_random=False))
    if draw(st.booleans()):
        return *stacked(source, deck, draw(st.booleans())), deck, budget
    cards = list(cards_of(deck.mask))
    source.shuffle(cards)
    hand, dummy = cards[: deck.hand_size], cards[deck.hand_size : 2 * deck.hand_size]
    return Hand(hand), Hand(dummy), deck, budget


def check_trace(result: Result) -> None:
    """Everything in a result follows from what stands before it in the same result."""
    if result.outcome is not Conditions.BOTH_HOLD:
        assert (result.captures, result.check, result.trace) == (0, None, ())
        assert (result.final, result.stop) == (None, None)
        return
    assert result.final is not None
    assert result.stop is not None
    assert result.captures == len(result.trace) == len(set(result.order))
    cells = [list(row) for row in result.initial.rows]
    budget = result.budget - result.total_gap
    row_budgets = [row.c0 for row in result.rows]
    taken = [0] * len(cells)
    suits = len(cells)
    for number, capture in enumerate(result.trace):
        suit, rank = capture.card.row, capture.card.column
        assert cells[suit][rank] == capture.holder != 0
        assert capture.check_before == number + result.budget - budget
        assert capture.captures == number + 1
        if number < suits:
            assert (suit, capture.free, capture.options) == (number, True, ())
        else:
            assert capture.check_before < result.target
            assert capture.free == (row_budgets[suit] <= 0)
            for option in capture.options:
                left = len(cells[option.suit]) - cells[option.suit].count(0)
                if option.skipped is Skip.LIMIT:
                    # The limit never bars a card that could be had: each capture of a suit
                    # removes a card as long as there is one to remove, so that max(c1, c2)
                    # captures leave no more than as many cards in the row.
                    assert taken[option.suit] >= result.rows[option.suit].limit
                assert (option.skipped is None) == (left > taken[option.suit])
            offers = [
                (o.effective, o.suit.index) for o in capture.options if o.effective is not None
            ]
            assert min(offers)[1] == suit
            assert capture.gap_paid == (0 if capture.free else min(offers)[0])
        assert capture.gap_paid == 0 or not capture.free
        assert capture.budget_before == budget
        budget -= capture.gap_paid
        assert capture.budget_after == budget >= 0
        assert capture.row_budget_before == row_budgets[suit]
        if not capture.free:
            row_budgets[suit] -= 1
        assert capture.row_budget_after == row_budgets[suit]
        taken[suit] += 1
        other = [
            column for column, holder in enumerate(cells[suit]) if holder == 3 - capture.holder
        ]
        if capture.removed is None:
            assert other == []
        else:
            assert capture.removed == card_at(suit, other[-1])
            cells[suit][other[-1]] = 0
    assert result.final.rows == tuple(map(tuple, cells))
    assert result.stop.budget == budget
    assert result.check == result.stop.check == result.captures + result.budget - budget
    assert result.captures <= max(result.target, suits)
    # Rows of n cards in all run out after n / 2 captures at the earliest, so cards for as many
    # captures as a hand has cards are always there, and the check value ends the loop before.
    assert result.stop.reason is not StopReason.NO_SUIT


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(positions())
def test_the_trace_of_algorithm2_follows_from_itself(
    position: tuple[Hand, Hand, Deck, int],
) -> None:
    hand, dummy, deck, budget = position
    check_trace(algorithm2(hand, dummy, deck, budget))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(positions(), st.sampled_from(list(READINGS.values())))
def test_the_trace_of_algorithm1_follows_from_itself(
    position: tuple[Hand, Hand, Deck, int], reading: Reading
) -> None:
    hand, _, deck, budget = position
    result = algorithm1(hand, deck, budget, reading)
    check_trace(result)
    assert result.final is None or result.final == result.initial


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(positions())
def test_the_two_hands_can_be_exchanged(position: tuple[Hand, Hand, Deck, int]) -> None:
    hand, dummy, deck, budget = position
    one, other = algorithm2(hand, dummy, deck, budget), algorithm2(dummy, hand, deck, budget)
    assert (one.outcome, one.captures, one.check) == (other.outcome, other.captures, other.check)
    assert one.order == other.order
    assert [c.removed for c in one.trace] == [c.removed for c in other.trace]
    assert [c.holder for c in one.trace] == [3 - c.holder for c in other.trace]
    if one.final is not None and other.final is not None:
        swapped = [[(0, 2, 1)[value] for value in row] for row in one.final.rows]
        assert swapped == [list(row) for row in other.final.rows]
