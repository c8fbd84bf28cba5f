"""Models of calls and plays: chances that add up, and the figures they are stated with."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.grids import thinned
from tests.lab.training.lines import fit_tricks
from tribridge.beliefs import (
    Beliefs,
    CallModel,
    CaptureCalls,
    ForecastCalls,
    PointCalls,
    RandomPlays,
    call_model,
)
from tribridge.beliefs.models import NOTRUMP_TRICKS, SUIT_TRICKS, TRICKS_SD
from tribridge.capture.algorithm import algorithm1
from tribridge.cards.cards import Card, Deck, Hand, Strain, Suit, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, U64, honour_points, legal, popcount, suit_mask
from tribridge.common.errors import SettingError
from tribridge.forecast import find_forecaster
from tribridge.forecast.distribution import distributions
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Auction, Bid, Contract, parse_call
from tribridge.game.laws import all_laws, find_laws
from tribridge.game.position import Position
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import view
from tribridge.lab.labels.labels import load_labels, shipped

HANDS = deal_masks(5, 0, 300)[:, 0]
TRAINING = Path(__file__).parents[3] / "data" / "labels-7.parquet"


def auction(*calls: str, doubles: bool = False) -> Auction:
    found = Auction(Seat.NORTH, doubles=doubles)
    for call in calls:
        found = found.apply_unchecked(parse_call(call))
    return found


SCHEMES = {
    name: PointCalls(scheme=find_scheme(name)) for name in ("auction", "old", "new", "contract")
}
SCHEMES["vulnerable"] = PointCalls(scheme=find_scheme("contract"), vulnerable=tuple(Seat))
RUBBERS = {
    f"{name} {standing}": PointCalls(RubberState(find_laws(name), standing))
    for name in all_laws()
    for standing in (Standing(), Standing((20, 0, 0), (0, 1, 0)), Standing((0, 20, 20), (1, 0, 1)))
}


@pytest.mark.parametrize("model", [*SCHEMES.values(), *RUBBERS.values(), CaptureCalls()])
@pytest.mark.parametrize(
    "calls", [(), ("1NT",), ("1C", "X"), ("1C", "X", "pass"), ("7S", "pass"), ("7NT",)]
)
def test_the_chances_of_all_legal_calls_add_up_to_one(
    model: CallModel, calls: tuple[str, ...]
) -> None:
    before = auction(*calls, doubles=True)
    assert before.turn is not None
    total = sum(model.likelihood(HANDS, before.turn, before, call) for call in before.legal)
    assert total == pytest.approx(np.ones(len(HANDS)))


def test_the_lines_of_point_calls_are_those_of_the_labels() -> None:
    suits, notrump, spread = fit_tricks(load_labels(TRAINING))
    assert suits == pytest.approx(SUIT_TRICKS, rel=1e-3)
    assert notrump == pytest.approx(NOTRUMP_TRICKS, rel=1e-3)
    assert spread == pytest.approx(TRICKS_SD, rel=1e-3)
    with pytest.raises(SettingError, match="for evaluation"):
        fit_tricks(shipped().first(10))


def test_strong_hands_bid_their_long_suit_and_weak_ones_pass() -> None:
    strong, weak = parse_hand("AKQJT98.AK.A2.32"), parse_hand("98.7654.5432.432")
    hands = np.array([strong.mask, weak.mask], dtype=np.uint64)
    chance = {
        call: PointCalls().likelihood(hands, Seat.NORTH, auction(), call)
        for call in auction().legal
    }
    assert chance[PASS][1] > 0.95
    assert chance[PASS][0] < 0.05
    best = max((call for call in chance if isinstance(call, Bid)), key=lambda c: chance[c][0])
    assert best.strain.trump is Suit.SPADES


@cache
def hand_types() -> tuple[U64, F64]:
    """A hand for each set of suit lengths and honour points, and how many hands are like it."""
    holdings = np.arange(1 << 13, dtype=np.uint64)
    rows = list(zip(popcount(holdings).tolist(), honour_points(holdings).tolist(), strict=True))
    count, example = Counter(rows), dict(zip(rows, range(1 << 13), strict=True))
    pairs: dict[int, dict[tuple[int, int, int], tuple[int, int]]] = {n: {} for n in range(14)}
    for (low, first), (high, second) in product(count.items(), repeat=2):
        if (both := low[0] + high[0]) <= 13:
            kind = low[0], high[0], low[1] + high[1]
            number, _ = pairs[both].get(kind, (0, 0))
            mask = example[low] | example[high] << 13
            pairs[both][kind] = number + first * second, mask
    hands, masks = Counter[tuple[int, ...]](), dict[tuple[int, ...], int]()
    for both, lower in pairs.items():
        for (one, (number, mask)), (two, (times, above)) in product(
            lower.items(), pairs[13 - both].items()
        ):
            shape = (*one[:2], *two[:2], one[2] + two[2])
            hands[shape] += number * times
            masks[shape] = mask | above << 26
    assert sum(hands.values()) == math.comb(52, 13)
    numbers = np.array(list(hands.values()), np.float64)
    return np.array([masks[shape] for shape in hands], np.uint64), numbers


@pytest.mark.parametrize("name", thinned([*SCHEMES, *RUBBERS]))
def test_a_higher_bid_never_shows_fewer_points_or_trumps(name: str) -> None:
    model, (hands, numbers) = {**SCHEMES, **RUBBERS}[name], hand_types()
    for strain in Strain:
        measures = [honour_points(hands)]
        if strain.trump is not None:
            measures.append(popcount(hands & suit_mask(strain.index)))
        for measure in measures:
            means = []
            for level in range(1, 8):
                bid = Bid(level, strain)
                weights = numbers * model.likelihood(hands, Seat.NORTH, auction(), bid)
                means.append(float(weights @ measure / weights.sum()))
            assert (np.diff(means) > -1e-9).all(), (strain, means)
            assert means[-1] > means[0] + 0.5
            assert means[-1] > float(numbers @ measure / numbers.sum()) + 0.5


def test_the_model_of_calls_is_that_of_the_table() -> None:
    dealt, contract = deal(1, 0), find_scheme("contract")
    state = RubberState(find_laws("auction-rubber"), Standing((20, 0, 0)))
    risky = new_table(dealt, Seat.NORTH, scheme=contract, vulnerable=(Seat.NORTH,))
    assert call_model(view(risky, Seat.EAST)) == PointCalls(None, contract, (Seat.NORTH,))
    rubber = new_table(dealt, Seat.NORTH, rubber=state)
    assert call_model(view(rubber, Seat.EAST)) == PointCalls(state)
    assert call_model(view(new_table(deal(1, 0, Deck(4, 3)), Seat.NORTH), Seat.EAST)) is None
    # With 20 points below the line two odd tricks in clubs are a game.
    hands, numbers = hand_types()
    behind, fresh = (
        float(weights @ honour_points(hands) / weights.sum())
        for model in (PointCalls(state), PointCalls(RubberState(state.laws)))
        for weights in [numbers * model.likelihood(hands, Seat.NORTH, auction(), Bid("1C"))]
    )
    assert behind < fresh - 0.05


def test_a_double_shows_points_and_trumps_and_a_redouble_points() -> None:
    hands, numbers = hand_types()
    spades = popcount(hands & suit_mask(Suit.SPADES.index))

    def means(call: str, *before: str) -> list[float]:
        so_far = auction(*before, doubles=True)
        assert so_far.turn is not None
        chance = PointCalls().likelihood(hands, so_far.turn, so_far, parse_call(call))
        weights = numbers * chance / (numbers @ chance)
        return [float(weights @ honour_points(hands)), float(weights @ spades)]

    doubled, passed = means("X", "3S"), means("pass", "3S")
    assert (np.array(doubled) > np.array(passed) + 0.5).all()
    redoubled, left = means("XX", "1S", "X", "pass"), means("pass", "1S", "X", "pass")
    assert redoubled[0] > left[0] + 0.5


def test_capture_calls_follow_algorithm_1() -> None:
    hands = deal_masks(9, 0, 400)[:, 1]
    levels = [max(algorithm1(Hand(mask)).captures - 6, 0) for mask in hands.tolist()]
    assert {0, 1, 2} <= set(levels)
    for lowest, calls in ((1, ("1C",)), (2, ("1NT",))):
        before = auction(*calls)
        fits = [range(lowest, level + 1) for level in levels]
        for call in before.legal:
            want = [float(not fit) if call is PASS else 0.0 for fit in fits]
            if isinstance(call, Bid) and call.strain is Strain.NOTRUMP:
                want = [1 / len(fit) if call.level in fit else 0.0 for fit in fits]
            found = CaptureCalls().likelihood(hands, Seat.EAST, before, call)
            assert found.tolist() == want


def test_random_plays_share_the_chance_among_cards_that_follow() -> None:
    held = np.array(
        [parse_hand("AKQ.T98.KJ2.A543").mask, parse_hand("AKQJT98765432...").mask], np.uint64
    )
    contract = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)
    dummy = parse_hand("...AKQJT98765432").mask
    lead = Position(contract, (0, 0, dummy, 0))
    follow = Position(contract, (0, 0, dummy, 0), Chair.DUMMY, (Card("H2"),))
    declarer = Position(contract, (0, 0, dummy, 0), Chair.DUMMY)
    assert RandomPlays().likelihood(held, lead, Card("SA")).tolist() == [1 / 13, 1 / 13]
    assert RandomPlays().likelihood(held, follow, Card("HT")).tolist() == [1 / 3, 1 / 13]
    assert RandomPlays().likelihood(held, declarer, Card("CA")).tolist() == [1 / 13, 1 / 13]


def test_bits_are_counted_as_hands_count_them() -> None:
    masks = np.concatenate([HANDS, np.array([0, (1 << 52) - 1], np.uint64)])
    hands = [Hand(mask) for mask in masks.tolist()]
    assert popcount(masks).tolist() == [len(hand) for hand in hands]
    assert honour_points(masks).tolist() == [
        sum(max(0, 4 - card.column) for card in hand) for hand in hands
    ]
    for suit in Suit:
        want = [hand.suit(suit).mask or hand.mask for hand in hands]
        assert legal(masks, suit).tolist() == want


@pytest.mark.parametrize("model", [PointCalls(), ForecastCalls(), CaptureCalls()], ids=str)
def test_models_of_the_full_deck_refuse_others(model: CallModel) -> None:
    table = new_table(deal(1, 0, Deck(4, 3)), Seat.NORTH).apply(PASS)
    beliefs = Beliefs(view(table, Seat.EAST), model)
    with pytest.raises(SettingError, match="full deck"):
        beliefs.posterior(np.random.default_rng(1))


def test_a_temperature_must_be_above_zero() -> None:
    with pytest.raises(SettingError, match="temperature"):
        PointCalls(temperature=0)


def test_the_forecast_of_a_bid_and_of_a_pass_by_hand() -> None:
    hands = np.array([parse_hand("AKQ2.K93.A92.KQ5").mask], np.uint64)
    model = ForecastCalls("points")
    forecasts = distributions(find_forecaster("points").from_hand(hands)[0])
    best = max(one.mean for one in forecasts.values())

    def likelihood(call: str, *before: str) -> float:
        return float(model.likelihood(hands, Seat.NORTH, auction(*before), parse_call(call))[0])

    def willing(text: str) -> float:
        bid = parse_call(text)
        assert isinstance(bid, Bid)
        chance = forecasts[bid.strain].at_least(6 + bid.level)
        return 1 / (1 + math.exp((0.5 - chance) / model.steep))

    behind = math.exp(forecasts[Strain.SPADES].mean - best)
    expected = 0.05 + 0.95 * willing("2S") * behind
    assert likelihood("2S", "1NT") == pytest.approx(expected, abs=1e-5)
    lowest = ("4C", "4D", "3H", "3S", "3NT")
    expected = 0.05 + 0.95 * (1 - max(willing(text) for text in lowest))
    assert likelihood("pass", "3D") == pytest.approx(expected, abs=1e-5)
    assert likelihood("pass", "7NT") == 1


def test_a_double_shows_defence_and_a_redouble_shows_tricks() -> None:
    model = ForecastCalls()
    stack, poor, solid = (
        parse_hand(text) for text in ("KQJT9.A43.A32.52", "65432.843.732.52", "AKQJT98.AK4.A3.2")
    )
    hands = np.array([stack.mask, poor.mask, solid.mask], np.uint64)
    spades = auction("1S", doubles=True)
    double = model.likelihood(hands, Seat.EAST, spades, DOUBLE)
    assert double[0] > 0.6
    assert double[1] < 0.1
    doubled = spades.apply_unchecked(DOUBLE).apply_unchecked(PASS)
    redouble = model.likelihood(hands, Seat.NORTH, doubled, REDOUBLE)
    assert redouble[2] > 0.9
    assert redouble[1] < 0.2
    for chances in (double, redouble):
        assert ((model.least <= chances) & (chances <= 1)).all()


@pytest.mark.parametrize(
    "calls", ["1S double pass redouble pass pass", "1S double pass redouble 2S"]
)
def test_a_redouble_is_evidence_like_any_call(calls: str) -> None:
    """Nothing can be doubled after a redouble, and nobody is taken to consider it."""
    table = new_table(deal(1, 0), Seat.NORTH, doubles=True)
    for call in calls.split():
        table = table.call(call)
    seen = view(table, Seat.SOUTH)
    layouts = Beliefs(seen).layouts.sample(50, np.random.default_rng(1))
    weights = Beliefs(seen, call_model(seen)).weights(layouts)
    assert weights.sum() == pytest.approx(1)
    assert weights.max() > weights.min() > 0
