"""Whether a claim is certain, by what the claimer sees.

A claim stands if there is a way to play that wins the tricks whatever the hidden cards are and
whatever the others do, a defender's partner among them. So the answer follows from the claimer's
view, and says nothing about the deal that the claimer could not have worked out.

A game of perfect information decides it. The hidden cards are not dealt: whoever is out of sight
plays any of them that some deal allows, and so chooses the deal during the play. What the claimer
wins against that is what one way to play wins on every deal: both know the cards played, and
nothing else.

The search ends after `_MOST` positions: a claim that takes longer is refused, as it is too early.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tribridge.game import View
from tribridge.game.position import NO_TRUMP, SUIT
from tribridge.game.tricks import beats

_MOST: Final = 40_000
"""Cards that are tried: about a second."""
_SUITS: Final = range(4)


class _TooLongError(Exception):
    """More positions than a claim is worth."""


class _Play(NamedTuple):
    """A position as the claimer knows it; chairs and masks as in `Position`."""

    hands: tuple[int, int, int, int]
    """The cards left in the hands in sight; 0 for those out of sight."""
    hidden: int
    """The cards left out of sight."""
    sizes: tuple[int, int]
    """How many of them each of the two hands out of sight holds."""
    voids: tuple[int, int]
    """The suits that each of these has shown out of, as four bits."""
    leader: int
    trick: tuple[int, ...] = ()
    """Cards as numbers: thirteen times the suit, plus the rank from the ace down."""


def certain(view: View, tricks: int) -> bool:
    """Whether the side of a seat wins at least so many of the remaining tricks for certain.

    The seat is on turn, between tricks.
    """
    position, chair = view.position, view.own_chair
    assert position is not None
    assert chair is not None
    left = position.dummy.bit_count()
    unseen = (1, 3) if chair == 0 else (0, 4 - chair)
    play = _Play(
        position.hands,
        position.hidden,
        (left, left),
        (position.voids[unseen[0]], position.voids[unseen[1]]),
        position.leader,
    )
    own = frozenset({0, 2}) if chair == 0 else frozenset({int(chair)})
    try:
        return _Search(own, unseen, position.trump).wins(play, tricks)
    except _TooLongError:
        return False


class _Search:
    def __init__(self, own: frozenset[int], unseen: tuple[int, int], trump: int) -> None:
        self.own, self.unseen, self.trump = own, unseen, trump
        self.side = min(own) & 1
        self.tried = 0
        self.known: dict[_Play, tuple[int, int]] = {}
        """The tricks that are certain at the start of a trick: at least, and at most."""

    def wins(self, play: _Play, need: int) -> bool:
        """Whether the claimer's side wins so many tricks, from the start of a trick."""
        left = play.hands[min(self.own)].bit_count()
        if need <= 0 or need > left:
            return need <= 0
        low, high = self.known.get(play, (0, left))
        if low < need and play.leader in self.own:
            low = max(low, self._cashed(play))
        if low < need <= high:
            if self._goes_on(play, need):
                low = need
            else:
                high = need - 1
        self.known[play] = low, high
        return need <= low

    def _goes_on(self, play: _Play, need: int) -> bool:
        """Whether the side wins so many tricks, in the middle of a trick."""
        if len(play.trick) == 4:
            winner = (play.leader + _winning(play.trick, self.trump)) & 3
            after = play._replace(leader=winner, trick=())
            return self.wins(after, need - (winner & 1 == self.side))
        self.tried += 1
        if self.tried > _MOST:
            raise _TooLongError
        chair = (play.leader + len(play.trick)) & 3
        if chair in self.own:
            return any(self._goes_on(after, need) for after in self._cards(play, chair))
        return all(self._goes_on(after, need) for after in self._cards(play, chair))

    def _cards(self, play: _Play, chair: int) -> Iterator[_Play]:
        """The positions after each card that a chair may play; of equal cards, after one."""
        if chair in self.unseen:
            yield from self._hidden_cards(play, self.unseen.index(chair))
            return
        hand = play.hands[chair]
        may = hand
        if play.trick:
            may = hand & SUIT << 13 * (play.trick[0] // 13) or hand
        for card in self._different(play, may, hand):
            hands = [*play.hands]
            hands[chair] = hand & ~(1 << card)
            a, b, c, d = hands
            yield play._replace(hands=(a, b, c, d), trick=(*play.trick, card))

    def _hidden_cards(self, play: _Play, at: int) -> Iterator[_Play]:
        led = play.trick[0] // 13 if play.trick else None
        sizes = [*play.sizes]
        sizes[at] -= 1
        for card in self._different(play, play.hidden, play.hidden):
            suit, voids = card // 13, [*play.voids]
            if voids[at] >> suit & 1:
                continue
            if led is not None and suit != led:
                voids[at] |= 1 << led
            after = play._replace(
                hidden=play.hidden & ~(1 << card),
                sizes=(sizes[0], sizes[1]),
                voids=(voids[0], voids[1]),
                trick=(*play.trick, card),
            )
            if _possible(after):
                yield after

    def _different(self, play: _Play, may: int, held: int) -> list[int]:
        """Of the cards that may be played one of each kind, those that are likely to win first.

        Cards of a hand are of one kind if no card that is still in play lies between them. So are
        those of two hands out of sight, if they are of one side.
        """
        alike = held != play.hidden or 0 in self.own
        live = play.hidden
        for hand in play.hands:
            live |= hand
        for card in play.trick:
            live |= 1 << card
        chosen: list[int] = []
        for suit in _SUITS:
            row, own, before = live >> 13 * suit & SUIT, held >> 13 * suit & SUIT, False
            allowed = may >> 13 * suit & SUIT
            while row:
                bit = row & -row
                row ^= bit
                if allowed & bit and not (before and alike):
                    chosen.append(13 * suit + bit.bit_length() - 1)
                before = bool(own & bit)
        trump = self.trump
        return sorted(chosen, key=lambda card: (card // 13 != trump, card % 13, card))

    def _cashed(self, play: _Play) -> int:
        """Tricks that the hand on lead wins for certain without losing the lead."""
        hand, others = play.hands[play.leader], play.hidden
        friend = 0
        for chair, held in enumerate(play.hands):
            if chair != play.leader:
                others |= held
                friend = held if chair in self.own else friend
        tops, total = 0, 0
        for suit in _SUITS:
            mine, theirs = hand >> 13 * suit & SUIT, others >> 13 * suit & SUIT
            high = (mine & ((theirs & -theirs) - 1) if theirs else mine).bit_count()
            if suit == self.trump:
                tops = high
            against = (theirs & ~(friend >> 13 * suit)).bit_count()
            longest = max(against, (friend >> 13 * suit & SUIT).bit_count())
            total += mine.bit_count() if high >= longest else high
        if self.trump == NO_TRUMP:
            return total
        theirs = others >> 13 * self.trump & SUIT
        return total if tops >= theirs.bit_count() else tops


def _winning(trick: tuple[int, ...], trump: int) -> int:
    """The place of the card that wins a trick."""
    place = 0
    for at, card in enumerate(trick):
        if at and beats(card, trick[place], trump):
            place = at
    return place


def _possible(play: _Play) -> bool:
    """Whether the hidden cards can be dealt to hands of these sizes, which lack these suits."""
    for at in (0, 1):
        elsewhere = 0
        for suit in _SUITS:
            if play.voids[at] >> suit & 1:
                count = (play.hidden >> 13 * suit & SUIT).bit_count()
                if count and play.voids[1 - at] >> suit & 1:
                    return False
                elsewhere += count
        if elsewhere > play.sizes[1 - at]:
            return False
    return True
