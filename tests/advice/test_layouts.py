"""Layouts of unseen cards: dealt evenly, weighted by the calls as the model says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tribridge.advice.calls import OWN, parse_auction
from tribridge.advice.layouts import FLOOR, STEEP, likelihood, lowest_bid, sample, weigh
from tribridge.cards import FULL_DECK, Hand, Strain, parse_hand
from tribridge.errors import SettingError
from tribridge.forecast import find_forecaster
from tribridge.forecast.distribution import distributions
from tribridge.game.auction import Bid, parse_call

HAND, DUMMY = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")


def bid(text: str) -> Bid:
    found = parse_call(text)
    assert isinstance(found, Bid)
    return found


@pytest.mark.parametrize("hidden", [None, DUMMY])
def test_every_layout_deals_the_rest_of_the_deck(hidden: Hand | None) -> None:
    found = sample(HAND, hidden, 200, np.random.default_rng(1))
    assert len(found) == 200
    for left, right, dummy in zip(found.left, found.right, found.hidden, strict=True):
        hands = [HAND.mask, int(left), int(right), int(dummy)]
        assert [mask.bit_count() for mask in hands] == [13] * 4
        assert hands[0] | hands[1] | hands[2] | hands[3] == FULL_DECK.mask
        assert hidden is None or hands[3] == hidden.mask
    assert found.effective == pytest.approx(200)
    assert found.weights.sum() == pytest.approx(1)


def test_every_unseen_card_lies_everywhere_equally_often() -> None:
    found = sample(HAND, None, 6000, np.random.default_rng(2))
    for hands in (found.left, found.right, found.hidden):
        for card in range(52):
            share = float((hands >> np.uint64(card) & np.uint64(1)).mean())
            if HAND.mask >> card & 1:
                assert share == 0
            else:
                assert abs(share - 1 / 3) < 4.5 * math.sqrt(2 / 9 / 6000)


def test_the_same_seed_gives_the_same_layouts() -> None:
    one, two, other = (sample(HAND, None, 50, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert np.array_equal(one.left, two.left)
    assert not np.array_equal(one.left, other.left)


def test_no_layouts_are_refused() -> None:
    with pytest.raises(SettingError, match="0 layouts"):
        sample(HAND, None, 0, np.random.default_rng(1))


def test_the_likelihood_of_a_bid_and_of_a_pass_by_hand() -> None:
    chances = find_forecaster("points").from_hand(np.array([HAND.mask], np.uint64))
    found = distributions(chances[0])
    best = max(one.mean for one in found.values())

    def willing(call: Bid) -> float:
        chance = found[call.strain].at_least(6 + call.level)
        return 1 / (1 + math.exp((0.5 - chance) / STEEP))

    call = bid("2S")
    behind = math.exp(found[Strain.SPADES].mean - best)
    expected = FLOOR + (1 - FLOOR) * willing(call) * behind
    assert likelihood(chances, call, bid("1NT"))[0] == pytest.approx(expected, abs=1e-5)
    lowest = [bid(text) for text in ("4C", "4D", "3H", "3S", "3NT")]
    expected = FLOOR + (1 - FLOOR) * (1 - max(willing(one) for one in lowest))
    assert likelihood(chances, None, bid("3D"))[0] == pytest.approx(expected, abs=1e-5)
    assert likelihood(chances, None, bid("7NT"))[0] == 1


def test_the_lowest_sufficient_bid() -> None:
    assert lowest_bid(Strain.CLUBS, None) == bid("1C")
    assert lowest_bid(Strain.HEARTS, bid("2H")) == bid("3H")
    assert lowest_bid(Strain.SPADES, bid("2H")) == bid("2S")
    assert lowest_bid(Strain.SPADES, bid("7S")) is None


def test_a_bidder_is_given_strength_and_a_passer_is_not() -> None:
    forecaster = find_forecaster("points")
    plain = sample(HAND, None, 3000, np.random.default_rng(3))
    heard = weigh(plain, parse_auction("1S pass"), OWN, forecaster)
    bidder, passer = OWN.left, OWN.right  # the dealer is the player after South

    def strength(weights: np.ndarray, hands: np.ndarray) -> float:
        return float(weights @ (forecaster.from_hand(hands)[:, 4] @ np.arange(14)))

    for seat, sign in ((bidder, 1), (passer, -1)):
        hands = heard.seat(OWN, seat)
        gain = strength(heard.weights, hands) - strength(plain.weights, hands)
        assert sign * gain > 0.2
    spades = np.array([Hand(int(mask)).length(3) for mask in heard.seat(OWN, bidder)])
    assert heard.weights @ spades > spades.mean() + 0.5
    assert heard.effective < len(heard)
    assert heard.seat(OWN, OWN.left) is heard.left
    assert heard.seat(OWN, OWN.right) is heard.right
    assert np.array_equal(plain.weights, np.full(3000, 1 / 3000))
