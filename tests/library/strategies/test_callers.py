"""Callers: the paper's bid, bids by points, bids by forecast."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.lab.training.lines import fit_points
from tribridge.advice.calls import advise, auction_of
from tribridge.capture.algorithm import Conditions, algorithm1
from tribridge.cards.cards import Hand, Strain, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import SettingError
from tribridge.game.auction import PASS, Bid, parse_call
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.lab.labels.labels import load_labels, shipped
from tribridge.strategies import Choice, decision_rng, find_caller
from tribridge.strategies.callers import points
from tribridge.strategies.callers.points import expected_tricks


def called(text: str, table: Table) -> Choice:
    turn = table.turn
    assert turn is not None
    return find_caller(text).call(view(table, turn), decision_rng(1, 0, turn, 0))


def test_capture_bids_what_algorithm_1_captures_beyond_six() -> None:
    bids = 0
    for number in range(400):
        table = new_table(deal(11, number), Seat.NORTH)
        result = algorithm1(table.deal.hands[0])
        call = called("capture", table).action
        if result.outcome is Conditions.BOTH_HOLD and result.captures >= 7:
            assert call == Bid(result.captures - 6, Strain.NOTRUMP)
            bids += 1
        else:
            assert call is PASS
    assert bids > 5


def with_hand(hand_text: str) -> Deal:
    """A deal in which North holds a hand."""
    hand = parse_hand(hand_text)
    rest = [card for number in range(4) for card in deal(1, 0).hands[number] if card not in hand]
    return Deal.of([hand, *(Hand(rest[13 * at : 13 * at + 13]) for at in range(3))])


@pytest.mark.parametrize(
    ("caller", "calls", "expected"),
    [
        ("capture", (), "4NT"),
        ("capture:jump=no", (), "1NT"),
        ("capture:jump=no", ("pass", "3S"), "3NT"),
        ("capture", ("pass", "5C"), "Pass"),
        ("points", (), "1NT"),
        ("points", ("pass", "1NT"), "2NT"),
        ("points:margin=5", (), "Pass"),
    ],
)
def test_call_of_a_strong_hand(caller: str, calls: tuple[str, ...], expected: str) -> None:
    table = new_table(with_hand("AKQ2.AK3.A92.KQJ"), Seat((0 - len(calls)) % 3))
    for call in calls:
        table = table.apply(parse_call(call))
    assert table.turn is Seat.NORTH
    assert called(caller, table).action == parse_call(expected)


@pytest.mark.parametrize(
    ("caller", "hand", "calls", "reason"),
    [
        ("pass", "AKQ2.AK3.A92.KQJ", (), "Always passes."),
        ("capture", "AKQ2.AK3.A92.KQJ", (), "Algorithm 1 counts 10 captures, enough for 4NT."),
        (
            "capture",
            "AKQ2.AK3.A92.KQJ",
            ("pass", "5C"),
            "Algorithm 1 counts 10 captures, too few to outbid 5♣.",
        ),
        (
            "capture",
            "7432.964.T92.854",
            (),
            "Condition A of Algorithm 1 fails, so there is no bid.",
        ),
        ("random", "7432.964.T92.854", (), "Bid 1♠ at random from the next 5 bids."),
    ],
)
def test_reasons_are_plain_sentences(
    caller: str, hand: str, calls: tuple[str, ...], reason: str
) -> None:
    table = new_table(with_hand(hand), Seat((0 - len(calls)) % 3))
    for call in calls:
        table = table.apply(parse_call(call))
    assert called(caller, table).reason == reason


def test_points_prefers_a_long_suit() -> None:
    table = new_table(with_hand("AKJ9854.K3.92.K2"), Seat.NORTH)
    choice = called("points", table)
    assert choice.action == parse_call("1S")
    assert "worth 10.4 tricks" in choice.reason


THRESHOLD = re.compile(
    r"(\d+) points?(?: and (\d+) trumps)? (?:are|is) worth ([\d.]+) tricks: (?:too few for (\S+), "
    r"which this player|this player bids (\S+))(?: bids)? from ([\d.]+)\."
)


@pytest.mark.parametrize("margin", [1.0, 0.0, -0.5, 0.5])
def test_points_names_the_threshold_that_it_keeps(margin: float) -> None:
    """What it says of a bid and of a pass agree: the tricks decide on the bid that is named."""
    caller, passed = f"points:margin={margin:g}", Counter[bool]()
    for number in range(150):
        table = new_table(deal(31, number), Seat(number % 3))
        while table.contract is None and not table.over and len(table.auction.calls) < 6:
            assert table.turn is not None
            choice, hand = called(caller, table), view(table, table.turn).dealt
            if table.auction.bidder is not table.turn:
                found = THRESHOLD.fullmatch(choice.reason)
                assert found is not None, choice.reason
                points, trumps, tricks, too_high, made, needed = found.groups()
                bid = parse_call(too_high or made)
                assert isinstance(bid, Bid)
                assert bid in table.legal
                assert (choice.action == bid) is bool(made)
                assert int(points) == hand.hcp
                assert trumps is None or int(trumps) == hand.row(bid.strain.index).bit_count()
                assert (trumps is None) is (bid.strain is Strain.NOTRUMP)
                assert float(needed) == 6 + bid.level + margin
                assert (float(tricks) >= float(needed)) is bool(made)
                assert float(tricks) == pytest.approx(expected_tricks(hand, bid.strain), abs=0.1)
                passed[bool(made)] += 1
            table = table.apply(choice.action)
    assert min(passed[True], passed[False]) > 50


def test_lines_of_the_points_fit_the_labelled_deals() -> None:
    labels = shipped().first(1000)
    hands = [[Hand(int(mask)) for mask in row[:3]] for row in labels.hands]
    for strain in (Strain.HEARTS, Strain.NOTRUMP):
        real, line = [], []
        for row, tricks in zip(hands, labels.of(strain), strict=True):
            for hand, made in zip(row, tricks, strict=True):
                expected = expected_tricks(hand, strain)
                if expected:
                    real.append(int(made))
                    line.append(expected)
        errors = np.array(real) - np.array(line)
        assert abs(errors.mean()) < 0.15
        slope = np.polyfit(line, real, 1)[0]
        assert 0.85 < slope < 1.15


def test_lines_of_the_points_are_those_of_the_training_deals() -> None:
    training = Path(__file__).parents[3] / "data" / "labels-7.parquet"
    notrump, suits = fit_points(load_labels(training))
    assert notrump == pytest.approx(points.NOTRUMP_LINE, rel=1e-3)
    assert suits == pytest.approx(points.SUIT_LINE, rel=1e-3)
    with pytest.raises(SettingError, match="for evaluation"):
        fit_points(shipped().first(10))


def test_forecast_follows_the_advice_whatever_the_seats_are_called() -> None:
    table = new_table(with_hand("AKJ9854.K3.92.K2"), Seat.EAST)
    for call in ("1C", "pass"):
        table = table.apply(parse_call(call))
    choice = called("forecast:kind=points,samples=100", table)
    rng = decision_rng(1, 0, Seat.NORTH, 0)
    advice = advise(
        table.deal.hands[0],
        auction=auction_of([parse_call("1C"), PASS]),
        scheme=find_scheme("auction"),
        kind="points",
        samples=100,
        seed=int(rng.integers(2**32)),
    )
    assert choice.action == advice.neutral.call
    assert choice.reason == advice.neutral.reason
    assert isinstance(choice.action, Bid)


@pytest.mark.slow
def test_caution_passes_where_the_neutral_player_bids() -> None:
    bold = careful = 0
    for number in range(40):
        table = new_table(deal(2, number), Seat.NORTH)
        bold += called("forecast:kind=points", table).action is not PASS
        careful += called("forecast:kind=points,caution=0.6", table).action is not PASS
    assert careful < bold


def test_honour_points_of_all_hands_add_up_to_forty() -> None:
    assert sum(hand.hcp for hand in deal(9, 9).hands) == 40
