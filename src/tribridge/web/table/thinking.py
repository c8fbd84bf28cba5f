"""What the workers compute: a strategy's choice, a judge's answer, a double-dummy analysis."""

from __future__ import annotations

from functools import lru_cache

from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Action, Record, Table, View
from tribridge.strategies import Strategy, decision_rng, find_strategy, guarded


@lru_cache(maxsize=64)
def _strategy(name: str) -> Strategy:
    return find_strategy(name)


def choose(
    name: str, view: View, strategy_seed: int, deal: int, actions: int
) -> tuple[Action, str]:
    """A strategy's choice from a view, and its reason."""
    seat = Seat.NORTH if view.turn is None else view.turn
    choice = guarded(_strategy(name), view, decision_rng(strategy_seed, deal, seat, actions))
    return choice.action, choice.reason


def judge(table: Table, tricks: int, declaring: bool) -> bool:
    """Whether a side wins at least so many of the tricks left, whatever the others do."""
    play = table.position
    assert play is not None
    values = DoubleDummy(table.deal.deck).cards(play).values()
    best = max(values) if play.declaring else min(values)
    left = table.deal.deck.hand_size - len(play.tricks)
    declarers = best - play.won
    return (declarers if declaring else left - declarers) >= tricks


def truth(record: Record) -> list[dict[str, int]]:
    """For each card played: the declarer's double-dummy tricks after every legal alternative."""
    solver = DoubleDummy(record.deal.deck)
    values = []
    for table in record.states():
        if table.position is not None and not table.position.over:
            values.append(
                {card.name: value for card, value in solver.cards(table.position).items()}
            )
    return values[: sum(isinstance(a, int) for a in record.actions)]
