"""How far each level of the bots is ahead of the level below.

    python -m benchmarks.levels

Every level played the same deals, or rubbers, with and against `points+maxims` in all seatings
(`benchmarks/results/levels`). A rating is twice the lead over `points+maxims`, as on the ladder; a
lead over the level below is the difference of two ratings, deal by deal. Levels that did not play
the same deals are not compared.
"""

from __future__ import annotations

from math import isnan

import numpy as np
from numpy.typing import NDArray

from tests.club.history.ladders import leads, level_matches
from tribridge.club.core.bots import levels
from tribridge.club.history.ladder import ANCHOR, Scoring, ladder, scored_as
from tribridge.common.stats import paired


def ratings(strategy: str, scoring: Scoring) -> tuple[int, NDArray[np.float64]] | None:
    """The seed of a match of a strategy and the anchor alone, and its rating in each deal."""
    for result in level_matches():
        work = result.work
        scored = scored_as(work.laws, work.scheme, work.doubles, work.deck)
        if scored is scoring and sorted(work.names) == sorted((strategy, ANCHOR)):
            numbers, lead = map(np.array, leads(result, strategy))
            each = [2 * lead[numbers == number].mean() for number in np.unique(numbers)]
            return work.seed, np.array(each)
    return None


def main() -> None:
    """Print the levels on both ladders."""
    for scoring in Scoring:
        print(scoring.words)
        below = None
        for level in levels():
            own = ratings(level.strategy, scoring)
            if own is None:
                continue
            seed, each = own
            rung = ladder(scoring).find(level.strategy)
            line = f"  {level.name:8} {level.strategy:28} "
            line += (
                "not rated" if rung is None else f"{rung.rating:+6.1f} ± {1.96 * rung.error:.1f}"
            )
            line += f", {len(each)} {scoring.unit} of seed {seed}"
            if below is not None and below[0] == seed and len(below[1]) == len(each):
                lead, p = each - below[1], paired(each - below[1]).p
                tested = "too few for a test" if isnan(p) else f"p = {p:.2g}"
                line += f"; ahead by {lead.mean():.1f} ({tested})"
            print(line)
            below = own


if __name__ == "__main__":
    main()
