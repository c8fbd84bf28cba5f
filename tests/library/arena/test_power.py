"""How many deals a comparison needs: by simulation, and beside a closed formula."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats as sps

from tribridge.arena.analysis import pairs_of
from tribridge.arena.power import deals_needed, games_of, needed_for, needed_table
from tribridge.arena.results import MatchResult, load_shipped, shipped
from tribridge.common import stats
from tribridge.common.errors import SettingError

TRIALS = 400


def detected(draw: Any, alpha: float, trials: int = TRIALS) -> float:
    """How often the test of the arena finds a difference in samples."""
    return sum(stats.paired(draw()).p < alpha for _ in range(trials)) / trials


def near(rate: float, power: float) -> bool:
    return abs(rate - power) < 4 * sqrt(power * (1 - power) / TRIALS)


def formula(difference: float, sd: float, alpha: float, power: float) -> float:
    """The deals that a test of a normal mean needs if the standard deviation is known."""
    return float(((sps.norm.isf(alpha / 2) + sps.norm.ppf(power)) * sd / difference) ** 2)


@pytest.mark.parametrize(
    ("difference", "alpha", "power"), [(9.0, 0.05, 0.9), (6.0, 0.05, 0.5), (9.0, 0.001, 0.8)]
)
def test_on_that_many_deals_the_difference_is_found_as_often_as_wanted(
    difference: float, alpha: float, power: float
) -> None:
    deals = deals_needed(difference, 30.0, alpha=alpha, power=power)
    rng = np.random.default_rng(4)
    assert near(detected(lambda: rng.normal(difference, 30.0, deals), alpha), power)
    fewer = round(0.6 * deals)
    assert not near(detected(lambda: rng.normal(difference, 30.0, fewer), alpha), power)


def test_differences_may_vary_as_in_a_sample() -> None:
    rng = np.random.default_rng(5)
    sample = np.repeat([0.0, -2.0, 1.0, 9.0], [700, 160, 100, 40])
    sample -= sample.mean()
    sd = float(sample.std())
    for sign in (1, -1):  # the long tail on the side of the difference, and on the other
        deals = stats.values_needed(sign * 0.2 * sd, sd, 0.05, 0.8, sample=sample)
        rate = detected(lambda: rng.choice(sample, deals) + sign * 0.2 * sd, 0.05)  # noqa: B023
        assert rate == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize("alpha", [0.05, 0.001, 0.001 / 12])
def test_the_closed_formula_is_the_limit_for_many_deals(alpha: float) -> None:
    sizes = (20.0, 10.0, 5.0, 1.0, 0.1)
    needed = [deals_needed(size, 50.0, alpha=alpha) for size in sizes]
    more = [n / formula(size, 50.0, alpha, 0.9) for size, n in zip(sizes, needed, strict=True)]
    assert needed == sorted(needed)
    assert more == sorted(more, reverse=True)
    assert 1 < more[-1] < 1.02


def test_deals_depend_on_the_difference_in_standard_deviations() -> None:
    assert deals_needed(5, 50) == deals_needed(-5, 50) == deals_needed(0.1, 1)
    assert deals_needed(5, 50, tests=10) == deals_needed(5, 50, alpha=0.005)
    assert deals_needed(5, 50, power=0.8) < deals_needed(5, 50) < deals_needed(5, 50, alpha=0.01)
    assert deals_needed(1000, 1) == stats.FEWEST_DEALS


def test_a_result_says_how_much_differences_vary() -> None:
    result = shipped()
    pairs, needed = pairs_of(result), needed_for(result, 0.2)
    assert [(row.side, row.first, row.second) for row in needed] == [
        (pair.side, pair.first, pair.second) for pair in pairs
    ]
    for row, pair in zip(needed, pairs, strict=True):
        assert row.sd == pytest.approx(pair.differences.std(ddof=1))
        assert row.games == row.deals * result.work.games
        assert row.deals == pytest.approx(deals_needed(0.2, row.sd, tests=len(pairs)), rel=0.35)
    fewer = needed_for(result, 0.2, tests=1)
    assert all(one.deals < all_.deals for one, all_ in zip(fewer, needed, strict=True))


def test_the_table_of_rubbers_counts_rubbers() -> None:
    result = load_shipped("ladder-rubber")
    assert isinstance(result, MatchResult)
    rubbers, deals = needed_table(result, 50), needed_table(shipped(), 0.2)
    assert rubbers.names == (
        "side", "first", "second", "sd per rubber", "difference", "rubbers", "rubbers played"
    )  # fmt: skip
    assert deals.names[-2:] == ("deals", "games")
    assert "over 6 tests" in rubbers.note
    assert ("rough" in rubbers.note) == (result.deals < stats.FEWEST_DEALS)


def test_games_are_those_of_the_commands() -> None:
    assert games_of(10, 2) == {"arena match": 60, "arena contracts": 40}
    assert games_of(10, 3) == {"arena match": 60, "arena contracts": 90}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"difference": 0.0, "sd": 1.0}, "difference must be a number other than 0"),
        ({"difference": float("nan"), "sd": 1.0}, "difference must be a number other than 0"),
        ({"difference": 1.0, "sd": 0.0}, "standard deviation must be greater than 0"),
        ({"difference": 1.0, "sd": float("inf")}, "standard deviation must be greater than 0"),
        ({"difference": 1.0, "sd": 1.0, "alpha": 0.0}, "error rate must be between 0 and 1"),
        ({"difference": 1.0, "sd": 1.0, "power": 1.0}, "power must be between the error rate"),
        ({"difference": 1.0, "sd": 1.0, "power": 0.01}, "power must be between the error rate"),
        ({"difference": 1.0, "sd": 1.0, "tests": 0}, "number of tests must be 1 or more, not 0"),
        ({"difference": 1e-6, "sd": 1.0}, "takes more than 1,000,000,000 deals"),
    ],
)
def test_a_design_that_cannot_be_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        deals_needed(**wrong)
