"""Joint play of learners: a coarse correlated equilibrium, judged by another count."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tribridge.lab.tiny.correlated import learn
from tribridge.lab.tiny.treeplex import LeafGame, Treeplex

ONE_CHOICE = Treeplex(np.array([0]), np.array([2]), (1,))


def matrix_game(payoffs: np.ndarray) -> LeafGame:
    """Three players with two actions each; payoffs (3, 2, 2, 2)."""
    ends = np.array(list(product(range(2), repeat=3)))
    last = tuple((1 + ends[:, player]).astype(np.int32) for player in range(3))
    return LeafGame((ONE_CHOICE,) * 3, last, tuple(payoffs.reshape(3, -1)))


def test_a_dominant_action_is_learned() -> None:
    payoffs = np.zeros((3, 2, 2, 2))
    for player in range(3):
        np.moveaxis(payoffs[player], player, 0)[1] = 1.0
    (joint,) = learn(matrix_game(payoffs), [200])
    assert joint.values == pytest.approx((1, 1, 1), abs=0.02)
    assert abs(joint.gap) < 0.02


def test_the_gap_is_what_a_fixed_action_gains_over_the_whole_history() -> None:
    payoffs = np.random.default_rng(4).normal(size=(3, 2, 2, 2))
    game, stops = matrix_game(payoffs), [1, 2, 7]
    found = {joint.iterations: joint for joint in learn(game, stops)}
    # Independently: regret matching plus on the matrix itself.
    strategy, regrets = np.full((3, 2), 0.5), np.zeros((3, 2))
    paid, fixed, weight = np.zeros(3), np.zeros((3, 2)), 0
    for iteration in range(1, 8):
        weight += iteration
        old = strategy.copy()
        for player in range(3):
            first, second = (old[at] for at in range(3) if at != player)
            worth = np.einsum("aij,i,j->a", np.moveaxis(payoffs[player], player, 0), first, second)
            paid[player] += iteration * worth @ old[player]
            fixed[player] += iteration * worth
            regrets[player] = np.maximum(regrets[player] + worth - worth @ old[player], 0)
            total = regrets[player].sum()
            strategy[player] = regrets[player] / total if total > 0 else 0.5
        if iteration in stops:
            joint = found[iteration]
            assert joint.values == pytest.approx(paid / weight)
            assert joint.gains == pytest.approx((fixed.max(1) - paid) / weight)


def test_joint_play_comes_close_where_nobody_has_a_pure_answer() -> None:
    """Matching pennies between neighbours: the first two match, the third wants to differ."""
    payoffs = np.zeros((3, 2, 2, 2))
    for a, b, c in product(range(2), repeat=3):
        payoffs[:, a, b, c] = (a == b), (b == c), (c != a)
    early, late = learn(matrix_game(payoffs), [10, 2000])
    assert late.gap < 0.05
    assert late.gap < abs(early.gap) + 0.05
