"""What a card gives away for certain, all of it seen by its player."""

from __future__ import annotations

from typing import Final

from tribridge.common.sentences import Words, words
from tribridge.game.position import NO_TRUMP
from tribridge.game.tricks import Chair
from tribridge.strategies.players.suits import above, low, top
from tribridge.strategies.reasons.play import COURT, Play, Reason


def _beats_its_own_side(p: Play) -> Words | None:
    best, led = p.best[1], p.s.trick[0].row
    if not (p.ours and p.wins) or p.may_beat(best) or p.may_ruff(led) or best.row != led:
        return None
    needless = not p.lowest if p.suit == led else any(c.row != p.suit for c in p.s.legal)
    if not needless:
        return None
    return words("Spent on a trick that {other} would have won.", other=best)


def _lets_a_trick_go(p: Play) -> Words | None:
    if p.place < 3 or p.ours or p.wins or not p.winners:
        return None
    return words("Lets a trick go that {other} would have won.", other=p.winners[-1])


def _throws_a_winner(p: Play) -> Words | None:
    if p.suit in (p.s.trick[0].row, p.s.trump) or p.higher:
        return None
    if above(p.mine | p.friend, p.rank):
        return None
    return words("Throws away the highest card left in {suit}.", suit=p.name)


def _unguards(p: Play) -> Words | None:
    """A discard that leaves an honour with fewer cards beside it than there are higher ones."""
    if p.suit in (p.s.trick[0].row, p.s.trump) or not p.mine & COURT:
        return None
    honour = top(p.mine)
    higher = above(p.others(p.suit), honour).bit_count()
    if p.rank == honour or not 0 < higher == p.mine.bit_count() - 1:
        return None
    return words("Leaves {other} with too few small cards to protect it.", other=p.at(honour))


def _shortens(p: Play) -> Words | None:
    """A defender's discard from a suit of which the hand has no more than dummy."""
    if p.s.declaring or p.suit in (p.s.trick[0].row, p.s.trump):
        return None
    dummy = p.s.row(p.s.dummy, p.suit)
    if dummy.bit_count() != p.mine.bit_count() or not above(p.mine, low(dummy)):
        return None
    return words("Leaves fewer {suit} here than in dummy, whose last one may win.", suit=p.name)


def _ruff_and_discard(p: Play) -> Words | None:
    """A defender's lead of a suit that declarer and dummy no longer have."""
    s = p.s
    if s.declaring or s.trump in (NO_TRUMP, p.suit) or s.row(s.dummy, p.suit):
        return None
    if not s.voids[Chair.DECLARER] >> p.suit & 1 or not s.row(s.dummy, s.trump):
        return None
    if s.voids[Chair.DECLARER] >> s.trump & 1:
        return None
    return words(
        "Declarer and dummy have no {suit}: one hand can ruff while the other throws a loser.",
        suit=p.name,
    )


GIVES_AWAY: Final[tuple[Reason, ...]] = (
    _beats_its_own_side, _lets_a_trick_go, _throws_a_winner, _unguards, _shortens,
)  # fmt: skip
"""What a card of second, third or fourth hand gives away, all of it seen by its player."""
LED_AWAY: Final[tuple[Reason, ...]] = (_ruff_and_discard,)
"""The same of a card that is led."""
