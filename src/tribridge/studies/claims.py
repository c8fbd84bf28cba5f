"""The paper's testable claims, each with the criterion it is judged by, a verdict and the evidence.

Claims are paraphrased. The functions that judge them are in `claims_counts` (counting and
simulating the algorithms), `claims_truth` (double dummy, play, time) and `claims_conclusion`
(opponent modelling, learning, risk).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from tribridge.studies.tidy import StudyTable

HOLDS: Final = "holds"
FAILS: Final = "fails"
OPEN: Final = "not determined by the text"
"""It depends on a definition that is missing, or that our readings cannot settle."""
UNDECIDED: Final = "undecided by the data"
"""The question is clear, and the sample cannot answer it."""
VERDICTS: Final = (HOLDS, FAILS, OPEN, UNDECIDED)
TIMED: Final = "Complexity"
"""The section with claims about running time."""
SECTIONS: Final = (
    "Abstract",
    TIMED,
    "Results",
    "Discussion",
    "Single and combined hand",
    "Second hand",
    "Three runs",
    "Conclusion",
)
"""The sections of the paper, in its order."""
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its section, its text, what would make it true, the verdict."""

    section: str
    text: str
    criterion: str
    verdict: str
    evidence: str
    study: str = ""
    """The study that judges it."""


def claims_table(claims: list[Claim]) -> StudyTable:
    """The claims as a table."""
    return StudyTable(
        "claims",
        "The paper's claims, tested",
        ("section", "claim", "criterion", "verdict", "evidence", "study"),
        tuple((c.section, c.text, c.criterion, c.verdict, c.evidence, c.study) for c in claims),
    )


def verdict_if(condition: bool) -> str:
    """Holds if the condition is true, otherwise fails."""
    return HOLDS if condition else FAILS


def percent(share: Fraction | float, digits: int = 3) -> str:
    """A share as text."""
    return f"{float(100 * share):.{digits}f}%"


def by_reading(values: Mapping[str, float], form: str = "{:.2f}") -> str:
    """The values under each reading of Algorithm 1 as text."""
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def signed(interval: tuple[float, float, float], digits: int = 2) -> str:
    """An estimate with its interval as text."""
    estimate, low, high = interval
    return f"{estimate:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"
