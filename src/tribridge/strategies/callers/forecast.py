"""Bidding by forecast: the call with the most expected points, given the auction so far.

It follows the advice of `tribridge.advice.calls`: layouts of the unseen hands are weighted by the
calls so far, each bid is valued by its forecast as if it became the contract, and passing as if the
standing bid did, without double-dummy solving. Caution moves the value of a call towards the mean
of its worst 5%. It bids suits as well as notrump, and doubles and redoubles where the table allows
it. In a rubber, its points are those of the laws and of the standing. Forecasts are of the full
deck; on a smaller one it calls as `points` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from tribridge.cards.cards import FULL_DECK
from tribridge.forecast.kinds import DEFAULT, FILES, KINDS
from tribridge.game.scoring import find_scheme, scheme_names
from tribridge.game.views import View
from tribridge.strategies.callers.points import RUBBER_FILES, PointsCaller
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice


@dataclass(frozen=True, slots=True)
class ForecastCaller:
    """Maximises expected points."""

    name: ClassVar[str] = "forecast"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "makes the call with the highest expected points"

    caution: float = option(0.0, "weight of the worst 5% in the value of a call", min=0, max=1)
    kind: str = option(DEFAULT, "the forecaster", choices=tuple(KINDS))
    scheme: str = option(
        "auction", "the scoring scheme of the points", choices=scheme_names()
    )  # no files: the name may come from a web visitor
    samples: int = option(
        200, "layouts of the unseen hands once others have called", min=1, max=10_000
    )
    standing: bool = option(True, "in a rubber, play for its laws and standing, not the scheme")
    doubles: bool = option(True, "double and redouble where the table allows it")

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        return FILES[DEFAULT], FILES[self.kind], "forecast/data/defence.npz", *RUBBER_FILES

    def call(self, view: View, rng: Generator) -> Choice:
        from tribridge.advice import calls as advice

        if view.deck != FULL_DECK:
            return PointsCaller(doubles=self.doubles).call(view, rng)
        advised = advice.advise(
            view.dealt,
            auction=view.auction,
            scheme=find_scheme(self.scheme),
            kind=self.kind,
            caution=self.caution,
            samples=self.samples,
            seed=int(rng.integers(2**32)),
            rubber=view.rubber if self.standing else None,
            vulnerable=view.vulnerable,
        )
        recommended = advised.cautious if self.caution else advised.neutral
        if recommended.call in advised.doubling and not self.doubles:
            bids = {bid: advised.bids[bid] for bid in advised.sufficient}
            own = view.auction.bidder is view.seat
            recommended = advice.recommend(bids, advised.passing, self.caution, own=own)
        details = {} if advised.effective is None else {"layouts": advised.effective}
        return Choice(recommended.call, recommended.reason, details)
