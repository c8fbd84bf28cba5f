"""Curves of a training from its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.library.cli.helpers import refusal
from tribridge.common.errors import FormatError
from tribridge.lab.studies.drawing import drawn
from tribridge.lab.studies.training_logs import read_log, training_curves

LOGS = Path(__file__).parents[3] / "src" / "tribridge" / "lab" / "training" / "data"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bidding", ("Points per game", "over two greedy", "two over one greedy", "passed out")),
        ("play", ("Declarer's tricks", "declaring against random", "entropy")),
    ],
)
def test_the_logs_of_the_shipped_networks_are_drawn(name: str, words: tuple[str, ...]) -> None:
    lines = read_log(LOGS / f"{name}-log.jsonl")
    (data,) = drawn(lambda: training_curves(lines), ("svg",)).values()
    for word in words:
        assert word in data.decode()


def test_the_log_of_imitation_is_drawn() -> None:
    lines = read_log(LOGS.parents[4] / "data" / "learning" / "people" / "human-log.jsonl")
    (data,) = drawn(lambda: training_curves(lines), ("svg",)).values()
    for word in ("Share of the experts", "defence", "log loss", "passes over all choices"):
        assert word in data.decode()


@pytest.mark.parametrize("text", ["", "no log\n", "[]\n", '{"seconds": 1}\n'])
def test_what_is_no_log_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match="not the log"):
        read_log(path)


@pytest.mark.slow
def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    log = str(LOGS / "bidding-log.jsonl")
    assert "must be svg" in refusal("train", "curves", log, str(tmp_path / "a.txt"))
    assert "No such file" in refusal("train", "curves", "none.jsonl", str(tmp_path / "a.svg"))
