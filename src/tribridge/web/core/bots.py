"""The bots people play against: levels to choose from, and a name and a face for each seat.

All of it is data in `bots.toml`. A strategy that belongs to no level gets a character too, and its
description comes from the registry.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tribridge.deals import Seat
from tribridge.errors import TribridgeError
from tribridge.strategies import find_strategy


@dataclass(frozen=True, slots=True)
class Bot:
    """A strategy as a person meets it."""

    name: str
    line: str
    """One sentence on how it plays."""

    @property
    def face(self) -> str:
        """The symbol in `static/faces.svg`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Level:
    """A level that a person can choose."""

    name: str
    note: str
    strategy: str
    bots: tuple[Bot, ...]
    """One for each seat."""


@cache
def levels() -> tuple[Level, ...]:
    """The levels that the registry can provide, weakest first."""
    available = []
    for level in _data()["levels"]:
        installed = next((text for text in level["strategies"] if _plays(text)), None)
        if installed is not None:
            bots = tuple(Bot(one["name"], one["line"]) for one in level["characters"])
            available.append(Level(level["name"], level["note"], installed, bots))
    return tuple(available)


@cache
def bot_for(strategy: str, seat: Seat) -> Bot:
    """The bot that plays a seat with a strategy.

    >>> bot_for("points+maxims", Seat.NORTH).name
    'Walter'
    >>> bot_for("pass+random", Seat.NORTH).line
    'Always passes; plays a legal card at random, all equally likely.'
    """
    for level in levels():
        if level.strategy == strategy:
            return level.bots[seat]
    return Bot(_data()["others"]["characters"][seat], _description(strategy))


def face_of(name: str, strategy: str, seat: Seat) -> str:
    """The face that goes with a name at the table, or else with the strategy and the seat."""
    return name.lower() if name in _names() else bot_for(strategy, seat).face


def other_names() -> tuple[str, ...]:
    """The names of the bots that belong to no level."""
    return tuple(_data()["others"]["characters"])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("bots.toml").read_text("utf-8"))


@cache
def _names() -> frozenset[str]:
    data = _data()
    named = (one["name"] for level in data["levels"] for one in level["characters"])
    return frozenset((*named, *data["others"]["characters"]))


def _description(strategy: str) -> str:
    """What a strategy does, in the registry's words; empty if it is no longer installed."""
    try:
        found = find_strategy(strategy)
    except TribridgeError:
        return ""
    parts = (getattr(part, "summary", "") for part in (found.caller, found.player))
    words = "; ".join(text for text in parts if text)
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _plays(text: str) -> bool:
    try:
        return find_strategy(text).fair
    except TribridgeError:
        return False
