"""The times of the ways to an estimate: measured again, on a few deals."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from benchmarks.cost import accuracy, measure, monte_carlo, playout
from tribridge.cards.dealer import deal
from tribridge.common.stats import Interval
from tribridge.lab.studies import claims, cost
from tribridge.lab.studies.study import stored


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
    assert cost.claims(replace(result, slope=steep))[0].verdict == claims.FAILS
    either = type(result.slope)(2.0, 1.8, 2.2)
    assert cost.claims(replace(result, slope=either))[0].verdict == claims.UNDECIDED


def sampling_verdict(result: cost.Result) -> str:
    return next(c.verdict for c in cost.claims(result) if c.text.startswith("Sampling"))


def test_a_time_is_judged_with_what_it_buys() -> None:
    """Worse playouts would need many of them; a solver as fast as the closed form, no time."""
    result = stored("cost", cost.Result)
    far = Interval(1.0, 0.5, 1.5)
    worse = replace(result, accuracy=tuple(replace(w, less=far) for w in result.accuracy))
    assert sampling_verdict(worse) == claims.HOLDS
    quick = replace(result, ways=tuple(replace(w, times=1.0) for w in result.ways))
    near = replace(quick, accuracy=tuple(replace(w, times=1.0) for w in result.accuracy))
    assert sampling_verdict(near) == claims.FAILS


@pytest.mark.full
def test_the_stored_errors_are_measured_again() -> None:
    shipped = stored("cost", cost.Result)
    again, note = accuracy({way.way: way.times for way in shipped.ways}, 300)
    assert (again, note) == (shipped.accuracy, shipped.accuracy_note)
