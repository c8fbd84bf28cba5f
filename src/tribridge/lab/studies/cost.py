"""Study 6: the cost of the closed form, compared with playouts and with solving the deal.

The paper calls its estimate constant in time and O(n^2 m^2) on n suits of m ranks, and measures
neither. The forecasts that replace it take constant time too. Times are medians over deals; the
package has those of one machine (`cost.json`, written by `benchmarks/cost.py`), so that the report
does not depend on what else a machine is doing. A time means little without what it buys, so the
error of each way against double dummy stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import MICROSECONDS, TRICKS, Column
from tribridge.lab.studies.claims import FAILS, HOLDS, UNDECIDED, Claim, Each, claim, sided
from tribridge.lab.studies.study import Study, stored

ALGORITHM2: Final = "Algorithm 2, reference"
SAMPLING: Final = "Monte Carlo"
SEARCH: Final = "double dummy"


@dataclass(frozen=True, slots=True)
class Way:
    """One deal: closed form, playouts, solving.

    Medians with quartiles over deals, on {machine}.
    """

    way: str
    median: Annotated[float, "microseconds", MICROSECONDS]
    low: Annotated[float, "25%", MICROSECONDS]
    high: Annotated[float, "75%", MICROSECONDS]
    times: Annotated[float, "times Algorithm 2", Column(digits=1)]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Closeness:
    """What the time buys: absolute errors against double dummy, in tricks.

    {accuracy_note}. Less Algorithm 2's: paired over deals, with Gaffke's interval; below 0 the way
    is closer. The time of fewer playouts is their share of the time of 100.
    """

    way: str
    playouts: Annotated[int | None, None]
    error: Annotated[float, "tricks off", TRICKS]
    bias: Annotated[float, TRICKS]
    less: Annotated[Interval | None, "less Algorithm 2's", TRICKS]
    times: Annotated[float, "times Algorithm 2", Column(digits=1)]


@dataclass(frozen=True, slots=True)
class Growth:
    """Algorithm 2 on growing decks, where both conditions hold.

    Least squares on logarithms: time grows as (n m) to the power {slope.estimate:.2f} (95% interval
    {slope.low:.2f} to {slope.high:.2f}, over the decks); the paper's bound is 2.
    """

    deck: str
    cards: int
    median: Annotated[float, "microseconds", MICROSECONDS]
    low: Annotated[float, "25%", MICROSECONDS]
    high: Annotated[float, "75%", MICROSECONDS]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Result:
    """The time of each way to an estimate, and how the closed form grows with the deck."""

    machine: str
    ways: Annotated[tuple[Way, ...], "cost"]
    accuracy: Annotated[tuple[Closeness, ...], "cost-accuracy"]
    accuracy_note: str
    """The deals of `accuracy`, in words."""
    growth: Annotated[tuple[Growth, ...], "growth"]
    slope: Interval
    """Time grows as the number of cards to this power."""

    def ratios(self, *kinds: str) -> Each:
        """How many times as long as Algorithm 2 the ways take whose names start so."""
        return Each((way.way, way.times) for way in self.ways if way.way.startswith(kinds))

    @property
    def comparable(self) -> Closeness:
        """The fewest random playouts that are off by no more than Algorithm 2, or else the most."""
        sampled = sorted((w for w in self.accuracy if w.playouts), key=lambda w: w.times)
        return next((w for w in sampled if w.less and w.less.estimate <= 0), sampled[-1])

    @property
    def microseconds(self) -> float:
        """The time of Algorithm 2."""
        return next(way.median for way in self.ways if way.way == ALGORITHM2)


def claims(result: Result) -> list[Claim]:
    """What the paper says about running time."""
    slope, fewest = result.slope, result.comparable
    search = result.ratios(SEARCH)
    off = Each((way.way, way.error) for way in result.accuracy)
    ways = [("sampling", fewest.times), *search.items()]
    return [
        claim(
            "cost.time",
            HOLDS if slope.high < 2 else FAILS if slope.low > 2 else UNDECIDED,
            slope=slope,
        ),
        claim("cost.constant-time", HOLDS),
        claim("cost.space", HOLDS),
        claim(
            "cost.sampling",
            lambda limit: sided(1 if times > limit else -1 for _, times in ways),
            fewest=fewest,
            off=off,
            slow=Each({**result.ratios(SAMPLING), **search}),
            constant=result.ratios("forecast"),
        ),
    ]


STUDY: Final[Study[None, Result]] = Study(
    name="cost",
    title="Running time",
    order=140,
    run=lambda size, seed, runner: stored("cost", Result),
    claims=claims,
)
