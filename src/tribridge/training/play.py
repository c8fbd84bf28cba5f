"""Card play by self-play: PPO with a policy that sees one seat's view and a critic that sees all.

All games of a batch are at the same card. A batch is played with the current policy, the critic
values every position with a choice of cards (generalised advantage estimation over choices; forced
cards do not count), and the policy and the critic learn from it once. Declarer's side maximises
declarer's tricks, the defenders minimise them; one network plays all four chairs.

A training folder holds `checkpoint.pt` (everything needed to resume), `log.jsonl` (a line every few
seconds), `play.npz` (the average of the latest policies, which is what plays) and `critic.npz`. The
last two are small, and another training run can start from them.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tribridge.cards import Deck
from tribridge.strategies.players.learned.games import Contracts, PlayGames
from tribridge.training.auctioned import BidContracts
from tribridge.training.deals import Expected, RuleContracts
from tribridge.training.forecast import fast_products
from tribridge.training.learner import Learner, Piece, Size
from tribridge.training.ppo import (
    HIDDEN,
    columns,
    half,
    learn,
    legal_cards,
    losses,
    pick,
    pieces,
    play_out,
    preferences,
    self_play,
    step_of,
)
from tribridge.training.running import Graph, open_training, run

Dealing = RuleContracts | BidContracts


@torch.no_grad()
def tricks_of(
    declaring: nn.Module | None, defending: nn.Module | None, contracts: Contracts, deck: Deck
) -> Tensor:
    """Declarer's tricks in each game if each side plays its best card (None: a random one)."""
    games = PlayGames(contracts, deck.hand_size)
    device = contracts.hands.device
    while not games.over:
        masks, numbers = games.observe()
        legal = games.legal()
        with half(device):
            sides = [
                pick(torch.where(legal_cards(legal), 0.0, HIDDEN)) if policy is None
                else preferences(policy, masks, numbers, legal).argmax(1)
                for policy in (declaring, defending)
            ]  # fmt: skip
        games.step(torch.where(games.chair % 2 == 0, *sides))
    return games.won


def duel(
    declaring: nn.Module | None, defending: nn.Module | None, contracts: Contracts, deck: Deck
) -> tuple[float, float]:
    """The mean of `tricks_of`, with its standard error."""
    won = tricks_of(declaring, defending, contracts, deck).float()
    return won.mean().item(), won.std().item() / math.sqrt(len(won))


@fast_products()
def train(
    folder: Path,
    size: Size | None = None,
    piece: Piece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    resume: bool = False,
    start: Path | None = None,
    expected: Expected | None = None,
    bidder: nn.Module | None = None,
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time; with `resume`, continue from the folder's checkpoint.

    `start` is a folder with a policy and a critic to start from. With a `bidder`, half of the
    contracts are bid by it.
    """
    size, piece = size or Size(), piece or Piece()
    learner = open_training(folder, size, device=device, seed=seed, resume=resume, start=start)
    rule = RuleContracts(size.deck, expected)
    dealing = rule if bidder is None else BidContracts(bidder, rule)
    play, step = programs(learner, dealing, piece)
    snapshot = copy.deepcopy(learner.average)

    def batch(share: float) -> dict[str, float]:
        contracts = dealing.deal(piece.games, learner.device)
        started = time.monotonic()
        choices = self_play(learner, contracts, piece.horizon, play)
        played = time.monotonic()
        values = learn(learner, choices, piece, share, step)
        return {"playing": played - started, "learning": time.monotonic() - played, **values}

    def measure() -> dict[str, Any]:
        return measures(learner, dealing, snapshot, piece.measured)

    run(learner, folder, piece, batch, measure, say)
    return learner


def programs(learner: Learner, dealing: Dealing, piece: Piece) -> tuple[Any, Any]:
    """Functions that play games and learn from a minibatch, captured as graphs on a GPU."""
    choose: Any = torch.compile(preferences, dynamic=False) if piece.compiled else preferences
    loss: Any = torch.compile(losses, dynamic=False) if piece.compiled else losses
    play = partial(play_out, learner.policy, learner.size.deck.hand_size, choose)
    step = step_of(learner, piece, loss)
    if not (learner.on_gpu and piece.captured):
        return play, step
    contracts = dealing.deal(piece.games, learner.device)
    with torch.no_grad():
        captured = Graph(play, columns(contracts))
        batch = self_play(learner, contracts, piece.horizon, captured)
    part = next(pieces(batch, piece.minibatch))
    # At rate zero, warm-up and capture steps change only the optimiser's moments, no weights.
    learner.rate.zero_()
    return captured, Graph(step, part)


def measures(
    learner: Learner, dealing: Dealing, snapshot: nn.Module, count: int
) -> dict[str, float]:
    """How the average policy performs on fresh deals against random play and against its past."""
    contracts = dealing.deal(count, learner.device)
    deck = learner.size.deck
    pairs = {
        "self": (learner.average, learner.average),
        "declaring against random": (learner.average, None),
        "defending against random": (None, learner.average),
        "declaring against the start": (learner.average, snapshot),
        "defending against the start": (snapshot, learner.average),
    }
    return {name: round(duel(*pair, contracts, deck)[0], 3) for name, pair in pairs.items()}
