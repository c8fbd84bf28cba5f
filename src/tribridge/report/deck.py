"""The report on another deck: a page, a figure, tables and JSON, laid out as the main report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from tribridge.files import write_atomic
from tribridge.report.drawing import GREY, KINDS, NAVY, ORANGE, drawn, new_figure, numbers
from tribridge.report.page import described, inline, page_environment, show_table
from tribridge.report.paper import PDF, report, write_tables
from tribridge.report.pdf import print_page
from tribridge.report.provenance import WORK, RunInfo
from tribridge.studies.other_deck import LEFT_OUT, STUDY
from tribridge.studies.tables import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def deck_report(study: Study, info: RunInfo) -> dict[str, Any]:
    """Everything in one value, laid out as the main report's JSON."""
    return report({study.name: study}, [], info)


def write_deck_report(
    study: Study, info: RunInfo, out: Path, *, pdf: bool = False
) -> tuple[Path, str]:
    """Write the report to a folder; returns the page, and why there is no PDF, if so."""
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    files = drawn(lambda: distributions(study))
    for kind, data in files.items():
        write_atomic(out / "figures" / f"{STUDY.figures[0].name}.{kind}", data)
    write_tables(study.tables, out / "tables")
    write_atomic(out / "report.json", json.dumps(deck_report(study, info), indent=1) + "\n")
    (out / PDF).unlink(missing_ok=True)
    picture = inline(files["svg"].decode())
    reason = print_page(_page(study, info, picture, pdf=False), out / PDF) if pdf else ""
    write_atomic(out / "index.html", _page(study, info, picture, pdf=pdf and not reason))
    return out / "index.html", reason


def _page(study: Study, info: RunInfo, picture: str, *, pdf: bool) -> str:
    environment = page_environment()
    figure = STUDY.figures[0]
    return environment.get_template("deck.html").render(
        study=study,
        figure=figure,
        svg=Markup(described(picture, figure)),
        kinds=KINDS,
        left_out=LEFT_OUT,
        tests=study.table("deck-tests").records(),
        sizes=info.sizes,
        work=WORK,
        run=info.lines(),
        command=info.command,
        quick=info.quick,
        pdf=pdf,
        show=lambda table: show_table(environment, table, info.command),
    )


def distributions(study: Study) -> Figure:
    """Exact shares as bars, simulated ones as points, for both algorithms."""
    figure, panels = new_figure(10, 4.2, 2)
    for axes, name in zip(panels, ("deck-algorithm1", "deck-algorithm2"), strict=True):
        table = study.table(name)
        names = [str(cell).removesuffix(" captures") for cell in table.column("result")]
        seen, total = numbers(table, "simulated %"), numbers(table, "of")[0]
        errors = [196 * (share / 100 * (1 - share / 100) / total) ** 0.5 for share in seen]
        places = range(len(names))
        axes.bar(places, numbers(table, "exact %"), color=NAVY, label="exact")
        axes.errorbar(
            places, seen, errors, fmt="o", color=ORANGE, ecolor=GREY, capsize=3, label="simulated"
        )
        axes.set_xticks(list(places), names)
        axes.set_title(table.title)
        axes.set_xlabel("condition that fails, or captures")
        axes.set_ylabel("%")
        axes.legend()
    return figure
