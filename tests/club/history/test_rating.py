"""Ratings on the ladder of the bots: the scale, the prior, and how often the interval is right."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests.club.history.ladders import ladder_of
from tests.club.history.test_ladder import rubber_deals, rubber_match
from tests.club.history.test_statistics import RECORDS
from tribridge.cards.deals import Seat
from tribridge.club.history import PlayedDeal, Scoring, rate, ratings
from tribridge.club.history.ladder import ANCHOR, Ladder, Rung, worth_of
from tribridge.club.history.rating import Place, posterior
from tribridge.game.auction import Outcome

RECORD = RECORDS[0]
"""Passed out: everybody scores 0."""
BOTS = Ladder((Rung("weak", -40.0, 0.0, 100), Rung(ANCHOR, 0.0, 0.0, 0)), 60.0)


def _game(*strategies: str | None) -> PlayedDeal:
    north, east = strategies
    return PlayedDeal(
        record=RECORD, outcome=Outcome(None), seat=Seat.SOUTH, strategies=(north, east, None)
    )


def test_no_deals_leave_the_prior() -> None:
    rating = rate([], BOTS)
    assert rating.estimate == 0
    assert rating.half == pytest.approx(1.96 * BOTS.spread)
    assert rating.too_few


def test_the_mean_is_drawn_to_the_prior_and_the_interval_shrinks() -> None:
    # A draw against two weak bots is worth their rating.
    few, many = (rate([_game("weak", "weak")] * count, BOTS) for count in (5, 400))
    assert -40 < few.estimate < -10
    assert many.estimate == pytest.approx(-40, abs=1)
    assert many.half < few.half < 1.96 * BOTS.spread
    assert (few.too_few, many.too_few) == (True, False)
    assert "too few games to tell" in few.words()
    assert many.words() == "after 400 rated deals: about as strong as weak"
    assert many.words({"weak": "Gentle"}) == "after 400 rated deals: about as strong as Gentle"
    # One person at the table, and one bot of the ladder.
    assert rate([_game("weak", None)] * 400, BOTS).estimate == pytest.approx(-40, abs=1)


def test_a_rating_that_fits_several_bots_names_the_weakest_and_the_strongest() -> None:
    rungs = tuple(Rung(name, at, 0.0, 100) for name, at in (("a", -9.0), ("b", 0.0), ("c", 9.0)))
    few = rate([_game("weak", "weak")] * 400, BOTS)
    wide = replace(few, estimate=1.0, low=-10.0, high=10.0, ladder=rungs)
    assert wide.place() == (Place.AMONG, ("b", "a", "c"))
    assert replace(wide, low=-1.0).place() == (Place.AMONG, ("b", "b", "c"))
    assert replace(wide, low=-1.0, high=2.0).place() == (Place.ABOUT, ("b",))


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
    rng = np.random.default_rng(1)
    for count in (3, 30, 300):
        held = 0
        for _ in range(1000):
            truth = rng.normal(0, 60)
            mean, error = posterior(list(rng.normal(truth, 60, count)), 60.0)
            held += abs(mean - truth) <= 1.96 * error
        assert 920 <= held <= 975


def test_the_default_game_is_rated_and_kept_apart_from_other_scoring() -> None:
    rubber = rubber_deals((ANCHOR, ANCHOR, ANCHOR), 0, Seat.SOUTH)
    plain = [_game(ANCHOR, ANCHOR)] * 2
    first, second = ratings([*rubber, *plain])
    assert (first.scoring, first.deals) == (Scoring.RUBBER, len(rubber))
    assert (second.scoring, second.deals) == (Scoring.DEALS, 2)
    aided = [replace(deal, unaided=False) for deal in rubber]
    assert [rating.deals for rating in ratings(aided)] == [0, 0]
    assert ratings([])[0].scoring is Scoring.RUBBER


def test_a_simulated_history_of_rubbers_finds_the_strength_of_its_player() -> None:
    """A bot plays as the player: it is rated where the ladder has it, within the uncertainty."""
    bots = ladder_of([rubber_match(3)], Scoring.RUBBER, fewest=3)
    names = (ANCHOR, ANCHOR, "points+random")
    deals = [deal for number in range(8) for deal in rubber_deals(names, number, Seat.SOUTH)]
    rating, rung = rate(deals, bots), bots.find("points+random")
    assert rung is not None
    assert rating.deals == len(deals) > 30
    both = sqrt((rating.half / 1.96) ** 2 + rung.error**2)
    assert abs(rating.estimate - rung.rating) < 2.5 * both
    assert rating.high < 0  # clearly weaker than the two others
    # The estimate is the mean of what the deals were worth, drawn to the prior.
    values = []
    for deal in deals:
        worth = worth_of(deal)
        assert worth is not None
        values.append(worth[deal.seat])
    assert rating.estimate == pytest.approx(posterior(values, bots.spread)[0])
