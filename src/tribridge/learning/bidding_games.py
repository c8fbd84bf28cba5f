"""Auctions with known payoffs, and bidders for them, for training bidding.

The payoff of a contract is its expected points under the forecast from declarer's and dummy's
hands: declarer's gain over the average opponent (half of what `game.match.settle` pays), and minus
half of that for each defender. This removes the luck of the play and costs one pass through a small
network. Deals come from PyTorch's generator and are unrelated to the numbered deals of `dealer`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.advice.prospects import contract_values
from tribridge.cards import FULL_DECK, Strain
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme
from tribridge.learning.auction_games import PASS, AuctionGames, expand
from tribridge.learning.calls import PASSING, REACH
from tribridge.learning.deals import deal_hands
from tribridge.learning.expected import Chances, chances
from tribridge.learning.networks import by_call
from tribridge.learning.ppo import HIDDEN, half, pick
from tribridge.strategies.callers.observation import CALLS, LEVELS, NOBODY, SEATS, STRAINS

CONCEDED: Final = 5.0
"""What the greedy bidder assumes that passing over any bid costs, in points."""

Bidder = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From observations (n, 10), legal calls (n,) and the greedy bidder's values of the caller's 35
bids (n, 35) to calls (n,)."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Many deals, seats counted from the dealer, with the value of every contract."""

    hands: Tensor
    """(n, 4) masks; the last is the hidden hand."""
    chances: Tensor
    """(n, 3 declarers, 5 strains, 14): chances of each number of tricks, from two hands."""
    values: Tensor
    """(n, 3, 35): the expected points of each contract for its declarer, from two hands."""
    own: Tensor
    """(n, 3, 35): the same from declarer's hand alone."""

    def __len__(self) -> int:
        return len(self.hands)


class Dealing:
    """Deals of the full deck with their expected points under a scoring scheme."""

    deck = FULL_DECK

    def __init__(self, scheme: Scheme, device: torch.device) -> None:
        self.device = device
        self.points = points_of(scheme).to(device)
        """(3 factors, 5 strains, 7 levels, 14 tricks)."""
        self._single: Chances = chances("single", device)
        self._pair: Chances = chances("pair", device)

    def deal(self, count: int) -> Deals:
        """`count` random deals."""
        hands = deal_hands(count, FULL_DECK, self.device)
        players = hands[:, :SEATS].reshape(-1)
        dummies = hands[:, SEATS:].expand(-1, SEATS).reshape(-1)
        pair = self._pair(players, dummies).reshape(count, SEATS, STRAINS, -1)
        single = self._single(players).reshape(count, SEATS, STRAINS, -1)
        return Deals(hands, pair, self.expected(pair), self.expected(single))

    def expected(self, chances: Tensor) -> Tensor:
        """The points of every bid (n, 3, 35) from chances of tricks (n, 3, 5, 14)."""
        return torch.einsum("npsk,slk->npls", chances, self.points[0]).flatten(2)

    def payoffs(self, games: AuctionGames, deals: Deals) -> Tensor:
        """Expected points of the three players (n, 3) after the auctions."""
        bid = (games.standing - 1).clamp(min=0)
        strain, level = bid % STRAINS, bid // STRAINS
        declarer = games.bidder % SEATS
        tricks = deals.chances[torch.arange(len(deals), device=self.device), declarer, strain]
        value = (tricks * self.points[games.doubled, strain, level]).sum(1)
        value = torch.where(games.bidder == NOBODY, 0.0, value)
        declares = torch.arange(SEATS, device=self.device) == games.bidder[:, None]
        return torch.where(declares, value[:, None], -value[:, None] / 2)


def points_of(scheme: Scheme) -> Tensor:
    """The points for declarer of every contract: (3 factors, 5 strains, 7 levels, 14 tricks)."""
    return torch.tensor(
        [
            [
                [
                    contract_values(scheme, Bid(level, strain), factor).tolist()
                    for level in range(1, LEVELS + 1)
                ]
                for strain in Strain
            ]
            for factor in (1, 2, 4)
        ]
    )


def legal_calls(legal: Tensor) -> Tensor:
    """Masks as booleans (n, 36); doubles are left out."""
    return (legal[:, None] >> torch.arange(CALLS, device=legal.device) & 1).bool()


def answers_of(network: nn.Module, numbers: Tensor) -> Tensor:
    """A bidder network's outputs for every call: (3 heads, n, 36)."""
    kind = torch.bfloat16 if numbers.device.type == "cuda" else torch.float32
    return by_call(network(*expand(numbers, kind)).float())


def log_chances(wish: Tensor, legal: Tensor) -> Tensor:
    """Log probabilities of the calls; illegal ones have probability 0."""
    return torch.log_softmax(wish.masked_fill(~legal_calls(legal), HIDDEN), 1)


def sampling(network: nn.Module, answers: Any = answers_of) -> Bidder:
    """A bidder that samples its calls from a network."""

    def bidder(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
        with half(numbers.device):
            wish = answers(network, numbers)[0]
        return pick(log_chances(wish, legal))

    return bidder


def best(network: nn.Module, head: int = 0, answers: Any = answers_of) -> Bidder:
    """A bidder that makes a network's preferred call, or the best contract by value (head 2)."""

    def bidder(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
        with half(numbers.device):
            wish = answers(network, numbers)[head]
        return wish.masked_fill(~legal_calls(legal), HIDDEN).argmax(1)

    return bidder


def greedy_values(numbers: Tensor, own: Tensor) -> Tensor:
    """The greedy bidder's expected points for every call: (n, 36)."""
    passing = torch.where(numbers[:, 2:3] > 0, -CONCEDED, 0.0)
    return torch.cat([own, passing], 1)


def greedy(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
    """Makes the bid with the most expected points from its own hand, as if it were the contract."""
    return greedy_values(numbers, own).masked_fill(~legal_calls(legal), HIDDEN).argmax(1)


def careless(numbers: Tensor, legal: Tensor, own: Tensor) -> Tensor:
    """Passes, or makes one of the next few bids, at random."""
    standing = numbers[:, 2]
    chance = torch.rand(2, len(numbers), device=numbers.device)
    bid = standing + (REACH * chance[0]).long()
    passing = (chance[1] < PASSING) | ((legal >> bid & 1) == 0)
    return torch.where(passing, PASS, bid)


@torch.no_grad()
def play(
    one: Bidder, other: Bidder, chosen: Tensor, deals: Deals, dealing: Dealing
) -> tuple[Tensor, AuctionGames]:
    """Payoffs (n, 3) of auctions in which `one` holds the chosen seats (n, 3), `other` the rest."""
    games = AuctionGames(len(deals), deals.hands.device, dealing.deck)
    while not games.over.all():
        numbers, legal = games.observe(deals.hands), games.legal()
        own = deals.own[:, games.caller]
        calls = [bidder(numbers, legal, own) for bidder in (one, other)]
        games.step(torch.where(chosen[:, games.caller], *calls))
    return dealing.payoffs(games, deals), games


def gain(
    one: Bidder, other: Bidder, deals: Deals, dealing: Dealing, seats: int = 1
) -> tuple[float, float]:
    """Points per game of `one` in `seats` seats against `other` in the rest, with standard error.

    Every deal is played in each of the three seatings.
    """
    places = torch.arange(SEATS, device=dealing.device)
    total = torch.zeros(len(deals), device=dealing.device)
    for place in range(SEATS):
        chosen = ((places - place) % SEATS < seats).expand(len(deals), SEATS)
        payoffs, _ = play(one, other, chosen, deals, dealing)
        total += (payoffs * chosen).sum(1) / seats
    mean = total / SEATS
    return mean.mean().item(), mean.std().item() / len(deals) ** 0.5
