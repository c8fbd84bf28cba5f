"""`tribridge paper`: reproduce the paper, every table and figure next to ours, on one page."""

from __future__ import annotations

import sys
import time
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tribridge.cli.options import AsJson, argument, keeping, option, print_json
from tribridge.common.errors import TribridgeError

if TYPE_CHECKING:
    from tribridge.lab.report.difference import Change
    from tribridge.lab.report.paper import Figures
    from tribridge.lab.studies.study import Outcome, Study

SAME: Final = 0
DIFFERENT: Final = 1
TROUBLE: Final = 2
_MOST: Final = 40
"""Changes of one kind that are printed; all are in the JSON."""

app = typer.Typer(invoke_without_command=True, add_completion=False)


@app.callback()
def paper(
    context: typer.Context,
    out: Annotated[
        Path | None,
        option(
            "Folder for the report.",
            show_default="out/paper, -quick with --quick, -NAME for one study",
        ),
    ] = None,
    quick: Annotated[
        bool, option("Use smaller samples; takes less than a minute of CPU time.", "--quick")
    ] = False,
    only: Annotated[
        list[str] | None, option("Run only this study, also one of yours; repeatable.")
    ] = None,
    scheme: Annotated[
        list[str] | None,
        option(
            "Add the game under this scoring scheme: a name, FILE.toml or FILE.toml:NAME; "
            "repeatable."
        ),
    ] = None,
    reading: Annotated[
        list[str] | None, option("Add the game under this reading of Algorithm 1; repeatable.")
    ] = None,
    seed: Annotated[int, option("Seed of the first run; the other runs use the next ones.")] = 1,
    as_json: AsJson = False,
    threads: Annotated[int, option("Threads; 0 for all cores.", min=0)] = 0,
    pdf: Annotated[
        bool | None,
        option(
            "Also print the page to paper.pdf, with Chromium.",
            "--pdf/--no-pdf",
            show_default="only for the full report",
        ),
    ] = None,
) -> None:
    """Run the studies of the paper and write the report: a page, a PDF, figures, tables, JSON.

    To continue a run that was stopped, start it again with the same folder.
    """
    if context.invoked_subcommand is not None:
        return
    from tribridge.cards.dealer import check_seed
    from tribridge.lab.studies import suite

    for run in range(3):
        check_seed(seed + run)
    names = list(dict.fromkeys(only or suite.STUDIES))
    chosen = {name: suite.find_study(name) for name in names}
    if scheme or reading:
        from tribridge.game.scoring import find_scheme
        from tribridge.lab.studies.own_game import own_game

        own = own_game([find_scheme(text) for text in scheme or ()], reading or ())
        chosen[own.name] = own
    known = {**suite.STUDIES, **chosen}
    sizes = {n: study.quick if quick else study.paper for n, study in known.items()}
    # A partial report must not replace the full one.
    out = out or Path("out") / "-".join(["paper", *(["quick"] if quick else []), *(only or [])])
    runs = out / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()

    from tribridge.common.parallel import keep_workers
    from tribridge.lab.report.paper import drawing, report, write_report
    from tribridge.lab.report.provenance import RunInfo, paper_command
    from tribridge.lab.studies.drawing import KINDS

    kinds = KINDS[:1] if quick else KINDS  # the quick report needs no files to print or include
    with keep_workers(threads), drawing(len(chosen), threads, kinds) as figures:
        saved = f"the counts so far are saved in {runs}; run the same command to continue"
        with keeping(saved):
            try:
                outcomes = _run_all(chosen, sizes, seed, runs, threads, figures)
            except KeyboardInterrupt:
                for worker in active_children():  # they would finish what they are doing first
                    worker.terminate()
                raise
        seconds = time.monotonic() - start
        described: dict[str, object] = {}
        for name, study in known.items():
            described |= study.describe(sizes[name])
        info = RunInfo(
            paper_command(seed, quick, only or (), scheme=scheme or (), reading=reading or ()),
            seed,
            described,
            seconds,
            quick=quick,
        )

        page, no_pdf = write_report(
            outcomes,
            info,
            out,
            figures=figures,
            pdf=not (quick or only) if pdf is None else pdf,
        )
    if no_pdf:
        print(f"tribridge: {no_pdf}", file=sys.stderr)
    if as_json:
        print_json(report(outcomes, suite.claims(outcomes), info))
        return
    _show(outcomes, page, time.monotonic() - start)


def _run_all(
    studies: dict[str, Study[Any, Any]],
    sizes: dict[str, Any],
    seed: int,
    folder: Path,
    threads: int,
    figures: Figures,
) -> dict[str, Outcome[Any]]:
    """Run the studies in order under one progress display; figures are drawn on the way."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from tribridge.common import parallel
    from tribridge.lab.studies.study import Runner

    columns = (TextColumn("{task.description:42}"), BarColumn(), TimeRemainingColumn())
    outcomes: dict[str, Outcome[Any]] = {}
    terminal = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=not terminal) as bar:
        steps = {name: study.steps(sizes[name]) for name, study in studies.items()}
        tasks = {n: bar.add_task(study.title, total=steps[n]) for n, study in studies.items()}
        for name, study in studies.items():
            runner = Runner(parallel.Cores(threads), folder, partial(bar.advance, tasks[name]))
            outcomes[name] = study.outcome(study.run(sizes[name], seed, runner))
            figures.draw(outcomes[name])
            bar.update(tasks[name], completed=steps[name])
    return outcomes


def _show(outcomes: dict[str, Outcome[Any]], page: Path, seconds: float) -> None:
    """Tables 1 and 2 and the claims in the terminal; the rest is on the page."""
    from tribridge.cli.showing import show_tables
    from tribridge.lab.studies.claims import claims_table
    from tribridge.lab.studies.suite import claims

    brief = [t for outcome in outcomes.values() for t in outcome.study.brief(outcome.result)]
    judged = claims_table(claims(outcomes)).select("claim", "verdict")
    show_tables([*brief, judged])
    print(f"{page}  ({seconds:.0f} s)")


@app.command()
def diff(
    old: Annotated[Path, argument("A report: its folder, or its report.json.")],
    new: Annotated[Path, argument("Another one.")],
    as_json: AsJson = False,
) -> None:
    """Compare two reports: changed verdicts, figures that moved beyond noise, then the others.

    The exit code is 0 if they are the same, 1 if they differ, and 2 on an error.
    """
    from tribridge.lab.report.difference import compare, load_report

    try:
        changes = compare(load_report(old), load_report(new))
    except TribridgeError as error:  # not 1, which means that they differ
        print(f"tribridge: {error}", file=sys.stderr)
        raise typer.Exit(TROUBLE) from None
    if as_json:
        print_json({"same": not changes, "changes": [change.as_json() for change in changes]})
    elif not changes:
        print("The reports are the same, apart from times.")
    else:
        _print_changes(changes)
    raise typer.Exit(DIFFERENT if changes else SAME)


def _print_changes(changes: list[Change]) -> None:
    for title, chosen in (
        ("Changed verdicts", [change for change in changes if change.kind == "verdict"]),
        ("Changed beyond noise", _figures(changes, False)),
        ("Changed, with no standard error to judge by", _figures(changes, None)),
        ("Changed within noise", _figures(changes, True)),
        ("Settings that differ", [change for change in changes if change.kind == "setting"]),
    ):
        print(f"{title}: {len(chosen)}")
        for change in chosen[:_MOST]:
            distance = "" if change.z is None else f"  ({change.z:+.1f} standard errors)"
            print(f"  {change.where}: {_text(change.old)} -> {_text(change.new)}{distance}")
        if len(chosen) > _MOST:
            print(f"  ... and {len(chosen) - _MOST} more, all with --json")


def _figures(changes: list[Change], noise: bool | None) -> list[Change]:
    return [c for c in changes if c.kind == "figure" and c.noise is noise]


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
