"""Games in lockstep, compiled for environments, and the arrays that networks play are one game."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.envs.lockstep import LockstepGames
from tribridge.networks.auction import REDOUBLE, AuctionGames
from tribridge.networks.play import PlayGames

CALLS = REDOUBLE + 1


@pytest.mark.parametrize("doubles", [False, True])
def test_both_engines_allow_the_same_and_win_the_same_tricks(doubles: bool) -> None:
    """Their seats differ: the arrays count from the dealer, and in the play from declarer."""
    rng, played, doubled = np.random.default_rng(7), 0, 0
    for seed in range(40):
        compiled = LockstepGames(1, doubles=doubles, seed=seed)
        (game,) = compiled._arrays.games
        dealer, dealt = int(game["dealer"]), game["hands"].astype(np.int64)
        hands = np.array([[*np.roll(dealt[:3], -dealer), dealt[3]]])
        auction = AuctionGames(1, doubles=doubles)
        while not auction.over[0]:
            allowed = compiled.masks[0].nonzero()[0]
            assert sum(1 << int(call) for call in allowed) == int(auction.legal()[0])
            assert compiled.turns[0] == (dealer + auction.caller) % 3
            action = compiled.random_actions(rng)
            auction.step(action)
            compiled.step(action)
        if auction.standing[0] == 0:
            assert compiled.ended[0]
            continue
        assert game["bidder"] == (dealer + auction.bidder[0]) % 3
        games, won = PlayGames(auction.contracts(hands)), 0
        while not games.over:
            won = int(game["won"])
            allowed = compiled.masks[0].nonzero()[0] - CALLS
            assert sum(1 << int(card) for card in allowed) == int(games.legal()[0])
            assert won == games.won[0]
            action = compiled.random_actions(rng)
            games.step(action - CALLS)
            compiled.step(action)
        assert compiled.ended[0]
        level, factor = int(games.contracts.level[0]), int(games.contracts.doubled[0])
        bid = 5 * (level - 1) + int(games.contracts.strain[0])
        net = compiled._points[bid, factor, int(games.won[0])]
        declarer = (dealer + int(auction.bidder[0])) % 3
        assert compiled.rewards[0, declarer] == pytest.approx(2 * net)
        played, doubled = played + 1, doubled + (factor > 0)
    assert played > 10
    assert (doubled > 0) == doubles
