"""The sequential test keeps its error rates and stops early, by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.grids import thinned
from tribridge.arena.sequential import sequential
from tribridge.errors import SettingError

SHAPES: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "normal": lambda random, n: random.normal(0, 2, n).clip(-90, 90),
    "one up or down": lambda random, n: random.choice([-1.0, 1.0], n),
    "mostly nothing": lambda random, n: random.choice([-1.0, 0, 0, 0, 0, 0, 0, 1.0], n),
    "skewed": lambda random, n: random.choice([-5.0, 1.0], n, p=[1 / 6, 5 / 6]),
    "rare swings": lambda random, n: random.choice([0.0, -10.0, 90.0], n, p=[0.5, 0.45, 0.05]),
}


@pytest.mark.parametrize("shape", thinned(SHAPES))
def test_the_sequential_test_keeps_its_error_rate_however_often_one_looks(shape: str) -> None:
    random = np.random.default_rng(12)
    bounds = {"normal": 90.0, "rare swings": 90.0, "skewed": 5.0}
    runs = [
        sequential(SHAPES[shape](random, 500), bounds.get(shape, 1.0), alpha=0.1)
        for _ in range(150)
    ]
    false = sum(one.verdict == "difference" for one in runs)
    assert false <= 24  # 15 are allowed for; 25 and more come once in a hundred at that rate
    assert all((one.p <= 0.1) == (one.verdict == "difference") for one in runs)


def test_a_rare_large_loss_is_not_taken_for_a_gain() -> None:
    random = np.random.default_rng(14)
    runs = [sequential(SHAPES["rare swings"](random, 400), 90, alpha=0.001) for _ in range(200)]
    assert sum(one.verdict == "difference" for one in runs) <= 3  # a t statistic: 8%


def test_the_sequential_test_stops_early_for_a_difference_and_for_none() -> None:
    random = np.random.default_rng(13)

    def normal(mean: float, n: int) -> NDArray[np.float64]:
        return random.normal(mean, 1, n).clip(-6, 6)

    large = [sequential(normal(0.5, 1000), 6, alpha=0.01) for _ in range(100)]
    assert sum(one.verdict == "difference" for one in large) == 100
    assert np.mean([one.deals for one in large]) < 150
    assert sum(0.5 in one.interval for one in large) >= 97
    none = [sequential(normal(0, 3000), 6, alpha=0.01, smallest=0.2) for _ in range(50)]
    assert sum(one.verdict == "none" for one in none) >= 49
    edge = [sequential(normal(0.2, 1500), 6, alpha=0.1, smallest=0.2, step=10) for _ in range(100)]
    assert sum(one.verdict == "none" for one in edge) <= 10  # a difference of that size is there
    assert all(one.deals % 10 == 0 for one in edge)
    assert sequential(np.zeros(60), 6).verdict == "open"


def test_the_interval_is_where_a_mean_is_not_rejected() -> None:
    values = np.random.default_rng(15).normal(0.1, 1, 400).clip(-5, 5)
    found = sequential(values, 5, alpha=0.05)
    assert found.interval.low < found.interval.estimate < found.interval.high
    assert (0.0 in found.interval) == (found.verdict == "open")
    assert sequential(np.full(9, -5.0), 5).interval.low == pytest.approx(-5)


@pytest.mark.parametrize(
    ("values", "bound", "settings", "words"),
    [
        ([1.0], 2, {}, "at least two"),
        ([1.0, 3.0], 2, {}, "3 is larger than the bound 2"),
        ([1.0, np.nan], 2, {}, "larger than the bound"),
        ([1.0, 1.0], 2, {"alpha": 1.0}, "between 0 and 1, not 1"),
        ([1.0, 1.0], 2, {"smallest": 2.0}, "below 2"),
    ],
)
def test_what_the_sequential_test_cannot_judge_is_refused(
    values: list[float], bound: float, settings: dict[str, float], words: str
) -> None:
    with pytest.raises(SettingError, match=words):
        sequential(values, bound, **settings)  # type: ignore[arg-type]
