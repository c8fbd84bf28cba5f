"""The networks in PyTorch, for training; `strategies.learned.network` runs them in NumPy.

In card play the policy outputs three numbers for each card: a preference for playing it, a belief
about who holds it (whether declarer does, for a defender; whether the next player does, for
declarer), and the tricks that declarer's side still takes if it is played. The critic sees all
hands and outputs the tricks that declarer's side still takes.

In the auction the policy outputs three numbers for each call: a preference for making it, the
caller's expected points if it is made, and the caller's points if that bid became the contract (for
a pass: if the standing bid did). The critic sees the value of every contract to every player and
outputs each player's expected points.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from tribridge.strategies.learned import auction, play

CRITIC_MASKS: Final = play.MASKS + 3
VALUES: Final = 2 * auction.SEATS * auction.LEVELS
"""The bidding critic's inputs for each strain: expected points from two hands and from one."""


class SuitNetwork(nn.Module):
    """One network shared by all four suits, which interact through their mean."""

    def __init__(self, suit: int, table: int, width: int, layers: int, outputs: int) -> None:
        super().__init__()
        self.suit_in = nn.Linear(suit, width)
        self.table_in = nn.Linear(table, width, bias=False)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.out = nn.Linear(width, outputs)
        self.out_others = nn.Linear(width, outputs, bias=False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out_others.weight)

    def forward(self, suits: Tensor, table: Tensor) -> Tensor:
        """From features (n, 4, f) and (n, g) to outputs (n, 4, outputs)."""
        x = torch.relu(self.suit_in(suits) + self.table_in(table).unsqueeze(1))
        for own, others in zip(self.own, self.others, strict=True):
            x = x + torch.relu(own(x) + others(x.mean(1)).unsqueeze(1))
        answers: Tensor = self.out(x) + self.out_others(x.mean(1)).unsqueeze(1)
        return answers


def make_policy(width: int, layers: int) -> SuitNetwork:
    """A network that plays cards."""
    return SuitNetwork(play.SUIT_FEATURES, play.TABLE_FEATURES, width, layers, play.OUTPUTS)


def make_critic(width: int, layers: int) -> SuitNetwork:
    """A network that values positions with all cards visible."""
    return SuitNetwork(auction.RANKS * CRITIC_MASKS + 6, play.TABLE_FEATURES, width, layers, 1)


def make_bidder(width: int, layers: int) -> SuitNetwork:
    """A network that makes calls."""
    return SuitNetwork(
        auction.SUIT_FEATURES, auction.TABLE_FEATURES, width, layers, auction.OUTPUTS
    )


def make_bidding_critic(width: int, layers: int) -> SuitNetwork:
    """A network that values auctions with all cards visible."""
    suit = auction.SUIT_FEATURES - auction.RANKS + VALUES
    return SuitNetwork(suit, auction.TABLE_FEATURES + VALUES, width, layers, auction.SEATS)
