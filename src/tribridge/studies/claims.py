"""The paper's testable claims, each with the criterion it is judged by, a verdict and the evidence.

Claims are paraphrased. The functions that judge them are in `claims_counts` (counting and
simulating the algorithms), `claims_truth` (double dummy, play, time) and `claims_conclusion`
(opponent modelling, learning, risk).

One rule holds in both directions. A claim about what the text does not define holds if it is true
under every reading, fails if it is true under none, and is otherwise not determined. A claim about
several comparisons holds if all of them support it, fails if all contradict it, depends if they
disagree, and is undecided if none says anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from tribridge.studies.tables import StudyTable

HOLDS: Final = "holds"
FAILS: Final = "fails"
DEPENDS: Final = "depends"
"""Some of the comparisons that the criterion names support it, others do not."""
OPEN: Final = "not determined by the text"
"""It depends on a definition that is missing, or that our readings cannot settle."""
UNDECIDED: Final = "undecided by the data"
"""The question is clear, and the sample cannot answer it."""
VERDICTS: Final = (HOLDS, FAILS, DEPENDS, OPEN, UNDECIDED)
ALPHA: Final = 0.05
"""The p-value, after Holm's correction, below which a difference counts."""
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
Span = tuple[float, float, float]
"""An estimate with the ends of its interval."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit that we chose, where the text names none, and the verdict for any value of it."""

    what: str
    value: float
    judge: Callable[[float], str]

    @property
    def verdict(self) -> str:
        """The verdict for the value that we chose."""
        return self.judge(self.value)


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
    threshold: Threshold | None = None
    """The limit of ours that the verdict depends on."""


def claims_table(claims: list[Claim]) -> StudyTable:
    """The claims as a table."""
    return StudyTable(
        "claims",
        "The paper's claims, tested",
        ("section", "claim", "criterion", "verdict", "evidence", "study"),
        tuple((c.section, c.text, c.criterion, c.verdict, c.evidence, c.study) for c in claims),
    )


def thresholds_table(claims: Iterable[Claim]) -> StudyTable:
    """The limits that we chose, and the verdicts if they were half or twice as large."""
    rows = []
    for claim in claims:
        if claim.threshold is not None:
            limit = claim.threshold
            half, twice = (limit.judge(factor * limit.value) for factor in (0.5, 2))
            changes = "yes" if {half, twice} != {claim.verdict} else "no"
            rows.append((claim.text, limit.what, limit.value, claim.verdict, half, twice, changes))
    return StudyTable(
        "thresholds",
        "The limits that we chose",
        ("claim", "limit", "ours", "verdict", "with half", "with twice", "changes"),
        tuple(rows),
        "The text names none of these limits: they are ours.",
    )


def verdict_if(condition: bool) -> str:
    """Holds if the condition is true, otherwise fails."""
    return HOLDS if condition else FAILS


def under_readings(truths: Mapping[str, bool]) -> str:
    """Holds if true under every reading, fails if true under none, otherwise not determined."""
    return OPEN if len(set(truths.values())) > 1 else verdict_if(all(truths.values()))


def side(span: Span, p: float | None = None) -> int:
    """On which side of 0 a difference lies: 1 or -1, and 0 if it may be chance.

    By the p-value after Holm's correction where there is one, otherwise by the interval.
    """
    estimate, low, high = span
    clear = low > 0 or high < 0 if p is None else p < ALPHA
    return (1 if estimate > 0 else -1) if clear else 0


def within(span: Span, limit: float) -> int:
    """1 if an interval lies within a limit of 0, -1 if beyond it, 0 if it may be either."""
    _, low, high = span
    if max(abs(low), abs(high)) <= limit:
        return 1
    return -1 if low > limit or high < -limit else 0


def sided(sides: Iterable[int]) -> str:
    """The verdict of several comparisons: 1 supports the claim, -1 contradicts it, 0 is neither."""
    found = set(sides)
    if found <= {0}:
        return UNDECIDED
    return HOLDS if found == {1} else FAILS if found == {-1} else DEPENDS


def percent(share: Fraction | float, digits: int = 3) -> str:
    """A share as text."""
    return f"{float(100 * share):.{digits}f}%"


def by_reading(values: Mapping[str, float], form: str = "{:.2f}") -> str:
    """The values under each reading of Algorithm 1 as text."""
    shown = ", ".join(f"{name} {form.format(value)}" for name, value in values.items())
    return shown.replace("inf", "∞")


def signed(interval: Span, digits: int = 2) -> str:
    """An estimate with its interval as text."""
    estimate, low, high = interval
    return f"{estimate:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def p_text(p: float) -> str:
    """A p-value as text."""
    return f"p = {p:.3f}" if p >= 1e-3 else "p < 0.001"
