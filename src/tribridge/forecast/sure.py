"""Tricks that are certain under best play, and forecasts that respect them.

A kind's chances come from ordinary deals and say little about very rare hands. So the chances of
impossible numbers of tricks are removed and the others scaled up. Every limit below is a theorem
about best play with the left defender on lead.

**Trumps.** Only a higher trump beats a trump. If declarer and dummy hold the highest k trumps
between them, they win every trick to which either hand plays one of these. A hand plays its own
ones to different tricks, so there are at least as many sure tricks as the hand with more of them
has. The same holds for the defenders: of the highest k that they hold, one of them has at least
half.

**Notrump, the fewest.** Call a hand's highest cards in a suit, from the ace down without a gap, its
*tops*, and a suit in which it has tops *closed*. A hand on lead cashes all its tops. It gets the
lead when a closed suit is led. Until then the defence can win tricks only in open suits, and in
each at most as many as the defenders together have cards in it: K in all. To each of these tricks
the hand discards a card that is not a top as long as it has one, then its lowest tops. That leaves
min(tops, 13 - K) tricks, provided the aces need never be discarded: the hand must have that many
cards left, and one more for a trick that its partner is forced to win. A partner who then cannot
lead a closed suit may have to win more tricks, and the aces are counted as lost (`_alone`).

If both hands have tops, and each has a card in a closed suit of the other, then whoever gets the
lead cashes and crosses over: the tops of both count, and both hands' suits are closed
(`_together`). If the partner has the cards just below the tops of a suit, they are cashed last,
reached by another card of that suit (`_continued`). A suit headed by KQ, QJT and so on is nearly
closed: the g higher cards win one trick each, and then the hand is in, unless it had to discard
from the sequence (`_guarded`).

**Notrump, the most.** If the defenders hold at least the highest k cards of every suit in which
they have any, the one on lead always has a suit to lead that they win, and each trick uses up at
most two of a suit's k: they win at least (k + 1) // 2 tricks.

**A defender's own cards** limit declarer in the same way (`most_by_defender`). A trump loses only
to a higher one, and a higher one beats only one of the defender's trumps: those that cannot all be
paired off with different higher trumps are sure tricks. In notrump a defender on lead cashes every
top; one who is not is in the position of a hand whose opponents lead, as above.

**All four hands** are known in a layout, so the defenders can be assumed to cash: `most_against`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain, Suit
from tribridge.cards.masks import F64, I64, LENGTH, RANKS, ROWS, U64, rows_of
from tribridge.forecast.distribution import TRICKS

_RUN: Final = np.array([((row + 1) & ~row).bit_length() - 1 for row in range(ROWS)], np.int64)
"""How many of the highest ranks a holding has, from the ace down without a gap."""
_ABOVE: Final = np.array(
    [(row & -row).bit_length() - 1 if row else RANKS for row in range(ROWS)], np.int64
)
"""How many ranks are higher than a holding's highest card."""
_SEQUENCE: Final = _RUN[np.arange(ROWS) >> _ABOVE]
"""Length of the sequence headed by a holding's highest card."""
_COUNTS: Final = np.arange(TRICKS + 1)


def _sure_trumps(row: int) -> int:
    """How many trumps of a holding must win a trick, whoever has the others.

    >>> [_sure_trumps(0b1111), _sure_trumps(0b1110), _sure_trumps(0b1101), _sure_trumps(0b10)]
    [4, 2, 2, 0]
    """
    won = beaten = 0
    for rank in range(RANKS):
        if row >> rank & 1:
            if rank - won - beaten > beaten:  # a higher trump of another hand is left to beat it
                beaten += 1
            else:
                won += 1
    return won


_SURE_TRUMPS: Final = np.array([_sure_trumps(row) for row in range(ROWS)], np.int64)


def sure(hands: U64, dummies: U64 | None = None) -> tuple[I64, I64]:
    """The fewest and the most tricks that can be made in each strain: (n, 5) each."""
    own = rows_of(hands)
    other = None if dummies is None else rows_of(dummies)
    fewest = np.empty((len(own), len(Strain)), np.int64)
    most = np.full_like(fewest, TRICKS)
    if other is None:
        fewest[:, : len(Suit)] = _RUN[own]
        fewest[:, Strain.NOTRUMP] = np.maximum(_alone(own, None), _guarded(own, None))
        return fewest, most
    both = own | other
    highest = (1 << _RUN[both]) - 1
    fewest[:, : len(Suit)] = np.maximum(LENGTH[own & highest], LENGTH[other & highest])
    fewest[:, Strain.NOTRUMP] = np.max(
        [
            _alone(own, other),
            _alone(other, own),
            _together(own, other),
            _continued(own, other),
            _continued(other, own),
            _guarded(own, other),
            _guarded(other, own),
        ],
        axis=0,
    )
    against = _RUN[ROWS - 1 - both]
    most[:, : len(Suit)] -= (against + 1) // 2
    leads = np.where(both < ROWS - 1, against, RANKS).min(axis=1)
    most[:, Strain.NOTRUMP] -= (leads + 1) // 2
    return fewest, most


def _outstanding(own: I64, other: I64 | None) -> I64:
    """How many cards of each suit the defenders may have."""
    return np.asarray(RANKS - LENGTH[own] - (0 if other is None else LENGTH[other]))


def _alone(own: I64, other: I64 | None) -> I64:
    """Sure notrump tricks from a hand's own tops; `other` is its partner, None if unknown."""
    tops = _RUN[own]
    closed = tops > 0
    total, aces = tops.sum(axis=1), closed.sum(axis=1)
    lost = np.where(closed, 0, _outstanding(own, other)).sum(axis=1)
    left = TRICKS - lost
    # An unknown partner wins with a card counted in `lost`, and one who cannot lead a closed
    # suit has thirteen of them.
    forced = 0 if other is None else 1
    tricks = np.where(left >= aces + forced, np.minimum(total, left), 0)
    if other is not None:
        linked = (closed & (other > 0)).any(axis=1)
        tricks = np.where(linked, tricks, np.minimum(total, left - aces))
    return np.where(lost == 0, total, np.maximum(tricks, 0))


def _together(own: I64, other: I64) -> I64:
    """Sure notrump tricks of two hands that can reach each other."""
    tops, others = _RUN[own], _RUN[other]
    closed = (tops > 0) | (others > 0)
    there = ((others > 0) & (own > 0)).any(axis=1)
    back = ((tops > 0) & (other > 0)).any(axis=1)
    lost = np.where(closed, 0, _outstanding(own, other)).sum(axis=1)
    left = TRICKS - lost
    good = there & back & (left >= closed.sum(axis=1) + 2)
    return np.where(good, np.minimum((tops + others).sum(axis=1), left), 0)


def _continued(own: I64, other: I64) -> I64:
    """Sure notrump tricks if the partner's cards continue a hand's own tops.

    When the tops of a suit have been cashed and the partner has followed with its lowest cards, its
    remaining ones are high. Another card of that suit reaches them after everything else is cashed.
    """
    tops, others = _RUN[own], _RUN[other]
    more = np.minimum(_RUN[other >> tops], LENGTH[other] - tops)
    more = np.where(tops > 0, np.maximum(more, 0), 0)
    linked = ((more > 0) & (LENGTH[own] > tops)).any(axis=1)
    closed = (tops > 0) | (others > 0)
    lost = np.where(closed, 0, _outstanding(own, other)).sum(axis=1)
    room = TRICKS - lost - (lost > 0)
    plain = (tops + others).sum(axis=1)
    good = linked & (room > plain)
    return np.where(good, np.minimum(plain + more.sum(axis=1), room), 0)


def _guarded(own: I64, other: I64 | None) -> I64:
    """Like `_alone`, if sequences headed by a card below the ace close suits in time."""
    tops, above = _RUN[own], _ABOVE[own]
    closed, guard = tops > 0, (tops == 0) & (_SEQUENCE[own] > above)
    held = _outstanding(own, other)
    lost = np.where(closed, 0, np.where(guard, np.minimum(held, above), held)).sum(axis=1)
    winners = tops.sum(axis=1) + np.where(guard, above + 1, 0).sum(axis=1)
    if other is None:
        linked = np.where(closed, 0, held).sum(axis=1) < RANKS
    else:
        linked = (closed & (other > 0)).any(axis=1)
    return np.where(linked & (lost + 1 <= TRICKS - winners), tops.sum(axis=1), 0)


def most_by_defender(hands: U64, *, on_lead: bool) -> I64:
    """The most tricks declarer can make in each strain against a defender's hand: (n, 5)."""
    own = rows_of(hands)
    won = np.empty((len(own), len(Strain)), np.int64)
    won[:, : len(Suit)] = _SURE_TRUMPS[own]
    if on_lead:
        tops, length = _RUN[own], LENGTH[own]
        # After t rounds of a suit whose other 13 - n cards are at most t, all n are high.
        won[:, Strain.NOTRUMP] = np.where(tops + length >= RANKS, length, tops).sum(axis=1)
    else:
        won[:, Strain.NOTRUMP] = np.maximum(_alone(own, None), _guarded(own, None))
    return TRICKS - won


def most_against(strain: Strain, declarers: U64, lefts: U64, dummies: U64, rights: U64) -> I64:
    """The most tricks declarer can make if the defence starts by cashing its winners: (n,).

    Either the left defender cashes winners, or leads a suit in which partner has the highest card,
    and partner cashes.
    """
    rows = [rows_of(hands) for hands in (declarers, lefts, dummies, rights)]
    trump = strain.trump
    left, _ = _cashed(rows[1], [rows[0], rows[2], rows[3]], trump)
    right, entry = _cashed(rows[3], [rows[0], rows[2], rows[1]], trump)
    reached = (entry & (rows[1] > 0)).any(axis=1)
    return TRICKS - np.maximum(left, np.where(reached, right, 0))


def _cashed(hand: I64, others: list[I64], trump: Suit | None) -> tuple[I64, NDArray[np.bool_]]:
    """The tricks that a hand on lead wins without losing the lead, trumps first: (n,).

    The i-th highest card of a suit wins its round if no other hand that still follows has a higher
    card, and no hand with trumps left can ruff. Also returns the suits in which the hand wins the
    first round before any trump is drawn.
    """
    count = len(hand)
    lengths = [LENGTH[other] for other in others]
    trumps = [np.zeros(count, np.int64) if trump is None else n[:, trump] for n in lengths]
    wins = np.zeros((len(Suit), count), np.int64)
    entry = np.zeros((count, len(Suit)), np.bool_)
    order = sorted(Suit, key=lambda suit: suit is not trump)
    for suit in order:
        row = hand[:, suit]
        going = np.ones(count, np.bool_)
        drawn = 0 if trump is None or suit is trump else wins[trump]
        for at in range(RANKS):
            place = _NTH[row, at]
            going &= place < RANKS
            first = going.copy()
            for other, length, ruffs in zip(others, lengths, trumps, strict=True):
                follows = length[:, suit] > at
                safe = ~follows | (_ABOVE[other[:, suit]] > place)
                going &= safe
                first &= safe
                if suit is not trump:
                    going &= follows | (ruffs <= drawn)
                    first &= follows | (ruffs == 0)
            if at == 0:
                entry[:, suit] = first
            if not going.any():
                break
            wins[suit] += going
    return wins.sum(axis=0), entry


def _nth_cards() -> I64:
    """The rank of a holding's i-th highest card, 13 if there is none: (8192, 13)."""
    result = np.full((ROWS, RANKS), RANKS, np.int64)
    for row in range(ROWS):
        ranks = [rank for rank in range(RANKS) if row >> rank & 1]
        result[row, : len(ranks)] = ranks
    return result


_NTH: Final = _nth_cards()


def possible(chances: NDArray[Any], hands: U64, dummies: U64 | None = None) -> F64:
    """Chances (n, 5, 14) without impossible numbers of tricks."""
    return within(chances, *sure(hands, dummies))


def within(chances: NDArray[Any], fewest: I64, most: I64) -> F64:
    """Chances (..., 14) restricted to limits (...); all on the nearest limit if none remain."""
    possible = np.array(chances, np.float64)
    low, high = fewest[..., None], most[..., None]
    nearest = np.clip((possible @ _COUNTS)[..., None], low, high).round()
    possible[(low > _COUNTS) | (high < _COUNTS)] = 0
    total = possible.sum(axis=-1, keepdims=True)
    return np.where(total > 0, possible / np.where(total > 0, total, 1), nearest == _COUNTS)
