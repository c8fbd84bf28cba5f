"""The kind `real` forecasts what is taken in play, which is not what double dummy takes."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.cards.cards import Strain
from tribridge.forecast import find_forecaster
from tribridge.forecast.distribution import means
from tribridge.lab.labels.labels import Labels, shipped, shipped_played

DEALS = 600


@pytest.fixture(scope="module")
def played() -> Labels:
    return shipped_played().first(DEALS)


def test_the_played_deals_are_those_solved(played: Labels) -> None:
    solved = shipped()
    whole = shipped_played()
    assert whole.work.player.startswith("learned@")
    assert np.array_equal(whole.numbers, solved.numbers)
    assert whole.tricks.shape == solved.tricks.shape
    gap = (whole.tricks.astype(int) - solved.tricks).mean((0, 1))
    assert (np.abs(gap - [0.3, 0.3, 0.3, 0.3, 0.7]) < 0.1).all()
    assert np.abs(whole.tricks.astype(int) - solved.tricks).mean() < 1


@pytest.mark.parametrize("cards", [13, 26])
def test_it_is_closer_to_play_than_the_double_dummy_forecast(played: Labels, cards: int) -> None:
    hands, dummies, tricks = played.pairs()
    scores, biases = {}, {}
    for kind in ("net", "real"):
        forecaster = find_forecaster(kind)
        chances = (
            forecaster.from_hand(hands) if cards == 13 else forecaster.from_pair(hands, dummies)
        )
        chance = np.take_along_axis(chances, tricks[..., None].astype(int), -1)[..., 0]
        scores[kind] = -np.log(chance).mean(0)
        biases[kind] = (means(chances) - tricks).mean(0)
    assert (scores["real"] < scores["net"]).all()
    assert (np.abs(biases["real"]) < 0.2).all()
    assert biases["net"][Strain.NOTRUMP] < -0.4
