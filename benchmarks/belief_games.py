"""Play games and score what each model of calls and plays believes in them.

    python benchmarks/belief_games.py [--games 85] [--deep 25] [--out belief_games.npz]

The first `--deep` games take several seconds each, since the network weighs their plays and leads
are solved double dummy; the others take about one. The file grows as the games are scored; with an
existing file, only the games that it does not have are played and scored; a file of games by other
versions of the strategies is replaced.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tribridge.files import write_atomic
from tribridge.strategies.versions import strategy_version
from tribridge.studies import belief_games

_STEP = 5


def main() -> None:
    """Play, score, write."""
    parser = argparse.ArgumentParser(description="Score beliefs in games.")
    parser.add_argument("--games", type=int, default=85)
    parser.add_argument("--deep", type=int, default=25)
    parser.add_argument("--out", type=Path, default=Path("belief_games.npz"))
    options = parser.parse_args()
    scores = None
    if options.out.exists():
        with options.out.open("rb") as file:
            scores = belief_games.load_scores(file, str(options.out))
        if scores.versions != tuple(map(strategy_version, belief_games.STRATEGIES)):
            scores = None
    while scores is None or len(scores) < options.games:
        done = 0 if scores is None else len(scores)
        start = 0 if scores is None else int(scores.numbers[-1]) + 1
        deep = done < options.deep
        count = min(_STEP, (options.deep if deep else options.games) - done)
        games = belief_games.play_games(count, start)
        more = belief_games.score_games(games, deep=deep)
        scores = more if scores is None else belief_games.join_scores(scores, more)
        write_atomic(options.out, belief_games.dumps_scores(scores))
        print(f"{len(scores)} games", flush=True)


if __name__ == "__main__":
    main()
