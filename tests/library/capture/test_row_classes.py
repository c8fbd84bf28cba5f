"""Row classes: what one suit does is read off the reference, and the merge is a sort."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.capture import Conditions, Matrix, Reading, algorithm
from tribridge.capture.row_classes import RowClass, hand_rows, pair_rows, row_class, ternary, unpack
from tribridge.cards.cards import Deck
from tribridge.common.errors import SettingError

Gaps = tuple[int, ...]


class _Endless(Deck):
    """A deck whose number of tricks is never reached, so that the reference goes on to the end."""

    @property
    def hand_size(self) -> int:
        return 1000


@pytest.mark.parametrize("ranks", [*range(1, 7), pytest.param(7, marks=pytest.mark.full)])
def test_a_class_is_what_the_reference_does_in_one_suit(ranks: int) -> None:
    lenient = Reading("", "", strict=False)
    for cells in product((0, 1, 2), repeat=ranks):
        result = algorithm.run(Matrix((cells,)), _Endless(1, ranks), 500, lenient, dummy=False)
        row = row_class(cells)
        assert (row.c1, row.c2) == (cells.count(1), cells.count(2))
        assert row.leading_gap == result.total_gap
        if result.outcome is Conditions.BOTH_HOLD:
            assert row.gaps == tuple(capture.gap_paid for capture in result.trace[1:])


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_tables_hold_the_class_of_every_row(ranks: int) -> None:
    for number, cells in enumerate(product((0, 1, 2), repeat=ranks)):
        assert unpack(int(pair_rows(ranks)[number])) == row_class(cells[::-1])
    for mask, bits in enumerate(product((0, 1), repeat=ranks)):
        assert unpack(int(hand_rows(ranks)[mask])) == row_class(bits[::-1])


def test_row_numbers_come_from_masks() -> None:
    ones, twos = 0b0101, 0b1000
    number = ternary(4)[ones] + 2 * ternary(4)[twos]
    assert unpack(int(pair_rows(4)[number])) == row_class((1, 0, 1, 2))


def test_there_are_few_classes() -> None:
    assert len(np.unique(pair_rows(13))) == 45_956
    assert len(np.unique(hand_rows(13))) == 6_449


@pytest.mark.parametrize("cells", [(), (0, 3), (0,) * 14, (-1,)])
def test_what_is_not_a_row_is_refused(cells: Gaps) -> None:
    with pytest.raises(SettingError, match="not a row"):
        row_class(cells)


def _by_smallest_head(suits: list[Gaps]) -> list[tuple[int, int]]:
    """Step 6.2 as it is written: the smallest next gap, the first suit if there are several."""
    places = [0] * len(suits)
    order: list[tuple[int, int]] = []
    while True:
        heads = [
            (gaps[at], suit)
            for suit, (gaps, at) in enumerate(zip(suits, places, strict=True))
            if at < len(gaps)
        ]
        if not heads:
            return order
        _, suit = min(heads)
        order.append((suit, places[suit]))
        places[suit] += 1


@given(st.lists(st.lists(st.integers(0, 4), max_size=7).map(tuple), min_size=1, max_size=4))
def test_captures_go_by_level_then_suit(suits: list[Gaps]) -> None:
    levels = [RowClass(0, 0, 0, gaps).levels for gaps in suits]
    order = sorted(
        (level, suit, place) for suit, row in enumerate(levels) for place, level in enumerate(row)
    )
    assert [(suit, place) for _, suit, place in order] == _by_smallest_head(suits)
