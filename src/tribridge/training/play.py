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
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.cards import Deck
from tribridge.strategies.learned.auction import Contracts
from tribridge.strategies.learned.play import PlayGames
from tribridge.training.deals import BidContracts, Bidder, Expected, RuleContracts
from tribridge.training.learner import (
    Graph,
    Learner,
    Piece,
    PlaySize,
    fast_products,
    open_training,
    run,
)
from tribridge.training.networks import SuitNetwork, make_policy, shipped_policy
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
    size: PlaySize | None = None,
    piece: Piece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    resume: bool = False,
    start: Path | None = None,
    expected: Expected | None = None,
    bidder: Bidder | None = None,
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time; with `resume`, continue from the folder's checkpoint.

    `start` is a folder with a policy and a critic to start from. With a `bidder`, half of the
    contracts are bid by it.
    """
    size, piece = size or PlaySize(), piece or Piece()
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


WIDTH: Final = 128
LAYERS: Final = 3


def train_small(
    teacher: nn.Module,
    dealing: Dealing,
    *,
    minutes: float = 5.0,
    batches: int = 0,
    games: int = 16_384,
    minibatch: int = 16_384,
    rate: float = 2e-3,
    device: str = "cpu",
    seed: int = 1,
    say: Callable[[str], None] = print,
) -> tuple[SuitNetwork, float]:
    """A small network trained to prefer the teacher's cards, and how often it does on new deals.

    `batches` limits the training by number instead of time.
    """
    torch.manual_seed(seed)
    place = torch.device(device)
    on_gpu = place.type == "cuda"
    choose: Any = torch.compile(preferences, dynamic=False) if on_gpu else preferences
    loss_of: Any = torch.compile(_doubt, dynamic=False) if on_gpu else _doubt
    student = make_policy(WIDTH, LAYERS).to(place)
    speed = torch.zeros((), device=place)
    optimizer = torch.optim.AdamW(
        student.parameters(), lr=speed, weight_decay=1e-3, fused=True, capturable=on_gpu
    )
    play: Any = partial(_games, teacher, choose)
    if on_gpu:
        with torch.no_grad():
            play = Graph(play, columns(dealing.deal(games, place)))
    began, share, at, agreed = time.monotonic(), 0.0, 0, 0.0
    while share < 1:
        rows = _choices(play, dealing.deal(games, place))
        speed.fill_(rate * min(1.0, 50 * share + 0.02) * (1 - share))
        order = torch.randperm(len(rows[0]), device=place)
        size = min(minibatch, len(order))
        for first in range(0, len(order) - size + 1, size):
            part = [row[order[first : first + size]] for row in rows]
            with half(place):
                loss = loss_of(student, *part)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        at += 1
        share = at / batches if batches else (time.monotonic() - began) / (60 * minutes)
        if at % 50 == 0 or share >= 1:
            agreed = agreement(student, _choices(play, dealing.deal(games, place)))
            say(f"batch {at}: loss {loss.item():.4f}, agreement {agreed:.1%}")
    return student, agreed


def _games(teacher: nn.Module, choose: Any, *contracts: Tensor) -> tuple[Tensor, ...]:
    """Games of the teacher up to the last trick, each part (cards, games, ...).

    The parts are masks, numbers, legal cards and log probabilities.
    """
    games = PlayGames(Contracts(*contracts))
    rows: list[tuple[Tensor, ...]] = []
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        legal = games.legal()
        with half(masks.device):
            chances = choose(teacher, masks, numbers, legal)
        rows.append((masks, numbers, legal, chances))
        games.step(pick(chances))
    return tuple(torch.stack(part) for part in zip(*rows, strict=True))


@torch.no_grad()
def _choices(play: Any, contracts: Contracts) -> tuple[Tensor, ...]:
    """The same for the positions with a choice, in one dimension."""
    parts = play(*columns(contracts))
    free = (parts[2] & parts[2] - 1) != 0
    return tuple(part[free] for part in parts)


def _doubt(
    student: nn.Module, masks: Tensor, numbers: Tensor, legal: Tensor, wanted: Tensor
) -> Tensor:
    """The student's cross-entropy on the teacher's preferences."""
    chances = preferences(student, masks, numbers, legal)
    return -(wanted.exp() * chances.masked_fill(~legal_cards(legal), 0)).sum(1).mean()


@torch.no_grad()
def agreement(student: nn.Module, rows: tuple[Tensor, ...]) -> float:
    """How often both prefer the same card."""
    masks, numbers, legal, wanted = rows
    with half(masks.device):
        chances = preferences(student, masks, numbers, legal)
    return (chances.argmax(1) == wanted.argmax(1)).float().mean().item()


CUDA: Final = torch.device("cuda")


def play_best(policy: nn.Module, choose: Any, *contracts: Tensor) -> Tensor:
    """Tricks of declarer's side if every chair plays the card that the policy prefers."""
    games = PlayGames(Contracts(*contracts))
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        with half(masks.device):
            card = choose(policy, masks, numbers, games.legal()).argmax(1)
        games.step(card)
    games.finish()
    return games.won.to(torch.int8)


class GpuPlay:
    """Games of the network as a captured graph, which has the size of the first contracts."""

    def __init__(self) -> None:
        choose = torch.compile(preferences, dynamic=False)
        self._play = partial(play_best, shipped_policy(CUDA), choose)
        self._graph: Graph | None = None

    @torch.no_grad()
    def __call__(self, contracts: Contracts) -> Tensor:
        parts = columns(contracts)
        self._graph = self._graph or Graph(self._play, parts)
        return self._graph(*parts).clone()
