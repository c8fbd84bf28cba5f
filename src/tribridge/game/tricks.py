"""The play of the cards.

Four chairs sit around the table in playing order: 0 the declarer, 1 the left defender, 2 the
dummy, 3 the right defender. The left defender leads to the first trick. Follow suit if you can;
the highest trump wins, or without trumps the highest card of the suit led; the winner leads next.
Declarer plays both their own cards and the dummy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tribridge.cards import ALL_CARDS, Card, Hand, Suit, cards_of, parse_card
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError, shown
from tribridge.game.auction import Contract

_SUIT_MASKS: Final = tuple(0x1FFF << 13 * suit for suit in range(4))


class Chair(IntEnum):
    """A hand at the table, seen from the declarer."""

    DECLARER = 0
    LEFT = 1
    DUMMY = 2
    RIGHT = 3

    def player(self, declarer: Seat) -> Seat:
        """Who plays the cards of this chair."""
        return _PLAYERS[declarer][self]

    @property
    def declaring(self) -> bool:
        """Whether the chair is on the declarer's side."""
        return self in (Chair.DECLARER, Chair.DUMMY)


_CHAIRS: Final = tuple(Chair)
_PLAYERS: Final = tuple((seat, seat.left, seat, seat.right) for seat in Seat)


def chair_of(seat: Seat, declarer: Seat) -> Chair:
    """A player's own chair in the play, not the dummy's."""
    return (Chair.DECLARER, Chair.LEFT, Chair.RIGHT)[(seat - declarer) % 3]


def as_card(value: object) -> Card:
    """A card, or text that names one."""
    if isinstance(value, str):
        return parse_card(value)
    if isinstance(value, Card) and 0 <= value < len(ALL_CARDS):
        return value
    given = f"Card({int(value)})" if isinstance(value, Card) else shown(value)
    raise IllegalActionError(
        f"{given} is not a card: expected a Card from 0 to 51, or text as in 'SK'"
    )


@dataclass(frozen=True, slots=True)
class Trick:
    """Four cards in the order played, from the leader's chair, and the chair that won."""

    leader: Chair
    cards: tuple[Card, ...]
    winner: Chair


def winner(leader: Chair, cards: Sequence[Card], trump: Suit | None) -> Chair:
    """The chair that wins a trick, or is winning it so far: the rule in its plain form.

    >>> trick = [parse_card(text) for text in ("HK", "HA", "C2", "SA")]
    >>> winner(Chair.LEFT, trick, Suit.CLUBS).name, winner(Chair.LEFT, trick, None).name
    ('RIGHT', 'DUMMY')
    """
    best = 0
    for at in range(1, len(cards)):
        card, top = cards[at], cards[best]
        if card.suit == top.suit:
            if card.rank < top.rank:
                best = at
        elif card.suit == trump:
            best = at
    return _CHAIRS[(leader + best) % 4]


def beats(card: int, best: int, trump: int) -> bool:
    """Whether a card beats the best one of a trick so far; fast, and compilable.

    `trump` is the number of a suit, or any other number where there are no trumps.
    """
    if card // 13 == best // 13:
        return card < best
    return card // 13 == trump


def winning_place(cards: Sequence[int], trump: int) -> int:
    """The index of the winning card of a trick, complete or not; a fast `winner`.

    >>> winning_place([parse_card(text) for text in ("HK", "HA", "C2", "SA")], Suit.CLUBS)
    2
    """
    place, best = 0, cards[0]
    suit = best // 13
    for at in range(1, len(cards)):
        card = cards[at]
        if card // 13 == suit:
            if card < best:
                place, best = at, card
        elif card // 13 == trump:
            place, best, suit = at, card, trump
    return place


def chair_hands(deal: Deal, declarer: Seat) -> tuple[int, int, int, int]:
    """The four hands as masks in the order of the chairs."""
    hands = deal.hands
    return (
        hands[declarer].mask,
        hands[declarer.left].mask,
        deal.hidden.mask,
        hands[declarer.right].mask,
    )


@dataclass(frozen=True, slots=True)
class Play:
    """The play so far: remaining hands by chair, finished tricks, the current trick."""

    contract: Contract
    hands: tuple[int, int, int, int]
    leader: Chair = Chair.LEFT
    trick: tuple[Card, ...] = ()
    tricks: tuple[Trick, ...] = ()
    won: int = 0
    """Tricks won by the declarer's side."""

    @property
    def over(self) -> bool:
        return not self.trick and not self.hands[self.leader]

    @property
    def chair(self) -> Chair | None:
        """The chair whose card is due; None when all cards are played."""
        return None if self.over else _CHAIRS[(self.leader + len(self.trick)) % 4]

    @property
    def turn(self) -> Seat | None:
        """The player who must play; the declarer for the dummy."""
        chair = self.chair
        return None if chair is None else chair.player(self.contract.declarer)

    def legal_mask(self) -> int:
        """The cards that may be played now."""
        chair = self.chair
        if chair is None:
            return 0
        held = self.hands[chair]
        if self.trick:
            following = held & _SUIT_MASKS[self.trick[0].suit]
            if following:
                return following
        return held

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, Clubs first, Aces first."""
        return tuple(cards_of(self.legal_mask()))

    def check(self, card: Card) -> None:
        """Raise an error that says why, if a card may not be played now."""
        card = as_card(card)
        chair = self.chair
        if chair is None:
            raise IllegalActionError(f"the play is over: {card} comes after the last trick")
        legal = self.legal_mask()
        if legal >> card & 1:
            return
        player = chair.player(self.contract.declarer)
        who = f"{player} cannot play {card}" + (" from dummy" if chair is Chair.DUMMY else "")
        if not self.hands[chair] >> card & 1:
            holder = "dummy" if chair is Chair.DUMMY else str(player)
            raise IllegalActionError(f"{who}: {holder} does not hold it")
        options = " ".join(str(option) for option in cards_of(legal))
        led = self.trick[0].suit.word
        raise IllegalActionError(f"{who}: {led} were led, so follow suit with {options}")

    def apply_unchecked(self, card: Card) -> Play:
        """The play after a card that is known to be allowed."""
        chair = (self.leader + len(self.trick)) % 4
        left = list(self.hands)
        left[chair] ^= card.bit
        hands = (left[0], left[1], left[2], left[3])
        trick = (*self.trick, card)
        if len(trick) < 4:
            return Play(self.contract, hands, self.leader, trick, self.tricks, self.won)
        taker = winner(self.leader, trick, self.contract.bid.strain.trump)
        tricks = (*self.tricks, Trick(self.leader, trick, taker))
        return Play(self.contract, hands, taker, (), tricks, self.won + taker.declaring)

    def dealt(self, chair: Chair) -> Hand:
        """The cards that a chair was dealt: those left and those played."""
        mask = self.hands[chair]
        for leader, cards in (
            *((t.leader, t.cards) for t in self.tricks),
            (self.leader, self.trick),
        ):
            for at, card in enumerate(cards):
                if (leader + at) % 4 == chair:
                    mask |= card.bit
        return Hand(mask)


def start_play(deal: Deal, contract: Contract) -> Play:
    """The position before the opening lead."""
    return Play(contract, chair_hands(deal, contract.declarer))
