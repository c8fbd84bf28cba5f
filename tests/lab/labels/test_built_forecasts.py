"""Forecasts of built deals: the measures by hand, held-out deals, and examples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import built
from benchmarks.built import BuiltTest, accuracy, examples, solve, violations
from tribridge.cards.cards import Strain
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.lab.labels.built_deals import HELD_OUT, built_masks, rebuilt
from tribridge.lab.labels.labels import chair_columns

COUNT = 6


class Seven:
    """A forecaster that says seven tricks of everything, for certain."""

    def from_hand(self, hands: NDArray[np.uint64]) -> NDArray[np.float64]:
        chances = np.zeros((len(hands), 5, 14))
        chances[..., 7] = 1
        return chances

    def from_pair(
        self, hands: NDArray[np.uint64], dummies: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        return self.from_hand(hands)


@pytest.fixture(scope="module")
def solved() -> BuiltTest:
    return BuiltTest.of(solve(COUNT, processes=1))


def test_the_tricks_are_those_of_the_held_out_deals(solved: BuiltTest) -> None:
    masks = built_masks(built.SEED, HELD_OUT, COUNT).tolist()
    for at, hands in enumerate(masks):
        declarer = (HELD_OUT + at) % 3
        chairs = [hands[column] for column in chair_columns(declarer)]
        assert int(solved.hands[at]) == hands[declarer]
        assert int(solved.dummies[at]) == hands[3]
        assert bool(solved.alone[at]) is (rebuilt(HELD_OUT + at) == 1)
        strain = Strain(at % 5)
        assert DoubleDummy().tricks(chairs, strain) == solved.tricks[at, strain]
    assert violations(solved) == 0


def test_the_measures_by_hand() -> None:
    masks = built_masks(1, 0, 2)
    test = BuiltTest(
        masks[[0, 1], [0, 1]],
        masks[:, 3],
        np.array([True, False]),
        np.array([[7, 7, 7, 7, 7], [7, 7, 7, 7, 9]]),
    )
    found = built.measures(Seven().from_hand(test.hands)[:, 4:], test.tricks[:, 4:])
    count, error, bias, score, calibration = found
    assert count == 2
    assert error == 1
    assert bias == -1
    assert score == pytest.approx(-np.log(1e-9) / 2)
    # Of 14 chances one bin says 1 of 1NT, made twice; the other 0 of 12, two of them made.
    assert calibration == pytest.approx(100 * 2 / 14)
    table = accuracy(test, {"seven": Seven()})
    assert [row[:4] for row in table.rows] == [
        (13, "suits", "seven", 4),
        (13, "notrump", "seven", 1),
        (26, "suits", "seven", 8),
        (26, "notrump", "seven", 2),
    ]


def test_the_examples_are_certain_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "EXAMPLES", built.EXAMPLES[:2])
    table = examples({"seven": Seven()}, 3, processes=1)
    rows = {(row["hand"], row["forecast"]): row for row in table.records()}
    tops, spades = "AKQJ.AKQ.AKQ.AKQ", "AKQJT98765432..."
    assert rows[tops, "double dummy"]["mean"] == 13
    assert rows[tops, "seven"]["% that many"] == 100
    assert rows[spades, "seven"]["mean"] == 7
    mean = rows[spades, "double dummy"]["mean"]
    assert isinstance(mean, float)
    assert mean < 7
