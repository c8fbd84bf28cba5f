"""`tribridge bench defence`: accuracy and calibration of a defender's forecasts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def defence(
    labels: Annotated[
        Path | None,
        typer.Option(help="Labelled deals not used in any fit; default: those in the package."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Test the forecasts of a defender on held-out deals: errors and calibration."""
    from rich.console import Console
    from rich.table import Table

    from tribridge.dealer import check_seed
    from tribridge.double_dummy.labels import load_labels
    from tribridge.report.paper import plain
    from tribridge.studies.defence import study

    check_seed(seed)
    deals = None if labels is None else load_labels(labels)
    measured = study(seed, deals)
    if as_json:
        print(json.dumps({table.name: plain(table.records()) for table in measured.tables}))
        return
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for table in measured.tables:
        grid = Table(
            title=table.title, title_justify="left", title_style="bold", box=None, pad_edge=False
        )
        for name in table.columns:
            grid.add_column(name, no_wrap=True)
        for row in table.rows:
            grid.add_row(*(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row))
        console.print(grid)
        console.print(table.note)
        console.print()
