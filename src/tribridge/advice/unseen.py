"""The cards that the next to call does not see: layouts of them, weighted by the calls heard."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tribridge.beliefs import Beliefs, ForecastCalls, Posterior
from tribridge.cards import FULL_DECK, Hand
from tribridge.deals import Seat
from tribridge.errors import IllegalActionError, SettingError
from tribridge.game.auction import Auction
from tribridge.game.views import View

SAMPLES: Final = 4000
OWN: Final = Seat.SOUTH
"""Where the next to call sits in an auction given by its calls alone, and in layouts."""


def caller(auction: Auction) -> Seat:
    """Whose turn it is to call; an auction that is over is refused."""
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

    The next to call is moved to South (`OWN`), and the others with them: advice does not depend on
    the seat.
    """
    if count < 1:
        raise SettingError(f"{count} layouts cannot be dealt: at least one is needed")
    turn = OWN - caller(auction)
    dealer = Seat((auction.dealer + turn) % 3)
    bidder = None if auction.bidder is None else Seat((auction.bidder + turn) % 3)
    heard = replace(auction, dealer=dealer, bidder=bidder)
    view = View(
        seat=OWN, deck=FULL_DECK, auction=heard, dealt=hand, hand=hand, dummy_dealt=dummy, turn=OWN
    )
    beliefs = Beliefs(view, ForecastCalls(kind), floor=0)
    deals = beliefs.layouts.sample(count, rng)
    return Posterior(beliefs, deals, beliefs.weights(deals), exact=False)
