"""The networks that are trained: `strategies.learned.network` runs them, here they learn.

A policy answers for each card with three numbers: how much it wants to play it, whether declarer
(to a defender) or the next player (to declarer) holds it, and the tricks that declarer's side still
takes if it is played. A critic sees all hands and answers with declarer's tricks to come.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from tribridge.strategies.players.learned.observation import MASKS, RANKS, TABLE_FEATURES

CRITIC_MASKS: Final = MASKS + 3
HEADS: Final = 3
"""Preference, belief and value of a card."""


class SuitNetwork(nn.Module):
    """One network for all four suits, which see each other through their mean."""

    def __init__(self, masks: int, width: int, layers: int, outputs: int) -> None:
        super().__init__()
        self.suit_in = nn.Linear(RANKS * masks + 6, width)
        self.table_in = nn.Linear(TABLE_FEATURES, width, bias=False)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.out = nn.Linear(width, outputs)
        self.out_others = nn.Linear(width, outputs, bias=False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out_others.weight)

    def forward(self, suits: Tensor, table: Tensor) -> Tensor:
        """From features (n, 4, f) and (n, g) to answers (n, 4, outputs)."""
        x = torch.relu(self.suit_in(suits) + self.table_in(table).unsqueeze(1))
        for own, others in zip(self.own, self.others, strict=True):
            x = x + torch.relu(own(x) + others(x.mean(1)).unsqueeze(1))
        answers: Tensor = self.out(x) + self.out_others(x.mean(1)).unsqueeze(1)
        return answers


def make_policy(width: int, layers: int) -> SuitNetwork:
    """A network that plays cards."""
    return SuitNetwork(MASKS, width, layers, HEADS * RANKS)


def make_critic(width: int, layers: int) -> SuitNetwork:
    """A network that judges positions with all cards in sight."""
    return SuitNetwork(CRITIC_MASKS, width, layers, 1)


def by_card(answers: Tensor) -> Tensor:
    """A policy's answers (n, 4, 39) as (3 heads, n, 52 cards)."""
    heads = answers.reshape(-1, 4, HEADS, RANKS)
    return heads.permute(2, 0, 1, 3).reshape(HEADS, -1, 4 * RANKS)
