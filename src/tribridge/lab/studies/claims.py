"""The paper's testable claims, each with the criterion it is judged by, a verdict and the evidence.

What the paper claims, the criteria and the words of the evidence are in `claims.toml`; the study
that can judge a claim gives the verdict and the numbers.

One rule holds in both directions. A claim about what the text does not define holds if it is true
under every reading, fails if it is true under none, and is otherwise not determined. A claim about
several comparisons holds if all of them support it, fails if all contradict it, depends if they
disagree, and is undecided if none says anything. Where the claim itself is that there is no
difference (`no_difference`), no correction for many tests helps it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import VERDICT, StudyTable, table

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
SECTIONS: Final = (
    "Abstract",
    "Introduction",
    "Complexity",
    "Results",
    "Discussion",
    "Single and combined hand",
    "Second hand",
    "Three runs",
    "Conclusion",
)
"""The sections of the paper, in its order."""


Judged = str | bool
"""A verdict, or whether the claim holds."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit that we chose, where the text names none, and the verdict for any value of it."""

    what: str
    value: float
    judge: Callable[[float], Judged]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its section, its text, what would make it true, the verdict."""

    section: str
    text: Annotated[str, "claim"]
    criterion: str
    verdict: Annotated[str, VERDICT]
    evidence: str
    study: str
    """The study that judges it."""
    threshold: Annotated[Threshold | None, None] = None
    """The limit of ours that the verdict depends on."""


@dataclass(frozen=True, slots=True)
class Statement:
    """An entry of `claims.toml`."""

    section: str
    text: str
    criterion: str
    evidence: str
    limit: float = 0.0
    of: str = ""
    not_run: str = ""


@cache
def statements() -> dict[str, dict[str, Statement]]:
    """What the paper claims, by the study that judges it and a key."""
    text = resources.files("tribridge.lab.studies").joinpath("claims.toml").read_text("utf-8")
    return {
        study: {key: Statement(**entry) for key, entry in entries.items()}
        for study, entries in tomllib.loads(text).items()
    }


def claim(key: str, judged: Judged | Callable[[float], Judged], **facts: Any) -> Claim:
    """The claim `STUDY.KEY`, judged once, or for any value of its limit, by these facts."""
    stated = _stated(key)
    floats = {name: float(x) if isinstance(x, Fraction) else x for name, x in facts.items()}
    return _claim(key, judged, stated.evidence.format(**floats))


def _stated(key: str) -> Statement:
    study, _, name = key.partition(".")
    return statements()[study][name]


def _claim(key: str, judged: Judged | Callable[[float], Judged], evidence: str) -> Claim:
    stated = _stated(key)
    judge = judged if callable(judged) else lambda limit: judged
    return Claim(
        stated.section,
        stated.text,
        stated.criterion.format(limit=stated.limit),
        verdict_of(judge(stated.limit)),
        evidence,
        key.partition(".")[0],
        Threshold(stated.of, stated.limit, judge) if callable(judged) else None,
    )


def open_claims(study: str) -> list[Claim]:
    """The claims to show although the study that judges them was not run."""
    entries = statements().get(study, {}).items()
    return [
        _claim(f"{study}.{key}", OPEN, entry.not_run) for key, entry in entries if entry.not_run
    ]


def claims_table(claims: list[Claim]) -> StudyTable:
    """The claims as a table."""
    return table("claims", "The paper's claims, tested", claims, kind=Claim)


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit that we chose, and the verdicts if it were half or twice as large."""

    claim: str
    limit: str
    ours: float
    verdict: Annotated[str, VERDICT]
    with_half: Annotated[str, VERDICT]
    with_twice: Annotated[str, VERDICT]
    changes: bool


def thresholds_table(claims: Iterable[Claim]) -> StudyTable:
    """The limits that we chose, and the verdicts if they were half or twice as large."""
    rows = []
    for claim in claims:
        if (limit := claim.threshold) is not None:
            half, twice = (verdict_of(limit.judge(factor * limit.value)) for factor in (0.5, 2))
            changes = {half, twice} != {claim.verdict}
            rows.append(
                _Limit(claim.text, limit.what, limit.value, claim.verdict, half, twice, changes)
            )
    return table(
        "thresholds",
        "The limits that we chose",
        rows,
        "The text names none of these limits: they are ours.",
        kind=_Limit,
    )


def verdict_of(judged: Judged) -> str:
    """The verdict itself, or that of a condition: holds if it is true, otherwise fails."""
    return judged if isinstance(judged, str) else HOLDS if judged else FAILS


def under_readings(truths: Mapping[str, bool]) -> str:
    """Holds if true under every reading, fails if true under none, otherwise not determined."""
    return OPEN if len(set(truths.values())) > 1 else verdict_of(all(truths.values()))


def side(span: Interval, p: float | None = None) -> int:
    """On which side of 0 a difference lies: 1 or -1, and 0 if it may be chance.

    By the p-value after Holm's correction where there is one, otherwise by the interval.
    """
    clear = 0 not in span if p is None else p < ALPHA
    return (1 if span.estimate > 0 else -1) if clear else 0


def within(span: Interval, limit: float) -> int:
    """1 if an interval lies within a limit of 0, -1 if beyond it, 0 if it may be either."""
    if max(abs(span.low), abs(span.high)) <= limit:
        return 1
    return -1 if span.low > limit or span.high < -limit else 0


def sided(sides: Iterable[int]) -> str:
    """The verdict of several comparisons: 1 supports the claim, -1 contradicts it, 0 is neither."""
    distinct = set(sides)
    if distinct <= {0}:
        return UNDECIDED
    return HOLDS if distinct == {1} else FAILS if distinct == {-1} else DEPENDS


def no_difference(tests: Iterable[tuple[float, float]]) -> str:
    """The verdict on a claim that is the null hypothesis, by p and p after Holm's correction.

    It fails if a test rejects it, after the correction. It holds only if no test speaks against it
    by itself: Holm's correction makes p larger, which is leniency here.
    """
    pairs = tuple(tests)
    if any(holm < ALPHA for _, holm in pairs):
        return FAILS
    return HOLDS if all(p >= ALPHA for p, _ in pairs) else UNDECIDED


class Each(dict[str, float]):
    """Numbers by name, such as the readings of Algorithm 1; all in one format in a text.

    >>> f"{Each(natural=1.25, other=float('inf')):.1f}"
    'natural 1.2, other ∞'
    """

    def __format__(self, form: str) -> str:
        shown = ", ".join(f"{name} {value:{form}}" for name, value in self.items())
        return shown.replace("inf", "∞")


def p_text(p: float | None) -> str:
    """A p-value as text; None and NaN are those of too few deals."""
    if p is None or p != p:
        return "no test"
    return f"p = {p:.3f}" if p >= 1e-3 else "p < 0.001"
