"""What a study is: one module that declares what to run, and how its result is shown and judged.

`run` gives one frozen dataclass. Tables, comparisons with published figures, figures and claims are
made from that value; none of them is read back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from tribridge.capture.simulation import counts
from tribridge.capture.simulation.tables import Counts
from tribridge.cards.dealer import check_deals
from tribridge.common import charts, codec, parallel
from tribridge.common.errors import SettingError, TribridgeError
from tribridge.common.tables import Cell, Column, StudyTable, tables_of, titled
from tribridge.lab.studies.claims import Claim
from tribridge.lab.studies.drawing import Drawing
from tribridge.lab.studies.plans import Answer, P, Plan, check_plan, plan_table
from tribridge.lab.studies.published import Comparison
from tribridge.strategies.versions import commit

S = TypeVar("S")
R = TypeVar("R")
_MOST_ROWS: Final = 20
"""Rows of a table that a notebook shows."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report."""

    name: str
    table: str
    """The table with its numbers, before which it stands."""
    draw: Callable[[Any], Drawing]
    """Draws the result of the study; its docstring is the title and, below it, the caption."""

    @property
    def title(self) -> str:
        """What it is: its heading, and its text for those who do not see it."""
        return titled(self.draw)[0]

    @property
    def caption(self) -> str:
        """What there is to see."""
        return titled(self.draw)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Generic[S, R]):
    """A study of the paper, with a size of type S and a result of type R.

    `run` takes a size, the seed of the first run and a runner for simulations. Its tables are those
    of the result.
    """

    name: str
    title: str
    order: int | None
    """Its place in the report; None if the report does not have it."""
    run: Callable[[S, int, Runner], R]
    paper: S = None  # type: ignore[assignment]
    """The size of the full report; None, unless given, if there is only one."""
    quick: S = None  # type: ignore[assignment]
    """The size of the quick report."""
    steps: Callable[[S], int] = lambda size: 1
    """The total progress that a run of a size reports."""
    describe: Callable[[S], Mapping[str, object]] = lambda size: {}
    """The size in words, for the report."""
    with_deals: Callable[[int], S] | None = None
    """The size with a number of deals; None if the study takes no such number."""
    tables: Callable[[R], Iterable[StudyTable]] = tables_of
    brief: Callable[[R], Iterable[StudyTable]] = lambda result: ()
    """The tables that are shown in the terminal."""
    comparisons: Callable[[R], Iterable[Comparison]] = lambda result: ()
    """The published figures beside ours."""
    figures: tuple[Figure, ...] = ()
    claims: Callable[[R], list[Claim]] = lambda result: []
    """The paper's claims, judged by the result."""
    named: bool = True
    """Whether `paper --only` finds it by its name; not if it was made of the options of a run."""
    plan: Plan | None = field(default=None, hash=False)
    """What was written down before its games were played."""
    answers: Callable[[R], Mapping[str, Answer]] = lambda result: {}
    """What was found, by the hypotheses of the plan."""
    deviations: Callable[[R], str] = lambda result: ""
    """What was done otherwise than planned, and why."""

    def outcome(self, result: R) -> Outcome[R]:
        """A result with its tables, the plan and what came of it first."""
        tables = tuple(self.tables(result))
        if self.plan is not None:
            given = self.answers(result), self.deviations(result)
            tables = (plan_table(self.name, self.plan, *given), *tables)
        return Outcome(self, result, tables, tuple(self.comparisons(result)))


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """The result of a study, with the tables and the comparisons made from it."""

    study: Study[Any, R]
    result: R
    tables: tuple[StudyTable, ...]
    comparisons: tuple[Comparison, ...] = ()

    def __repr__(self) -> str:
        return f"<Outcome of the study {self.study.name}: {', '.join(t.name for t in self.tables)}>"

    def __str__(self) -> str:
        return "\n".join([self.study.title, *(f"{t.name}: {t.title}" for t in self.tables)])

    def _repr_html_(self) -> str:
        """All tables, of long ones the beginning."""
        parts: list[object] = [charts.Html(f"<b>{charts.html(self.study.title)}</b>")]
        for table in self.tables:
            rows = [[*map(_shown, table.columns, row)] for row in table.rows[:_MOST_ROWS]]
            parts += [table.title, charts.table(table.names, rows)]
            if len(table.rows) > _MOST_ROWS:
                parts.append(f"{_MOST_ROWS} of {len(table.rows)} rows; all: .table({table.name!r})")
        return charts.block(*parts)

    def table(self, name: str) -> StudyTable:
        """The table of a name."""
        return next(table for table in self.tables if table.name == name)


def _shown(column: Column, cell: Cell) -> str:
    """A cell as its column writes it."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else column.text(cell)


Outcomes = Mapping[str, Outcome[Any]]
"""The studies that were run, by name."""


def result_of(outcomes: Outcomes, study: Study[Any, R]) -> R | None:
    """The result of a study, if it was run."""
    return outcomes[study.name].result if study.name in outcomes else None


def stored(name: str, kind: type[R]) -> R:
    """The result of a study that was run beforehand, from a JSON file of this folder."""
    values = _stored(name)
    values.pop("commit", None)
    return codec.read(values, kind, f"{name}.json")


def stored_commit(name: str) -> str:
    """The commit that wrote a stored result; empty if its file does not say."""
    return str(_stored(name).get("commit", ""))


def _stored(name: str) -> dict[str, Any]:
    text = resources.files("tribridge.lab.studies").joinpath(f"{name}.json").read_text("utf-8")
    values: dict[str, Any] = json.loads(text)
    return values


def planned(name: str, kind: type[P], plan: Plan) -> P:
    """The stored result of a study with a plan; one made under another plan is refused."""
    return check_plan(stored(name, kind), plan, f"{name}.json")


def dumps_result(result: Any) -> str:
    """A result as such a file, with the commit that wrote it; what is not finite stays as it is."""
    return json.dumps({"commit": commit(), **asdict(result)}, indent=1) + "\n"


def check_sample(study: str, deals: int, least: int) -> None:
    """Refuse a sample too small for the tests of a study."""
    if deals < least:
        raise SettingError(
            f"study {study} needs at least {least:,} deals for its tests, not {deals}"
        )


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs simulations on a backend; with a folder, runs are saved there and resumed."""

    backend: parallel.Backend[Counts] = field(default_factory=parallel.Cores)
    folder: Path | None = None
    progress: Callable[[int], None] = lambda deals: None
    """Called with the number of deals done since the last call."""

    def tally(self, work: counts.Work, deals: int) -> counts.Tally:
        """The counts of the first `deals` deals of some work."""
        wanted = check_deals(0, deals)
        parts: Sequence[object] = (work.study, work.reading, work.seed)
        name = "-".join(str(part) for part in parts if part is not None)
        path = None if self.folder is None else self.folder / f"{name}.json"
        tally = counts.Tally.empty(work)
        if path is not None and path.exists():
            tally = _kept(path, work, wanted) or tally
        told = 0

        def tell(done: int) -> None:
            nonlocal told
            self.progress(done - told)
            told = done

        tell(tally.deals)
        return counts.run(tally, wanted, self.backend, path=path, progress=tell)


def _kept(path: Path, work: counts.Work, wanted: parallel.Range) -> counts.Tally | None:
    """The saved counts of an earlier run, if they are part of what is needed now."""
    try:
        tally = counts.load(path)
    except TribridgeError:
        return None  # of another version, or not a tally: recount and overwrite it
    fits = tally.work == work and all(stop <= wanted[1] for _, stop in tally.ranges)
    return tally if fits else None
