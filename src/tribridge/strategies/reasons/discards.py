"""What can be said for a card of another suit than the one led: a ruff, or a card let go."""

from __future__ import annotations

from typing import Final

from tribridge.cards.cards import card_at
from tribridge.common.sentences import Words, words
from tribridge.strategies.players.suits import above, masters, top
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


SHOWS_OUT: Final[tuple[Reason, ...]] = (
    _ruffs, _throws_the_last, _guards, _throws_a_loser, _spares, keeps,
)  # fmt: skip
