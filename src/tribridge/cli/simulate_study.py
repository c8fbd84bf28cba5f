"""One study of the paper for `tribridge simulate`: its tables in the terminal or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.capture.simulation.tables import Counts
    from tribridge.parallel import Backend
    from tribridge.studies.tidy import Study


def run(
    name: str, deals: int | None, seed: int, backend: Backend[Counts], *, as_json: bool
) -> None:
    """Run one study and print all its tables."""
    from tribridge.dealer import check_deals, check_seed
    from tribridge.studies import suite
    from tribridge.studies.runner import Runner

    check_seed(seed)
    declared = suite.find_study(name)
    size = declared.paper
    if deals is not None:
        if declared.with_deals is None:
            raise SettingError(f"study {name} is exact or timed: it takes no --deals")
        check_deals(0, deals)
        size = declared.with_deals(deals)
    study = declared.run(size, seed, Runner(backend))
    if as_json:
        from tribridge.report.paper import plain

        tables = {table.name: plain(table.records()) for table in study.tables}
        figures = [plain(one.record()) for one in study.comparisons]
        print(json.dumps({"study": name, "seed": seed, "tables": tables, "figures": figures}))
        return
    _show(study)


def _show(study: Study) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    from tribridge.report.page import number_text

    console = Console(highlight=False)
    for table in study.tables:
        grid = Grid(title=table.title, title_justify="left", caption=table.note or None)
        for column in table.columns:
            words = any(isinstance(value, str) for value in table.column(column))
            grid.add_column(column, justify="left" if words else "right")
        for row in table.rows:
            cells = zip(table.columns, row, strict=True)
            grid.add_row(
                *(
                    "" if v is None else v if isinstance(v, str) else number_text(name, v)
                    for name, v in cells
                )
            )
        console.print(grid)
