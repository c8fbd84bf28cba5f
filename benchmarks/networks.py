"""Milliseconds for one choice: by compiled code and by NumPy, and for a card of each player.

    python -m benchmarks.networks [--deals 10] [--out FILE]

The two ways of asking a network take turns, as do the players, on the same choices of games that
`learned` plays; each row is the best of three rounds, in time of the processor. A card includes all
that a player does for it: looking at the table, the network, and the reason.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import tribridge as tb
from tribridge.game.views import View, view
from tribridge.networks.network import SuitNetwork
from tribridge.networks.play import expand_one, observe, steps_of
from tribridge.strategies import decision_rng, human, learned
from tribridge.strategies.registry import find_player
from tribridge.strategies.versions import list_versions, player_version

PLAYERS: Final = ("learned", "human", "maxims")
SEED: Final = 3100
ROUNDS: Final = 3


def choices(deals: int) -> list[View]:
    """The views from which `learned` had more than one card to play."""
    views = []
    for number in range(deals):
        for table in tb.play_game(
            "learned", "learned", "learned", seed=SEED, number=number
        ).states():
            if table.position is not None and len(table.legal) > 1:
                views.append(view(table, table.turn))
    return views


def best(ways: dict[str, Callable[[View], object]], views: Sequence[View]) -> dict[str, float]:
    """The fewest milliseconds a view took each way, of rounds in turn."""
    times = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begun = time.process_time()
            for seen in views:
                way(seen)
            times[name] = min(times[name], 1000 * (time.process_time() - begun) / len(views))
    return times


def main() -> None:
    """Measure, print, and write the numbers if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    views = choices(asked.deals)
    seen = {id(each): expand_one(observe(each), steps_of(each)) for each in views}

    def by(answer: Callable[..., object]) -> Callable[[View], object]:
        return lambda each: answer(*seen[id(each)])

    def card(name: str) -> Callable[[View], object]:
        player, rng = find_player(name), decision_rng(SEED, 0, 0, 0)
        return lambda each: player.card(each, rng)

    networks: dict[str, SuitNetwork] = {
        "learned": learned.network(learned.POINTS),
        "human": human.network(),
    }
    ways = {f"{name}, compiled": by(network) for name, network in networks.items()}
    ways |= {f"{name}, NumPy": by(network.of_many) for name, network in networks.items()}
    players = {f"a card of {name}": card(name) for name in PLAYERS}
    for way in (ways | players).values():
        way(views[0])  # what is loaded and compiled for it does not count
    times = best(ways, views) | best(players, views)
    for name, each in times.items():
        print(f"{name:20} {each:6.2f} ms")
    for name in networks:
        ratio = times[f"{name}, NumPy"] / times[f"{name}, compiled"]
        print(f"{name}: NumPy takes {ratio:.1f} times as long as compiled code")
    if asked.out is not None:
        result = {
            "choices": len(views),
            "milliseconds": times,
            "processor": platform.machine(),
            "made_by": list_versions([player_version(name) for name in PLAYERS]),
        }
        asked.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
