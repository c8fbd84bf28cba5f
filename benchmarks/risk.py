"""Expected points and risk of bidders on the labelled deals: the study of decisions under risk.

    python -m benchmarks.risk [--deals 3000] OUT.json

Each bidder sits with two of `points`, as in `benchmarks/learned_bidder.py`. The result in the
package is `studies/risk.json`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.learned_bidder import gains, labelled_deals
from tribridge.advice.prospects import WORST
from tribridge.common.files import write_atomic
from tribridge.common.stats import LEVEL, Interval
from tribridge.common.tables import corrected
from tribridge.lab.studies.learned import LEARNED, PLAYED
from tribridge.lab.studies.risk import PAPER, Result, Risked
from tribridge.lab.studies.study import dumps_result
from tribridge.strategies.versions import caller_version, list_versions

OTHERS: Final = "points"
BIDDERS: Final = (
    "pass", PAPER, *(f"points:margin={margin}" for margin in (-1, 0, 1, 2, 3)), LEARNED,
)  # fmt: skip
"""From bold to careful, by what they leave to the margin of a bid."""
RESAMPLES: Final = 4000

F64 = NDArray[np.float64]


def worst_mean(points: F64) -> F64:
    """The mean of the worst 5% of deals, over the last axis."""
    tail = tail_of(points.shape[-1])
    return np.asarray(np.partition(points, tail - 1, axis=-1)[..., :tail].mean(axis=-1))


def tail_of(deals: int) -> int:
    """How many deals are the worst 5%."""
    return max(1, round(WORST * deals))


def result_of(deals: int, seed: int = 1) -> Result:
    """The bidders on the first labelled deals, with resamples of the deals."""
    dealt = labelled_deals(deals)
    points = np.array([gains(dealt, bidder, OTHERS)[PLAYED] for bidder in BIDDERS])
    drawn = np.random.default_rng(seed).integers(0, len(dealt), (RESAMPLES, len(dealt)))
    means = np.array([row[drawn].mean(axis=1) for row in points])
    worst = np.array([worst_mean(row[drawn]) for row in points])
    paper = BIDDERS.index(PAPER)
    missed = ((means <= means[paper]) | (worst <= worst[paper])).sum(axis=1)
    rows = [
        Risked(
            bidder,
            _span(float(row.mean()), means[at]),
            float(row.std(ddof=1)),
            _span(float(worst_mean(row)), worst[at]),
            None if at == paper else float(1 + missed[at]) / (1 + RESAMPLES),
        )
        for at, (bidder, row) in enumerate(zip(BIDDERS, points, strict=True))
    ]
    names = list_versions(map(caller_version, dict.fromkeys((*BIDDERS, OTHERS))))
    return Result(
        f"{len(dealt):,} labelled deals of seed {dealt.seed}, each bidder against two {OTHERS}, "
        f"whose seat rotates, bid beforehand by `python -m benchmarks.risk`: {names}",
        tail_of(len(dealt)),
        corrected(rows),
    )


def _span(estimate: float, drawn: F64) -> Interval:
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Interval(estimate, float(low), float(high))


def main() -> None:
    """Bid and write."""
    parser = argparse.ArgumentParser(description="Expected points and risk of bidders.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--deals", type=int, default=3000)
    options = parser.parse_args()
    write_atomic(options.out, dumps_result(result_of(options.deals)))


if __name__ == "__main__":
    main()
