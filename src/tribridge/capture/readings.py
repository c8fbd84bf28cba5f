"""Readings of Algorithm 1.

The paper defines Algorithm 2 completely and cites Algorithm 1 from an earlier text. A reading is
one way to fill in what the paper leaves open. The default, `natural`, is Algorithm 2 on a matrix of
thirteen ones and no twos. The others change one point each and exist to show how much depends on
it. None reproduces all published figures. `non-strict` is shown because, among many variants that
were tried, it was one of the closest to the published win rates (docs/explanation/sets.md).
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
    row_budget_pays_gap: bool = False
    """A paid capture lowers the row budget by its gap; otherwise by one, as in Algorithm 2."""


NATURAL: Final = Reading("natural", "Algorithm 2 on one hand: Condition B asks for c1 > gap")
NON_STRICT: Final = Reading(
    "non-strict", "Condition B asks for c1 >= gap: as many cards as the gap are enough", False
)
GAP_PAID: Final = Reading(
    "gap-paid",
    "each capture lowers its row's budget by the gap it paid, not by one",
    row_budget_pays_gap=True,
)

READINGS: Final = {reading.name: reading for reading in (NATURAL, NON_STRICT, GAP_PAID)}
REPORTED: Final = {reading.name: reading for reading in (NATURAL, NON_STRICT)}
"""The readings that studies tell apart: `gap-paid` moves one hand in a million (`tribridge exact`)
and so gives the same figures as `natural`."""


def parse_reading(text: str) -> Reading:
    """The reading of a name."""
    try:
        return READINGS[text.lower()]
    except KeyError:
        raise NotFoundError(f"unknown reading {text!r}: expected {', '.join(READINGS)}") from None
