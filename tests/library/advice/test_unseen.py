"""Layouts of unseen cards: dealt evenly, weighted by the calls, the same from every seat."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.advice.calls import parse_auction
from tribridge.advice.layouts import OWN, layouts_of
from tribridge.cards.cards import FULL_DECK, Hand, parse_hand
from tribridge.cards.deals import HIDDEN
from tribridge.common.errors import SettingError
from tribridge.forecast import find_forecaster

HAND, DUMMY = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")


@pytest.mark.parametrize("hidden", [None, DUMMY])
def test_every_layout_deals_the_rest_of_the_deck(hidden: Hand | None) -> None:
    layouts = layouts_of(HAND, hidden, parse_auction(""), "points", np.random.default_rng(1), 200)
    assert layouts.deals.shape == (200, 4)
    for hands in layouts.deals.tolist():
        assert [mask.bit_count() for mask in hands] == [13] * 4
        assert hands[0] | hands[1] | hands[2] | hands[3] == FULL_DECK.mask
        assert hands[OWN] == HAND.mask
        assert hidden is None or hands[HIDDEN] == hidden.mask
    assert layouts.effective == pytest.approx(200)


def test_no_layouts_are_refused() -> None:
    with pytest.raises(SettingError, match="not 0"):
        layouts_of(HAND, None, parse_auction(""), "points", np.random.default_rng(1), 0)


def test_a_bidder_is_given_strength_and_a_passer_is_not() -> None:
    forecaster = find_forecaster("points")
    layouts = layouts_of(
        HAND, None, parse_auction("1S pass"), "points", np.random.default_rng(3), 3000
    )
    bidder, passer = OWN.left, OWN.right  # the dealer is the player after South

    def gain(values: np.ndarray) -> float:
        return float(layouts.weights @ values - values.mean())

    for seat, sign in ((bidder, 1), (passer, -1)):
        tricks = forecaster.from_hand(layouts.deals[:, seat])[:, 4] @ np.arange(14)
        assert sign * gain(tricks) > 0.2
    spades = np.array([Hand(mask).length("S") for mask in layouts.deals[:, bidder].tolist()])
    assert gain(spades) > 0.5
    assert layouts.effective < len(layouts.deals)
