"""Tribridge-Bench: tasks, results, what a check finds, and who leads."""

from __future__ import annotations

import platform
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tools.benchmark_page import RESULTS, standings, written_page
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import FormatError, NotFoundError, RunError, SettingError
from tribridge.common.stats import Interval, mean_interval
from tribridge.game.auction import PASS, parse_call
from tribridge.game.table import new_table
from tribridge.game.views import View
from tribridge.lab import benchmark as bench
from tribridge.lab.benchmark import Report, TaskScore
from tribridge.lab.tiny import measuring
from tribridge.strategies import (
    Strategy,
    as_player,
    decision_rng,
    find_strategy,
    guarded_act,
    register_player,
)
from tribridge.strategies.registry import kept
from tribridge.strategies.versions import Version, strategy_version

QUICK = ("declaring", "bidding-contract", "textbook")
SMALL = tuple(replace(task, deals=(2, 2, 2)) for task in bench.TASKS if task.name in QUICK)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two deals of each task."""
    monkeypatch.setattr(bench, "TASKS", SMALL)


def test_the_opponents_are_those_that_the_benchmark_was_published_with() -> None:
    assert {str(version) for version in bench.opponents()} == set(bench.FROZEN.values())


def test_other_opponents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bench.FROZEN, bench.PLAYER, "learned@1 (000000000000)")
    with pytest.raises(SettingError, match="learned@1"):
        bench.opponents()


@pytest.mark.parametrize("task", [task.name for task in bench.TASKS])
def test_every_class_has_enough_deals_for_an_interval(task: str) -> None:
    sizes = next(each.deals for each in bench.TASKS if each.name == task)
    assert task in ("textbook", "tiny") or all(size == 0 or size >= 100 for size in sizes)


def test_both_sides_of_a_contract_are_measured_against_double_dummy(small: None) -> None:
    oracle = find_strategy("oracle")
    declaring = bench.work_of("declaring", oracle, bench.BUDGETS[0], 1)
    defending = bench.work_of("defending", oracle, bench.BUDGETS[0], 1)
    assert isinstance(declaring, PlayWork)
    assert isinstance(defending, PlayWork)
    assert declaring.declarers == defending.defences == (as_player("oracle"),)
    # Whoever sees all cards does at least as well as double dummy, on either side.
    for task, work in (("declaring", declaring), ("defending", defending)):
        games = [game for number in range(4) for game, _ in work.play(number)]
        assert min(bench.scores_of(task, work, games)) >= 0


def test_an_agent_that_is_the_opponent_scores_nothing_and_is_not_played(small: None) -> None:
    agent = find_strategy("forecast+maxims")
    assert bench.work_of("games", agent, bench.BUDGETS[0], 1) is None
    bidding = bench.work_of("bidding", find_strategy("points+random"), bench.BUDGETS[0], 1)
    assert isinstance(bidding, MatchWork)
    assert bidding.names == ("points+maxims", "forecast+maxims")


@cache
def _played() -> Report:
    return bench.play("points+capture", seed=3, processes=1)


@pytest.fixture
def report(small: None) -> Report:
    return _played()


def test_a_result_that_was_played_is_confirmed(report: Report) -> None:
    assert [score.task for score in report.tasks] == [*QUICK]
    assert list(bench.check(report)) == []


def test_a_result_is_read_back(tmp_path: Path) -> None:
    path, report = tmp_path / "result.json", _report("maxims", np.arange(100.0))
    path.write_text(codec.dumps(report))
    assert bench.load(path) == report
    assert report.score("tiny") is None


def test_a_check_names_a_score_that_was_changed(report: Report) -> None:
    score = report.tasks[0]
    scores = (score.scores[0] + 1, *score.scores[1:])
    forged = replace(score, scores=scores, interval=mean_interval(scores))
    found = list(bench.check(replace(report, tasks=(forged, *report.tasks[1:]))))
    assert len(found) == 1
    assert found[0].startswith(score.task)


def test_a_check_names_an_interval_that_was_changed(report: Report) -> None:
    score = report.tasks[-1]
    forged = replace(score, interval=replace(score.interval, estimate=0.99))
    (found,) = bench.check(replace(report, tasks=(*report.tasks[:-1], forged)))
    assert "interval" in found


def test_a_check_names_another_agent(report: Report) -> None:
    other = replace(report, agent=replace(report.agent, weights="0" * 12))
    assert any("agent" in sentence for sentence in bench.check(other))
    unknown = replace(report, agent=Version("nobody", "nobody@1", ""))
    assert any("nobody" in sentence for sentence in bench.check(unknown))


def test_a_result_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    path, report = tmp_path / "result.json", _report("maxims", np.arange(100.0))
    path.write_text(codec.dumps(replace(report, benchmark="Tribridge-Bench 0")))
    with pytest.raises(FormatError, match="Tribridge-Bench 0"):
        bench.load(path)


def test_choices_that_fail_are_lost_and_counted(small: None) -> None:
    class Broken:
        name = "broken"
        summary = "fails"

        def card(self, view: object, rng: object) -> None:
            raise RuntimeError("out of cards")

    with kept():
        register_player(Broken)
        report = bench.play("points+broken", seed=3, tasks=["declaring", "textbook"], processes=1)
    for score in report.tasks:
        assert score.faults == score.choices > 0


def test_a_score_over_the_budget_is_ranked_in_the_next_class() -> None:
    slow, fast = _report("slow", np.ones(400)), _report("fast", np.zeros(400))
    slow = replace(slow, tasks=(replace(slow.tasks[0], choices=10, seconds=1.0),))
    ranked = [
        [standing.report for standing in standings([slow, fast], "games", budget)]
        for budget in bench.BUDGETS[:2]
    ]
    assert ranked == [[fast], [slow, fast]]


def test_a_processor_without_a_name_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "processor", platform.machine)
    bench.machine.cache_clear()
    assert bench.machine().count(platform.machine()) == 1
    bench.machine.cache_clear()


def test_a_stopped_run_continues_in_its_folder_and_no_other_run_does(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(agent: str, *tasks: str) -> Report:
        return bench.play(agent, seed=3, tasks=tasks, processes=1, folder=tmp_path)

    monkeypatch.setattr(bench, "machine", lambda: "first machine")
    (before,) = played("points+random", "textbook").tasks
    monkeypatch.setattr(bench, "machine", lambda: "second machine")
    assert played("points+random", "textbook").machine == "first machine"
    after = played("points+random", "textbook", "declaring")
    assert after.score("textbook") == before
    assert after.machine == "first machine; second machine"
    with pytest.raises(RunError, match="points@1"):
        played("random", "textbook")


def test_a_class_ranks_faster_agents_on_its_own_deals() -> None:
    scores = np.where(np.arange(400) < 100, 3.0, -9.0)
    fast, slow = _report("fast", scores), replace(_report("slow", np.ones(100)), budget="100ms")
    first, second = standings([fast, slow], "games", bench.BUDGETS[1])
    assert (first.report, first.score.interval.estimate) == (fast, 3.0)
    assert second.report == slow
    assert [each.report for each in standings([fast, slow], "games", bench.BUDGETS[0])] == [fast]


def test_an_agent_that_fails_on_the_tiny_deck_loses_the_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NeedsThirteen:
        name = "needs-thirteen"
        summary = "fails on small decks"

        def card(self, view: View, rng: object) -> Card:
            assert view.deck == FULL_DECK
            return view.legal_cards[0]

    def two_choices(agent: Strategy) -> float:
        table = new_table(deal(1, 0, Deck(2, 4)), Seat.NORTH)
        for each in (table, table.apply(parse_call("1NT")).apply(PASS).apply(PASS)):
            guarded_act(agent, each, decision_rng(0, 0, 0, 0))
        return 0.5

    monkeypatch.setattr(measuring, "exploited", two_choices)
    with kept():
        register_player(NeedsThirteen)
        report = bench.play("pass+needs-thirteen", tasks=["tiny"], processes=1)
    (score,) = report.tasks
    assert (score.choices, score.faults, score.interval.estimate) == (2, 1, -0.5)


def test_a_seed_that_deals_nothing_is_refused_before_anything_is_played() -> None:
    with pytest.raises(SettingError, match="seed"):
        bench.play("maxims", seed=-3, tasks=["textbook"])


def test_unknown_budgets_and_tasks_are_named() -> None:
    with pytest.raises(NotFoundError, match="5ms"):
        bench.find_budget("5ms")
    with pytest.raises(NotFoundError, match="juggling"):
        bench.tasks_of(bench.BUDGETS[0], ["juggling"])


def _report(name: str, scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Report:
    values = tuple(scores.tolist())
    return Report(
        agent=Version(name, name, ""),
        budget="1ms",
        seed=bench.SEED,
        opponents=(),
        tasks=(TaskScore("games", mean_interval(values), values),),
        machine="",
        date="",
    )


def test_standings_test_each_agent_against_the_best_on_the_same_deals() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=200) * 20
    reports = [
        _report("same", base + rng.normal(size=200)),
        _report("worse", base - 5 + rng.normal(size=200)),
        _report("best", base + 0.01 + rng.normal(size=200)),
    ]
    first, second, third = standings(reports, "games", bench.BUDGETS[0])
    assert third.report.agent.name == "worse"
    assert third.p < 0.001 < second.p
    assert np.isnan(first.p)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_published_result_is_sound(path: Path) -> None:
    report = bench.load(path)
    assert report.seed == bench.SEED
    quick = replace(report, tasks=tuple(score for score in report.tasks if score.task != "tiny"))
    problems = list(bench.check(quick, deals=0))
    gone = [number for number in "23" if f"learned@{number}" in report.agent.name]
    if gone:
        (problem,) = problems
        refusal = f"the agent cannot be played here: learned has no version '{gone[0]}':"
        assert problem.startswith(refusal)
    else:
        assert report.agent == strategy_version(report.agent.name)
        assert problems == []


def test_the_page_shows_the_results_in_the_repository() -> None:
    page, text = written_page()
    assert page.read_text("utf-8") == text, "run: python -m tools.benchmark_page"


def test_textbook_positions_are_compared_one_by_one() -> None:
    hits = np.ones(87)
    reports = [_report(name, hits) for name in ("best", "same", "worse")]
    scores = (hits, hits, np.where(np.arange(87) < 10, 0.0, 1.0))
    reports = [
        replace(report, tasks=(TaskScore("textbook", mean_interval(each), tuple(each)),))
        for report, each in zip(reports, scores, strict=True)
    ]
    _, second, third = standings(reports, "textbook", bench.BUDGETS[0])
    assert (second.p, third.report.agent.name) == (1.0, "worse")
    assert third.p < 0.01


def test_an_exact_score_has_no_test() -> None:
    exact = TaskScore("tiny", Interval(-1, -1, -1), (-1.0,))
    reports = [replace(_report(name, np.zeros(100)), tasks=(exact,)) for name in "ab"]
    assert all(np.isnan(standing.p) for standing in standings(reports, "tiny", bench.BUDGETS[0]))
