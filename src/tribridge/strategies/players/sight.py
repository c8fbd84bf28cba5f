"""A position as the hand to play sees it, in whole numbers: the ground of the players by rule.

Cards are masks as everywhere; a row is one suit's 13 bits with the Ace in bit 0, so a *higher* card
is a *lower* bit. `Sight` keeps what the rules of thumb ask for: the hand whose card is due, the
visible other hand, what is unseen, and who has shown out of which suit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tribridge.cards import ALL_CARDS, Card
from tribridge.game.tricks import Trick, winning_place
from tribridge.game.view import View
from tribridge.strategies.protocol import StrategyError

ROW: Final = 0x1FFF
NO_TRUMP: Final = -1


def top(row: int) -> int:
    """The rank of the highest card of a row."""
    return (row & -row).bit_length() - 1


def low(row: int) -> int:
    """The rank of the lowest card of a row."""
    return row.bit_length() - 1


def above(row: int, rank: int) -> int:
    """The cards of a row that are higher than a rank."""
    return row & ((1 << rank) - 1)


def masters(row: int, others: int) -> int:
    """The cards of a row that are higher than all of another row."""
    return row & ((others & -others) - 1)


def lowest_equal(row: int, rank: int, others: int) -> int:
    """The lowest card of a row that is as good as one of it: no card of others lies between."""
    between = others & -(1 << rank)
    run = row & -(1 << rank) & ((between & -between) - 1)
    return low(run) if run else rank


def sequence(row: int, out: int) -> bool:
    """Whether the two highest cards of a row are neighbours among those still out."""
    if not row & (row - 1):
        return False
    first = top(row)
    second = top(row & (row - 1))
    return not above(out, second) & -(1 << first)


def card_at(suit: int, rank: int) -> Card:
    """The card of a suit and a rank."""
    return ALL_CARDS[13 * suit + rank]


class Sight(NamedTuple):
    """What is known where a card is due, by the chair whose card it is."""

    chair: int
    mine: int
    """The cards of the chair that plays."""
    friend: int
    """For the declarer's side its other hand; for a defender nothing: he cannot see it."""
    dummy: int
    unseen: int
    """Cards neither played nor in sight."""
    trump: int
    leader: int
    trick: tuple[Card, ...]
    voids: tuple[int, int, int, int]
    """For each chair the suits it has shown out of, as four bits."""
    tricks: tuple[Trick, ...]
    won: int
    needed: int
    """Tricks that the declarer undertook."""
    size: int
    """Tricks of the deal."""
    bids: tuple[int, ...]
    """For a defender the suits that the other defender has bid."""

    @property
    def declaring(self) -> bool:
        return not self.chair & 1

    @property
    def partner(self) -> int:
        return self.chair ^ 2

    @property
    def to_defeat(self) -> int:
        """Tricks that the defenders still need to defeat the contract."""
        return self.size - self.needed + 1 - (len(self.tricks) - self.won)

    def row(self, mask: int, suit: int) -> int:
        return mask >> 13 * suit & ROW

    def best(self) -> tuple[int, Card]:
        """The chair that is winning the trick on the table, and its card."""
        place = winning_place(self.trick, self.trump)
        return (self.leader + place) & 3, self.trick[place]

    def legal(self) -> int:
        """The cards that may be played."""
        if self.trick:
            following = self.mine & ROW << self.trick[0] // 13 * 13
            if following:
                return following
        return self.mine


def shown_voids(tricks: tuple[Trick, ...], leader: int, trick: tuple[Card, ...]) -> list[int]:
    """For each chair the suits that it did not follow, as four bits."""
    voids = [0, 0, 0, 0]
    for one in tricks:
        cards = one.cards
        suit = cards[0] // 13
        chair: int = one.leader
        for at in (1, 2, 3):
            if cards[at] // 13 != suit:
                voids[(chair + at) & 3] |= 1 << suit
    if trick:
        suit = trick[0] // 13
        for at in range(1, len(trick)):
            if trick[at] // 13 != suit:
                voids[(leader + at) & 3] |= 1 << suit
    return voids


def sight_of(view: View) -> Sight:
    """The sight of the hand whose card is due in a view."""
    contract, chair, leader = view.contract, view.chair, view.leader
    if contract is None or chair is None or leader is None or view.dummy is None:
        raise StrategyError("no card is due in this view")
    hand, dummy = view.hand.mask, view.dummy.mask
    own = view.own_chair
    played = 0
    for one in view.tricks:
        a, b, c, d = one.cards
        played |= 1 << a | 1 << b | 1 << c | 1 << d
    for card in view.trick:
        played |= 1 << card
    unseen = view.deck.mask & ~(hand | dummy | played)
    mine, friend = hand, 0
    bids: tuple[int, ...] = ()
    if own == 0:
        mine, friend = (dummy, hand) if chair == 2 else (hand, dummy)
    else:
        bids = _bids(view)
    trump = int(contract.bid.strain)
    voids = shown_voids(view.tricks, leader, view.trick)
    return Sight(
        chair=int(chair),
        mine=mine,
        friend=friend,
        dummy=dummy,
        unseen=unseen,
        trump=NO_TRUMP if trump == 4 else trump,
        leader=int(leader),
        trick=view.trick,
        voids=(voids[0], voids[1], voids[2], voids[3]),
        tricks=view.tricks,
        won=view.won,
        needed=contract.tricks_needed(view.deck),
        size=view.deck.hand_size,
        bids=bids,
    )


def _bids(view: View) -> tuple[int, ...]:
    """The suits that the other defender has bid, last first."""
    contract, seat = view.contract, view.seat
    calls = view.auction.calls
    found: list[int] = []
    if contract is None or seat is None:
        return ()
    partner = 3 - contract.declarer - seat
    for at in range(len(calls) - 1, -1, -1):
        strain = getattr(calls[at], "strain", 4)
        if strain != 4 and (view.auction.dealer + at) % 3 == partner:
            found.append(int(strain))
    return tuple(found)
