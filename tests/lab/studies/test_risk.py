"""The study of risk: its measures against slow ones, and verdicts that fall either way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.risk import BIDDERS, RESAMPLES, result_of, worst_mean
from tests.lab.studies.helpers import alike
from tribridge.common.stats import Interval
from tribridge.lab.studies import claims, risk
from tribridge.lab.studies.study import stored


def test_the_worst_deals_are_the_lowest() -> None:
    points = np.random.default_rng(1).normal(size=(2, 60))
    assert worst_mean(points) == pytest.approx([sum(sorted(row)[:3]) / 3 for row in points])


def test_the_paper_s_bidder_is_judged_in_every_direction() -> None:
    result = stored("risk", risk.Result)
    low, high = Interval(-99.0, -99.0, -99.0), Interval(99.0, 99.0, 99.0)

    def verdict(points: Interval, worst: Interval, holm: float) -> str:
        rows = tuple(row if row.bidder == risk.PAPER
                     else replace(row, points=points, worst=worst, holm=holm)
                     for row in result.bidders)  # fmt: skip
        return risk.claims(replace(result, bidders=rows))[-1].verdict

    assert verdict(high, high, 0.01) == claims.FAILS
    assert verdict(high, high, 0.5) == claims.UNDECIDED
    assert verdict(high, replace(low, estimate=-9999.0), 0.01) == claims.HOLDS


@pytest.mark.slow
def test_the_result_in_the_package_is_of_the_bidders_as_they_are() -> None:
    shipped, again = stored("risk", risk.Result), result_of(60)
    assert tuple(row.bidder for row in shipped.bidders) == BIDDERS
    assert shipped.note.split(" labelled ")[1] == again.note.split(" labelled ")[1]
    assert all(row.p is None or row.p >= 1 / (1 + RESAMPLES) for row in again.bidders)


@pytest.mark.full
def test_the_result_in_the_package_is_computed_again() -> None:
    assert alike(result_of(3000), stored("risk", risk.Result))
