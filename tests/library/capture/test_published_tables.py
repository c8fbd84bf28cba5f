"""Algorithm 2 against the published Tables 1 and 2: every cell to sampling error."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from tribridge.capture import Conditions, algorithm2
from tribridge.cards.cards import Hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.lab.studies.published import published_table

CAPTURE_CELLS = ("<=6", "7", "8", "9", "10", "11", "12", "13", ">13")
CONDITION_CELLS = ("A fails", "B fails", "both hold")
RUNS = ("sim 1", "sim 2", "sim 3")
TRIALS = 50_000
SEED = 20260131


def capture_cell(captures: int) -> str:
    if captures <= 6:
        return "<=6"
    return ">13" if captures > 13 else str(captures)


@pytest.fixture(scope="module")
def tallies() -> dict[str, Counter[str]]:
    """Our counts of the cells of both tables."""
    result: dict[str, Counter[str]] = {"captures": Counter(), "conditions": Counter()}
    for hand, dummy, _, _ in deal_masks(SEED, 0, TRIALS).tolist():
        verdict = algorithm2(Hand(hand), Hand(dummy))
        result["conditions"][verdict.outcome.value] += 1
        if verdict.outcome is Conditions.BOTH_HOLD:
            result["captures"][capture_cell(verdict.captures)] += 1
    return result


@pytest.mark.full
@pytest.mark.parametrize(
    ("table", "cell"),
    [("captures", cell) for cell in CAPTURE_CELLS]
    + [("conditions", cell) for cell in CONDITION_CELLS],
)
def test_a_cell_lies_within_four_standard_errors(
    tallies: dict[str, Counter[str]], table: str, cell: str
) -> None:
    runs = [published_table(table)[run, cell] for run in RUNS]
    theirs, trials = float(sum(run.value for run in runs)), sum(run.sample for run in runs)
    ours = tallies[table][cell]
    share = (theirs + ours) / (trials + TRIALS)
    error = sqrt(share * (1 - share) * (1 / trials + 1 / TRIALS))
    assert abs(ours / TRIALS - theirs / trials) <= 4 * error
