"""The auction as a network sees it, of one view or of many auctions in lockstep.

Seats are counted from the one to call: 0 that seat, 1 the next, 2 the previous one. A bid's number
is `5 * (level - 1) + strain`, a pass is call 35. An observation has these numbers:

| numbers | meaning |
| --- | --- |
| hand | the caller's cards, as a mask |
| position | 0 if the caller is the dealer, 1 or 2 if they sit that many places to the left |
| standing | 1 + the number of the last bid; 0 if nobody has bid |
| bidder | who made it; 3: nobody |
| bids (3) | the bids that each seat has made, as masks |
| passes (3) | their passes (bit 0: before any bid, bit `1 + bid`: over that bid) |
| doubled | whether the last bid is doubled (1) or redoubled (2) |
| doubles (3) | the bids that each seat has doubled, as masks |
| allowed | whether the table plays doubles |

`expand` gives each suit its cards and the calls in it, and the table all calls; the same weights
read all four suits, so a suit's place among the four, which decides what ranks above what, is one
of its features. A network for stakes (`STAKES_KIND`) also reads what contracts are worth
(`networks.stakes`) and may double; a plain one sees nothing of doubles.

`AuctionGames` are many auctions, as arrays of NumPy or of PyTorch on any device. All are at the
same call; one that is over waits. Seats are counted from the dealer, so the same seat calls in
every game. The rules are those of `game.auction` and the observation is that of `observe`; the
tests compare both with these call by call. Calls are numbers, double 36 and redouble 37.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tribridge.common.arrays import Array, Rows, bits, cast, gather, namespace
from tribridge.game.auction import Auction, Bid, Call, Mark
from tribridge.game.views import View
from tribridge.networks.network import NetworkKind

SUITS: Final = 4
RANKS: Final = 13
SEATS: Final = 3
LEVELS: Final = 7
STRAINS: Final = 5
BIDS: Final = LEVELS * STRAINS
CALLS: Final = BIDS + 1
"""All bids and the pass, which is the last."""
NOBODY: Final = 3
HEADS: Final = 3
"""For each call: preference, points if it is made, points if it becomes the contract at once."""
OUTPUTS: Final = HEADS * (LEVELS + LEVELS + 1)
"""For each suit: the levels of each head in that suit, then levels in notrump and the pass; with
stakes also the double and the redouble."""
SUIT_FEATURES: Final = RANKS + 2 * SEATS * LEVELS + 2 * LEVELS + SUITS
TABLE_FEATURES: Final = SEATS + SEATS + CALLS + SEATS * BIDS + SEATS * CALLS
KIND: Final = NetworkKind("bidding", SUIT_FEATURES, TABLE_FEATURES, OUTPUTS)
WORTHS: Final = 5
"""Results of a contract whose worth is a feature, for each declarer and level."""
STAKES: Final = WORTHS * SEATS * LEVELS + 2
"""What the network for stakes reads of a strain: those, and the caller's own honours."""
STAKES_KIND: Final = NetworkKind(
    "bidding for stakes",
    SUIT_FEATURES + SEATS * LEVELS + STAKES,
    TABLE_FEATURES + SEATS + SEATS * BIDS + 1 + STAKES,
    OUTPUTS + 2 * HEADS,
)

PASS: Final = BIDS
DOUBLE: Final = BIDS + 1
REDOUBLE: Final = BIDS + 2
HIDDEN_HAND: Final = 3


class Observation(NamedTuple):
    """One seat's observation when it is to call."""

    hand: int
    position: int
    standing: int
    bidder: int
    own_bids: int
    left_bids: int
    right_bids: int
    own_passes: int
    left_passes: int
    right_passes: int
    doubled: int = 0
    own_doubles: int = 0
    left_doubles: int = 0
    right_doubles: int = 0
    allowed: int = 0


PLAIN: Final = 10
"""How many numbers a network without stakes reads."""


def call_number(call: Call) -> int:
    """The number of a bid or a pass."""
    return 5 * (call.level - 1) + call.strain.index if isinstance(call, Bid) else PASS


def calls_made(auction: Auction) -> tuple[list[int], list[int], list[int]]:
    """The bids, the passes and the bids doubled of each seat, North first, as masks."""
    bids, passes, doubles = [0, 0, 0], [0, 0, 0], [0, 0, 0]
    standing, seat = 0, auction.dealer
    for call in auction.calls:
        if isinstance(call, Bid):
            standing = call_number(call) + 1
            bids[seat] |= 1 << standing - 1
        elif call is Mark.PASS:
            passes[seat] |= 1 << standing
        elif call is Mark.DOUBLE:
            doubles[seat] |= 1 << standing - 1
        seat = seat.left
    return bids, passes, doubles


def observe(view: View) -> Observation:
    """The observation of the player whose turn it is to call."""
    auction, seat = view.auction, view.turn
    assert seat is not None
    last, bidder = auction.last_bid, auction.bidder
    bids, passes, doubles = (calls[seat:] + calls[:seat] for calls in calls_made(auction))
    numbers = (
        view.dealt.mask,
        (seat.index - auction.dealer.index) % SEATS,
        0 if last is None else call_number(last) + 1,
        NOBODY if bidder is None else (bidder.index - seat.index) % SEATS,
        *bids,
        *passes,
        auction.factor.bit_length() - 1,
        *doubles,
        int(auction.doubles),
    )
    return Observation._make(numbers)


@dataclass(frozen=True, eq=False)
class Contracts(Rows):
    """The hands of many deals in chair order, and the contract of each."""

    hands: Array
    """(n, 4) masks."""
    level: Array
    strain: Array
    doubled: Array
    """0, 1 doubled, 2 redoubled."""
    bids: Array
    """(n, 3) masks of the bids that declarer, left and right defender made."""
    passes: Array
    """(n, 3) masks of their passes."""


def set_auction(level: Array, strain: Array) -> tuple[Array, Array]:
    """Bids and passes of the auction that sets a contract: declarer bids it, the others pass."""
    xp = namespace(level)
    bid = 1 << 5 * (level - 1) + strain
    none = xp.zeros_like(bid)
    return xp.stack([bid, none, none], 1), xp.stack([none, 2 * bid, 2 * bid], 1)


_STATE: Final = (
    "bids", "passes", "standing", "bidder", "doubled", "allowed", "doubles", "passed",
)  # fmt: skip


class AuctionGames:
    """Auctions that are all at the same call."""

    def __init__(self, count: int, device: Any = "cpu", *, doubles: Any = False) -> None:
        self._xp = namespace(device)
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
        self.allowed = self.standing + doubles
        """1 where doubles are played, in all auctions or some (n,)."""
        self.doubles = self.bids
        """The bids that each seat has doubled, as masks."""
        self.passed = self.standing
        """Passes in a row."""
        self._seats = self._xp.arange(SEATS, device=device)

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
        mask = by_standing(self.standing)
        bid = (self.standing > 0) & (self.allowed > 0)
        own = self.bidder == self.caller
        mask = mask | where(bid & ~own & (self.doubled == 0), 1 << DOUBLE, 0)
        mask = mask | where(bid & own & (self.doubled == 1), 1 << REDOUBLE, 0)
        return where(self.over, 0, mask)

    def observe(self, hands: Array) -> Array:
        """What the callers see, (n, 15); `hands` are (n, 4), the dealer's first."""
        xp, caller = self._xp, self.caller
        bidder = xp.where(self.bidder == NOBODY, NOBODY, (self.bidder - caller) % SEATS)
        position = xp.full_like(bidder, caller)
        alone = xp.stack([hands[:, caller], position, self.standing, bidder], 1)
        bids, passes, doubles = (
            xp.roll(calls, -caller, 1) for calls in (self.bids, self.passes, self.doubles)
        )
        doubled, allowed = self.doubled[:, None], self.allowed[:, None]
        return xp.concat([alone, bids, passes, doubled, doubles, allowed], 1)

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
        marked = (going & (call == DOUBLE))[:, None] & own
        self.doubles = self.doubles | where(marked, (1 << self.standing >> 1)[:, None], 0)
        self.doubled = where(bid, 0, self.doubled + doubling)
        self.passed = where(passing, self.passed + 1, where(going, 0, self.passed))
        self.calls += 1

    def take(self, at: Array) -> AuctionGames:
        """Some of the auctions, by number or as a mask."""
        games = AuctionGames(0, self.bids.device)
        for name in _STATE:
            setattr(games, name, getattr(self, name)[at])
        games.calls = self.calls
        return games

    def contracts(self, hands: Array) -> Contracts:
        """The contracts, for `PlayGames`: the dealer's 1♣ if everybody passed."""
        declarer, bid = self.bidder % SEATS, (self.standing - 1).clip(min=0)
        players = (declarer[:, None] + self._seats) % SEATS
        return Contracts(
            seat_hands(hands, declarer),
            bid // STRAINS + 1,
            bid % STRAINS,
            self.doubled,
            gather(self.bids, players),
            gather(self.passes, players),
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


def expand(numbers: Array, dtype: Any, stakes: Array = None) -> tuple[Array, Array]:
    """Features of each suit (n, 4, f) and of the table (n, g), for a network.

    `stakes` are those of each strain (n, 5, STAKES), for a network that reads them.
    """
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
    if stakes is None:
        return cast(xp.concat(suits, 2), dtype), cast(xp.concat(table, 1), dtype)
    doubled = bits(numbers[:, 11:14], BIDS)
    marks = [numbers[:, 10:11] == seats, doubled.reshape(count, -1), numbers[:, 14:] > 0]
    worth = cast(stakes, dtype)
    return (
        xp.concat([cast(xp.concat([*suits, by_suit(doubled)], 2), dtype), worth[:, :SUITS]], 2),
        xp.concat([cast(xp.concat([*table, *marks], 1), dtype), worth[:, SUITS]], 1),
    )


def by_suit(bids: Array) -> Array:
    """Values of the bids (n, k, 35) as rows of the four suits (n, 4, 7 k)."""
    count, kinds, _ = bids.shape
    levels = bids.reshape(count, kinds * LEVELS, STRAINS)[..., :SUITS]
    return levels.swapaxes(1, 2)


def by_call(answers: Array) -> Array:
    """A network's outputs (n, 4, OUTPUTS) as (3 heads, n, 36 calls; 38 with stakes)."""
    xp, count = namespace(answers), len(answers)
    own = answers[..., : HEADS * LEVELS].reshape(count, SUITS, HEADS, LEVELS)
    suits = own.swapaxes(0, 2).swapaxes(1, 2).swapaxes(2, 3)
    shared = answers[..., HEADS * LEVELS :].mean(1).reshape(count, HEADS, -1).swapaxes(0, 1)
    bids = xp.concat([suits, shared[..., :LEVELS, None]], 3).reshape(HEADS, count, BIDS)
    return xp.concat([bids, shared[..., LEVELS:]], 2)
