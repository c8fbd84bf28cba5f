"""What the array algorithms say of each hand is what the written-out algorithms say."""

from __future__ import annotations

import pytest

from tribridge.capture import READINGS, Conditions, algorithm1, algorithm2
from tribridge.capture.algorithm import Result
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.arrays import Evaluation
from tribridge.capture.simulation.tables import OUTCOMES
from tribridge.cards.cards import Hand
from tribridge.cards.dealer_arrays import deal_masks

HANDS = deal_masks(7, 0, 400)


def check(evaluation: Evaluation, results: list[Result]) -> None:
    assert {result.outcome for result in results} == set(Conditions)  # all three are met
    for at, result in enumerate(results):
        holds = result.outcome is Conditions.BOTH_HOLD
        assert evaluation.gap[at] == result.total_gap
        assert bool(evaluation.holds[at]) == holds
        assert evaluation.captures[at] == result.captures
        assert evaluation.check[at] == (result.check if holds else 0)
        verdict = int(evaluation.verdict[at])
        assert OUTCOMES.get(verdict, verdict) == (result.captures if holds else result.outcome)


@pytest.mark.parametrize("name", READINGS)
def test_one_hand_is_evaluated_as_by_algorithm_1(name: str) -> None:
    hands = HANDS[:, 0]
    check(
        arrays.single(hands, READINGS[name]),
        [algorithm1(Hand(mask), reading=READINGS[name]) for mask in hands.tolist()],
    )


def test_a_pair_is_evaluated_as_by_algorithm_2() -> None:
    check(
        arrays.pair(HANDS[:, 0], HANDS[:, 1]),
        [algorithm2(Hand(one), Hand(two)) for one, two in HANDS[:, :2].tolist()],
    )
