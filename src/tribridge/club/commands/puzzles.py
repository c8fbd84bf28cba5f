"""`tribridge puzzles`: positions to solve, made from games of bots and experts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tribridge.cli.options import AsJson, argument, option, print_json
from tribridge.club.api import list_puzzles
from tribridge.club.puzzles import Puzzle, Rating, daily, find, load, shipped, update
from tribridge.common import codec
from tribridge.common.errors import TribridgeError, quantity
from tribridge.reviews.puzzle_files import check

app = typer.Typer(no_args_is_help=True, add_completion=False)
ThemeText = Annotated[str | None, option("Only this theme, as in finesse; see list.", "--theme")]
File = Annotated[
    Path | None, option("A file of puzzles.", "--file", show_default="the package's own")
]


@app.callback()
def puzzles() -> None:
    """Solve puzzles: what to play, or call."""


@app.command()
def solve(
    name: Annotated[
        str, argument("A puzzle by its name; daily: today's.", show_default="any")
    ] = "",
    theme: ThemeText = None,
    answer: Annotated[str | None, option("Answer one puzzle, without being asked.")] = None,
    seed: Annotated[int, option("Seed of the order of the puzzles.", min=0)] = 1,
    file: File = None,
) -> None:
    """Solve puzzles in the terminal; an empty answer or Ctrl-D ends it."""
    pack = None if file is None else load(file)
    if name == "daily":
        asked = [daily(datetime.now(UTC).date(), pack)]
    elif name:
        asked = [find(name, pack)]
    else:
        known = list_puzzles(theme, file=None if file is None else str(file))
        asked = [known[at] for at in np.random.default_rng(seed).permutation(len(known))]
    own, right, count = Rating(), 0, 0
    for puzzle in asked[: 1 if answer is not None else None]:
        print(f"\n{puzzle}\n")
        solved = _ask(puzzle, answer)
        if solved is None:
            break
        right, count = right + solved, count + 1
        own = update(own, [(Rating(puzzle.rating, puzzle.deviation), float(solved))])
    if count and answer is None:
        print(f"{right} of {count} right: rating {own.rating:.0f} ± {2 * own.deviation:.0f}")


def _ask(puzzle: Puzzle, given: str | None) -> bool | None:
    """Whether a puzzle was answered right; None if there was no answer."""
    while True:
        if (text := given) is None:
            try:
                text = input("> ").strip()
            except EOFError:
                print()  # Ctrl-D leaves the cursor behind the prompt
                text = ""
        if not text:
            return None
        try:
            answer = puzzle.answer(text)
        except TribridgeError as error:
            if given is not None:
                raise
            print(error)
            continue
        loss = f"it loses {quantity(round(answer.loss), 'point')}"
        print("Right." if answer.right else f"{answer.action}: {loss}.", *puzzle.sentences(answer))
        if puzzle.layout is not None:
            print(puzzle.layout)
        for line in puzzle.lines() or ():
            print(f"{line.cards[0]}:", *line.sentences())
        return answer.right


@app.command(name="list")
def list_all(theme: ThemeText = None, file: File = None, as_json: AsJson = False) -> None:
    """List the puzzles with their themes, answers and margins."""
    known = list_puzzles(theme, file=None if file is None else str(file))
    if as_json:
        print_json([codec.plain(puzzle) for puzzle in known])
        return
    for puzzle in known:
        right = " ".join(map(str, puzzle.right))
        print(
            f"{puzzle.id}  {puzzle.theme:9} {puzzle.rating:5.0f} ± {2 * puzzle.deviation:3.0f}  "
            f"{right}, not {puzzle.tempting}: "
            f"a wrong answer loses {quantity(round(puzzle.margin), 'point')} or more"
        )
    print(quantity(len(known), "puzzle"))


@app.command(name="check")
def check_file(
    file: Annotated[
        Path | None, argument("A file of puzzles.", show_default="the package's")
    ] = None,
) -> None:
    """Check a file of puzzles: every position, answer and margin."""
    collection = shipped() if file is None else load(file)
    check(collection)
    print(f"{quantity(len(collection.puzzles), 'puzzle')}: sound")
