"""Advice: points, risk and recommendations against sums by hand; auctions that cannot be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.advice.calls import (
    DOUBLE_MARGIN,
    Advice,
    advise,
    parse_auction,
    recommend,
)
from tribridge.advice.layouts import OWN, chairs, forecast_each, layouts_of, scaled
from tribridge.advice.prospects import NOTHING, Prospect, bid_values, defence_values, worst_mean
from tribridge.capture import algorithm1, algorithm2
from tribridge.cards.cards import Hand, Strain, parse_hand
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import CardsError, FormatError, IllegalActionError, SettingError
from tribridge.forecast import forecast
from tribridge.forecast.kinds import find_forecaster
from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Auction,
    Bid,
    Contract,
    Outcome,
    parse_call,
)
from tribridge.game.scoring import Scheme, find_scheme, scores, settle

HAND, DUMMY = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")
WEAK = parse_hand("7432.964.T92.854")
SCHEMES = ("auction", "old", "new")
BIDS = [Bid(level, strain) for level in range(1, 8) for strain in Strain]


def settled(scheme: Scheme, bid: Bid, declarer: Seat, tricks: int) -> tuple[Fraction, ...]:
    """Half of the settlement of one deal, by seat."""
    three = scores(Outcome(Contract(bid, declarer), tricks), scheme)
    return tuple(one / 2 for one in settle(three))


@pytest.mark.parametrize("name", SCHEMES)
def test_points_are_half_of_the_settlement(name: str) -> None:
    scheme = find_scheme(name)
    values = bid_values(scheme)
    for bid in BIDS:
        defence = defence_values(scheme, bid)
        for tricks in range(14):
            north, east, south = settled(scheme, bid, Seat.EAST, tricks)
            assert values[bid.strain, bid.level - 1, tricks] == float(east)
            assert defence[tricks] == float(north) == float(south)


weights = st.lists(st.integers(0, 50), min_size=14, max_size=14).filter(any)


@given(weights, st.lists(st.integers(-9, 9), min_size=14, max_size=14))
def test_the_mean_of_the_worst_by_drawing_all(row: list[int], values: list[int]) -> None:
    """Each weight as so many equal outcomes, times 20: the worst twentieth is a whole number."""
    outcomes = sorted(v for w, v in zip(row, values, strict=True) for _ in range(20 * w))
    worst = outcomes[: sum(row)]
    chances = np.array(row) / sum(row)
    assert worst_mean(chances, values) == pytest.approx(sum(worst) / len(worst), abs=1e-6)


def test_the_table_by_hand() -> None:
    scheme = find_scheme("old")
    found = advise(HAND, DUMMY, scheme=scheme, kind="points")
    truth = forecast(HAND, DUMMY, "points")
    assert list(found.bids) == BIDS
    for bid, prospect in found.bids.items():
        one = truth[bid.strain]
        values = [float(scheme.net(Contract(bid, OWN), k)) for k in range(14)]
        expected = sum(p * v for p, v in zip(one.chances, values, strict=True))
        second = sum(p * v * v for p, v in zip(one.chances, values, strict=True))
        assert prospect.chance == pytest.approx(one.at_least(6 + bid.level), abs=1e-6)
        assert prospect.expected == pytest.approx(expected, abs=1e-3)
        assert prospect.spread == pytest.approx((second - expected**2) ** 0.5, abs=1e-2)
        assert prospect.worst <= prospect.expected
    assert found.passing == NOTHING
    assert found.effective is None


def test_the_neutral_call_has_the_highest_expectation_and_the_cautious_weighs_the_worst() -> None:
    for hand, dummy, calls in (
        (HAND, None, ""),
        (HAND, DUMMY, ""),
        (HAND, None, "1C pass"),
        (WEAK, None, "1NT"),
        (parse_hand("AKQJ932.A.A92.K5"), None, "pass 2H"),
    ):
        found = advise(
            hand, dummy, parse_auction(calls), scheme=find_scheme("auction"), kind="points"
        )
        for caution, said in ((0.0, found.neutral), (0.3, found.cautious)):
            values = {bid: found.bids[bid].value(caution) for bid in found.sufficient}
            best = max(values, key=lambda bid: values[bid])
            if values[best] > found.passing.value(caution):
                assert said.call == best
            else:
                assert said.call is PASS
            assert said.reason.endswith(".")


def test_equal_values_go_to_passing_and_then_to_the_lower_bid() -> None:
    low, high = Bid(1, Strain.CLUBS), Bid(2, Strain.CLUBS)
    same = Prospect(0.9, 5.0, 1.0, 0.0)
    assert recommend({high: same, low: same}, NOTHING).call == low
    assert recommend({low: same}, Prospect(None, 5.0, 0.0, 0.0)).call is PASS
    assert recommend({}, NOTHING).reason == "No higher bid is available."


def test_caution_keeps_from_a_bid_that_can_cost_much() -> None:
    found = advise(HAND, scheme=find_scheme("auction"), kind="points", caution=0.8)
    assert isinstance(found.neutral.call, Bid)
    assert found.cautious.call is PASS
    assert "worst 5%" in found.cautious.reason


def test_the_cautious_reason_has_the_worst_of_all_that_is_compared() -> None:
    """Of two bids the one with the lower expectation is taken: the reason must show why."""
    safe, wild = Bid(1, Strain.SPADES), Bid(1, Strain.NOTRUMP)
    bids = {safe: Prospect(0.95, 38.0, 20.0, -20.0), wild: Prospect(0.92, 46.0, 60.0, -90.0)}
    defended = Prospect(0.6, -5.0, 9.0, -30.0)
    assert recommend(bids, NOTHING).call == wild
    assert recommend(bids, NOTHING, 0.3).reason == (
        "It makes 95% of the time and averages +38.0 points (-20 in the worst 5%); "
        "1NT would average +46.0 (-90), passing 0."
    )
    assert recommend(bids, defended, 0.3).reason.endswith("passing -5.0 (-30).")
    dear = {wild: Prospect(0.5, -40.0, 60.0, -190.0)}
    assert recommend(dear, defended, 0.3).reason == (
        "Their contract makes 60% of the time, and passing averages -5.0 points "
        "(-30 in the worst 5%); your best bid, 1NT, would make 50% of the time and average "
        "-40.0 (-190)."
    )
    assert "worst" not in recommend(dear, defended).reason
    assert recommend(dear, NOTHING).reason == (
        "It costs nothing; your best bid, 1NT, would make 50% of the time and average -40.0."
    )


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ("1H 1D", "call 2, 1D: it is not higher than 1♥"),
        ("1H 1H", "call 2, 1H: it is not higher than 1♥"),
        ("1H pass pass", r"over \(two passes after 1♥\)"),
        ("pass pass pass", r"over \(three passes\)"),
        ("1H pass pass 2H", "call 4, 2H: 2♥ comes after the end of the auction"),
        ("X", "call 1, X: there is no bid yet"),
        ("1H X X", "call 3, X: 1♥ is already doubled"),
        ("1H XX", "call 2, XX: 1♥ is another player's bid"),
    ],
)
def test_impossible_auctions_are_refused_with_the_reason(calls: str, reason: str) -> None:
    with pytest.raises(IllegalActionError, match=reason):
        parse_auction(calls)


def test_calls_that_are_none_are_refused() -> None:
    with pytest.raises(FormatError, match="levels are 1 to 7"):
        parse_auction("8H")
    with pytest.raises(FormatError, match="read call 'hello'"):
        parse_auction("1H hello")


@pytest.mark.parametrize("calls", ["", "1H", "1H pass", "pass, pass", "1H-1S-2C", "p p 1NT 2C p"])
def test_the_owner_of_the_hand_is_next_to_call(calls: str) -> None:
    auction = parse_auction(calls)
    assert auction.turn is OWN
    assert auction.bidder is not OWN or auction.last_bid is None


def test_insufficient_bids_are_in_the_table_and_not_recommended() -> None:
    auction = parse_auction("3NT")
    found = advise(HAND, None, auction, scheme=find_scheme("auction"), kind="points")
    assert len(found.bids) == 35
    assert min(found.sufficient) == parse_call("4C")
    for said in (found.neutral, found.cautious):
        assert said.call is PASS or said.call in found.sufficient
    assert found.passing.chance is not None


def test_passing_over_a_strong_bid_is_worth_what_the_defence_gets() -> None:
    """A contract that cannot be made brings its penalties, one that is made costs its points."""
    scheme = find_scheme("auction")
    strong = parse_hand("AKQJ.AKQ.AKQ.AKQ")
    found = advise(strong, None, parse_auction("7NT"), scheme=scheme, kind="points")
    assert found.passing.chance is not None
    assert found.passing.chance < 0.01
    assert found.passing.expected > 200
    assert found.neutral.call is PASS
    weak = advise(WEAK, None, parse_auction("1NT"), scheme=scheme, kind="points")
    assert weak.passing.chance is not None
    assert weak.passing.chance > 0.8
    assert weak.passing.expected < 0
    assert weak.neutral.call is PASS


def doubled(*calls: str) -> Auction:
    """An auction at a table with doubles; the owner of the hand is next to call."""
    auction = Auction(OWN.after(-len(calls)), doubles=True)
    for call in calls:
        auction.check(parse_call(call))
        auction = auction.apply_unchecked(parse_call(call))
    assert auction.turn is OWN
    return auction


def test_passing_one_s_own_doubled_bid_is_to_play_it() -> None:
    scheme, bid = find_scheme("auction"), Bid(2, Strain.SPADES)
    auction = doubled("2S", "X", "Pass")
    found = advise(HAND, None, auction, scheme=scheme, kind="points")
    layouts = layouts_of(HAND, None, auction, "points", np.random.default_rng(1))
    row = layouts.weights @ forecast_each(chairs(layouts), auction, find_forecaster("points"))
    for factor, prospect in ((2, found.passing), (4, found.doubling[REDOUBLE])):
        points = [float(scheme.net(Contract(bid, OWN, factor), tricks)) for tricks in range(14)]
        assert prospect.expected == pytest.approx(row @ points, abs=1e-6)
        assert prospect.chance == pytest.approx(row[8:].sum())
    assert found.neutral.call is REDOUBLE
    assert found.neutral.reason.startswith("Your contract makes ")


def test_the_defence_of_a_doubled_bid_scores_doubled() -> None:
    """Scheme `old` has no bonus for doubled contracts made: all of it is twice as much."""
    scheme = find_scheme("old")
    plain, twice = (
        advise(WEAK, None, auction, scheme=scheme, kind="points").passing
        for auction in (doubled("4S", "Pass"), doubled("4S", "X"))
    )
    # A double says something about the doubler's hand, so the chances are not the same.
    assert plain.chance is not None
    assert twice.chance is not None
    assert twice.chance < plain.chance
    assert twice.expected > 2 * plain.expected
    alone = advise(WEAK, None, doubled("pass", "4S"), scheme=scheme, kind="points")
    double = alone.doubling[DOUBLE]
    assert double.chance == alone.passing.chance
    assert double.expected == pytest.approx(2 * alone.passing.expected)
    assert double.worst == pytest.approx(2 * alone.passing.worst)
    assert double.spread == pytest.approx(2 * alone.passing.spread)


STACK = parse_hand("KQJT9.A43.A32.52")


@pytest.mark.parametrize("defence", [0, 8])
def test_a_trump_stack_doubles_and_a_weak_hand_does_not(defence: int) -> None:
    scheme = find_scheme("auction")

    def called(hand: Hand, calls: str, *, doubles: bool = True) -> Advice:
        auction = parse_auction(calls, doubles=doubles)
        return advise(hand, auction=auction, scheme=scheme, defence=defence, samples=300)

    found = called(STACK, "3S")
    assert found.call is found.cautious.call is DOUBLE
    assert found.doubling[DOUBLE].expected > found.passing.expected
    assert found.reason.startswith("Their contract makes ")
    written = codec.plain(found)
    assert set(written["doubling"]["X"]) == {"chance", "expected", "spread", "worst"}
    assert (written["seat"], written["neutral"]["call"]) == ("S", "X")
    assert found.prospect(DOUBLE) is found.doubling[DOUBLE]
    assert called(WEAK, "1S").call is PASS
    plain = called(STACK, "3S", doubles=False)
    assert plain.call is not DOUBLE
    assert not plain.doubling


def test_a_double_is_not_allowed_twice_and_belongs_to_opponents() -> None:
    scheme = find_scheme("auction")
    for calls, marks in (
        ("1S", [DOUBLE]),
        ("1S X", []),
        ("1S X pass", [REDOUBLE]),
        ("1S X pass XX", []),
        ("pass", []),
    ):
        auction = parse_auction(calls, doubles=True)
        found = advise(HAND, auction=auction, scheme=scheme, kind="points", samples=20)
        assert list(found.doubling) == marks, calls


def test_the_cautious_player_weighs_the_risk_of_a_double() -> None:
    passing, doubled = Prospect(0.4, 45.0, 30.0, -30.0), Prospect(0.4, 90.0, 60.0, -90.0)
    marks = {DOUBLE: doubled}
    assert recommend({}, passing, doubling=marks).call is DOUBLE
    assert recommend({}, passing, 0.3, doubling=marks).call is PASS
    assert recommend({}, passing, doubling=marks).reason == (
        "Their contract makes 40% of the time, and this averages +90.0 points; passing +45.0."
    )
    bid = {Bid(1, Strain.NOTRUMP): Prospect(0.9, 60.0, 10.0, 0.0)}
    assert recommend(bid, passing, doubling=marks).call == Bid(1, Strain.NOTRUMP)
    less = replace(doubled, expected=passing.expected + DOUBLE_MARGIN)
    assert recommend({}, passing, doubling={DOUBLE: less}).call is PASS


def test_layouts_are_scaled_to_the_forecast_from_a_defender_s_own_cards() -> None:
    rng = np.random.default_rng(3)
    each = rng.dirichlet(np.ones(14), 400)
    wanted = rng.dirichlet(np.ones(14) * 5)
    before, after = (
        np.abs(part.mean(axis=0) - wanted).sum() for part in (each, scaled(each, wanted))
    )
    assert after < before / 3
    assert scaled(each, wanted).sum(axis=1) == pytest.approx(1)


def test_calls_change_the_forecast_and_are_reproducible() -> None:
    scheme = find_scheme("auction")

    def mean(calls: str, seed: int = 1) -> float:
        auction = parse_auction(calls)
        found = advise(HAND, None, auction, scheme=scheme, kind="points", seed=seed)
        return found.forecasts[Strain.NOTRUMP].mean

    assert mean("pass pass") == mean("pass pass")
    assert mean("pass pass") == pytest.approx(mean("pass pass", 2), abs=0.2)
    # Two opponents without strength leave it to the hidden hand.
    assert mean("pass pass") > mean("") + 0.05
    assert mean("1S 2S") < mean("pass pass") - 0.2


def test_the_paper_stands_beside_it() -> None:
    scheme = find_scheme("auction")
    found = advise(HAND, scheme=scheme, kind="points")
    assert found.paper == algorithm1(HAND)
    assert found.paper_call == Bid(found.paper.captures - 6, Strain.NOTRUMP)
    higher = advise(HAND, None, parse_auction("3C"), scheme=scheme, kind="points")
    assert higher.paper_call is PASS
    both = advise(HAND, DUMMY, scheme=scheme, kind="points")
    assert both.paper == algorithm2(HAND, DUMMY)
    assert both.paper_call == Bid(both.paper.captures - 6, Strain.NOTRUMP)
    assert advise(WEAK, scheme=scheme, kind="points").paper_call is PASS


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingError, match=r"not 1\.5"):
        advise(HAND, scheme=find_scheme("old"), kind="points", caution=1.5)
    with pytest.raises(CardsError, match="in both"):
        advise(HAND, HAND, scheme=find_scheme("old"), kind="points")


def turned(calls: str, dealer: Seat, doubles: bool = False) -> Auction:
    """The same calls with another dealer."""
    auction = Auction(dealer, doubles=doubles)
    for word in calls.split():
        auction.check(parse_call(word))
        auction = auction.apply_unchecked(parse_call(word))
    return auction


@pytest.mark.parametrize(
    "calls", ["", "pass", "1H", "1H pass", "pass 1NT", "1S 2C", "1C 1H 1S", "1D pass 1S 2D"]
)
def test_the_same_calls_give_the_same_advice_whoever_dealt(calls: str) -> None:
    """Only whose turn it is counts, not the name of the seat."""
    north, east, south = (
        advise(HAND, None, turned(calls, dealer), scheme=find_scheme("auction"), samples=300)
        for dealer in Seat
    )
    for name in ("forecasts", "bids", "passing", "effective", "cautious"):
        assert getattr(north, name) == getattr(east, name) == getattr(south, name)
    assert north.neutral == east.neutral == south.neutral


def test_one_s_own_doubled_bid_is_one_s_own_in_every_seat() -> None:
    scheme = find_scheme("auction")
    for dealer in Seat:
        auction = turned("2S X pass", dealer, doubles=True)
        found = advise(HAND, None, auction, scheme=scheme, kind="points", samples=50)
        assert found.neutral.reason.startswith("Your contract makes ")
        assert found.doubling.keys() == {REDOUBLE}
