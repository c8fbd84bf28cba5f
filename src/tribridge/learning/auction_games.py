"""The auctions of many games in lockstep, as PyTorch tensors on any device.

All auctions are at the same call; one that is over waits. Seats are counted from the dealer, so
the same seat calls in every game. The rules are those of `game.auction` and the observation is that
of `strategies.callers.observation`; the tests compare both with these call by call.

Calls are numbers: bid `5 * (level - 1) + strain`, pass 35, double 36, redouble 37.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tribridge.cards import FULL_DECK, Deck
from tribridge.learning.play_games import Contracts
from tribridge.strategies.callers.observation import (
    BIDS,
    CALLS,
    LEVELS,
    NOBODY,
    RANKS,
    SEATS,
    STRAINS,
    SUITS,
)

PASS: Final = BIDS
DOUBLE: Final = BIDS + 1
REDOUBLE: Final = BIDS + 2
HIDDEN_HAND: Final = 3


class AuctionGames:
    """Auctions that are all at the same call."""

    def __init__(
        self, count: int, device: torch.device, deck: Deck = FULL_DECK, *, doubles: bool = False
    ) -> None:
        self.deck = deck
        self.doubles = doubles
        self.calls = 0
        self.bids = torch.zeros(count, SEATS, dtype=torch.int64, device=device)
        """The bids that each seat has made, as masks."""
        self.passes = torch.zeros_like(self.bids)
        """Their passes: bit 0 before any bid, bit 1 + bid over that bid."""
        self.standing = torch.zeros(count, dtype=torch.int64, device=device)
        """1 + the last bid; 0: none."""
        self.bidder = torch.full_like(self.standing, NOBODY)
        self.doubled = torch.zeros_like(self.standing)
        """0, 1 doubled, 2 redoubled."""
        self.passed = torch.zeros_like(self.standing)
        """Passes in a row."""
        self._bids = sum(
            1 << 5 * level + strain for level in range(deck.levels) for strain in deck.strains
        )

    @property
    def caller(self) -> int:
        """Whose turn it is, in every auction that is not over."""
        return self.calls % SEATS

    @property
    def over(self) -> Tensor:
        return self.passed == torch.where(self.standing == 0, 3, 2)

    def legal(self) -> Tensor:
        """The legal calls, as masks; none in an auction that is over."""
        one = torch.ones_like(self.standing)
        mask = (self._bids & ~((one << self.standing) - 1)) | 1 << PASS
        if self.doubles:
            bid = self.standing > 0
            own = self.bidder == self.caller
            mask = mask | torch.where(bid & ~own & (self.doubled == 0), 1 << DOUBLE, 0)
            mask = mask | torch.where(bid & own & (self.doubled == 1), 1 << REDOUBLE, 0)
        return torch.where(self.over, 0, mask)

    def observe(self, hands: Tensor) -> Tensor:
        """What the callers see, ten numbers each; `hands` are (n, 4), the dealer's first."""
        caller = self.caller
        bidder = torch.where(self.bidder == NOBODY, NOBODY, (self.bidder - caller) % SEATS)
        position = torch.full_like(bidder, caller)
        alone = torch.stack([hands[:, caller], position, self.standing, bidder], 1)
        return torch.cat([alone, self.bids.roll(-caller, 1), self.passes.roll(-caller, 1)], 1)

    def step(self, call: Tensor) -> None:
        """Make a call in every auction that is not over."""
        caller, going = self.caller, ~self.over
        bid = going & (call < PASS)
        passing = going & (call == PASS)
        one = torch.ones_like(call)
        self.bids[:, caller] |= torch.where(bid, one << call, 0)
        self.passes[:, caller] |= torch.where(passing, one << self.standing, 0)
        self.standing = torch.where(bid, call + 1, self.standing)
        self.bidder = torch.where(bid, caller, self.bidder)
        doubling = (going & (call > PASS)).long()
        self.doubled = torch.where(bid, 0, self.doubled + doubling)
        self.passed = torch.where(passing, self.passed + 1, torch.where(going, 0, self.passed))
        self.calls += 1

    def contracts(self, hands: Tensor) -> Contracts:
        """The contracts of the auctions in which somebody bid, for `play_games`."""
        made = self.bidder != NOBODY
        declarer, bid = self.bidder[made], self.standing[made] - 1
        left, right = (declarer + 1) % SEATS, (declarer + 2) % SEATS
        hidden = torch.full_like(declarer, HIDDEN_HAND)
        players = torch.stack([declarer, left, right], 1)
        return Contracts(
            hands[made].gather(1, torch.stack([declarer, left, hidden, right], 1)),
            bid // STRAINS + 1,
            bid % STRAINS,
            self.doubled[made],
            self.bids[made].gather(1, players),
            self.passes[made].gather(1, players),
        )


def by_standing(standing: Tensor) -> Tensor:
    """The bids above a standing bid (1 + its number; 0: none), and the pass, as masks."""
    one = torch.ones_like(standing)
    return ((one << BIDS) - 1 & ~((one << standing) - 1)) | 1 << PASS


def expand(numbers: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Features of each suit (n, 4, f) and of the table (n, g), as `observation.features`."""
    device = numbers.device
    bids, calls = torch.arange(BIDS, device=device), torch.arange(CALLS, device=device)
    seats = torch.arange(SEATS, device=device)
    hand, position, standing, bidder = (numbers[:, at : at + 1] for at in range(4))
    cards = hand >> torch.arange(SUITS * RANKS, device=device) & 1
    made = numbers[:, 4:7, None] >> bids & 1
    passed = numbers[:, 7:10, None] >> calls & 1
    last = standing == calls
    identity = torch.eye(SUITS, device=device, dtype=dtype).expand(len(numbers), -1, -1)
    suits = torch.cat(
        [
            cards.reshape(-1, SUITS, RANKS).to(dtype),
            by_suit(made).to(dtype),
            by_suit(passed[..., 1:]).to(dtype),
            by_suit(last[:, None, 1:]).to(dtype),
            by_suit((bids >= standing)[:, None]).to(dtype),
            identity,
        ],
        2,
    )
    table = [position == seats, bidder == seats, last, made.flatten(1), passed.flatten(1)]
    return suits, torch.cat([part.to(dtype) for part in table], 1)


def by_suit(bids: Tensor) -> Tensor:
    """Values of the bids (n, k, 35) as rows of the four suits (n, 4, 7 k)."""
    count, kinds, _ = bids.shape
    levels = bids.reshape(count, kinds * LEVELS, STRAINS)[..., :SUITS]
    return levels.transpose(1, 2)
