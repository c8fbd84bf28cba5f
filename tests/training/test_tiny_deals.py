"""Bidding is trained on tiny decks as they are: legal calls, double-dummy payoffs."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.arena.tiny.auctions import AuctionGame
from tribridge.arena.tiny.layouts import Layouts
from tribridge.arena.tiny.measuring import greedy_calls
from tribridge.arrays import Place, fetch, put
from tribridge.cards import Deck
from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.errors import SettingError
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.scoring import find_scheme, scores, settle
from tribridge.training.bidding_games import TinyDealing, careless, play

TORCH = "PyTorch is not installed: pip install 'tribridge[learn]'"
SCHEME = find_scheme("auction")


@pytest.mark.parametrize("name", ["2x4", "4x2"])
def test_payoffs_are_half_the_settlement_of_the_double_dummy_tricks(
    name: str, place: Place
) -> None:
    deck = Deck(name)
    dealing, truth = TinyDealing(SCHEME, place, deck), DoubleDummy(deck)
    deals, bidder = dealing.deal(60), careless(place)
    everywhere = put(np.ones((60, 3), bool), place)
    games = play(bidder, bidder, everywhere, deals, dealing)
    payoffs = dealing.payoffs(games, deals)
    contracts = 0
    for row in range(60):
        bid, declarer = games.standing[row].item() - 1, games.bidder[row].item()
        if bid < 0:
            assert not payoffs[row].any()
            continue
        hands = deals.hands[row].tolist()
        around = (hands[declarer], hands[(declarer + 1) % 3], hands[3], hands[(declarer + 2) % 3])
        strain = next(strain for strain in deck.strains if strain.index == bid % 5)
        contract = Contract(Bid(1 + bid // 5, strain), Seat(declarer))
        outcome = Outcome(contract, truth.tricks(around, strain))
        paid = [float(points) / 2 for points in settle(scores(outcome, SCHEME, deck))]
        assert payoffs[row].tolist() == pytest.approx(paid)
        contracts += 1
    assert contracts > 20


def test_the_greedy_bidder_is_that_of_the_solved_game(place: Place) -> None:
    deck = Deck(2, 4)
    deals = TinyDealing(SCHEME, place, deck).deal(20)
    layouts = Layouts(deck)
    values = greedy_calls(AuctionGame(layouts, SCHEME), 0)[:, 1:]  # without the pass
    places = {mask: at for at, mask in enumerate(layouts.hands.tolist())}
    for row in range(20):
        for seat in range(3):
            own = deals.own[row, seat, [0, 1, 4]].tolist()
            assert own == pytest.approx(values[places[deals.hands[row, seat].item()]], abs=1e-4)


@pytest.mark.parametrize("name", ["2x4", "4x2", pytest.param("2x6", marks=pytest.mark.slow)])
def test_random_auctions_have_the_contracts_of_the_deck(name: str, place: Place) -> None:
    deck = Deck(name)
    dealing, bidder = TinyDealing(SCHEME, place, deck), careless(place)
    everywhere = put(np.ones((160, 3), bool), place)
    games = play(bidder, bidder, everywhere, dealing.deal(160), dealing)
    bids = fetch(games.standing) - 1
    bids = bids[bids >= 0]
    assert {bid % 5 for bid in bids.tolist()} == {strain.index for strain in deck.strains}
    assert set((bids // 5).tolist()) <= set(range(deck.levels))


def test_decks_between_tiny_and_full_are_refused(place: Place) -> None:
    with pytest.raises(SettingError, match=r"4x4 has 16 cards.*at most 12"):
        TinyDealing(SCHEME, place, Deck(4, 4))
