"""Games walked from their root: Kuhn poker, and any OpenSpiel game, for the solver's tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from tribridge.lab.tiny.card_play import WholeGame
from tribridge.lab.tiny.treeplex import Ints, Judgement, LeafGame, Treeplex


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


def kuhn_poker() -> LeafGame:
    """Three cards, an ante of 1, one bet of 1: the first player's value is -1/18."""
    builder = Builder(2)
    ends: dict[str, Callable[[int], int]] = {
        "pp": lambda best: best,
        "bb": lambda best: 2 * best,
        "pbb": lambda best: 2 * best,
        "bp": lambda best: 1,
        "pbp": lambda best: -1,
    }

    def walk(cards: Sequence[int], history: str, last: tuple[int, int]) -> None:
        if history in ends:
            best = 1 if cards[0] > cards[1] else -1
            payoff = ends[history](best) / 6
            builder.end(last, (payoff, -payoff))
            return
        player = len(history) % 2
        first = builder.choose(player, (cards[player], history), 2, last[player])
        for at, action in enumerate("pb"):
            after = (first + at, last[1]) if player == 0 else (last[0], first + at)
            walk(cards, history + action, after)

    for cards in permutations(range(3), 2):
        walk(cards, "", (0, 0))
    return builder.game()[0]


def from_openspiel(game: Any) -> tuple[LeafGame, list[dict[str, tuple[int, list[int]]]]]:
    """A game of OpenSpiel, and for each player's information state its first option and actions."""
    builder = Builder(game.num_players())
    actions: list[dict[str, list[int]]] = [{} for _ in range(game.num_players())]

    def walk(state: Any, chance: float, last: tuple[int, ...]) -> None:
        if state.is_terminal():
            builder.end(last, [chance * payoff for payoff in state.returns()])
            return
        if state.is_chance_node():
            for outcome, share in state.chance_outcomes():
                walk(state.child(outcome), chance * share, last)
            return
        player = state.current_player()
        key, legal = state.information_state_string(player), state.legal_actions()
        actions[player][key] = legal
        first = builder.choose(player, key, len(legal), last[player])
        for at, action in enumerate(legal):
            after = (*last[:player], first + at, *last[player + 1 :])
            walk(state.child(action), chance, after)

    walk(game.new_initial_state(), 1.0, (0,) * game.num_players())
    leaf_game, places = builder.game()
    found = [
        {
            key: (int(tree.firsts[place[builder.numbers[player][key]]]), legal)
            for key, legal in options.items()
        }
        for player, (tree, place, options) in enumerate(
            zip(leaf_game.trees, places, actions, strict=True)
        )
    ]
    return leaf_game, found


def best_response(judged: Judgement, player: int) -> float:
    """The most that a player can get against the others of a profile."""
    return judged.values[player] + judged.gains[player]


def places(whole: WholeGame, seat: int) -> list[list[tuple[slice, slice]]]:
    """For each contract and each layer of a seat's play: its information sets there, and here.

    The first slice counts within the play's own tree, the second one within the whole game's.
    """
    plays = (whole.play_of(seat, contract) for _, contract in whole.contracts)
    trees = [play.game.trees[role] for play, role in plays]
    free = len(whole.auction.trees[seat].counts)
    result: list[list[tuple[slice, slice]]] = [[] for _ in trees]
    for layer in range(max(len(tree.layers) for tree in trees)):
        for at, tree in enumerate(trees):
            if layer < len(tree.layers):
                start, size = sum(tree.layers[:layer]), tree.layers[layer]
                result[at].append((slice(start, start + size), slice(free, free + size)))
                free += size
    return result
