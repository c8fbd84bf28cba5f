"""The Gymnasium environment: Gymnasium's own checks, and the table's game action by action."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is missing: pip install '.[envs]'")

import gymnasium
from gymnasium.utils.env_checker import check_env

from tests.library.envs.reading import exchange
from tests.library.game.playing import actions_of, choose
from tribridge.arena.playing import play
from tribridge.cards.cards import Deck
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, TribridgeError
from tribridge.envs.gymnasium_env import ID, SeatEnv, SelfPlayEnv
from tribridge.game import PASS, Table, find_scheme, new_table, scores, settle, view
from tribridge.strategies import find_strategy, guarded_act

DECKS = ["4x13", "4x3", "3x4", "2x4"]


def table_of(env: SeatEnv) -> Table:
    assert env.table is not None
    return env.table


@pytest.mark.parametrize("deck", DECKS)
def test_gymnasium_checks(deck: str) -> None:
    """Warnings are errors in these tests, so there are none."""
    check_env(gymnasium.make(ID, deck=deck, doubles=True).unwrapped)


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("opponents", ["points+maxims", ("pass+random", "random")])
def test_random_games_agree_with_the_table_action_by_action(deck: str, opponents: Any) -> None:
    env = SeatEnv(deck=deck, scheme="new", opponents=opponents, doubles=True, illegal="refuse")
    encoding = env.rules.encoding
    random = Random(1)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        table = table_of(env)
        start = new_table(table.deal, table.dealer, doubles=True)
        reward, terminated = 0.0, False
        while not terminated:
            table = table_of(env)
            assert table.turn is Seat.NORTH
            assert reward == 0
            legal = {encoding.number(action) for action in table.legal}
            assert set(np.flatnonzero(info["action_mask"])) == legal
            assert np.array_equal(env.action_masks(), info["action_mask"])
            action = choose(table, random, 0.3)
            _, reward, terminated, truncated, info = env.step(encoding.number(action))
            assert not truncated
            assert not info["replaced"]
            done = actions_of(table_of(env))
            assert done[: len(actions_of(table)) + 1] == [*actions_of(table), action]
        table = start
        for action in actions_of(table_of(env)):
            assert not table.over
            if table.turn is Seat.EAST and isinstance(opponents, tuple) and not table.contract:
                assert action is PASS  # the left opponent never bids
            table = table.apply(action)
        assert table.outcome is not None
        points = scores(table.outcome, find_scheme("new"), table.deal.deck)
        assert reward == settle(points)[Seat.NORTH]


def test_the_opponents_are_the_strategies_named() -> None:
    """With strategies that decide without chance the game is that of `play`."""
    env = SeatEnv(deck="4x3", opponents=("capture", "points+maxims"), illegal="refuse")
    north = find_strategy("points+capture")
    rng = np.random.default_rng(1)
    for seed in range(5):
        env.reset(seed=seed, options={"dealer": "S"})
        start = table_of(env).deal
        terminated = False
        while not terminated:
            choice = guarded_act(north, table_of(env), rng)
            _, _, terminated, _, _ = env.step(env.rules.encoding.number(choice.action))
        strategies = [north, find_strategy("capture"), find_strategy("points+maxims")]
        table = new_table(start, Seat.SOUTH, scheme=find_scheme("auction"))
        game = play(table, strategies, seed=1, number=0, stop=True)
        assert not game.faults
        assert game.table == table_of(env)


def test_the_same_seed_gives_the_same_game_with_opponents_that_choose_at_random() -> None:
    env = SeatEnv(deck="4x3", opponents="random")
    games = []
    for seed in (1, 2, 1):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            first = int(np.flatnonzero(info["action_mask"])[0])
            _, _, terminated, _, info = env.step(first)
        games.append(table_of(env))
    assert games[0] == games[2] != games[1]


def test_an_observation_does_not_change_with_hidden_cards() -> None:
    env = SeatEnv(opponents="random")
    random = Random(3)
    for seed in range(3):
        seen, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            for _ in range(3):
                other = exchange(table_of(env), Seat.NORTH, random)
                assert np.array_equal(env.rules.encoding.observe(view(other, Seat.NORTH)), seen)
            number = random.choice(np.flatnonzero(info["action_mask"]).tolist())
            seen, _, terminated, _, info = env.step(number)


def test_an_illegal_action_stands_for_the_first_legal_one() -> None:
    env = SeatEnv(deck="2x4", opponents="pass+random")
    env.reset(seed=1, options={"dealer": "N"})
    _, _, _, _, info = env.step(13)  # a card
    assert info["replaced"]
    assert table_of(env).auction.calls == (PASS, PASS, PASS)
    env.reset(seed=1, options={"dealer": "N"})
    env.step(2)  # 1NT
    table = table_of(env)
    _, _, _, _, info = env.step(2)
    assert info["replaced"]
    assert actions_of(table_of(env))[len(actions_of(table))] == table.legal[0]


def test_illegal_actions_are_refused_on_request() -> None:
    env = SeatEnv(deck="2x4", opponents="pass+random", illegal="refuse")
    with pytest.raises(IllegalActionError, match=r"yet: call reset\(\)"):
        env.step(0)
    env.reset(seed=1, options={"dealer": "N"})
    with pytest.raises(IllegalActionError, match="North cannot play"):
        env.step(13)
    env.step(3)
    with pytest.raises(IllegalActionError, match="deal is over"):
        env.step(3)


def test_numbers_outside_the_action_space_are_never_replaced() -> None:
    env = SeatEnv(deck="2x4")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="expected a number"):
        env.step(14)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": "nobody"}, "unknown strategy 'nobody'"),
        ({"opponents": ("random",)}, "are not two opponents: expected left and right"),
        ({"opponents": 7}, "7 is not a strategy"),
        ({"illegal": "punish"}, "illegal='punish': expected 'replace' or 'refuse'"),
        ({"deck": Deck(2, 3)}, "cannot be dealt into four equal hands"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        SeatEnv(**settings)


def test_the_table_is_drawn() -> None:
    env = gymnasium.make(ID, deck="2x4", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == str(env.unwrapped.table)


def test_self_play_is_made_by_its_id() -> None:
    """Gymnasium's warnings are errors here; the rules go through to the games."""
    envs = gymnasium.make_vec("tribridge/SelfPlay-v0", num_envs=5, deck="2x4", scheme="contract")
    same = SelfPlayEnv(5, deck="2x4", scheme="contract")
    seen, info = envs.reset(seed=3)
    expected, others = same.reset(seed=3)
    assert envs.num_envs == 5
    assert envs.spec is not None
    assert envs.observation_space.contains(seen)
    assert np.array_equal(seen, expected)
    for _ in range(30):
        actions = info["action_mask"].argmax(1)
        assert np.array_equal(info["action_mask"], others["action_mask"])
        _, rewards, *_, info = envs.step(actions)
        _, theirs, *_, others = same.step(actions)
        assert np.array_equal(rewards, theirs)
