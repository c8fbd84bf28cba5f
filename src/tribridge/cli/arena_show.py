"""What `tribridge arena` shows in the terminal: tables, matrices and single games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tribridge.studies.tidy import Cell, Table


def show_tables(tables: Sequence[Table]) -> None:
    """Tables in the terminal; payoffs as a matrix."""
    from rich.console import Console

    console = Console(highlight=False)
    for table in tables:
        if not table.rows:
            continue
        if table.name.endswith("-payoffs"):
            for unit in ("tricks", "points"):
                console.print(_matrix(table, unit))
        else:
            console.print(_grid(table))
        if table.note:
            console.print(table.note, style="dim", markup=False)


def _grid(table: Table) -> Any:
    """A table with each estimate and its interval in one column."""
    from rich.table import Table as Grid

    from tribridge.report.paper import number_text

    def text(column: str, value: Cell) -> str:
        if value is None:
            return ""
        return value if isinstance(value, str) else number_text(column, value)

    ends = {
        at
        for at, name in enumerate(table.columns[:-1])
        if name.endswith("from") and table.columns[at + 1].endswith("to")
    }
    kept = [at for at in range(len(table.columns)) if at not in ends and at - 1 not in ends]
    grid = Grid(title=table.title, title_justify="left")
    for at in kept:
        words = isinstance(table.column(table.columns[at])[0], str)
        grid.add_column(table.columns[at], justify="left" if words else "right", overflow="fold")
    for row in table.rows:
        cells = []
        for at in kept:
            cell = text(table.columns[at], row[at])
            if at + 1 in ends and cell:
                low, high = (text(table.columns[at], row[at + more]) for more in (1, 2))
                cell += f" ({low} to {high})"
            cells.append(cell)
        grid.add_row(*cells)
    return grid


def _matrix(table: Table, unit: str) -> Any:
    from rich.table import Table as Grid

    records = table.records()
    grid = Grid(title=f"{table.title}: {unit} ± standard error", title_justify="left")
    grid.add_column("declarer \\ defence")
    columns = list(dict.fromkeys(str(record["defence"]) for record in records))
    for column in columns:
        grid.add_column(column, justify="right")
    for at in range(0, len(records), len(columns)):
        cells = [f"{r[unit]:.2f} ± {r[f'{unit} se']:.2f}" for r in records[at : at + len(columns)]]
        grid.add_row(str(records[at]["declarer"]), *cells)
    return grid


def game_title(game: Mapping[str, Any]) -> str:
    """Who played whom, and what came of it."""
    who = (
        f"{game['declarer']} declares against {game['defence']}"
        if "defence" in game
        else ", ".join(
            f"{s} {n}" for s, n in zip(("North", "East", "South"), game["seats"], strict=True)
        )
    )
    if game["contract"] is None:
        return f"{who}: passed out"
    return f"{who}: {game['contract']}, {game['tricks']} tricks"


def show_game(events: Sequence[Mapping[str, Any]]) -> None:
    """A recorded game with the reasons."""
    from rich.console import Console
    from rich.table import Table as Grid

    console = Console(highlight=False)
    head = events[0]
    console.print(f"deal {head['number']} of seed {head['seed']}: {head['deal']}", markup=False)
    console.print(game_title(head["game"]), markup=False)
    grid = Grid()
    for column in ("seat", "chair", "choice", "reason"):
        grid.add_column(column)
    for event in events[1:]:
        if event["event"] != "result":
            choice = event.get("call") or event.get("card")
            grid.add_row(event["seat"], event.get("chair", ""), str(choice), event["reason"])
    console.print(grid)
