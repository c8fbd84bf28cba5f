"""Auctions with known payoffs: paid as the table pays, legal, and zero-sum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tribridge.advice.prospects import bid_values
from tribridge.cards.cards import Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.common.arrays import Array, Place, fetch, namespace, put
from tribridge.forecast.net import Net
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.laws import find_laws, honour_cards, honour_items
from tribridge.game.rubber_worth import deal_worth
from tribridge.game.scoring import find_scheme, schemes, scores, settle
from tribridge.game.standing import RubberState, Standing
from tribridge.lab.training.bidding_games import (
    Dealing,
    Deals,
    careless,
    contract_points,
    gain,
    greedy,
    greedy_values,
    learner_seats,
    mean_and_error,
    play,
    relative_values,
)
from tribridge.lab.training.deals import Tricks
from tribridge.networks.auction import PASS, AuctionGames
from tribridge.networks.stakes import Game


@pytest.fixture
def dealing(place: Place) -> Dealing:
    return Dealing({Game(find_scheme("auction")): 1.0}, place)


def everywhere(dealing: Dealing, count: int) -> Array:
    """All three seats of every auction."""
    return put(np.ones((count, 3), bool), dealing.place)


@pytest.mark.parametrize("name", list(schemes()))
def test_points_are_half_of_what_the_match_settles(name: str) -> None:
    scheme = find_scheme(name)
    worth = Game(scheme).worth()
    for doubled, factor in enumerate((1, 2, 4)):
        for strain in Strain:
            for level, tricks in ((1, 3), (2, 8), (4, 13), (6, 12), (7, 12)):
                contract = Contract(Bid(level, strain), Seat.EAST, factor)
                paid = settle(scores(Outcome(contract, tricks), scheme))
                values = worth[Seat.EAST, level - 1, strain, tricks, doubled]
                assert (2 * values).tolist() == [float(points) for points in paid]


def test_deals_are_valued_by_the_forecasts_of_the_package(dealing: Dealing) -> None:
    deals = dealing.deal(5)
    net, points = Net.load(), bid_values(find_scheme("auction"))
    masks, values, own = fetch(deals.hands).astype(np.uint64), fetch(deals.values), fetch(deals.own)
    for seat in range(3):
        pair, single = net.from_pair(masks[:, seat], masks[:, 3]), net.from_hand(masks[:, seat])
        for chances, found in ((pair, values[:, seat, :, 0, seat]), (single, own[:, seat, :35])):
            wanted = np.einsum("nsk,slk->nls", chances, points).reshape(5, -1)
            np.testing.assert_allclose(found, wanted, atol=0.05)


@pytest.mark.parametrize("name", ["auction-rubber", "whist-club", "contract-rubber"])
def test_contracts_of_a_rubber_are_worth_what_they_settle(name: str, place: Place) -> None:
    """Points, honours and the standing, for each of the three players."""
    laws = find_laws(name)
    game = laws.game
    state = RubberState(laws, Standing((game - 10, 0, game // 2), (0, 1, 1)))
    deals = Dealing({Game(laws.scheme, state): 1.0}, place, tricks=always(8)).deal(30)
    values = fetch(deals.values)
    for row in range(30):
        hands = [Hand(mask) for mask in deals.hands[row].tolist()]
        for declarer, bid, factor in ((Seat.EAST, 7, 2), (Seat.SOUTH, 9, 1), (Seat.NORTH, 3, 4)):
            contract = Contract(Bid(bid // 5 + 1, Strain(bid % 5)), declarer, factor)
            held = Hand(honour_cards(contract.bid.strain))
            wanted = np.array(deal_worth(state, contract, 8))
            counts = tuple(len(hand & held) for hand in hands)
            for item in honour_items(laws, contract.bid.strain, declarer, counts):
                wanted -= item.points
                wanted[item.seat] += 3 * item.points
            found = values[row, declarer, bid, {1: 0, 2: 1, 4: 2}[factor]]
            np.testing.assert_allclose(found, wanted / 2, rtol=1e-4, atol=1e-2)


def always(tricks: int) -> Tricks:
    """Every declarer always takes so many tricks."""

    def chances(hands: Array) -> Array:
        result = np.zeros((len(hands), 3, 5, 1, 14), np.float32)
        result[..., tricks] = 1
        return namespace(hands).asarray(result, device=hands.device)

    return chances


def test_payoffs_are_those_of_the_contract(dealing: Dealing) -> None:
    deals, bidder = dealing.deal(40), careless(dealing.place)
    games = play(bidder, bidder, everywhere(dealing, 40), deals, dealing)
    payoffs, values = fetch(dealing.payoffs(games, deals)), fetch(deals.values)
    assert np.abs(payoffs.sum(1)).max() < 1e-3
    passed_out = 0
    for row in range(40):
        bid, declarer = games.standing[row].item() - 1, games.bidder[row].item()
        if bid < 0:
            passed_out += 1
            assert not payoffs[row].any()
        else:
            value = values[row, declarer, bid, 0, declarer]
            assert payoffs[row, declarer] == pytest.approx(value, abs=0.01)
    assert 0 < passed_out < 40


@pytest.mark.parametrize("tricks", [5, 8])
def test_contracts_that_were_played_pay_what_was_made(tricks: int, place: Place) -> None:
    laws = find_laws("auction-rubber")
    state = RubberState(laws, Standing((20, 0, 10), (0, 1, 1)))
    shares = {Game(laws.scheme, state): 1.0, Game(find_scheme("contract"), None, (Seat.EAST,)): 1.0}
    dealing = Dealing(shares, place, tricks=always(tricks), doubles=0.5)
    deals, bidder = dealing.deal(40), careless(place)
    games = play(bidder, bidder, everywhere(dealing, 40), deals, dealing)
    games.doubled = put(np.arange(40) % 3, place)
    won = put(np.full(40, tricks), place)
    paid, expected = dealing.settled(games, deals, won), dealing.payoffs(games, deals)
    np.testing.assert_allclose(fetch(paid), fetch(expected), rtol=1e-4, atol=1e-2)
    assert (fetch(paid) != 0).any()


def test_doubled_contracts_pay_more(dealing: Dealing) -> None:
    deals = dealing.deal(1)
    games = AuctionGames(1, dealing.device, doubles=True)
    for call in (30, 36, 37, PASS, PASS):  # 7C, doubled and redoubled
        games.step(put(np.array([call]), dealing.place))
    points = Game(find_scheme("auction")).worth()[0, 6, 0, :, 2, 0]
    value = float(points @ fetch(deals.chances)[0, 0, 0, 0])
    found = fetch(dealing.payoffs(games, deals))[0]
    assert found.tolist() == pytest.approx([value, -value / 2, -value / 2], rel=1e-4)


def test_the_greedy_bidder_takes_from_the_careless_one(dealing: Dealing) -> None:
    deals = dealing.deal(300)
    lead, error = mean_and_error(gain(greedy, careless(dealing.place), deals, dealing))
    assert lead > 3 * error > 0
    alone = gain(greedy, greedy, deals, dealing).mean().item()
    assert alone == pytest.approx(0, abs=1e-4)


def test_simple_bidders_make_legal_calls_of_the_most_value(dealing: Dealing) -> None:
    deals, other = dealing.deal(60), careless(dealing.place)
    games = AuctionGames(60, dealing.device)
    while not games.over.all():
        numbers, legal = games.observe(deals.hands), games.legal()
        own, going = deals.own[:, games.caller], ~games.over
        best, call = greedy(numbers, legal, own), other(numbers, legal, own)
        assert (legal >> call & 1)[going].all()
        values, allowed = fetch(greedy_values(numbers, own)), fetch(legal)
        for row in np.flatnonzero(fetch(going)):
            calls = [at for at in range(38) if allowed[row] >> at & 1]
            assert fetch(best)[row] == max(calls, key=lambda at: values[row, at])
        games.step(call)


def test_calls_are_valued_as_the_contracts_that_they_lead_to(place: Place) -> None:
    """A pass as what stands, a double as that doubled; for the caller, not for the next player."""
    values = np.arange(3 * 3 * 2 * 35.0).reshape(1, 18, 35)
    mine = values.reshape(3, 3, 2, 35)[:, :, 0]
    opening = put(np.array([[0, 0, 0, 3, *[0] * 11]]), place)
    found = contract_points(opening, put(values, place))[0].tolist()
    assert found == [*mine[0, 0], 0, 0, 0]
    over = np.array([[0, 1, 5, 2, *[0] * 11]])  # 1NT by the player to the right
    found = contract_points(put(over, place), put(values, place))[0].tolist()
    assert found[35:] == [mine[2, 0, 4], mine[2, 1, 4], mine[2, 2, 4]]
    over[0, 10] = 1
    assert contract_points(put(over, place), put(values, place))[0, PASS].item() == mine[2, 1, 4]


def test_values_are_turned_to_each_caller(place: Place) -> None:
    """To each caller and the next player, by declarer and doubling, in units."""
    of_declarer, to_player = np.ogrid[1:4, 0:3]
    each = 10.0 * of_declarer + to_player
    values = each[None, :, None, None] + 100 * np.arange(3)[:, None] + np.zeros((2, 3, 35, 3, 3))
    deals = Deals(
        *(put(np.zeros(2), place),) * 2, put(values, place), *(put(np.ones(2), place),) * 4
    )
    turned = relative_values(replace(deals, units=put(np.full(2, 100.0), place)))
    assert turned.shape == (3, 2, 18, 35)
    found = (100 * turned[1, 0, :, 7]).reshape(3, 3, 2)
    assert fetch(found[0, 0]).tolist() == pytest.approx([21, 22])
    assert fetch(found[2, 1]).tolist() == pytest.approx([111, 112])


def test_the_learner_holds_all_seats_or_some_in_mixed_games(place: Place) -> None:
    device = put(np.zeros(1), place).device
    mine = learner_seats(96, 8, (1, 2), device)
    assert mine[:48].all()
    assert set(mine[48:].sum(1).tolist()) == {1, 2}
    assert namespace(mine) is namespace(place)
    for seats in (1, 2):
        assert (learner_seats(96, 16, (seats,), device).sum(1) == seats).all()
