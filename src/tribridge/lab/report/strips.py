"""Small pictures of findings: numbers with their intervals on one line, beside what they mean.

The parts have no colours of their own, so that they follow the page, light, dark and in print.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from tribridge.lab.report.abstract import Finding, Measured

_MARGIN: Final = 6.0
"""Percent of the width that stay free on either side."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A number of a strip; places are in percent of its width."""

    name: str
    number: str
    interval: str
    """Empty for a number without one."""
    at: float
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Strip:
    """The marks of a finding, and the place of what they are compared with."""

    marks: tuple[Mark, ...]
    zero: float


def strip(finding: Finding) -> Strip | None:
    """The small picture of a finding; None if it has no numbers."""
    spans = [measured.span for measured in finding.measured]
    ends = [float(end) for span in spans for end in (span.estimate, span.low, span.high)]
    known = [end for end in (*ends, finding.zero) if math.isfinite(end)]
    low, high = min(known), max(known)
    if not spans or low == high:
        return None

    def place(value: float) -> float:
        inside = min(max(value, low), high)
        return round(_MARGIN + (100 - 2 * _MARGIN) * (inside - low) / (high - low), 2)

    def mark(measured: Measured) -> Mark:
        span = measured.span
        number = f"{span.estimate:{finding.form}}"
        interval = f"{span:{finding.form}}".removeprefix(number).strip()
        places = (place(float(end)) for end in (span.estimate, span.low, span.high))
        return Mark(measured.name, number, "" if span.low == span.high else interval, *places)

    return Strip(tuple(map(mark, finding.measured)), place(finding.zero))
