"""`tribridge paper`: the paper's tables beside ours."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.studies.tables import Cell, Run


def paper(
    deals: Annotated[int, typer.Option(help="Deals in each of the three runs.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Seed of the first run; the others follow.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Run Algorithms 1 and 2 over dealt hands and print Tables 1 and 2 beside the published."""
    if deals < 1:
        raise SettingError(f"{deals} deals: at least one is needed")
    from rich.console import Console
    from rich.progress import Progress

    from tribridge.studies import tables

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        bar.disable = not sys.stderr.isatty()
        task = bar.add_task("dealing and capturing", total=3 * deals)
        runs = [
            tables.run(seed + at, deals, lambda done: bar.advance(task, done)) for at in range(3)
        ]
    cells = {name: tables.compare(runs, name) for name in ("captures", "conditions")}
    if as_json:
        print(json.dumps(_as_json(runs, cells)))
        return
    _show(runs, cells)


def _as_json(runs: list[Run], cells: dict[str, list[Cell]]) -> dict[str, Any]:
    return {
        "runs": [
            {
                "seed": run.seed,
                "deals": run.deals,
                "algorithm1": dict(run.algorithm1),
                "algorithm2": dict(run.algorithm2),
            }
            for run in runs
        ],
        "tables": {
            name: [
                {
                    "cell": cell.name,
                    "counts": cell.counts,
                    "percent": cell.percent,
                    "published percent": cell.published,
                    "z": cell.z,
                }
                for cell in table
            ]
            for name, table in cells.items()
        },
    }


def _show(runs: list[Run], cells: dict[str, list[Cell]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from tribridge.studies.tables import BINS, OUTCOMES

    console = Console(highlight=False)
    titles = {
        "captures": "Table 1: captures T of Algorithm 2 where both conditions hold",
        "conditions": "Table 2: condition outcomes of Algorithm 2",
    }
    for name, title in titles.items():
        table = Table(title=title, title_justify="left")
        table.add_column("T" if name == "captures" else "outcome")
        for at, run in enumerate(runs, 1):
            table.add_column(f"run {at}\nseed {run.seed}", justify="right")
        for heading in ("ours %", "published %", "z"):
            table.add_column(heading, justify="right")
        for cell in cells[name]:
            numbers = (f"{cell.percent:.3f}", f"{cell.published:.3f}", f"{cell.z:+.2f}")
            table.add_row(cell.name, *(f"{count:,}" for count in cell.counts), *numbers)
        console.print(table)
    table = Table(title="Algorithm 1 on the first hand (natural reading)", title_justify="left")
    table.add_column("outcome or T")
    for at, run in enumerate(runs, 1):
        table.add_column(f"run {at}\nseed {run.seed}", justify="right")
    table.add_column("ours %", justify="right")
    total = sum(run.deals for run in runs)
    for row in (*OUTCOMES, *BINS):
        counts = [run.algorithm1[row] for run in runs]
        table.add_row(row, *(f"{n:,}" for n in counts), f"{100 * sum(counts) / total:.3f}")
    console.print(table)
    worst = max((cell for table in cells.values() for cell in table), key=lambda c: abs(c.z))
    console.print(
        f"{runs[0].deals:,} deals a run, the published ones 1,000,000; z compares proportions."
        f"\nLargest distance: {worst.name!r}, {abs(worst.z):.2f} standard errors."
    )
