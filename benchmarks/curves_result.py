"""The result of the study of learning curves, from its runs.

    python -m benchmarks.curves_result --tiny FOLDER [--full FOLDER] --result FILE.json

The runs are those of `benchmarks/curves_tiny.py` and, if they have been trained, the networks that
`benchmarks/curves.py judge` has judged. All must be of the plan in the package, and all runs of a
part must be there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.curves_tiny import MARKS, folder_of, solved
from benchmarks.refusals import in_one_line
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.common.files import write_atomic
from tribridge.lab.studies.curves import FULL, PLAN, TINY, Judged, Result, tiny_game
from tribridge.lab.studies.study import dumps_result
from tribridge.lab.tiny.measuring import beside_greedy
from tribridge.lab.tiny.policies import call_strategies, greedy_calls
from tribridge.lab.training.bidding_games import BEGINS


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON lines."""
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no such file: train and judge all runs first") from None
    except ValueError:
        raise FormatError(f"{path}: not the lines of a run") from None


def tiny_runs(folder: Path) -> Iterator[Judged]:
    """The runs on eight cards."""
    sizes = PLAN.sizes
    for begins in BEGINS:
        for seed in range(sizes["seeds"]):
            rows = lines_of(path := folder / f"{begins}-{seed}.jsonl")
            if [row["games"] for row in rows] != [mark * sizes["tiny_games"] for mark in MARKS]:
                raise FormatError(f"{path}: not judged after the games of the plan")
            for row in rows:
                found = (row[name] for name in ("games", "points", "gained"))
                yield Judged(TINY, begins, sizes["tiny_width"], seed, *found)


def full_runs(folder: Path) -> Iterator[Judged]:
    """The runs on the full deck."""
    for row in lines_of(folder / "judged.jsonl"):
        gained = row.get("gained")
        yield Judged(
            FULL, row["begins"], row["width"], row["at"], row["games"], row["greedy"][0],
            gained and gained[0], row["forecast"][0],
        )  # fmt: skip


def result_of(tiny: Path, full: Path | None) -> Result:
    """The result of the runs in some folders."""
    folder_of(tiny).begun()
    runs, made = [*tiny_runs(tiny)], ["`python -m benchmarks.curves_tiny`"]
    if full is not None:
        folder_of(full, share="1").begun()
        runs += full_runs(full)
        made.append("`python -m benchmarks.curves`")
    game = tiny_game()
    _, greedy = beside_greedy(game, call_strategies(game, greedy_calls, best=True))
    _, experts = beside_greedy(game, solved(game, PLAN.sizes["tiny_solved"]))
    source = f"Trained beforehand by {' and '.join(made)}"
    return Result(PLAN.digest, source, greedy, experts, tuple(runs))


def main() -> None:
    """Sum up."""
    parser = argparse.ArgumentParser(description="The result of the study of learning curves.")
    parser.add_argument("--tiny", type=Path, required=True)
    parser.add_argument("--full", type=Path)
    parser.add_argument("--result", type=Path, required=True)
    options = parser.parse_args()
    write_atomic(options.result, dumps_result(result_of(options.tiny, options.full)))


if __name__ == "__main__":
    in_one_line(main)
