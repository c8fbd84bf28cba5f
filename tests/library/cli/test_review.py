"""`tribridge review`: verdicts on the deals of a file."""

from __future__ import annotations

import json
from pathlib import Path

import tribridge as tb
from tests.library.cli.helpers import refusal, tribridge
from tribridge.common import codec
from tribridge.game.record import dump, record_of

LINE = "2NT pass pass CQ C7 C9 CA DJ D8 DT DQ"


def game() -> tb.Table:
    table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8")
    for action in LINE.split():
        table = table.apply(action)
    return table


def test_verdicts_and_a_sentence_for_each_player(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    dump([record_of(game())] * 2, path)
    done = tribridge("review", str(path), "--deal", "2", "--processes", "1")
    lines = done.stdout.splitlines()
    assert lines[0] == "Deal 2: 2NT by North, not played to the end"
    assert " 10 dummy ♦T   mistake " in lines[10]
    assert lines[-3].startswith("North got 1 of 1 decision wrong and gave up ")
    assert "♦T" in lines[-3]


def test_json_is_the_review_of_the_library(tmp_path: Path) -> None:
    path = tmp_path / "games.pbn"
    path.write_text(tb.to_pbn(game()), "utf-8")
    done = tribridge("review", str(path), "--processes", "1", "--json")
    assert json.loads(done.stdout) == {"deal": 1} | codec.plain(tb.review(game()), digits=3)


def test_bad_input_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert "No such file" in refusal("review", str(path))
    path.write_text("", "utf-8")
    assert "games.jsonl: contains no deal" in refusal("review", str(path))
    dump([record_of(game())], path)
    assert "--deal 2" in refusal("review", str(path), "--deal", "2")
    assert "8 to 10,000" in refusal("review", str(path), "--layouts", "0")
    assert "unknown scoring scheme" in refusal("review", str(path), "--scheme", "nothing")
