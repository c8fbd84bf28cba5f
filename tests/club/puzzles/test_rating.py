"""Glicko-2 against the paper's own example, and the ratings that follow from the bots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.club.puzzles.examples import puzzle
from tribridge.club.puzzles.rating import Rating, update
from tribridge.lab.puzzle_maker.making import rate_by_bots


def test_the_worked_example_of_the_paper() -> None:
    """Glickman, Example of the Glicko-2 system: r' = 1464.06, RD' = 151.52, volatility 0.05999."""
    games = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = update(Rating(1500, 200, 0.06), games)
    assert after.rating == pytest.approx(1464.06, abs=0.02)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


def test_a_period_without_games_makes_a_rating_less_certain_and_never_wider_than_at_first() -> None:
    assert update(Rating(1600, 50), []).deviation > 50
    assert update(Rating(1600, 350), []).deviation == 350


def test_right_answers_raise_a_rating_and_make_it_more_certain() -> None:
    own = Rating()
    for _ in range(10):
        after = update(own, [(Rating(1500, 60), 1.0)])
        assert after.rating > own.rating
        assert after.deviation < own.deviation
        own = after


def test_a_puzzle_that_fewer_bots_solve_is_rated_higher() -> None:
    bots = ("random", "maxims", "learned")
    solved = [dict.fromkeys(bots, 0.0) | dict.fromkeys(bots[at:], 1.0) for at in range(4)]
    puzzles = [replace(puzzle(), bots=each) for each in solved]
    rated, strengths = rate_by_bots(puzzles)
    ratings = [one.rating for one in rated]
    assert ratings == sorted(ratings)
    assert strengths["random"] < strengths["maxims"] < strengths["learned"]
    assert all(0 < one.deviation < 350 for one in rated)
