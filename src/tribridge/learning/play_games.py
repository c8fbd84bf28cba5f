"""Many games of card play in lockstep, as PyTorch tensors on any device.

The state of a game is a handful of 64-bit masks, so a step is a few operations on small tensors,
and an observation stays packed until a network reads it. The observation is that of
`strategies.players.learned.observation` and the rules are those of `game.tricks`; the tests compare
both with these card by card. Chairs: 0 declarer, 1 left defender, 2 dummy, 3 right defender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tribridge.strategies.players.learned.observation import (
    BIDS,
    CHAIRS,
    MASKS,
    NO_SUIT,
    RANKS,
    SUITS,
)

NOTRUMP: Final = 4
_ROW: Final = (1 << RANKS) - 1


@dataclass(frozen=True, eq=False)
class Contracts:
    """The hands of many deals in chair order, and the contract of each."""

    hands: Tensor
    """(n, 4) masks."""
    level: Tensor
    strain: Tensor
    doubled: Tensor
    """0, 1 doubled, 2 redoubled."""
    bids: Tensor
    """(n, 3) masks of the bids that declarer, left and right defender made."""
    passes: Tensor
    """(n, 3) masks of their passes."""

    def __len__(self) -> int:
        return len(self.hands)


def set_auction(level: Tensor, strain: Tensor) -> tuple[Tensor, Tensor]:
    """Bids and passes of the auction that sets a contract: declarer bids it, the others pass."""
    bid = 5 * (level - 1) + strain
    one = torch.ones_like(bid)
    none = torch.zeros_like(bid)
    passed = one << bid + 1
    return torch.stack([one << bid, none, none], 1), torch.stack([none, passed, passed], 1)


class PlayGames:
    """Games of one hand size, all at the same card."""

    def __init__(self, contracts: Contracts, tricks: int = 13) -> None:
        device = contracts.hands.device
        count = len(contracts)
        self.contracts = contracts
        self.size = tricks
        self.hands = contracts.hands.clone()
        self.deck = self.hands.sum(1)
        self.played = torch.zeros_like(self.hands)
        self.led = torch.zeros_like(self.hands)
        self.off = torch.zeros_like(self.hands)
        self.falling = torch.zeros_like(self.hands)
        self.trick = torch.zeros_like(self.hands)
        self.shown_out = torch.zeros(count, CHAIRS, dtype=torch.int64, device=device)
        self.leader = torch.ones(count, dtype=torch.int64, device=device)
        self.led_suit = torch.full((count,), NO_SUIT, dtype=torch.int64, device=device)
        self.best = torch.full((count,), -1, dtype=torch.int64, device=device)
        """The strength of the card that is winning the trick."""
        self.winner = torch.zeros_like(self.leader)
        self.winning = torch.zeros_like(self.deck)
        self.won = torch.zeros_like(self.leader)
        self.cards = 0
        self._relative = torch.arange(CHAIRS, device=device)
        self._suits = RANKS * torch.arange(SUITS, device=device)

    @property
    def over(self) -> bool:
        return self.cards == CHAIRS * self.size

    @property
    def chair(self) -> Tensor:
        """The chair that is to play."""
        return (self.leader + self.cards % CHAIRS) % CHAIRS

    def legal(self) -> Tensor:
        """The legal cards, as masks."""
        held = self.hands.gather(1, self.chair[:, None])[:, 0]
        if self.cards % CHAIRS == 0:
            return held
        following = held & _ROW << RANKS * self.led_suit
        return torch.where(following != 0, following, held)

    def observe(self) -> tuple[Tensor, Tensor]:
        """Masks (n, MASKS) and numbers (n, 15) seen by the chair that is to play."""
        chair = self.chair
        order = (chair[:, None] + self._relative) % CHAIRS
        hand = self.hands.gather(1, chair[:, None])
        other = torch.where(chair[:, None] == 2, self.hands[:, :1], self.hands[:, 2:3])
        seen = hand | other | self.played.sum(1, keepdim=True)
        unseen = self.deck[:, None] & ~seen
        masks = torch.cat(
            [
                hand,
                other,
                self.played.gather(1, order),
                self.trick.gather(1, order[:, 1:]),
                self.led.gather(1, order),
                self.off.gather(1, order),
                self.falling.gather(1, order),
                self.winning[:, None],
                self._above(hand, unseen),
                self._above(other, unseen),
            ],
            1,
        )
        constant = torch.ones_like(chair)
        shown = self.shown_out.gather(1, order) << 4 * self._relative
        numbers = torch.stack(
            [
                chair,
                constant * (self.cards % CHAIRS),
                constant * (self.cards // CHAIRS),
                self.won,
                self.contracts.level,
                self.contracts.strain,
                self.contracts.doubled,
                self.led_suit,
                shown.sum(1),
            ],
            1,
        )
        return masks, torch.cat([numbers, self.contracts.bids, self.contracts.passes], 1)

    def others(self) -> Tensor:
        """The hands of the three other chairs, for a critic that sees all cards: (n, 3)."""
        order = (self.chair[:, None] + self._relative[1:]) % CHAIRS
        return self.hands.gather(1, order)

    def _above(self, hand: Tensor, unseen: Tensor) -> Tensor:
        rows = unseen >> self._suits & _ROW
        tops = torch.where(rows == 0, _ROW, (rows & -rows) - 1)
        return hand & (tops << self._suits).sum(1, keepdim=True)

    def step(self, card: Tensor) -> Tensor:
        """Play a card in every game; return the tricks declarer's side won with it (0 or 1)."""
        position = self.cards % CHAIRS
        chair = self.chair
        suit, rank = card // RANKS, card % RANKS
        bit = torch.ones_like(card) << card
        at = chair[:, None]
        before = self.played.gather(1, at)[:, 0]
        above = ((torch.ones_like(card) << rank) - 1) << RANKS * suit
        nothing = torch.zeros_like(bit)
        self.falling.scatter_add_(1, at, torch.where(before & above != 0, bit, nothing)[:, None])
        self.hands.scatter_add_(1, at, -bit[:, None])
        self.played.scatter_add_(1, at, bit[:, None])
        self.trick.scatter_(1, at, bit[:, None])
        if position == 0:
            self.led_suit = suit
            self.led.scatter_add_(1, at, bit[:, None])
        else:
            away = suit != self.led_suit
            self.off.scatter_add_(1, at, torch.where(away, bit, nothing)[:, None])
            shown = self.shown_out.gather(1, at)[:, 0]
            shown = torch.where(away, shown | torch.ones_like(bit) << self.led_suit, shown)
            self.shown_out.scatter_(1, at, shown[:, None])
        strength = torch.where(suit == self.led_suit, RANKS, 0) - rank
        strength = torch.where(suit == self.contracts.strain, 2 * RANKS - rank, strength)
        better = strength > self.best if position else torch.ones_like(strength, dtype=torch.bool)
        self.best = torch.where(better, strength, self.best)
        self.winner = torch.where(better, chair, self.winner)
        self.winning = torch.where(better, bit, self.winning)
        self.cards += 1
        if position < CHAIRS - 1:
            return nothing
        gained = (self.winner + 1) % 2
        self.won = self.won + gained
        self.leader = self.winner
        self.trick.zero_()
        self.winning = nothing
        self.led_suit = torch.full_like(self.led_suit, NO_SUIT)
        return gained

    def finish(self) -> Tensor:
        """Play the last trick, in which nobody has a choice; return what `step` returns, summed."""
        total = torch.zeros_like(self.won)
        while not self.over:
            total = total + self.step(only_card(self.legal()))
        return total


def only_card(mask: Tensor) -> Tensor:
    """The number of the card in masks of one card each."""
    return torch.log2(mask.double()).round().long()


def expand(masks: Tensor, numbers: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Features of each suit (n, 4, 13 * masks + 6) and of the table, as `observation.features`."""
    device = masks.device
    count = masks.shape[1]
    suits = torch.arange(SUITS, device=device)
    rows = (masks[:, None, :] >> RANKS * suits[:, None] & _ROW).to(torch.int16)
    ranks = torch.arange(RANKS, device=device, dtype=torch.int16)
    bits = (rows[..., None] >> ranks & 1).to(dtype).reshape(-1, SUITS, RANKS * count)
    trump = (numbers[:, 5:6] == suits).to(dtype)
    led = (numbers[:, 7:8] == suits).to(dtype)
    chairs = torch.arange(CHAIRS, device=device)
    places = 4 * chairs[None, :] + suits[:, None]
    out = (numbers[:, 8, None, None] >> places & 1).to(dtype)
    own = torch.cat([bits, trump[..., None], led[..., None], out], 2)
    return own, _table(numbers, dtype)


def _table(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    device = numbers.device
    parts = [
        numbers[:, at : at + 1] - first == torch.arange(size, device=device)
        for at, first, size in (
            (0, 0, CHAIRS), (1, 0, CHAIRS), (2, 0, 13), (3, 0, 14), (4, 1, 7), (6, 0, 3)
        )
    ]  # fmt: skip
    parts.append(numbers[:, 5:6] == NOTRUMP)
    for at, size in ((9, BIDS), (12, BIDS + 1)):
        bits = numbers[:, at : at + 3, None] >> torch.arange(size, device=device) & 1
        parts.append(bits.flatten(1) == 1)
    return torch.cat(parts, 1).to(dtype)


assert MASKS == 2 + 4 + 3 + 4 + 4 + 4 + 1 + 2
