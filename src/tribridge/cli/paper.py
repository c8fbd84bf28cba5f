"""`tribridge paper`: reproduce the paper, every table and figure next to ours, on one page."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.report.figure_worker import Artist
    from tribridge.studies.tables import Study


def paper(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report.",
            show_default="out/paper; out/paper-quick; out/paper-NAME for one study or deck",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Use smaller samples; takes less than a minute of CPU time."),
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="Run only this study; repeatable.")] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the first run; the other runs use the next ones.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    threads: Annotated[int, typer.Option(help="Threads; 0 for all cores.")] = 0,
    deck: Annotated[
        str | None,
        typer.Option(help="Report on another deck, as suits x ranks.", show_default="4x13"),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            help="Report on another budget for missing cards.", show_default="half the tricks"
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            help="Reading of Algorithm 1 in a report on another deck.", show_default="natural"
        ),
    ] = None,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            help="Score the games of a report on another deck by this scheme: a name, FILE.toml "
            "or FILE.toml:NAME; repeatable.",
            show_default="all built-in schemes",
        ),
    ] = None,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            help="Compare two reports, by their folders or their report.json, and run nothing. "
            "Exit code 0: the same; 1: different; 2: error.",
            metavar="OLD NEW",
        ),
    ] = None,
    pdf: Annotated[
        bool | None,
        typer.Option(
            "--pdf/--no-pdf",
            help="Also print the page to paper.pdf, with Chromium.",
            show_default="only for the full report",
        ),
    ] = None,
) -> None:
    """Run the studies of the paper and write the report: a page, a PDF, figures, tables, JSON.

    To continue a run that was stopped, start it again with the same folder. With --deck, --budget,
    --reading or --scheme the report is about that setting, with the sections that make sense there.
    """
    if diff is not None:
        from tribridge.cli.paper_diff import show_difference

        sys.exit(show_difference(*diff, as_json=as_json))
    if any(option is not None for option in (deck, budget, reading)) or scheme:
        from tribridge.cli.paper_deck import Changed, deck_paper

        if only:
            raise SettingError("--only cannot be combined with --deck, --budget or --scheme")
        changed = Changed(deck, budget, reading, tuple(scheme or ()))
        deck_paper(changed, seed, threads, out, quick=quick, as_json=as_json, pdf=bool(pdf))
        return
    from tribridge.dealer import check_seed
    from tribridge.studies import suite

    for run in range(3):
        check_seed(seed + run)
    names = list(dict.fromkeys(only or suite.STUDIES))
    for name in names:
        suite.find_study(name)
    sizes = {n: study.quick if quick else study.paper for n, study in suite.STUDIES.items()}
    # A partial report must not replace the full one.
    out = out or Path("out") / "-".join(["paper", *(["quick"] if quick else []), *(only or [])])
    runs = out / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()

    from tribridge.parallel import keep_workers
    from tribridge.report.drawing import KINDS
    from tribridge.report.figure_worker import artist
    from tribridge.report.provenance import RunInfo

    # Drawing takes as long as the quick studies, which need no files to print or to include.
    with keep_workers(), artist(names, threads, KINDS[:1] if quick else KINDS) as drawing:
        try:
            studies = _run_all(names, sizes, seed, runs, threads, drawing)
        except KeyboardInterrupt:
            for worker in active_children():  # they would finish what they are doing first
                worker.terminate()
            print(
                f"tribridge: interrupted: the counts so far are saved in {runs}; "
                "run the same command to continue",
                file=sys.stderr,
            )
            sys.exit(130)
        seconds = time.monotonic() - start
        words = ["tribridge paper", "--quick" if quick else ""]
        words += [f"--seed {seed}" if seed != 1 else "", *(f"--only {name}" for name in only or ())]
        described: dict[str, object] = {}
        for name, study in suite.STUDIES.items():
            described |= study.describe(sizes[name])
        command = " ".join(word for word in words if word)
        info = RunInfo(command, seed, described, seconds, quick=quick)

        from tribridge.report.paper import report, write_report

        page, no_pdf = write_report(
            studies,
            info,
            out,
            artist=drawing,
            pdf=not (quick or only) if pdf is None else pdf,
        )
    if no_pdf:
        print(f"tribridge: {no_pdf}", file=sys.stderr)
    if as_json:
        import json

        print(json.dumps(report(studies, suite.claims(studies), info)))
        return
    _show(studies, page, time.monotonic() - start)


def _run_all(
    names: list[str],
    sizes: Mapping[str, Any],
    seed: int,
    folder: Path,
    threads: int,
    drawing: Artist,
) -> dict[str, Study]:
    """Run the studies in order under one progress display; figures are drawn on the way."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from tribridge import parallel
    from tribridge.studies import suite
    from tribridge.studies.runner import Runner

    columns = (TextColumn("{task.description:42}"), BarColumn(), TimeRemainingColumn())
    studies: dict[str, Study] = {}
    terminal = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=not terminal) as bar:
        steps = {name: suite.STUDIES[name].steps(sizes[name]) for name in names}
        tasks = {n: bar.add_task(suite.STUDIES[n].title, total=steps[n]) for n in names}

        def finish(name: str, study: Study) -> None:
            studies[name] = study
            drawing.draw(study)
            bar.update(tasks[name], completed=steps[name])

        beside = {
            name: started
            for name in names
            if suite.STUDIES[name].beside
            and len(names) > 1
            and (started := drawing.run(name, sizes[name], seed, threads)) is not None
        }
        timed = [name for name in names if suite.STUDIES[name].timed]
        for name in [n for n in names if n not in {*beside, *timed}] + timed:
            if name in timed:  # with the machine to itself
                for other in [other for other in beside if other not in studies]:
                    finish(other, beside[other].result())
                drawing.rest()
            advance = partial(bar.advance, tasks[name])
            runner = Runner(parallel.Cores(threads), folder, advance)
            finish(name, suite.STUDIES[name].run(sizes[name], seed, runner))
        for other in [other for other in beside if other not in studies]:
            finish(other, beside[other].result())
    return {name: studies[name] for name in names}


def _show(studies: dict[str, Study], page: Path, seconds: float) -> None:
    """Tables 1 and 2 and the claims in the terminal; the rest is on the page."""
    from rich.console import Console
    from rich.table import Table as Grid

    from tribridge.capture import NATURAL, READINGS
    from tribridge.report.page import number_text
    from tribridge.studies.suite import claims

    console = Console(highlight=False)
    wanted = ("captures", "conditions", "headline")
    others = READINGS.keys() - {NATURAL.name}
    for table in (t for study in studies.values() for t in study.tables if t.name in wanted):
        grid = Grid(title=table.title, title_justify="left")
        kept = [c for c in table.columns if not c[-1].isdigit() and c.split()[-1] not in others]
        for column in kept:
            grid.add_column(column, justify="left" if column == table.columns[0] else "right")
        for record in table.records():
            values = [record[column] for column in kept]
            grid.add_row(
                *(
                    v if isinstance(v, str) else number_text(c, v or 0)
                    for c, v in zip(kept, values, strict=True)
                )
            )
        console.print(grid)
    grid = Grid(title="The paper's claims, tested", title_justify="left", show_lines=False)
    for column in ("claim", "verdict"):
        grid.add_column(column)
    for claim in claims(studies):
        style = {"holds": "green", "fails": "red"}.get(claim.verdict, "yellow")
        grid.add_row(claim.text, f"[{style}]{claim.verdict}[/]")
    console.print(grid)
    console.print(f"{page}  ({seconds:.0f} s)", markup=False, soft_wrap=True)
