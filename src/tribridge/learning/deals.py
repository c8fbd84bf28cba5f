"""Random deals with contracts for training, dealt on the training device.

They come from PyTorch's generator and are unrelated to the numbered deals of `dealer`, which are
used for evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tribridge.cards import Deck
from tribridge.learning.play_games import NOTRUMP, Contracts, set_auction
from tribridge.strategies.players.learned.observation import RANKS, SUITS

ANY: Final = 0.15
"""Share of the deals with a random declarer, and likewise with a random strain."""
SPREAD: Final = 1.0
"""Standard deviation of the level around the forecast's expectation."""

Expected = Callable[[Tensor, Tensor], Tensor]
"""From the hands of declarer and dummy, (n,) masks each, to expected tricks (n, 5 strains)."""


def deal_hands(count: int, deck: Deck, device: torch.device) -> Tensor:
    """Masks of the hands of the three players and the hidden hand: (n, 4)."""
    cards = torch.tensor([c for c in range(52) if deck.mask >> c & 1], device=device)
    order = torch.rand(count, len(cards), device=device).argsort(1)
    bits = torch.ones_like(order) << cards[order]
    return bits.reshape(count, 4, deck.hand_size).sum(2)


def seat_hands(hands: Tensor, declarer: Tensor) -> Tensor:
    """The hands in chair order, given each deal's declarer."""
    hidden = torch.full_like(declarer, 3)
    columns = torch.stack([declarer, (declarer + 1) % 3, hidden, (declarer + 2) % 3], 1)
    return hands.gather(1, columns)


def lengths(masks: Tensor) -> Tensor:
    """Cards of each suit: (..., 4)."""
    places = torch.arange(SUITS * RANKS, device=masks.device)
    bits = masks[..., None] >> places & 1
    return bits.reshape(*masks.shape, SUITS, RANKS).sum(-1)


def honour_points(masks: Tensor) -> Tensor:
    """Honour points: ace 4, king 3, queen 2, jack 1."""
    places = torch.arange(SUITS * RANKS, device=masks.device)
    points = (4 - places % RANKS).clamp(min=0)
    return ((masks[..., None] >> places & 1) * points).sum(-1)


@dataclass(frozen=True, eq=False)
class RuleContracts:
    """Contracts by a rule that sees declarer's and dummy's cards, with some randomness.

    The player with the most honour points declares, in the longest suit of hand and dummy if they
    hold at least 8 of its 13 cards, else in notrump; a share `ANY` of the deals has a random
    declarer, and another a random strain. The level is that of `expected`, give or take a trick.
    """

    deck: Deck
    expected: Expected | None = None

    def deal(self, count: int, device: torch.device) -> Contracts:
        """`count` deals with contracts."""
        hands = deal_hands(count, self.deck, device)
        points = honour_points(hands[:, :3] | hands[:, 3:])
        anybody = torch.rand(count, 1, device=device) < ANY
        noise = torch.rand(count, 3, device=device)
        declarer = torch.where(anybody, noise, points + 0.5 * noise).argmax(1)
        chairs = seat_hands(hands, declarer)
        strain = self._strain(chairs[:, 0] | chairs[:, 2])
        level = self._level(chairs, strain)
        bids, passes = set_auction(level, strain)
        return Contracts(chairs, level, strain, torch.zeros_like(level), bids, passes)

    def _strain(self, cards: Tensor) -> Tensor:
        device, count = cards.device, len(cards)
        suits = self.deck.suits
        length = lengths(cards)[:, :suits] + 0.5 * torch.rand(count, suits, device=device)
        longest, best = length.max(1)
        strain = torch.where(13 * longest.floor() >= 8 * self.deck.ranks, best, NOTRUMP)
        other = torch.randint(suits + 1, (count,), device=device)
        other = torch.where(other == suits, NOTRUMP, other)
        return torch.where(torch.rand(count, device=device) < ANY, other, strain)

    def _level(self, chairs: Tensor, strain: Tensor) -> Tensor:
        count, device = len(strain), strain.device
        if self.expected is None:
            return torch.randint(1, self.deck.levels + 1, (count,), device=device)
        tricks = self.expected(chairs[:, 0], chairs[:, 2]).gather(1, strain[:, None])[:, 0]
        tricks = tricks + SPREAD * torch.randn(count, device=device)
        return (tricks.round().long() - self.deck.book).clamp(1, self.deck.levels)
