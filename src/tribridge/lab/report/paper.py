"""The report on the paper: a page, figures, tables and one JSON file.

`index.html` is self-contained, with its figures as SVG. Files are written atomically, the page
last, so an existing page is always complete.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, Final

from tribridge import __version__
from tribridge.common.codec import plain
from tribridge.common.files import dumps_table, write_atomic
from tribridge.common.parallel import cores, worker_pool
from tribridge.common.tables import StudyTable
from tribridge.lab.report.page import inline, paper_page
from tribridge.lab.report.pdf import print_page
from tribridge.lab.report.provenance import RunInfo, machine
from tribridge.lab.studies.claims import Claim, claims_table, thresholds_table
from tribridge.lab.studies.drawing import KINDS, drawn
from tribridge.lab.studies.study import Outcome, Outcomes
from tribridge.lab.studies.suite import claims, find_study

PDF: Final = "paper.pdf"
_WORTH_PROCESSES: Final = 3
"""With this many studies it pays to draw their figures in processes."""

Files = dict[str, bytes]


class Figures:
    """The figures of a report: drawn while other studies run, if there are processes for it."""

    def __init__(self, pool: Executor | None = None, kinds: Sequence[str] = KINDS) -> None:
        self.kinds = tuple(kinds)
        self._pool = pool
        self._files: dict[str, Callable[[], Files]] = {}

    def draw(self, outcome: Outcome[Any]) -> None:
        """Draw the figures of a study, in the background where there is a pool."""
        for figure in outcome.study.figures:
            task: Callable[[], Files] = partial(
                _draw, outcome.study.name, figure.name, outcome.result, self.kinds
            )
            self._files[figure.name] = (
                task if self._pool is None else self._pool.submit(task).result
            )

    def files(self) -> dict[str, Files]:
        """Every figure as files of all kinds."""
        return {name: files() for name, files in self._files.items()}


def _draw(study: str, name: str, result: object, kinds: Sequence[str]) -> Files:
    figure = next(figure for figure in find_study(study).figures if figure.name == name)
    return drawn(lambda: figure.draw(result), kinds)


@contextmanager
def drawing(studies: int, threads: int, kinds: Sequence[str]) -> Iterator[Figures]:
    """The figures of so many studies, drawn by processes where they pay (threads 0: all cores).

    Drawing takes about as long as the quick studies.
    """
    threads = threads or cores()
    if threads == 1 or studies < _WORTH_PROCESSES:
        yield Figures(kinds=kinds)
        return
    with worker_pool(min(2, threads - 1)) as pool:  # more would take cores from the studies
        pool.submit(import_module, "matplotlib.pyplot")  # before there is anything to draw
        yield Figures(pool, kinds)


def write_report(
    outcomes: Outcomes,
    info: RunInfo,
    out: Path,
    *,
    figures: Figures | None = None,
    pdf: bool = False,
) -> tuple[Path, str]:
    """Write the whole report to a folder; returns the page, and why there is no PDF, if so.

    `figures` has been given the outcomes; without it they are drawn here.
    """
    if figures is None:
        figures = Figures()
        for outcome in outcomes.values():
            figures.draw(outcome)
    judged = claims(outcomes)
    tables = [table for outcome in outcomes.values() for table in outcome.tables]
    tables += [claims_table(judged), thresholds_table(judged)]

    ready = figures.files()
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for name, files in ready.items():
        for kind, content in files.items():
            write_atomic(out / "figures" / f"{name}.{kind}", content)
    pictures = {name: inline(files["svg"].decode()) for name, files in ready.items()}
    page = partial(paper_page, outcomes, judged, info, pictures, figures.kinds)
    (out / PDF).unlink(missing_ok=True)  # of an earlier report
    reason = ""
    with ThreadPoolExecutor(1) as beside:  # Chromium prints while the tables are written
        if pdf:
            printing = beside.submit(print_page, page(pdf=False), out / PDF)
        write_tables(tables, out / "tables")
        data = report(outcomes, judged, info)
        write_atomic(out / "report.json", json.dumps(data, indent=1) + "\n")
        if pdf:
            reason = printing.result()
    write_atomic(out / "index.html", page(pdf=pdf and not reason))
    return out / "index.html", reason


def report(outcomes: Outcomes, judged: list[Claim], info: RunInfo) -> dict[str, Any]:
    """Everything in one value: the same for the same seed except under `times`."""
    return plain(  # type: ignore[no-any-return]
        {
            "seed": info.seed,
            "sizes": info.sizes,
            "version": __version__,
            "figures": [
                asdict(figure) for outcome in outcomes.values() for figure in outcome.comparisons
            ],
            "claims": claims_table(judged).records(),
            "columns": {t.name: _columns(t) for o in outcomes.values() for t in o.tables},
            "tables": {t.name: t.records() for o in outcomes.values() for t in o.tables},
            "times": {
                "seconds": info.seconds,
                "date": info.date,
                "commit": info.commit,
                "machine": machine(),
            },
        }
    )


def write_tables(tables: Iterable[StudyTable], folder: Path) -> None:
    """Write tables as CSV, Parquet and JSON."""
    for table in tables:
        write_atomic(folder / f"{table.name}.csv", _csv(table))
        write_atomic(folder / f"{table.name}.parquet", _parquet(table))
        write_atomic(folder / f"{table.name}.json", _json(table))


def _csv(table: StudyTable) -> str:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows)
    return buffer.getvalue()


def _json(table: StudyTable) -> str:
    data = {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "columns": _columns(table),
        "rows": plain(table.records()),
    }
    return json.dumps(data, indent=1) + "\n"


def _columns(table: StudyTable) -> list[dict[str, Any]]:
    return [column.as_json() for column in table.columns]


def _parquet(table: StudyTable) -> bytes:
    columns: dict[str, list[Any]] = {name: table.column(name) for name in table.names}
    for name, values in columns.items():
        if any(isinstance(value, str) for value in values):
            columns[name] = [None if value is None else str(value) for value in values]
    return dumps_table(columns)
