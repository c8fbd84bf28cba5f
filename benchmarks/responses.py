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
from functools import partial
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor

from tribridge.cards.cards import Deck
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.layouts import SEATS, Layouts, net_points
from tribridge.lab.tiny.measuring import value_of
from tribridge.lab.tiny.policies import call_strategies, greedy_calls
from tribridge.lab.tiny.treeplex import Floats, judge
from tribridge.lab.training import bidding
from tribridge.lab.training.bidders import Bidder, answers_of, best
from tribridge.lab.training.bidding_games import Deals, Settle, learner_seats
from tribridge.lab.training.learner import Learner
from tribridge.lab.training.ppo import learn, step_of
from tribridge.networks.auction import BIDS, PASS, STAKES, STRAINS, AuctionGames, call_number

SIZE = bidding.BiddingSize(width=64, layers=2, critic_width=64, critic_layers=2)
BONUS = 100


class TinyAuctions(AuctionGames):
    """Auctions with the bids of the deck alone."""

    bids_of_deck = 0

    def legal(self) -> Tensor:
        return super().legal() & (self.bids_of_deck | 1 << PASS)


class TinyDealing:
    """Deals of a tiny deck, each contract paid by its double-dummy tricks."""

    def __init__(self, game: AuctionGame) -> None:
        layouts, self.device = game.layouts, torch.device("cpu")
        deck, count = layouts.deck, len(layouts)
        values = np.zeros((count, SEATS, BIDS, 3, SEATS), np.float32)
        own = np.zeros((count, SEATS, BIDS + STRAINS * STAKES), np.float32)
        own[..., :BIDS] = -BONUS
        for level in range(1, game.levels + 1):
            for at, strain in enumerate(deck.strains):
                bid = Bid(level, strain)
                points = net_points(game.scheme, bid, deck)
                for seat in range(SEATS):
                    paid = values[:, seat, call_number(bid)]
                    paid -= points[layouts.tricks[seat, at], None, None] / 2
                    paid[..., seat] *= -2
                    alone = layouts.mean_chances[:, at] @ points
                    own[:, seat, call_number(bid)] = alone[layouts.deals[:, seat]]
        self.values, self.own = torch.tensor(values), torch.tensor(own)
        self.hands = torch.tensor(layouts.masks)
        self.alone = torch.tensor(own[np.unique(layouts.deals[:, 0], return_index=True)[1], 0])
        self.unit = 0.3 * float(np.ptp(net_points(game.scheme, Bid(1, deck.strains[0]), deck)))

    def deal(self, count: int) -> Deals:
        """Random deals."""
        at = torch.randint(len(self.hands), (count,))
        plain = torch.zeros(count, dtype=torch.int64)
        return Deals(
            hands=self.hands[at],
            chances=plain,
            values=self.values[at],
            own=self.own[at],
            units=torch.full((count,), self.unit),
            doubles=plain.bool(),
            setting=plain,
        )

    def payoffs(self, games: AuctionGames, deals: Deals) -> Tensor:
        """Points of the three players after the auctions."""
        rows, bid = torch.arange(len(deals)), (games.standing - 1).clip(min=0)
        value = deals.values[rows, games.bidder % SEATS, bid, 0]
        return torch.where((games.standing == 0)[:, None], 0.0, value)


def strategies(game: AuctionGame, dealing: TinyDealing, bidder: Bidder) -> list[Floats]:
    """A bidder that makes one call with each hand, in all three seats of the exact game."""
    hands = torch.tensor(game.layouts.hands)

    def calls(game: AuctionGame, turn: int) -> Floats:
        place = game.tree.turns[turn]
        games = TinyAuctions(len(hands), hands.device)
        for call in place.auction.calls:
            games.step(torch.full((len(hands),), call_number(call)))
        chosen = bidder(games.observe(hands[:, None].expand(-1, 4)), games.legal(), dealing.alone)
        numbers = torch.tensor([call_number(call) for call in place.calls])
        return (chosen[:, None] == numbers).numpy().astype(float)

    return call_strategies(game, calls, best=True)


def respond(dealing: TinyDealing, rival: Bidder, batches: int, seed: int) -> Bidder:
    """A bidder trained in one seat against a rival in the two others."""
    piece = bidding.BiddingPiece(
        games=2048, minibatch=128, doubles=0.0, response=1, rate=(1e-3, 1e-4), compiled=False
    )
    torch.manual_seed(seed)
    learner = Learner(SIZE, dealing.device)
    mine = learner_seats(piece.games, 16, (1,), learner.device)
    play = partial(bidding.play_out, learner.policy, [(16, rival, -1)], answers_of, mine)
    value = partial(bidding.judge_all, bidding.judge, learner.critic, piece.minibatch)
    objective = partial(bidding.weighed, torch.zeros(()))
    step = step_of(learner, piece, bidding.losses, objective)
    settle: Settle = dealing.payoffs
    for batch in range(batches):
        choices = bidding.self_play(
            learner, dealing.deal(piece.games), settle, piece, (play, value)
        )
        learn(learner, choices, piece, batch / batches, step, bidding.LOSSES)
        learner.batches += 1
    return best(learner.average)


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
    bidding.AuctionGames = TinyAuctions  # type: ignore[misc]
    game = AuctionGame(Layouts(Deck(deck)), bonus())
    bids = [Bid(level + 1, one) for level in range(game.levels) for one in Deck(deck).strains]
    TinyAuctions.bids_of_deck = sum(1 << call_number(bid) for bid in bids)
    dealing = TinyDealing(game)
    for seed in range(runs):
        rival: Bidder = bidding.greedy
        profile = call_strategies(game, greedy_calls, best=True)
        for name in ("greedy", "response"):
            response = respond(dealing, rival, batches, seed)
            own = strategies(game, dealing, response)
            found, exact = gains(game, profile, own)
            line = {"against": name, "seed": seed, "found": found, "exact": exact}
            print(json.dumps({**line, "share": found / exact if exact else None}), flush=True)
            rival, profile = response, own


if __name__ == "__main__":
    typer.run(main)
