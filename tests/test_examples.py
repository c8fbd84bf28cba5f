"""The examples: each answers its question, from any folder, and leaves nothing behind."""

from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))

ANSWERS: dict[str, tuple[list[str], list[str]]] = {
    "analyse_a_hand": ([], ["Algorithm 1: both hold, 8 captures", "Call Pass.", "12 captures"]),
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


def code_of(notebook: Path) -> list[str]:
    """The code cells of a notebook."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def displayed(code: str) -> str:
    """The code of a cell with its last expression shown, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return code
    lines = code.splitlines(keepends=True)
    shown = "".join(lines[last.lineno - 1 :])
    return "".join(lines[: last.lineno - 1]) + f"display({shown.strip()})\n"


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


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(
    notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def display(value: object) -> None:
        print(getattr(value, "_repr_html_", lambda: repr(value))())

    names: dict[str, Any] = {"__name__": "__main__", "display": display}
    for cell in code_of(notebook):
        exec(compile(displayed(cell), notebook.name, "exec"), names)
    if notebook.stem == "should_i_bid":
        assert names["hand"] in names["deal"].hands
    printed = capsys.readouterr().out
    assert "<table" in printed
    assert {"should_i_bid": "makes ", "watch_a_game": "{N: "}[notebook.stem] in printed


def test_every_example_opens_with_its_question_and_the_front_door() -> None:
    assert len(SCRIPTS) >= 8
    assert len(NOTEBOOKS) >= 2
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        assert "?" in text.split("\n\n")[0], script.name
        assert "import tribridge as tb" in text, script.name
    for notebook in NOTEBOOKS:
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        assert "".join(cells[0]["source"]).startswith("# ")
        assert "?" in cells[0]["source"][0]
        assert code_of(notebook)[0].startswith("import tribridge as tb")
        assert not any(cell.get("outputs") for cell in cells)
