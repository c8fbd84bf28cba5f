"""How a defender's own cards affect the contract, over layouts of the other cards.

In a layout all four hands are known. There are two ways to get declarer's tricks:

* `solved`: double dummy, exact for the layout, a few hundredths of a second each.
* `forecast_each`: the quick way, for strategies that call thousands of times. The forecast from
  declarer's and the hidden hand treats the defenders' cards as random, so it is capped by the
  tricks left if the defence starts by cashing its winners (`sure.most_against`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs import Posterior, hand_at
from tribridge.cards import Strain
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.kinds import Forecaster
from tribridge.forecast.sure import most_against, sure, within
from tribridge.game.auction import Auction
from tribridge.game.tricks import Chair

U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Deals = tuple[U64, U64, U64, U64]
"""Hands by chair: declarer, left defender, dummy, right defender."""


def chairs(layouts: Posterior) -> Deals:
    """The hands of each layout, by chair, if the standing bid becomes the contract."""
    bidder = layouts.beliefs.view.auction.bidder
    assert bidder is not None
    declarers, lefts, dummies, rights = (layouts.deals[:, hand_at(c, bidder)] for c in Chair)
    return declarers, lefts, dummies, rights


def forecast_each(deals: Deals, auction: Auction, forecaster: Forecaster) -> F64:
    """Chances of declarer's tricks in each layout, capped by the defenders' winners: (n, 14)."""
    strain = _strain(auction)
    declarers, _, dummies, _ = deals
    fewest, most = (limit[:, strain] for limit in sure(declarers, dummies))
    chances = forecaster.from_pair(declarers, dummies)[:, strain]
    return within(chances, fewest, np.minimum(most, most_against(strain, *deals)))


def picked(deals: Deals, at: NDArray[np.int64]) -> Deals:
    """Some of the deals."""
    declarers, lefts, dummies, rights = deals
    return declarers[at], lefts[at], dummies[at], rights[at]


def solved(deals: Deals, auction: Auction, processes: int = 1) -> F64:
    """How often declarer makes 0 to 13 tricks, double dummy: (14,)."""
    hands = zip(*(chair.tolist() for chair in deals), strict=True)
    tricks = DoubleDummy().batch(hands, [_strain(auction)], processes=processes)
    return np.bincount([made for (made,) in tricks], minlength=TRICKS + 1).astype(np.float64)


def _strain(auction: Auction) -> Strain:
    assert auction.last_bid is not None
    return auction.last_bid.strain
