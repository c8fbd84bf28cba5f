"""Learning as a curve on eight cards: where bidding begins, and how far it can be exploited.

    python -m benchmarks.curves_tiny --folder FOLDER [--begins nothing] [--seed 0]

A small network learns the auction of `2x4` under `contract` by the code that trains on the full
deck (`training.tiny_bidding`): from nothing, from imitation of the greedy bidder, or of the auction
as CFR+ solves it. After fixed numbers of batches it is judged exactly. Each run is a file of JSON
lines, and its last network a file beside it. A run with the same folder goes on with the runs that
are not there; a folder of another plan is refused. The plan is `studies/curves.plan.toml`. Needs
PyTorch; the nine runs take about eight minutes of one core.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from benchmarks.place import Folder
from benchmarks.refusals import in_one_line
from tribridge.common.files import write_atomic
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.measuring import beside_greedy
from tribridge.lab.tiny.policies import call_strategies
from tribridge.lab.tiny.treeplex import CFRPlus, Floats
from tribridge.lab.training.bidding_games import BEGINS

MARKS: Final = (0, 6, 12, 25, 50, 75, 100)
"""After how many batches a network is judged."""


def solved(game: AuctionGame, iterations: int) -> list[Floats]:
    """The experts: average strategies of CFR+ from the uniform start."""
    solver = CFRPlus(game)
    solver.run(iterations)
    return solver.average


def run_of(game: AuctionGame, begins: str, seed: int, sizes: dict[str, int]) -> Any:
    """The lines of one run, and its last network."""
    from tribridge.lab.training import bidding
    from tribridge.lab.training.pytorch import torch
    from tribridge.lab.training.tiny_bidding import (
        TinyDealing,
        network_calls,
        strategy_target,
        training,
    )

    torch.set_num_threads(1)
    dealing, width = TinyDealing(game), sizes["tiny_width"]
    target: bidding.Target = bidding.greedy_target
    if begins == "experts":
        target = strategy_target(game, dealing, solved(game, sizes["tiny_solved"]))
    size = bidding.BiddingSize(width=width, layers=1, critic_width=width, critic_layers=1)
    piece = bidding.BiddingPiece(
        batches=sizes["tiny_batches"],
        games=sizes["tiny_games"],
        minibatch=sizes["tiny_games"] // 4,
        rate=(3e-3, 3e-4),
        entropy=(0.02, 0.002),
        doubles=0.0,
        imitation=0 if begins == "nothing" else sizes["tiny_imitation"],
        compiled=False,
    )
    rows, network = [], None
    for learner in training(dealing, size, piece, seed, target=target, kept=MARKS):
        network = learner.average
        profile = call_strategies(game, network_calls(dealing, network), best=False)
        points, gained = beside_greedy(game, profile)
        rows.append({"games": learner.games, "points": points, "gained": gained})
    return rows, network


def folder_of(path: Path, **others: str) -> Folder:
    """The folder of the runs of this plan, and of whatever else they must agree in."""
    return Folder(path, {"plan": read_numbers("curves")["digest"], **others})


def main() -> None:
    """Train what a folder does not have."""
    parser = argparse.ArgumentParser(description="Learning as a curve, on eight cards.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--begins", choices=BEGINS, help="these runs alone")
    parser.add_argument("--seed", type=int, choices=range(3), help="this one alone")
    options = parser.parse_args()
    numbers = read_numbers("curves")
    folder_of(options.folder).begin()
    from tribridge.lab.studies.curves import tiny_game

    game = tiny_game()
    for at in range(numbers["sizes"]["seeds"]):
        for begins in BEGINS:
            path = options.folder / f"{begins}-{at}.jsonl"
            left_out = options.begins not in (None, begins) or options.seed not in (None, at)
            if left_out or path.exists():
                continue
            rows, network = run_of(game, begins, numbers["seeds"]["runs"] + at, numbers["sizes"])
            from tribridge.lab.training.networks import save_network

            save_network(network, path.with_suffix(".npz"))
            write_atomic(path, "".join(json.dumps(row) + "\n" for row in rows))
            print(f"{path.stem}: done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    in_one_line(main)
