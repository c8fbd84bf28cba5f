"""The leaderboard of Tribridge-Bench, from the results in the repository.

python -m tools.benchmark_page
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tribridge.common import stats
from tribridge.lab.benchmark import (
    BUDGETS,
    TASKS,
    Budget,
    Report,
    TaskScore,
    interval_of,
    load,
)  # fmt: skip

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "data" / "benchmark"
PAGE = ROOT / "docs" / "explanation" / "leaderboard.md"
START = "<!-- leaderboard: made by python -m tools.benchmark_page -->"


@dataclass(frozen=True, slots=True)
class Standing:
    """An agent's score in a task beside the best agent's."""

    report: Report
    score: TaskScore
    p: float
    """That the best agent of the class is no better, after Holm's correction; NaN for itself."""


def standings(reports: Sequence[Report], task: str, budget: Budget) -> list[Standing]:
    """The agents of a class in a task, best first, each tested against the best, deal by deal.

    Agents of faster classes are among them, with their scores on the deals of this one.
    """
    place = BUDGETS.index(budget)
    size = next(each for each in TASKS if each.name == task).deals[place]
    classes = {each.name for each in BUDGETS[: place + 1]}
    entries = [
        (report, _first(score, size))
        for report in reports
        if report.budget in classes
        and (score := report.score(task)) is not None
        and score.mean_seconds <= budget.seconds
    ]
    if not entries:
        return []
    entries.sort(key=lambda entry: -entry[1].interval.estimate)
    best = np.array(entries[0][1].scores)
    corrected = [np.nan] * len(entries)
    if len(best) > 1:
        tests = []
        for _, score in entries[1:]:
            common = min(len(best), len(score.scores))
            ahead = best[:common] - np.array(score.scores[:common])
            if task == "textbook":  # too few for a test of means
                tests.append(stats.sign_test(int((ahead > 0).sum()), int((ahead < 0).sum())))
            else:
                tests.append(stats.paired(ahead).p)
        corrected[1:] = stats.holm(tests)
    return [
        Standing(report, score, p) for (report, score), p in zip(entries, corrected, strict=True)
    ]


def _first(score: TaskScore, size: int) -> TaskScore:
    """A score on the first deals alone."""
    if score.task in ("textbook", "tiny") or len(score.scores) <= size:
        return score
    scores = score.scores[:size]
    return replace(score, scores=scores, interval=interval_of(scores))


def _cell(standing: Standing | None, best: bool) -> str:
    if standing is None:
        return "–"
    span = standing.score.interval
    digits = 2 if max(abs(span.estimate), span.high - span.low) < 10 else 1
    text = f"{span.estimate:.{digits}f}".replace("-", "−")
    if span.high > span.low:
        text += f" ± {(span.high - span.low) / 2:.{digits}f}"
    if best:
        return f"**{text}**"
    return text + ("" if np.isnan(standing.p) or standing.p >= 0.05 else " \\*")


def _class(budget: Budget, reports: list[Report]) -> list[str]:
    tasks = [task for task in TASKS if task.deals[BUDGETS.index(budget)]]
    ranked = {task.name: standings(reports, task.name, budget) for task in tasks}
    places: dict[str, list[float]] = {}
    for entries in ranked.values():
        means = [entry.score.interval.estimate for entry in entries]
        for entry, mean in zip(entries, means, strict=True):
            better = sum(other > mean for other in means)
            places.setdefault(entry.report.agent.name, []).append(better / len(entries))
    by_name = {report.agent.name: report for report in reports}
    lines = [
        f"### {budget.name} a choice",
        "",
        "| agent | " + " | ".join(task.name for task in tasks) + " | ms | lost |",
        "| --- |" + " --- |" * (len(tasks) + 2),
    ]
    for name in sorted(places, key=lambda name: float(np.mean(places[name]))):
        report = by_name[name]
        cells, times = [], []
        for task in tasks:
            entries = ranked[task.name]
            own = next((entry for entry in entries if entry.report.agent.name == name), None)
            best = entries[0].score.interval.estimate if entries else None
            cells.append(_cell(own, own is not None and own.score.interval.estimate == best))
            times.append(own.score.mean_seconds if own is not None else 0.0)
        lost = sum(score.faults for score in report.tasks)
        time = f"{1000 * max(times):.2f}"
        lines.append(f"| `{name}` | {' | '.join(cells)} | {time} | {lost} |")
    return [*lines, ""] if places else []


def written_page() -> tuple[Path, str]:
    """The page, and what should be in it."""
    head, _, _ = PAGE.read_text("utf-8").partition(START)
    reports = [load(path) for path in sorted(RESULTS.glob("*.json"))]
    lines = [START, ""]
    for budget in BUDGETS:
        lines += _class(budget, reports)
    machines = sorted({each for report in reports for each in report.machine.split("; ")})
    lines += [f"More is in `data/benchmark`. Machines: {'; '.join(machines)}."]
    return PAGE, head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    page, text = written_page()
    page.write_text(text, "utf-8")
