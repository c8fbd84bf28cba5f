"""What decides a puzzle: small rules on the position, the best answer and the tempting one.

The rules of the play ask, in this order: is it the opening lead, a discard, a ruff; when following,
who is winning the trick and who could; when leading, what the card led can do. A finesse or a
discard that hangs on a hand which has been counted is counting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from tribridge.cards.cards import Card, card_at
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Call
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.tricks import CHAIRS, Chair, beats
from tribridge.game.views import View
from tribridge.reviews.puzzles import Puzzle
from tribridge.reviews.themes import Theme
from tribridge.reviews.values import Key
from tribridge.strategies.players.suits import above, top
from tribridge.strategies.protocol import position_of

_KING: Final = 1
_QUEEN: Final = 2
_TEN: Final = 4
"""The rank of the lowest honour."""
_NINE: Final = 5
_FEW: Final = 3
"""Tricks that are still needed when it is time to cash."""
_LATE: Final = 7
"""Cards left in a hand when a throw-in can be seen."""
_COUNTED: Final = (Theme.FINESSE, Theme.PLAY, Theme.DISCARD, Theme.LEAD)
"""Themes that are counting where a hand has been counted."""
_OF_CALLS: Final = (Theme.OPENING, Theme.OVERCALL, Theme.DOUBLE, Theme.PASS)
_KNOWN: Final = 0.65
"""The chance from which the place of a card is taken to be counted."""


def theme_of(puzzle: Puzzle) -> Theme:
    """The theme of a puzzle; that of a signal is known from its book."""
    if puzzle.theme is Theme.SIGNAL:
        return puzzle.theme
    best, tempting = puzzle.best.action, puzzle.tempting
    if isinstance(best, Card):
        assert isinstance(tempting, Card)
        return card_theme(position_of(puzzle.view()), best, tempting, puzzle.key)
    return call_theme(puzzle.view(), best)


def call_theme(view: View, best: Call) -> Theme:
    """The theme of a call."""
    if best in (DOUBLE, REDOUBLE):
        return Theme.DOUBLE
    if best is PASS:
        return Theme.PASS
    return Theme.OPENING if view.auction.last_bid is None else Theme.OVERCALL


def card_theme(position: Position, best: Card, tempting: Card, key: Key | None = None) -> Theme:
    """The theme of a card, with the card that is tempting in its place."""
    question = _Question(position, best, tempting)
    theme = next((theme for theme, rule in _RULES if rule(question)), Theme.PLAY)
    if theme in _COUNTED and position.tricks and key is not None and _shown_out(position):
        return Theme.COUNTING if key.chance >= _KNOWN else theme
    return theme


def may_be(view: View, theme: Theme) -> bool:
    """Whether the theme of the choice that is due can be this one."""
    if view.contract is None:
        return theme in _OF_CALLS
    position, themes = position_of(view), _COUNTED if theme is Theme.COUNTING else (theme,)
    pairs = permutations(position.legal, 2)
    return any(card_theme(position, best, other) in themes for best, other in pairs)


def _shown_out(position: Position) -> bool:
    """Whether a hand out of sight has shown out of a suit that is not exhausted."""
    hidden = [chair for chair in CHAIRS if not position.hands[chair] and chair is not Chair.DUMMY]
    left = [suit for suit in range(4) if position.row(position.unseen, suit)]
    return any(position.voids[chair] >> suit & 1 for chair in hidden for suit in left)


@dataclass(frozen=True, slots=True)
class _Question:
    """A position with two cards, and what can be asked about them."""

    position: Position
    best: Card
    tempting: Card

    @property
    def led(self) -> int | None:
        """The suit that was led."""
        trick = self.position.trick
        return trick[0].row if trick else None

    @property
    def ours(self) -> bool:
        """Whether the other hand of this side is sure to win the trick, unless it is ruffed."""
        position = self.position
        if not position.trick or position.best()[0] != position.partner:
            return False
        return self._stands(position.best()[1])

    def _stands(self, card: Card) -> bool:
        """Whether no hand of the others that plays to this trick later can have a higher card."""
        position, against = self.position, 0
        hidden = (Chair.LEFT, Chair.RIGHT) if position.declaring else (0, position.partner)
        if any(map(self._behind, hidden)):
            against = position.unseen
        if not position.declaring and self._behind(Chair.DUMMY):
            against |= position.dummy
        return not above(position.row(against, card.row), card.column)

    def _behind(self, chair: int) -> bool:
        position = self.position
        played = {(position.leader + at) & 3 for at in range(len(position.trick))}
        return chair != position.chair and chair not in played

    def beats_trick(self, card: Card) -> bool:
        """Whether a card beats those on the table."""
        trick = self.position.trick
        return not trick or beats(card.index, self.position.best()[1].index, self.position.trump)

    def wins(self, card: Card) -> bool:
        """Whether a card is sure to win the trick, unless it is ruffed."""
        return self.beats_trick(card) and self._stands(card)

    def master(self, card: Card) -> bool:
        """Whether no other side holds a higher card of the suit."""
        position = self.position
        others = position.unseen | (0 if position.declaring else position.dummy)
        return not above(position.row(others, card.row), card.column)

    def friend_wins(self) -> bool:
        """Whether declarer's other hand, which plays later, could win with the suit led."""
        position, led = self.position, self.led
        row = 0 if led is None else position.row(position.friend, led)
        if not row or not position.declaring or not self._behind(position.partner):
            return False
        return self.wins(card_at(led or 0, top(row)))

    def between(self, card: Card, other: Card) -> bool:
        """Whether a card of the others, for a defender one of dummy's, lies between two."""
        position = self.position
        others = position.unseen if position.declaring else position.dummy
        high, low = sorted((card.column, other.column))
        return card.row == other.row and bool(
            above(position.row(others, card.row), low) >> high + 1
        )

    def tenace(self, hand: int, suit: int, lowest: int = _TEN) -> bool:
        """Whether a hand holds an honour with a higher card of the others missing."""
        position = self.position
        row = above(position.row(hand, suit), lowest + 1)
        missing = position.row(position.unseen, suit)
        return any(row >> rank & 1 and above(missing, rank) for rank in range(_TEN + 1))

    def exits(self) -> bool:
        """Whether the best card gives the trick to the others."""
        position, suit = self.position, self.best.row
        side = position.row(position.mine | position.friend, suit)
        missing = position.row(position.unseen, suit)
        return bool(missing) and top(missing) < top(side)

    def winners(self) -> int:
        """How many cards of the hand to play are higher than all others of their suit."""
        return sum(self.wins(card) for card in self.position.legal)


def _opening_lead(q: _Question) -> bool:
    return not q.position.tricks and not q.position.trick


def _discard(q: _Question) -> bool:
    return q.led is not None and q.best.row not in (q.led, q.position.trump)


def _ruff(q: _Question) -> bool:
    return q.led is not None and q.best.row != q.led


def _choice_of_hand(q: _Question) -> bool:
    """Both hands of declarer can win the trick, and one of them should keep its entry."""
    return q.led is not None and q.friend_wins() and q.wins(q.best) != q.wins(q.tempting)


def _overtakes(q: _Question) -> bool:
    """A high card on, or under, a trick that the own side is winning."""
    if q.led is None or not q.ours or q.best.row != q.tempting.row:
        return False
    return q.best.column < q.tempting.column and q.best.column <= _TEN


def _ducks(q: _Question) -> bool:
    """A trick that could be won is not taken."""
    if q.led is None or q.ours or q.friend_wins():
        return False
    return q.wins(q.tempting) and not q.beats_trick(q.best)


def _takes(q: _Question) -> bool:
    """A trick that could be ducked is taken, in the suit of the others."""
    if q.led is None or q.ours or q.friend_wins() or _own_suit(q):
        return False
    stopper = q.position.trump == NO_TRUMP and q.best.column <= _KING and q.master(q.best)
    return stopper and q.wins(q.best) and not q.beats_trick(q.tempting)


def _own_suit(q: _Question) -> bool:
    leader = q.position.leader
    return q.position.declaring and leader in (Chair.DECLARER, Chair.DUMMY)


def _finesses(q: _Question) -> bool:
    """The lower or the higher of two cards with one of the others between them."""
    if q.led is None or q.best.row != q.led or q.tempting.row != q.led:
        return False
    lower = max(q.best, q.tempting, key=lambda card: card.column)
    last = len(q.position.trick) == 3
    high = lower.column <= _NINE and q.beats_trick(lower)
    return not last and high and q.between(q.best, q.tempting)


def _trumps(q: _Question) -> bool:
    """Trumps are led or left alone, or a suit is led that the other hand ruffs."""
    position, trump = q.position, q.position.trump
    if q.led is not None or trump == NO_TRUMP:
        return False
    void = not position.row(position.friend, q.best.row)
    ruffs = void and bool(position.row(position.friend, trump))
    return trump in (q.best.row, q.tempting.row) or ruffs


def _cashes(q: _Question) -> bool:
    """Winners that decide the contract are taken before it is too late."""
    if q.led is not None or not q.wins(q.best) or q.wins(q.tempting):
        return False
    position = q.position
    needed = position.needed - position.won if position.declaring else position.to_defeat
    return needed <= max(q.winners(), _FEW)


def _leads_towards(q: _Question) -> bool:
    """A card led to a tenace in the other hand of declarer, or run through the defender."""
    if q.led is not None or not q.position.declaring or q.wins(q.best):
        return False
    position, suit = q.position, q.best.row
    friend, missing = position.row(position.friend, suit), position.row(position.unseen, suit)
    through = q.best.column <= _TEN and above(missing, q.best.column) and friend
    towards = q.tenace(position.friend, suit, _QUEEN)
    return towards or bool(through and top(friend) < top(missing))


def _throws_in(q: _Question) -> bool:
    """The lead is given up, late in the play, with a tenace left elsewhere."""
    position = q.position
    if q.led is not None or not position.declaring or position.mine.bit_count() > _LATE:
        return False
    others = [suit for suit in range(4) if suit != q.best.row]
    hands = (position.mine, position.friend)
    return q.exits() and any(q.tenace(hand, suit) for hand in hands for suit in others)


def _crosses(q: _Question) -> bool:
    """Declarer leads to a sure winner of the other hand, or unblocks a suit for it."""
    position, suit = q.position, q.best.row
    if q.led is not None or not position.declaring:
        return False
    mine, friend = position.row(position.mine, suit), position.row(position.friend, suit)
    missing = position.row(position.unseen, suit)
    if not friend:
        return False
    master = not missing or top(friend) < top(missing)
    if not q.wins(q.best):
        return master and top(friend) < q.best.column
    return mine.bit_count() < friend.bit_count()


def _defends(q: _Question) -> bool:
    return q.led is None and not q.position.declaring


_RULES: Final[tuple[tuple[Theme, Callable[[_Question], bool]], ...]] = (
    (Theme.LEAD, _opening_lead),
    (Theme.DISCARD, _discard),
    (Theme.TRUMPS, _ruff),
    (Theme.ENTRY, _choice_of_hand),
    (Theme.ENTRY, _overtakes),
    (Theme.ENTRY, lambda q: _ducks(q) and _own_suit(q)),
    (Theme.HOLD_UP, _ducks),
    (Theme.HOLD_UP, _takes),
    (Theme.FINESSE, _finesses),
    (Theme.CASH_OUT, _cashes),
    (Theme.TRUMPS, _trumps),
    (Theme.FINESSE, _leads_towards),
    (Theme.THROW_IN, _throws_in),
    (Theme.ENTRY, _crosses),
    (Theme.LEAD, _defends),
)
"""The rules in their order."""
