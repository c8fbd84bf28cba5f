"""Advice in a rubber: payoffs against score sheets, honours by counting, and bad standings."""

from __future__ import annotations

from itertools import combinations

import pytest

import tribridge as tb
from tribridge.advice.calls import advise, parse_auction
from tribridge.advice.prospects import contract_values, defence_values
from tribridge.advice.rubber_payoffs import RubberPayoffs, expected_honours, rubber_of
from tribridge.cards.cards import Strain, parse_hand
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import FormatError, TribridgeError
from tribridge.game.auction import Auction, Bid, Contract
from tribridge.game.laws import find_laws, honour_cards, honour_items
from tribridge.game.rubber import Rubber
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing

N, E, S = Seat
LAWS = find_laws("auction-rubber")
PLAIN = parse_hand("9732.963.982.954")  # without honours
HAND = parse_hand("AKQ2.K93.A92.KQ5")


@pytest.mark.parametrize("declarer", [N, E, S])
def test_points_are_half_of_the_settlement_and_of_the_change(declarer: Seat) -> None:
    rubber = Rubber(LAWS, below=(20, 6, 0), games=(1, 0, 1))
    payoffs = RubberPayoffs(rubber.state, S, PLAIN, opponent=None if declarer is S else declarer)
    bid = Bid("1D")
    values = contract_values if declarer is S else defence_values
    honours = expected_honours(LAWS, Strain.DIAMONDS, declarer, S, 0, None)
    for tricks in range(14):
        after = rubber.add(Contract(bid, declarer), tricks)
        change = tb.worth(after)["S"] - tb.worth(rubber)["S"]
        expected = (after.settlement()["S"] + change) / 2
        assert values(payoffs, bid)[tricks] - honours == pytest.approx(expected)


def test_honours_by_counting_all_ways_to_divide_them() -> None:
    strain, held = Strain.HEARTS, 2
    # Places for the three missing honours among the 39 unseen cards: East 0-12, South 13-25, dummy.
    total = ways = 0.0
    for places in combinations(range(39), 5 - held):
        counts = [sum(place // 13 == hand for place in places) for hand in range(3)]
        items = honour_items(LAWS, strain, N, (held, *counts))
        total += sum(item.points * (1 if item.seat is N else -0.5) for item in items)
        ways += 1
    assert expected_honours(LAWS, strain, N, N, held, None) == pytest.approx(total / ways)


def test_honours_that_are_all_known() -> None:
    assert len(honour_cards(Strain.SPADES)) == 5
    assert expected_honours(LAWS, Strain.SPADES, N, N, 5, None) == 90
    assert expected_honours(LAWS, Strain.SPADES, E, N, 5, None) == 90
    assert expected_honours(LAWS, Strain.SPADES, N, N, 4, 1) == 81


def test_a_part_score_makes_the_bid_that_completes_it_worth_more() -> None:
    scheme = find_scheme("auction")

    def value(standing: str, bid: str) -> float:
        state = rubber_of(LAWS, standing, Auction(S))
        advice = advise(HAND, scheme=scheme, kind="points", rubber=state)
        return advice.bids[Bid(bid)].expected

    assert value("me 1 game 20", "1NT") > value("me 20", "1NT") > value("", "1NT")
    plain = advise(HAND, scheme=scheme, kind="points").bids[Bid("1NT")].expected
    assert value("me 1 game 20", "1NT") > 2 * plain


def test_contracts_are_played_to_game_where_only_bids_count() -> None:
    laws, scheme = find_laws("contract-rubber"), find_scheme("auction")
    hand = parse_hand("AQ2.KQ3.A92.K754")

    def call(standing: str) -> str:
        state = rubber_of(laws, standing, Auction(S))
        return str(advise(hand, scheme=scheme, kind="points", rubber=state).call)

    assert call("") == "3NT"
    assert call("me 40") == "2NT"
    assert call("me 60") == "1NT"


def test_letting_an_opponent_win_the_rubber_costs_more() -> None:
    auction = parse_auction("1S")

    def passing(standing: str) -> float:
        state = rubber_of(None, standing, auction)
        advice = advise(
            PLAIN, None, auction, scheme=LAWS.scheme, kind="points", samples=200, rubber=state
        )
        return advice.passing.expected

    assert passing("right 1 game 25") < passing("right 25") < passing("left 25, right 2")


def test_a_standing_by_seat_is_that_of_the_seats_in_the_auction() -> None:
    auction = Auction(E)
    by_seat = rubber_of("auction-rubber", Standing((0, 20, 6), (1, 0, 0)), auction)
    assert by_seat == rubber_of(LAWS, "me 20, left 6, right 1 game", auction)
    assert rubber_of(None, None, auction) is rubber_of(None, "", auction) is None
    assert rubber_of(LAWS, None, auction) == RubberState(LAWS)


@pytest.mark.parametrize(
    ("standing", "says"),
    [
        ("me 30", "your part score is 30, but 30 points are a game"),
        ("right -6", "right's part score must be a whole number, 0 or more, not -6"),
        ("N 20", "unknown player 'N', expected me, left or right"),
        (Standing((0, 0, 30)), "South's part score is 30"),
    ],
)
def test_impossible_standings_are_refused(standing: Standing | str, says: str) -> None:
    with pytest.raises(TribridgeError, match=says):
        tb.advise("AKQ2.K93.A92.KQ5", standing=standing)


def test_json_names_laws_and_standing() -> None:
    state = rubber_of(LAWS, "me 20, left 1 game", Auction(S))
    advice = advise(HAND, scheme=LAWS.scheme, kind="points", rubber=state)
    told = codec.plain(advice)
    assert told["seat"] == "S"
    assert told["rubber"] == {"laws": "auction-rubber", "below": [0, 0, 20], "games": [1, 0, 0]}
    assert codec.read(told["rubber"], RubberState) == state
    with pytest.raises(FormatError, match="'auction-rubber' is not an object"):
        codec.read("auction-rubber", RubberState)
    alone = advise(HAND, scheme=LAWS.scheme, kind="points")
    assert codec.plain(alone)["rubber"] is None
