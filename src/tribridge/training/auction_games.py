"""The auctions of many games in lockstep, as arrays of NumPy or of PyTorch on any device.

All auctions are at the same call; one that is over waits. Seats are counted from the dealer, so
the same seat calls in every game. The rules are those of `game.auction` and the observation is that
of `strategies.callers.observation`; the tests compare both with these call by call.

Calls are numbers: bid `5 * (level - 1) + strain`, pass 35, double 36, redouble 37.
"""

from __future__ import annotations

from typing import Any, Final

from tribridge.arrays import Array, bits, cast, gather, namespace
from tribridge.cards import FULL_DECK, Deck
from tribridge.strategies.callers.observation import (
    BIDS,
    CALLS,
    LEVELS,
    NOBODY,
    RANKS,
    SEATS,
    STRAINS,
    SUITS,
)
from tribridge.strategies.players.learned.games import Contracts

PASS: Final = BIDS
DOUBLE: Final = BIDS + 1
REDOUBLE: Final = BIDS + 2
HIDDEN_HAND: Final = 3


class AuctionGames:
    """Auctions that are all at the same call."""

    def __init__(
        self, count: int, device: Any = "cpu", deck: Deck = FULL_DECK, *, doubles: bool = False
    ) -> None:
        self._xp = namespace(device)
        self.deck = deck
        self.doubles = doubles
        self.calls = 0
        self.bids = self._xp.zeros((count, SEATS), dtype=self._xp.int64, device=device)
        """The bids that each seat has made, as masks."""
        self.passes = self.bids
        """Their passes: bit 0 before any bid, bit 1 + bid over that bid."""
        self.standing = self.bids[:, 0]
        """1 + the last bid; 0: none."""
        self.bidder = self.standing + NOBODY
        self.doubled = self.standing
        """0, 1 doubled, 2 redoubled."""
        self.passed = self.standing
        """Passes in a row."""
        self._seats = self._xp.arange(SEATS, device=device)
        self._bids = sum(
            1 << 5 * level + strain for level in range(deck.levels) for strain in deck.strains
        )

    @property
    def caller(self) -> int:
        """Whose turn it is, in every auction that is not over."""
        return self.calls % SEATS

    @property
    def over(self) -> Array:
        return self.passed == self._xp.where(self.standing == 0, 3, 2)

    def legal(self) -> Array:
        """The legal calls, as masks; none in an auction that is over."""
        where = self._xp.where
        mask = (self._bids & ~((1 << self.standing) - 1)) | 1 << PASS
        if self.doubles:
            bid = self.standing > 0
            own = self.bidder == self.caller
            mask = mask | where(bid & ~own & (self.doubled == 0), 1 << DOUBLE, 0)
            mask = mask | where(bid & own & (self.doubled == 1), 1 << REDOUBLE, 0)
        return where(self.over, 0, mask)

    def observe(self, hands: Array) -> Array:
        """What the callers see, ten numbers each; `hands` are (n, 4), the dealer's first."""
        xp, caller = self._xp, self.caller
        bidder = xp.where(self.bidder == NOBODY, NOBODY, (self.bidder - caller) % SEATS)
        position = xp.full_like(bidder, caller)
        alone = xp.stack([hands[:, caller], position, self.standing, bidder], 1)
        bids, passes = (xp.roll(calls, -caller, 1) for calls in (self.bids, self.passes))
        return xp.concat([alone, bids, passes], 1)

    def step(self, call: Array) -> None:
        """Make a call in every auction that is not over."""
        where, caller, going = self._xp.where, self.caller, ~self.over
        bid = going & (call < PASS)
        passing = going & (call == PASS)
        own = self._seats == caller
        self.bids = self.bids | where(bid[:, None] & own, (1 << call)[:, None], 0)
        self.passes = self.passes | where(passing[:, None] & own, (1 << self.standing)[:, None], 0)
        self.standing = where(bid, call + 1, self.standing)
        self.bidder = where(bid, caller, self.bidder)
        doubling = going & (call > PASS)
        self.doubled = where(bid, 0, self.doubled + doubling)
        self.passed = where(passing, self.passed + 1, where(going, 0, self.passed))
        self.calls += 1

    def contracts(self, hands: Array) -> Contracts:
        """The contracts of the auctions in which somebody bid, for `PlayGames`."""
        made = self.bidder != NOBODY
        declarer, bid = self.bidder[made], self.standing[made] - 1
        left, right = (declarer + 1) % SEATS, (declarer + 2) % SEATS
        players = self._xp.stack([declarer, left, right], 1)
        return Contracts(
            seat_hands(hands[made], declarer),
            bid // STRAINS + 1,
            bid % STRAINS,
            self.doubled[made],
            gather(self.bids[made], players),
            gather(self.passes[made], players),
        )


def seat_hands(hands: Array, declarer: Array) -> Array:
    """The hands (n, 4) in chair order, given each deal's declarer."""
    xp = namespace(hands)
    left, right = (declarer + 1) % SEATS, (declarer + 2) % SEATS
    hidden = xp.full_like(declarer, HIDDEN_HAND)
    return gather(hands, xp.stack([declarer, left, hidden, right], 1))


def by_standing(standing: Array) -> Array:
    """The bids above a standing bid (1 + its number; 0: none), and the pass, as masks."""
    return ((1 << BIDS) - 1 & ~((1 << standing) - 1)) | 1 << PASS


def expand(numbers: Array, dtype: Any) -> tuple[Array, Array]:
    """Features of each suit (n, 4, f) and of the table (n, g), as `observation.features`."""
    xp, count, device = namespace(numbers), len(numbers), numbers.device
    rank, calls = xp.arange(BIDS, device=device), xp.arange(CALLS, device=device)
    seats = xp.arange(SEATS, device=device)
    hand, position, standing, bidder = (numbers[:, at : at + 1] for at in range(4))
    made, passed = bits(numbers[:, 4:7], BIDS), bits(numbers[:, 7:10], CALLS)
    last = standing == calls
    identity = xp.broadcast_to(xp.eye(SUITS, dtype=xp.bool, device=device), (count, SUITS, SUITS))
    suits = [
        bits(hand, SUITS * RANKS).reshape(count, SUITS, RANKS),
        by_suit(made),
        by_suit(passed[..., 1:]),
        by_suit(last[:, None, 1:]),
        by_suit((rank >= standing)[:, None]),
        identity,
    ]
    table = [
        position == seats, bidder == seats, last, made.reshape(count, -1), passed.reshape(count, -1)
    ]  # fmt: skip
    return cast(xp.concat(suits, 2), dtype), cast(xp.concat(table, 1), dtype)


def by_suit(bids: Array) -> Array:
    """Values of the bids (n, k, 35) as rows of the four suits (n, 4, 7 k)."""
    count, kinds, _ = bids.shape
    levels = bids.reshape(count, kinds * LEVELS, STRAINS)[..., :SUITS]
    return levels.swapaxes(1, 2)
