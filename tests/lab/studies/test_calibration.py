"""Calibration by scheme: where the result in the package comes from, and what it counts."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import FIT, SCORE, SETTINGS, Bins, near, off
from tribridge.beliefs.trust import TRUST, trust_at
from tribridge.lab.studies.calibration import AS_IS, CALIBRATED, Result
from tribridge.lab.studies.study import stored
from tribridge.strategies.versions import caller_version


@pytest.fixture(scope="module")
def result() -> Result:
    return stored("calibration", Result)


def test_the_deals_that_score_did_not_fit(result: Result) -> None:
    assert f"seed {SCORE} " in result.source
    assert f"seed {FIT}" not in result.source
    assert str(caller_version("learned")) in result.source
    assert "dirty" not in result.source


def test_every_scheme_and_all_laws_are_shown_with_the_trust_that_the_table_has(
    result: Result,
) -> None:
    for model in (AS_IS, CALIBRATED):
        assert {row.scoring for row in result.scorings if row.model == model} == set(SETTINGS)
    for row in result.levels:
        want = 1.0 if row.model == AS_IS else trust_at(TRUST[row.scoring], row.level)
        assert row.trust == pytest.approx(want)


def test_answers_are_counted_for_both_hidden_hands() -> None:
    bins = Bins({})
    bins.add(3, np.array([0.85, 0.5]), np.array([True, False]))
    bins.add(3, np.array([0.85]), np.array([False]))
    assert bins.stacked().shape == (1, 10, 3)
    assert bins.stacked()[0, 8] == pytest.approx([2, 1.7, 1])
    assert bins.stacked()[0, 1] == pytest.approx([2, 0.3, 1])
    mean, held = near(bins)
    assert (mean, held.estimate) == pytest.approx((85, 50))
    assert off(bins) == pytest.approx(100 * (0.7 + 0.7) / 6)
