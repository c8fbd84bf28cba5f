"""Opponents to choose from: a few by strength, and every fair strategy of the registry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from tribridge.errors import TribridgeError
from tribridge.strategies import Entry, find_strategy, strategies
from tribridge.web.errors import WebError

_LEVELS: Final = (
    (
        "Gentle",
        "Counts its points, then plays any card that is allowed.",
        ("points+random", "random"),
    ),
    (
        "Steady",
        "Bids what the cards promise and plays by the old maxims.",
        ("points+maxims", "capture+maxims", "maxims"),
    ),
    (
        "Strong",
        "Weighs the risk of each bid and plays out many layouts of the hidden cards.",
        ("forecast+sampling", "points+sampling", "sampling"),
    ),
)


_MOST: Final = {
    "layouts": 100,
    "seconds": 2,
    "iterations": 2000,
    "worlds": 32,
    "depth": 2,
    "samples": 1000,
    "processes": 1,
}
"""The most that a visitor may ask of a strategy's parameters."""


@dataclass(frozen=True, slots=True)
class Level:
    """A strength that a person can choose."""

    name: str
    note: str
    strategy: str


@cache
def levels() -> tuple[Level, ...]:
    """The strengths that the registry can provide, weakest first."""
    found = []
    for name, note, candidates in _LEVELS:
        good = next((text for text in candidates if _exists(text)), None)
        if good is not None:
            found.append(Level(name, note, good))
    return tuple(found)


def default_level() -> Level:
    """The strength offered first: the middle one, if there is one."""
    return levels()[min(1, len(levels()) - 1)]


@cache
def choices() -> tuple[Entry, ...]:
    """All strategies that may sit at a table of people."""
    return tuple(entry for entry in strategies() if entry.fair)


def check_strategy(text: str) -> str:
    """The text of a strategy, tidied; refused if it may not sit at a table of people."""
    text = " ".join(text.split())
    strategy = find_strategy(text)
    if not strategy.fair:
        raise WebError(f"{text} sees all hands and may not sit at a table")
    for part in (strategy.caller, strategy.player):
        for name, most in _MOST.items():
            if getattr(part, name, 0) > most:
                raise WebError(
                    f"{text}: {name}={getattr(part, name):g} is too much for a table that others "
                    f"share: up to {most}"
                )
    return text


def _exists(text: str) -> bool:
    try:
        return find_strategy(text).fair
    except TribridgeError:
        return False
