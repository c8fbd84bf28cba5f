"""`tribridge benchmark`: frozen tasks that measure a strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.table import Table

from tribridge.cli.options import AsJson, Processes, argument, option, working
from tribridge.common import codec
from tribridge.common.errors import FormatError, RunError, SettingError
from tribridge.common.files import write_atomic
from tribridge.lab import benchmark as bench
from tribridge.lab.benchmark import TASKS, Report, find_budget


def benchmark(
    agent: Annotated[str, argument("The strategy to measure, as in maxims; see arena list.")] = "",
    budget: Annotated[str, option("Class by the mean time of a choice: 1ms, 100ms or 1s.")] = "1ms",
    tasks: Annotated[list[str] | None, option("Only this task; repeatable.", "--task")] = None,
    fresh: Annotated[
        int | None, option("Play deals of this seed in place of the published ones.")
    ] = None,
    deals: Annotated[
        int, option("Play at most so many deals of each task; 0: all of them.", min=0)
    ] = 0,
    out: Annotated[
        Path | None, option("Folder for the result and the games; continues a stopped run.")
    ] = None,
    check: Annotated[
        Path | None, option("Check a result: its figures, its versions and the first deals of it.")
    ] = None,
    processes: Processes = 0,
    as_json: AsJson = False,
) -> None:
    """Measure a strategy in the tasks of Tribridge-Bench, or check a published result."""
    if check is not None:
        if agent:
            raise SettingError("--check reads the agent from the file: leave it out")
        _check(check, processes)
        return
    if not agent:
        raise SettingError("name a strategy, as in: tribridge benchmark maxims")
    sizes = {
        task.name: min(size, deals or size)
        for task, size in bench.tasks_of(bench.find_budget(budget), tasks or ())
    }
    with working("playing", sum(sizes.values()), out) as bar:
        finished = dict.fromkeys(sizes, 0)

        def show(task: str, done: int, total: int) -> None:
            finished[task] = done
            bar.update(0, sum(finished.values()), task)

        report = bench.play(
            agent,
            budget,
            seed=bench.SEED if fresh is None else fresh,
            tasks=tasks or (),
            deals=deals,
            processes=processes,
            folder=out,
            progress=show,
        )
    text = codec.dumps(report, indent=1)
    if out is not None:
        write_atomic(out / "result.json", text + "\n")
    if as_json:
        print(codec.dumps(report))
        return
    _show(report)
    if out is not None:
        print(out / "result.json")


def _show(report: Report) -> None:
    titles, budget = {task.name: task for task in TASKS}, find_budget(report.budget)
    table = Table(
        "task", "score", "95% interval", "in", "ms", "lost", title=f"{report.agent}, {budget.name}"
    )
    for score in report.tasks:
        span, task = score.interval, titles[score.task]
        over = " over" if score.mean_seconds > budget.seconds else ""
        table.add_row(
            task.title,
            f"{span.estimate:.2f}",
            f"{span.low:.2f} to {span.high:.2f}",
            task.unit,
            f"{1000 * score.mean_seconds:.2f}{over}",
            f"{score.faults}",
        )
    Console().print(table)
    print(f"ms: mean time of a choice; lost: choices that a substitute made. {report.machine}")


def _check(path: Path, processes: int) -> None:
    if not path.is_file():
        raise FormatError(f"{path}: no such file; expected a result of tribridge benchmark")
    report = bench.load(path)
    wrong = list(bench.check(report, processes=processes or 1))
    for sentence in wrong:
        print(f"{path}: {sentence}")
    if wrong:
        raise RunError(f"{path} cannot be confirmed")
    print(f"{path}: sound: the figures follow from the scores, and the first deals were confirmed")
