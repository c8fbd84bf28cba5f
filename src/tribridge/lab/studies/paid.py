"""Bidders for the paper's two schemes, settled under both.

The paper compares an old and a new scheme, and expects bidders to learn what is paid. The network
of `learned` reads what contracts are worth under any scheme. Here it bids for each reading of the
two (`game/schemes.toml`), against two of the paper's bidders and against two of itself that bid for
the other, on the labelled deals, and every contract is settled under both schemes. The package has
the result (`paid.json`, written by `benchmarks/paid_bidders.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, POINTS
from tribridge.lab.studies.study import Study, stored


@dataclass(frozen=True, slots=True)
class Paid:
    """The learned bidder for the old and for the new scheme, settled under both.

    {note}, one against two others, one seating each, which rotates. `learned:scheme=old` bids for
    the old scheme. Points per game over the average opponent under the scheme that
    settles. 95% intervals and paired tests over deals, Holm's correction over the table.
    """

    scheme: Annotated[str, "settled under"]
    bidder: Annotated[str, "one"]
    others: Annotated[str, "two others"]
    settled_by: str
    points: Annotated[Interval, "points", POINTS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class PaidBidding:
    """How three bidders for one scheme bid, and what their contracts are paid.

    {note}. Points for the declarer, as played, with 95% intervals over deals.
    """

    bidder: Annotated[str, "three of"]
    passed_out: Annotated[float, "% passed out", PERCENT]
    level: Annotated[float, "mean level"]
    notrump: Annotated[float, "% notrump", PERCENT]
    old: Annotated[Interval, "points a contract, old", "old from", "old to", POINTS]
    new: Annotated[Interval, "points a contract, new", "new from", "new to", POINTS]


@dataclass(frozen=True, slots=True)
class Result:
    """Bidders by the scheme that paid them, under the scheme that pays them now."""

    deals: int
    note: str
    paid: Annotated[tuple[Paid, ...], "paid-bidders"]
    bidding: Annotated[tuple[PaidBidding, ...], "paid-bidding"]


STUDY: Final[Study[None, Result]] = Study(
    name="paid",
    title="Bidders for the paper's two schemes",
    order=125,
    run=lambda size, seed, runner: stored("paid", Result),
)
