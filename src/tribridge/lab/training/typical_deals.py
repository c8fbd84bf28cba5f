"""Typical deals: three players bid by the forecast of their own hands, with known tricks.

In turn, each player makes the sufficient bid with the most expected points, if there is one with
more than 0, by the forecast from the thirteen cards alone; the owner of the last bid passes.
Declarer then takes the double-dummy tricks of labelled deals. The deal rotates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.prospects import LEVELS, bid_values, prospects
from tribridge.cards.cards import Hand, Strain
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import F64
from tribridge.common.errors import SettingError
from tribridge.forecast.kinds import find_forecaster
from tribridge.forecast.sure import possible
from tribridge.game.auction import Bid
from tribridge.game.laws import honour_cards
from tribridge.game.rubber_worth import TypicalDeal
from tribridge.game.scoring import Scheme
from tribridge.lab.labels.labels import Labels, refuse_evaluation

_CHUNK = 2000


def play_typical_deals(labels: Labels, scheme: Scheme, kind: str = "net") -> list[TypicalDeal]:
    """The results of labelled deals between players who bid for a scheme."""
    work = refuse_evaluation(labels).work
    if work.declarers != "all" or work.strains != tuple(Strain):
        raise SettingError("typical deals need labels of all declarers and all strains")
    expected = np.concatenate(
        [
            _expected(labels.hands[at : at + _CHUNK, : len(Seat)], scheme, kind)
            for at in range(0, len(labels.hands), _CHUNK)
        ]
    )
    return [
        _result(expected[at], labels.hands[at].tolist(), labels.tricks[at], Seat(at % 3))
        for at in range(len(expected))
    ]


def _expected(hands: NDArray[np.uint64], scheme: Scheme, kind: str) -> F64:
    """Expected points of all bids of each hand, lowest bid first: (deals, 3, 35)."""
    each = hands.reshape(-1)
    chances = possible(find_forecaster(kind).from_hand(each), each)
    points = prospects(chances[:, :, None, :], bid_values(scheme))[0]  # (hands, strains, levels)
    return points.transpose(0, 2, 1).reshape(*hands.shape, -1)


def _result(expected: F64, hands: list[int], tricks: NDArray[np.int8], dealer: Seat) -> TypicalDeal:
    bid, declarer = _auction(expected, dealer)
    if declarer is None:
        return TypicalDeal(None)
    level, strain = divmod(bid, len(Strain))
    contract = Bid(level + 1, Strain(strain))
    held = Hand(honour_cards(contract.strain))
    own, left, right, dummy = (
        len(Hand(hands[seat]) & held) for seat in (declarer, declarer.left, declarer.right, HIDDEN)
    )
    return TypicalDeal(contract, 1, int(tricks[declarer, strain]), (own, left, right, dummy))


def _auction(expected: F64, dealer: Seat) -> tuple[int, Seat | None]:
    """The last bid, as its number from 1♣, and its bidder."""
    last, bidder, turn, passes = -1, None, dealer, 0
    while passes < (len(Seat) if bidder is None else len(Seat) - 1) and last < LEVELS * 5 - 1:
        higher = expected[turn, last + 1 :]
        best = int(higher.argmax())
        if turn is not bidder and higher[best] > 0:
            last, bidder, passes = last + 1 + best, turn, 0
        else:
            passes += 1
        turn = turn.left
    return last, bidder
