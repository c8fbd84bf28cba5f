"""The times of the ways to an estimate: measured again, on a few deals."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.cost import measure, monte_carlo, playout
from tribridge.dealer import deal
from tribridge.studies import claims, cost
from tribridge.studies.study import stored


def test_playouts_are_whole_games() -> None:
    dealt = deal(1, 0)
    tricks = [playout(dealt, Random(seed)) for seed in range(20)]
    assert len(set(tricks)) > 1
    assert all(0 <= number <= 13 for number in tricks)
    assert 0 < monte_carlo(dealt, Random(1), 5) < 13


@pytest.mark.slow
def test_the_stored_times_are_of_what_is_measured() -> None:
    shipped, again = stored("cost", cost.Result), measure(12)
    assert [way.way for way in shipped.ways] == [way.way for way in again.ways]
    assert shipped.ratios("Algorithm 2") == again.ratios("Algorithm 2") == {cost.ALGORITHM2: 1.0}
    assert shipped.machine in str(cost.STUDY.outcome(shipped).table("cost").note)


def test_a_slope_beyond_the_bound_would_be_noticed() -> None:
    result = stored("cost", cost.Result)
    first, *_ = cost.claims(result)
    assert first.verdict == claims.HOLDS
    steep = type(result.slope)(2.5, 2.2, 2.8)
    turned = cost.Result(result.machine, result.ways, result.growth, steep)
    assert cost.claims(turned)[0].verdict == claims.FAILS
