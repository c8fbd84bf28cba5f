"""Readings of Algorithm 1.

The paper defines Algorithm 2 completely and cites Algorithm 1 from an earlier text. A reading is
one way to fill in what the paper leaves open. The default, `natural`, is Algorithm 2 on a matrix of
thirteen ones and no twos. `non-strict` changes one point to show how much depends on it. Neither
reproduces all published figures. `non-strict` is shown because, among many variants that were
tried, it was one of the closest to the published win rates (docs/explanation/sets.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.common.errors import NotFoundError, unchanging


@unchanging
@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read Algorithm 1."""

    name: str
    note: str
    strict: bool = True
    """Condition B asks for more cards than the leading gap; if not strict, for as many."""


NATURAL: Final = Reading("natural", "Algorithm 2 on one hand: Condition B asks for c1 > gap")
NON_STRICT: Final = Reading(
    "non-strict", "Condition B asks for c1 >= gap: as many cards as the gap are enough", False
)
READINGS: Final = {reading.name: reading for reading in (NATURAL, NON_STRICT)}
_GONE: Final = "gap-paid"
"""A reading of version 0.3.0 that moved one hand in a million."""


def parse_reading(text: str) -> Reading:
    """The reading of a name."""
    if text.lower() == _GONE:
        raise NotFoundError(
            f"the reading {_GONE} is gone: use {NATURAL.name}, which gives the same in all but one "
            "hand in a million"
        )
    try:
        return READINGS[text.lower()]
    except KeyError:
        raise NotFoundError(f"unknown reading {text!r}: expected {', '.join(READINGS)}") from None
