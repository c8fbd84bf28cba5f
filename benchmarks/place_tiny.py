"""Small decks for the study of places: auctions solved from several starts.

    python -m benchmarks.place_tiny --out TINY.jsonl [--deck 2x6]

Each line of the file is a game and a start: a deck, a scoring, the joint play of learners judged as
a coarse correlated equilibrium, and the average strategies of CFR+ judged by NashConv, after
several numbers of iterations. A run with the same file goes on where it stopped; a file of another
plan is refused. Takes about an hour on one core, most of it for the decks of twelve cards, whose
bids are those of level 1. The plan is `studies/place.plan.toml`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.refusals import in_one_line
from tribridge.cards.cards import Deck
from tribridge.common.errors import FormatError
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.correlated import JointPlay, learn
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.treeplex import CFRPlus, SequenceGame, judge, random_profile
from tribridge.strategies.versions import commit

BONUS: Final = 100
"""What `bonus` adds to each trick of a contract that makes."""
GAMES: Final = (
    ("2x4", 0, ("auction", "contract", "bonus"), 3),
    ("4x2", 0, ("auction", "contract", "bonus"), 3),
    ("2x6", 1, ("contract", "bonus"), 2),
    ("3x4", 1, ("contract", "bonus"), 2),
)
"""Decks, their levels (0: all), scorings, and starts."""
STOPS: Final = (10, 30, 100, 300, 1000)


def scoring(name: str) -> Scheme:
    """The scheme of a name; `bonus` pays much for any contract that makes."""
    if name != "bonus":
        return find_scheme(name)
    plain = find_scheme("auction")
    trick = {strain: points + BONUS for strain, points in plain.trick.items()}
    return replace(plain, name=name, trick=trick)


def averages(game: SequenceGame, stops: Sequence[int], start: Any) -> Iterator[dict[str, Any]]:
    """CFR+ judged after some iterations."""
    solver = CFRPlus(game, start)
    for stop in stops:
        solver.run(stop - solver.iterations)
        judged = judge(game, solver.average)
        yield {"iterations": stop, "values": judged.values, "nash_conv": judged.nash_conv}


def solved(game: SequenceGame, start: int, iterations: int) -> dict[str, Any]:
    """A game from one start, by joint play and by average strategies."""
    stops = [*(stop for stop in STOPS if stop < iterations), iterations]
    profile = None if start == 0 else random_profile(game, start)
    joint: list[JointPlay] = list(learn(game, stops, profile))
    return {
        "start": "uniform" if start == 0 else f"random {start}",
        "joint": [asdict(each) for each in joint],
        "average": list(averages(game, stops, profile)),
    }


def main() -> None:
    """Solve what a file does not have."""
    parser = argparse.ArgumentParser(description="Places on small decks.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--deck", choices=[deck for deck, *_ in GAMES], help="this one alone")
    options = parser.parse_args()
    out: Path = options.out
    say = partial(print, file=sys.stderr, flush=True)
    numbers = read_numbers("place")
    sizes, head = numbers["sizes"], {"plan": numbers["digest"]}
    rows = (
        [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.exists() else []
    )
    if rows and rows[0].get("plan") != head["plan"]:
        raise FormatError(f"{out}: of another plan than {head['plan']}: use another file")
    done = {(row["deck"], row["scoring"], row["start"]) for row in rows[1:]}
    with out.open("a", encoding="utf-8") as file:
        if not rows:
            file.write(json.dumps({**head, "commit": commit()}) + "\n")
        for deck, levels, names, starts in GAMES:
            if options.deck not in (None, deck):
                continue
            layouts = Layouts(Deck(deck))
            small = layouts.deck.size == 8
            for name in names:
                for start in range(starts):
                    label = "uniform" if start == 0 else f"random {start}"
                    if (deck, name, label) in done:
                        continue
                    game = AuctionGame(layouts, scoring(name), levels)
                    iterations = sizes["iterations" if small else "large_iterations"]
                    row = {"deck": deck, "levels": game.levels, "scoring": name}
                    row |= solved(game, start, iterations)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                    say(f"{deck} {name} {label}: done")


if __name__ == "__main__":
    in_one_line(main)
