"""Settings that the search players share, and the time that they leave."""

from __future__ import annotations

from typing import Any, Final

from tribridge.strategies.parameters import option

GOALS: Final = ("points", "tricks")
DEFAULT_SECONDS: Final = 1.0

_USED: Final = 0.9
"""Share of the time that is planned with; the rest is for what the machine does meanwhile."""


def seconds_option(counted: str) -> Any:
    """How long a card may take, unless a number of something is given."""
    return option(0.0, f"seconds a card; 0: one, or no limit where {counted} are given", min=0)


def goal_option() -> Any:
    """What a card is valued by."""
    return option("tricks", "what is averaged", choices=GOALS)


def factor_option() -> Any:
    """How plays count as evidence."""
    return option(
        0.7,
        "weight of a layout for each play that departs from the maxims; 1: none",
        min=0.01,
        max=1,
    )


def calls_option() -> Any:
    """Whether calls count as evidence."""
    return option(False, "weigh layouts by the calls as well, if the auction was real")


def tie_option() -> Any:
    """How near is as good."""
    return option(0.0, "how many standard errors behind the best the maxims' card may be", min=0)


def time_limit(layouts: int, seconds: float) -> float | None:
    """The time to plan with by the parameters; None is no limit."""
    if seconds > 0:
        return seconds * _USED
    return None if layouts else DEFAULT_SECONDS * _USED
