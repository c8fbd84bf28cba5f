"""A player's decisions in sequence form, and games made of them.

A *sequence* is one choice of a player after all of their own earlier ones; sequence 0 is the empty
one. An *information set* is a point where the player chooses: it follows one sequence (its parent)
and its options are sequences with consecutive numbers. Information sets are sorted by how many
others of the same player come before them, so that everything is computed layer by layer.

A *strategy* has for each sequence the probability of that choice in its information set; a *plan*
has for each sequence the product of these probabilities along the way (the player's part of the
probability that it is played). Both have 1 for the empty sequence. The payoffs of a game are linear
in each player's plan; the coefficients, given the plans of the others, are its *gradient*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The decisions of one player."""

    parents: Ints
    """For each information set the sequence that it follows."""
    counts: Ints
    """How many options it has."""
    layers: tuple[int, ...]
    """How many information sets are in each layer; parents are in earlier layers."""

    @cached_property
    def firsts(self) -> Ints:
        """For each information set the number of its first option."""
        return 1 + np.cumsum(self.counts) - self.counts

    @property
    def sequences(self) -> int:
        """How many sequences there are, with the empty one."""
        return 1 + int(self.counts.sum())

    @cached_property
    def slices(self) -> list[tuple[slice, slice]]:
        """The information sets and the sequences of each layer."""
        ends = np.cumsum(self.layers)
        limits = np.concatenate([self.firsts, [self.sequences]])
        return [
            (slice(end - size, end), slice(int(limits[end - size]), int(limits[end])))
            for size, end in zip(self.layers, ends.tolist(), strict=True)
        ]

    def sums(self, values: Floats) -> Floats:
        """The sum over the options of each information set."""
        result: Floats = np.add.reduceat(values, self.firsts)
        return result

    def normalised(self, weights: Floats) -> Floats:
        """The strategy in proportion to weights; uniform where all of them are 0."""
        totals = self.sums(weights)
        empty = totals <= 0
        safe = np.repeat(np.where(empty, 1.0, totals), self.counts)
        uniform = np.repeat(np.where(empty, 1 / self.counts, 0.0), self.counts)
        return np.concatenate([[1.0], weights[1:] / safe + uniform])

    def uniform(self) -> Floats:
        """The strategy that chooses each option equally often."""
        return self.normalised(np.zeros(self.sequences))

    def plan(self, strategy: Floats) -> Floats:
        """The plan of a strategy."""
        plan = strategy.copy()
        for sets, options in self.slices:
            plan[options] *= np.repeat(plan[self.parents[sets]], self.counts[sets])
        return plan

    def values(self, gradient: Floats, strategy: Floats | None = None) -> Floats:
        """What each sequence is worth, with all that follows it; the first is the game's value.

        Later choices are those of the strategy, or the best ones if none is given.
        """
        values = gradient.copy()
        for sets, options in reversed(self.slices):
            starts = self.firsts[sets] - options.start
            worth = values[options]
            if strategy is None:
                each = np.maximum.reduceat(worth, starts)
            else:
                each = np.add.reduceat(worth * strategy[options], starts)
            values[: options.start] += np.bincount(
                self.parents[sets], weights=each, minlength=options.start
            )
        return values


class SequenceGame(Protocol):
    """What the solver needs of a game."""

    @property
    def trees(self) -> Sequence[Treeplex]:
        """The decisions of each player."""

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        """What each sequence of a player adds to the payoff, given the others' plans."""


@dataclass(frozen=True, eq=False)
class LeafGame:
    """A game given by all its ends, one column each."""

    trees: tuple[Treeplex, ...]
    last: tuple[NDArray[np.int32], ...]
    """For each player the last sequence on the way to each end."""
    payoffs: tuple[Floats, ...]
    """For each player the payoff of each end times the probability that chance allows it."""

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        weights = self.payoffs[player]
        for other, plan in enumerate(plans):
            if other != player:
                weights = weights * plan[self.last[other]]
        size = self.trees[player].sequences
        summed = np.bincount(self.last[player], weights=weights, minlength=size)
        return np.asarray(summed, np.float64)


Layer = tuple[Ints, Ints, Ints]
"""A player's choice before each end: its information set (-1: none), how many options it has, and
which of them is taken."""


def leaf_game(players: Sequence[Sequence[Layer]], payoffs: Sequence[Floats]) -> LeafGame:
    """A game from the layers of each player's choices and the payoffs times chance.

    In each layer the information sets keep the order of their numbers.
    """
    trees, ends = [], []
    for layers in players:
        last = np.zeros(len(payoffs[0]), np.int64)
        parents, counts, free = [last[:0]], [last[:0]], 1
        for numbers, sizes, options in layers:
            here = np.flatnonzero(numbers >= 0)
            end_of = np.full(numbers.max() + 1, -1)
            end_of[numbers[here]] = here
            known = end_of[end_of >= 0]
            place = np.cumsum(end_of >= 0)[numbers[here]] - 1
            assert (last[here] == last[known][place]).all(), "a set without perfect recall"
            parents.append(last[known])
            counts.append(sizes[known])
            firsts = free + np.cumsum(counts[-1]) - counts[-1]
            last[here] = firsts[place] + options[here]
            free += int(counts[-1].sum())
        sizes_of = tuple(len(layer) for layer in parents[1:])
        trees.append(Treeplex(np.concatenate(parents), np.concatenate(counts), sizes_of))
        ends.append(last.astype(np.int32))
    return LeafGame(tuple(trees), tuple(ends), tuple(payoffs))


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


def judge(game: SequenceGame, profile: Sequence[Floats]) -> Judgement:
    """The value of a profile for each player, and what best responses gain."""
    plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
    values, gains = [], []
    for player, tree in enumerate(game.trees):
        gradient = game.gradient(player, plans)
        values.append(float(gradient @ plans[player]))
        gains.append(float(tree.values(gradient)[0]) - values[-1])
    return Judgement(tuple(values), tuple(gains))


def random_profile(game: SequenceGame, seed: int) -> list[Floats]:
    """Strategies drawn at random, uniformly in each information set."""
    rng = np.random.default_rng(seed)
    return [tree.normalised(rng.exponential(size=tree.sequences)) for tree in game.trees]


class CFRPlus:
    """The solver: regrets and the averages so far.

    The first strategies are uniform, or those of `start`; regrets start at zero either way.
    """

    def __init__(self, game: SequenceGame, start: Sequence[Floats] | None = None) -> None:
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
