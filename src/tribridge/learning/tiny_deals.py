"""Deals of tiny decks for training bidding, paid by double dummy as in `tiny.auctions`."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tribridge.cards import FULL_DECK, Deck
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme
from tribridge.learning.bidding_games import Dealing, Deals
from tribridge.learning.tiny.layouts import Layouts, net_points
from tribridge.strategies.callers.observation import LEVELS, SEATS, STRAINS

TRICKS: Final = 14
"""Numbers of tricks in the tensors of `Deals`; a tiny deck has fewer."""


class TinyDealing(Dealing):
    """Random deals of a tiny deck: tricks are those of the deal, double dummy.

    The greedy bidder's values are exact: the mean over all deals in which it holds its hand.
    """

    def __init__(self, scheme: Scheme, device: torch.device, deck: Deck) -> None:
        layouts = Layouts(deck)
        self.device, self.deck = device, deck
        self.points = _points(scheme, deck).to(device)
        self._masks = torch.from_numpy(layouts.masks).to(device)
        self._deals = torch.from_numpy(layouts.deals).to(device)
        self._tricks = torch.from_numpy(layouts.tricks).to(device).long()
        self._strains = torch.tensor([int(strain) for strain in deck.strains], device=device)
        own = torch.zeros(len(layouts.hands), STRAINS, TRICKS, device=device)
        means = torch.from_numpy(layouts.mean_chances).to(device).float()
        own[:, self._strains, : means.shape[2]] = means
        self._own = own

    def deal(self, count: int) -> Deals:
        """`count` random deals."""
        chosen = torch.randint(len(self._deals), (count,), device=self.device)
        chances = torch.zeros(count, SEATS, STRAINS, TRICKS, device=self.device)
        tricks = self._tricks[:, :, chosen].permute(2, 0, 1)
        chances[:, :, self._strains] = torch.nn.functional.one_hot(tricks, TRICKS).float()
        single = self._own[self._deals[chosen]]
        values, own = self.expected(chances), self.expected(single)
        return Deals(self._masks[chosen], chances, values, own)


def _points(scheme: Scheme, deck: Deck) -> Tensor:
    """The points for declarer of every contract, as `bidding_games.points_of`; 0 if impossible."""
    points = torch.zeros(3, STRAINS, LEVELS, TRICKS)
    for at, factor in enumerate((1, 2, 4)):
        for strain in deck.strains:
            for level in range(deck.levels):
                nets = net_points(scheme, Bid(level + 1, strain), deck, factor)
                points[at, strain, level, : len(nets)] = torch.from_numpy(nets)
    return points


def dealing_of(scheme: Scheme, device: torch.device, deck: Deck) -> Dealing:
    """Deals to train on: paid by forecast with the full deck, by double dummy with a tiny one."""
    return Dealing(scheme, device) if deck == FULL_DECK else TinyDealing(scheme, device, deck)
