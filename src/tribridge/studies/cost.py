"""Study 6: the cost of the closed form, compared with playouts and with solving the deal.

The paper calls its estimate constant in time and O(n^2 m^2) on n suits of m ranks, and measures
neither. The forecasts that replace it take constant time too. Times are medians over deals; the
package has those of one machine (`cost.json`, written by `benchmarks/cost.py`), so that the report
does not depend on what else a machine is doing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.stats import Interval
from tribridge.studies.claims import HOLDS, Claim, Each, claim
from tribridge.studies.study import Study, stored

ALGORITHM2: Final = "Algorithm 2, reference"


@dataclass(frozen=True, slots=True)
class Way:
    """One deal: closed form, playouts, solving.

    Medians with quartiles over deals, on {machine}.
    """

    way: str
    median: Annotated[float, "microseconds"]
    low: Annotated[float, "25%"]
    high: Annotated[float, "75%"]
    times: Annotated[float, "times Algorithm 2"]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Growth:
    """Algorithm 2 on growing decks, where both conditions hold.

    Least squares on logarithms: time grows as (n m) to the power {slope.estimate:.2f} (95% interval
    {slope.low:.2f} to {slope.high:.2f}, over the decks); the paper's bound is 2.
    """

    deck: str
    cards: int
    median: Annotated[float, "microseconds"]
    low: Annotated[float, "25%"]
    high: Annotated[float, "75%"]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Result:
    """The time of each way to an estimate, and how the closed form grows with the deck."""

    machine: str
    ways: Annotated[tuple[Way, ...], "cost"]
    growth: Annotated[tuple[Growth, ...], "growth"]
    slope: Interval
    """Time grows as the number of cards to this power."""

    def ratios(self, *kinds: str) -> Each:
        """How many times as long as Algorithm 2 the ways take whose names start so."""
        return Each((way.way, way.times) for way in self.ways if way.way.startswith(kinds))

    @property
    def microseconds(self) -> float:
        """The time of Algorithm 2."""
        return next(way.median for way in self.ways if way.way == ALGORITHM2)


def claims(result: Result) -> list[Claim]:
    """What the paper says about running time."""
    slow, constant = result.ratios("Monte Carlo", "double dummy"), result.ratios("forecast")
    return [
        claim("cost.time", result.slope.high < 2, slope=result.slope),
        claim("cost.constant-time", HOLDS),
        claim("cost.space", HOLDS),
        claim(
            "cost.sampling",
            lambda limit: all(value > limit for value in slow.values()),
            slow=slow,
            constant=constant,
        ),
    ]


STUDY: Final[Study[None, Result]] = Study(
    name="cost",
    title="Running time",
    order=140,
    run=lambda size, seed, runner: stored("cost", Result),
    claims=claims,
)
