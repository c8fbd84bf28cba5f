"""A position of the play: the one representation that the table, players and solvers share.

Hands are masks in the order of the chairs (0 declarer, 1 left defender, 2 dummy, 3 right defender).
A table's position holds all four. A view's holds the hands that its seat sees; the others are empty
and their cards are `hidden`. What the player whose turn it is knows reads the same in both: `mine`,
`friend`, `dummy`, `unseen` and what was played. Players by rule use these and never `hands`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from tribridge.cards.cards import Card, Strain, cards_of
from tribridge.cards.deals import SEATS, Deal, Seat
from tribridge.common.errors import IllegalActionError, shown
from tribridge.common.sentences import Sentence, words
from tribridge.game.auction import Contract
from tribridge.game.tricks import CHAIRS, Chair, Hands, Trick, chair_hands, winning_place

NO_TRUMP: Final = Strain.NOTRUMP.index

SUIT: Final = 0x1FFF
"""The thirteen bits of a suit."""


class _Fields(NamedTuple):
    """What a position is made of; the fields after `bids` follow from the others."""

    contract: Contract
    hands: Hands
    """The cards left by chair; 0 for a hand out of sight."""
    leader: Chair
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    won: int
    """Tricks won by the declarer's side."""
    voids: Hands
    """For each chair the suits it has shown out of, as four bits."""
    hidden: int
    """The cards left in the hands out of sight."""
    bids: tuple[int, ...]
    """In a defender's view the suits that the other defender has bid, last first."""

    chair: Chair
    """The chair whose card is due; after the last card, the winner of the last trick."""
    trump: int
    """The suit of trumps, or `NO_TRUMP`."""
    mine: int
    """The cards of the chair whose card is due."""
    friend: int
    """For the declarer's side its other hand; 0 for a defender, who does not see it."""
    dummy: int
    unseen: int
    """Cards neither played nor seen by the player whose turn it is."""


class Position(_Fields):
    """The cards so far, as they are or as one player knows them."""

    __slots__ = ()

    # A tuple, because search makes thousands of positions a second: a frozen dataclass with as
    # many fields takes three times as long to make.
    def __new__(
        cls,
        contract: Contract,
        hands: Hands,
        leader: Chair = Chair.LEFT,
        trick: tuple[Card, ...] = (),
        tricks: tuple[Trick, ...] = (),
        won: int = 0,
        voids: Hands = (0, 0, 0, 0),
        hidden: int = 0,
        bids: tuple[int, ...] = (),
    ) -> Position:
        chair = CHAIRS[(leader + len(trick)) & 3]
        trump, other = contract.bid.strain.index, hands[chair ^ 2]
        if chair & 1:
            friend, unseen = 0, hidden | hands[0] | other
        else:
            friend, unseen = other, hidden | hands[1] | hands[3]
        given = (contract, hands, leader, trick, tricks, won, voids, hidden, bids)
        return tuple.__new__(cls, (*given, chair, trump, hands[chair], friend, hands[2], unseen))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self[:9]

    @property
    def over(self) -> bool:
        return not (self.trick or self.mine or self.hidden)

    @property
    def turn(self) -> Seat | None:
        """The player who must play; the declarer for the dummy."""
        return None if self.over else self.chair.player(self.contract.declarer)

    @property
    def declaring(self) -> bool:
        """Whether the card is due from the declarer's side."""
        return not self.chair & 1

    @property
    def partner(self) -> int:
        """The chair opposite."""
        return self.chair ^ 2

    @property
    def size(self) -> int:
        """Tricks of the deal, by the dummy, which everybody sees."""
        played = (Chair.DUMMY - self.leader) & 3 < len(self.trick)
        return len(self.tricks) + self.dummy.bit_count() + played

    @property
    def needed(self) -> int:
        """Tricks that the declarer undertook."""
        return self.size // 2 + self.contract.bid.level

    @property
    def to_defeat(self) -> int:
        """Tricks that the defenders still need to defeat the contract."""
        return self.size - self.needed + 1 - (len(self.tricks) - self.won)

    def row(self, mask: int, suit: int) -> int:
        """The cards of a suit as 13 bits, Ace in bit 0."""
        return mask >> 13 * suit & SUIT

    def best(self) -> tuple[int, Card]:
        """The chair that is winning the trick on the table, and its card."""
        place = winning_place(self.trick, self.trump)
        return (self.leader + place) & 3, self.trick[place]

    def legal_mask(self) -> int:
        """The cards that may be played now."""
        if self.trick:
            return self.mine & SUIT << self.trick[0].row * 13 or self.mine
        return self.mine

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, Clubs first, Aces first."""
        return tuple(cards_of(self.legal_mask()))

    def check(self, card: Card, names: Sequence[Seat | str] = SEATS) -> None:
        """Raise an error that says why, if a card may not be played now.

        The error calls North, East and South by these names.
        """
        card = Card(card) if isinstance(card, str) else card
        if not isinstance(card, Card):
            raise IllegalActionError(f"{shown(card)} is not a card: expected one as in 'SK'")
        if self.over:
            raise IllegalActionError(f"the play is over: {card} comes after the last trick")
        legal = self.legal_mask()
        if legal & card.bit:
            return
        chair = self.chair
        player = names[chair.player(self.contract.declarer).index]
        own = Sentence(str(player))
        who = words("{player} cannot play {card}", player=own, card=card)
        if chair is Chair.DUMMY:
            who = words("{player} cannot play {card} from dummy", player=own, card=card)
        if not self.mine & card.bit:
            holder = Sentence("dummy") if chair is Chair.DUMMY else own
            missing = words("{who}: {holder} does not hold it", who=who, holder=holder)
            raise IllegalActionError(missing)
        options = " ".join(str(option) for option in cards_of(legal))
        suit = Sentence(self.trick[0].suit.word)
        revoke = words(
            "{who}: {suit} were led, so follow suit with {cards}", who=who, suit=suit, cards=options
        )
        raise IllegalActionError(revoke)

    def apply_unchecked(self, card: Card) -> Position:
        """The position after a card that is known to be allowed."""
        chair, voids = self.chair, self.voids
        a, b, c, d = self.hands
        bit = card.bit
        if chair == 0:
            hands = (a ^ bit, b, c, d)
        elif chair == 1:
            hands = (a, b ^ bit, c, d)
        elif chair == 2:
            hands = (a, b, c ^ bit, d)
        else:
            hands = (a, b, c, d ^ bit)
        trick = (*self.trick, card)
        led = trick[0].row
        if card.row != led:
            shown = [*voids]
            shown[chair] |= 1 << led
            voids = (shown[0], shown[1], shown[2], shown[3])
        if len(trick) < 4:
            return Position(
                self.contract, hands, self.leader, trick, self.tricks, self.won, voids, self.hidden
            )
        taker = CHAIRS[(self.leader + winning_place(trick, self.trump)) & 3]
        tricks = (*self.tricks, Trick(self.leader, trick, taker))
        won = self.won + (not taker & 1)
        return Position(self.contract, hands, taker, (), tricks, won, voids, self.hidden)

    def after(self, cards: Sequence[Card], names: Sequence[Seat | str] = SEATS) -> Position:
        """The position after some cards, each of them checked; all hands must be in sight.

        The same as `check` and `apply_unchecked` for one card after the other, and several times
        as fast, for files of many games.
        """
        hands, voids = [*self.hands], [*self.voids]
        leader, trick, tricks, won = self.leader, [*self.trick], [*self.tricks], self.won
        for at, card in enumerate(cards):
            chair = (leader + len(trick)) & 3
            mine, bit = hands[chair], card.bit
            if not mine & bit or (trick and card.row != (led := trick[0].row)):
                if not mine & bit or mine & SUIT << 13 * led:
                    self.after(cards[:at]).check(card, names)
                voids[chair] |= 1 << led
            hands[chair] = mine ^ bit
            trick.append(card)
            if len(trick) == 4:
                taker = CHAIRS[(leader + winning_place(trick, self.trump)) & 3]
                tricks.append(Trick(leader, tuple(trick), taker))
                won += not taker & 1
                leader, trick = taker, []
        left = hands[0], hands[1], hands[2], hands[3]
        shown = voids[0], voids[1], voids[2], voids[3]
        return Position(self.contract, left, leader, tuple(trick), tuple(tricks), won, shown)

    def with_hands(self, hands: Hands) -> Position:
        """The same play with these cards left, all in sight."""
        return Position(
            self.contract, hands, self.leader, self.trick, self.tricks, self.won, self.voids
        )

    def dealt(self) -> Hands:
        """The cards that the chairs were dealt: those left and those played."""
        hands = list(self.hands)
        for chair, card in self.plays():
            hands[chair] |= card.bit
        return hands[0], hands[1], hands[2], hands[3]

    def rounds(self) -> list[tuple[Chair, tuple[Card, ...]]]:
        """Who led and what was played, trick by trick, with the trick on the table."""
        return [*((trick.leader, trick.cards) for trick in self.tricks), (self.leader, self.trick)]

    def plays(self) -> Iterator[tuple[Chair, Card]]:
        """Every card played, in order, and the chair it came from."""
        for leader, cards in self.rounds():
            for at, card in enumerate(cards):
                yield CHAIRS[(leader + at) & 3], card


def start_play(deal: Deal, contract: Contract) -> Position:
    """The position before the opening lead."""
    return Position(contract, chair_hands(deal, contract.declarer))
