"""The counts of the textbook positions."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.textbook import FAST, SLOW, cards_of
from tribridge.game.textbook import positions
from tribridge.lab.studies import offence
from tribridge.strategies import decision_rng, find_player


def test_the_stored_cards_are_of_every_strategy_in_every_position() -> None:
    cards = offence.shipped_cards()
    assert tuple(cards) == (*FAST, *SLOW)
    for chosen in cards.values():
        assert list(chosen) == [position.id for position in positions()]


def test_right_are_the_cards_of_the_books() -> None:
    books = {position.id: position.expected[0] for position in positions()}
    assert offence.right(books) == len(books)
    (first, *_) = positions()
    wrong = next(card for card in first.view().legal if card not in first.cards)
    assert offence.right(books | {first.id: str(wrong)}) == len(books) - 1


def test_the_maxims_fail_where_they_are_known_to() -> None:
    counts = {row.strategy: row.right for row in offence.textbook()}
    assert counts["maxims"] == sum(not position.fails for position in positions())


@pytest.mark.slow
@pytest.mark.parametrize("strategy", FAST)
def test_stored_cards_of_fast_strategies_are_chosen_again(strategy: str) -> None:
    assert cards_of(strategy) == offence.shipped_cards()[strategy]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", SLOW)
def test_stored_cards_are_chosen_again(strategy: str) -> None:
    cards = offence.shipped_cards()[strategy]
    latest = np.argsort([-len(position.played) for position in positions()])[:3].tolist()
    for at in latest:
        position = positions()[at]
        choice = find_player(strategy).card(  # type: ignore[union-attr]
            position.view(), decision_rng(0, at, 0, 0)
        )
        assert str(choice.action) == cards[position.id]
