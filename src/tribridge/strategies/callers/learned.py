"""Bidding by a network trained by self-play (`training.bidding`).

The network knows neither doubles nor redoubles. Where they are played it does not see them, and a
rule on top (`doubling`) may turn its passes into doubles. It leaves its own bid as it is when it is
doubled, or redoubles by the same rule.

There are weights for each scoring scheme of the package. They were trained for the points of single
deals: in a rubber, where games and part scores count, the caller `forecast` decides instead; on a
small deck `points` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from tribridge.cards import FULL_DECK
from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.scoring import ALIASES, scheme_names
from tribridge.game.views import View
from tribridge.once import once
from tribridge.strategies.callers.doubling import or_double
from tribridge.strategies.callers.forecast import ForecastCaller
from tribridge.strategies.callers.network import BiddingNetwork, load
from tribridge.strategies.callers.observation import BIDS, STRAINS, observe
from tribridge.strategies.callers.points import PointsCaller
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import clause
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

WEIGHTS: Final = {
    "auction-tricks": "data/bidding.npz",
    "contract": "data/bidding-contract.npz",
    "new": "data/bidding-new.npz",
    "old": "data/bidding-old.npz",
}
"""The weights for each scoring scheme."""
UNIT: Final = 20.0
"""Points per unit of a call's value."""
CONTRACT_UNIT: Final = 100.0
"""Points per unit of its value as the contract."""
_RARE: Final = 0.01
"""A call chosen less often than this has no reliable value in self-play."""
_ALL: Final[tuple[Call, ...]] = (
    *(Bid(number // STRAINS + 1, FULL_DECK.strains[number % STRAINS]) for number in range(BIDS)),
    PASS,
)


def network(scheme: str = "auction") -> BiddingNetwork:
    """The weights in the package for a scoring scheme."""
    return _weights(WEIGHTS[ALIASES.get(scheme, scheme)])


@once
def _weights(name: str) -> BiddingNetwork:
    with resources.files(__package__).joinpath(name).open("rb") as file:
        return load(file, name)


@dataclass(frozen=True, slots=True)
class LearnedCaller:
    """Makes the call that the network prefers."""

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "makes the call a network trained by self-play prefers"

    scheme: str = option("auction", "the scoring scheme of the points", choices=scheme_names())
    doubles: bool = option(True, "double and redouble where the table allows it, by a rule on top")
    standing: bool = option(True, "in a rubber, let the caller forecast play for laws and standing")

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        own = WEIGHTS[ALIASES.get(self.scheme, self.scheme)]
        return f"strategies/callers/{own}", *ForecastCaller().weights

    def call(self, view: View, rng: Generator) -> Choice:
        if view.deck == FULL_DECK and view.rubber is not None and self.standing:
            instead = ForecastCaller(doubles=self.doubles).call(view, rng)
            why = "The network only knows single deals; in a rubber the forecast decides"
            return replace(instead, reason=f"{why}: {clause(instead.reason)}")
        choice = self._by_network(view, rng)
        return or_double(choice, view, rng, self.scheme) if self.doubles else choice

    def _by_network(self, view: View, rng: Generator) -> Choice:
        if view.deck != FULL_DECK:
            choice = PointsCaller().call(view, rng)
            why = "The network only knows the full deck; counting points instead"
            return Choice(choice.action, f"{why}: {clause(choice.reason)}")
        if view.auction.bidder is view.seat:  # doubled: a position that the network never saw
            last = view.auction.last_bid
            return Choice(PASS, f"The last bid, {last}, is already this player's.")
        observation = observe(view)
        wish, worth, contract = network(self.scheme)(observation)[
            :, observation.standing :
        ].tolist()
        legal = _ALL[observation.standing :]
        best = wish.index(max(wish))
        reason = _reason(legal, best, wish, worth, contract)
        return Choice(legal[best], reason, {"points": UNIT * worth[best]})


def calls_for(views: Sequence[View]) -> list[Call]:
    """The network's calls for many views at once, on the full deck and without doubles."""
    if not views:
        return []
    observations = [observe(view) for view in views]
    wishes = network().batch(observations)[:, 0]
    return [
        _ALL[seen.standing + int(wish[seen.standing :].argmax())]
        for seen, wish in zip(observations, wishes, strict=True)
    ]


def _reason(
    legal: tuple[Call, ...],
    best: int,
    wish: list[float],
    worth: list[float],
    contract: list[float],
) -> str:
    """The value of the best two calls: in self-play, or as the contract if the call is rare."""
    if len(legal) == 1:
        return "Nothing can be bid over 7NT."
    reason = f"{legal[best]} averages {UNIT * worth[best]:+.1f} points in self-play"
    chances = [exp(value - wish[best]) for value in wish]
    total = sum(chances)
    second = _best_but(best, chances)
    if chances[second] >= _RARE * total:
        return (
            f"{reason} and is chosen {1 / total:.0%} of the time, {legal[second]} "
            f"{UNIT * worth[second]:+.1f} and {chances[second] / total:.0%}."
        )
    second = _best_but(best, contract)
    points = f"is worth {CONTRACT_UNIT * contract[second]:+.1f} as the contract"
    return f"{reason}; {'what stands' if legal[second] is PASS else legal[second]} {points}."


def _best_but(best: int, values: list[float]) -> int:
    """The index of the second-largest value."""
    return max((at for at in range(len(values)) if at != best), key=values.__getitem__)
