"""Decks that can be counted: like those that can be dealt, and others with more than four suits.

Both algorithms are defined for any number of suits, and so is counting: it needs how many cards
there are, not what they are called. Cards, bids, the dealer and with them the simulations have four
suits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.cards import Deck
from tribridge.errors import SettingError

MOST_SUITS: Final = 8
MOST_IN_HALF: Final = 26
"""Cards in half of the suits, rounded up. Tables of half of the suits are multiplied in 64 bits,
which has room for as many cards as the full deck has there."""


@dataclass(frozen=True, slots=True)
class CountedDeck(Deck):
    """A deck for exact counts only, of up to eight suits.

    >>> CountedDeck(5, 8).hand_size
    10
    """

    def __post_init__(self) -> None:
        if not (1 <= self.suits <= MOST_SUITS and 1 <= self.ranks <= 13):
            raise SettingError(
                f"no deck of {self.suits} suits x {self.ranks} ranks: 1 to {MOST_SUITS} suits and "
                "1 to 13 ranks can be counted"
            )
        if (self.suits + 1) // 2 * self.ranks > MOST_IN_HALF:
            raise SettingError(
                f"a deck of {self} is too large to count: half of its suits may have at most "
                f"{MOST_IN_HALF} cards, as in 4x13, 5x8, 6x8 or 8x6"
            )
