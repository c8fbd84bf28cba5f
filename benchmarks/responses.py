"""Best responses by training, beside exact ones: the auction of a tiny deck.

    python benchmarks/responses.py [--deck 2x4] [--batches 500] [--runs 1]

`tribridge train bidding --response 1` looks for what a bidder loses to one that is trained against
it alone. How much of the exact gain does that find? Here a network is trained by the same code
against the greedy bidder, then another one against that network, under `auction` with 100 points
more for a contract that is made: without them, hardly any hand is worth a bid. What a response
gains is computed over all deals, as is the most that any could gain. Needs PyTorch.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import torch
import typer

from tribridge.cards.cards import Deck
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.layouts import SEATS, Layouts
from tribridge.lab.tiny.measuring import value_of
from tribridge.lab.tiny.policies import call_strategies, greedy_calls
from tribridge.lab.tiny.treeplex import Floats, judge
from tribridge.lab.training import bidding
from tribridge.lab.training.bidders import best
from tribridge.lab.training.bidding_games import greedy
from tribridge.lab.training.deals import Bidder
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.tiny_bidding import TinyDealing, network_calls, training

SIZE = bidding.BiddingSize(width=64, layers=2, critic_width=64, critic_layers=2)
BONUS = 100


def respond(dealing: TinyDealing, rival: Bidder, batches: int, seed: int) -> SuitNetwork:
    """A network trained in one seat against a rival in the two others."""
    piece = bidding.BiddingPiece(
        batches=batches, games=2048, minibatch=128, doubles=0.0, imitation=0, rate=(1e-3, 1e-4),
        compiled=False,
    )  # fmt: skip
    (learner,) = training(dealing, SIZE, piece, seed, rival=rival, kept=(batches,))
    return learner.average


def gains(game: AuctionGame, rival: list[Floats], response: list[Floats]) -> tuple[float, float]:
    """What a response gains in one seat against two rivals, and the most that one could."""
    exact = judge(game, rival)
    found = [
        value_of(game, seat, [*rival[:seat], response[seat], *rival[seat + 1 :]])
        for seat in range(SEATS)
    ]
    return (sum(found) - sum(exact.values)) / SEATS, sum(exact.gains) / SEATS


def bonus() -> Scheme:
    """`auction` with more points for a contract that is made."""
    plain = find_scheme("auction")
    trick = {strain: points + BONUS for strain, points in plain.trick.items()}
    return replace(plain, name="bonus", trick=trick)


def main(
    deck: Annotated[str, typer.Option(help="The deck.")] = "2x4",
    batches: Annotated[int, typer.Option(help="Batches of 2,048 games.")] = 500,
    runs: Annotated[int, typer.Option(help="Runs of each, by seed.")] = 1,
) -> None:
    """Print a line for each response."""
    torch.set_num_threads(1)
    game = AuctionGame(Layouts(Deck(deck)), bonus())
    dealing = TinyDealing(game)
    for seed in range(runs):
        rival: Bidder = greedy
        profile = call_strategies(game, greedy_calls, best=True)
        for name in ("greedy", "response"):
            response = respond(dealing, rival, batches, seed)
            own = call_strategies(game, network_calls(dealing, response), best=True)
            found, exact = gains(game, profile, own)
            line = {"against": name, "seed": seed, "found": found, "exact": exact}
            print(json.dumps({**line, "share": found / exact if exact else None}), flush=True)
            rival, profile = best(response), own


if __name__ == "__main__":
    typer.run(main)
