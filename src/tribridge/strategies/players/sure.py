"""Sure things: cards that decide the contract whatever the hidden hands hold.

A side that needs k more tricks and can take them one after the other, without ever giving up the
lead, needs no judgement. `sure_cards` looks for such lines with the hands that the player controls:
declarer's and dummy's, or a defender's own. It assumes the worst of all other cards, a defending
partner's included: each hidden hand may hold any of them, keeps its highest card of a suit as long
as it can, and ruffs if trumps may be left. Only the last trick may be the partner's. So a line that
is found is a proof. None may be found although there is one, because only some cards are tried and
the search is limited.
"""

from __future__ import annotations

from typing import Final

from tribridge.cards.cards import ALL_CARDS, Card, cards_of
from tribridge.game.position import NO_TRUMP, SUIT, Position
from tribridge.game.tricks import Chair, beats, winning_place
from tribridge.strategies.players.suits import apart, low, top

NODES: Final = 200
"""Tricks that are tried, for each card, before the search gives up."""
_NOTHING: Final = 13
"""A rank below all others."""


def sure_cards(position: Position, nodes: int = NODES) -> list[Card]:
    """The legal cards after which the side to play takes the tricks it needs, come what may.

    Empty if the contract is decided, or if no card is known to decide it.
    """
    needed = position.needed - position.won if position.declaring else position.to_defeat
    if not 0 < needed <= position.mine.bit_count():
        return []
    side = _Side(position, nodes)
    if side.most() < needed:
        return []
    # Equal cards decide alike: try the lowest of each group.
    decides = {card.index: side.decides(card, needed) for card in apart(position, position.legal)}
    return [card for card in position.legal if decides[min(n for n in decides if n >= card.index)]]


class _Side:
    """What one side knows of the others: their highest cards and how long they can follow."""

    def __init__(self, position: Position, most_nodes: int) -> None:
        self.position = position
        self.most_nodes = most_nodes
        self.trump = position.trump
        others = position.unseen | (0 if position.declaring else position.dummy)
        rows = [others >> 13 * suit & SUIT for suit in range(4)]
        self.tops = [top(row) if row else _NOTHING for row in rows]
        self.lengths = [row.bit_count() for row in rows]
        own = {position.chair, position.partner} if position.declaring else {position.chair}
        self.others = [chair for chair in range(4) if chair not in own]
        self.opponents = [chair for chair in range(4) if chair & 1 != position.chair & 1]
        self.held_by_others = self._held(self.others)
        self.held_by_opponents = self._held(self.opponents)
        self.nodes = 0

    def _held(self, chairs: list[int]) -> int:
        """The suits, as four bits, in which not all of these chairs have shown out."""
        held = 0
        for chair in chairs:
            held |= ~self.position.voids[chair]
        return held

    def most(self) -> int:
        """A bound on the tricks that can be taken in a row."""
        mine, friend = self.position.mine, self.position.friend
        trick = self.position.trick
        total = len(trick[:1])  # a card on the table may win it, and exhaust the suit
        for suit in range(4):
            rows = (mine >> 13 * suit & SUIT, friend >> 13 * suit & SUIT)
            if suit == self.trump:  # either hand may ruff
                total += sum(row.bit_count() for row in rows)
                continue
            masters = ((rows[0] | rows[1]) & (1 << self.tops[suit]) - 1).bit_count()
            longest = max(row.bit_count() for row in rows)
            exhausts = masters >= self.lengths[suit] or (trick and trick[0].row == suit)
            total += longest if exhausts else min(masters, longest)
        return total

    def decides(self, card: Card, needed: int) -> bool:
        """Whether a card, played now, leads to the tricks that are needed."""
        position, lengths = self.position, self.lengths
        self.nodes = 0
        friend, mine = position.friend, position.mine & ~card.bit
        trick = [*position.trick, card]
        chairs = [position.leader + at & 3 for at in range(len(trick))]
        led = trick[0].row
        waiting = position.declaring and position.partner not in chairs
        # A hand that has followed to this trick may still hold all that is left of the suit.
        followed = any(
            chair in self.others and not position.voids[chair] >> led & 1 for chair in chairs
        )
        after = lengths if followed else _shorter(lengths, led)
        for reply in _follow(friend, led) if waiting else (None,):
            winner = (
                self._winner(trick, chairs, needed)
                if reply is None
                else self._winner([*trick, ALL_CARDS[reply]], [*chairs, position.partner], needed)
            )
            if winner is None:
                continue
            left = friend if reply is None else friend ^ 1 << reply
            hands = (mine, left) if winner == position.chair else (left, mine)
            if self._takes(*hands, after, needed - 1):
                return True
        return False

    def _winner(self, cards: list[Card], chairs: list[int], needed: int) -> int | None:
        """The chair of this side that is sure to win the trick; None if others may win it."""
        best = winning_place(cards, self.trump)
        led, against = cards[0].row, self.opponents if needed == 1 else self.others
        behind = [chair for chair in against if chair not in chairs]
        if (dummy := self.position.dummy) and Chair.DUMMY in behind:  # it is in sight
            behind.remove(Chair.DUMMY)
            follow = dummy & SUIT << 13 * led or dummy
            if any(beats(card.index, cards[best].index, self.trump) for card in cards_of(follow)):
                return None
        held = self._held(behind)
        if chairs[best] in against or self._beaten(cards[best].index, led, self.lengths, held):
            return None
        return chairs[best]

    def _beaten(self, card: int, led: int, lengths: list[int], held: int) -> bool:
        """Whether a card may be beaten by those still to play, who may hold some suits."""
        (suit, rank), trump = divmod(card, 13), self.trump
        if suit == led and held >> suit & 1 and lengths[suit] and self.tops[suit] < rank:
            return True
        if trump in (NO_TRUMP, led) or not (held >> trump & 1 and lengths[trump]):
            return False
        return self.tops[trump] < (rank if suit == trump else _NOTHING)

    def _takes(self, lead: int, other: int, lengths: list[int], needed: int) -> bool:
        """Whether the hand on lead and its partner can take so many tricks in a row."""
        if needed <= 0:
            return True
        if needed > lead.bit_count():
            return False
        self.nodes += 1
        if self.nodes > self.most_nodes:
            return False
        held = self.held_by_opponents if needed == 1 else self.held_by_others
        for suit in self._order(lead, lengths):
            row = lead >> 13 * suit & SUIT
            first, last = 13 * suit + top(row), 13 * suit + low(row)
            replies, after = _follow(other, suit), _shorter(lengths, suit)
            for card in (first, last) if first != last else (first,):
                for reply in replies:
                    if needed > 1 and self.nodes >= self.most_nodes:
                        return False
                    best, own = card, True
                    if reply is not None and beats(reply, card, self.trump):
                        best, own = reply, False
                    if self._beaten(best, suit, lengths, held):
                        continue
                    mine = lead ^ 1 << card
                    theirs = other if reply is None else other ^ 1 << reply
                    hands = (mine, theirs) if own else (theirs, mine)
                    if self._takes(*hands, after, needed - 1):
                        return True
        return False

    def _order(self, hand: int, lengths: list[int]) -> list[int]:
        """The suits of a hand, trumps first while others may have any."""
        suits = [suit for suit in range(4) if hand >> 13 * suit & SUIT]
        if self.trump in suits and lengths[self.trump]:
            suits.remove(self.trump)
            suits.insert(0, self.trump)
        return suits


def _shorter(lengths: list[int], suit: int) -> list[int]:
    """The lengths after a round of a suit, to which every hand follows that can."""
    after = lengths.copy()
    after[suit] -= after[suit] > 0
    return after


def _follow(hand: int, suit: int) -> list[int] | list[None]:
    """Cards with which a hand may follow: lowest and highest, or the lowest of each suit."""
    if not hand:
        return [None]
    if row := hand >> 13 * suit & SUIT:
        last, first = 13 * suit + low(row), 13 * suit + top(row)
        return [last, first] if first != last else [last]
    return [13 * at + low(row) for at in range(4) if (row := hand >> 13 * at & SUIT)]
