"""What results say, against what was put into them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.library.arena.made_up import contracts_of, games_of, with_points
from tribridge.arena import tables
from tribridge.arena.analysis import (
    DECLARER,
    DEFENCE,
    compare,
    contract_statistics,
    distances,
    match_pairs,
    play_pairs,
    ratings,
    side_scores,
)
from tribridge.arena.playing import DealOutcome
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.common import stats
from tribridge.strategies import find_player, players

FAIR = ("random", "capture", "maxims")
UNFAIR = [one.name for one in players() if not one.fair]


def made_up(tricks: NDArray[np.int64], names: tuple[str, ...]) -> PlayResult:
    return contracts_of(PlayWork.of(names, names), tricks)


@pytest.mark.slow
def test_sides_are_compared_on_the_same_deals_against_the_same_opponents() -> None:
    random = np.random.default_rng(1)
    deal = random.integers(4, 9, (400, 1, 1))
    skill = np.array([0, 1, 2])
    noise = random.integers(-1, 2, (400, 3, 3))
    result = made_up(deal + skill[:, np.newaxis] - skill[np.newaxis] + noise, FAIR)
    found = compare(play_pairs(result))
    assert len(found) == 6
    for one in found:
        assert FAIR.index(one.first) > FAIR.index(one.second)
        gap = FAIR.index(one.first) - FAIR.index(one.second)
        assert gap in one.difference
        # The deal itself varies by far more: only paired deals see the difference so well.
        assert one.difference.high - one.difference.low < 0.25
        assert one.p_holm < 0.001  # the bootstrap gives 0.0001 at least, six tests
    plain = [one.p for one in found]
    assert [one.p_holm for one in found] == stats.holm(plain)


def test_scores_of_a_side_by_hand() -> None:
    tricks = np.arange(18).reshape(2, 3, 3)
    scores = side_scores(made_up(tricks, FAIR), DECLARER)
    assert scores["capture"].tolist() == [4, 13]
    scores = side_scores(made_up(tricks, FAIR), DEFENCE)
    assert scores["maxims"].tolist() == [-5, -14]


@pytest.mark.skipif("oracle" not in UNFAIR, reason="there is no oracle")
def test_the_ceiling_is_what_the_oracle_takes_beyond() -> None:
    names = ("random", "maxims", "oracle")
    tricks = np.array([[[7, 6, 4], [8, 7, 6], [10, 9, 8]], [[6, 6, 5], [9, 8, 7], [9, 9, 8]]])
    found = {(one.side, one.name): one for one in distances(made_up(tricks, names))}
    assert set(found) == {(side, name) for side in (DECLARER, DEFENCE) for name in names[:2]}
    maxims = found[DECLARER, "maxims"]
    assert maxims.against_ceiling is not None
    assert maxims.against_ceiling.estimate == pytest.approx(((8 - 6) + (8 - 7)) / 2)
    assert maxims.against_fair is not None
    assert maxims.against_fair.estimate == pytest.approx((10 - 8 + 9 - 7 + 9 - 9 + 9 - 8) / 4)
    # It is no competitor: it is not compared, and nobody is judged by games against it.
    assert set(side_scores(made_up(tricks, names), DECLARER)) == {"random", "maxims"}
    assert side_scores(made_up(tricks, names), DECLARER)["maxims"].tolist() == [7.5, 8.5]
    assert len(compare(play_pairs(made_up(tricks, names)))) == 2
    random = found[DEFENCE, "random"]
    assert random.against_ceiling is not None
    assert random.against_ceiling.estimate == pytest.approx((10 - 8 + 9 - 8) / 2)
    assert random.against_fair is not None
    assert random.against_fair.estimate == pytest.approx((7 - 4 + 8 - 6 + 6 - 5 + 9 - 7) / 4)
    assert not hasattr(find_player("oracle"), "card")


def test_without_the_oracle_no_distance_is_claimed() -> None:
    found = distances(made_up(np.ones((3, 3, 3), dtype=np.int64), FAIR))
    assert all(one.against_ceiling is None and one.against_fair is None for one in found)


def match_of(names: tuple[str, ...], deals: int, skill: dict[str, float], seed: int) -> MatchResult:
    random = np.random.default_rng(seed)
    work = MatchWork.of(names)
    seats = work.seatings * deals
    means = np.array([[skill[name] for name in one] for one in seats])
    points = means + random.normal(0, 4, means.shape)
    deal = DealOutcome(bidders=(0, 1), contract="2NT", declarer=0, tricks=9)
    return games_of(work, points, [deal] * len(seats))


@pytest.mark.slow
def test_ratings_give_back_the_skill_that_was_put_in() -> None:
    names = ("random", "capture", "maxims", "points")
    skill = {"random": -6.0, "capture": 0.0, "maxims": 4.0, "points": 2.0}
    result = match_of(names, 150, skill, 2)
    found = ratings(result)
    assert [one.name for one in found] == ["maxims", "points", "capture", "random"]
    assert sum(one.points.estimate for one in found) == pytest.approx(0)
    assert np.mean([one.won.estimate for one in found]) == pytest.approx(0.5)
    for one in found:
        assert one.points.estimate == pytest.approx(skill[one.name], abs=0.5)
        assert one.points.high - one.points.low < 1.5
        assert one.won.low < one.won.estimate < one.won.high
    # In a balanced match a rating is the mean of the differences to the others.
    means = result.by_deal().mean(axis=0)
    best = found[0].points.estimate
    assert best == pytest.approx(means[2] - means.mean(), abs=1.0)
    tests = compare(match_pairs(result))
    assert len(tests) == 6
    assert all(one.p_holm < 0.01 for one in tests)


def test_two_strategies_are_compared_at_the_same_table() -> None:
    names = ("random", "capture")
    result = match_of(names, 1, {"random": 0.0, "capture": 0.0}, 4)
    by_hand = []
    for seats, three in ((game.seats, game.points or ()) for game in result.games):
        sides = [[p for s, p in zip(seats, three, strict=True) if s == name] for name in names]
        by_hand.append(np.mean(sides[0]) - np.mean(sides[1]))
    (pair,) = match_pairs(result)
    assert pair.differences.tolist() == pytest.approx([np.mean(by_hand)])
    # A table that pays all the same to everybody does not count for the majority.
    rich = match_of(names, 30, {"random": 0.0, "capture": 0.0}, 4)
    rows = [[100.0 * (game.seats.count("random") == 2)] * 3 for game in rich.games]
    rich = with_points(rich, np.array(rows))
    assert match_pairs(rich)[0].differences.tolist() == [0.0] * 30


def test_a_share_won_counts_games_not_points_and_equal_points_as_half() -> None:
    """Seven small wins and one large loss at every table: more games, fewer points."""
    match = match_of(("capture", "points"), 8, {"capture": 0.0, "points": 0.0}, 1)
    deal = np.array([[game.number] for game in match.games])
    mine = np.array([[name == "capture" for name in game.seats] for game in match.games])
    won = with_points(match, np.where(mine, np.where(deal == 0, -80.0, 2.0), 0.0))
    better, worse = ratings(won)
    assert (better.name, worse.name) == ("points", "capture")
    assert worse.won.estimate == pytest.approx(7 / 8)
    assert better.won.estimate == pytest.approx(1 / 8)
    level = with_points(match, np.zeros(match.points.shape))
    assert [one.won.estimate for one in ratings(level)] == pytest.approx([0.5, 0.5])


def test_contracts_are_counted_for_the_one_who_sat_there() -> None:
    names = ("random", "capture", "maxims")
    result = match_of(names, 2, dict.fromkeys(names, 0.0), 3)
    for one in contract_statistics(result):
        assert (one.games, one.declared, one.made) == (12, 4, 4)
        assert (one.level, one.over, one.no_trump) == (2.0, 1.0, 4)
        assert one.outbid == 4  # the seat to the left bid and did not declare


def test_no_deal_can_differ_by_more_than_the_bound() -> None:
    names = ("random", "capture")
    (match,) = match_pairs(match_of(names, 30, dict.fromkeys(names, 0.0), 4))
    assert match.bound == 650  # seven tricks bid, none won, at 50 a trick
    played = made_up(np.ones((3, 3, 3), dtype=np.int64), FAIR)
    assert play_pairs(played)[0].bound == 13


@pytest.mark.full
def test_intervals_of_ratings_cover() -> None:
    names, covered = ("random", "capture", "maxims"), []
    for seed in range(60):  # of equal strategies: every rating is 0, and half is won
        result = match_of(names, 100, dict.fromkeys(names, 0.0), seed)
        covered += [0.0 in one.points and 0.5 in one.won for one in ratings(result)]
    assert np.mean(covered) > 0.88


@pytest.mark.parametrize(
    ("settings", "deals", "said"),
    [
        ({"scheme": "old"}, 500, False),
        ({"scheme": "contract"}, 500, True),
        ({"scheme": "contract"}, 50, False),  # no interval, nothing to warn of
        ({"scheme": "old", "doubles": True}, 500, True),
        ({"laws": "contract-rubber"}, 500, True),
    ],
)
def test_rare_swings_are_named_beside_intervals_that_they_can_escape(
    settings: dict[str, Any], deals: int, said: bool
) -> None:
    result: Any = SimpleNamespace(work=MatchWork.of(("random", "capture"), **settings), deals=deals)
    assert (tables._caution(result).strip() == stats.RARE_SWINGS) == said
