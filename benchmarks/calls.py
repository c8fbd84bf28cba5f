"""What each call of an auction says about each hand, in bits.

    python -m benchmarks.calls said --folder FOLDER [--device cuda] [--share 1.0]

The plan is `studies/calls.plan.toml`. `said` has three learned players bid, in lockstep
(`training.whole_games`), and scores what every call says to the other two, by a model that is the
bidders' own network. It needs NumPy alone, or PyTorch for a device. A run with the same folder goes
on where it stopped; batches of another plan or another network are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.place import SCHEMES, Folder, run_on_a_device
from tribridge.common.arrays import namespace
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.training.whole_games import CPU, Table, deals
from tribridge.strategies.learned.releases import CALLER

BATCH: Final = 256


def folder_of(path: Path) -> Folder:
    """The folder of a run, with what its batches must agree in."""
    return Folder(
        path,
        {
            "plan": read_numbers("calls")["digest"],
            "caller": f"learned@{CALLER.version} ({CALLER.files[0][2]})",
        },
    )


def said(folder: Path, device: str, share: float, say: Callable[[str], None]) -> None:
    """Score all batches that a folder does not have."""
    numbers, run = read_numbers("calls"), folder_of(folder)
    run.begin()
    place: Any = CPU if device == CPU else namespace(None).device(device)
    seed, sizes = numbers["seeds"]["calls"], numbers["sizes"]
    total = max(1, round(sizes["calls"] * share))
    for scheme in SCHEMES:
        table = None
        for batch, begin in enumerate(range(0, total, BATCH)):
            count = min(BATCH, total - begin)
            name = f"said-{scheme}-{batch:03}-{count}"
            if run.has(name):
                continue
            table = table or Table(find_scheme(scheme), place)
            begun = time.monotonic()
            hands = deals(seed, batch, count)
            calls, bits = table.said(hands, sizes["layouts"], (seed, batch, 3))
            run.add(name, {"calls": calls.astype(np.int8), "bits": bits.astype(np.float16)})
            say(f"{name}: {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    run_on_a_device(said, "What an auction says.")
