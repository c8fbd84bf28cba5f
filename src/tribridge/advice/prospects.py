"""The prospects of a call in points, and which call to recommend from those of all calls.

Prospects are the expectation, the spread, and the mean of the worst 5%.

**Points** are the gain over the average of the two opponents, half of what a settlement pays
(`game.match.settle`). For declarer that is the winnings minus the penalty that each defender
scores; for a defender, half of (the penalty minus declarer's winnings). In a rubber, points include
what a contract does to the standing (`rubber_payoffs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tribridge.advice.rubber_payoffs import RubberPayoffs
from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64
from tribridge.common.codec import also
from tribridge.common.sentences import Sentence, decimal
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, Bid, Call, Contract, Mark, said
from tribridge.game.scoring import Scheme

Scoring = Scheme | RubberPayoffs
"""How contracts are scored: each deal by itself, or in a rubber."""

WORST: Final = 0.05
"""The share of worst outcomes whose mean measures the risk."""
LEVELS: Final = FULL_DECK.levels
DOUBLE_MARGIN: Final = 40.0
"""Points that a double must gain on any other call: our callers bid more soundly than the beliefs
assume, and the doubles that promise most are those of contracts that are most underestimated
(`benchmarks/doubles.py`)."""
_AVERAGE: Final = "{points} points"
_AVERAGE_WORST: Final = "{points} points ({worst} in the worst 5%)"
_BESIDE_CAREFUL: Final = "{points} ({worst})"
_BESIDE_WORST: Final = "{points} ({worst} in the worst 5%)"
_MAKES: Final = {
    True: "Your contract makes {chance}% of the time",
    False: "Their contract makes {chance}% of the time",
}
_DOUBLE: Final = "{contract}, and this averages {value}; passing {passing}."
_DOUBLE_OR_BID: Final = "{contract}, and this averages {value}; passing {passing}, {bid} {other}."
_NO_BID: Final = "No higher bid is available."
_FREE_PASS: Final = (
    "It costs nothing; your best bid, {bid}, would make {chance}% of the time and average {value}."
)
_PASS: Final = (
    "{contract}, and passing averages {passing}; your best bid, {bid}, would make {chance}% of the "
    "time and average {value}."
)
_BID: Final = "It makes {chance}% of the time and averages {value}; passing {passing}."
_BID_OR_BID: Final = (
    "It makes {chance}% of the time and averages {value}; {other} would average {second}, "
    "passing {passing}."
)


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
    declaring = np.array(scheme.nets(Contract(bid, Seat.NORTH, factor)))
    defending = -declaring / 2 + 0.0  # 0.0 in place of -0.0
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


@also("reason")
@dataclass(frozen=True, slots=True)
class Recommendation:
    """A call and why."""

    call: Call
    why: Sentence = field(repr=False)

    @property
    def reason(self) -> str:
        return str(self.why)


def recommend(
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float = 0.0,
    *,
    own: bool = False,
    doubling: Mapping[Mark, Prospect] | None = None,
) -> Recommendation:
    """The call with the highest value; ties go to a pass, then to the lower bid.

    A double or redouble must gain more than `DOUBLE_MARGIN` points on all others.

    `own`: whether the bid that a pass leaves standing is the player's own.
    """
    ranked = sorted(bids, key=lambda bid: (-bids[bid].value(caution), bid))
    best = ranked[0] if ranked else None
    gain = passing.value(caution) if best is None else bids[best].value(caution)
    for mark, prospect in (doubling or {}).items():
        if prospect.value(caution) > max(gain, passing.value(caution)) + DOUBLE_MARGIN:
            return Recommendation(mark, _why_double(prospect, best, bids, passing, caution, own))
    if best is None or gain <= passing.value(caution):
        return Recommendation(PASS, _why_pass(best, bids, passing, caution, own))
    return Recommendation(best, _why_bid(best, ranked[1:], bids, passing, caution))


def _why_double(
    doubled: Prospect,
    best: Bid | None,
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float,
    own: bool,
) -> Sentence:
    fields: dict[str, str | Sentence] = {
        "contract": makes(doubled, own),
        "value": averages(doubled, caution),
        "passing": beside(passing, caution),
    }
    if best is None:
        return Sentence(_DOUBLE, fields)
    other = {"bid": said(best), "other": beside(bids[best], caution)}
    return Sentence(_DOUBLE_OR_BID, fields | other)


def _why_pass(
    best: Bid | None, bids: Mapping[Bid, Prospect], passing: Prospect, caution: float, own: bool
) -> Sentence:
    if best is None:
        return Sentence(_NO_BID)
    bid, free = bids[best], passing.chance is None
    fields: dict[str, str | Sentence] = {
        "bid": said(best),
        "chance": percent(bid.chance or 0.0),
        "value": beside(bid, caution, _BESIDE_WORST if free else _BESIDE_CAREFUL),
    }
    if free:
        return Sentence(_FREE_PASS, fields)
    stands = {"contract": makes(passing, own), "passing": averages(passing, caution)}
    return Sentence(_PASS, fields | stands)


def _why_bid(
    best: Bid,
    others: Sequence[Bid],
    bids: Mapping[Bid, Prospect],
    passing: Prospect,
    caution: float,
) -> Sentence:
    bid = bids[best]
    fields: dict[str, str | Sentence] = {
        "chance": percent(bid.chance or 0.0),
        "value": averages(bid, caution),
        "passing": "0" if passing.chance is None else beside(passing, caution),
    }
    if not others:
        return Sentence(_BID, fields)
    second = {"other": said(others[0]), "second": beside(bids[others[0]], caution)}
    return Sentence(_BID_OR_BID, fields | second)


def makes(prospect: Prospect, own: bool) -> Sentence:
    """How often one's own contract makes, or that of an opponent."""
    return Sentence(_MAKES[own], {"chance": percent(prospect.chance or 0.0)})


def averages(prospect: Prospect, caution: float) -> Sentence:
    """The first value in a sentence; for the cautious player with the worst case."""
    fields = {"points": decimal(prospect.expected, "+"), "worst": decimal(prospect.worst, "+", 0)}
    return Sentence(_AVERAGE_WORST if caution else _AVERAGE, fields)


def beside(prospect: Prospect, caution: float, form: str = _BESIDE_CAREFUL) -> str | Sentence:
    """Another value in a sentence."""
    points = decimal(prospect.expected, "+")
    if not caution:
        return points
    return Sentence(form, {"points": points, "worst": decimal(prospect.worst, "+", 0)})
