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

from collections.abc import Hashable, Sequence
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
    def _slices(self) -> list[tuple[slice, slice]]:
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
        for sets, options in self._slices:
            plan[options] *= np.repeat(plan[self.parents[sets]], self.counts[sets])
        return plan

    def values(self, gradient: Floats, strategy: Floats | None = None) -> Floats:
        """What each sequence is worth, with all that follows it; the first is the game's value.

        Later choices are those of the strategy, or the best ones if none is given.
        """
        values = gradient.copy()
        for sets, options in reversed(self._slices):
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


class Builder:
    """Collects the ends of a game that is walked through from its root, for `LeafGame`.

    Sequences get provisional numbers on the way; `game` sorts the information sets into layers.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        self.numbers: list[dict[Hashable, int]] = [{} for _ in range(players)]
        """For each player the provisional number of each information set, by its key."""
        self._sets: list[list[tuple[int, int, int, int]]] = [[] for _ in range(players)]
        self._made = [1] * players
        self._depth: list[list[int]] = [[0] for _ in range(players)]
        self._ends: list[tuple[int, ...]] = []
        self._payoffs: list[tuple[float, ...]] = []

    def choose(self, player: int, key: Hashable, options: int, parent: int) -> int:
        """The provisional number of the first option of an information set."""
        number = self.numbers[player].setdefault(key, len(self._sets[player]))
        sets = self._sets[player]
        if number == len(sets):
            first, depth = self._made[player], self._depth[player][parent]
            sets.append((parent, options, depth, first))
            self._made[player] += options
            self._depth[player] += [depth + 1] * options
        assert sets[number][:2] == (parent, options), "an information set without perfect recall"
        return sets[number][3]

    def end(self, last: Sequence[int], payoffs: Sequence[float]) -> None:
        """An end of the game: each player's last sequence, and payoffs times chance."""
        self._ends.append(tuple(last))
        self._payoffs.append(tuple(payoffs))

    def game(self) -> tuple[LeafGame, list[Ints]]:
        """The game, and for each player the information sets' numbers by provisional number."""
        trees, places, renamings = [], [], []
        for sets in self._sets:
            table = np.array(sets, np.int64).reshape(-1, 4)
            order = np.argsort(table[:, 2], kind="stable")
            parents, counts, depths, firsts = table[order].T
            layers = tuple(np.bincount(depths).tolist()) if len(table) else ()
            renamed = np.zeros(1 + int(counts.sum()), np.int64)
            tree = Treeplex(parents, counts, layers)
            offsets = np.arange(1, tree.sequences) - np.repeat(tree.firsts, counts)
            renamed[np.repeat(firsts, counts) + offsets] = np.arange(1, tree.sequences)
            trees.append(Treeplex(renamed[parents], counts, layers))
            renamings.append(renamed)
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            places.append(place)
        ends = np.array(self._ends, np.int64).T
        payoffs = np.array(self._payoffs, np.float64).T
        last = tuple(
            renamed[column].astype(np.int32)
            for renamed, column in zip(renamings, ends, strict=True)
        )
        return LeafGame(tuple(trees), last, tuple(np.ascontiguousarray(payoffs))), places


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
