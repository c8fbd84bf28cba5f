"""The examples: each answers its question, from any folder, and leaves nothing behind."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tools.notebooks import EXAMPLES, NOTEBOOKS, Notebook, Output

SCRIPTS = sorted(EXAMPLES.glob("*.py"))

ANSWERS: dict[str, tuple[list[str], list[str]]] = {
    "analyse_a_hand": ([], ["Algorithm 1: both hold, 8 captures", "Call 1NT.", "12 captures"]),
    "arena_on_a_cluster": (["6"], ["points per deal than", "6 deals: too few"]),
    "change_a_rule": (
        [],
        [
            "by our rules: {N: 28, E: 0, S: 0}",
            "by the laws:  {N: 21",
            "1NTxx by North",
            "budget 4: A fails, 0 captures",
            "budget 7: both hold, 7 captures",
        ],
    ),
    "label_and_fit": (["12"], ["tricks in notrump = ", "on 12 deals"]),
    "play_a_game": ([], ["1NT by South: just made (7 tricks).", "Points: {N: 0, E: 0, S: 10}"]),
    "reproduce_table_1": (["1e5"], ["5,157,850,293,780,050,462,400", "13     0.042256"]),
    "tiny_deck": ([], ["420 pairs of hands, both conditions hold for 36", "1NT by East"]),
    "write_a_strategy": (["4"], ["♥K: ♥K is the highest card.", "As declarer, "]),
}
"""What each script is run with, and what it must print."""
SLOW = {"reproduce_table_1", "tiny_deck", "write_a_strategy"}
CLUSTER = "arena_on_a_cluster"
"""It starts processes, which import the script."""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [], id=path.stem)
        for path in SCRIPTS
        if path.stem != CLUSTER
    ],
)
def test_a_script_answers_its_question(
    script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, answers = ANSWERS[script.stem]
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    for answer in answers:
        assert answer in printed


@pytest.mark.full
def test_an_arena_on_a_cluster() -> None:
    arguments, answers = ANSWERS[CLUSTER]
    command = [sys.executable, str(EXAMPLES / f"{CLUSTER}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for answer in answers:
        assert answer in done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_print(path: Path) -> None:
    notebook = Notebook(path)
    for cell, outputs in notebook.run():
        assert texts(cell["outputs"]) == texts(outputs), (
            f"{path.name} is out of date: renew it with python -m tools.notebooks {path.stem}"
        )
    if path.stem == "should_i_bid":
        assert notebook.names["hand"] in notebook.names["deal"].hands


def texts(outputs: list[Output]) -> list[object]:
    """What outputs say in words, and which other forms they have: pictures differ by machine."""
    return [
        one["text"]
        if one["output_type"] == "stream"
        else (one["data"].get("text/plain"), [*one["data"]])
        for one in outputs
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_comes_with_its_outputs_and_is_small(path: Path) -> None:
    assert path.stat().st_size < 100_000
    outputs = [output for cell in Notebook(path).cells for output in cell["outputs"]]
    shown = {kind for output in outputs for kind in output.get("data", ())}
    assert shown & {"text/html", "image/svg+xml", "image/png"}


def test_every_example_opens_with_its_question_and_the_front_door() -> None:
    assert len(SCRIPTS) >= 8
    assert len(NOTEBOOKS) >= 2
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        assert "?" in text.split("\n\n")[0], script.name
        assert "import tribridge as tb" in text, script.name
    for notebook in NOTEBOOKS:
        first = Notebook(notebook).content["cells"][0]["source"][0]
        assert first.startswith("# ")
        assert "?" in first
        assert Notebook(notebook).cells[0]["source"][0] == "import tribridge as tb\n"
