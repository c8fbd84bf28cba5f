"""The solver: known values, exhaustive enumeration, and OpenSpiel's own CFR+ and NashConv."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.lab.tiny.kuhn import Builder, best_response, from_openspiel, kuhn_poker
from tribridge.lab.tiny.treeplex import (
    CFRPlus,
    Floats,
    LeafGame,
    Treeplex,
    judge,
    random_profile,
)

OPENSPIEL = "OpenSpiel is missing: pip install '.[openspiel]'"


def test_kuhn_poker_has_its_known_value() -> None:
    game = kuhn_poker()
    solver = CFRPlus(game)
    solver.run(2000)
    judged = judge(game, solver.average)
    assert judged.values[0] == pytest.approx(-1 / 18, abs=1e-4)
    assert judged.values[1] == pytest.approx(1 / 18, abs=1e-4)
    assert 0 <= judged.nash_conv < 1e-3
    assert min(judged.gains) >= 0


def test_a_random_start_reaches_the_same_value() -> None:
    game = kuhn_poker()
    solver = CFRPlus(game, random_profile(game, 3))
    assert judge(game, random_profile(game, 3)).nash_conv > 0.1
    solver.run(2000)
    assert judge(game, solver.average).values[0] == pytest.approx(-1 / 18, abs=1e-3)


def pure_strategies(tree: Treeplex) -> list[Floats]:
    """All strategies that choose one option in every information set."""
    result = []
    for choice in product(*(range(count) for count in tree.counts)):
        strategy = np.zeros(tree.sequences)
        strategy[0] = 1
        strategy[tree.firsts + np.array(choice)] = 1
        result.append(strategy)
    return result


def test_best_responses_are_those_of_all_pure_strategies() -> None:
    game = kuhn_poker()
    for seed in range(5):
        profile = random_profile(game, seed)
        for player, tree in enumerate(game.trees):
            values = []
            for strategy in pure_strategies(tree):
                mixed = [*profile]
                mixed[player] = strategy
                values.append(judge(game, mixed).values[player])
            assert len(values) == 64
            assert best_response(judge(game, profile), player) == pytest.approx(max(values))


def test_values_are_sums_over_ends() -> None:
    """The payoffs of a profile, end by end, in a game of three players."""
    builder = Builder(3)
    for a, b, c in product(range(2), repeat=3):
        first = [builder.choose(player, None, 2, 0) for player in range(3)]
        builder.end([first[0] + a, first[1] + b, first[2] + c], (a + 2 * b, b * c, -a * c))
    game, _ = builder.game()
    chances = (0.2, 0.5, 0.9)
    profile = [np.array([1.0, 1 - chance, chance]) for chance in chances]
    assert judge(game, profile).values == pytest.approx((0.2 + 1.0, 0.45, -0.18))
    assert judge(game, profile).gains == pytest.approx((0.8, 0.45, 0.18))


def policy_values(game: LeafGame, found: list[dict[str, Any]], policy: Any) -> list[Floats]:
    """An OpenSpiel policy as strategies."""
    profile = [np.ones(tree.sequences) for tree in game.trees]
    for player, sets in enumerate(found):
        for key, (first, actions) in sets.items():
            chances = policy.policy_for_key(key)
            profile[player][first : first + len(actions)] = [chances[one] for one in actions]
    return profile


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "tribridge(deck=1x4)"]
)
def test_openspiel_takes_the_same_steps(name: str) -> None:
    """Iteration by iteration the average strategies and NashConv are those of OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel", reason=OPENSPIEL)
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import cfr, exploitability

    import tribridge.envs.openspiel_game  # noqa: F401, registers the game

    oracle = pyspiel.load_game(name)
    game, found = from_openspiel(oracle)
    theirs, ours = cfr.CFRPlusSolver(oracle), CFRPlus(game)
    for _ in range(3 if name in ("leduc_poker", "tribridge(deck=1x4)") else 10):
        theirs.evaluate_and_update_policy()
        ours.run(1)
    average = policy_values(game, found, theirs.average_policy())
    mine = ours.average
    for tree, one, other in zip(game.trees, mine, average, strict=True):
        # Where a player never arrives, the average is arbitrary.
        np.testing.assert_allclose(tree.plan(one), tree.plan(other), atol=1e-9)
    judged = judge(game, average)
    conv = exploitability.nash_conv(oracle, theirs.average_policy(), return_only_nash_conv=False)
    assert judged.nash_conv == pytest.approx(conv.nash_conv, abs=1e-9)
    assert judged.gains == pytest.approx(conv.player_improvements, abs=1e-9)
    uniform = policies.UniformRandomPolicy(oracle)
    assert judge(game, [tree.uniform() for tree in game.trees]).nash_conv == pytest.approx(
        exploitability.nash_conv(oracle, uniform), abs=1e-9
    )
