"""Games in lockstep: every observation, mask and reward is that of the table."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.cards.cards import Hand
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.envs.lockstep import LockstepGames
from tribridge.game import Table, new_table, view


def dealt(games: LockstepGames, game: int) -> Table:
    """The table of a game before its first call, from what its three seats see."""
    encoding, deck = games.rules.encoding, games.rules.deck
    field = encoding.fields["hand"]
    hands = [
        Hand([encoding.cards[place] for place in cards.nonzero()[0]])
        for cards in games.views()[game, :, field]
    ]
    hidden = Hand(deck.mask & ~sum(hand.mask for hand in hands))
    dealer = int(games.views()[game, 0, encoding.fields["dealer"]].argmax())
    deal = Deal.of([*hands, hidden], deck)
    rules = games.rules
    return new_table(deal, list(Seat)[dealer], doubles=rules.doubles, scheme=rules.scheme)


@pytest.mark.parametrize(
    ("deck", "doubles", "scheme", "rounds"),
    [("4x13", True, "contract", 200), ("4x13", False, "auction", 130), ("2x4", True, "auction", 60),
     ("4x3", True, "new", 90), ("3x4", False, "old", 60)],
)  # fmt: skip
def test_every_game_is_that_of_a_table(deck: str, doubles: bool, scheme: str, rounds: int) -> None:
    count = 6
    games = LockstepGames(count, deck=deck, doubles=doubles, scheme=scheme, seed=5)
    rules, encoding = games.rules, games.rules.encoding
    tables = [dealt(games, game) for game in range(count)]
    rng, ended = np.random.default_rng(1), 0
    for _ in range(rounds):
        for game, table in enumerate(tables):
            turn = table.turn
            assert turn is not None
            assert list(Seat)[games.turns[game]] is turn
            assert np.array_equal(games.masks[game], encoding.mask(table.legal))
            for at, seat in enumerate(Seat):
                seen = encoding.observe(view(table, seat)).astype(np.int8)
                assert np.array_equal(games.views()[game, at], seen)
            assert np.array_equal(games.observations[game], games.views()[game, games.turns[game]])
        actions = games.random_actions(rng)
        passing = rng.random(count) < 0.5  # or every auction would climb to 7NT
        actions[passing & (games.masks[:, len(encoding.bids)] == 1)] = len(encoding.bids)
        after = [t.apply(encoding.action(a)) for t, a in zip(tables, actions, strict=True)]
        games.step(actions)
        assert games.ended.tolist() == [table.over for table in after]
        for game, table in enumerate(after):
            assert games.rewards[game].tolist() == pytest.approx(rules.payoffs(table))
        ended += int(games.ended.sum())
        tables = [dealt(games, at) if t.over else t for at, t in enumerate(after)]
    assert ended > 0


def test_a_game_depends_on_seed_and_row_alone() -> None:
    few, many = LockstepGames(3, seed=7), LockstepGames(3, seed=7)
    other = LockstepGames(3, seed=8)
    assert np.array_equal(few.views(), many.views())
    assert not np.array_equal(few.views(), other.views())
    assert not np.array_equal(few.views()[0], few.views()[1])
    many.step(many.random_actions(np.random.default_rng(1)))
    many.reset(7)
    assert np.array_equal(few.views(), many.views())


def test_all_deals_of_a_small_deck_are_equally_likely() -> None:
    games = LockstepGames(100_000, deck="2x4", seed=1)
    encoding = games.rules.encoding
    cards = games.views()[:, :, encoding.fields["hand"]].astype(np.int64)
    codes = (cards * 4 ** np.arange(8)).sum(2) @ np.array([1, 2, 3])  # who holds each card
    counts = np.unique(codes, return_counts=True)[1]
    expected = len(codes) / 2520
    assert len(counts) == 2520
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert abs(chi_square - 2519) < 5 * np.sqrt(2 * 2519)
    dealers = games.views()[:, 0, encoding.fields["dealer"]].mean(0)
    assert np.allclose(dealers, 1 / 3, atol=0.01)


@pytest.mark.parametrize("wrong", [35, -1, 1000, 40])
def test_an_illegal_action_is_named_and_no_game_moves(wrong: int) -> None:
    games = LockstepGames(3, seed=1)
    actions = np.full(3, 35)
    actions[1] = 36 if wrong == 35 else wrong
    before = games.views()
    with pytest.raises(IllegalActionError, match="game 1"):
        games.step(actions)
    assert np.array_equal(before, games.views())


def test_settings_that_cannot_be_played_are_refused() -> None:
    with pytest.raises(SettingError, match="games"):
        LockstepGames(0)
    with pytest.raises(SettingError, match="seed"):
        LockstepGames(1, seed=-1)
    with pytest.raises(IllegalActionError, match="3 actions"):
        LockstepGames(3).step(np.zeros(2, np.int64))


def test_the_vector_environment_rewards_whoever_acted() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is missing: pip install '.[envs]'")
    from tribridge.envs.gymnasium_env import SelfPlayEnv

    env, rng = SelfPlayEnv(50, deck="2x4"), np.random.default_rng(1)
    observations, info = env.reset(seed=3)
    assert env.observation_space.contains(observations)
    paid = 0.0
    for _ in range(40):
        acted = info["turn"].copy()
        observations, rewards, ended, cut, info = env.step(env.games.random_actions(rng))
        assert rewards.tolist() == info["rewards"][np.arange(50), acted].tolist()
        assert not rewards[~ended].any()
        assert not cut.any()
        assert np.allclose(info["rewards"].sum(1), 0)
        paid += np.abs(rewards).sum()
    assert paid > 0
    with pytest.raises(SettingError, match="list"):
        env.reset(seed=[1, 2])
