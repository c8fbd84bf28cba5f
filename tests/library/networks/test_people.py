"""What the network that learned from people sees is the same for one view and for many."""

from __future__ import annotations

import numpy as np

from tribridge.game.textbook import positions
from tribridge.networks.people import ANY_TRICK, numbers_for, shown, steps_for
from tribridge.networks.play import SWING, observe, steps_of


def test_one_and_many_are_shown_the_same() -> None:
    views = [position.view() for position in positions()]
    seen = [observe(view).numbers for view in views]
    many = np.array([(*one, *steps_of(view)) for one, view in zip(seen, views, strict=True)])
    expected = [(*numbers_for(one), *steps_for(one.level)) for one in seen]
    assert shown(many).tolist() == [list(one) for one in expected]
    assert shown(many[:, :15]).tolist() == shown(many).tolist()


def test_the_deciding_trick_counts_most() -> None:
    for level in range(1, 8):
        steps = steps_for(level)
        assert steps[level + 5] == SWING
        assert sum(steps) == SWING + 12 * ANY_TRICK
