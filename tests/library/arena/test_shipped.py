"""The results in the package are by the strategies in the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tools.results
from tests.library.arena.made_up import play_result
from tools.results import is_current
from tribridge.arena import results
from tribridge.arena.results import (
    MatchResult,
    PlayResult,
    load,
    load_shipped,
    save,
    shipped,
    shipped_names,
)
from tribridge.arena.running import run
from tribridge.arena.work import PlayWork, command_of
from tribridge.cards.cards import Deck
from tribridge.common.parallel import InProcess

QUICK = ("match", "match-points", "play-capture")
"""The results that are played again in `make test`; the others, in `make test-all`."""


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_result_is_by_the_shipped_strategies(name: str) -> None:
    result = load_shipped(name)
    assert is_current(result), f"{name} was {result.origin.note} Play it again: make results"
    words = command_of(result.work, 0, result.deals).split()
    assert sorted(result.origin.command.split()) == sorted(words)


def test_results_name_the_commit_that_played_them() -> None:
    unknown = set()
    for name in shipped_names():
        at = load_shipped(name).origin.commit
        if not at or at.endswith("-dirty"):
            unknown.add(name)
    assert not unknown, "play them again: make results"


def test_a_result_by_other_weights_is_not_current() -> None:
    result = shipped("play-capture")
    first, *others = result.origin.strategies
    other = replace(result.origin, strategies=(replace(first, weights="0" * 12), *others))
    assert not is_current(replace(result, origin=other))


def test_a_result_of_unknown_strategies_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, file = PlayWork.of(("random",), ("random",), deck=Deck("2x4")), tmp_path / "x.json.gz"
    before = play_result(work, run(work, (2, 5), InProcess()).games)
    save(before, file)
    assert not is_current(load(file))
    monkeypatch.setattr(results, "load_shipped", lambda name: load(file))
    monkeypatch.setattr(tools.results, "DATA", tmp_path)
    monkeypatch.setattr(tools.results, "FOLDER", tmp_path)
    tools.results.play_again("x", processes=1)
    again = load(file)
    assert is_current(again)
    assert isinstance(again, PlayResult)
    assert [game.number for game in again.games] == [2, 3, 4]
    assert (again.payoffs("points") == before.payoffs("points")).all()
    assert "--deals 3 --seed 1 --start 2" in again.origin.command


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.full])
        for name in shipped_names()
    ],
)
def test_playing_shipped_games_again_gives_the_same(name: str) -> None:
    """Without a new version a strategy still chooses as it did."""
    result = load_shipped(name)
    if isinstance(result, PlayResult):
        play_again(result)
    else:
        seat_again(result)


def play_again(result: PlayResult) -> None:
    """Every strategy declares and defends against itself; searching ones only once."""
    for strategy in result.work.declarers:
        at, column = result.work.declarers.index(strategy), result.work.defences.index(strategy)
        count = 1 if "layouts" in strategy.name else 10
        alone = replace(result.work, declarers=(strategy,), defences=(strategy,))
        again = play_result(alone, run(alone, (0, count), InProcess()).games)
        for one, first in zip(again.games, result.firsts, strict=False):
            assert (one.contract, one.seat) == (first.contract, first.seat)
            assert one.double_dummy == first.double_dummy
        tricks = result.payoffs("tricks")[:count, at, column]
        assert (again.payoffs("tricks")[:, 0, 0] == tricks).all(), strategy.name


def seat_again(result: MatchResult) -> None:
    """Games spread over the file: every seating now and then."""
    work, total = result.work, len(result.games)
    searching = any("layouts" in name for name in work.names)
    count = 2 if searching or work.laws is not None else 40
    for at in range(0, total, total // count + 1):
        before = result.games[at]
        ((again, _),) = work.play(before.number, [before.seats])
        assert again.points == before.points, f"{before.number} with {before.seats}"
