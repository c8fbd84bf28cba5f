"""What decides a puzzle."""

from __future__ import annotations

from enum import StrEnum

from tribridge.common.errors import NotFoundError, shown


class Theme(StrEnum):
    """What decides a puzzle."""

    LEAD = "lead"
    FINESSE = "finesse"
    DROP = "drop"
    HOLD_UP = "hold-up"
    TAKE = "take"
    DUCK = "duck"
    ENTRY = "entry"
    UNBLOCK = "unblock"
    THROW_IN = "throw-in"
    COUNTING = "counting"
    CASH_OUT = "cash-out"
    DRAW_TRUMPS = "draw-trumps"
    RUFF = "ruff"
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
