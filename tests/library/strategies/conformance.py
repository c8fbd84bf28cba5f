"""What every strategy must do: games played to the end, and each promise checked at each choice."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.library.game.playing import actions_of
from tests.library.game.test_views import exchange, hidden_hands
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.strategies import (
    Choice,
    Strategy,
    act,
    decision_rng,
    find_player,
    guarded_act,
)

SEED = 7


def choices(
    strategy: Strategy, number: int, deck: Deck = FULL_DECK, skip: int = 0
) -> Iterator[tuple[Table, Choice]]:
    """A deal with the strategy in all three seats: each position and the choice made there.

    The first `skip` tricks are played at random, for strategies that are slow when all is open.
    """
    table = new_table(deal(SEED, number, deck), Seat(number % 3), doubles=number % 2 == 1)
    quick = Strategy("random", strategy.caller, find_player("random"))
    while not table.over:
        turn = table.turn
        assert turn is not None
        rng = decision_rng(SEED, number, turn, len(actions_of(table)))
        early = table.position is not None and len(table.position.tricks) < skip
        choice = guarded_act(quick if early else strategy, table, rng)
        if not early:
            yield table, choice
        table = table.apply(choice.action, turn)


def check(
    strategy: Strategy, numbers: range, deck: Deck = FULL_DECK, every: int = 1, skip: int = 0
) -> int:
    """Play deals; legality at each choice, the other promises at every `every`-th. Cards played."""
    random = Random(SEED)
    cards = 0
    for number in numbers:
        for count, (table, choice) in enumerate(choices(strategy, number, deck, skip)):
            cards += table.position is not None
            turn = table.turn
            assert turn is not None
            assert choice.reason.endswith(".")
            assert "\n" not in choice.reason
            if count % every:
                continue
            at = len(actions_of(table))

            def again(position: Table, at: int = at, number: int = number) -> Choice:
                turn = position.turn
                assert turn is not None
                return act(strategy, position, decision_rng(SEED, number, turn, at))

            assert again(table) == choice, "the same seed gives another choice"
            if strategy.fair:
                other = exchange(table, hidden_hands(table, turn), random)
                assert view(other, turn) == view(table, turn)
                assert again(other) == choice, "hidden cards change the choice"
    return cards
