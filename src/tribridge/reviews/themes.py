"""What decides a puzzle."""

from __future__ import annotations

from enum import StrEnum

from tribridge.common.errors import NotFoundError, shown


class Theme(StrEnum):
    """What decides a puzzle."""

    LEAD = "lead"
    FINESSE = "finesse"
    HOLD_UP = "hold-up"
    ENTRY = "entry"
    THROW_IN = "throw-in"
    COUNTING = "counting"
    CASH_OUT = "cash-out"
    TRUMPS = "trumps"
    DISCARD = "discard"
    SIGNAL = "signal"
    PLAY = "play"
    OPENING = "opening"
    OVERCALL = "overcall"
    DOUBLE = "double"
    PASS = "pass"


def read_theme(text: str) -> Theme:
    """A theme by its name."""
    name = " ".join(text.split()).lower().replace(" ", "-")
    if name not in list(Theme):
        raise NotFoundError(f"unknown theme {shown(text)}: expected {', '.join(Theme)}")
    return Theme(name)
