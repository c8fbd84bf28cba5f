"""Ratings on the ladder of the bots: the scale, the prior, and how often the interval is right."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests.history.test_statistics import RECORDS
from tribridge.arena.analysis import match_pairs
from tribridge.arena.results import shipped_matches
from tribridge.deals import Seat
from tribridge.game.table import Outcome
from tribridge.history import PlayedDeal, ladder, rate
from tribridge.history.rating import ANCHOR, PRIOR, Ladder, Rung, ladder_of

RECORD = RECORDS[0]
"""Passed out: everybody scores 0."""
BOTS = Ladder((Rung("weak", -40.0, 0.0, 100), Rung(ANCHOR, 0.0, 0.0, 0)), 60.0)


def _game(*strategies: str | None) -> PlayedDeal:
    north, east = strategies
    return PlayedDeal(
        record=RECORD, outcome=Outcome(None), seat=Seat.SOUTH, strategies=(north, east, None)
    )


def test_the_bots_are_rated_by_the_shipped_matches() -> None:
    bots = ladder()
    assert [rung.rating for rung in bots.rungs] == sorted(rung.rating for rung in bots.rungs)
    anchor = bots.find(ANCHOR)
    assert anchor is not None
    assert anchor.rating == 0
    weakest = bots.find("points+random")
    assert weakest is not None
    assert weakest is bots.rungs[0]
    assert weakest.rating < -3 * weakest.error
    assert bots.find("forecast+sampling") is not None  # its layouts are not part of the name
    assert bots.find(None) is None


def test_a_rung_is_twice_the_difference_at_the_table() -> None:
    (match, *_) = shipped_matches()
    rung = ladder_of([match]).find("capture+maxims")
    assert rung is not None
    (pair,) = [p for p in match_pairs(match) if {p.first, p.second} == {ANCHOR, "capture+maxims"}]
    sign = 1 if pair.second == ANCHOR else -1
    assert rung.rating == pytest.approx(2 * sign * pair.differences.mean())
    assert rung.deals == 400


def test_no_deals_leave_the_prior() -> None:
    rating = rate([], BOTS)
    assert rating.value.estimate == 0
    assert rating.half == pytest.approx(1.96 * PRIOR)
    assert rating.too_few


def test_the_mean_is_drawn_to_the_prior_and_the_interval_shrinks() -> None:
    # A draw against two weak bots is worth their rating.
    few, many = (rate([_game("weak", "weak")] * count, BOTS) for count in (5, 400))
    assert -40 < few.value.estimate < -10
    assert many.value.estimate == pytest.approx(-40, abs=1)
    assert many.half < few.half < 1.96 * PRIOR
    assert (few.too_few, many.too_few) == (True, False)
    assert "too few games to tell" in few.words()
    assert many.words() == "after 400 rated deals: about as strong as weak"
    assert many.words({"weak": "Gentle"}) == "after 400 rated deals: about as strong as Gentle"
    # One person at the table, and one bot of the ladder.
    assert rate([_game("weak", None)] * 400, BOTS).value.estimate == pytest.approx(-40, abs=1)


def test_only_fair_deals_against_the_ladder_count() -> None:
    one = _game("weak", "weak")
    record = one.record
    for other in (
        _game("other", None),
        replace(one, unaided=False),
        replace(one, record=replace(record, doubles=True)),
        replace(one, record=replace(record, scheme="contract")),
        replace(one, record=replace(record, scheme=None)),
        replace(one, record=replace(record, vulnerable=(Seat.NORTH,))),
    ):
        assert rate([other], BOTS).deals == 0
    assert (
        rate([one, replace(one, record=replace(record, scheme="auction-tricks"))], BOTS).deals == 2
    )


def test_the_uncertainty_of_the_ladder_is_added() -> None:
    unsure = Ladder((Rung("weak", -40.0, 10.0, 100), Rung(ANCHOR, 0.0, 0.0, 0)), 60.0)
    games = [_game("weak", "weak")] * 400
    plain, wider = rate(games, BOTS), rate(games, unsure)
    assert wider.half == pytest.approx(sqrt(plain.half**2 + (1.96 * 10) ** 2))


def test_the_interval_holds_the_true_rating_as_often_as_it_says() -> None:
    from tribridge.history.rating import _posterior

    rng = np.random.default_rng(1)
    for count in (3, 30, 300):
        held = 0
        for _ in range(1000):
            truth = rng.normal(0, PRIOR)
            mean, error = _posterior(list(rng.normal(truth, 60, count)), 60.0)
            held += abs(mean - truth) <= 1.96 * error
        assert 920 <= held <= 975
