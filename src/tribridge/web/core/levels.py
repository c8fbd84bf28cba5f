"""Opponents a visitor may choose: the default level, and every fair strategy of the registry."""

from __future__ import annotations

from functools import cache
from typing import Final

from tribridge.strategies import Entry, find_strategy, strategies
from tribridge.web.core.bots import Level, levels
from tribridge.web.errors import WebError

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
        raise WebError("{strategy} sees all four hands and may not play at a table", strategy=text)
    for part in (strategy.caller, strategy.player):
        for name, most in _MOST.items():
            if getattr(part, name, 0) > most:
                raise WebError(
                    "{strategy}: {option}={value:g} is too much for a table that others share: "
                    "up to {most}",
                    strategy=text,
                    option=name,
                    value=getattr(part, name),
                    most=most,
                )
    return text
