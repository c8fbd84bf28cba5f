"""What `tribridge arena` shows in the terminal: tables, matrices and single games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from tribridge.studies.tidy import Cell, Table


def show_tables(tables: Sequence[Table]) -> None:
    """Tables in the terminal; payoffs as a matrix."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for table in tables:
        if not table.rows:
            continue
        if table.name.endswith("-payoffs"):
            for unit in ("tricks", "points"):
                console.print(_matrix(table, unit))
        else:
            console.print(_fitting(table, console))
        if table.note:
            console.print(table.note, style="dim")


def _fitting(table: Table, console: Console) -> Any:
    """A table as it is, or turned by a quarter where only that fits the terminal."""
    from rich.table import Table as Grid

    def fits(grid: Grid) -> bool:
        return console.measure(grid, options=console.options.update(max_width=1000)).maximum <= (
            console.width
        )

    names, left, rows = _cells(table)
    grid = Grid(title=table.title, title_justify="left")
    for name, words in zip(names, left, strict=True):
        grid.add_column(name, justify="left" if words else "right", overflow="fold")
    for row in rows:
        grid.add_row(*row)
    turned = Grid(title=table.title, title_justify="left")
    turned.add_column(names[0])
    for row in rows:
        turned.add_column(row[0], justify="right")
    for at, name in enumerate(names[1:], 1):
        turned.add_row(name, *(row[at] for row in rows))
    return turned if not fits(grid) and left[0] and fits(turned) else grid


def _cells(table: Table) -> tuple[list[str], list[bool], list[list[str]]]:
    """Columns, which of them hold words, and rows; each estimate with its interval is one cell."""
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
    rows = []
    for row in table.rows:
        cells = []
        for at in kept:
            cell = text(table.columns[at], row[at])
            if at + 1 in ends and cell:
                low, high = (text(table.columns[at], row[at + more]) for more in (1, 2))
                cell += f" ({low} to {high})"
            cells.append(cell)
        rows.append(cells)
    words = [isinstance(table.column(table.columns[at])[0], str) for at in kept]
    return [table.columns[at] for at in kept], words, rows


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

    console = Console(highlight=False, markup=False)
    head = events[0]
    console.print(f"deal {head['number']} of seed {head['seed']}: {head['deal']}")
    console.print(game_title(head["game"]))
    grid = Grid()
    for column in ("seat", "chair", "choice", "reason"):
        grid.add_column(column)
    for event in events[1:]:
        if event["event"] != "result":
            choice = event.get("call") or event.get("card")
            grid.add_row(event["seat"], event.get("chair", ""), str(choice), event["reason"])
    console.print(grid)
