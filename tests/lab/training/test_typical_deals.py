"""Typical deals: the file in the package comes from the training deals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tribridge.advice.prospects import bid_values, prospects
from tribridge.cards.deals import Seat
from tribridge.common.errors import TribridgeError
from tribridge.forecast.kinds import find_forecaster
from tribridge.forecast.sure import possible
from tribridge.game.rubber_worth import GAMES, LOW, typical_deals
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.labels import load_training_labels, shipped
from tribridge.lab.training.typical_deals import play_typical_deals

LABELS = Path(__file__).parents[3] / "data" / "labels-7.parquet"


@pytest.mark.parametrize("scheme", [LOW, GAMES])
def test_the_file_holds_the_first_training_deals(scheme: str) -> None:
    labels = load_training_labels(LABELS)
    played = Counter(play_typical_deals(labels.first(150), find_scheme(scheme)))
    counted = typical_deals()[scheme]
    assert sum(counted.values()) == len(labels)
    assert all(counted.get(deal, 0) >= count for deal, count in played.items())
    assert len(played) > 20


def test_a_deal_is_passed_out_if_nobody_expects_a_gain() -> None:
    labels, scheme = load_training_labels(LABELS).first(150), find_scheme(LOW)
    hands = labels.hands[:, : len(Seat)].reshape(-1)
    chances = possible(find_forecaster("net").from_hand(hands), hands)
    expected = prospects(chances[:, :, None, :], bid_values(scheme))[0].reshape(150, len(Seat), -1)
    willing = np.max(expected, axis=2) > 0
    played = play_typical_deals(labels, scheme)
    assert [deal.bid is not None for deal in played] == willing.any(1).tolist()
    third = [(at + 2) % 3 for at in range(150)]
    alone = willing[np.arange(150), third] & (willing.sum(1) == 1)
    assert alone.any()  # two passes do not end an auction without a bid


def test_deals_kept_for_evaluation_are_refused() -> None:
    with pytest.raises(TribridgeError):
        play_typical_deals(shipped(), find_scheme(LOW))
