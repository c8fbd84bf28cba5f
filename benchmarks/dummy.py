"""What an open dummy is worth: the play of eight cards, solved with dummy open and closed.

    python -m benchmarks.dummy dummy.json [--iterations 300]

The plan is `studies/dummy.plan.toml`; with its iterations the result is that in the package
(`studies/dummy.json`). Takes about a minute of one core.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.refusals import in_one_line
from tribridge.cards.cards import Deck
from tribridge.common.files import write_atomic
from tribridge.lab.studies.dummy import DECKS, PLAN, Faced, Result, solved
from tribridge.lab.studies.study import dumps_result


def main() -> None:
    """Solve and write."""
    parser = argparse.ArgumentParser(description="The play of eight cards, dummy open and closed.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--iterations", type=int, default=PLAN.sizes["iterations"])
    options = parser.parse_args()
    rows: list[Faced] = []
    for deck in DECKS:
        for strain in Deck(deck).strains:
            rows.append(solved(deck, strain, options.iterations))
            print(f"{deck} {strain.letter}: done", file=sys.stderr, flush=True)
    result = Result(PLAN.digest, options.iterations, tuple(rows))
    write_atomic(options.out, dumps_result(result))


if __name__ == "__main__":
    in_one_line(main)
