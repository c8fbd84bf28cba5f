"""Auctions with known payoffs: paid as the table pays, legal, and zero-sum."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.advice.prospects import bid_values
from tribridge.arrays import Array, Place, fetch, namespace, put
from tribridge.cards import Strain
from tribridge.deals import Seat
from tribridge.forecast.net import Net
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.scoring import find_scheme, schemes, scores, settle
from tribridge.networks.auction import PASS, AuctionGames
from tribridge.training.bidding_games import (
    Dealing,
    Deals,
    careless,
    contract_points,
    gain,
    greedy,
    greedy_values,
    learner_seats,
    play,
    points_of,
    relative_values,
)


@pytest.fixture
def dealing(place: Place) -> Dealing:
    return Dealing(find_scheme("auction"), place)


def everywhere(dealing: Dealing, count: int) -> Array:
    """All three seats of every auction."""
    return put(np.ones((count, 3), bool), dealing.place)


@pytest.mark.parametrize("name", list(schemes()))
def test_points_are_half_of_what_the_match_settles(name: str) -> None:
    scheme = find_scheme(name)
    points = points_of(scheme)
    for doubled, factor in enumerate((1, 2, 4)):
        for strain in Strain:
            for level, tricks in ((1, 3), (2, 8), (4, 13), (6, 12), (7, 12)):
                contract = Contract(Bid(level, strain), Seat.EAST, factor)
                paid = settle(scores(Outcome(contract, tricks), scheme))
                value = points[doubled, strain, level - 1, tricks].item()
                assert [2 * value, -value, -value] == [float(paid[at]) for at in (1, 0, 2)]


def test_deals_are_valued_by_the_forecasts_of_the_package(dealing: Dealing) -> None:
    deals = dealing.deal(5)
    net, points = Net.load(), bid_values(find_scheme("auction"))
    masks, values, own = fetch(deals.hands).astype(np.uint64), fetch(deals.values), fetch(deals.own)
    for seat in range(3):
        pair, single = net.from_pair(masks[:, seat], masks[:, 3]), net.from_hand(masks[:, seat])
        for chances, found in ((pair, values), (single, own)):
            wanted = np.einsum("nsk,slk->nls", chances, points).reshape(5, -1)
            np.testing.assert_allclose(found[:, seat], wanted, atol=0.05)


def test_payoffs_are_those_of_the_contract(dealing: Dealing) -> None:
    deals, bidder = dealing.deal(40), careless(dealing.place)
    paid, games = play(bidder, bidder, everywhere(dealing, 40), deals, dealing)
    payoffs, values = fetch(paid), fetch(deals.values)
    assert np.abs(payoffs.sum(1)).max() < 1e-3
    passed_out = 0
    for row in range(40):
        bid, declarer = games.standing[row].item() - 1, games.bidder[row].item()
        if bid < 0:
            passed_out += 1
            assert not payoffs[row].any()
        else:
            value = values[row, declarer, bid]
            assert payoffs[row, declarer] == pytest.approx(value, abs=0.01)
    assert 0 < passed_out < 40


def test_doubled_contracts_pay_more(dealing: Dealing) -> None:
    deals = dealing.deal(1)
    games = AuctionGames(1, dealing.device, doubles=True)
    for call in (30, 36, 37, PASS, PASS):  # 7C, doubled and redoubled
        games.step(put(np.array([call]), dealing.place))
    points, tricks = fetch(dealing.points)[2, 0, 6], fetch(deals.chances)[0, 0, 0]
    value = float(points @ tricks)
    found = fetch(dealing.payoffs(games, deals))[0]
    assert found.tolist() == pytest.approx([value, -value / 2, -value / 2], rel=1e-4)


def test_the_greedy_bidder_takes_from_the_careless_one(dealing: Dealing) -> None:
    deals = dealing.deal(300)
    lead, error = gain(greedy, careless(dealing.place), deals, dealing)
    assert lead > 3 * error > 0
    alone, _ = gain(greedy, greedy, deals, dealing)
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
            calls = [at for at in range(36) if allowed[row] >> at & 1]
            assert fetch(best)[row] == max(calls, key=lambda at: values[row, at])
        games.step(call)


def test_a_pass_is_valued_as_the_standing_contract(place: Place) -> None:
    values = put(np.arange(105.0).reshape(1, 3, 35), place)
    opening = put(np.array([[0, 0, 0, 3, 0, 0, 0, 0, 0, 0]]), place)
    assert contract_points(opening, values)[0].tolist() == [*range(35), 0]
    over = put(np.array([[0, 1, 5, 2, 0, 0, 0, 0, 0, 0]]), place)  # 1NT by the player to the right
    assert contract_points(over, values)[0, PASS].item() == -(70 + 4) / 2


def test_values_are_turned_to_each_caller(place: Place) -> None:
    seats = np.array([10.0, 20, 30])[None, :, None] + np.zeros((2, 3, 35))
    values = put(seats, place)
    turned = relative_values(Deals(values, values, values, -values))
    assert turned.shape == (3, 2, 6, 35)
    assert (50 * turned[1, 0, :, 7]).tolist() == pytest.approx([20, 30, 10, -20, -30, -10])


def test_the_learner_holds_all_seats_or_some_in_mixed_games(place: Place) -> None:
    device = put(np.zeros(1), place).device
    mine = learner_seats(96, 8, (1, 2), device)
    assert mine[:48].all()
    assert set(mine[48:].sum(1).tolist()) == {1, 2}
    assert namespace(mine) is namespace(place)
    for seats in (1, 2):
        assert (learner_seats(96, 16, (seats,), device).sum(1) == seats).all()
