"""Simulation on a GPU: exactly the counts of the compiled kernel, on one CUDA device.

Needs only NumPy and CuPy. The device code is `gpu.cu` next to this file; the dealer's tables come
from `tables`, and the row classes are computed on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np

from tribridge.capture.readings import NATURAL, Reading, parse_reading
from tribridge.capture.simulation.counts import Work
from tribridge.capture.simulation.tables import (
    CAPTURE_CELLS,
    GAME_CELLS,
    RANKS,
    Counts,
    DealTables,
    RowTables,
    deal_tables,
    pair_tables,
    row_tables,
)
from tribridge.common.errors import RunError, SettingError, need
from tribridge.common.once import once
from tribridge.common.parallel import Job, Range, Results

Size = tuple[int, int]
"""Threads per block, and blocks per multiprocessor."""

SIZES: Final[dict[str, Size]] = {"capture": (1024, 1), "game": (1024, 1)}
"""The fastest of the sizes that `benchmarks/gpu.py --tune` tries, measured on an H200."""

MOST_DEALS: Final = 1 << 36
"""Most deals per launch: a block's counters have 32 bits."""

_LANES: Final = 32


class Launch(NamedTuple):
    """How a kernel is launched: its shared memory and its arguments before the range of deals."""

    shared: int
    arguments: tuple[Any, ...]


def source(size: Size) -> str:
    """The device code for a size."""
    threads, blocks = size
    code = resources.files("tribridge.lab").joinpath("gpu.cu").read_text()
    return f"#define THREADS {threads}\n#define BLOCKS {blocks}\n{code}"


def shared_bytes(*arrays: tuple[int, int]) -> int:
    """Shared memory for arrays of (length, bytes per element), each aligned to 16 bytes."""
    return sum((length * size + 15) // 16 * 16 for length, size in arrays)


def capture_launch(deals: DealTables, table: RowTables, threads: int) -> Launch:
    """The arguments of `count_capture`, with NumPy arrays for pointers."""
    first = deals.first
    warps = threads // _LANES
    return Launch(
        shared_bytes(
            (len(first.entries), 8),
            (224, 8),
            (224, 8),
            (warps * 2 * _LANES, 16),
            (560, 4),
            (256, 4),
            (len(table.sequences), 4),
            (7 * 280, 4),
            (warps * 32, 4),
            (len(first.guide), 2),
            (len(deals.lead), 1),
        ),
        (
            first.guide,
            np.uint32(len(first.guide)),
            first.entries,
            np.uint32(len(first.entries)),
            *deals.second,
            deals.suit,
            deals.wide,
            deals.lead,
            np.uint32(len(deals.lead)),
            deals.pair_start,
            table.pair,
            table.sequences,
            np.uint32(len(table.sequences)),
        ),
    )


def game_launch(deals: DealTables, table: RowTables) -> Launch:
    """The arguments of `count_game`, with NumPy arrays for pointers."""
    first = deals.first
    return Launch(
        shared_bytes(
            (len(first.entries), 8),
            (224, 8),
            (224, 8),
            (GAME_CELLS, 4),
            (len(first.guide), 2),
            (len(deals.holding), 2),
            (8192, 2),
            (20480, 1),
        ),
        (
            first.guide,
            np.uint32(len(first.guide)),
            first.entries,
            np.uint32(len(first.entries)),
            *deals.second,
            *deals.third,
            deals.suit,
            deals.wide,
            deals.holding,
            np.uint32(len(deals.holding)),
            deals.pair_start,
            table.pair,
            table.sequences,
            table.hand,
            table.bid,
            table.spread,
            table.gather,
            table.mask,
        ),
    )


def _cupy() -> Any:
    cupy = need("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise RunError(f"no usable GPU: {error}") from None
    return cupy


@once
def _module(size: Size) -> Any:
    return _cupy().RawModule(code=source(size), options=("--std=c++14",))


def row_classes(reading: Reading = NATURAL) -> RowTables:
    """The row tables, with classes computed on the device."""
    cupy = _cupy()
    pack = _module(SIZES["capture"]).get_function("pack_rows")
    pairs = cupy.empty(3**RANKS, np.uint64)
    hands = cupy.empty(1 << RANKS, np.uint64)
    for words, two in ((pairs, 1), (hands, 0)):
        pack((1024,), (256,), (np.uint32(len(words)), np.int32(two), words))
    return row_tables(pair_tables(pairs.get()), hands.get(), strict=reading.strict)


@once
def counter(
    study: str, reading: Reading = NATURAL, size: Size | None = None
) -> Callable[[int, int, int], Counts]:
    """A function from (seed, first deal, number of deals) to the counts of a study."""
    size = size or SIZES[study]
    threads, blocks = size
    cupy = _cupy()
    deals, table = deal_tables(), row_classes(reading)
    if study == "capture":
        cells, launch = CAPTURE_CELLS, capture_launch(deals, table, threads)
    else:
        cells, launch = GAME_CELLS, game_launch(deals, table)
    function = _module(size).get_function(f"count_{study}")
    function.max_dynamic_shared_size_bytes = launch.shared
    arguments = tuple(
        cupy.asarray(value) if isinstance(value, np.ndarray) else value
        for value in launch.arguments
    )
    grid = blocks * cupy.cuda.Device().attributes["MultiProcessorCount"]

    def count(seed: int, start: int, deals: int) -> Counts:
        counts = cupy.zeros(cells, np.uint64)
        for done in range(0, deals, MOST_DEALS):
            function(
                (grid,),
                (threads,),
                (
                    *arguments,
                    np.uint32(seed & 0xFFFFFFFF),
                    np.uint32(seed >> 32),
                    np.uint64(start + done),
                    np.uint64(min(MOST_DEALS, deals - done)),
                    counts,
                ),
                shared_mem=launch.shared,
            )
        result: Counts = counts.get().astype(np.int64)
        return result

    return count


def capture_counts(seed: int, start: int, count: int) -> Counts:
    """The counts of study `capture` over deals `start` to `start + count - 1`."""
    return counter("capture")(seed, start, count)


def game_counts(seed: int, start: int, count: int, reading: Reading = NATURAL) -> Counts:
    """The counts of study `game` over deals `start` to `start + count - 1`."""
    return counter("game", reading)(seed, start, count)


@dataclass(frozen=True, slots=True)
class Gpu:
    """The first CUDA device of this machine, through CuPy."""

    piece: int = 1 << 32

    def run(self, job: Job[Counts], pieces: Iterator[Range]) -> Results[Counts]:
        if not isinstance(job, Work):
            raise SettingError(f"a GPU only runs simulations, not {type(job).__name__}")
        count = counter(job.study, parse_reading(job.reading or "natural"))
        for start, stop in pieces:
            yield (start, stop), count(job.seed, start, stop - start)
