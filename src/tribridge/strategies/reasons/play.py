"""A card in a position, and what its player knows about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tribridge.cards.cards import Card, card_at
from tribridge.common.sentences import Sentence, Words, words
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.tricks import Chair, beats
from tribridge.strategies.players.suits import above, equals, low, masters, top

HONOURS: Final = 0b11111
"""From the ace to the ten."""
SPOTS: Final = 0b1111111100000
COURT: Final = 0b1110
"""From the king to the jack."""
STRENGTH: Final = 0b111
"""From the ace to the queen."""
ACE_OR_KING: Final = 0b11
QUEEN: Final = 0b100
THE: Final = (
    words("the ace"), words("the king"), words("the queen"), words("the jack"), words("the ten"),
    words("the nine"), words("the eight"), words("the seven"), words("the six"), words("the five"),
    words("the four"), words("the three"), words("the two"),
)  # fmt: skip
"""Cards that the player does not see are named by their rank alone, as people do."""
ENOUGH: Final = 3
"""Touching honours that are worth setting up at the cost of one of them."""
LENGTH: Final = 4
"""The least length of a suit whose small cards are worth setting up."""


@dataclass(frozen=True)
class Play:
    """A card in a position, and what its player knows about it."""

    s: Position
    card: Card

    @property
    def suit(self) -> int:
        return self.card.row

    @property
    def rank(self) -> int:
        return self.card.column

    @property
    def name(self) -> Sentence:
        """The suit of the card, in words."""
        return Sentence(self.card.suit.word)

    @property
    def place(self) -> int:
        """How many cards lie on the table."""
        return len(self.s.trick)

    @cached_property
    def mine(self) -> int:
        """The hand's cards of the suit."""
        return self.s.row(self.s.mine, self.suit)

    @cached_property
    def friend(self) -> int:
        """For declarer's side, the other hand's cards of the suit."""
        return self.s.row(self.s.friend, self.suit)

    @cached_property
    def trumps(self) -> int:
        """The trumps of the hand."""
        return 0 if self.s.trump == NO_TRUMP else self.s.row(self.s.mine, self.s.trump)

    def others(self, suit: int) -> int:
        """The cards of a suit in hands that the player does not command."""
        return self.s.row(self.s.unseen | (0 if self.s.declaring else self.s.dummy), suit)

    @cached_property
    def higher(self) -> int:
        """The others' cards of the suit that are higher."""
        return above(self.others(self.suit), self.rank)

    def outlives(self, missing: int) -> bool:
        """Whether a missing card need not fall under the cards of declarer's side that beat it."""
        better = above(self.mine | self.friend, missing).bit_count()
        return self.others(self.suit).bit_count() > better

    def worth_a_finesse(self, missing: int) -> bool:
        """Whether a missing card is not more likely to fall than to lie in front of an honour.

        With more than two missing cards for each one that beats it, it is not: of queens, from
        five on.
        """
        better, out = above(self.mine | self.friend, missing), self.others(self.suit)
        return out.bit_count() > max(1, 2 * better.bit_count())

    @cached_property
    def highest(self) -> bool:
        """Whether no card of the suit that is left is higher, the player's own included."""
        return not (self.higher or above(self.mine | self.friend, self.rank))

    @cached_property
    def same(self) -> int:
        """The hand's cards that are equal in play to this one, itself included."""
        equal: int = equals(self.rank, self.s.row(between(self.s), self.suit))
        return self.mine & equal

    @cached_property
    def lowest(self) -> bool:
        """Whether no card of the suit in the hand is lower in play."""
        return bool(self.same >> low(self.mine) & 1)

    @cached_property
    def longest(self) -> bool:
        """Whether the hand has more cards of the suit than of any other."""
        rows = (self.s.row(self.s.mine, suit) for suit in range(4) if suit != self.suit)
        return self.mine.bit_count() > max(row.bit_count() for row in rows)

    @property
    def begun(self) -> bool:
        """Whether the hand has played a card of the suit before."""
        plays = self.s.plays()
        return any(card.row == self.suit for chair, card in plays if chair == self.s.chair)

    @cached_property
    def best(self) -> tuple[int, Card]:
        return self.s.best()

    @cached_property
    def ours(self) -> bool:
        """Whether the player's side is winning the trick so far."""
        return self.best[0] & 1 == self.s.chair & 1

    @cached_property
    def wins(self) -> bool:
        """Whether the card beats those on the table."""
        return self._beats(self.card)

    def _beats(self, card: Card) -> bool:
        return beats(card.index, self.best[1].index, self.s.trump)

    @cached_property
    def winners(self) -> list[Card]:
        """The legal cards that beat those on the table."""
        return [card for card in self.s.legal if self._beats(card)]

    @cached_property
    def cashes(self) -> bool:
        """Whether the hand has another card that is the highest left in its suit."""
        rest = self.s.mine & ~self.card.bit
        rows = ((self.s.row(rest, suit), self.others(suit)) for suit in range(4))
        return any(masters(row, others) for row, others in rows)

    @cached_property
    def behind(self) -> list[int]:
        """The opponents who have yet to play to the trick."""
        chairs = [self.s.chair + at & 3 for at in range(1, 4 - self.place)]
        return [chair for chair in chairs if chair & 1 != self.s.chair & 1]

    def may_beat(self, card: Card) -> bool:
        """Whether an opponent behind may hold a higher card of the same suit, which must be led."""
        return any(self.held(chair, card.row, card.column) for chair in self.behind)

    def may_ruff(self, suit: int) -> bool:
        """Whether an opponent behind may ruff the suit led."""
        trump = self.s.trump
        if trump in (NO_TRUMP, suit):
            return False
        for chair in self.behind:
            sees_dummy = chair == Chair.DUMMY and not self.s.declaring
            follows = sees_dummy and self.s.row(self.s.dummy, suit)
            if not follows and self.held(chair, trump, 13):
                return True
        return False

    @property
    def ruffed_by_declarer(self) -> bool:
        """Whether a defender knows of declarer's side that it can ruff the suit."""
        s = self.s
        if s.trump in (NO_TRUMP, self.suit):
            return False
        if s.row(s.dummy, s.trump) and not s.row(s.dummy, self.suit):
            return True
        shown_out = s.voids[Chair.DECLARER] >> self.suit & 1
        return bool(shown_out and self.held(Chair.DECLARER, s.trump, 13))

    def held(self, chair: int, suit: int, rank: int) -> bool:
        """Whether a chair out of the player's command may hold a card of a suit above a rank."""
        if chair == Chair.DUMMY and not self.s.declaring:
            return bool(above(self.s.row(self.s.dummy, suit), rank))
        if self.s.voids[chair] >> suit & 1:
            return False
        return bool(above(self.s.row(self.s.unseen, suit), rank))

    def at(self, rank: int) -> Card:
        """A card of the same suit."""
        return card_at(self.suit, rank)


Reason = Callable[[Play], Words | None]


def between(s: Position) -> int:
    """The cards that tell two cards of a hand apart when they lie between them."""
    cards = s.hidden
    for chair, hand in enumerate(s.hands):
        if chair != s.chair:
            cards |= hand
    for card in s.trick:
        cards |= card.bit
    return cards


def groups(s: Position) -> list[list[Card]]:
    """The legal cards, those that are equal in play together, from the highest to the lowest."""
    others, together = between(s), list[list[Card]]()
    for card in s.legal:
        if together and equals(together[-1][0].index, others) & card.bit:
            together[-1].append(card)
        else:
            together.append([card])
    return together


def keeps(p: Play) -> Words | None:
    """A low card that spares an honour: led, followed with or let go."""
    honours = above(p.mine & ~p.same, p.rank) & HONOURS
    if not (p.lowest and honours):
        return None
    kept = p.at(top(honours))
    if 1 << p.rank & HONOURS:
        return words("It keeps {other} for later.", other=kept)
    return words("A low card: it keeps {other} for later.", other=kept)
