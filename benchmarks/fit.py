"""Hold the counts of a large run of `simulate capture` against the exact distribution.

    python benchmarks/fit.py benchmarks/results/gpu-capture-1e12.json

Chi-square over every cell of total leading gap, captures and check value: a test of the dealer and
of the kernel that wrote the file. `benchmarks/gpu.py --out FILE` writes such files, and so does
`tribridge simulate capture --out FILE`.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from tribridge.capture import exact
from tribridge.capture.simulation.tables import CAPTURE_CELLS, CAPTURE_SHAPE
from tribridge.common import stats


def main() -> int:
    """Print the test; exit code 1 where the counts do not fit."""
    data = json.loads(Path(sys.argv[1]).read_text())
    counts = np.zeros(CAPTURE_CELLS, np.int64)
    for cell, count in data["counts"].items():
        counts[int(cell)] = count
    table = counts.reshape(CAPTURE_SHAPE)
    truth = exact.algorithm2(cache=True)
    observed, shares = [], []
    for gap, number in truth.total_gap.items():
        held = sum(n for (at, _, _), n in truth.cells.items() if at == gap)
        observed.append(int(table[gap, 0].sum()))
        shares.append(Fraction(number - held, truth.total))
    for (gap, captures, check), number in truth.cells.items():
        observed.append(int(table[gap, captures, check]))
        shares.append(Fraction(number, truth.total))
    whole = sum(observed) == data["deals"]
    test = stats.fit(observed, [float(share) for share in shares])
    print(f"{data['deals']:,} deals of seed {data['seed']}, {len(observed)} cells")
    print(f"chi-square {test.statistic:.1f} on {test.df} degrees of freedom, p = {test.p:.3f}")
    return 0 if whole and test.p > 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
