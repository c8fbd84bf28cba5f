"""CFR+ and exact best responses for any game in sequence form.

Counterfactual regret minimisation with regret matching plus, alternating updates and linear
averaging (Tammelin 2014), the variant of OpenSpiel's `CFRPlusSolver`. In a two-player zero-sum game
the average strategies converge to an equilibrium. With three players nothing guarantees that, which
is why every result comes with its NashConv: for each player, what the best response to the others
gains over the player's own strategy. A profile is an equilibrium if and only if all gains are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribridge.training.tiny.treeplex import Floats, Game


@dataclass(frozen=True, slots=True)
class Judgement:
    """A profile of strategies, judged exactly."""

    values: tuple[float, ...]
    """Each player's expected payoff."""
    gains: tuple[float, ...]
    """What each player's best response to the others gains."""

    @property
    def nash_conv(self) -> float:
        return sum(self.gains)


def judge(game: Game, profile: Sequence[Floats]) -> Judgement:
    """The value of a profile for each player, and what best responses gain."""
    plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
    values, gains = [], []
    for player, tree in enumerate(game.trees):
        gradient = game.gradient(player, plans)
        values.append(float(gradient @ plans[player]))
        gains.append(float(tree.values(gradient)[0]) - values[-1])
    return Judgement(tuple(values), tuple(gains))


def best_response(game: Game, player: int, profile: Sequence[Floats]) -> float:
    """The most that a player can get against the others of a profile."""
    plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
    return float(game.trees[player].values(game.gradient(player, plans))[0])


def random_profile(game: Game, seed: int) -> list[Floats]:
    """Strategies drawn at random, uniformly in each information set."""
    rng = np.random.default_rng(seed)
    return [tree.normalised(rng.exponential(size=tree.sequences)) for tree in game.trees]


class CFRPlus:
    """The solver: regrets and the averages so far.

    The first strategies are uniform, or those of `start`; regrets start at zero either way.
    """

    def __init__(self, game: Game, start: Sequence[Floats] | None = None) -> None:
        self.game = game
        self.iterations = 0
        self._profile = [tree.uniform() for tree in game.trees] if start is None else list(start)
        self._plans = [
            tree.plan(strategy) for tree, strategy in zip(game.trees, self._profile, strict=True)
        ]
        self._regrets = [np.zeros(tree.sequences) for tree in game.trees]
        self._totals = [np.zeros(tree.sequences) for tree in game.trees]

    def run(self, iterations: int) -> None:
        """Further iterations."""
        for _ in range(iterations):
            self.iterations += 1
            for player, tree in enumerate(self.game.trees):
                self._totals[player] += self.iterations * self._plans[player]
                gradient = self.game.gradient(player, self._plans)
                strategy, regrets = self._profile[player], self._regrets[player]
                values = tree.values(gradient, strategy)
                expected = tree.sums(values * strategy)
                regrets[1:] += values[1:] - np.repeat(expected, tree.counts)
                np.maximum(regrets, 0, out=regrets)
                self._profile[player] = tree.normalised(regrets)
                self._plans[player] = tree.plan(self._profile[player])

    @property
    def average(self) -> list[Floats]:
        """The average strategies; uniform in information sets that a player never lets happen."""
        return [
            tree.normalised(total)
            for tree, total in zip(self.game.trees, self._totals, strict=True)
        ]
