"""The GPU kernels against the compiled ones: the same counts, and how fast.

    PYTHONPATH=src python benchmarks/gpu.py --deals 1e11 --study capture

compares counts first (several seeds, ranges and readings, ten million deals each), measures deals a
second for both studies (with `--tune` for other sizes of blocks too), and then counts a large range
and prints its table as JSON. The machine with the GPU needs NumPy and CuPy alone: what the compiled
kernels count is read from `gpu_expected.json` beside this file, which a machine with Numba writes
with `--write-expected`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from tribridge.capture.readings import READINGS, parse_reading
from tribridge.common.errors import TribridgeError
from tribridge.lab import gpu

EXPECTED = Path(__file__).with_name("gpu_expected.json")
DEALS = 10_000_000
RANGES = [(1, 0), (2026, 2**32 - DEALS // 2), (2**64 - 1, 2**63 - DEALS // 3)]
CASES = [("capture", "natural"), *(("game", name) for name in READINGS)]
TRIED = {
    "capture": [(256, 3), (256, 4), (512, 2), (640, 2), (768, 2), (1024, 1), (1024, 2)],
    "game": [(256, 2), (512, 2), (640, 2), (1024, 1), (1024, 2)],
}


def sparse(counts: np.ndarray) -> dict[str, int]:
    """The cells that are not zero, by number."""
    return {str(at): int(counts[at]) for at in np.flatnonzero(counts)}


def write_expected() -> None:
    """Count the cases on this machine's cores."""
    from tribridge.capture.simulation import counts
    from tribridge.common import parallel

    cases = []
    for study, reading in CASES:
        for seed, start in RANGES:
            work = counts.Work(study, seed, reading if study == "game" else None)
            tally = counts.run(counts.Tally.empty(work), (start, start + DEALS), parallel.Cores())
            cases.append(
                {
                    "study": study,
                    "reading": reading,
                    "seed": seed,
                    "start": start,
                    "deals": DEALS,
                    "counts": sparse(tally.counts),
                }
            )
    EXPECTED.write_text(json.dumps(cases) + "\n")


def compare() -> bool:
    """Whether the GPU counts every case as expected."""
    equal = True
    for case in json.loads(EXPECTED.read_text()):
        count = gpu.counter(case["study"], parse_reading(case["reading"]))
        found = sparse(count(case["seed"], case["start"], case["deals"]))
        same = found == case["counts"]
        equal &= same
        name = f"{case['study']:8}{case['reading']:12}seed {case['seed']} from {case['start']}"
        print(f"{'equal' if same else 'DIFFERENT':10}{name}", file=sys.stderr)
    return equal


def measure(study: str, size: tuple[int, int] | None = None) -> None:
    """Deals a second of a study, the best of five launches."""
    count = gpu.counter(study, size=size)
    deals = 1 << 33 if study == "capture" else 1 << 31
    count(1, 0, 1 << 20)
    best = 0.0
    for turn in range(5):
        begin = time.perf_counter()
        count(1, turn * deals, deals)
        best = max(best, deals / (time.perf_counter() - begin))
    threads, blocks = size or gpu.SIZES[study]
    print(f"{study:8}{threads:5} x {blocks}: {best:.4g} deals/s", file=sys.stderr)


def main() -> int:
    """Compare, measure, and count a large range."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write-expected", action="store_true")
    parser.add_argument("--tune", action="store_true", help="try other sizes of blocks too")
    parser.add_argument("--study", choices=("capture", "game"), default="capture")
    parser.add_argument("--reading", default="natural")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--deals", type=float, default=0, help="size of the large run, or 0")
    parser.add_argument("--out", type=Path, help="where its table goes; standard output if absent")
    options = parser.parse_args()
    if options.write_expected:
        write_expected()
        return 0
    equal = compare()
    for study in gpu.SIZES:
        measure(study)
        for size in TRIED[study] if options.tune else ():
            measure(study, size)
    deals = int(options.deals)
    if deals:
        reading = parse_reading(options.reading)
        count = gpu.counter(options.study, reading)
        begin = time.perf_counter()
        counts = count(options.seed, options.start, deals)
        seconds = time.perf_counter() - begin
        print(f"{deals} deals in {seconds:.2f} s: {deals / seconds:.3g} deals/s", file=sys.stderr)
        text = json.dumps(
            {
                "study": options.study,
                "reading": reading.name,
                "seed": options.seed,
                "start": options.start,
                "deals": deals,
                "seconds": seconds,
                "counts": sparse(counts),
            }
        )
        if options.out:
            options.out.write_text(text + "\n")
        else:
            print(text)
    return 0 if equal else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TribridgeError as error:
        sys.exit(f"gpu.py: {error}")
