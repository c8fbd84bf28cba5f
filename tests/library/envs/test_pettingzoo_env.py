"""The PettingZoo environment: PettingZoo's own tests, and the table's game action by action."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is missing: pip install '.[envs]'")

from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import BaseWrapper

from tests.library.envs.reading import exchange
from tests.library.game.playing import choose
from tribridge.cards.cards import FULL_DECK, Card, Deck, Hand
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, TribridgeError
from tribridge.envs.encoding import Encoding
from tribridge.envs.pettingzoo_env import AGENTS, SEATS, ThreeSeats, env
from tribridge.game import Table, find_scheme, scores, settle, view

DECKS = [FULL_DECK, Deck(4, 3), Deck(3, 4), Deck(2, 4)]


class Shifted(BaseWrapper[str, Any, int]):  # type: ignore[misc]
    """An environment whose seeds are moved on: PettingZoo's test has a single one."""

    def __init__(self, shift: int, **settings: Any) -> None:
        super().__init__(env(**settings))
        self.shift = shift

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(None if seed is None else seed + self.shift, options)


@pytest.mark.parametrize("doubles", [False, True])
@pytest.mark.parametrize("deck", DECKS, ids=str)
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo lists its own with masks
def test_api(deck: Deck, doubles: bool) -> None:
    """Warnings are errors in these tests, so there are no others."""
    api_test(env(deck=deck, doubles=doubles), num_cycles=150)


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_seeds(deck: Deck) -> None:
    for shift in range(25):
        seed_test(lambda shift=shift: Shifted(shift, deck=deck, doubles=True), num_cycles=40)


def test_different_seeds_give_different_deals_and_all_dealers() -> None:
    game = ThreeSeats()
    seen = set()
    for seed in range(20):
        game.reset(seed=seed)
        seen.add((game.table.deal, game.table.dealer))
    assert len({deal for deal, _ in seen}) == 20
    assert {dealer for _, dealer in seen} == set(Seat)


def test_without_a_seed_the_next_deal_is_another_one() -> None:
    game = ThreeSeats()
    game.reset(seed=1)
    first = game.table.deal
    game.reset()
    second = game.table.deal
    game.reset(seed=1)
    assert game.table.deal == first
    game.reset()
    assert game.table.deal == second != first


def check_state(state: Any, table: Table, encoding: Encoding) -> None:
    """What North sees, and the cards left of all other hands."""
    north, others = state[: encoding.size], state[encoding.size :].reshape(3, -1)
    assert np.array_equal(north, encoding.observe(view(table, Seat.NORTH)))
    gone = Hand(action for action in table.history if isinstance(action, Card))
    for bits, hand in zip(others, table.deal.hands[1:], strict=True):
        assert Hand(encoding.cards[place] for place in bits.nonzero()[0]) == hand - gone


@pytest.mark.parametrize("scheme", ["auction", "old"])
@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_random_games_agree_with_the_table_action_by_action(deck: Deck, scheme: str) -> None:
    game = env(deck=deck, scheme=scheme, doubles=True)
    encoding = game.unwrapped.rules.encoding
    random = Random(1)
    dummies = 0
    for seed in range(12):
        game.reset(seed=seed)
        table = game.unwrapped.table
        for agent in game.agent_iter():
            seen, reward, terminated, truncated, info = game.last()
            assert game.observation_space(agent).contains(seen)
            assert np.array_equal(seen["observation"], encoding.observe(view(table, SEATS[agent])))
            assert np.array_equal(seen["action_mask"], info["action_mask"])
            check_state(game.state(), table, encoding)
            if terminated:
                break
            assert (reward, truncated) == (0, False)
            turn = table.turn
            assert turn is not None
            assert agent == AGENTS[turn]
            legal = {encoding.number(action) for action in table.legal}
            assert set(np.flatnonzero(info["action_mask"])) == legal
            for other in set(AGENTS) - {agent}:
                assert not game.infos[other]["action_mask"].any()
            action = choose(table, random, 0.4)
            dummies += table.position is not None and action in table.deal.hidden
            table = table.apply(action)
            game.step(encoding.number(action))
            assert game.unwrapped.table == table
        outcome = table.outcome
        assert outcome is not None
        expected = settle(scores(outcome, find_scheme(scheme), deck))
        rewards = {agent: game.rewards[agent] for agent in AGENTS}
        assert rewards == dict(zip(AGENTS, map(float, expected), strict=True))
        assert sum(rewards.values()) == 0
        for _ in AGENTS:
            assert game.last()[1] == rewards[game.agent_selection]
            game.step(None)
        assert not game.agents
    assert dummies > 0  # declarer has played from dummy


def test_an_observation_does_not_change_with_hidden_cards() -> None:
    """Two tables that differ in cards that an agent cannot see look the same to it."""
    game = ThreeSeats(deck="4x3")
    random = Random(3)
    for seed in range(10):
        game.reset(seed=seed)
        while not game.table.over:
            for seat, agent in enumerate(AGENTS):
                table, before = game.table, game.observe(agent)["observation"]
                game._dealt = exchange(table, Seat(seat), random)
                assert np.array_equal(game.observe(agent)["observation"], before)
                game._dealt = table
            game.step(game.rules.encoding.number(choose(game.table, random)))


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    game = ThreeSeats(deck="2x4")
    game.reset(options={"deal": "N:J.J A.K Q.A K.Q", "dealer": "E"})
    before = game.table
    with pytest.raises(IllegalActionError, match="cannot call Double"):
        game.step(4)
    with pytest.raises(IllegalActionError, match="expected a number"):
        game.step(None)
    assert game.table is before
    assert game.agent_selection == "player_1"


def test_nothing_can_be_done_before_there_is_a_deal() -> None:
    for use in (ThreeSeats.last, ThreeSeats.agent_iter, ThreeSeats.state):
        with pytest.raises(IllegalActionError, match=r"call reset\(\) first"):
            use(ThreeSeats())
    with pytest.raises(IllegalActionError, match=r"call reset\(\) first"):
        ThreeSeats().step(35)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deck": "2x3"}, "6 cards cannot be dealt into four equal hands"),
        ({"deck": "thirteen"}, "cannot read deck"),
        ({"deck": 52}, "no deck of 52 suits"),
        ({"scheme": "rubber"}, "unknown scoring scheme 'rubber'"),
        ({"scheme": 7}, "unknown scoring scheme 7"),
        ({"doubles": "no"}, "doubles='no': expected True or False"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        ThreeSeats(**settings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": "N:J.J A.K Q.A K.K"}, "is in both"),
        ({"deal": 7}, "7 is not a deal of a 2x4 deck"),
        ({"dealer": "W"}, "unknown seat 'W'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        ThreeSeats(deck="2x4").reset(options=options)


def test_the_table_is_drawn() -> None:
    game = ThreeSeats(deck="2x4", render_mode="ansi")
    game.reset(seed=1)
    assert game.render() == str(game.table)
    assert ThreeSeats().render() is None
