"""A study of the paper alone, from `tribridge simulate`: its tables in the terminal or as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.capture.simulation.tables import Counts
    from tribridge.parallel import Backend
    from tribridge.studies.tidy import Study

_SIZED = {
    "captures": "captures",
    "hands": "hands",
    "second-hand": "hands",
    "headline": "headline",
    "truth": "truth",
    "strains": "truth",
    "offence": "offence",
}
"""The size that a number of deals sets, by study."""


def names() -> tuple[str, ...]:
    """The studies of the paper."""
    return (
        "captures", "hands", "second-hand", "headline", "budget", "truth", "strains", "offence",
        "cost",
    )  # fmt: skip


def run(
    name: str, deals: int | None, seed: int, backend: Backend[Counts], *, as_json: bool
) -> None:
    """Run one study and print all its tables."""
    from tribridge.dealer import check_deals, check_seed
    from tribridge.studies import suite
    from tribridge.studies.runner import Runner

    check_seed(seed)
    sizes = suite.PAPER
    if deals is not None:
        if name not in _SIZED:
            raise SettingError(f"study {name} is exact or timed: it has no number of deals")
        check_deals(0, deals)
        size = _SIZED[name]
        sizes = replace(
            sizes,
            captures=deals if size == "captures" else sizes.captures,
            hands=deals if size == "hands" else sizes.hands,
            headline=deals if size == "headline" else sizes.headline,
            truth=deals if size == "truth" else sizes.truth,
            offence=deals if size == "offence" else sizes.offence,
        )
    study = suite.run(name, sizes, seed, Runner(backend))
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

    from tribridge.report.paper import number_text

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
