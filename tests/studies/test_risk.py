"""Risk: the measures against slow ones, dominance, and verdicts that can fall either way."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from tests.studies.helpers import kept_study
from tribridge.errors import FormatError, SettingError
from tribridge.stats import Interval
from tribridge.studies import claims, risk
from tribridge.studies.auctions import PLAYED, labelled_deals, one_against_two


def slow_measures(points: list[float]) -> list[float]:
    """The same by hand: sorting, and walking through each match."""
    mean = sum(points) / len(points)
    spread = (sum((x - mean) ** 2 for x in points) / (len(points) - 1)) ** 0.5
    worst = sorted(points)[: max(1, round(0.05 * len(points)))]
    falls = []
    for start in range(0, len(points) - risk.MATCH + 1, risk.MATCH):
        total = top = fall = 0.0
        for x in points[start : start + risk.MATCH]:
            total += x
            top = max(top, total)
            fall = max(fall, top - total)
        falls.append(fall)
    return [mean, spread, sum(worst) / len(worst), sum(falls) / len(falls)]


def test_the_measures_are_those_of_a_slow_computation() -> None:
    points = np.random.default_rng(1).normal(0, 30, (3, 100)).round()
    for row, found in zip(points.tolist(), risk.measures(points), strict=True):
        assert found == pytest.approx(slow_measures(row))


def test_a_caller_is_efficient_unless_another_is_as_good_and_better_in_one() -> None:
    means = np.array([1.0, 0.0, 0.0, -1.0, 2.0])
    worst = np.array([-50.0, -40.0, -60.0, -40.0, -90.0])
    assert risk.efficient(means, worst).tolist() == [True, True, False, False, True]


def test_the_shipped_contracts_are_of_the_slow_callers_and_start_like_new_ones() -> None:
    contracts, _ = risk.shipped_contracts()
    assert tuple(contracts) == risk.SLOW
    few = labelled_deals(3)
    again = one_against_two(few, risk.SLOW[0], risk.OPPONENTS)[1]
    assert contracts[risk.SLOW[0]][:3].tolist() == again.tolist()


def test_what_is_no_file_of_contracts_is_refused() -> None:
    with pytest.raises(FormatError, match="contracts of callers"):
        risk.load_contracts(BytesIO(b"no"), "file")
    with pytest.raises(SettingError, match="at least 48 deals"):
        risk.run(1, 10)


@pytest.mark.slow
def test_the_best_of_many_callers_is_corrected_for_their_number() -> None:
    """The correction is over all other callers: no p is below their number times the least."""
    others = kept_study("risk").result.ahead
    assert len(others) == len(risk.SLOW) + len(risk.FAST) - 1
    assert min(other.holm for other in others) >= len(others) / (risk.RESAMPLES + 1)


@pytest.mark.slow
def test_caution_that_saves_nothing_fails_and_a_better_caller_is_noticed() -> None:
    result: risk.Result = kept_study("risk").result
    worse, better = Interval(-3.0, -4.0, -2.0), Interval(9.0, 8.0, 10.0)
    unclear = Interval(9.0, -8.0, 20.0)

    def verdicts(saved: Interval, points: Interval, worst: Interval, p: float) -> list[str]:
        change = risk.Measures(worse, worse, saved, worse)
        caution = risk.Caution("forecast, caution 0 to 1", PLAYED, change)
        other = risk.OverPaper("x", PLAYED, points, worst, p, p)
        turned = replace(result, cautions=(caution,), over_paper=(other,))
        return [claim.verdict for claim in risk.claims(turned)]

    assert verdicts(worse, worse, worse, 1.0) == [claims.HOLDS, claims.FAILS]
    assert verdicts(better, better, better, 0.01) == [claims.FAILS, claims.HOLDS]
    assert verdicts(unclear, better, unclear, 0.2) == [claims.UNDECIDED, claims.UNDECIDED]
