"""The page of an arena run: figures, tables and settings, in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from tribridge import codec
from tribridge.files import write_atomic
from tribridge.report.page import inline, page_environment, show_table
from tribridge.report.paper import write_tables
from tribridge.strategies.versions import list_versions
from tribridge.studies.arena_tables import Report, draw
from tribridge.studies.drawing import drawn
from tribridge.studies.tables import StudyTable

_LEADS: Final = {
    "play": "Each declarer played each defence in the same contracts on the same deals.",
    "match": "The strategies bid and played complete games, in every seating, on the same deals.",
}
_TITLES: Final = {"play": "declarers against defences", "match": "complete games"}
_FIGURES: Final = {
    "play": ("payoffs", "The payoffs with standard errors"),
    "match": ("points", "Points with 95% intervals over deals"),
}


def write_page(report: Report, tables: Sequence[StudyTable], out: Path) -> Path:
    """Write the page, its figure and its tables to the folder of the run; returns the page."""
    result = report.result
    kind = result.work.kind
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    write_tables(tables, out / "tables")
    name, caption = _FIGURES[kind]
    files = drawn(lambda: draw(report))
    for ending, data in files.items():
        write_atomic(out / "figures" / f"{name}.{ending}", data)
    environment = page_environment()
    origin = result.origin
    thought = sum(seconds for _, seconds, _ in result.times.values())
    run = [
        *((key, _words(value)) for key, value in codec.plain(result.work).items()),
        ("deals", f"{result.deals:,}"),
        ("command", origin.command),
        ("date", origin.date),
        (
            "version",
            f"{origin.version}, commit {origin.commit}" if origin.commit else origin.version,
        ),
        ("versions and weights", list_versions(origin.strategies)),
        ("thought", f"{thought:,.0f} seconds for all choices together"),
    ]
    page = out / "index.html"
    write_atomic(
        page,
        environment.get_template("arena.html").render(
            title=_TITLES[kind],
            lead=_LEADS[kind],
            command=origin.command,
            figures=[
                {"name": name, "caption": caption, "svg": Markup(inline(files["svg"].decode()))}
            ],
            tables=tables,
            run=run,
            show=lambda table: show_table(environment, table, origin.command),
        ),
    )
    return page


def _words(value: object) -> str:
    """A setting as text."""
    if value is None or isinstance(value, bool):
        return {None: "not set", True: "yes", False: "no"}[value]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
