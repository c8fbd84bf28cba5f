"""Networks as bidders, for `bidding_games.play` and as opponents in training."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tribridge.arrays import bits
from tribridge.strategies.learned.auction import CALLS, by_call, expand
from tribridge.training.bidding_games import Bidder
from tribridge.training.ppo import HIDDEN, half, pick, precision


def answers_of(network: nn.Module, numbers: Tensor) -> Tensor:
    """A bidder network's outputs for every call: (3 heads, n, 36)."""
    return by_call(network(*expand(numbers, precision(numbers))).float())


def log_chances(wish: Tensor, legal: Tensor) -> Tensor:
    """Log probabilities of the calls; illegal ones have probability 0."""
    return torch.log_softmax(wish.masked_fill(~bits(legal, CALLS), HIDDEN), 1)


def sampling(network: nn.Module, answers: Any = answers_of) -> Bidder:
    """A bidder that samples its calls from a network."""

    @torch.no_grad()
    def bidder(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
        with half(numbers.device):
            wish = answers(network, numbers)[0]
        return pick(log_chances(wish, legal))

    return bidder


def best(network: nn.Module, head: int = 0, answers: Any = answers_of) -> Bidder:
    """A bidder that makes a network's preferred call, or the best contract by value (head 2)."""

    @torch.no_grad()
    def bidder(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
        with half(numbers.device):
            wish = answers(network, numbers)[head]
        return wish.masked_fill(~bits(legal, CALLS), HIDDEN).argmax(1)

    return bidder
