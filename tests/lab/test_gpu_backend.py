"""A GPU as a place where simulations run, by a counter that stands in for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tribridge.capture import READINGS, Reading
from tribridge.capture.simulation import counts, kernel
from tribridge.capture.simulation.counts import Tally, Work
from tribridge.capture.simulation.tables import Counts
from tribridge.common.errors import SettingError
from tribridge.common.parallel import Range
from tribridge.lab import gpu
from tribridge.lab.gpu import Gpu


def test_the_gpu_counts_the_pieces_of_a_simulation_and_runs_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def counter(study: str, reading: Reading) -> Callable[[int, int, int], Counts]:
        assert (study, reading) == ("game", READINGS["non-strict"])
        return lambda seed, start, deals: kernel.game_counts(seed, start, deals, reading)

    class Other:
        def run(self, piece: Range) -> Counts:
            raise AssertionError

    monkeypatch.setattr(gpu, "counter", counter)
    work = Work("game", 3, "non-strict")
    on_gpu = counts.run(Tally.empty(work), (5, 300), Gpu(piece=100))
    assert np.array_equal(on_gpu.counts, work.run((5, 300)))
    with pytest.raises(SettingError, match="runs simulations"):
        next(Gpu().run(Other(), iter([(0, 1)])))
