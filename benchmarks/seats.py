"""What a place in the order of calling is worth on a tiny deck, where auctions are solved.

    python -m benchmarks.seats [--iterations 1000] [--starts 3] OUT.json

CFR+ on the auction of `2x4`, contracts paid by double dummy, under two schemes, as by `tribridge
equilibrium --deck 2x4 --auction-only --scheme contract`. The result in the package is
`studies/seats.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tribridge.cards.cards import Deck
from tribridge.common.files import write_atomic
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.fairness import Seated, Seats
from tribridge.lab.studies.study import dumps_result
from tribridge.lab.tiny.measuring import SolverWork, solve_auction

DECK: Final = "2x4"
SCHEMES: Final = ("auction", "contract")


def seats_of(iterations: int, starts: int, say: Callable[[str], None]) -> Seats:
    """The value of each place from every start of CFR+, under each scheme."""
    work = SolverWork(iterations, starts, say)
    rows = []
    for scheme in SCHEMES:
        solved = solve_auction(Deck(DECK), find_scheme(scheme), 0, work)
        for start in solved.starts:
            first, second, third = start.judged.values
            rows.append(
                Seated(scheme, start.name, float(first), float(second), float(third),
                       float(start.judged.nash_conv))
            )  # fmt: skip
    return Seats(tuple(rows), DECK, iterations)


def main() -> None:
    """Solve and write."""
    parser = argparse.ArgumentParser(description="Places in the order of calling on a tiny deck.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=3)
    options = parser.parse_args()
    say = partial(print, file=sys.stderr, flush=True)
    write_atomic(options.out, dumps_result(seats_of(options.iterations, options.starts, say)))


if __name__ == "__main__":
    main()
