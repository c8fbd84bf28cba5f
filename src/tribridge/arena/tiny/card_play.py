"""The card play of a deck of eight cards in one strain as a game.

Player 0 is declarer, who also plays dummy's cards, 1 the left and 2 the right defender. Everybody
sees dummy. Payoffs are tricks: declarer's, and minus these for each defender. Only the first trick
has choices; forced cards are not information sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.tiny.auctions import AuctionGame, End
from tribridge.arena.tiny.layouts import SEATS, Layouts, net_points
from tribridge.arena.tiny.treeplex import Builder, Floats, Ints, LeafGame, Treeplex
from tribridge.cards import Card, Hand, Strain
from tribridge.deals import Deal, Seat
from tribridge.errors import SettingError
from tribridge.game.auction import PASS, Bid, Contract
from tribridge.game.position import Position
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair
from tribridge.strategies import Strategy, decision_rng, guarded_act

MOST_PLAYED: Final = 8
"""The largest deck whose play is solved."""
_PLAYER: Final = {Chair.DECLARER: 0, Chair.DUMMY: 0, Chair.LEFT: 1, Chair.RIGHT: 2}


@dataclass(frozen=True, slots=True)
class Spot:
    """A choice of card: whose it is, and a deal and cards played that lead there."""

    chair: Chair
    deal: int
    played: tuple[Card, ...]
    options: tuple[Card, ...]


@dataclass(frozen=True, eq=False)
class CardPlay:
    """The play in one strain, with what is needed to ask a player for its choices."""

    layouts: Layouts
    strain: Strain
    game: LeafGame
    spots: tuple[tuple[Spot, ...], ...]
    """For each player the information sets, in order."""
    deals: Ints
    """The deal of each end; the declarer's is the first seat."""
    tricks: Ints
    """Declarer's tricks at each end."""


def card_play(layouts: Layouts, strain: Strain, dummy: int | None = None) -> CardPlay:
    """The play in a strain of all deals, or of those with one dummy."""
    if layouts.deck.size > MOST_PLAYED:
        raise SettingError(
            f"a deck of {layouts.deck} has {layouts.deck.size} cards: its play can be solved for "
            f"at most {MOST_PLAYED} cards, its auction alone with --auction-only"
        )
    if strain not in layouts.deck.strains:
        raise SettingError(f"{strain.letter} cannot be trumps in a deck of {layouts.deck}")
    builder = Builder(3)
    contract = Contract(Bid(1, strain), Seat.NORTH)
    examples: list[dict[int, Spot]] = [{} for _ in range(3)]
    deals: list[int] = []
    tricks: list[int] = []
    chosen = [
        at for at, dealt in enumerate(layouts.chairs[:, 2].tolist()) if dummy in (None, dealt)
    ]

    def walk(at: Position, deal: int, played: tuple[Card, ...], last: tuple[int, ...]) -> None:
        if at.over:
            deals.append(deal)
            tricks.append(at.won)
            share = at.won / len(chosen)
            builder.end(last, (share, -share, -share))
            return
        legal, player = at.legal, _PLAYER[at.chair]
        if len(legal) == 1:
            walk(at.apply_unchecked(legal[0]), deal, (*played, legal[0]), last)
            return
        key = at.chair, int(layouts.deals[deal, player]), int(layouts.masks[deal, 3]), played
        first = builder.choose(player, key, len(legal), last[player])
        examples[player].setdefault(
            builder.numbers[player][key], Spot(at.chair, deal, played, legal)
        )
        for option, card in enumerate(legal):
            after = (*last[:player], first + option, *last[player + 1 :])
            walk(at.apply_unchecked(card), deal, (*played, card), after)

    for deal in chosen:
        walk(Position(contract, tuple(layouts.chairs[deal].tolist())), deal, (), (0, 0, 0))
    game, places = builder.game()
    spots = []
    for found, place in zip(examples, places, strict=True):
        ordered = sorted(found.items(), key=lambda item: place[item[0]])
        spots.append(tuple(spot for _, spot in ordered))
    return CardPlay(
        layouts, strain, game, tuple(spots), np.array(deals, np.int64), np.array(tricks, np.int64)
    )


def table_after(layouts: Layouts, deal: int, actions: Sequence[Action]) -> Table:
    """The table of a deal, North dealing, after some calls and cards."""
    hands = [Hand(mask) for mask in layouts.masks[deal].tolist()]
    table = new_table(Deal.of(hands, layouts.deck), Seat.NORTH)
    for action in actions:
        table = table.apply_unchecked(action)
    return table


def spot_table(play: CardPlay, spot: Spot) -> Table:
    """A table at a spot; North bid the contract at once and declares."""
    actions: tuple[Action, ...] = (Bid(1, play.strain), PASS, PASS, *spot.played)
    return table_after(play.layouts, spot.deal, actions)


def frequencies(play: CardPlay, role: int, player: Strategy, seed: int, draws: int) -> Floats:
    """How often a strategy chooses each card in all spots of a role, in order."""

    def chosen(spot: Spot) -> list[float]:
        table = spot_table(play, spot)
        assert table.turn is not None
        counts = Counter(
            guarded_act(
                player, table, decision_rng(seed, draw, table.turn, 3 + len(spot.played))
            ).action
            for draw in range(draws)
        )
        return [counts[card] / draws for card in spot.options]

    return np.array([share for spot in play.spots[role] for share in chosen(spot)])


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
        return (seat - contract.declarer.index) % SEATS

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
            share = (2 if contract.declarer.index == seat else -1) / len(layouts)
            parts.append(share * points[self.plays[contract.bid.strain].tricks])
        return np.concatenate([*parts, np.zeros(1)])
