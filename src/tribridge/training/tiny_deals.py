"""Deals of tiny decks for training bidding, paid by double dummy as in `tiny.auctions`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arrays import Place, cast, namespace, put, uniform
from tribridge.cards import Deck
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme
from tribridge.strategies.learned.auction import LEVELS, SEATS, STRAINS
from tribridge.training.bidding_games import Dealing, Deals
from tribridge.training.tiny.layouts import Layouts, net_points

TRICKS: Final = 14
"""Numbers of tricks in the arrays of `Deals`; a tiny deck has fewer."""


class TinyDealing(Dealing):
    """Random deals of a tiny deck: tricks are those of the deal, double dummy.

    The greedy bidder's values are exact: the mean over all deals in which it holds its hand.
    """

    def __init__(self, scheme: Scheme, place: Place, deck: Deck) -> None:
        layouts = Layouts(deck)
        self.deck = deck
        self._start(_points(scheme, deck), place)
        strains = [int(strain) for strain in deck.strains]
        own = np.zeros((len(layouts.hands), STRAINS, TRICKS), np.float32)
        own[:, strains, : layouts.mean_chances.shape[2]] = layouts.mean_chances
        tricks = np.full((len(layouts.deals), SEATS, STRAINS), -1)
        tricks[..., strains] = layouts.tricks.transpose(2, 0, 1)
        self._masks = put(layouts.masks, place)
        self._deals = put(layouts.deals, place)
        self._tricks = put(tricks, place)
        self._own = put(own, place)

    def deal(self, count: int) -> Deals:
        """`count` random deals."""
        xp = namespace(self.place)
        chosen = cast(uniform(self.place, count) * len(self._deals), xp.int64)
        tricks = self._tricks[chosen][..., None]
        chances = cast(tricks == xp.arange(TRICKS, device=self.device), xp.float32)
        single = self._own[self._deals[chosen]]
        values, own = self.expected(chances), self.expected(single)
        return Deals(self._masks[chosen], chances, values, own)


def _points(scheme: Scheme, deck: Deck) -> NDArray[np.float32]:
    """The points for declarer of every contract, as `bidding_games.points_of`; 0 if impossible."""
    points = np.zeros((3, STRAINS, LEVELS, TRICKS), np.float32)
    for at, factor in enumerate((1, 2, 4)):
        for strain in deck.strains:
            for level in range(deck.levels):
                nets = net_points(scheme, Bid(level + 1, strain), deck, factor)
                points[at, strain, level, : len(nets)] = nets
    return points
