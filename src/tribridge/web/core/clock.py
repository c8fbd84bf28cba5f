"""The turn timer: how long a person has left, by the wall clock, so that it survives a restart."""

from __future__ import annotations

import time

from tribridge.web.core.room import Room, Timing
from tribridge.web.core.state import State


def timed(state: State) -> bool:
    """Whether a person is to act and has limited time."""
    turn = state.turn
    limited = state.options.turn_seconds is not None
    return limited and turn is not None and state.places[turn].person


def deadline(room: Room, state: State, timing: Timing) -> float:
    """When the current turn ends, as Unix time.

    Nobody loses a turn because the server was down or the table rested: there is some time left
    when it goes on.
    """
    seconds = state.options.turn_seconds or 0.0
    return max(state.turn_since + seconds, room.resumed + min(timing.grace, seconds))


def seconds_left(room: Room, timing: Timing) -> float | None:
    """Seconds until the current turn ends; None without a timer, or if a bot is to act."""
    if not timed(room.state):
        return None
    return max(0.0, deadline(room, room.state, timing) - time.time())
