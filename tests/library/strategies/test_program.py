"""Other programs as strategies: JSON lines in, calls and cards out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tribridge as tb
from tribridge.arena.playing import play
from tribridge.strategies import Strategy, StrategyError, decision_rng, guarded_act, program
from tribridge.strategies.program import COMMAND, ProgramStrategy
from tribridge.strategies.registry import as_strategy

AGENT = """
import json, sys
for line in sys.stdin:
    view = json.loads(line)
    assert "hands" not in view
    {answer}
    sys.stdout.flush()
"""


Agent = Callable[[str], Strategy]


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """A strategy that asks a program with a given answer."""

    def made(answer: str) -> Strategy:
        file = tmp_path / "agent.py"
        file.write_text(AGENT.format(answer=answer))
        monkeypatch.setenv(COMMAND, f"{sys.executable} {file}")
        return as_strategy(ProgramStrategy())

    yield made
    program.started.cache_clear()


@pytest.mark.parametrize(
    "answer",
    [
        'print(view["legal"][0])',
        'print(json.dumps({"action": view["legal"][0], "reason": "It is legal."}))',
        'print(json.dumps(view["legal"][0]))',
    ],
)
def test_a_program_plays_a_whole_game(agent: Agent, answer: str) -> None:
    table = tb.new_table(seed=1).call("1NT").call("pass").call("pass")
    game = play(table, [agent(answer)] * 3, seed=1, number=0)
    assert game.table.over
    assert not game.faults


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('print("SQ of spades")', "SQ of spades"),
        ('print("{not json")', "JSON"),
        ('print(json.dumps({"card": "SA"}))', "action"),
        ("sys.exit()", "without an answer"),
    ],
)
def test_a_program_that_answers_badly_is_named(agent: Agent, answer: str, said: str) -> None:
    with pytest.raises(StrategyError, match=said):
        guarded_act(agent(answer), tb.new_table(seed=1), decision_rng(1, 0, 0, 0))


def test_a_program_that_is_too_slow_answers_the_next_question_afresh(agent: Agent) -> None:
    slow = agent('import time; time.sleep(5 * (view["calls"] == [])); print("Pass")')
    game = play(tb.new_table(seed=1), [slow] * 3, seed=1, number=0, limit=1.5)
    assert [fault.kind for fault in game.faults] == ["overran"]
    assert game.table.over


def test_threads_get_the_answers_to_their_own_questions(agent: Agent) -> None:
    asked = agent('import time; time.sleep(0.01); print(view["legal"][0])')
    tables = [tb.new_table(seed=seed).call("1NT pass pass") for seed in range(8)]
    with ThreadPoolExecutor(8) as threads:
        choices = threads.map(
            lambda table: guarded_act(asked, table, decision_rng(1, 0, 0, 0)), tables
        )
        assert [choice.action for choice in choices] == [table.legal[0] for table in tables]


@pytest.mark.parametrize("command", ["./no-such-agent", "'unclosed"])
def test_a_program_that_cannot_be_started_is_named(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COMMAND, command)
    with pytest.raises(StrategyError, match="start"):
        guarded_act(as_strategy(ProgramStrategy()), tb.new_table(seed=1), decision_rng(1, 0, 0, 0))


def test_the_program_is_asked_that_the_environment_names_now(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rng = tb.new_table(seed=1), decision_rng(1, 0, 0, 0)
    guarded_act(asked := agent('print("Pass")'), table, rng)
    monkeypatch.setenv(COMMAND, "./no-such-agent")
    with pytest.raises(StrategyError, match="cannot start"):
        guarded_act(asked, table, rng)


def test_there_is_no_such_strategy_unless_the_environment_names_a_program(tmp_path: Path) -> None:
    look = "from tribridge.strategies import find_strategy; find_strategy('program')"
    run = [sys.executable, "-c", look]
    bare = {name: value for name, value in os.environ.items() if name != COMMAND}
    assert subprocess.run(run, env=bare, capture_output=True).returncode != 0
    assert subprocess.run(run, env=bare | {COMMAND: "./agent"}).returncode == 0


def test_without_the_environment_the_error_names_the_variable() -> None:
    for text in ("program", "pass+program", "program+maxims", "program:seconds=5"):
        with pytest.raises(tb.NotFoundError, match=COMMAND):
            tb.choose(text, tb.new_table(seed=1))


def test_a_program_that_does_not_answer_is_waited_for_no_longer_than_its_seconds(
    agent: Agent,
) -> None:
    agent('import time; time.sleep(60 * (view["calls"] == [])); print("Pass")')
    slow, table = as_strategy(ProgramStrategy(seconds=0.5)), tb.new_table(seed=1)
    with pytest.raises(StrategyError, match=r"no answer within 0\.5 seconds"):
        tb.choose(slow, table)
    assert tb.choose(slow, table.call("1NT")).action == tb.PASS  # asked afresh
