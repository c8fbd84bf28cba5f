"""The report on the paper: a page, figures, tables and one JSON file, in a folder.

`index.html` is self-contained, with its figures as SVG. Files are written atomically, the page
last, so an existing page is always complete.
"""

from __future__ import annotations

import csv
import json
import math
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from io import StringIO
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tribridge import __version__
from tribridge.files import write_atomic
from tribridge.parallel import worker_pool
from tribridge.parquet import dumps_table
from tribridge.report.drawing import render
from tribridge.report.figures import DRAWINGS
from tribridge.studies.claims import FAILS, HOLDS, TIMED, Claim, claims_table
from tribridge.studies.suite import STUDIES, claims
from tribridge.studies.tidy import Cell, Comparison, Study, StudyTable

_KINDS: Final = {"holds": "good", "agrees": "good", "fails": "bad", "differs": "bad"}
_WORTH_PROCESSES: Final = 4
"""With this many figures it pays to draw them in processes."""
_PACKAGES: Final = ("numpy", "numba", "scipy", "statsmodels", "matplotlib")


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How the report was made."""

    command: str
    seed: int
    sizes: Mapping[str, object]
    seconds: float

    def lines(self) -> list[tuple[str, str]]:
        """The run as names and values, for display."""
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
        return [
            ("command", self.command),
            ("seed", f"{self.seed}, {self.seed + 1} and {self.seed + 2} for the three runs"),
            *((name, str(value)) for name, value in self.sizes.items()),
            (
                "versions",
                f"tribridge {__version__}, Python {platform.python_version()}, {versions}",
            ),
            ("machine", f"{platform.machine()}, {platform.system()}"),
            ("time", f"{self.seconds:.0f} seconds"),
        ]


def write_report(
    studies: Mapping[str, Study], info: RunInfo, out: Path, *, processes: int = 1
) -> Path:
    """Write the whole report to a folder; returns the page.

    With more than one process (0: one per core) the figures are drawn in parallel.
    """
    judged = claims(studies)
    tables = [table for study in studies.values() for table in study.tables]
    tables.append(claims_table(judged))
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    pictures: dict[str, str] = {}
    for name, drawn in _figures(studies, processes):
        for kind, data in drawn.items():
            write_atomic(out / "figures" / f"{name}.{kind}", data)
        pictures[name] = inline(drawn["svg"].decode())
    write_tables(tables, out / "tables")
    write_atomic(out / "report.json", json.dumps(report(studies, judged, info), indent=1) + "\n")
    page = out / "index.html"
    write_atomic(page, _page(studies, judged, info, pictures))
    return page


def _figures(
    studies: Mapping[str, Study], processes: int
) -> Iterator[tuple[str, dict[str, bytes]]]:
    """All figures of the studies at hand."""
    drawn = [(one.name, study) for study in studies.values() for one in STUDIES[study.name].figures]
    names, sources = [name for name, _ in drawn], [study for _, study in drawn]
    if processes == 1 or len(names) < _WORTH_PROCESSES:
        yield from zip(names, map(_drawn, names, sources), strict=True)
        return
    with worker_pool(processes) as pool:
        yield from zip(names, pool.map(_drawn, names, sources), strict=True)


def _drawn(name: str, study: Study) -> dict[str, bytes]:
    return render(DRAWINGS[name], study)


def report(studies: Mapping[str, Study], judged: list[Claim], info: RunInfo) -> dict[str, Any]:
    """Everything in one value: the same for the same seed except under `times`."""
    timed = {name for name in studies if STUDIES[name].timed}
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
        "verdict": claim.verdict,
        "evidence": claim.evidence,
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
    """Write tables as CSV and Parquet."""
    for table in tables:
        write_atomic(folder / f"{table.name}.csv", _csv(table))
        write_atomic(folder / f"{table.name}.parquet", _parquet(table))


def _csv(table: StudyTable) -> str:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return buffer.getvalue()


def _parquet(table: StudyTable) -> bytes:
    columns: dict[str, list[Any]] = {name: table.column(name) for name in table.columns}
    for name, values in columns.items():
        if any(isinstance(value, str) for value in values):
            columns[name] = [None if value is None else str(value) for value in values]
    return dumps_table(columns)


def inline(svg: str) -> str:
    """The drawing without its XML header, to embed in a page."""
    return svg[svg.index("<svg") :]


def _page(
    studies: Mapping[str, Study], judged: list[Claim], info: RunInfo, pictures: Mapping[str, str]
) -> str:
    environment = page_environment()
    shown = [
        {
            "name": study.name,
            "title": study.title,
            "tables": study.tables,
            "figures": [
                {"name": one.name, "caption": one.caption, "svg": Markup(pictures[one.name])}
                for one in STUDIES[study.name].figures
            ],
        }
        for study in studies.values()
    ]

    return environment.get_template("paper.html").render(
        studies=shown,
        claims=claims_table(judged),
        summary=_summary(studies, judged),
        run=info.lines(),
        command=info.command,
        show=lambda table: show_table(environment, table),
    )


def page_environment() -> Environment:
    """The templates of the pages."""
    return Environment(
        loader=PackageLoader("tribridge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def show_table(environment: Environment, table: StudyTable) -> Markup:
    """A table as HTML."""
    html = environment.get_template("table.html").render(
        table=table, columns=_columns(table), rows=[_cells(table, row) for row in table.rows]
    )
    return Markup(html)


def _columns(table: StudyTable) -> list[dict[str, Any]]:
    return [{"name": name, "text": _is_text(table.column(name))} for name in table.columns]


def _is_text(values: list[Cell]) -> bool:
    """Whether a column holds text that is not all whole numbers."""
    texts = [value for value in values if isinstance(value, str)]
    whole = all(text.isdecimal() for text in texts)
    return len(texts) == sum(value is not None for value in values) and not whole


def _cells(table: StudyTable, row: tuple[Cell, ...]) -> list[dict[str, str]]:
    return [_cell(name, value) for name, value in zip(table.columns, row, strict=True)]


def _cell(name: str, value: Cell) -> dict[str, str]:
    if value is None:
        return {"text": "", "kind": ""}
    if isinstance(value, str):
        grouped = f"{int(value):,}" if value.isdecimal() and len(value) > 4 else value
        kind = _KINDS.get(value, "open" if value.startswith("not determined") else "")
        if not kind and len(value) > 30:
            kind = "long"
        return {"text": grouped, "kind": kind or ("" if grouped != value else "text")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"text": number_text(name, value), "kind": "bad"}
    far = name.split()[0] == "z" and abs(value) > 4
    return {"text": number_text(name, value), "kind": "bad" if far else ""}


def number_text(name: str, value: float) -> str:
    """A number formatted for the column of that name."""
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        unbounded = "∞" if value > 0 else "-∞"
        return "beyond chance" if name.split()[0] in ("z", "statistic", "size", "t") else unbounded
    if name.split()[0] == "z":
        return f"{value:+.2f}"
    if name in ("p", "p (Holm)"):
        return f"{value:.4f}" if value >= 1e-4 else "< 0.0001"
    if float(value).is_integer() and abs(value) >= 1000:
        return f"{value:,.0f}"
    size = abs(value)
    if size < 1e-12:  # rounding error of a zero difference
        return "0.000"
    digits = 0 if size >= 10_000 else 1 if size >= 1000 else 3 if size >= 0.01 or not size else 6
    return f"{value:,.{digits}f}"


def _summary(studies: Mapping[str, Study], judged: list[Claim]) -> list[dict[str, str]]:
    titles = {
        "captures": "Table 1, captures",
        "conditions": "Table 2, conditions",
        "second hand": "Second-hand table",
        "headline": "Headline table",
    }
    cards = []
    compared: dict[str, list[Comparison]] = {}
    for study in studies.values():
        for one in study.comparisons:
            compared.setdefault(one.table, []).append(one)
    for table, comparisons in compared.items():
        good = sum(one.verdict == "agrees" for one in comparisons)
        bad = sum(one.verdict == "differs" for one in comparisons)
        verdict, kind = ("agrees", "good") if good == len(comparisons) else ("differs", "bad")
        if len(comparisons) - good - bad > good + bad:
            verdict, kind = "not determined by the text", "open"
        elif good and good < len(comparisons):
            verdict, kind = "agrees in part", "open"
        worst = max(
            (abs(one.z) for one in comparisons if one.z is not None and math.isfinite(one.z)),
            default=0.0,
        )
        text = f"{good} of {len(comparisons)} published figures within 4 standard errors"
        text += f", the largest distance {worst:.1f}"
        other = sum("agrees under" in one.verdict for one in comparisons)
        if table in ("headline", "second hand"):
            text += " (natural reading" + (f"; {other} more under another)" if other else ")")
        cards.append({"title": titles[table], "verdict": verdict, "kind": kind, "text": text})
    counts = {verdict: sum(c.verdict == verdict for c in judged) for verdict in (HOLDS, FAILS)}
    left = len(judged) - sum(counts.values())
    cards.append(
        {
            "title": "Claims in the text",
            "verdict": f"{counts[HOLDS]} hold, {counts[FAILS]} fail",
            "kind": "good" if not counts[FAILS] else "open",
            "text": f"{left} are not determined by the text",
        }
    )
    return cards
