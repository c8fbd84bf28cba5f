"""Decisions under risk: what can be tested of the paper's outlook on finance.

The abstract promises insights for risk management and markets, and shows none. Markets cannot be
tested here. What can is risk at the table: bidders sit one against two that count points, on the
same labelled deals, and beside expected points stand the measures of finance, the standard
deviation and the mean of the worst 5% of deals (expected shortfall). The package has the result
(`risk.json`, written by `benchmarks/risk.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, POINTS
from tribridge.lab.studies.claims import ALPHA, FAILS, HOLDS, OPEN, UNDECIDED, Claim, claim, p_text
from tribridge.lab.studies.study import Study, stored

_SD: Final = replace(POINTS, digits=1)
PAPER: Final = "capture"
"""The paper's bidder."""


@dataclass(frozen=True, slots=True)
class Risked:
    """What a bidder expects and risks.

    {note}. Points per deal over the average opponent, contracts settled as the learned player
    plays them. Worst 5%: the mean of the worst {tail} deals. p: the share of resamples in which it
    is not ahead of the paper's both in expected points and in the worst 5%, with Holm's correction
    over the bidders. Intervals from the same resamples of deals.
    """

    bidder: str
    points: Annotated[Interval, "points", "points from", "points to", POINTS]
    sd: Annotated[float, "standard deviation", _SD]
    worst: Annotated[Interval, "worst 5%", "worst 5% from", "worst 5% to", POINTS]
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


@dataclass(frozen=True, slots=True)
class Result:
    """Expected points and risk of bidders, the paper's among them."""

    note: str
    """The deals and the bidders, in words."""
    tail: int
    """Deals among the worst 5%."""
    bidders: Annotated[tuple[Risked, ...], "risk-bidders"]

    def better(self) -> list[Risked]:
        """The bidders with more expected points and a better worst 5% than the paper's."""
        paper = next(row for row in self.bidders if row.bidder == PAPER)
        return [
            row
            for row in self.bidders
            if row.points.estimate > paper.points.estimate
            and row.worst.estimate > paper.worst.estimate
        ]


def claims(result: Result) -> list[Claim]:
    """The outlook on finance, and risk at the table."""
    better = result.better()
    sure = any(row.holm is not None and row.holm < ALPHA for row in better)
    named = ", ".join(f"{row.bidder} ({p_text(row.holm)})" for row in better)
    shown = "; ".join(
        f"{row.bidder} {row.points:+z.1f} and {row.worst.estimate:+.0f}" for row in result.bidders
    )
    return [
        claim("risk.finance", OPEN),
        claim(
            "risk.efficient",
            FAILS if sure else UNDECIDED if better else HOLDS,
            better=named or "nobody",
            shown=shown,
            tail=result.tail,
        ),
    ]


STUDY: Final[Study[None, Result]] = Study(
    name="risk",
    title="Decisions under risk",
    order=130,
    run=lambda size, seed, runner: stored("risk", Result),
    claims=claims,
)
