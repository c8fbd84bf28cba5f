"""Verification of labels: right ones pass by either path, a wrong one is named."""

from __future__ import annotations

import numpy as np
import pytest

from tests.double_dummy.test_labels import Here
from tribridge.cards import Strain
from tribridge.deals import Seat
from tribridge.double_dummy import dds
from tribridge.double_dummy.labels import Labels, LabelWork, shipped
from tribridge.errors import SettingError
from tribridge.training.labelling import (
    Disagreement,
    Search,
    parse_search,
    sample,
    turned_tricks,
    verify,
)


def some(*numbers: int, declarers: str = "all") -> Labels:
    labels = shipped() if declarers == "all" else shipped().one_declarer()
    return Labels(labels.work, labels.numbers[list(numbers)], labels.tricks[list(numbers)])


@pytest.mark.parametrize("path", ["turned", "table"])
def test_right_labels_agree(path: Search) -> None:
    steps: list[tuple[int, int]] = []
    labels = some(4, 1234, 2999, declarers="one")
    outcome = verify(labels, Here(), path, progress=lambda *now: steps.append(now))
    assert (outcome.deals, outcome.tricks, outcome.disagreements) == (3, 15, ())
    assert steps == [(0, 2), (0, 3)]


@pytest.mark.parametrize("path", ["turned", "table"])
def test_a_wrong_label_is_named(path: Search) -> None:
    labels = some(7, 8)
    tricks = labels.tricks.copy()
    right = int(tricks[1, Seat.SOUTH, Strain.HEARTS])
    tricks[1, Seat.SOUTH, Strain.HEARTS] = right + 1
    seen: list[Disagreement] = []
    outcome = verify(Labels(labels.work, labels.numbers, tricks), Here(), path, report=seen.append)
    wrong = Disagreement(8, Seat.SOUTH, Strain.HEARTS, right + 1, right)
    assert outcome.disagreements == (wrong,)
    assert seen == [wrong]
    assert str(wrong) == (f"deal 8, declarer South, H: labelled {right + 1}, solved {right}")


def test_one_declarer_and_some_strains() -> None:
    work = LabelWork(2026, (Strain.SPADES, Strain.NOTRUMP), "one")
    every = shipped()
    tricks = every.tricks[[5]][:, [2]][:, :, [3, 4]].copy()
    tricks[0, 0, 0] -= 1
    outcome = verify(Labels(work, every.numbers[[5]], tricks), Here())
    (wrong,) = outcome.disagreements
    assert (wrong.declarer, wrong.strain) == (Seat.SOUTH, Strain.SPADES)


def test_the_disguise_moves_every_suit_and_seat() -> None:
    """Thirteen clubs with the declarer: all tricks in clubs, none with another suit as trumps."""
    suits = [0x1FFF << 13 * suit for suit in range(4)]
    assert turned_tricks(suits, tuple(Strain)) == {
        Strain.CLUBS: 13,
        Strain.DIAMONDS: 0,
        Strain.HEARTS: 13,
        Strain.SPADES: 0,
        Strain.NOTRUMP: 0,
    }
    with pytest.raises(SettingError, match="full deck"):
        dds.table([1, 2, 4, 8])


def test_a_sample_is_drawn_by_its_seed_without_repetition() -> None:
    labels = shipped()
    first, again, other = sample(labels, 50, 1), sample(labels, 50, 1), sample(labels, 50, 2)
    assert first.numbers.tolist() == again.numbers.tolist() != other.numbers.tolist()
    assert (np.diff(first.numbers.astype(int)) > 0).all()
    at = int(first.numbers[7])
    assert first.tricks[7].tolist() == labels.tricks[at].tolist()
    assert sample(labels, 5000, 1) is labels
    with pytest.raises(SettingError, match="1 deal"):
        sample(labels, 0, 1)
    with pytest.raises(SettingError, match="verify 'magic': expected"):
        parse_search("magic")
