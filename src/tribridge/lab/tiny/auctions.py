"""The auction of a tiny deck as a game: every contract is paid by its double-dummy tricks.

The calls are public and the hands are private, so an information set is a point of the auction
together with the caller's hand, and the ends of the game are an auction together with a deal. There
are 400 million of them on a 2x6 deck, and they are never listed: for all auctions with the same
contract, the payoff is the same function of the deal, and the gradient adds up all deals for all of
these auctions at once.

Payoffs are settlement points. Doubles are not played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tribridge.cards.cards import Deck
from tribridge.cards.deals import Seat
from tribridge.common.compiled import njit
from tribridge.common.errors import SettingError
from tribridge.game.auction import Auction, Bid, Call, Contract
from tribridge.game.scoring import Scheme
from tribridge.lab.tiny.layouts import SEATS, Layouts, net_points
from tribridge.lab.tiny.treeplex import Floats, Ints, Treeplex

MOST_ENDS: Final = 1_000_000_000
"""The most auctions times deals that are solved."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A point of the auction at which somebody calls."""

    auction: Auction
    calls: tuple[Call, ...]
    previous: tuple[int, int] | None
    """The same player's last turn before it, and which of its calls was made; None at first."""
    depth: int
    """How many turns the player had before."""

    @property
    def seat(self) -> int:
        return len(self.auction.calls) % SEATS


@dataclass(frozen=True, slots=True)
class End:
    """A finished auction, with each player's last turn and which of its calls was made."""

    auction: Auction
    last: tuple[tuple[int, int], ...]

    @property
    def contract(self) -> Contract | None:
        return self.auction.contract


def auction_count(bids: int) -> int:
    """How many auctions there are without doubles: up to 2 passes first, 1 between bids, or 3."""
    return int(3 ** (bids + 1) - 1) // 2


class AuctionTree:
    """All auctions of a deck, North dealing, with bids up to a level."""

    def __init__(self, deck: Deck, levels: int) -> None:
        self.turns: list[Turn] = []
        self.ends: list[End] = []
        self._levels = levels
        self._grow(Auction(Seat.NORTH, deck), (None,) * SEATS)

    def _grow(self, auction: Auction, last: tuple[tuple[int, int] | None, ...]) -> None:
        if auction.over:
            whole = tuple(choice for choice in last if choice is not None)
            assert len(whole) == SEATS, "nobody is passed over in a whole auction"
            self.ends.append(End(auction, whole))
            return
        calls = tuple(
            call
            for call in auction.legal
            if not isinstance(call, Bid) or call.level <= self._levels
        )
        seat, number = len(auction.calls) % SEATS, len(self.turns)
        previous = last[seat]
        depth = 0 if previous is None else self.turns[previous[0]].depth + 1
        self.turns.append(Turn(auction, calls, previous, depth))
        for at, call in enumerate(calls):
            after = (*last[:seat], (number, at), *last[seat + 1 :])
            self._grow(auction.apply_unchecked(call), after)


class AuctionGame:
    """The auction as a game in sequence form.

    The sequence of a call is `starts[turn] + options * hand + option`.
    """

    def __init__(self, layouts: Layouts, scheme: Scheme, levels: int = 0) -> None:
        deck = layouts.deck
        self.layouts, self.scheme = layouts, scheme
        self.levels = checked_levels(deck, levels)
        size = auction_count(self.levels * len(deck.strains))
        if size * len(layouts) > MOST_ENDS:
            raise SettingError(
                f"a deck of {deck} has {size:,} auctions and {len(layouts):,} deals: "
                f"at most {MOST_ENDS:,} ends can be solved; fewer levels have fewer auctions"
            )
        self.tree = AuctionTree(deck, self.levels)
        self.starts = np.zeros(len(self.tree.turns), np.int64)
        self.order: list[list[int]] = []
        """For each player their turns in the order of the information sets."""
        self.trees = tuple(self._player(seat) for seat in range(SEATS))

    def _player(self, seat: int) -> Treeplex:
        turns, hands = self.tree.turns, np.arange(len(self.layouts.hands))
        mine = sorted(
            (at for at, turn in enumerate(turns) if turn.seat == seat),
            key=lambda at: turns[at].depth,
        )
        self.order.append(mine)
        parents, counts, free = [], [], 1
        for at in mine:
            turn = turns[at]
            self.starts[at] = free
            free += len(turn.calls) * len(hands)
            counts.append(np.full(len(hands), len(turn.calls)))
            none = turn.previous is None
            parents.append(0 * hands if none else self.sequences(*turn.previous))  # type: ignore[misc]
        layers = np.bincount([turns[at].depth for at in mine]) * len(hands)
        return Treeplex(np.concatenate(parents), np.concatenate(counts), tuple(layers.tolist()))

    def sequences(self, turn: int, option: int) -> Ints:
        """The sequences of a call with each hand."""
        hands = np.arange(len(self.layouts.hands))
        result: Ints = self.starts[turn] + len(self.tree.turns[turn].calls) * hands + option
        return result

    @cached_property
    def _contracts(self) -> list[tuple[Contract, list[Ints]]]:
        """The contracts, with each player's sequences in the auctions that end in them: (n, H)."""
        groups: dict[tuple[Bid, Seat], list[End]] = {}
        for end in self.tree.ends:
            if end.contract is not None:
                groups.setdefault((end.contract.bid, end.contract.declarer), []).append(end)
        return [
            (
                Contract(bid, declarer),
                [
                    np.stack([self.sequences(*end.last[seat]) for end in ends])
                    for seat in range(SEATS)
                ],
            )
            for (bid, declarer), ends in groups.items()
        ]

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        layouts = self.layouts
        left, right = (player + 1) % SEATS, (player + 2) % SEATS
        result = np.zeros(self.trees[player].sequences)
        for contract, sequences in self._contracts:
            others = [plans[seat][sequences[seat]] for seat in (left, right)]
            alive = others[0].any(1) & others[1].any(1)
            if not alive.any():
                continue
            share = (2 if contract.declarer.index == player else -1) / len(layouts)
            points = share * net_points(self.scheme, contract.bid, layouts.deck)
            strain = layouts.deck.strains.index(contract.bid.strain)
            tricks = layouts.tricks[(contract.declarer.index - player) % SEATS, strain]
            first, second = (np.ascontiguousarray(plan[alive].T) for plan in others)
            worth = np.zeros_like(first)
            _add_deals(layouts.deals, points[tricks], first, second, worth)
            # Only passes follow a player's last call, so no two auctions share this sequence.
            result[sequences[player][alive]] = worth.T
        return result


@njit(cache=True)
def _add_deals(deals: Ints, payoffs: Floats, left: Floats, right: Floats, result: Floats) -> None:
    """For each hand (rows) and auction (columns) the payoff, weighted by the others' plans.

    In every deal the hand is the first one, whoever's it is, and the others' follow.
    """
    for deal in range(deals.shape[0]):
        payoff = payoffs[deal]
        own, first, second = result[deals[deal, 0]], left[deals[deal, 1]], right[deals[deal, 2]]
        for at in range(own.shape[0]):
            own[at] += payoff * first[at] * second[at]


def checked_levels(deck: Deck, levels: int) -> int:
    """The levels that are played: all of the deck's for 0."""
    if not 0 <= levels <= deck.levels:
        raise SettingError(f"a deck of {deck} has levels 1 to {deck.levels}, not {levels}")
    return levels or deck.levels
