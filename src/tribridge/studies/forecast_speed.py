"""The speed of the forecasts: loading, one forecast, a million of them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Hand
from tribridge.dealer_arrays import deal_masks
from tribridge.forecast.kinds import find_forecaster, forecast
from tribridge.studies.tables import StudyTable

MILLION: Final = 1_000_000
_SINGLES: Final = 300
_LOADING: Final = """
import time
import numpy
begin = time.perf_counter()
from tribridge.forecast import find_forecaster
find_forecaster({kind!r})
print(time.perf_counter() - begin)
"""


def speeds(kinds: Sequence[str], batch: int = MILLION) -> StudyTable:
    """One row per kind: milliseconds to load and for one forecast, seconds for a batch.

    Loading is the import and the kind's data, with NumPy loaded before; a batch is of pairs of
    hands.
    """
    hands = deal_masks(1, 0, batch)
    rows = tuple((kind, *_speed(kind, hands)) for kind in kinds)
    return StudyTable(
        "forecast-speed",
        "Speed of the forecasts",
        ("kind", "loading, ms", "one forecast, ms", "a million pairs, s"),
        rows,
    )


def _speed(kind: str, hands: NDArray[np.uint64]) -> tuple[float, float, float]:
    command = [sys.executable, "-c", _LOADING.format(kind=kind)]
    loading = min(
        float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3)
    )
    own, dummy = Hand(int(hands[0, 0])), Hand(int(hands[0, 1]))
    first, second = (np.ascontiguousarray(hands[:, column]) for column in (0, 1))
    forecaster = find_forecaster(kind)
    forecast(own, dummy, kind)
    one = _seconds(lambda: [forecast(own, dummy, kind) for _ in range(_SINGLES)]) / _SINGLES
    many = _seconds(lambda: forecaster.from_pair(first, second))
    return 1000 * loading, 1000 * one, many * MILLION / len(hands)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
