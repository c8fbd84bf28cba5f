"""The programs of `benchmarks/` run: every usage that a docstring names, with small parameters.

The usages are the indented lines of a program's docstring. What is in brackets there is optional;
of that, what takes a number or nothing is given, too. Numbers are replaced by the smallest that say
anything (`SMALLEST`), and names of strategies by a fast one. A program that needs PyTorch says so
in one line, and is then left alone.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.test_docs import ROOT

PROGRAMS = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")
SMALLEST = {
    "deals": 3, "hands": 1, "runs": 2, "positions": 1, "solved": 1,
    "choices": 1, "layouts": 2, "seconds": 0.01, "batches": 1, "iterations": 2, "starts": 1,
    "tables": 1, "steps": 1, "long": 0, "start": 0, "seed": 901, "bots": 0, "pace": 1,
    "threads": 1, "rubbers": 1, "leads": 2,
}  # fmt: skip
"""For each option that takes a number, one that takes next to no time."""
LONG = {
    "web.py": "starts a server and many clients",
    "notices.py": "starts a database",
    "first_use.py": "installs the package again and again",
    "maxims.py": "needs another commit",
    "gpu.py": "needs a GPU",
    "play_differences.py": "reads all its files; tests/lab/studies/test_real_play.py runs it",
    "expert_shares.py": "needs boards; tests/lab/puzzle_maker/test_expert_boards.py makes one",
    "forecast.py": "fits forecasts to all labels",
    "label_curve.py": "needs files that are not in the repository",
    "belief_games.py": "scores eight games at least; tests/lab/studies/test_beliefs.py scores one",
    "bidding_card.py": "plays for minutes; tests/lab/studies/test_card.py plays six deals",
    "obstacles.py": "solves for minutes; tests/lab/studies/test_obstacles.py plays one declarer",
    "opponents.py": "tells of an hour of games",
    "people.py": "asks for minutes; tests/lab/studies/test_people.py asks about some boards",
    "people_result.py": "reads all answers; tests/lab/studies/test_people.py reads them, too",
    "place_tiny.py": "solves for minutes; tests/lab/studies/test_place.py solves one auction",
    "place.py": "plays for minutes; tests/lab/studies/test_place.py plays some",
    "calls.py": "scores for minutes; tests/lab/studies/test_calls.py scores some",
    "listening.py": "likewise; tests/lab/training/test_listening.py scores some",
    "place_result.py": "reads all games of a GPU; tests/lab/studies/test_place.py reads some",
    "calls_result.py": "likewise; tests/lab/studies/test_calls.py reads some",
    "listening_result.py": "reads all auctions; tests/lab/studies/test_listening.py sums up some",
    "closed.py": "plays for minutes; tests/lab/studies/test_closed.py plays and sums up some",
    "curves_tiny.py": "trains for minutes; tests/lab/training/test_tiny_bidding.py trains a moment",
    "curves.py": "needs a GPU; tests/lab/training/test_tiny_bidding.py trains a moment",
    "curves_result.py": "reads all runs; tests/lab/studies/test_curves.py reads those of a moment",
    "play_beliefs.py": "needs boards of experts, and folders of what was asked about them",
    "own_choices.py": "reviews whole deals; tests/library/reviews/test_reviews.py one choice",
    "suggested.py": "likewise; tests/library/strategies/test_choices.py asks for hints",
    "review.py": "judges all textbook positions",
    "valued.py": "plays whole deals with search",
    "values.py": "plays positions out a thousand times",
}
"""Programs that no parameter makes small, each with the reason."""
PARENTS = {"decisions.py"}
"""Programs that start processes, which import them by their file: they need one of their own."""
SLOW = {"built.py", "dummy.py", "exploitability.py", "intervals.py", "rubbers.py"}
"""Programs that take more than ten seconds with the smallest parameters: for `make test-all`."""


def usages() -> Iterator[tuple[Path, str]]:
    for path in PROGRAMS:
        text = path.read_text("utf-8").split('"""')[1]
        for line in re.findall(r"^ {4}python (.*)$", text, re.M):
            yield path, re.sub(r"\s{3,}.*|\s#.*", "", line)


def smallest(usage: str) -> list[str]:
    """The arguments of a usage, with small parameters."""
    usage = usage.replace("[NAME ...]", "random")
    usage = re.sub(r"\[(?!--[a-z-]+( [\d.e]+)?\])[^]]*\]", "", usage)  # may be left out
    words = shlex.split(re.sub(r"[\[\]]", "", usage))
    found: list[str] = []
    for word in words:
        option = found[-1].removeprefix("--") if found and found[-1].startswith("--") else ""
        number = re.fullmatch(r"[\d.e]+", word)
        found.append(str(SMALLEST.get(option, word)) if number else word)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "usage"),
    [
        pytest.param(path, usage, id=usage, marks=[pytest.mark.full] * (path.name in SLOW))
        for path, usage in usages()
        if path.name not in LONG
    ],
)
def test_a_usage_runs(
    path: Path,
    usage: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [str(ROOT / word) if (ROOT / word).exists() else word for word in smallest(usage)]
    monkeypatch.chdir(tmp_path)
    if path.name in PARENTS:
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        )  # fmt: skip
        code, said = done.returncode, done.stderr
    else:
        code = run_here(arguments, monkeypatch)
        said = capsys.readouterr().err
    last = (said.strip().splitlines() or [""])[-1]
    if re.search(r"needs PyTorch|No module named 'torch'|needs a GPU|pip install", last):
        pytest.skip(last)
    assert code == 0, said[-2000:]


def run_here(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a program as `python` would, in this process: half of its time would go to imports."""
    module = arguments[0] == "-m"
    monkeypatch.setattr(sys, "argv", list(arguments[module:]))
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as in a process of its own
        try:
            if module:
                runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(arguments[0], run_name="__main__")
        except SystemExit as end:
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        except ModuleNotFoundError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


@pytest.mark.parametrize(
    "command",
    [
        "bidding_card values none.parquet",
        "bidding_card score none.json --out gains.npz",
        "calls_result --said none --result calls.json",
        "closed result --games none.jsonl --result closed.json",
        "curves_result --tiny none --result curves.json",
        "expert_shares none.npz",
        "listening_result --heard none --result listening.json",
        "people_result none",
        "people ask program --label mine --count 1 --out asked",
        "place_result --games none --result place.json",
        "place_result --tiny none.jsonl --result place.json",
        "play_beliefs score none --result play_beliefs.json",
    ],
)
def test_what_is_missing_is_named_in_one_line(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRIBRIDGE_PROGRAM", raising=False)
    name, *arguments = command.split()
    monkeypatch.delitem(sys.modules, f"benchmarks.{name}", raising=False)  # run as by `python`
    assert run_here(["-m", f"benchmarks.{name}", *arguments], monkeypatch) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1, said
    assert said[0].startswith(f"{name}: ")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("share", ["0", "-1", "1.5"])
def test_a_share_that_is_none_is_refused(
    share: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-m", "benchmarks.calls", "said", "--folder", "said", "--share", share]
    assert run_here(arguments, monkeypatch) == 2
    assert "--share must be greater than 0 and at most 1" in capsys.readouterr().err
