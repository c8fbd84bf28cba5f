"""The auction and the play of a deck of eight cards as one game.

After every auction that ends in a contract comes the card play in its strain, with a copy of its
information sets: a player remembers the calls. Payoffs are settlement points.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Strain
from tribridge.game.auction import Contract
from tribridge.training.tiny.auctions import AuctionGame, End
from tribridge.training.tiny.card_play import CardPlay, card_play
from tribridge.training.tiny.layouts import SEATS, net_points
from tribridge.training.tiny.treeplex import Floats, Ints, LeafGame, Treeplex


class WholeGame:
    """Auction and play. `game` is what the solver needs.

    A player's information sets are those of the auction, then those of the play, in the order of
    its layers and in each layer in the order of the auctions (`contracts`).
    """

    def __init__(self, auction: AuctionGame) -> None:
        layouts = auction.layouts
        self.auction = auction
        self.plays: dict[Strain, CardPlay] = {
            strain: card_play(layouts, strain) for strain in layouts.deck.strains
        }
        self.contracts: list[tuple[End, Contract]] = [
            (end, end.contract) for end in auction.tree.ends if end.contract is not None
        ]

    def role(self, seat: int, contract: Contract) -> int:
        """The part of a seat in the play: 0 declarer, 1 left, 2 right defender."""
        return (seat - contract.declarer) % SEATS

    @cached_property
    def game(self) -> LeafGame:
        trees, last = zip(*(self._player(seat) for seat in range(SEATS)), strict=True)
        payoffs = tuple(self._payoffs(seat) for seat in range(SEATS))
        return LeafGame(trees, last, payoffs)

    def _tree(self, seat: int, contract: Contract) -> Treeplex:
        return self.plays[contract.bid.strain].game.trees[self.role(seat, contract)]

    def places(self, seat: int) -> list[list[tuple[slice, slice]]]:
        """For each contract and each layer of a seat's play: its information sets there, and here.

        The first slice counts within the play's own tree, the second one within the whole game's.
        """
        trees = [self._tree(seat, contract) for _, contract in self.contracts]
        free = len(self.auction.trees[seat].counts)
        result: list[list[tuple[slice, slice]]] = [[] for _ in trees]
        for layer in range(max(len(tree.layers) for tree in trees)):
            for at, tree in enumerate(trees):
                if layer < len(tree.layers):
                    start, size = sum(tree.layers[:layer]), tree.layers[layer]
                    result[at].append((slice(start, start + size), slice(free, free + size)))
                    free += size
        return result

    def _player(self, seat: int) -> tuple[Treeplex, NDArray[np.int32]]:
        """A seat's decisions, and its last sequence at every end."""
        before, places = self.auction.trees[seat], self.places(seat)
        size = max(here.stop for layers in places for _, here in layers)
        counts = np.concatenate([before.counts, np.zeros(size - len(before.counts), np.int64)])
        parents = np.concatenate([before.parents, np.zeros_like(counts[len(before.counts) :])])
        depth = max(len(layers) for layers in places)
        layers = [0] * depth
        for (_, contract), where in zip(self.contracts, places, strict=True):
            tree = self._tree(seat, contract)
            for layer, (local, here) in enumerate(where):
                counts[here] = tree.counts[local]
                layers[layer] += here.stop - here.start
        firsts = Treeplex(parents, counts, ()).firsts
        last = []
        for (end, contract), where in zip(self.contracts, places, strict=True):
            tree, play = self._tree(seat, contract), self.plays[contract.bid.strain]
            role = self.role(seat, contract)
            renamed = np.zeros(tree.sequences, np.int64)
            for local, here in where:
                begin = int(tree.firsts[local][0])
                length = int(tree.counts[local].sum())
                renamed[begin : begin + length] = firsts[here.start] + np.arange(length)
            calls = self.auction.sequences(*end.last[seat])
            for local, here in where:
                above = tree.parents[local]
                hands = self._hands(play, role)[local]
                parents[here] = np.where(above == 0, calls[hands], renamed[above])
            ended = play.game.last[role]
            hands = self.auction.layouts.deals[play.deals, role]
            last.append(np.where(ended == 0, calls[hands], renamed[ended]).astype(np.int32))
        passed = [
            self.auction.sequences(*end.last[seat])[:1].astype(np.int32)
            for end in self.auction.tree.ends
            if end.contract is None
        ]
        whole = Treeplex(parents, counts, (*before.layers, *layers))
        return whole, np.concatenate([*last, *passed])

    def _hands(self, play: CardPlay, role: int) -> Ints:
        """The hand that its player holds in each information set of the play."""
        deals = np.array([spot.deal for spot in play.spots[role]], np.int64)
        result: Ints = self.auction.layouts.deals[deals, role]
        return result

    def _payoffs(self, seat: int) -> Floats:
        """A seat's payoffs at all ends, times chance; passed-out deals, which pay nothing, last."""
        layouts = self.auction.layouts
        parts = []
        for _, contract in self.contracts:
            points = net_points(self.auction.scheme, contract.bid, layouts.deck)
            share = (2 if contract.declarer == seat else -1) / len(layouts)
            parts.append(share * points[self.plays[contract.bid.strain].tricks])
        return np.concatenate([*parts, np.zeros(1)])
