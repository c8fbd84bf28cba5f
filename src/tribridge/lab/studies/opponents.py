"""Opponent modelling: whether it pays to infer the hidden hands from the calls.

Two players search alike, over layouts that are solved double dummy. One draws them without regard
to the calls, the other by the beliefs of the table (`beliefs.table_beliefs`). They choose opening
leads and play complete games. The package has the result (`opponents.json`, written by
`benchmarks/opponents.py`, which names seeds and numbers that were fixed before).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, TRICKS


@dataclass(frozen=True, slots=True)
class Leads:
    """Opening leads over layouts drawn in several ways.

    {led}; {how}, and judged double dummy on the true deal. Uniform: without regard to the calls;
    calls: by the beliefs of the table; network: by those of the network of `learned`. Paired over
    deals, Holm's correction over the table.
    """

    layouts: str
    leads: int
    differ: Annotated[int, "other leads than uniform"]
    lost: Annotated[float, "tricks lost a lead", TRICKS]
    saved: Annotated[Interval | None, "saved compared with uniform", TRICKS]
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


@dataclass(frozen=True, slots=True)
class Games:
    """Complete games with and without the calls."""

    games: int
    deals: int
    gained: Interval
    """Points a game that modelling gains, paired by deal."""
    p: float
    sd: float
    """Of the points gained on a deal."""


@dataclass(frozen=True, slots=True)
class Result:
    """What modelling the opponents is worth."""

    how: str
    led: str
    played: str
    leads: tuple[Leads, ...]
    games: Games
