"""`tribridge puzzles make`: puzzles from games of the bots, or from textbook positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tribridge.cli.options import Processes, keeping, option
from tribridge.common.errors import quantity
from tribridge.common.files import write_atomic
from tribridge.common.waiting import Waiting
from tribridge.game.textbook import positions
from tribridge.lab.puzzle_maker import making
from tribridge.reviews.puzzle_files import check
from tribridge.reviews.themes import read_theme


def make(
    out: Annotated[Path, option("Folder for the games searched and puzzles.json.gz; resumes.")],
    seed: Annotated[int, option("Seed of the deals.")] = 1,
    games: Annotated[int, option("Games to search.")] = 100,
    book: Annotated[
        bool, option("Search the textbook positions in place of games.", "--book")
    ] = False,
    theme: Annotated[str | None, option("Only this theme, as in finesse.")] = None,
    processes: Processes = 0,
) -> None:
    """Make puzzles from the bots' games: positions in which two methods agree on one answer."""
    count = len(positions()) if book else games
    saving = keeping(f"what was found is in {out}, and the same command goes on")
    with saving, Waiting("searching") as line:
        making.make(
            None if book else seed,
            (0, count),
            out,
            processes,
            lambda before, made, puzzles: line.update(before + made, count),
            None if theme is None else read_theme(theme),
        )
    collection = making.collect(making.found_in(out))
    check(collection)
    write_atomic(out / "puzzles.json.gz", making.dumps(collection))
    print(f"{out / 'puzzles.json.gz'}: {quantity(len(collection.puzzles), 'puzzle')}")
