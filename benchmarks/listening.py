"""What each call says to a listener who knows the bidders, by hands that follow the auction.

    python -m benchmarks.listening listen --folder FOLDER [--device cuda] [--share 1.0]

The plan is `studies/listening.plan.toml`. `listen` has three learned players bid and measures what
every call says to one of them, in turn (`training.listening`), batch by batch. It needs NumPy and
SciPy, or PyTorch for a device; the whole takes about 25 minutes of one core. A run with the same
folder goes on where it stopped; batches of another plan or another network are refused. With a
smaller `--share` it draws that share of the hands for that share of the deals, to try it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.place import Folder, run_on_a_device
from tribridge.common.arrays import Place, namespace
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.listening import BATCH
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.training.listening import listen as listened
from tribridge.lab.training.whole_games import CPU, Table, deals
from tribridge.strategies.learned.releases import CALLER

DEALS: Final = {"contract": "calls", "auction": "auction"}
"""Schemes, and which size of the plan says how many deals are bid under them."""


def folder_of(path: Path, share: float = 1.0) -> Folder:
    """The folder of a run, with what its batches must agree in."""
    return Folder(
        path,
        {
            "plan": read_numbers("listening")["digest"],
            "caller": f"learned@{CALLER.version} ({CALLER.files[0][2]})",
            "share": f"{share:g}",
        },
    )


def batch_name(scheme: str, batch: int, count: int) -> str:
    """The name of the file of a batch."""
    return f"heard-{scheme}-{batch:02}-{count}"


def batches(share: float = 1.0) -> Iterator[tuple[str, int, int]]:
    """The scheme, the number and the deals of each batch."""
    sizes = read_numbers("listening")["sizes"]
    totals = {scheme: max(1, round(sizes[name] * share)) for scheme, name in DEALS.items()}
    for batch, begin in enumerate(range(0, max(totals.values()), BATCH)):
        for scheme, total in totals.items():
            if begin < total:
                yield scheme, batch, min(BATCH, total - begin)


def listen(folder: Path, device: str, share: float, say: Callable[[str], None]) -> None:
    """Score all batches that a folder does not have."""
    numbers, run = read_numbers("listening"), folder_of(folder, share)
    run.begin()
    seed, sizes = numbers["seeds"]["calls"], numbers["sizes"]
    candidates = max(64, round(sizes["candidates"] * share))
    on_device: Any = CPU if device == CPU else namespace(None).device(device)
    tables = {scheme: Table(find_scheme(scheme), on_device) for scheme in DEALS}
    for scheme, batch, count in batches(share):
        if run.has(name := batch_name(scheme, batch, count)):
            continue
        begun = time.monotonic()
        place = seeded(on_device, (seed, batch, list(DEALS).index(scheme)))
        calls, bits = listened(tables[scheme], deals(seed, batch, count), candidates, place)
        run.add(name, {"calls": calls.astype(np.int8), "bits": bits})
        say(f"{name}: {time.monotonic() - begun:.1f} s")


def seeded(device: Any, seed: tuple[int, ...]) -> Place:
    """Where to draw from: a generator of NumPy, or the device, whose generator gets the seed."""
    rng = np.random.default_rng(seed)
    if device == CPU:
        return rng
    namespace(device).manual_seed(int(rng.integers(1 << 62)))
    return device


if __name__ == "__main__":
    run_on_a_device(listen, "What calls say to a listener who knows the bidders.")
