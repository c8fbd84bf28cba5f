"""Settings that the search players share."""

from __future__ import annotations

from typing import Any, Final

from tribridge.strategies.parameters import option

GOALS: Final = ("points", "tricks")


def seconds_option(counted: str) -> Any:
    """How long a card may take, unless a number of layouts or iterations is given."""
    return option(0.0, f"seconds per card; 0: one, or no limit if {counted} are given", min=0)


def goal_option() -> Any:
    """What a card is valued by."""
    return option("tricks", "what to average", choices=GOALS)


def factor_option() -> Any:
    """How plays count as evidence."""
    return option(
        0.7,
        "factor on a layout's weight for each play that departs from the maxims; 1: no effect",
        min=0.01,
        max=1,
    )


def calls_option() -> Any:
    """Whether calls count as evidence."""
    return option(False, "also weight layouts by the calls, if there was a real auction")


def tie_option() -> Any:
    """How close the maxims' card must be to the best to be played instead."""
    return option(0.0, "how many standard errors behind the best the maxims' card may be", min=0)
