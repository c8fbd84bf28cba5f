"""Opponent modelling: whether it pays to infer the hidden hands from the calls.

Two players search alike, over layouts that are solved double dummy. One draws them without regard
to the calls, the other by the beliefs of the table (`beliefs.table_beliefs`). They choose opening
leads and play complete games. The package has the result (`opponents.json`, written by
`benchmarks/opponents.py`, which names seeds and numbers that were fixed before).
"""

from __future__ import annotations

from dataclasses import dataclass

from tribridge.common.stats import Interval


@dataclass(frozen=True, slots=True)
class Leads:
    """Opening leads chosen with and without the calls, judged double dummy."""

    leads: int
    differ: int
    """How many leads are another card."""
    without: float
    """Tricks lost a lead."""
    by_calls: float
    saved: Interval
    p: float


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
    leads: Leads
    games: Games
