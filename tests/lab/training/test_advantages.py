"""Advantages by hand: what a choice was worth beyond the critic's estimate."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.common.arrays import Place, fetch, put
from tribridge.lab.training.advantages import estimate


def test_estimates_pass_through_forced_cards(place: Place) -> None:
    """Three cards, the second forced, the critic right: nothing is better than expected."""
    won, value = (put(np.array(rows), place) for rows in ([[0.0], [1], [0]], [[2.0], [9], [1]]))
    last, free = put(np.array([1.0]), place), put(np.array([[True], [False], [True]]), place)
    back, advantage = map(fetch, estimate(value, won, last, free, 0.9))
    assert advantage[[0, 2], 0].tolist() == [0, 0]
    assert back[[0, 2], 0].tolist() == [2, 1]
    back, advantage = map(fetch, estimate(value - 1, won, last, free, 0.5))
    assert advantage[2, 0] == 1
    assert advantage[0, 0] == pytest.approx(0 + 0.5)


def test_with_full_horizon_the_advantage_is_what_came_less_what_was_expected(
    place: Place,
) -> None:
    rng = np.random.default_rng(1)
    won, value, last = rng.random((6, 4)), rng.random((6, 4)), rng.random(4)
    free = np.ones((6, 4), bool)
    values, wins, ends, choices = (put(part, place) for part in (value, won, last, free))
    back, advantage = map(fetch, estimate(values, wins, ends, choices, 1.0))
    to_come = won[::-1].cumsum(0)[::-1] + last
    np.testing.assert_allclose(back, to_come)
    np.testing.assert_allclose(advantage, to_come - value)
