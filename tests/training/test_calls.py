"""A caller's choices, collected for its copy."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.networks.auction import BIDS
from tribridge.training.calls import CallsOf, collect


@pytest.mark.slow
def test_auctions_depend_on_their_number_alone() -> None:
    rows = CallsOf("points", 3).run((0, 60))
    parts = [CallsOf("points", 3).run((at, at + 30)) for at in (0, 30)]
    assert np.array_equal(np.concatenate(parts), rows)
    assert np.array_equal(collect("points", 60, seed=3, processes=2), rows)


def test_only_the_callers_own_choices_are_collected() -> None:
    """`pass` never bids, so every row is a pass, whatever the others do."""
    calls = CallsOf("pass", 1).run((0, 100))
    assert (calls[:, -1] == BIDS).all()
    assert (calls[:, 2] > 0).any(), "others bid"
    assert (calls[:, 4] == 0).all(), "it never bid itself"
