"""Measure forecasts on built deals, the extreme hands that random deals hardly know.

    python benchmarks/built.py [--deals 400] [--tricks FILE.npy] [--weights net.npz]

Solves held-out built deals double dummy and compares the forecasts with them; then a few examples
by themselves. `--tricks` keeps what was solved for the next run. `--weights` measures weights of
`tribridge train forecast` beside those of the package, before and after a training.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from tribridge.forecast.kinds import find_forecaster
from tribridge.forecast.net import Net
from tribridge.studies.built import BuiltTest, accuracy, examples, solve, violations
from tribridge.studies.tables import StudyTable


def show(table: StudyTable) -> None:
    """A table in columns."""
    cells = [[f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(table.columns, *cells, strict=True)]
    print(f"{table.title}. {table.note}")
    for row in (table.columns, *cells):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    print()


def main() -> None:
    """Solve, compare, print."""
    parser = argparse.ArgumentParser(description="Measure forecasts on built deals.")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--layouts", type=int, default=100, help="layouts for each example")
    parser.add_argument("--tricks", type=Path, help="solved tricks: read, or written if missing")
    parser.add_argument("--weights", type=Path, nargs="*", default=[], help="files of learn")
    parser.add_argument("--kinds", default="net,points")
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    forecasters = {kind: find_forecaster(kind) for kind in options.kinds.split(",")}
    for path in options.weights:
        with path.open("rb") as file:
            forecasters[path.name] = Net.of(dict(np.load(file)))
    if options.tricks is not None and options.tricks.exists():
        tricks = np.load(options.tricks)[: options.deals]
    else:
        tricks = solve(options.deals, options.processes)
        if options.tricks is not None:
            np.save(options.tricks, tricks)
    test = BuiltTest.of(tricks)
    tables = [accuracy(test, forecasters)]
    if options.layouts:
        tables.append(examples(forecasters, options.layouts, options.processes))
    broken = violations(test)
    if options.json:
        print(json.dumps({t.name: t.records() for t in tables} | {"limits broken": broken}))
        return
    for table in tables:
        show(table)
    print(f"tricks outside of what is called possible: {broken}")


if __name__ == "__main__":
    main()
