"""`tribridge puzzles make`: puzzles from games of bots or experts, or from textbook positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from tribridge.cli.options import Processes, argument, keeping, option
from tribridge.common.errors import NotFoundError, SettingError, quantity
from tribridge.common.files import check_place, write_atomic
from tribridge.common.waiting import Waiting
from tribridge.game.textbook import positions
from tribridge.lab.puzzle_maker import making
from tribridge.lab.puzzle_maker.expert_boards import SearchingExperts, deals_of
from tribridge.lab.training.lin_boards import read_boards
from tribridge.reviews.puzzle_files import check, load
from tribridge.reviews.puzzles import Puzzle
from tribridge.reviews.themes import read_theme
from tribridge.strategies.versions import Version


def make(
    out: Annotated[Path, option("Folder for the games searched and puzzles.json.gz; resumes.")],
    seed: Annotated[int, option("Seed of the deals.")] = 1,
    games: Annotated[int, option("Games to search, or deals of --boards.")] = 100,
    book: Annotated[
        bool, option("Search the textbook positions in place of games.", "--book")
    ] = False,
    boards: Annotated[
        Path | None,
        option(
            "Search deals that experts played: a file of tribridge train boards, or a folder of "
            "LIN files. Deals for validation are left out.",
            show_default="none",
        ),
    ] = None,
    theme: Annotated[str | None, option("Only this theme, as in finesse.")] = None,
    processes: Processes = 0,
) -> None:
    """Make puzzles from the bots' games: positions in which two methods agree on one answer."""
    if boards is not None and (book or theme is not None):
        raise SettingError("--boards searches all choices: not with --book or --theme")
    search: making.Search
    if boards is not None:
        deals = deals_of(read_boards(boards, print), games, seed)
        search, games = SearchingExperts(tuple(deals), seed), len(deals)
    else:
        search = making.Searching(
            None if book else seed, None if theme is None else read_theme(theme)
        )
        games = len(positions()) if book else games
    saving = keeping(f"what was found is in {out}, and the same command goes on")
    with saving, Waiting("searching") as line:
        making.make(
            search,
            (0, games),
            out,
            processes,
            lambda before, made, puzzles: line.update(before + made, games),
        )
    _collect([out], out / "puzzles.json.gz")


def collect(
    sources: Annotated[
        list[Path], argument("Folders of tribridge puzzles make, or files of puzzles.")
    ],
    out: Annotated[Path, option("File to write.")] = Path("puzzles.json.gz"),
) -> None:
    """Collect puzzles in one file: one of a deal, with lines, themes and ratings."""
    check_place(out)
    _collect(sources, out)


def themes(file: Annotated[Path, argument("A file of puzzles, which is changed.")]) -> None:
    """Prove the themes of a file of puzzles again; puzzles, lines and ratings stay."""
    before = load(file)
    after = making.with_themes(before)
    changed = sum(
        a.theme is not b.theme for a, b in zip(before.puzzles, after.puzzles, strict=True)
    )
    check(after)
    write_atomic(file, making.dumps(after))
    print(f"{file}: {quantity(changed, 'theme')} changed")


def _collect(sources: Sequence[Path], out: Path) -> None:
    puzzles, made_by = list[Puzzle](), list[Version]()
    for source in sources:
        if source.is_dir():
            puzzles += making.found_in(source)
            continue
        if not source.exists():
            raise NotFoundError(f"{source}: no such file or folder of puzzles")
        collection = load(source)
        puzzles += collection.puzzles
        made_by += collection.made_by
    with Waiting("playing lines") as line:
        collection = making.collect(puzzles, made_by, lambda done: line.update(done, len(puzzles)))
    check(collection)
    write_atomic(out, making.dumps(collection))
    print(f"{out}: {quantity(len(collection.puzzles), 'puzzle')}")
