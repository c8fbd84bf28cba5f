"""Exact values of tiny decks, proved from both ends by an independent reckoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.lab.tiny import slow_team
from tribridge.cards.cards import Card, Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.common.errors import NotFoundError, SettingError
from tribridge.game.table import Table
from tribridge.game.tricks import Chair
from tribridge.lab.tiny.card_play import card_play, spot_table
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.team import JointPlan, TeamGame, dummies, measure
from tribridge.lab.tiny.treeplex import Treeplex

CASES = [("4x2", Strain.NOTRUMP, 0), ("4x2", Strain.NOTRUMP, 1), ("2x4", Strain.NOTRUMP, 9)]
"""A game with a mixed equilibrium, one better and one worse for the declarer than double dummy."""


def team_game(deck: str, strain: Strain, kind: int) -> TeamGame:
    dummy, _ = dummies(Deck(deck), strain)[kind]
    return TeamGame(card_play(Layouts(Deck(deck)), strain, dummy), dummy)


def starts(game: TeamGame) -> list[Table]:
    play = game.play
    dummy = int(play.layouts.chairs[play.deals[0], Chair.DUMMY])
    return list(slow_team.tables(play.layouts.deck, play.strain, dummy))


def policy_of(game: TeamGame, strategies: Mapping[int, Any]) -> slow_team.Policy:
    """The chances of each choice, from the strategies of some players."""
    play = game.play
    places = {}
    for player, strategy in strategies.items():
        firsts = play.game.trees[player].firsts.tolist()
        for first, spot in zip(firsts, play.spots[player], strict=True):
            hand = int(play.layouts.chairs[spot.deal][(0, 1, 3)[player]])
            for at, card in enumerate(spot.options):
                places[Seat(player), hand, spot.played, card] = float(strategy[first + at])

    def policy(where: slow_team.Key, card: Card) -> float:
        return places[*where, card]

    return policy


def strategy_of(tree: Treeplex, plan: Any) -> Any:
    before = np.repeat(plan[tree.parents], tree.counts)
    chances = np.divide(plan[1:], before, out=np.zeros(len(before)), where=before > 0)
    return np.concatenate([[1.0], chances])


def team_of(game: TeamGame, plan: JointPlan) -> dict[int, Any]:
    """The two strategies of a joint plan."""
    result = {}
    for player, sets, options in ((1, game.hands, plan[0]), (2, game.thirds, plan[1])):
        result[player] = np.zeros(game.play.game.trees[player].sequences)
        result[player][1 + 2 * sets + np.array(options)] = 1
    return result


@pytest.mark.slow
@pytest.mark.parametrize(("deck", "strain", "kind"), CASES)
def test_what_the_declarer_secures_and_what_the_team_holds_him_to_meet(
    deck: str, strain: Strain, kind: int
) -> None:
    game = team_game(deck, strain, kind)
    secured, held, plan, mixture = game.solve()
    tables = starts(game)
    assert len(tables) == len(np.unique(game.play.deals)) == 90
    policy = policy_of(game, {0: strategy_of(game.tree, plan)})
    assert slow_team.team_least(tables, policy) == pytest.approx(secured, abs=1e-6)
    team = [(share, policy_of(game, team_of(game, joint))) for share, joint in mixture]
    assert slow_team.declarer_most(tables, team) == pytest.approx(held, abs=1e-6)
    assert secured == pytest.approx(held, abs=1e-6)


def test_best_answers_to_any_play_are_those_of_the_slow_reckoning() -> None:
    random = np.random.default_rng(8)
    game = team_game("2x4", Strain.DIAMONDS, 11)
    tables = starts(game)
    declarer, left, right = (
        tree.normalised(random.exponential(size=tree.sequences)) for tree in game.play.game.trees
    )
    slow = slow_team.team_least(tables, policy_of(game, {0: declarer}))
    assert game.team_answer(game.tree.plan(declarer))[0][0] == pytest.approx(slow, abs=1e-6)
    most = slow_team.declarer_most(tables, [(1.0, policy_of(game, {1: left, 2: right}))])
    assert game.declarer_answer(game.reach(left, right)) == pytest.approx(most, abs=1e-9)


def test_the_kinds_of_dummies_stand_for_all() -> None:
    for deck, strain in (("2x4", Strain.NOTRUMP), ("2x4", Strain.CLUBS), ("4x2", Strain.HEARTS)):
        assert sum(count for _, count in dummies(Deck(deck), strain)) == 28
    assert len(dummies(Deck("2x4"), Strain.CLUBS)) == 28  # a trump suit is like no other
    assert len(dummies(Deck("4x2"), Strain.NOTRUMP)) == 4  # AK, A A, A K, K K of two suits


@pytest.mark.slow
def test_strategies_stand_on_the_far_side_of_the_value() -> None:
    found = measure(Deck("4x2"), Strain.NOTRUMP, ("random", "capture"), draws=3)
    value = found.value
    assert value.tricks == pytest.approx(209 / 420, abs=1e-9)
    assert value.secured == pytest.approx(value.held, abs=1e-8)
    assert value.double_dummy == pytest.approx(17 / 35, abs=1e-9)
    for one in found.strategies:
        assert one.declarer <= value.tricks + 1e-9
        assert one.defence >= value.tricks - 1e-9
    random = found.strategies[0]
    assert random.declarer < 0.45
    assert random.defence > 0.6


def test_a_spot_comes_up_at_its_table() -> None:
    game = team_game("2x4", Strain.NOTRUMP, 7)
    for player, spots in enumerate(game.play.spots):
        for spot in spots:
            position = spot_table(game.play, spot).position
            assert position is not None
            assert (position.chair, position.trick) == (spot.chair, spot.played)
            owner = (Chair.DECLARER, Chair.LEFT, Chair.RIGHT)[player]
            assert position.dealt()[owner] == game.play.layouts.chairs[spot.deal, owner]


def test_larger_decks_are_refused() -> None:
    with pytest.raises(SettingError, match="decks of 8"):
        measure(Deck("2x6"), Strain.NOTRUMP)
    with pytest.raises(NotFoundError, match="unknown player"):
        measure(Deck("2x4"), Strain.NOTRUMP, ("nobody",))
