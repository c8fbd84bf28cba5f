"""The report on the paper: a page, figures, tables and one JSON file, in a folder.

`index.html` is self-contained, with its figures as SVG. Files are written atomically, the page
last, so an existing page is always complete.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any, Final

from tribridge import __version__
from tribridge.files import dumps_table, write_atomic
from tribridge.report.artist import Artist
from tribridge.report.page import inline, paper_page
from tribridge.report.pdf import print_page
from tribridge.report.provenance import RunInfo, machine
from tribridge.studies.claims import TIMED, Claim, claims_table, thresholds_table
from tribridge.studies.suite import STUDIES, claims
from tribridge.studies.tidy import Study, StudyTable

PDF: Final = "paper.pdf"


def write_report(
    studies: Mapping[str, Study],
    info: RunInfo,
    out: Path,
    *,
    artist: Artist | None = None,
    pdf: bool = False,
) -> tuple[Path, str]:
    """Write the whole report to a folder; returns the page, and why there is no PDF, if so.

    `artist` has been given the studies; without one the figures are drawn here.
    """
    if artist is None:
        artist = Artist()
        for study in studies.values():
            artist.draw(study)
    kinds = artist.kinds
    judged = claims(studies)
    tables = [table for study in studies.values() for table in study.tables]
    tables += [claims_table(judged), thresholds_table(judged)]
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    pictures: dict[str, str] = {}
    for name, files in artist.finished():
        for kind, data in files.items():
            write_atomic(out / "figures" / f"{name}.{kind}", data)
        pictures[name] = inline(files["svg"].decode())
    (out / PDF).unlink(missing_ok=True)  # of an earlier report
    reason = ""
    with ThreadPoolExecutor(1) as beside:  # Chromium prints while the tables are written
        if pdf:
            page_to_print = paper_page(studies, judged, info, pictures, kinds, pdf=False)
            printing = beside.submit(print_page, page_to_print, out / PDF)
        write_tables(tables, out / "tables")
        whole = json.dumps(report(studies, judged, info), indent=1) + "\n"
        write_atomic(out / "report.json", whole)
        if pdf:
            reason = printing.result()
    page = out / "index.html"
    made = pdf and not reason
    write_atomic(page, paper_page(studies, judged, info, pictures, kinds, pdf=made))
    return page, reason


def report(studies: Mapping[str, Study], judged: list[Claim], info: RunInfo) -> dict[str, Any]:
    """Everything in one value: the same for the same seed except under `times`."""
    timed = {name for name in studies if name in STUDIES and STUDIES[name].timed}
    return {
        "seed": info.seed,
        "sizes": plain(info.sizes),
        "version": __version__,
        "figures": [
            plain(comparison.record())
            for study in studies.values()
            for comparison in study.comparisons
        ],
        "claims": [_claim(c) for c in judged if c.section != TIMED],
        "tables": {
            table.name: plain(table.records())
            for name, study in studies.items()
            if name not in timed
            for table in study.tables
        },
        "times": {
            "seconds": info.seconds,
            "date": info.date,
            "commit": info.commit,
            "machine": machine(),
            "claims": [_claim(c) for c in judged if c.section == TIMED],
            "tables": {
                table.name: plain(table.records())
                for name in sorted(timed)
                for table in studies[name].tables
            },
        },
    }


def _claim(claim: Claim) -> dict[str, str]:
    return {
        "section": claim.section,
        "claim": claim.text,
        "criterion": claim.criterion,
        "verdict": claim.verdict,
        "evidence": claim.evidence,
        "study": claim.study,
    }


def plain(value: Any) -> Any:
    """Values that JSON can hold: fractions as numbers, NaN as null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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
