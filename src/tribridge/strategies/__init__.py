"""Strategies: who calls and who plays, each from a view and nothing else, with a reason."""

from __future__ import annotations

from tribridge.strategies.choices import options as options
from tribridge.strategies.parameters import Parameter as Parameter
from tribridge.strategies.parameters import option as option
from tribridge.strategies.protocol import Caller as Caller
from tribridge.strategies.protocol import Choice as Choice
from tribridge.strategies.protocol import OpenPlayer as OpenPlayer
from tribridge.strategies.protocol import Option as Option
from tribridge.strategies.protocol import Player as Player
from tribridge.strategies.protocol import Strategy as Strategy
from tribridge.strategies.protocol import StrategyError as StrategyError
from tribridge.strategies.protocol import act as act
from tribridge.strategies.protocol import decision_rng as decision_rng
from tribridge.strategies.protocol import guarded as guarded
from tribridge.strategies.protocol import guarded_act as guarded_act
from tribridge.strategies.registry import DEFAULT_CALLER as DEFAULT_CALLER
from tribridge.strategies.registry import DEFAULT_PLAYER as DEFAULT_PLAYER
from tribridge.strategies.registry import Entries as Entries
from tribridge.strategies.registry import Entry as Entry
from tribridge.strategies.registry import as_player as as_player
from tribridge.strategies.registry import as_strategy as as_strategy
from tribridge.strategies.registry import bidding_for as bidding_for
from tribridge.strategies.registry import callers as callers
from tribridge.strategies.registry import find_caller as find_caller
from tribridge.strategies.registry import find_player as find_player
from tribridge.strategies.registry import find_strategy as find_strategy
from tribridge.strategies.registry import players as players
from tribridge.strategies.registry import register_caller as register_caller
from tribridge.strategies.registry import register_player as register_player
from tribridge.strategies.registry import strategies as strategies
