"""The card play of a deck of eight cards in one strain as a game.

Player 0 is declarer, who also plays dummy's cards, 1 the left and 2 the right defender. Everybody
sees dummy, or, if it is closed, declarer alone, and the others each card when it is played. Payoffs
are tricks: declarer's, and minus these for each defender. Only the first trick has choices; forced
cards are not information sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Final

import numpy as np

from tribridge.cards.cards import Card, Hand, Strain
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import SettingError
from tribridge.game.auction import PASS, Bid, Contract
from tribridge.game.position import Position
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair
from tribridge.lab.tiny.auctions import AuctionGame, End
from tribridge.lab.tiny.layouts import SEATS, Layouts, net_points
from tribridge.lab.tiny.treeplex import Floats, Ints, Layer, LeafGame, leaf_game
from tribridge.strategies import Strategy, decision_rng, guarded_act

MOST_PLAYED: Final = 8
"""The largest deck whose play is solved."""
Path = tuple[tuple[int, int, int], ...]
"""A player's choices: information set, how many options it has, which of them is taken."""
Paths = tuple[Path, ...]
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
    choices: tuple[list[Layer], ...]
    """For each player the choices before each end; numbers are those of no tree."""


def card_play(
    layouts: Layouts, strain: Strain, dummy: int | None = None, *, closed: bool = False
) -> CardPlay:
    """The play in a strain of all deals, or of those with one dummy, which may be closed."""
    if layouts.deck.size > MOST_PLAYED:
        raise SettingError(
            f"a deck of {layouts.deck} has {layouts.deck.size} cards: its play can be solved for "
            f"at most {MOST_PLAYED} cards, its auction alone with --auction-only"
        )
    if strain not in layouts.deck.strains:
        raise SettingError(f"{strain.letter} cannot be trumps in a deck of {layouts.deck}")
    contract = Contract(Bid(1, strain), Seat.NORTH)
    numbers: list[dict[object, int]] = [{} for _ in range(SEATS)]
    spots: list[list[tuple[int, Spot]]] = [[] for _ in range(SEATS)]
    ends: list[tuple[int, int, Paths]] = []
    chosen = [
        at for at, dealt in enumerate(layouts.chairs[:, 2].tolist()) if dummy in (None, dealt)
    ]

    def walk(at: Position, deal: int, played: tuple[Card, ...], paths: Paths) -> None:
        if at.over:
            ends.append((deal, at.won, paths))
            return
        legal, player = at.legal, _PLAYER[at.chair]
        if len(legal) == 1:
            walk(at.apply_unchecked(legal[0]), deal, (*played, legal[0]), paths)
            return
        faced = 0 if closed and player else int(layouts.masks[deal, 3])
        key = at.chair, int(layouts.deals[deal, player]), faced, played
        number = numbers[player].setdefault(key, len(spots[player]))
        if number == len(spots[player]):
            spots[player].append((len(paths[player]), Spot(at.chair, deal, played, legal)))
        for option, card in enumerate(legal):
            path = *paths[player], (number, len(legal), option)
            after = (*paths[:player], path, *paths[player + 1 :])
            walk(at.apply_unchecked(card), deal, (*played, card), after)

    for deal in chosen:
        walk(Position(contract, tuple(layouts.chairs[deal].tolist())), deal, (), ((), (), ()))
    deals, tricks, paths = zip(*ends, strict=True)
    choices = tuple(_layers([path[player] for path in paths]) for player in range(SEATS))
    share = np.array(tricks) / len(chosen)
    return CardPlay(
        layouts,
        strain,
        leaf_game(choices, (share, -share, -share)),
        # In the order of the tree: by layer, then as they came.
        tuple(tuple(spot for _, spot in sorted(own, key=lambda each: each[0])) for own in spots),
        np.array(deals, np.int64),
        np.array(tricks, np.int64),
        choices,
    )


def _layers(paths: Sequence[Path]) -> list[Layer]:
    """The choices on the ways to all ends, layer by layer."""
    filled = zip(*zip_longest(*paths, fillvalue=(-1, 0, 0)), strict=True)
    table = np.array(list(filled), np.int64).reshape(len(paths), -1, 3)
    return [(table[:, at, 0], table[:, at, 1], table[:, at, 2]) for at in range(table.shape[1])]


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

    def play_of(self, seat: int, contract: Contract) -> tuple[CardPlay, int]:
        """The play of a contract, and the part of a seat in it."""
        return self.plays[contract.bid.strain], self.role(seat, contract)

    @cached_property
    def game(self) -> LeafGame:
        choices = [self._choices(seat) for seat in range(SEATS)]
        return leaf_game(choices, [self._payoffs(seat) for seat in range(SEATS)])

    def _choices(self, seat: int) -> list[Layer]:
        """A seat's calls, then its cards, before all ends; the passed-out deal is the last."""
        depth = len(self.auction.trees[seat].layers)
        parts: list[list[Layer]] = []
        for at, (end, contract) in enumerate(self.contracts):
            play, role = self.play_of(seat, contract)
            calls = self._calls(seat, end, self.auction.layouts.deals[play.deals, role])
            none = _none(len(play.deals))
            first = at * len(play.deals)  # more than there are information sets
            cards = [
                (np.where(numbers < 0, -1, first + numbers), sizes, options)
                for numbers, sizes, options in play.choices[role]
            ]
            parts.append([*calls, *[none] * (depth - len(calls)), *cards])
        (passed,) = (end for end in self.auction.tree.ends if end.contract is None)
        parts.append(self._calls(seat, passed, np.zeros(1, np.int64)))
        longest = max(map(len, parts))
        whole = [[*part, *[_none(len(part[0][0]))] * (longest - len(part))] for part in parts]
        return [
            tuple(np.concatenate(column) for column in zip(*layer, strict=True))  # type: ignore[misc]
            for layer in zip(*whole, strict=True)
        ]

    def _calls(self, seat: int, end: End, hands: Ints) -> list[Layer]:
        """The calls of a seat with some hands in an auction."""
        turns, made = self.auction.tree.turns, []
        last: tuple[int, int] | None = end.last[seat]
        while last is not None:
            turn, option = last
            numbers = turn * len(self.auction.layouts.hands) + hands
            sizes, options = (np.full_like(hands, n) for n in (len(turns[turn].calls), option))
            made.append((numbers, sizes, options))
            last = turns[turn].previous
        return made[::-1]

    def _payoffs(self, seat: int) -> Floats:
        """A seat's payoffs at all ends, times chance; passed-out deals, which pay nothing, last."""
        layouts = self.auction.layouts
        parts = []
        for _, contract in self.contracts:
            points = net_points(self.auction.scheme, contract.bid, layouts.deck)
            share = (2 if contract.declarer.index == seat else -1) / len(layouts)
            parts.append(share * points[self.plays[contract.bid.strain].tricks])
        return np.concatenate([*parts, np.zeros(1)])


def _none(ends: int) -> Layer:
    """No choice before some ends."""
    return np.full(ends, -1), np.zeros(ends, np.int64), np.zeros(ends, np.int64)
