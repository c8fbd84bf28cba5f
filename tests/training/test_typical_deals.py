"""Typical deals: the file in the package comes from the training deals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tribridge.double_dummy.labels import load_training_labels, shipped
from tribridge.errors import TribridgeError
from tribridge.game.rubber_worth import GAMES, LOW, typical_deals
from tribridge.game.scoring import find_scheme
from tribridge.training.typical_deals import play_typical_deals

LABELS = Path(__file__).parents[2] / "data" / "labels-7.parquet"


@pytest.mark.parametrize("scheme", [LOW, GAMES])
def test_the_file_holds_the_first_training_deals(scheme: str) -> None:
    labels = load_training_labels(LABELS)
    played = Counter(play_typical_deals(labels.first(150), find_scheme(scheme)))
    counted = typical_deals()[scheme]
    assert sum(counted.values()) == len(labels)
    assert all(counted.get(deal, 0) >= count for deal, count in played.items())
    assert len(played) > 20


def test_deals_kept_for_evaluation_are_refused() -> None:
    with pytest.raises(TribridgeError):
        play_typical_deals(shipped(), find_scheme(LOW))
