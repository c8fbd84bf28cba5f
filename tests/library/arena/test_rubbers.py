"""Rubbers in the arena: the same deals in all seatings, resumed runs, settlement and results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tribridge as tb
from tests.library.arena.made_up import match_result
from tests.library.arena.test_running import timeless
from tribridge.arena.analysis import compare, match_pairs, ratings
from tribridge.arena.playing import LONGEST, SPACING, play_rubber, rubber_of
from tribridge.arena.results import MatchResult, loads
from tribridge.arena.running import Played, records, run
from tribridge.arena.tables import match_report
from tribridge.arena.work import MatchOutcome, MatchWork, command_of
from tribridge.cards.cards import Deck
from tribridge.common import codec
from tribridge.common.errors import NotFoundError, SettingError
from tribridge.common.parallel import InProcess
from tribridge.game import record
from tribridge.game.laws import find_laws
from tribridge.game.rubber import rubbers_of
from tribridge.strategies import find_strategy

WORK = MatchWork.of(("points+random", "points:margin=0+random"), seed=5, laws="auction-rubber")


@pytest.fixture(scope="module")
def whole() -> Played:
    return run(WORK, (0, 2), InProcess())


def test_a_resumed_run_is_the_same_and_its_records_replay(tmp_path: Path, whole: Played) -> None:
    run(WORK, (0, 1), InProcess(), folder=tmp_path, chunk=1)
    resumed = run(WORK, (0, 2), InProcess(), folder=tmp_path, chunk=1)
    assert (resumed.kept, resumed.made) == (1, 1)
    assert timeless(resumed.games) == timeless(whole.games)
    assert [one.number for one in whole.games] == [0] * 6 + [1] * 6
    again = run(WORK, (0, 2), InProcess(), folder=tmp_path)
    assert again.made == 0
    assert timeless(again.games) == timeless(whole.games)
    text = "".join(records(tmp_path, 1))
    heads = [json.loads(line) for line in text.splitlines() if line.startswith('{"event": "deal"')]
    assert {head["number"] // SPACING for head in heads} == {1}
    tables = [one.replay() for one in record.loads(text)]
    first = whole.games[6]
    assert isinstance(first, MatchOutcome)
    rubber = rubbers_of(tables[: len(first.games)], "auction-rubber", heads[0]["dealer"])[0]
    assert tuple(rubber.totals().values()) == first.points
    assert rubber.over == (first.winner is not None)


def test_all_seatings_play_the_same_deals() -> None:
    played = [
        play_rubber([find_strategy(name)] * 3, find_laws("auction-rubber"), seed=5, number=4)
        for name in ("points+random", "points:margin=0+random")
    ]
    deals = [[game.start.deal for game in games] for games in played]
    shared = min(map(len, deals))
    assert deals[0][:shared] == deals[1][:shared]
    standings = [game.start.rubber for game in played[0]]
    assert standings[0] is not None
    assert len({one.standing for one in standings if one is not None}) > 1


def test_a_rubber_that_never_ends_is_broken_off() -> None:
    laws = find_laws("auction-rubber")
    games = play_rubber([find_strategy("pass+random")] * 3, laws, seed=1, number=0)
    assert len(games) == LONGEST
    assert rubber_of(laws, 0, games).winner is None


def test_results_survive_their_file_and_have_tables(whole: Played) -> None:
    result = match_result(WORK, whole.games)
    again = loads(codec.dumps(result))
    assert isinstance(again, MatchResult)
    assert np.array_equal(again.points, result.points)
    assert codec.dumps(again) == codec.dumps(result)
    tables = {table.name: table for table in match_report(result).tables()}
    settled = tables["arena-match-rubbers"].records()
    assert sum(float(row["points settled"] or 0) for row in settled) == pytest.approx(0)
    assert "2 rubbers of seed 5, laws auction-rubber" in tables["arena-match-points"].note
    assert "per rubber" in tables["arena-match-tests"].title
    assert compare(match_pairs(result))[0].deals == 2
    assert len(ratings(result)) == 2


def test_the_command_of_a_match_of_rubbers() -> None:
    assert command_of(WORK, 0, 7) == (
        "tribridge arena match points+random points:margin=0+random --deals 7 --seed 5 "
        "--laws auction-rubber"
    )


def test_bad_settings() -> None:
    with pytest.raises(NotFoundError, match="blackjack"):
        MatchWork.of(("random",), laws="blackjack")
    with pytest.raises(SettingError, match="not 2x8"):
        MatchWork.of(("random",), laws="auction-rubber", deck=Deck("2x8"))
    with pytest.raises(SettingError, match="laws have no"):
        tb.compare("random", "capture", play_only=True, laws="auction-rubber")


def test_the_library_plays_and_compares_rubbers() -> None:
    rubber = tb.play_rubber("points", "points", "capture", laws="contract-rubber", seed=3)
    assert rubber.over
    assert rubber.laws.name == "contract-rubber"
    contest = tb.compare("points+random", "points:margin=0+random", deals=2, laws="auction-rubber")
    assert "points per rubber" in contest.summary()
    assert "2 rubbers" in contest.summary()
    table = tb.new_table(seed=1, rubber=tb.Rubber(below=(20, 0, 0)))
    assert table.rubber is not None
    assert table.rubber.standing.below == (20, 0, 0)
