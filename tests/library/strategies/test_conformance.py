"""Each registered strategy keeps the promises of the protocol."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from tests.library.strategies.conformance import check
from tribridge.cards.cards import FULL_DECK, Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.auction import PASS
from tribridge.game.table import new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view
from tribridge.strategies import (
    Choice,
    Strategy,
    StrategyError,
    callers,
    decision_rng,
    find_caller,
    find_player,
    guarded,
    guarded_act,
    players,
)

LIGHT: dict[str, str] = {
    "sampling": "sampling:layouts=3",
    "ismcts": "ismcts:iterations=12",
    "alphamu": "alphamu:worlds=3",
    "oracle": "oracle",
    "forecast": "forecast:samples=10,kind=points",
    "learned": "learned",
}
"""Slow strategies with parameters that make them quick, and the same on every machine."""
PLAYERS = [
    entry.name
    for entry in players()
    if type(find_player(entry.name)).__module__.startswith("tribridge.")
]
"""Those of the package: other tests may have registered players that are meant to fail."""
SMALL_DECKS = (Deck(4, 3), Deck(3, 4), Deck(2, 6))


def bidding(player: str) -> Strategy:
    """A player with a caller that bids often, so that there is something to play."""
    text = LIGHT.get(player, player)
    return Strategy(text, find_caller("random:passing=0.4"), find_player(text))


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in callers()])
def test_caller_conforms(name: str) -> None:
    strategy = Strategy(name, find_caller(LIGHT.get(name, name)), find_player("random"))
    check(strategy, range(4))
    for deck in SMALL_DECKS:
        check(strategy, range(3), deck)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_player_conforms(name: str) -> None:
    heavy = name in LIGHT
    if heavy:
        assert check(bidding(name), range(2), FULL_DECK, every=5, skip=5)
    else:
        assert check(bidding(name), range(6))
    for deck in SMALL_DECKS:
        assert check(bidding(name), range(4), deck, every=3 if heavy else 1)


@dataclass(frozen=True, slots=True)
class Faulty:
    """A player with one fault."""

    fault: str

    def card(self, view: View, rng: Any) -> Choice:
        if self.fault == "restless":
            card = view.legal[Random().randrange(len(view.legal))]
            return Choice(card, "At random, without its generator.")
        if self.fault == "peeping":
            table = sys._getframe(2).f_locals["table"]
            hidden = table.deal.hands[table.turn.left].mask
            return Choice(view.legal[hidden % len(view.legal)], "By a hidden hand.")
        if self.fault == "raising":
            raise ZeroDivisionError("by nothing")
        if self.fault == "illegal":
            return Choice(PASS, "A call in the play.")
        if self.fault == "revoking":
            mine = (view.dummy if view.chair is Chair.DUMMY else view.hand) or Hand()
            return Choice(next(c for c in mine if c not in view.legal), "Not of the suit led.")
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("restless", "same seed|hidden cards"), ("peeping", "hidden cards change the choice")],
)
def test_conformance_finds_a_player_that_breaks_a_promise(fault: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check(Strategy(fault, find_caller("random:passing=0.4"), Faulty(fault)), range(4))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raising", "faulty at North raised ZeroDivisionError: by nothing"),
        ("illegal", "faulty at North chose Pass, which is not allowed: expected "),
        ("revoking", "faulty at North chose ♦A, which is not allowed: expected "),
        ("nothing", "faulty at North returned None, not a choice"),
    ],
)
def test_guard_names_the_strategy_and_what_it_did(fault: str, said: str) -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    strategy = Strategy("faulty", find_caller("random:passing=0"), Faulty(fault))
    rng = decision_rng(1, 0, Seat.NORTH, 0)
    table = table.apply(guarded(strategy, view(table, Seat.NORTH), rng).action)
    table = table.apply(PASS).apply(PASS)
    table = table.apply(table.legal[0])
    with pytest.raises(StrategyError, match=said.replace("(", r"\(")):
        guarded_act(strategy, table, rng)
