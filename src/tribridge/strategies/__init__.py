"""Strategies: who calls and who plays, each from a view and nothing else, with a reason."""

from __future__ import annotations

from tribridge.strategies.parameters import Parameter, option
from tribridge.strategies.protocol import (
    Caller,
    Choice,
    OpenPlayer,
    Player,
    Strategy,
    StrategyError,
    act,
    decision_rng,
    guarded,
    guarded_act,
)
from tribridge.strategies.registry import (
    DEFAULT_CALLER,
    DEFAULT_PLAYER,
    Entries,
    Entry,
    as_strategy,
    at_hand,
    bidding_for,
    callers,
    find_caller,
    find_player,
    find_strategy,
    players,
    register_caller,
    register_player,
    strategies,
)

__all__ = [
    "DEFAULT_CALLER",
    "DEFAULT_PLAYER",
    "Caller",
    "Choice",
    "Entries",
    "Entry",
    "OpenPlayer",
    "Parameter",
    "Player",
    "Strategy",
    "StrategyError",
    "act",
    "as_strategy",
    "at_hand",
    "bidding_for",
    "callers",
    "decision_rng",
    "find_caller",
    "find_player",
    "find_strategy",
    "guarded",
    "guarded_act",
    "option",
    "players",
    "register_caller",
    "register_player",
    "strategies",
]
