"""How a study declares itself: everything the suite, the report and the commands need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tribridge.studies.claims import Claim
from tribridge.studies.runner import Runner
from tribridge.studies.tables import Comparison, Study, StudyTable

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report; `report.figures.DRAWINGS` has the function that draws it."""

    name: str
    title: str
    """What it is, in a few words: its heading and its text for those who do not see it."""
    caption: str
    """What there is to see."""
    table: str
    """The table that it is drawn from, first of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(Generic[S]):
    """A study of the paper, with a size of type S.

    `run` takes a size, the seed of the first run and a runner for simulations.
    """

    name: str
    title: str
    paper: S
    """The size of the full report."""
    quick: S
    """The size of the quick report."""
    run: Callable[[S, int, Runner], Study]
    steps: Callable[[S], int]
    """The total progress that a run of a size reports."""
    describe: Callable[[S], Mapping[str, object]] = field(default=lambda size: {})
    """The size in words, for the report."""
    with_deals: Callable[[int], S] | None = None
    """The size with a number of deals; None if the study takes no such number."""
    figures: tuple[Figure, ...] = ()
    claims: Callable[[Mapping[str, Any]], list[Claim]] = field(default=lambda facts: [])
    """The paper's claims, judged by the facts of the study."""
    open_claims: tuple[Claim, ...] = ()
    """What to say about the claims when the study has not been run."""
    timed: bool = False
    """Whether its numbers are timings, which differ from run to run."""
    beside: bool = False
    """Whether it runs beside the other studies: long, and not on the threads of this process."""

    def result(
        self,
        tables: Iterable[StudyTable],
        comparisons: Iterable[Comparison] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> Study:
        """The outcome of a run."""
        return Study(self.name, self.title, tuple(tables), tuple(comparisons), facts or {})
