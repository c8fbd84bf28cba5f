"""Exact values of tiny decks, proved from both ends by an independent reckoning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.arena import slow_team
from tests.grids import thinned
from tribridge.arena.exact import TinyGame, dummies
from tribridge.arena.exact_strategies import measure, spot_table
from tribridge.cards import Card, Strain, parse_deck
from tribridge.deals import Seat
from tribridge.errors import NotFoundError, SettingError
from tribridge.game.tricks import Chair

CASES = [("4x2", Strain.NOTRUMP, 0), ("4x2", Strain.NOTRUMP, 1), ("2x4", Strain.NOTRUMP, 9)]
"""A game with a mixed equilibrium, one better and one worse for the declarer than double dummy."""


def declarer_policy(game: TinyGame, plan: Any) -> slow_team.Policy:
    """The chances of the declarer's choices, from the realisation plan."""

    def policy(where: slow_team.Key, card: Card) -> float:
        _, hand, cards = where
        number = game.sequences[(Chair((1 + len(cards)) % 4), hand, cards), card]
        before = plan[game.parents[number]]
        return float(plan[number] / before) if before > 0 else 0.0

    return policy


def team_policy(leads: Any, thirds: Any) -> slow_team.Policy:
    """The chances of the defenders' choices, from what each does in their positions."""

    def policy(where: slow_team.Key, card: Card) -> float:
        seat, hand, cards = where
        if seat is Seat.EAST:
            return float(leads[Chair.LEFT, hand, cards].get(card, 0.0))
        return float(thirds[Chair.RIGHT, hand, cards].get(card, 0.0))

    return policy


@pytest.mark.slow
@pytest.mark.parametrize(("deck", "strain", "kind"), thinned(reversed(CASES)))
def test_what_the_declarer_secures_and_what_the_team_holds_him_to_meet(
    deck: str, strain: Strain, kind: int
) -> None:
    tiny = parse_deck(deck)
    dummy, _ = dummies(tiny, strain)[kind]
    game = TinyGame(tiny, strain, dummy)
    found, plan, mixture = game.solve()
    starts = list(slow_team.tables(tiny, strain, dummy))
    assert len(starts) == len(game.deals) == 90
    secured = slow_team.team_least(starts, declarer_policy(game, plan))
    team = [
        (
            share,
            team_policy(
                {spot: {card: 1.0} for spot, card in one.leads.items()},
                {spot: {card: 1.0} for spot, card in one.thirds.items()},
            ),
        )
        for share, one in mixture
    ]
    held = slow_team.declarer_most(starts, team)
    assert secured == pytest.approx(held, abs=1e-6)
    assert found.tricks == pytest.approx(secured, abs=1e-6)
    assert (found.secured, found.held) == pytest.approx((secured, held), abs=1e-6)
    assert abs(found.tricks - found.double_dummy) > 0.01


def test_best_answers_to_any_play_are_those_of_the_slow_reckoning() -> None:
    deck, random = parse_deck("2x4"), np.random.default_rng(8)
    dummy, _ = dummies(deck, Strain.DIAMONDS)[11]
    game = TinyGame(deck, Strain.DIAMONDS, dummy)
    starts = list(slow_team.tables(deck, Strain.DIAMONDS, dummy))
    plan = np.ones(len(game.parents))
    for parent, options in game.spots.values():
        plan[options] = plan[parent] * random.dirichlet(np.ones(len(options)))
    slow = slow_team.team_least(starts, declarer_policy(game, plan))
    assert game.team_answer(plan)[0][0] == pytest.approx(slow, abs=1e-6)
    leads, thirds = (
        {
            spot: dict(zip(options, random.dirichlet(np.ones(len(options))), strict=True))
            for spot, options in spots.items()
        }
        for spots in (game.leads, game.thirds)
    )
    most = slow_team.declarer_most(starts, [(1.0, team_policy(leads, thirds))])
    assert game.declarer_answer(game.mixed_reach(leads, thirds)) == pytest.approx(most, abs=1e-9)


def test_the_kinds_of_dummies_stand_for_all() -> None:
    for deck, strain in (("2x4", Strain.NOTRUMP), ("2x4", Strain.CLUBS), ("4x2", Strain.HEARTS)):
        assert sum(count for _, count in dummies(parse_deck(deck), strain)) == 28
    assert len(dummies(parse_deck("2x4"), Strain.CLUBS)) == 28  # a trump suit is like no other
    assert len(dummies(parse_deck("4x2"), Strain.NOTRUMP)) == 4  # AK, A A, A K, K K of two suits


@pytest.mark.slow
def test_strategies_stand_on_the_far_side_of_the_value() -> None:
    found = measure(parse_deck("4x2"), Strain.NOTRUMP, ("random", "capture"), draws=3)
    whole = found.value
    assert whole.secured == pytest.approx(whole.held)
    assert whole.tricks == pytest.approx(209 / 420, abs=1e-9)
    assert whole.double_dummy == pytest.approx(17 / 35, abs=1e-9)
    for one in found.strategies:
        assert one.declarer <= whole.tricks + 1e-9
        assert one.defence >= whole.tricks - 1e-9
    random = found.strategies[0]
    assert random.declarer < 0.45
    assert random.defence > 0.6


def test_a_spot_comes_up_at_its_table() -> None:
    deck = parse_deck("2x4")
    dummy, _ = dummies(deck, Strain.NOTRUMP)[7]
    game = TinyGame(deck, Strain.NOTRUMP, dummy)
    for spot in game.examples:
        table = spot_table(game, spot)
        assert table.position is not None
        assert (table.position.chair, table.position.trick) == (spot[0], spot[2])
        owner = Chair.DECLARER if spot[0] is Chair.DUMMY else spot[0]
        assert table.position.dealt()[owner] == spot[1]


def test_larger_decks_are_refused() -> None:
    with pytest.raises(SettingError, match="decks of 8 cards can"):
        TinyGame(parse_deck("2x6"), Strain.NOTRUMP, 7)
    with pytest.raises(NotFoundError, match="unknown player"):
        measure(parse_deck("2x4"), Strain.NOTRUMP, ("nobody",))
