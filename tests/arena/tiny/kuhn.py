"""Kuhn poker, walked through by hand, and any OpenSpiel game, for the solver's tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

from tribridge.arena.tiny.treeplex import Builder, Judgement, LeafGame


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
