"""Layouts of the cards that the next player to call does not see, weighted by the calls so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tribridge.beliefs import Beliefs, ForecastCalls, Posterior
from tribridge.cards import Hand
from tribridge.deals import Seat
from tribridge.errors import IllegalActionError, SettingError
from tribridge.game.auction import Auction
from tribridge.game.views import View

SAMPLES: Final = 4000
OWN: Final = Seat.SOUTH
"""Seat of the next player to call in an auction given only by its calls, and in layouts."""


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
    turn = OWN - caller(auction)
    dealer = Seat((auction.dealer + turn) % 3)
    bidder = None if auction.bidder is None else Seat((auction.bidder + turn) % 3)
    heard = replace(auction, dealer=dealer, bidder=bidder)
    view = View(seat=OWN, auction=heard, dealt=hand, dummy_dealt=dummy)
    beliefs = Beliefs(view, ForecastCalls(kind), floor=0)
    deals = beliefs.layouts.sample(count, rng)
    return Posterior(beliefs, deals, beliefs.weights(deals), exact=False)
