"""Layouts explain an auction as often as random ones weighted one by one do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.grids import thinned
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, I64, popcount
from tribridge.game import find_scheme, new_table, view
from tribridge.game.views import View
from tribridge.networks.auction import SEATS
from tribridge.networks.stakes import Game
from tribridge.strategies.learned import listening
from tribridge.strategies.learned.wishes import games_at, number_of, place_of, wishes

GAME = Game(find_scheme("auction"))
AUCTIONS = ["1C", "1D 1H", "pass 1S 2D", "1NT pass 2H pass"]


def seen(calls: str, number: int = 0) -> View:
    table = new_table(deal(70_011, number), Seat.NORTH, doubles=True).call(calls.split())
    assert table.turn is not None
    return view(table, table.turn)


def weighted(seen: View, size: int) -> tuple[I64, F64]:
    """Random layouts, and how well each explains all calls of the others."""
    hands = listening.possible_layouts(seen, size, np.random.default_rng(9))
    logs = np.zeros(size)
    assert seen.seat is not None
    own = place_of(seen.seat, seen.auction.dealer)
    for at, call in enumerate(seen.auction.calls):
        if at % SEATS == own:
            continue
        before = new_table(deal(1, 0), seen.auction.dealer, doubles=True).auction
        for earlier in seen.auction.calls[:at]:
            before = before.apply_unchecked(earlier)
        games = games_at(before, size)
        wish = wishes(games, hands, seen.auction.dealer, GAME).astype(np.float64)
        wish[games.legal()[:, None] >> np.arange(wish.shape[1]) & 1 == 0] = -np.inf
        chances = np.exp(wish - wish.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        even = 1 / len(before.legal)
        logs += np.log(0.9 * chances[:, number_of(call)] + 0.1 * even)
    return hands, np.exp(logs - logs.max())


def features(hands: I64) -> F64:
    """Cards of each suit, aces and kings, in every hand: (n, 4 * 6)."""
    kinds = [0x1FFF << 13 * suit for suit in range(4)]
    kinds += [sum(1 << 13 * suit + rank for suit in range(4)) for rank in range(2)]
    held = [popcount((hands & kind).astype(np.uint64)) for kind in kinds]
    return np.concatenate(held, 1).astype(np.float64)


@pytest.mark.parametrize("calls", thinned(AUCTIONS))
def test_layouts_are_as_likely_as_their_calls(calls: str) -> None:
    """Once more by random layouts, each weighted by all the calls."""
    player = seen(calls)
    every, weights = weighted(player, 8_000)
    weights /= weights.sum()
    facts = features(every)
    mean = weights @ facts
    spread = np.sqrt(weights @ (facts - mean) ** 2)
    drawn = [
        listening.explaining(player, GAME, 100, np.random.default_rng(seed)) for seed in range(4)
    ]
    found = np.mean([features(hands).mean(0) for hands, _ in drawn], axis=0)
    worth = sum(worth for _, worth in drawn)
    errors = spread * np.sqrt(1 / worth + (weights**2).sum())
    varied = spread > 1e-9
    assert varied.sum() >= 18  # all but the player's own hand
    assert np.allclose(found[~varied], mean[~varied])
    scores = ((found - mean) / np.maximum(errors, 1e-9))[varied]
    assert np.abs(scores).max() < 4.5
    assert (scores**2).mean() < 2.5
    assert all(worth > 15 for _, worth in drawn)


def test_every_layout_deals_the_cards_that_are_not_seen() -> None:
    player = seen("1D 1H pass 2D")
    hands, _ = listening.explaining(player, GAME, 30, np.random.default_rng(1))
    assert player.seat is not None
    own = place_of(player.seat, player.auction.dealer)
    unseen = ((1 << 52) - 1) & ~player.dealt.mask
    others = np.delete(hands, own, axis=1)
    assert (np.bitwise_or.reduce(others, axis=1) == unseen).all()
    assert (popcount(others.astype(np.uint64)) == 13).all()


def test_without_calls_of_others_every_layout_counts() -> None:
    player = seen("", 3)
    hands, worth = listening.explaining(player, GAME, 50, np.random.default_rng(1))
    assert worth == len(hands) == 50
    assert len(np.unique(hands, axis=0)) == 50


def test_a_call_that_no_hand_explains_is_as_good_as_none() -> None:
    """A bid of seven over a pass: somebody who bids at random bids it with any hand."""
    player = seen("pass 7C")
    hands, worth = listening.explaining(player, GAME, 60, np.random.default_rng(1))
    assert len(hands) == 60
    assert worth > 10
