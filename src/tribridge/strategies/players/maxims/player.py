"""Play by the maxims of the card table: second hand low, third hand high, and so on.

No search and no sampling: the first maxim that fits a position decides. Leads are in `declarer`
and `defence`, following suit in `follow`, ruffs and discards here. The search players use the same
rules to break ties and to play positions out quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from tribridge.cards.cards import ALL_CARDS, Card, card_at
from tribridge.common.sentences import Words, words
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.views import View
from tribridge.strategies.players.maxims.declarer import declarer_lead
from tribridge.strategies.players.maxims.defence import defender_lead
from tribridge.strategies.players.maxims.follow import follow
from tribridge.strategies.players.suits import Pick, above, low, masters, top
from tribridge.strategies.protocol import Choice, position_of


def ruff_or_discard(s: Position) -> Pick:
    """A trump if it gains a trick, otherwise the least useful card."""
    trumps = 0 if s.trump == NO_TRUMP else s.row(s.mine, s.trump)
    return (_ruff(s, trumps) if trumps else None) or discard(s)


def _ruff(s: Position, trumps: int) -> Pick | None:
    """The trump to ruff with; None if it is better not to ruff."""
    suit = s.trick[0].row
    chair, best = s.best()
    place = len(s.trick)
    trump = s.trump
    ruffed = best.row == trump and suit != trump
    beating = above(trumps, best.column) if ruffed else trumps
    if not beating:
        return None
    out = s.row(s.unseen, suit)
    if chair == s.partner:
        if place == 3 or ruffed:
            return None
        higher = above(out if s.declaring or s.chair == 3 else s.row(s.dummy, suit), best.column)
        if not higher or (not s.declaring and best.column <= 2):
            return None
    elif s.declaring and place == 1 and not ruffed:
        last = s.row(s.friend, suit)
        if masters(last, out) and above(last, best.column) and not _may_ruff(s, suit):
            return None  # the other hand wins without a ruff
    rank = low(beating)
    if place < 3:
        last_chair = (s.chair + 1) & 3
        out_trumps = s.row(s.dummy if last_chair == 2 else s.unseen, trump)
        if last_chair == 2 and not s.declaring:
            if s.row(s.dummy, suit):
                out_trumps = 0
        elif not s.voids[last_chair] >> suit & 1 or s.voids[last_chair] >> trump & 1:
            out_trumps = 0
        if out_trumps:
            safe = masters(beating, out_trumps)
            if safe:
                rank = low(safe)
            elif s.declaring and trumps.bit_count() > 2:
                return None
    if not s.declaring and trumps.bit_count() > 1 and rank <= 2 and place < 3:
        guard = above(s.row(s.unseen | s.dummy, trump), rank).bit_count()
        if guard and trumps.bit_count() > guard:
            return None  # an honour that will win later
    before_declarer = s.chair == 3 and s.leader == s.partner
    if before_declarer and rank > top(beating) > 1:
        return card_at(
            trump, top(beating)
        ), "{card} ruffs high to promote one of the other defender's trumps."
    over = "{card} overruffs and wins a trick that would otherwise be lost."
    plain = "{card} ruffs and wins a trick that would otherwise be lost."
    return card_at(trump, rank), over if ruffed else plain


def _may_ruff(s: Position, suit: int) -> bool:
    """Whether the defender who plays next is known to be able to ruff."""
    chair = (s.chair + 1) & 3
    return bool(s.voids[chair] >> suit & 1) and bool(s.row(s.unseen, s.trump))


def discard(s: Position) -> Pick:
    """The least useful card: a loser, from a suit that needs no guard."""
    cheapest, least = None, 1e9
    for suit in range(4):
        row = s.row(s.mine, suit)
        if not row:
            continue
        cost = _cost(s, suit, row)
        if cost < least:
            cheapest, least = card_at(suit, low(row)), cost
    assert cheapest is not None
    return cheapest, "{card} is the least useful card."


def _cost(s: Position, suit: int, row: int) -> float:
    """What discarding the lowest card of a suit costs."""
    length = row.bit_count()
    rank = low(row)
    if suit == s.trump:
        return 40.0 - rank
    out = s.row(s.unseen, suit)
    cost = (12 - rank) * 0.05 - 0.4 * length
    if s.declaring:
        other = s.row(s.friend, suit)
        against = out
        if other and length == 1 and masters(other, out):
            cost += 3.0  # the link to the other hand's winners
        if not other and s.trump != NO_TRUMP:
            cost += 1.0
    else:
        other = s.row(s.dummy, suit)
        against = out | other
        if other and length <= other.bit_count() and above(row, low(other)):
            cost += 4.0  # as long as dummy's holding, with a card that may stop it
    if not above(against, rank):
        return cost + 20.0  # a winner
    best = top(row)
    higher = above(against, best).bit_count()
    if higher and length == higher + 1 and best <= 4:
        cost += 6.0  # the last guard of an honour
    if length == 1 and not higher:
        cost += 20.0
    if length >= 4 and not higher:
        cost += 1.5  # a long suit that may be set up
    return cost


def maxim(position: Position) -> tuple[Card, Words]:
    """The card that the maxims play, and the maxim."""
    choice = pick(position)
    others = dict(zip(("other", "dummy"), choice[2:], strict=False))
    return choice[0], words(choice[1], card=choice[0], **others)


def pick(position: Position) -> Pick:
    """The same with the pattern of the maxim: quicker where nobody reads it."""
    legal = position.legal_mask()
    if not legal & (legal - 1):
        card = ALL_CARDS[legal.bit_length() - 1]
        return card, "{card} is the only legal card."
    if not position.trick:
        return declarer_lead(position) if position.declaring else defender_lead(position)
    if position.row(position.mine, position.trick[0].row):
        return follow(position)
    return ruff_or_discard(position)


@dataclass(frozen=True, slots=True)
class MaximsPlayer:
    """Plays by rules of thumb."""

    name: ClassVar[str] = "maxims"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "plays by the maxims: second hand low, third hand high, cover, finesse"

    def card(self, view: View, rng: Generator) -> Choice:
        return Choice(*maxim(position_of(view)))
