"""Tricks that are certain under best play, and forecasts that respect them.

A kind's chances come from hands as they are dealt, and say little about a hand that hardly ever
occurs. The chances of impossible numbers of tricks are removed and the others scaled up. Every
limit below is a theorem about best play with the left defender on lead.

**Trumps.** No card beats the highest trumps but a higher one of them. If declarer and dummy hold
the highest k trumps between them, each trick to which either hand plays one of these is won. A
hand plays its own to different tricks, so there are as many sure tricks as the hand with more of
them has. The defenders' sure tricks are the same the other way round: of the highest k that they
hold, one of them has half or more.

**Notrump, the fewest.** Call a hand's highest cards of a suit, from the ace down without a gap,
its *tops*, and a suit in which it has some *closed*. A hand that is on lead cashes all its tops.
It gets the lead when a closed suit is led. Until then the defence can win tricks in open suits
only, at most as many in a suit as the defenders together have cards in it: K in all. At each of
them the hand plays a card that is no top, as long as it has one, then its lowest tops. That makes
min(tops, 13 - K) tricks, if the aces are never reached: the hand must have as many cards left,
and one more for a trick that its partner is made to win. A partner who then cannot lead a closed
suit may go on winning, and the aces are counted as lost (`_alone`).

If both hands have tops, and each has a card in a closed suit of the other, then whoever gets the
lead cashes and crosses over: the tops of both count, and both hands' suits are closed
(`_together`). If the partner has the cards that follow the tops of a suit, they are cashed last,
reached by a further card of that suit (`_continued`). A suit headed by KQ, QJT and so on is nearly
closed: the g higher cards win one trick each, and then the hand is in, if it did not have to
discard from the sequence (`_guarded`).

**Notrump, the most.** If the defenders hold the highest k or more cards of every suit in which
they have any, the one on lead has a suit to lead that they win, and each trick takes at most two
of a suit's k: they win at least (k + 1) // 2 tricks.

**All four hands** are known in a layout, and the defence can be made to cash: `most_against`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Strain, Suit
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.suit_masks import LENGTH, RANKS, ROWS, rows_of

U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

_RUN: Final = np.array([((row + 1) & ~row).bit_length() - 1 for row in range(ROWS)], np.int64)
"""How many of the highest ranks a holding has without a gap."""
_ABOVE: Final = np.array(
    [(row & -row).bit_length() - 1 if row else RANKS for row in range(ROWS)], np.int64
)
"""How many ranks are higher than a holding's highest card."""
_SEQUENCE: Final = _RUN[np.arange(ROWS) >> _ABOVE]
"""How many cards follow each other from a holding's highest card down, without a gap."""
_COUNTS: Final = np.arange(TRICKS + 1)


def sure(hands: U64, dummies: U64 | None = None) -> tuple[Ints, Ints]:
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


def _outstanding(own: Ints, other: Ints | None) -> Ints:
    """How many cards of each suit the defenders may have."""
    return np.asarray(RANKS - LENGTH[own] - (0 if other is None else LENGTH[other]))


def _alone(own: Ints, other: Ints | None) -> Ints:
    """Sure tricks in notrump of a hand's own tops; `other` is its partner, None if not known."""
    tops = _RUN[own]
    closed = tops > 0
    total, aces = tops.sum(axis=1), closed.sum(axis=1)
    lost = np.where(closed, 0, _outstanding(own, other)).sum(axis=1)
    left = TRICKS - lost
    # A partner who is not known wins with a card that is counted in `lost`, and one who cannot
    # lead a closed suit has thirteen of them.
    forced = 0 if other is None else 1
    tricks = np.where(left >= aces + forced, np.minimum(total, left), 0)
    if other is not None:
        linked = (closed & (other > 0)).any(axis=1)
        tricks = np.where(linked, tricks, np.minimum(total, left - aces))
    return np.where(lost == 0, total, np.maximum(tricks, 0))


def _together(own: Ints, other: Ints) -> Ints:
    """Sure tricks in notrump of two hands that can reach each other."""
    tops, others = _RUN[own], _RUN[other]
    closed = (tops > 0) | (others > 0)
    there = ((others > 0) & (own > 0)).any(axis=1)
    back = ((tops > 0) & (other > 0)).any(axis=1)
    lost = np.where(closed, 0, _outstanding(own, other)).sum(axis=1)
    left = TRICKS - lost
    good = there & back & (left >= closed.sum(axis=1) + 2)
    return np.where(good, np.minimum((tops + others).sum(axis=1), left), 0)


def _continued(own: Ints, other: Ints) -> Ints:
    """Sure tricks in notrump where the partner's cards go on below a hand's own tops.

    When the tops of a suit are cashed and the partner followed with its lowest cards, its next
    ones are high. A further card of such a suit leads to them, after everything else is cashed.
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


def _guarded(own: Ints, other: Ints | None) -> Ints:
    """As `_alone`, where sequences headed by a lower card than the ace close suits in time."""
    tops, above = _RUN[own], _ABOVE[own]
    closed, guard = tops > 0, (tops == 0) & (_SEQUENCE[own] > above)
    held = _outstanding(own, other)
    lost = np.where(closed, 0, np.where(guard, np.minimum(held, above), held)).sum(axis=1)
    kept = tops.sum(axis=1) + np.where(guard, above + 1, 0).sum(axis=1)
    if other is None:
        linked = np.where(closed, 0, held).sum(axis=1) < RANKS
    else:
        linked = (closed & (other > 0)).any(axis=1)
    return np.where(linked & (lost + 1 <= TRICKS - kept), tops.sum(axis=1), 0)


def most_against(strain: Strain, declarers: U64, lefts: U64, dummies: U64, rights: U64) -> Ints:
    """The most tricks of the declarer when the defence cashes what it can from the lead: (n,).

    The left defender cashes winners, or leads a suit in which the partner has the highest card, and
    the partner cashes.
    """
    rows = [rows_of(hands) for hands in (declarers, lefts, dummies, rights)]
    trump = strain.trump
    left, _ = _cashed(rows[1], [rows[0], rows[2], rows[3]], trump)
    right, entry = _cashed(rows[3], [rows[0], rows[2], rows[1]], trump)
    reached = (entry & (rows[1] > 0)).any(axis=1)
    return TRICKS - np.maximum(left, np.where(reached, right, 0))


def _cashed(hand: Ints, others: list[Ints], trump: Suit | None) -> tuple[Ints, NDArray[np.bool_]]:
    """The tricks that a hand on lead wins without losing the lead, trumps first: (n,).

    Card i of a suit, from the highest, wins its round if every other hand that still follows
    has no higher card, and none that has trumps left may ruff. Also returned: in which suits the
    first round is won before any trump is drawn.
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


def _nth_cards() -> Ints:
    """The rank of a holding's i-th card from the highest, 13 where it has none: (8192, 13)."""
    result = np.full((ROWS, RANKS), RANKS, np.int64)
    for row in range(ROWS):
        ranks = [rank for rank in range(RANKS) if row >> rank & 1]
        result[row, : len(ranks)] = ranks
    return result


_NTH: Final = _nth_cards()


def possible(chances: NDArray[Any], hands: U64, dummies: U64 | None = None) -> F64:
    """Chances (n, 5, 14) with none left for impossible numbers of tricks."""
    return within(chances, *sure(hands, dummies))


def within(chances: NDArray[Any], fewest: Ints, most: Ints) -> F64:
    """Chances (..., 14) cut to limits (...); all on the nearest limit if nothing is left."""
    kept = np.array(chances, np.float64)
    low, high = fewest[..., None], most[..., None]
    nearest = np.clip((kept @ _COUNTS)[..., None], low, high).round()
    kept[(low > _COUNTS) | (high < _COUNTS)] = 0
    total = kept.sum(axis=-1, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1), nearest == _COUNTS)
