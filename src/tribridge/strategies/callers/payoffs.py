"""What contracts are worth to a caller: in a rubber, from its view, or by a scoring scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tribridge.cards import FULL_DECK
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme
from tribridge.game.views import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tribridge.advice.rubber_payoffs import RubberPayoffs

RUBBER_FILES: Final = ("game/data/typical_deals.csv",)
"""The files of the package that decide what a contract is worth in a rubber."""


class Payoffs(Protocol):
    """The points of contracts for a player, by tricks: (14,)."""

    def declaring(self, bid: Bid, factor: int = 1) -> NDArray[np.float64]:
        """The points of the player's own contract."""
        ...

    def defending(self, bid: Bid, factor: int = 1) -> NDArray[np.float64]:
        """The points of the standing opponent's contract for the player."""
        ...


def rubber_payoffs(view: View) -> RubberPayoffs | None:
    """The payoffs of contracts for the player of a view; None outside a rubber."""
    from tribridge.advice.rubber_payoffs import RubberPayoffs

    if view.rubber is None or view.seat is None or view.deck != FULL_DECK:
        return None
    bidder = view.auction.bidder
    return RubberPayoffs(
        view.rubber, view.seat, view.dealt, opponent=None if bidder is view.seat else bidder
    )


@dataclass(frozen=True, slots=True)
class SchemePayoffs:
    """The points of contracts by a scheme, each deal by itself."""

    scheme: Scheme

    def declaring(self, bid: Bid, factor: int = 1) -> NDArray[np.float64]:
        from tribridge.advice.prospects import contract_values

        return contract_values(self.scheme, bid, factor)

    def defending(self, bid: Bid, factor: int = 1) -> NDArray[np.float64]:
        from tribridge.advice.prospects import defence_values

        return defence_values(self.scheme, bid, factor)
