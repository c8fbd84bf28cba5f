"""Contracts from the package's own auctions, for training card play.

A contract set by a rule says nothing about the defenders' hands; one that was bid does, and so does
every pass. Part of the deals are therefore bid by the caller `learned`, and the players see its
calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import torch
from torch import Tensor, nn

from tribridge.cards import FULL_DECK
from tribridge.strategies.learned.auction import AuctionGames, Contracts
from tribridge.training.bidders import sampling
from tribridge.training.bidding import BiddingSize
from tribridge.training.deals import RuleContracts, deal_hands
from tribridge.training.learner import load_weights
from tribridge.training.networks import make_bidder


def shipped_bidder(device: torch.device) -> nn.Module:
    """The network that bids as the caller `learned`."""
    network = make_bidder(BiddingSize().width, BiddingSize().layers)
    data = resources.files("tribridge.strategies.learned").joinpath("data/bidding.npz")
    with resources.as_file(data) as path:
        load_weights(network, path)
    return network.to(device).requires_grad_(False)


@dataclass(frozen=True, eq=False)
class BidContracts:
    """Deals of which a share are bid by a network, the others by a rule."""

    bidder: nn.Module
    rule: RuleContracts
    share: float = 0.5

    def deal(self, count: int, device: torch.device) -> Contracts:
        """`count` deals with contracts, those that were bid first."""
        wanted = round(self.share * count)
        parts = [self.rule.deal(count - wanted, device)]
        while wanted:
            bid = bid_contracts(self.bidder, wanted, device)
            parts.insert(0, bid)
            wanted -= len(bid)
        return Contracts(
            *(
                torch.cat([getattr(part, name) for part in parts])
                for name in Contracts.__dataclass_fields__
            )
        )


@torch.no_grad()
def bid_contracts(bidder: nn.Module, count: int, device: torch.device) -> Contracts:
    """The contracts of `count` auctions; those passed out are left out."""
    hands = deal_hands(count, FULL_DECK, device)
    games = AuctionGames(count, device)
    call = sampling(bidder)
    unused: Tensor = torch.empty(0, device=device)
    while not games.over.all():
        games.step(call(games.observe(hands), games.legal(), unused))
    return games.contracts(hands)
