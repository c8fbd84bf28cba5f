"""What contracts are worth to a caller in a rubber, from what its view says about the rubber."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribridge.cards import FULL_DECK
from tribridge.game.views import View

if TYPE_CHECKING:
    from tribridge.advice.rubber_payoffs import RubberPayoffs


def rubber_payoffs(view: View) -> RubberPayoffs | None:
    """The payoffs of contracts for the player of a view; None outside a rubber."""
    from tribridge.advice.rubber_payoffs import RubberPayoffs

    if view.rubber is None or view.seat is None or view.deck != FULL_DECK:
        return None
    bidder = view.auction.bidder
    return RubberPayoffs(
        view.rubber, view.seat, view.dealt, opponent=None if bidder is view.seat else bidder
    )
