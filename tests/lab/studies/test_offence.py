"""The study of offence and defence: games played before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab.studies.helpers import kept_study
from tribridge.arena.results import shipped, shipped_matches
from tribridge.arena.running import run
from tribridge.arena.work import PlayOutcome
from tribridge.common.parallel import InProcess
from tribridge.lab.studies.study import Outcome

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run


@pytest.fixture
def study() -> Outcome[Any]:
    return kept_study("offence")


def test_the_matrix_has_every_pair_and_the_mixtures_are_whole(study: Outcome[Any]) -> None:
    work = shipped().work
    rows = study.table("offence-search-payoffs").records()
    assert [(r["declarer"], r["defence"]) for r in rows] == [
        (row.name, column.name) for row in work.declarers for column in work.defences
    ]
    for unit in ("tricks", "points"):
        rows = study.table(f"offence-search-equilibrium-{unit}").records()
        for side in ("declarer", "defence"):
            shares = [float(r["% of the mixture"] or 0) for r in rows if r["side"] == side]
            assert sum(shares) == pytest.approx(100)
    assert not any(table.name.endswith("-times") for table in study.tables)


def test_games_played_before_are_told_with_their_command_and_can_be_played_again(
    study: Outcome[Any],
) -> None:
    before = shipped()
    note = study.table("offence-search-payoffs").note
    assert before.origin.command in note
    assert before.origin.date in note
    assert not before.faults
    # What takes no search is played again, on a few deals: the same tricks.
    quick = ("random", "capture", "maxims")
    fast = [strategy for strategy in before.work.declarers if strategy.name in quick]
    assert fast
    work = replace(before.work, declarers=tuple(fast), defences=tuple(fast))
    games = run(work, (0, 5), InProcess()).games
    places = [before.work.declarers.index(strategy) for strategy in fast]
    again = before.payoffs("tricks")[:5][:, places][:, :, places].reshape(-1).tolist()
    assert [game.tricks for game in games if isinstance(game, PlayOutcome)] == again


def test_the_match_of_the_report_is_long_enough_to_tell_the_bidders_apart(
    study: Outcome[Any],
) -> None:
    (match, *_) = shipped_matches()
    assert match.deals >= 400
    assert not match.faults
    note = study.table("offence-match-tests").note
    assert match.origin.command in note
    tests = {(r["better"], r["worse"]): r["p (Holm)"] for r in
             study.table("offence-match-tests").records()}  # fmt: skip
    assert float(tests["forecast+maxims", "capture+maxims"] or 1) < 0.001
    # The games can be played again: the same results.
    games = run(match.work, (0, 1), InProcess()).games
    assert [game.points for game in games] == [game.points for game in match.games[: len(games)]]


def test_the_learned_bidder_meets_points_in_every_seating_on_enough_deals(
    study: Outcome[Any],
) -> None:
    pair = {"learned@1+maxims", "points+maxims"}
    (match,) = (m for m in shipped_matches() if set(m.work.names) == pair)
    assert match.deals >= 1000
    tests = [test for match in study.result.matches for test in match.comparisons]
    (found,) = (test for test in tests if {test.first, test.second} == pair)
    assert found.first == "learned@1+maxims"
    assert found.p_holm < 0.05
