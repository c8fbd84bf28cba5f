"""A small network that imitates the player `learned`.

The player's own network is too large to weigh thousands of layouts or to play them out. This one
learns its choices in games that the large network plays, on contracts by rule and from auctions.
`benchmarks/decisions.py` compares search with and without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.strategies.learned.auction import Contracts
from tribridge.strategies.learned.play import PlayGames
from tribridge.training.networks import SuitNetwork, make_policy
from tribridge.training.play import Dealing
from tribridge.training.ppo import columns, half, legal_cards, pick, preferences
from tribridge.training.running import Graph

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
