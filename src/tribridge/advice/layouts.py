"""Layouts of the cards that the next player to call does not see, and declarer's tricks in them.

Layouts are weighted by the calls so far. In a layout all four hands are known. There are two ways
to get declarer's tricks:

* `valued`: the chances if strong players went on, by a network that sees all hands
  (`networks.values`), a tenth of a millisecond each.
* `forecast_each`: the quick way, for strategies that call thousands of times. The forecast from
  declarer's and the hidden hand treats the defenders' cards as random.

Both are capped by the tricks left if the defence starts by cashing its winners
(`sure.most_against`).

Where doubles are played, the quick way has to be right about unlikely cards too, such as a trump
stack. There the layouts' chances are scaled so that, before the calls are taken into account, they
average to the forecast from the defender's own thirteen cards (`forecast.defence`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tribridge.beliefs import Beliefs, ForecastCalls, Posterior, hand_at
from tribridge.cards.cards import Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, U64
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.forecast.defence import DEFENCE_KINDS, chances_against, opponent
from tribridge.forecast.kinds import DEFAULT, Forecaster, find_forecaster
from tribridge.forecast.sure import most_against, sure, within
from tribridge.game.auction import Auction
from tribridge.game.tricks import Chair
from tribridge.game.views import View
from tribridge.networks.values import chances, contracts_of

SAMPLES: Final = 4000
OWN: Final = Seat.SOUTH
"""Seat of the next player to call in an auction given only by its calls, and in layouts."""
Deals = tuple[U64, U64, U64, U64]
"""Hands by chair: declarer, left defender, dummy, right defender."""
_SMALL: Final = 0.002
"""Added to chances before dividing one by another."""


def caller(auction: Auction) -> Seat:
    """Whose turn it is to call; an error if the auction is over."""
    if auction.turn is None:
        end = "three passes" if auction.last_bid is None else f"two passes after {auction.last_bid}"
        raise IllegalActionError(f"the auction is over ({end}): there is no call to advise on")
    return auction.turn


def layouts_of(
    hand: Hand,
    dummy: Hand | None,
    auction: Auction,
    kind: str,
    rng: np.random.Generator,
    count: int = SAMPLES,
) -> Posterior:
    """Layouts of the unknown cards, weighted by the calls of the others.

    The table is rotated so that the next player to call is South (`OWN`): advice does not depend on
    the seat.
    """
    if count < 1:
        raise SettingError(f"the number of layouts must be 1 or more, not {count}")
    turn = OWN.index - caller(auction).index
    dealer = auction.dealer.after(turn)
    bidder = None if auction.bidder is None else auction.bidder.after(turn)
    heard = replace(auction, dealer=dealer, bidder=bidder)
    view = View(seat=OWN, auction=heard, dealt=hand, dummy_dealt=dummy)
    beliefs = Beliefs(view, ForecastCalls(kind), floor=0)
    deals = beliefs.layouts.sample(count, rng)
    return Posterior(beliefs, deals, beliefs.weights(deals), exact=False)


def drawn(layouts: Posterior, count: int, rng: np.random.Generator) -> U64:
    """So many of the layouts, by weight and evenly spread: each counts the same."""
    even = (np.arange(count) + rng.random()) / count
    places = np.searchsorted(np.cumsum(layouts.weights), even * layouts.weights.sum())
    return np.asarray(layouts.deals[np.minimum(places, len(layouts.deals) - 1)])


def chairs(layouts: Posterior) -> Deals:
    """The hands of each layout, by chair, if the standing bid becomes the contract."""
    bidder = layouts.beliefs.view.auction.bidder
    assert bidder is not None
    declarers, lefts, dummies, rights = (layouts.deals[:, hand_at(c, bidder)] for c in Chair)
    return declarers, lefts, dummies, rights


def forecast_each(deals: Deals, auction: Auction, forecaster: Forecaster) -> F64:
    """Chances of declarer's tricks in each layout, capped by the defenders' winners: (n, 14)."""
    declarers, _, dummies, _ = deals
    each = forecaster.from_pair(declarers, dummies)[:, _strain(auction)]
    return _capped(each, deals, auction)


def _capped(each: F64, deals: Deals, auction: Auction) -> F64:
    """Chances (n, 14) within what is certain of each deal."""
    strain = _strain(auction)
    declarers, _, dummies, _ = deals
    fewest, most = (limit[:, strain] for limit in sure(declarers, dummies))
    return within(each, fewest, np.minimum(most, most_against(strain, *deals)))


def forecast_standing(layouts: Posterior, auction: Auction, kind: str) -> F64:
    """Chances of declarer's tricks in the bid that stands, over layouts weighted by calls: (14,).

    `auction` is that of the layouts, or a rotation of it.
    """
    each = forecast_each(chairs(layouts), auction, find_forecaster(kind))
    view = layouts.beliefs.view
    declarer, own = view.auction.bidder, view.seat
    assert declarer is not None
    assert own is not None
    if auction.doubles and declarer is not own and view.dummy_dealt is None:
        defence = kind if kind in DEFENCE_KINDS else DEFAULT
        hand = np.array([view.dealt.mask], np.uint64)
        wanted = chances_against(hand, opponent(own, declarer), defence)[0, _strain(auction)]
        each = scaled(each, wanted)
    return np.asarray(layouts.weights @ each)


def scaled(each: F64, wanted: F64) -> F64:
    """Chances (n, 14), scaled by tricks so that their mean comes close to the wanted one (14,)."""
    ratio = (wanted + _SMALL) / (each.mean(axis=0) + _SMALL)
    chances = each * ratio
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def valued(deals: Deals, auction: Auction, stakes: F64) -> F64:
    """Chances of declarer's tricks by the network that sees all hands, averaged over deals: (14,).

    `stakes` are what each number of tricks is worth to declarer.
    """
    hands = np.stack(deals, axis=1).astype(np.int64)
    each = chances(contracts_of(auction, hands, stakes))
    return np.asarray(_capped(each, deals, auction).mean(axis=0))


def _strain(auction: Auction) -> Strain:
    assert auction.last_bid is not None
    return auction.last_bid.strain
