"""What commands show in the terminal: tables, and single games of the arena."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

from tribridge.common.errors import quantity

if TYPE_CHECKING:
    from rich.console import Console

    from tribridge.arena.tables import Report
    from tribridge.common.tables import Cell, Column, StudyTable

_NO_BREAK = "\u00a0"


def show_report(report: Report, tables: Sequence[StudyTable]) -> None:
    """The answer of a run, then its tables."""
    from rich.console import Console

    from tribridge.arena.tables import summary

    console = Console(highlight=False, markup=False)
    for line in summary(report):
        whole = re.sub(r"\(.*\)", lambda interval: interval[0].replace(" ", _NO_BREAK), line)
        console.print(fill(whole, console.width).replace(_NO_BREAK, " "), soft_wrap=True)
    show_tables(tables)


def show_tables(tables: Iterable[StudyTable]) -> None:
    """Tables in the terminal."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for table in tables:
        if table.rows:
            console.print()
            _print_blocks(console, table.title, *_cells(table))
            if table.note:
                console.print(table.note, style="dim")


def _print_blocks(
    console: Console,
    title: str,
    names: Sequence[str],
    words: Sequence[bool],
    rows: Sequence[Sequence[str]],
) -> None:
    """A table, split into blocks of columns if it is wider than the terminal.

    Numbers are never broken, words only if they must be. The words on the left start each block.
    """
    from rich.table import Table as Grid

    keys = next((at for at, word in enumerate(words) if not word), len(words))
    widths = [max(map(len, (name, *(row[at] for row in rows)))) for at, name in enumerate(names)]
    room = console.width - sum(width + 2 for width in widths[:keys])
    blocks: list[list[int]] = [[]]
    for at in range(keys, len(names)):
        taken = sum(widths[other] + 2 for other in blocks[-1])
        if blocks[-1] and taken + widths[at] > room:
            blocks.append([])
        blocks[-1].append(at)
    console.print(title, style="bold")
    for block in blocks:
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        chosen = [*range(keys), *block]
        for at in chosen:
            justify: Any = "left" if words[at] else "right"
            grid.add_column(names[at], justify=justify, no_wrap=not words[at], overflow="fold")
        for row in rows:
            grid.add_row(*(row[at] for at in chosen))
        console.print(grid)


def _cells(table: StudyTable) -> tuple[list[str], list[bool], list[list[str]]]:
    """Names, which columns hold words, and rows; an estimate and its interval share a cell."""
    ends = {name for column in table.columns for name in column.interval or ()}
    shown = [column for column in table.columns if column.name not in ends]
    rows = [[_cell(column, record) for column in shown] for record in table.records()]
    words = [isinstance(table.column(column.name)[0], str) for column in shown]
    return [column.name for column in shown], words, rows


def _cell(column: Column, record: Mapping[str, Cell]) -> str:
    def text(name: str) -> str:
        value = record[name]
        if isinstance(value, str):
            return value
        return "" if value is None or not isfinite(value) else column.text(value)

    cell = text(column.name)
    if not cell or column.interval is None:
        return cell
    low, high = map(text, column.interval)
    return cell if {low, high} in ({cell}, {""}) else f"{cell} ({low} to {high})"


def game_title(game: Mapping[str, Any]) -> str:
    """Who played whom, and the result."""
    who = (
        f"{game['declarer']} declares against {game['defence']}"
        if "defence" in game
        else ", ".join(
            f"{s} {n}" for s, n in zip(("North", "East", "South"), game["seats"], strict=True)
        )
    )
    if game["contract"] is None:
        return f"{who}: passed out"
    return f"{who}: {game['contract']}, {quantity(game['tricks'], 'trick')}"


def show_game(events: Sequence[Mapping[str, Any]]) -> None:
    """Show a recorded game with its reasons."""
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
