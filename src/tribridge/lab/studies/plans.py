"""Plans: what a study set out to find, written down before its games were played.

A plan is a file beside the study, `NAME.plan.toml`: the question, the hypotheses with what would
bear each of them out, seeds, sizes, and when to stop. A result that was made beforehand carries the
digest of the plan it was made under, and a result of another plan is refused. The report shows each
hypothesis next to its outcome, p after Holm's correction over all hypotheses of the study; one that
was not measured is shown as such.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from math import isnan
from typing import Annotated, Any, Final, Literal, Protocol, TypeVar

from tribridge.common import codec
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, VERDICT, StudyTable, corrected, table
from tribridge.lab.studies.claims import UNDECIDED, side, within

BORNE_OUT: Final = "borne out"
CONTRADICTED: Final = "contradicted"
NOT_MEASURED: Final = "not measured"
_OUTCOMES: Final = {1: BORNE_OUT, -1: CONTRADICTED, 0: UNDECIDED}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What was expected of one number."""

    id: str
    statement: str
    measure: str
    """What is measured, and over what."""
    unit: str
    side: Literal["above", "below", "within"]
    """The number is expected above or below the limit, or no farther than the limit from 0."""
    limit: float = 0.0

    @property
    def expected(self) -> str:
        """The criterion in words."""
        shown = f"{self.limit:g} {self.unit}"
        return f"within {shown} of 0" if self.side == "within" else f"{self.side} {shown}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, as its file has it."""

    question: str
    stopping: str
    """When the games end."""
    seeds: Mapping[str, int]
    sizes: Mapping[str, int]
    hypotheses: tuple[Hypothesis, ...]
    digest: str = ""
    """Of everything else."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found; an exact number has equal ends and no p."""

    span: Interval
    p: float | None = None
    """Two-sided, of the number being the limit."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A hypothesis next to what came of it."""

    hypothesis: str
    outcome: Annotated[str, VERDICT]
    expected: str
    found: Interval | None
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE]
    measure: str


@dataclass(frozen=True, slots=True)
class _Test:
    """A p-value waiting for its correction."""

    p: float | None
    holm: float | None = None


@cache
def plan_of(study: str) -> Plan:
    """The plan of a study of this package."""
    return parse_plan(_text(study), f"{study}.plan.toml")


def _text(study: str) -> str:
    file = resources.files("tribridge.lab.studies").joinpath(f"{study}.plan.toml")
    return file.read_text("utf-8")


def read_numbers(study: str) -> dict[str, Any]:
    """Seeds, sizes and digest of a plan, for programs on machines that have NumPy alone."""
    values = tomllib.loads(_text(study))
    return {"seeds": values["seeds"], "sizes": values["sizes"], "digest": _digest(values)}


def _digest(values: Mapping[str, Any]) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def parse_plan(text: str, name: str = "plan") -> Plan:
    """The plan in a text; comments and spaces are no part of its digest."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: {error}") from None
    plan = codec.read({**values, "digest": _digest(values)}, Plan, name)
    ids = [hypothesis.id for hypothesis in plan.hypotheses]
    if twice := sorted({key for key in ids if ids.count(key) > 1}):
        raise FormatError(f"{name}: two hypotheses have the id {twice[0]}")
    return plan


class Planned(Protocol):
    """A result that says which plan it was made under."""

    @property
    def plan(self) -> str: ...


P = TypeVar("P", bound=Planned)


def check_plan(result: P, plan: Plan, name: str) -> P:
    """The result, unless it was made under another plan."""
    if result.plan != plan.digest:
        raise FormatError(
            f"{name}: made under the plan {result.plan or 'of no digest'}, and the plan in the "
            f"package is {plan.digest}: run the study again"
        )
    return result


def judge(plan: Plan, answers: Mapping[str, Answer]) -> dict[str, str]:
    """The outcome of every hypothesis, by its id."""
    return {
        hypothesis.id: row.outcome
        for hypothesis, row in zip(plan.hypotheses, _judged(plan, answers), strict=True)
    }


def plan_table(
    study: str, plan: Plan, answers: Mapping[str, Answer], deviations: str = ""
) -> StudyTable:
    """The plan and what came of it, side by side; below, what was done otherwise than planned."""

    def listed(numbers: Mapping[str, int]) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in numbers.items())

    seeds = ", ".join(f"{name} {number}" for name, number in plan.seeds.items())
    drawn = f"seeds {seeds}; " if seeds else ""
    note = (
        f"{plan.question} Written down before the games were played: {drawn}sizes "
        f"{listed(plan.sizes)}. {plan.stopping} Holm's correction over all hypotheses that are "
        f"tested; plan `{plan.digest}`."
    )
    if deviations:
        note += f" Done otherwise than planned: {deviations}"
    title = "What was planned, and what came of it"
    return table(f"{study}-plan", title, _judged(plan, answers), note, kind=_Judged)


def _judged(plan: Plan, answers: Mapping[str, Answer]) -> list[_Judged]:
    known = {hypothesis.id for hypothesis in plan.hypotheses}
    if unplanned := sorted(set(answers) - known):
        raise SettingError(f"no hypothesis of the plan has the id {unplanned[0]!r}")
    found: list[Any] = [_measured(answers.get(hypothesis.id)) for hypothesis in plan.hypotheses]
    tests = corrected(_Test(None if answer is None else answer.p) for answer in found)
    return [
        _Judged(
            hypothesis.statement,
            NOT_MEASURED if answer is None else _outcome(hypothesis, answer, test.holm),
            hypothesis.expected,
            None if answer is None else answer.span,
            test.p,
            test.holm,
            hypothesis.measure,
        )
        for hypothesis, answer, test in zip(plan.hypotheses, found, tests, strict=True)
    ]


def _measured(answer: Answer | None) -> Answer | None:
    """An answer, unless it is about something that never happened: NaN is no number."""
    return None if answer is None or isnan(answer.span.estimate) else answer


def _outcome(hypothesis: Hypothesis, answer: Answer, holm: float | None) -> str:
    if hypothesis.side == "within":
        return _OUTCOMES[within(answer.span, hypothesis.limit)]
    sign = 1 if hypothesis.side == "above" else -1
    return _OUTCOMES[sign * side(answer.span - hypothesis.limit, holm)]
