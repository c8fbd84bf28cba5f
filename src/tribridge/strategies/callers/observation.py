"""What the network sees of the auction: one seat's hand and every call so far, as numbers.

Seats are counted from the one to call: 0 that seat, 1 the next, 2 the previous one. A bid's number
is `5 * (level - 1) + strain`, a pass is call 35. An observation has ten numbers:

| numbers | meaning |
| --- | --- |
| hand | the caller's cards, as a mask |
| position | 0 if the caller is the dealer, 1 or 2 if they sit that many places to the left |
| standing | 1 + the number of the last bid; 0 if nobody has bid |
| bidder | who made it; 3: nobody |
| bids (3) | the bids that each seat has made, as masks |
| passes (3) | their passes (bit 0: before any bid, bit `1 + bid`: over that bid) |

Doubles and redoubles are not part of it. `features` gives each suit its cards and the calls in it,
and the table all calls; the same weights read all four suits, so a suit's place among the four,
which decides what ranks above what, is one of its features.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.views import View

SUITS: Final = 4
RANKS: Final = 13
SEATS: Final = 3
LEVELS: Final = 7
STRAINS: Final = 5
BIDS: Final = LEVELS * STRAINS
CALLS: Final = BIDS + 1
"""All bids and the pass, which is the last."""
NOBODY: Final = 3
SUIT_FEATURES: Final = RANKS + 2 * SEATS * LEVELS + 2 * LEVELS + SUITS
TABLE_FEATURES: Final = SEATS + SEATS + CALLS + SEATS * BIDS + SEATS * CALLS

_BIDS: Final = np.arange(BIDS)
_CALLS: Final = np.arange(CALLS)
_CARDS: Final = np.arange(SUITS * RANKS)
_IDENTITY: Final = np.eye(SUITS, dtype=np.float32)


class Observation(NamedTuple):
    """One seat's observation when it is to call."""

    hand: int
    position: int
    standing: int
    bidder: int
    bids: tuple[int, int, int]
    passes: tuple[int, int, int]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The ten numbers in their order."""
        return (*self[:4], *self.bids, *self.passes)


def call_number(call: Call) -> int:
    """The number of a bid or a pass."""
    return 5 * (call.level - 1) + call.strain if isinstance(call, Bid) else BIDS


def observe(view: View) -> Observation:
    """The observation of the player whose turn it is to call."""
    auction, seat = view.auction, view.turn
    assert seat is not None
    bids, passes = [0, 0, 0], [0, 0, 0]
    standing, bidder = 0, NOBODY
    by = (auction.dealer - seat) % SEATS
    for call in auction.calls:
        if isinstance(call, Bid):
            number = 5 * (call.level - 1) + call.strain
            standing, bidder = number + 1, by
            bids[by] |= 1 << number
        elif call is PASS:
            passes[by] |= 1 << standing
        by = (by + 1) % SEATS
    return Observation(
        view.dealt.mask,
        (seat - auction.dealer) % SEATS,
        standing,
        bidder,
        (bids[0], bids[1], bids[2]),
        (passes[0], passes[1], passes[2]),
    )


def features(observation: Observation) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What a network reads: the features of each suit (4, SUIT_FEATURES) and of the table."""
    hand, position, standing, bidder, bids, passes = observation
    made = np.array(bids)[:, None] >> _BIDS & 1
    passed = np.array(passes)[:, None] >> _CALLS & 1
    last = np.equal(standing, _CALLS)
    suits = np.empty((SUITS, SUIT_FEATURES), np.float32)
    suits[:, :13] = (hand >> _CARDS & 1).reshape(SUITS, RANKS)
    suits[:, 13:34] = _by_suit(made)
    suits[:, 34:55] = _by_suit(passed[:, 1:])
    suits[:, 55:62] = _by_suit(last[1:])
    suits[:, 62:69] = _by_suit(standing <= _BIDS)
    suits[:, 69:] = _IDENTITY
    table = np.zeros(TABLE_FEATURES, np.float32)
    table[position] = 1
    if bidder != NOBODY:
        table[SEATS + bidder] = 1
    table[6:42] = last
    table[42:147] = made.reshape(-1)
    table[147:] = passed.reshape(-1)
    return suits, table


def _by_suit(bids: NDArray[Any]) -> NDArray[Any]:
    """Values of the 35 bids (seats x 35, or 35) as rows of the four suits."""
    by_level = bids.reshape(-1, STRAINS)[:, :SUITS]
    rows: NDArray[Any] = by_level.T
    return rows
