"""A forecast as a value: what it refuses, what it answers, and its form in JSON."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.cards import Strain
from tribridge.common.errors import SettingError
from tribridge.forecast import Distribution, forecast_json
from tribridge.forecast.distribution import at_least, distributions, means, quantiles, sds

weights = st.lists(st.integers(0, 1000), min_size=14, max_size=14).filter(any)


@pytest.mark.parametrize(
    ("chances", "problem"),
    [
        ([1.0], "14 chances"),
        ([1 / 15] * 15, "14 chances"),
        ([0.5] * 2 + [0.0] * 11 + [0.1], "add up to 1.1"),
        ([-0.1, 1.1] + [0.0] * 12, "chance of 0 tricks is -0.1"),
        ([math.nan] + [1 / 13] * 13, "chance of 0 tricks is nan"),
    ],
)
def test_what_is_no_distribution_is_refused(chances: list[float], problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        Distribution(tuple(chances))


def test_weights_that_are_none_are_refused() -> None:
    with pytest.raises(SettingError, match="not a forecast"):
        Distribution.of([0.0] * 14)


@given(weights)
def test_moments_and_tails_by_hand(row: list[int]) -> None:
    found, total = Distribution.of(row), sum(row)
    assert sum(found.chances) == pytest.approx(1, abs=1e-12)
    mean = sum(k * w for k, w in enumerate(row)) / total
    assert found.mean == pytest.approx(mean)
    variance = sum((k - mean) ** 2 * w for k, w in enumerate(row)) / total
    assert found.sd == pytest.approx(math.sqrt(variance), abs=1e-9)
    for k in range(-1, 16):
        assert found.at_least(k) == pytest.approx(sum(row[max(k, 0) :]) / total)


@given(weights, st.integers(0, 100))
def test_a_quantile_is_the_first_that_is_reached(row: list[int], percent: int) -> None:
    found = Distribution.of(row).quantile(percent / 100)
    reached = [
        k
        for k, so_far in enumerate(accumulate(row))
        if row[k] and 100 * so_far >= percent * sum(row)
    ]
    assert found == reached[0]


@given(weights, st.sampled_from([0.5, 0.8, 0.95]))
def test_an_interval_holds_at_least_what_it_is_asked_for(row: list[int], p: float) -> None:
    found = Distribution.of(row)
    low, high, chance = found.interval(p)
    inside = sum(row[low : high + 1]) / sum(row)
    assert chance == pytest.approx(inside)
    assert chance >= p - 1e-9
    for beyond in (found.at_least(high + 1), 1 - found.at_least(low)):
        assert beyond <= (1 - p) / 2 + 1e-9


def test_quantiles_and_intervals_out_of_range_are_refused() -> None:
    one = Distribution.of([1] * 14)
    with pytest.raises(SettingError, match=r"1, not 1\.5"):
        one.quantile(1.5)
    with pytest.raises(SettingError, match="chance between 0"):
        one.interval(1)


@given(weights)
def test_json_has_fourteen_chances_that_add_up_to_one(row: list[int]) -> None:
    one = Distribution.of(row)
    data = one.as_json()
    assert list(data) == ["mean", "tricks"]
    assert round(sum(round(10**6 * chance) for chance in data["tricks"])) == 10**6
    for said, exact in zip(data["tricks"], one.chances, strict=True):
        assert said == pytest.approx(exact, abs=1.1e-6)
    assert data["mean"] == pytest.approx(one.mean, abs=1e-4)


@pytest.mark.slow
@given(st.lists(weights, min_size=5, max_size=5))
def test_arrays_say_the_same_as_values(rows: list[list[int]]) -> None:
    chances = np.array([[w / sum(row) for w in row] for row in rows])
    values = distributions(chances)
    assert list(forecast_json(values)) == ["C", "D", "H", "S", "NT"]
    batch = chances[None]
    for strain in Strain:
        one = values[strain]
        assert means(batch)[0, strain] == pytest.approx(one.mean)
        assert sds(batch)[0, strain] == pytest.approx(one.sd, abs=1e-6)
        assert quantiles(batch, 0.3)[0, strain] == one.quantile(0.3)
        for k in range(14):
            assert at_least(batch)[0, strain, k] == pytest.approx(one.at_least(k))
