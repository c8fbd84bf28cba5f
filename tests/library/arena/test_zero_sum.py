"""Values of games that are known, and bounds that hold for all."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.arena.zero_sum import (
    column_exploitability,
    equilibrium,
    row_exploitability,
    solve_deals,
)
from tribridge.common.errors import SettingError


@pytest.mark.parametrize(
    ("matrix", "value", "rows", "columns"),
    [
        ([[1, -1], [-1, 1]], 0, (1 / 2, 1 / 2), (1 / 2, 1 / 2)),  # matching pennies
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0, (1 / 3,) * 3, (1 / 3,) * 3),  # rock, paper
        ([[0, -1, 2], [1, 0, -1], [-2, 1, 0]], 0, (1 / 4, 1 / 2, 1 / 4), (1 / 4, 1 / 2, 1 / 4)),
        ([[3, 0], [1, 2]], 1.5, (1 / 4, 3 / 4), (1 / 2, 1 / 2)),
        ([[4, 2, 3], [1, 0, 5]], 2, (1, 0), (0, 1, 0)),  # a saddle
        ([[-7]], -7, (1,), (1,)),
        ([[1, 5, 3], [4, 2, 6]], 3, (1 / 3, 2 / 3), (1 / 2, 1 / 2, 0)),  # a column never to play
    ],
)
def test_known_games(
    matrix: list[list[float]], value: float, rows: tuple[float], columns: tuple[float]
) -> None:
    found = equilibrium(matrix)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.rows == pytest.approx(rows, abs=1e-9)
    assert found.columns == pytest.approx(columns, abs=1e-9)


def test_both_mixtures_secure_the_value_in_any_game() -> None:
    random = np.random.default_rng(3)
    for _ in range(30):
        matrix = random.normal(-3, 2, random.integers(1, 7, 2))
        found = equilibrium(matrix)
        assert sum(found.rows) == pytest.approx(1)
        assert sum(found.columns) == pytest.approx(1)
        assert (np.array(found.rows) @ matrix).min() == pytest.approx(found.value)
        assert (matrix @ np.array(found.columns)).max() == pytest.approx(found.value)
        assert (row_exploitability(matrix, found.value) > -1e-9).all()
        assert (column_exploitability(matrix, found.value) > -1e-9).all()


def test_exploitability_by_hand() -> None:
    matrix = [[4, 2, 3], [1, 0, 5]]
    assert row_exploitability(matrix, 2).tolist() == [0, 2]
    assert column_exploitability(matrix, 2).tolist() == [2, 0, 3]


def test_what_all_cells_of_a_deal_share_widens_the_value_but_no_difference() -> None:
    random = np.random.default_rng(4)
    small = random.normal(0, 0.1, (200, 2, 2)) + np.array([[3.0, 1.0], [0.0, 2.0]])
    shifted = small + random.normal(0, 5, (200, 1, 1))
    alone, moved = (solve_deals(cells, 1, resamples=60) for cells in (small, shifted))
    assert moved.value_se > 10 * alone.value_se
    assert moved.value_se == pytest.approx(5 / np.sqrt(200), rel=0.35)
    assert moved.rows[0].low == pytest.approx(alone.rows[0].low, abs=1e-6)
    for one, other in zip(moved.row_exploitability, alone.row_exploitability, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)
    assert alone.value.estimate in alone.value


def test_equal_strategies_are_not_found_exploitable() -> None:
    random = np.random.default_rng(5)
    covered = []
    for seed in range(15):
        cells = random.normal(0, 1, (60, 3, 3)) + random.normal(0, 2, (60, 1, 1))
        found = solve_deals(cells, seed, resamples=60)
        covered += [0.0 in one for one in found.row_exploitability + found.column_exploitability]
    assert np.mean(covered) > 0.85  # percentiles alone: 60%


@pytest.mark.parametrize("bad", [[], [[]], [1, 2], [[1, float("nan")]]])
def test_what_is_no_matrix_is_refused(bad: list[float]) -> None:
    with pytest.raises(SettingError, match="needs a matrix"):
        equilibrium(bad)
    with pytest.raises(SettingError, match="least two deals"):
        solve_deals([bad], 1)
