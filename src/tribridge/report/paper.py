"""The report on the paper: a page, figures, tables and one JSON file.

`index.html` is self-contained, with its figures as SVG. Files are written atomically, the page
last, so an existing page is always complete.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any, Final

from tribridge import __version__
from tribridge.codec import plain
from tribridge.files import dumps_table, write_atomic
from tribridge.report.figure_worker import FigureWorker, Files
from tribridge.report.page import inline, paper_page
from tribridge.report.pdf import print_page
from tribridge.report.provenance import RunInfo, machine
from tribridge.studies.claims import TIMED, Claim, claims_table, thresholds_table
from tribridge.studies.study import Outcomes
from tribridge.studies.suite import claims
from tribridge.studies.tables import StudyTable

PDF: Final = "paper.pdf"


def write_report(
    outcomes: Outcomes,
    info: RunInfo,
    out: Path,
    *,
    worker: FigureWorker | None = None,
    pdf: bool = False,
) -> tuple[Path, str]:
    """Write the whole report to a folder; returns the page, and why there is no PDF, if so.

    `worker` has been given the outcomes; without one the figures are drawn here.
    """
    if worker is None:
        worker = FigureWorker()
        for outcome in outcomes.values():
            worker.draw(outcome)
    judged = claims(outcomes)
    tables = [table for outcome in outcomes.values() for table in outcome.tables]
    tables += [claims_table(judged), thresholds_table(judged)]

    def page(pictures: Mapping[str, str], made: bool) -> str:
        return paper_page(outcomes, judged, info, pictures, worker.kinds, pdf=made)

    data = report(outcomes, judged, info)
    return _write(out, dict(worker.finished()), tables, data, page, pdf=pdf)


def _write(
    out: Path,
    figures: Mapping[str, Files],
    tables: Iterable[StudyTable],
    data: Mapping[str, Any],
    page: Callable[[Mapping[str, str], bool], str],
    *,
    pdf: bool,
) -> tuple[Path, str]:
    """Write the files of a report; `page` takes the figures, and whether there is a PDF."""
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for name, files in figures.items():
        for kind, content in files.items():
            write_atomic(out / "figures" / f"{name}.{kind}", content)
    pictures = {name: inline(files["svg"].decode()) for name, files in figures.items()}
    (out / PDF).unlink(missing_ok=True)  # of an earlier report
    reason = ""
    with ThreadPoolExecutor(1) as beside:  # Chromium prints while the tables are written
        if pdf:
            printing = beside.submit(print_page, page(pictures, False), out / PDF)
        write_tables(tables, out / "tables")
        write_atomic(out / "report.json", json.dumps(data, indent=1) + "\n")
        if pdf:
            reason = printing.result()
    write_atomic(out / "index.html", page(pictures, pdf and not reason))
    return out / "index.html", reason


def report(outcomes: Outcomes, judged: list[Claim], info: RunInfo) -> dict[str, Any]:
    """Everything in one value: the same for the same seed except under `times`."""

    def tables(*, timed: bool) -> dict[str, Any]:
        chosen = [outcome for outcome in outcomes.values() if outcome.study.timed == timed]
        return {table.name: table.records() for outcome in chosen for table in outcome.tables}

    def verdicts(*, timed: bool) -> list[dict[str, Any]]:
        return claims_table(
            [claim for claim in judged if (claim.section == TIMED) == timed]
        ).records()

    return plain(  # type: ignore[no-any-return]
        {
            "seed": info.seed,
            "sizes": info.sizes,
            "version": __version__,
            "figures": [
                asdict(figure) for outcome in outcomes.values() for figure in outcome.comparisons
            ],
            "claims": verdicts(timed=False),
            "tables": tables(timed=False),
            "times": {
                "seconds": info.seconds,
                "date": info.date,
                "commit": info.commit,
                "machine": machine(),
                "claims": verdicts(timed=True),
                "tables": tables(timed=True),
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
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return buffer.getvalue()


def _json(table: StudyTable) -> str:
    data = {"name": table.name, "title": table.title, "note": table.note}
    return json.dumps(data | {"rows": plain(table.records())}, indent=1) + "\n"


def _parquet(table: StudyTable) -> bytes:
    columns: dict[str, list[Any]] = {name: table.column(name) for name in table.columns}
    for name, values in columns.items():
        if any(isinstance(value, str) for value in values):
            columns[name] = [None if value is None else str(value) for value in values]
    return dumps_table(columns)
