"""Settings that the search players share."""

from __future__ import annotations

from typing import Any, Final

from tribridge.strategies.parameters import option

GOALS: Final = ("points", "tricks")


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
