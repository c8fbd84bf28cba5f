"""The oracle: double dummy with all hands in sight, and never from a view."""

from __future__ import annotations

import pytest

from tests.library.strategies.positions import seen
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import new_table
from tribridge.strategies import StrategyError, decision_rng, find_strategy, guarded_act
from tribridge.strategies.players.search.evaluation import solver_of

SMALL = Deck(4, 4)


def test_oracle_takes_what_double_dummy_says_and_refuses_a_view() -> None:
    strategy = find_strategy("random:passing=0.3+oracle")
    for number in range(6):
        table = new_table(deal(12, number, SMALL), Seat.NORTH)
        while not table.over:
            turn = table.turn
            assert turn is not None
            choice = guarded_act(strategy, table, decision_rng(1, number, turn, 0))
            table = table.apply(choice.action)
            if (
                table.position is not None
                and not table.position.trick
                and not table.position.tricks
            ):
                strain = table.position.contract.bid.strain
                expected = solver_of(SMALL).tricks(table.position.hands, strain)
        if table.position is not None:
            assert table.position.won == expected
    now = seen(
        "AK5.AK4.K964.AJ7", "Q9732.QJ5.A3.862", "J84.T96.QJT5.K93", "T6.8732.872.QT54", "3NT"
    )
    assert not strategy.fair
    with pytest.raises(StrategyError, match="cannot choose"):
        strategy.choose(now, decision_rng(1, 0, 1, 3))
