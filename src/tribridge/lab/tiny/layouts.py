"""All deals of a tiny deck, with the double-dummy tricks of each.

Seats are counted from the dealer. A deal is three hands, numbered in the order of their cards; the
hidden hand is what remains. All deals are equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Deck, cards_of
from tribridge.cards.dealer import deal_count
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solver import Solver
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import Scheme
from tribridge.lab.tiny.treeplex import Floats, Ints

SEATS: Final = 3
MOST_CARDS: Final = 12
"""The largest deck whose deals are listed."""


@dataclass(frozen=True)
class Layouts:
    """All deals of a deck."""

    deck: Deck

    def __post_init__(self) -> None:
        if self.deck.size > MOST_CARDS:
            raise SettingError(
                f"a deck of {self.deck} has {self.deck.size} cards and "
                f"{deal_count(self.deck):,} deals: at most {MOST_CARDS} cards can be solved"
            )

    @cached_property
    def hands(self) -> Ints:
        """All hands, as masks."""
        cards = [card.bit for card in cards_of(self.deck.mask)]
        return np.array([sum(hand) for hand in combinations(cards, self.deck.hand_size)], np.int64)

    @cached_property
    def deals(self) -> Ints:
        """The hands of the three seats in each deal, by number: (n, 3)."""
        hands = self.hands
        apart = hands[:, None] & hands == 0
        first, second = apart.nonzero()
        taken = hands[first] | hands[second]
        pair, third = (taken[:, None] & hands == 0).nonzero()
        return np.stack([first[pair], second[pair], third], 1)

    @cached_property
    def masks(self) -> Ints:
        """The cards of the three seats and of the hidden hand: (n, 4)."""
        seats = self.hands[self.deals]
        return np.column_stack([seats, self.deck.mask & ~seats.sum(1)])

    def __len__(self) -> int:
        return len(self.deals)

    def turned(self, seat: int) -> Ints:
        """For each deal the number of the one in which that seat's hand is the first seat's."""
        count = len(self.hands)
        codes = (self.deals[:, 0] * count + self.deals[:, 1]) * count + self.deals[:, 2]
        moved = np.roll(self.deals, -seat, axis=1)
        return np.searchsorted(codes, (moved[:, 0] * count + moved[:, 1]) * count + moved[:, 2])

    @cached_property
    def chairs(self) -> Ints:
        """The hands in chair order if the first seat declares: (n, 4)."""
        return self.masks[:, [0, 1, 3, 2]]

    @cached_property
    def tricks(self) -> NDArray[np.int8]:
        """Double-dummy tricks of each declarer in each of the deck's strains: (3, strains, n)."""
        solver = Solver()
        first = np.stack([solver.many(self.chairs, strain) for strain in self.deck.strains])
        return np.stack([first[:, self.turned(seat)] for seat in range(SEATS)])

    @cached_property
    def mean_chances(self) -> Floats:
        """How likely each number of tricks is given declarer's hand: (hands, strains, tricks)."""
        size, count = self.deck.hand_size + 1, len(self.hands)
        per_hand = len(self) / count
        return np.stack(
            [
                np.bincount(self.deals[:, 0] * size + tricks, minlength=count * size).reshape(
                    count, size
                )
                / per_hand
                for tricks in self.tricks[0]
            ],
            axis=1,
        )


def net_points(scheme: Scheme, bid: Bid, deck: Deck, factor: int = 1) -> Floats:
    """A contract's net points by declarer's tricks; declarer is paid twice this, minus each.

    This is what `game.match.settle` pays: declarer gets the net points from both defenders.
    """
    contract = Contract(bid, Seat.NORTH, factor)  # any declarer scores the same
    return np.array(scheme.nets(contract, deck))
