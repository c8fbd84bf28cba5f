"""The device code gives the kernel's counts: compiled for the CPU here, on a GPU where one is."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tribridge.capture import READINGS, Reading, row_classes
from tribridge.capture.simulation import kernel
from tribridge.capture.simulation.tables import (
    CAPTURE_CELLS,
    GAME_CELLS,
    Counts,
    deal_tables,
    pair_tables,
    row_tables,
)
from tribridge.lab import gpu

COMPILER = shutil.which("g++")
RANGES = [(1, 0), (2026, (1 << 32) - 5000), ((1 << 64) - 1, (1 << 63) - 5000)]


@pytest.fixture(scope="module")
def device_code(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if COMPILER is None:
        pytest.skip("no g++ to compile the device code with")
    folder = tmp_path_factory.mktemp("device")
    code = gpu.source((1, 1)).replace("extern __shared__ u64 space[];", "")
    header = Path(__file__).with_name("cuda_on_cpu.h").read_text()
    (folder / "kernel.cpp").write_text(header + code)
    library = folder / "kernel.so"
    subprocess.run(
        [COMPILER, "-O2", "-w", "-shared", "-fPIC", "-o", library, folder / "kernel.cpp"],
        check=True,
    )
    return ctypes.CDLL(str(library))


def call(function: Any, *arguments: Any) -> None:
    kinds = {np.uint32: ctypes.c_uint32, np.int32: ctypes.c_int32, np.uint64: ctypes.c_uint64}
    function(
        *(
            ctypes.c_void_p(value.ctypes.data)
            if isinstance(value, np.ndarray)
            else kinds[type(value)](value)
            for value in arguments
        )
    )


def counts_of(
    code: ctypes.CDLL, launch: gpu.Launch, study: str, seed: int, start: int, count: int
) -> Counts:
    counts = np.zeros(CAPTURE_CELLS if study == "capture" else GAME_CELLS, np.uint64)
    call(
        getattr(code, f"count_{study}"),
        *launch.arguments,
        np.uint32(seed & 0xFFFFFFFF),
        np.uint32(seed >> 32),
        np.uint64(start),
        np.uint64(count),
        counts,
    )
    return counts.astype(np.int64)


@cache
def tables_for(code: ctypes.CDLL) -> Any:
    pairs, hands = np.empty(3**13, np.uint64), np.empty(1 << 13, np.uint64)
    call(code.pack_rows, np.uint32(len(pairs)), np.int32(1), pairs)
    call(code.pack_rows, np.uint32(len(hands)), np.int32(0), hands)
    return pairs, hands


def test_the_device_packs_every_row_as_rows_does(device_code: ctypes.CDLL) -> None:
    pairs, hands = tables_for(device_code)
    assert np.array_equal(pairs, row_classes.pair_rows(13))
    assert np.array_equal(hands, row_classes.hand_rows(13))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "start"), RANGES)
def test_device_code_counts_captures_as_the_kernel(
    device_code: ctypes.CDLL, seed: int, start: int
) -> None:
    pairs, hands = tables_for(device_code)
    table = row_tables(pair_tables(pairs), hands, strict=True)
    launch = gpu.capture_launch(deal_tables(), table, 1)
    found = counts_of(device_code, launch, "capture", seed, start, 20_000)
    assert np.array_equal(found, kernel.capture_counts(seed, start, 20_000))


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS.values(), ids=str)
@pytest.mark.parametrize(("seed", "start"), RANGES[:2])
def test_device_code_counts_games_as_the_kernel(
    device_code: ctypes.CDLL, seed: int, start: int, reading: Reading
) -> None:
    pairs, hands = tables_for(device_code)
    table = row_tables(pair_tables(pairs), hands, strict=reading.strict)
    launch = gpu.game_launch(deal_tables(), table)
    found = counts_of(device_code, launch, "game", seed, start, 20_000)
    assert np.array_equal(found, kernel.game_counts(seed, start, 20_000, reading))


def gpu_is_here() -> bool:
    if importlib.util.find_spec("cupy") is None:
        return False
    try:
        gpu.counter("capture")
    except ValueError:
        return False
    return True


@pytest.mark.skipif(not gpu_is_here(), reason="no GPU")
@pytest.mark.parametrize(("seed", "start"), RANGES)
def test_the_gpu_counts_as_the_kernel(seed: int, start: int) -> None:
    deals = 1_000_003
    found = gpu.capture_counts(seed, start, deals)
    assert np.array_equal(found, kernel.capture_counts(seed, start, deals))
    for reading in READINGS.values():
        found = gpu.game_counts(seed, start, deals, reading)
        assert np.array_equal(found, kernel.game_counts(seed, start, deals, reading))
