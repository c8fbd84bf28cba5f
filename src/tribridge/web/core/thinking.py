"""What the workers compute: a strategy's choice, a judge's answer, the verdict on a choice."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Action, Record, Table, View
from tribridge.reviews import Judgement, Plan
from tribridge.reviews import judge as judge_choice
from tribridge.strategies import Strategy, bidding_for, decision_rng, find_strategy, guarded


@lru_cache(maxsize=64)
def _strategy(name: str, scheme: str | None) -> Strategy:
    return bidding_for(find_strategy(name), scheme)


def choose(
    name: str,
    view: View,
    strategy_seed: int,
    deal: int,
    actions: int,
    scheme: str = "auction",
) -> tuple[Action, str]:
    """A strategy's choice from a view, and its reason; outside rubbers it bids for the scheme."""
    seat = Seat.NORTH if view.turn is None else view.turn
    strategy = _strategy(name, scheme if view.rubber is None else None)
    choice = guarded(strategy, view, decision_rng(strategy_seed, deal, seat, actions))
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


def judged(record: Record, at: int, plan: Plan) -> Judgement:
    """The verdict on one call or card of a record, counted from 0."""
    before = replace(record, actions=record.actions[:at]).replay()
    return judge_choice(before, record.actions[at], plan)
