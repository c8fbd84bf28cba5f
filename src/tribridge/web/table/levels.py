"""Opponents to choose from: a few levels, and every fair strategy of the registry."""

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
        "Counts high-card points to bid, then plays any legal card.",
        ("points+random", "random"),
    ),
    (
        "Steady",
        "Bids on its expected tricks and plays by the classic maxims.",
        ("points+maxims", "capture+maxims", "maxims"),
    ),
    (
        "Strong",
        "Weighs the risk of each bid and samples many layouts of the hidden cards.",
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
"""The largest parameter values a visitor may set."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level that a person can choose."""

    name: str
    note: str
    strategy: str


@cache
def levels() -> tuple[Level, ...]:
    """The levels that the registry can provide, weakest first."""
    available = []
    for name, note, candidates in _LEVELS:
        good = next((text for text in candidates if _exists(text)), None)
        if good is not None:
            available.append(Level(name, note, good))
    return tuple(available)


def default_level() -> Level:
    """The default level: the middle one."""
    return levels()[min(1, len(levels()) - 1)]


@cache
def choices() -> tuple[Entry, ...]:
    """All strategies that may sit at a table of people."""
    return tuple(entry for entry in strategies() if entry.fair)


def check_strategy(text: str) -> str:
    """The normalised text of a strategy; refused if it may not play at a table of people."""
    text = " ".join(text.split())
    strategy = find_strategy(text)
    if not strategy.fair:
        raise WebError(f"{text} sees all four hands and may not play at a table")
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
