"""What can be said for a card of another suit than the one led: a ruff, or a card let go."""

from __future__ import annotations

from typing import Final

from tribridge.cards.cards import card_at, cards_of
from tribridge.common.sentences import Words, words
from tribridge.strategies.players.suits import above, low, masters, top
from tribridge.strategies.reasons.play import COURT, Play, Reason, keeps


def _ruffs(p: Play) -> Words | None:
    if p.suit != p.s.trump or not p.wins:
        return None
    best = p.best[1]
    if p.ours and (best.row == p.suit or not p.may_beat(best)):
        return None
    over = best.row == p.suit
    if any(p.held(chair, p.suit, p.rank) for chair in p.behind):
        if over:
            return words("Overruffs {other}: only a higher trump can win now.", other=best)
        return words("Ruffs: only a higher trump can win now.")
    return (
        words("Overruffs {other} and wins the trick.", other=best)
        if over
        else words("Ruffs and wins the trick.")
    )


def _throws_the_last(p: Play) -> Words | None:
    if p.suit == p.s.trump or p.mine.bit_count() > 1 or not p.trumps or not p.higher:
        return None
    return words("Throws the last card in {suit}: the next round can be ruffed.", suit=p.name)


def _guards(p: Play) -> Words | None:
    """An honour in another suit with just enough cards beside it to survive the higher ones."""
    if p.suit == p.s.trump or not p.higher or not p.lowest:
        return None
    for suit in range(4):
        mine, others = p.s.row(p.s.mine, suit), p.others(suit)
        if suit in (p.suit, p.s.trump) or not mine & COURT:
            continue
        honour = top(mine)
        if above(p.s.row(p.s.friend, suit), honour):
            continue  # the other hand guards the suit
        if 0 < above(others, honour).bit_count() == mine.bit_count() - 1:
            return words(
                "Lets {suit} go, and keeps {other} guarded.",
                suit=p.name,
                other=card_at(suit, honour),
            )
    return None


def _throws_a_loser(p: Play) -> Words | None:
    if p.suit == p.s.trump or not p.higher or not p.lowest:
        return None
    return words("Throws a loser: others hold higher {suit}.", suit=p.name)


def _spares(p: Play) -> Words | None:
    """One of declarer's cards that no opponent can beat, with its like in the other hand."""
    if p.suit == p.s.trump or p.higher or not masters(p.friend, p.others(p.suit)):
        return None
    other = p.at(top(p.friend))
    return words("{other} in the other hand is as good against the opponents.", other=other)


def _keeps_a_winner(p: Play) -> Words | None:
    """The highest card left of another suit, kept by a card that is none."""
    if p.suit == p.s.trump or p.highest:
        return None
    for suit in range(4):
        mine = p.s.row(p.s.mine, suit)
        if suit in (p.suit, p.s.trump) or not mine:
            continue
        if not above(p.others(suit) | p.s.row(p.s.friend, suit), top(mine)):
            return words(
                "Keeps {other}, the highest card left of its suit.", other=card_at(suit, top(mine))
            )
    return None


def _keeps_its_like(p: Play) -> Words | None:
    """One of equal cards: another one of them stays."""
    left = p.same & ~(1 << p.rank)
    if p.suit == p.s.trump or not left:
        return None
    return words("Keeps {other}, which is worth as much.", other=p.at(top(left)))


def _keeps_up_with_dummy(p: Play) -> Words | None:
    """A defender's card that leaves as many of another suit as dummy has, and one over them."""
    if p.s.declaring or p.suit == p.s.trump:
        return None
    for suit in range(4):
        mine, dummy = p.s.row(p.s.mine, suit), p.s.row(p.s.dummy, suit)
        if suit in (p.suit, p.s.trump) or not dummy or dummy.bit_count() != mine.bit_count():
            continue
        if above(mine, low(dummy)):
            return words(
                "Keeps as many cards as dummy in the suit of {other}: with fewer, dummy's last one "
                "may win.",
                other=card_at(suit, top(mine)),
            )
    return None


def _under_dummy(p: Play) -> Words | None:
    """A defender's card of a suit in which dummy's lowest beats all that are here."""
    dummy = p.s.row(p.s.dummy, p.suit)
    if p.s.declaring or p.suit == p.s.trump or not dummy or above(p.mine, low(dummy)):
        return None
    return words("Dummy has nothing but higher {suit}.", suit=p.name)


def _for_the_last_trick(p: Play) -> Words | None:
    if p.suit == p.s.trump or p.s.mine.bit_count() != 2:
        return None
    kept = next(card for card in cards_of(p.s.mine) if card != p.card)
    return words("Keeps {other} for the last trick.", other=kept)


SHOWS_OUT: Final[tuple[Reason, ...]] = (
    _ruffs, _throws_the_last, _guards, _throws_a_loser, _spares, keeps,
    _keeps_a_winner, _keeps_its_like, _keeps_up_with_dummy, _under_dummy, _for_the_last_trick,
)  # fmt: skip
