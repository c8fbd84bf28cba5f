"""`tribridge score`: sheets of rubbers from records of games."""

from __future__ import annotations

import json
from pathlib import Path

from tests.library.cli.helpers import refusal, tribridge
from tests.library.game.rubbers import GOLDEN, play
from tribridge.game.record.rubbers import dumps


def golden(tmp_path: Path, name: str) -> Path:
    path = tmp_path / "rubber.jsonl"
    path.write_text(dumps([play(*GOLDEN[name][:2])]), "utf-8")
    return path


def test_sheet_of_a_golden_rubber(tmp_path: Path) -> None:
    done = tribridge("score", str(golden(tmp_path, "contract bridge")))
    assert done.returncode == 0
    assert done.stdout.startswith("Rubber, contract-rubber: ")
    assert "2360 total" in done.stdout
    assert "+3890 settlement" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json_is_the_rubber_again(tmp_path: Path) -> None:
    path = golden(tmp_path, "doubles and slams")
    done = tribridge("score", str(path), "--json")
    assert done.stdout == path.read_text("utf-8")
    assert json.loads(done.stdout.splitlines()[-1])["settlement"] == [-855, 1857, -1002]


def test_several_rubbers_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "rubbers.jsonl"
    path.write_text(dumps([play(*GOLDEN[name][:2]) for name in GOLDEN]), "utf-8")
    done = tribridge("score", str(path))
    assert [f"Rubber {n}, " in done.stdout for n in range(1, 6)] == [True] * 4 + [False]


def test_bad_input_is_refused_in_one_line(tmp_path: Path) -> None:
    path = golden(tmp_path, "contract bridge")
    assert "unknown laws 'x'" in refusal("score", str(path), "--laws", "x")
    assert "No such file" in refusal("score", str(tmp_path / "none.jsonl"))
    path.write_text(path.read_text("utf-8").replace("2360", "2361"), "utf-8")
    assert "line 8: totals must be [610, 220, 2360]" in refusal("score", str(path))
