"""The prospects of a call in points: expectation, spread, and the mean of the worst 5%.

**Points** are the gain over the average of the two opponents, half of what a settlement pays
(`game.match.settle`). For declarer that is the winnings minus the penalty that each defender
scores; for a defender, half of (the penalty minus declarer's winnings). In a rubber, points include
what a contract does to the standing (`rubber_payoffs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tribridge.advice.rubber_payoffs import RubberPayoffs
from tribridge.cards import FULL_DECK, Strain
from tribridge.deals import Seat
from tribridge.forecast.distribution import TRICKS
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import Scheme

F64 = NDArray[np.float64]
Scoring = Scheme | RubberPayoffs
"""How contracts are scored: each deal by itself, or in a rubber."""

WORST: Final = 0.05
"""The share of worst outcomes whose mean measures the risk."""
LEVELS: Final = FULL_DECK.levels


def bid_values(scheme: Scoring, factor: int = 1) -> F64:
    """The points of every contract for its declarer: (5 strains, 7 levels, 14 tricks)."""
    return np.array(
        [
            [contract_values(scheme, Bid(level, strain), factor) for level in range(1, LEVELS + 1)]
            for strain in Strain
        ]
    )


def contract_values(scheme: Scoring, bid: Bid, factor: int = 1) -> F64:
    """The points of a contract for its declarer, by tricks: (14,)."""
    if isinstance(scheme, RubberPayoffs):
        return scheme.declaring(bid, factor)
    return _values(scheme, bid, factor)[0]


def defence_values(scheme: Scoring, bid: Bid, factor: int = 1) -> F64:
    """The points of a defender against a contract, by declarer's tricks: (14,)."""
    if isinstance(scheme, RubberPayoffs):
        return scheme.defending(bid, factor)
    return _values(scheme, bid, factor)[1]


@lru_cache(1 << 12)
def _values(scheme: Scheme, bid: Bid, factor: int) -> tuple[F64, F64]:
    """The points of a contract for its declarer and for a defender, by tricks, read-only.

    Callers ask for the same few contracts in every auction, and fractions are slow.
    """
    contract = Contract(bid, Seat.NORTH, factor)
    net = [scheme.net(contract, tricks) for tricks in range(TRICKS + 1)]
    declaring = np.array([float(points) for points in net])
    defending = np.array([float(-points) / 2 for points in net])
    for values in (declaring, defending):
        values.flags.writeable = False
    return declaring, defending


@dataclass(frozen=True, slots=True)
class Prospect:
    """The prospects of a call, in points: expectation, spread, mean of the worst 5%."""

    chance: float | None
    """The chance that the contract makes; None if nothing is played."""
    expected: float
    spread: float
    worst: float

    def value(self, caution: float = 0.0) -> float:
        """The value to a player: the expectation, moved towards the worst 5% by caution."""
        return (1 - caution) * self.expected + caution * self.worst

    def as_json(self) -> dict[str, Any]:
        return {
            "chance": None if self.chance is None else round(self.chance, 4),
            "expected": round(self.expected, 2),
            "spread": round(self.spread, 2),
            "worst 5 %": round(self.worst, 2),
        }


NOTHING: Final = Prospect(None, 0.0, 0.0, 0.0)


def worst_mean(chances: ArrayLike, values: ArrayLike, share: float = WORST) -> F64:
    """The mean of the worst outcomes with a total chance of `share`, over the last axis."""
    p, v = np.broadcast_arrays(np.asarray(chances, float), np.asarray(values, float))
    order = np.argsort(v, axis=-1, kind="stable")
    p, v = np.take_along_axis(p, order, -1), np.take_along_axis(v, order, -1)
    reached = np.minimum(np.cumsum(p, axis=-1), share)
    taken = np.diff(reached, axis=-1, prepend=0.0)
    return np.asarray((taken * v).sum(axis=-1) / np.maximum(taken.sum(axis=-1), 1e-300))


def prospects(chances: ArrayLike, values: ArrayLike) -> tuple[F64, F64, F64]:
    """Expectation, spread and mean of the worst 5% of points, over the last axis."""
    p, v = np.asarray(chances, float), np.asarray(values, float)
    expected = (p * v).sum(axis=-1)
    spread = np.sqrt(np.maximum((p * v**2).sum(axis=-1) - expected**2, 0.0))
    return expected, spread, worst_mean(p, v)
