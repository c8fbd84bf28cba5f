"""The simplest callers: pass, or bid at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from tribridge.errors import quantity
from tribridge.game.auction import PASS
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice


@dataclass(frozen=True, slots=True)
class PassCaller:
    """Never bids."""

    name: ClassVar[str] = "pass"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "always passes"

    def call(self, view: View, rng: Generator) -> Choice:
        return Choice(PASS, "Always passes.")


@dataclass(frozen=True, slots=True)
class RandomCaller:
    """Passes often, otherwise makes one of the cheapest bids."""

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "passes or makes one of the next few bids at random"

    passing: float = option(0.6, "chance of passing", min=0, max=1)
    reach: int = option(5, "how many of the lowest bids it chooses from", min=1)

    def call(self, view: View, rng: Generator) -> Choice:
        bids = [call for call in view.legal if call is not PASS][: self.reach]
        if not bids or rng.random() < self.passing:
            return Choice(PASS, "Passed at random.")
        bid = bids[int(rng.integers(len(bids)))]
        return Choice(bid, f"Bid {bid} at random from the next {quantity(len(bids), 'bid')}.")
