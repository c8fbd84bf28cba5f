"""Play the arena results in the package again, where other strategies made them.

Run by `make results`, or as

    python -m tools.results [--all] [--processes N] [NAME ...]

Every result says what was played, so the same games are played by the strategies as they are now.
Finished chunks are kept in `out/results`, from which an interrupted run continues. The ladders of
the bots are then computed from the matches.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from operator import eq
from pathlib import Path

from tests.club.history import ladders
from tribridge.arena import results
from tribridge.arena.results import MatchResult, PlayResult, new_origin, result_of
from tribridge.arena.running import backend, run
from tribridge.arena.work import MatchOutcome, Outcome
from tribridge.strategies.versions import commit

DATA = Path(results.__file__).parent / "data"
FOLDER = Path("out/results")


def is_current(result: PlayResult | MatchResult) -> bool:
    """Whether a result was made by the strategies as they are now."""
    return result.origin.strategies == result.work.versions


def untimed(game: Outcome) -> Outcome:
    """The outcome of a game without thinking times: they say how busy this machine was."""
    if isinstance(game, MatchOutcome):
        return replace(game, games=tuple(replace(deal, times={}) for deal in game.games))
    return replace(game, times={})


def play_again(name: str, processes: int) -> None:
    """Play the games of a result again and replace its file."""
    before, begin = results.load_shipped(name), time.monotonic()
    wanted = before.games[0].number, before.games[-1].number + 1
    work, deals = before.work, wanted[1] - wanted[0]
    played = run(work, wanted, backend(processes), folder=FOLDER / name, chunk=1)
    origin = new_origin(work, wanted[0], deals, time.monotonic() - begin)
    again = result_of(work, map(untimed, played.games), origin)
    results.save(again, DATA / f"{name}.json.gz")
    new, old = ([game.points for game in result.games] for result in (again, before))
    same = sum(map(eq, new, old)) / len(old)
    print(f"{name}: {deals:,} played in {origin.seconds:.0f} s, {same:.1%} of points as before")


def main() -> None:
    """Play what is named, or what is out of date."""
    parser = argparse.ArgumentParser(description="Play the results in the package again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(results.shipped_names()))
    parser.add_argument("--all", action="store_true", help="also those that are up to date")
    parser.add_argument("--processes", type=int, default=0, help="0: one for each core")
    options = parser.parse_args()
    commit()  # as it is before files are replaced
    for name in options.names or results.shipped_names():
        if options.all or options.names or not is_current(results.load_shipped(name)):
            play_again(name, options.processes)
    ladders.save()


if __name__ == "__main__":
    main()
