"""Sure tricks of trumps: against the truth, by hand, and in what forecasts and advice say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge.cards import Strain, parse_hand
from tribridge.dealer_arrays import deal_masks
from tribridge.forecast import KINDS, forecast, forecast_many
from tribridge.forecast.advice import advise, parse_auction
from tribridge.forecast.sure import possible, sure
from tribridge.game.auction import Bid
from tribridge.game.scoring import find_scheme
from tribridge.truth.labels import shipped

SEVEN = parse_hand("AKQJT98.432.3.32")


def mask(text: str) -> NDArray[np.uint64]:
    return np.array([parse_hand(text).mask], np.uint64)


def test_no_labelled_deal_makes_fewer_or_more() -> None:
    labels = shipped()
    hands = deal_masks(labels.work.seed, 0, len(labels))
    close = 0
    for declarer in range(3):
        made = labels.tricks[:, declarer, :4]
        for dummies in (None, hands[:, 3]):
            fewest, most = sure(hands[:, declarer], dummies)
            assert (fewest <= made).all()
            assert (made <= most).all()
            close += int(((fewest > 0) & (made == fewest)).sum())
            assert dummies is None or (made == most).any()
    assert close > 20


def test_limits_by_hand() -> None:
    fewest, most = sure(mask("AKQJT98.432.3.32"))
    assert fewest.tolist() == [[0, 0, 0, 7]]
    assert most.tolist() == [[13] * 4]
    # Clubs: of AKQ one hand has two. Hearts: of AKQ a defender has two.
    fewest, most = sure(mask("8765.432.432.AQ2"), mask("432.J65.AKQ5.K43"))
    assert fewest.tolist() == [[2, 3, 0, 0]]
    assert most.tolist() == [[13, 13, 11, 10]]


def test_chances_of_what_cannot_be_go_to_the_rest_in_proportion() -> None:
    chances = np.zeros((2, 5, 14))
    chances[0, :, 6:10] = 0.25
    chances[1, :, 3] = 1
    found = possible(chances, np.array([SEVEN.mask] * 2, np.uint64))
    assert found[0, Strain.SPADES, 6:10] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert found[1, Strain.SPADES, 7] == 1
    rest = [Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.NOTRUMP]
    assert np.allclose(found[:, rest], chances[:, rest])
    assert np.allclose(found.sum(axis=-1), 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_forecasts_are_certain_of_what_is(kind: str) -> None:
    whole = parse_hand("AKQJT98765432...")
    assert forecast(whole, kind=kind)[Strain.SPADES].chances[13] == pytest.approx(1)
    dummy = parse_hand("..542.AKQJT98765")
    for found in forecast_many([(SEVEN, None), (SEVEN, dummy)], kind):
        assert found[Strain.SPADES].at_least(7) == pytest.approx(1)
    assert forecast(dummy, SEVEN, kind)[Strain.SPADES].at_least(7) == pytest.approx(1)


@pytest.mark.parametrize("calls", ["", "pass pass"])
def test_advice_sees_no_risk_in_sure_tricks(calls: str) -> None:
    found = advise(SEVEN, None, parse_auction(calls), scheme=find_scheme("old"))
    one = found.bids[Bid(1, Strain.SPADES)]
    assert one.chance == pytest.approx(1)
    assert one.worst >= 9 - 1e-9
