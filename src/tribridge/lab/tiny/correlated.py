"""Joint play of learners, and how far it is from a coarse correlated equilibrium.

Players who minimise regret, whatever the others do, end up with joint play in which nobody gains
by one fixed strategy instead: a coarse correlated equilibrium. It is a distribution over profiles,
here over those of all iterations, and with three players it is all that such learning promises: the
profile of the average strategies, which NashConv judges, need not come close to an equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tribridge.lab.tiny.treeplex import Floats, SequenceGame


@dataclass(frozen=True, slots=True)
class JointPlay:
    """The joint play of so many iterations, later ones counting more, judged exactly."""

    iterations: int
    values: tuple[float, ...]
    """Each player's expected payoff."""
    gains: tuple[float, ...]
    """What each player gains by the best fixed strategy; below 0 if all of them lose."""

    @property
    def gap(self) -> float:
        """The most that any player gains."""
        return max(self.gains)


def learn(
    game: SequenceGame, stops: Sequence[int], start: Sequence[Floats] | None = None
) -> Iterator[JointPlay]:
    """Regret matching plus by all players at once: the joint play after some iterations.

    The profile of iteration t counts t times.
    """
    profile = [tree.uniform() for tree in game.trees] if start is None else list(start)
    regrets = [np.zeros(tree.sequences) for tree in game.trees]
    gradients = [np.zeros(tree.sequences) for tree in game.trees]
    paid, weight = np.zeros(len(game.trees)), 0.0
    for iteration in range(1, max(stops) + 1):
        plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
        weight += iteration
        for player, tree in enumerate(game.trees):
            gradient = game.gradient(player, plans)
            gradients[player] += iteration * gradient
            paid[player] += iteration * float(gradient @ plans[player])
            strategy, own = profile[player], regrets[player]
            values = tree.values(gradient, strategy)
            own[1:] += values[1:] - np.repeat(tree.sums(values * strategy), tree.counts)
            np.maximum(own, 0, out=own)
            profile[player] = tree.normalised(own)
        if iteration in stops:
            best = [
                float(tree.values(total)[0])
                for tree, total in zip(game.trees, gradients, strict=True)
            ]
            yield JointPlay(
                iteration,
                tuple((paid / weight).tolist()),
                tuple(((np.array(best) - paid) / weight).tolist()),
            )
