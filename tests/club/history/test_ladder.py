"""The ladders of the bots: the scale, and what a deal of a rubber is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests.club.history.ladders import ladder_of, of_package
from tribridge.arena.analysis import match_pairs
from tribridge.arena.playing import play_rubber
from tribridge.arena.results import MatchResult, shipped_matches
from tribridge.arena.work import MatchWork
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import levels
from tribridge.club.history import PlayedDeal, Scoring, ladder
from tribridge.club.history.ladder import ANCHOR, scoring_of, worth_of
from tribridge.club.history.played import played
from tribridge.game.laws import find_laws
from tribridge.game.record import record_of
from tribridge.game.rubber import Result, Rubber
from tribridge.strategies import find_strategy

LAWS = find_laws("auction-rubber")
TRIO = ("points+random", ANCHOR, "capture+maxims")


def rubber_match(rubbers: int, seed: int = 5) -> MatchResult:
    """A match of quick bots, rubber after rubber in every seating."""
    work = MatchWork.of(TRIO, seed=seed, laws="auction-rubber", doubles=True)
    games = (outcome for number in range(rubbers) for outcome, _ in work.play(number))
    return MatchResult(work=work, games=tuple(games))


def rubber_deals(names: Sequence[str], number: int, seat: Seat) -> list[PlayedDeal]:
    """The deals of a rubber as one of its players sees them."""
    trio = [find_strategy(name) for name in names]
    rubber = play_rubber(trio, LAWS, seed=11, number=number, doubles=True)
    deals = []
    for at, game in enumerate(rubber, 1):
        deal = played(record_of(game.table), seat)
        assert deal is not None
        north, east, south = (None if s is seat else names[s.index] for s in Seat)
        deals.append(replace(deal, strategies=(north, east, south), deal=at))
    return deals


def test_only_rubbers_are_played_with_doubles() -> None:
    assert [one for one in Scoring if "without" not in one.words] == [Scoring.RUBBER]


def test_games_against_every_level_are_rated_and_the_levels_are_in_order() -> None:
    for scoring in Scoring:
        rungs = [ladder(scoring).find(level.strategy) for level in levels()]
        assert all(rungs), f"a level is not on the ladder of {scoring}"
    ratings = [rung.rating for rung in rungs if rung is not None]  # of single deals: many more
    assert ratings == sorted(ratings)
    assert len(set(ratings)) == len(levels())


@pytest.mark.parametrize("scoring", Scoring)
def test_the_bots_are_rated_by_the_shipped_matches(scoring: Scoring) -> None:
    bots = ladder(scoring)
    (packed,) = (one for one in of_package() if one.scoring is scoring)
    assert [rung.strategy for rung in bots.rungs] == [rung.strategy for rung in packed.rungs]
    for rung, other in zip(bots.rungs, packed.rungs, strict=True):
        assert (rung.rating, rung.error) == pytest.approx((other.rating, other.error))
        assert rung.deals == other.deals
    assert [rung.rating for rung in bots.rungs] == sorted(rung.rating for rung in bots.rungs)
    anchor, weakest = bots.find(ANCHOR), bots.find("points+random")
    assert anchor is not None
    assert anchor.rating == 0
    assert weakest is bots.rungs[0]
    assert weakest.rating < -3 * weakest.error
    assert bots.find("forecast+maxims") is not None
    assert bots.find(None) is None


def test_settings_of_a_search_are_not_part_of_the_name() -> None:
    assert ladder(Scoring.DEALS).find("forecast+sampling") is not None


def test_a_rung_is_twice_the_difference_at_the_table() -> None:
    (match, *_) = shipped_matches()
    rung = ladder_of([match], Scoring.DEALS).find("capture+maxims")
    assert rung is not None
    (pair,) = [p for p in match_pairs(match) if {p.first, p.second} == {ANCHOR, "capture+maxims"}]
    sign = 1 if pair.second == ANCHOR else -1
    assert rung.rating == pytest.approx(2 * sign * pair.differences.mean())
    assert rung.error == pytest.approx(2 * pair.differences.std(ddof=1) / sqrt(400), rel=0.005)
    assert rung.deals == 400


def test_the_deals_of_a_rubber_add_up_to_its_settlement_without_honours() -> None:
    for number in range(3):
        deals = rubber_deals((ANCHOR, ANCHOR, "points+random"), number, Seat.SOUTH)
        worth = np.sum([worth_of(deal) or () for deal in deals], axis=0)
        rubber = Rubber(LAWS, Seat(number % 3))
        for deal in deals:
            assert scoring_of(deal.record) is Scoring.RUBBER
            assert deal.record.rubber == rubber.state
            rubber = rubber.add_result(Result(deal.outcome))
        assert rubber.over
        assert worth == pytest.approx(np.array(list(rubber.settlement().values())))


def test_a_ladder_of_rubbers_is_what_they_settle_per_deal() -> None:
    match = rubber_match(2)
    bots = ladder_of([match], Scoring.RUBBER, fewest=2)
    rung = bots.find("points+random")
    assert rung is not None
    leads = []
    for one in match.games:
        trio = [find_strategy(name) for name in one.seats]
        rubber = Rubber(LAWS, Seat(one.number % 3))
        games = play_rubber(trio, LAWS, seed=5, number=one.number, doubles=True)
        for game, deal in zip(games, one.games, strict=True):
            outcome = game.table.outcome
            assert outcome is not None
            assert deal.tricks == (outcome.tricks if outcome.contract else None)
            rubber = rubber.add_result(Result(outcome))
        totals = list(rubber.totals().values())
        leads.append(totals[one.seats.index("points+random")] - totals[one.seats.index(ANCHOR)])
    assert rung.rating == pytest.approx(2 * sum(leads) / len(list(match.played)))
    assert rung.deals == 2
    assert ladder_of([match], Scoring.RUBBER, fewest=3).find("points+random") is None
    assert ladder_of([match, *shipped_matches()], Scoring.DEALS).find("points+random") is None


def test_only_deals_that_are_scored_as_on_a_ladder_can_be_rated() -> None:
    (deal, *_) = rubber_deals((ANCHOR, ANCHOR, ANCHOR), 0, Seat.SOUTH)
    record = deal.record
    other = replace(record, rubber=None, doubles=False)
    assert record.rubber is not None
    contract = record.rubber._replace(laws=find_laws("contract-rubber"))
    for unrated in (
        replace(record, doubles=False),
        replace(record, rubber=contract),
        replace(other, scheme="contract"),
        replace(other, scheme=None),
        replace(other, scheme="auction", doubles=True),
        replace(other, scheme="auction", vulnerable=(Seat.NORTH,)),
    ):
        assert scoring_of(unrated) is None
    for name in ("auction", "auction-tricks"):
        assert scoring_of(replace(other, scheme=name)) is Scoring.DEALS
