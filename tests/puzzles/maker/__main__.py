"""Make puzzles from games of the bots: one answer clearly best, by two computations.

    python -m tests.puzzles.maker --out FOLDER [--games 500] [--seed 7] [--processes N]
    python -m tests.puzzles.maker --out FOLDER --book

Games that were searched stay in the folder, and the same command goes on. It ends with
`puzzles.json.gz`, which `tribridge puzzles --file` reads and the package ships.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.puzzles.maker.collecting import collect, dumps
from tests.puzzles.maker.making import found_in, make
from tribridge.files import write_atomic
from tribridge.game.textbook import positions
from tribridge.puzzles.collection import check
from tribridge.waiting import Waiting


def main() -> None:
    """Search the games that are missing, and collect what was found."""
    parser = argparse.ArgumentParser(description="Make puzzles from games of the bots.")
    parser.add_argument("--out", type=Path, required=True, help="folder; a stopped run resumes")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals")
    parser.add_argument("--games", type=int, default=100, help="games to search")
    parser.add_argument("--book", action="store_true", help="search textbook positions instead")
    parser.add_argument("--processes", type=int, default=0, help="0: one for each core")
    options = parser.parse_args()
    count = len(positions()) if options.book else options.games
    seed = None if options.book else options.seed
    with Waiting("searching") as line:
        make(
            seed, (0, count), options.out, options.processes,
            lambda kept, made, found: line.update(kept + made, count),
        )  # fmt: skip
    collection = collect(found_in(options.out))
    check(collection)
    write_atomic(options.out / "puzzles.json.gz", dumps(collection))
    print(f"{options.out / 'puzzles.json.gz'}: {len(collection.puzzles)} puzzles")


if __name__ == "__main__":
    main()
