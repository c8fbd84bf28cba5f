"""Strategies in tiny games choose what they choose at a table."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.lab.tiny.kuhn import places
from tribridge.cards.cards import Card, Deck
from tribridge.cards.deals import Seat
from tribridge.game import find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.card_play import CardPlay, WholeGame, table_after
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.policies import (
    as_strategy,
    call_strategies,
    greedy_calls,
    random_calls,
    whole_strategies,
)
from tribridge.lab.tiny.treeplex import Floats, Treeplex, judge


@pytest.fixture(scope="module")
def auction() -> AuctionGame:
    return AuctionGame(Layouts(Deck(2, 4)), find_scheme("auction"))


def test_a_player_plays_in_every_spot_what_it_plays_at_a_table(auction: AuctionGame) -> None:
    """After any auction, with the cards played so far: here the card with the highest number."""
    random, whole = Random(2), WholeGame(auction)

    def player(play: CardPlay, role: int) -> Floats:
        return np.array([float(c.index) for spot in play.spots[role] for c in spot.options])

    profile = whole_strategies(whole, random_calls, player, best=True)
    checked = 0
    for at in random.sample(range(len(whole.contracts)), 8):
        end, contract = whole.contracts[at]
        play = whole.plays[contract.bid.strain]
        for seat in range(3):
            role, tree = whole.role(seat, contract), whole.game.trees[seat]
            for inside, here in places(whole, seat)[at]:
                spot = play.spots[role][inside.start + 3]
                # The deal as the spot has it, turned so that declarer's seat is the first one.
                deal = int(
                    np.flatnonzero(auction.layouts.turned(contract.declarer.index) == spot.deal)[0]
                )
                table = table_after(auction.layouts, deal, (*end.auction.calls, *spot.played))
                assert table.turn is Seat(seat)
                legal = [card for card in table.legal if isinstance(card, Card)]
                card = max(legal, key=lambda card: card.index)
                first = int(tree.firsts[here.start + 3])
                chosen = profile[seat][first : first + len(spot.options)]
                assert chosen.tolist() == [float(option == card) for option in spot.options]
                checked += 1
    assert checked > 20


def test_greedy_calls_by_hand(auction: AuctionGame) -> None:
    """With both aces and nothing bid, notrump makes unless a suit is led through; -5 is worse."""
    values = greedy_calls(auction, 0)
    opening = auction.tree.turns[0]
    assert values.shape == (28, 4)
    assert (values[:, opening.calls.index(opening.auction.legal[0])] == 0).all()
    later = next(
        at for at, turn in enumerate(auction.tree.turns) if turn.auction.last_bid is not None
    )
    assert (greedy_calls(auction, later)[:, 0] == -5).all()
    profile = call_strategies(auction, greedy_calls, best=True)
    assert sum(judge(auction, profile).values) == pytest.approx(0, abs=1e-9)


def test_the_first_of_equal_preferences_is_chosen() -> None:
    tree = Treeplex(np.array([0, 0]), np.array([3, 2]), (2,))
    preferences = np.array([0.0, 1.0, 2.0, 2.0, 0.0, 0.0])
    assert as_strategy(tree, preferences, best=True).tolist() == [1, 0, 1, 0, 1, 0]
    soft = as_strategy(tree, preferences, best=False)
    assert soft[1:4].sum() == pytest.approx(1)
    assert soft[2] == pytest.approx(soft[3])
    assert soft[4:].tolist() == [0.5, 0.5]
