"""`tribridge deal` and `tribridge solve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tribridge as tb
from tests.library.cli.helpers import tribridge

DEAL = str(tb.deal(seed=1, number=7))


def test_deals_are_those_of_the_library() -> None:
    lines = tribridge("deal", "2", "--seed", "1", "--number", "7", "--as", "line").stdout.split(
        "\n"
    )
    assert lines == [DEAL, str(tb.deal(seed=1, number=8)), ""]


def test_a_deal_without_a_seed_says_which_it_was() -> None:
    said = json.loads(tribridge("deal", "--json").stdout)
    assert said["deals"] == [str(tb.deal(seed=said["seed"]))]


def test_a_diagram_shows_all_four_hands() -> None:
    text = tribridge("deal", "--seed", "1", "--number", "7").stdout
    assert all(name in text for name in ("North", "East", "South", "Hidden", "seed 1"))


def test_deals_written_as_pbn_are_solved_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "deals.pbn"
    file.write_text(tribridge("deal", "2", "--seed", "1", "--as", "pbn").stdout)
    boards = json.loads(tribridge("solve", str(file), "--json").stdout)
    assert [board["deal"] for board in boards] == [str(tb.deal(seed=1, number=n)) for n in (0, 1)]


@pytest.mark.parametrize("deck", ["4x13", "2x4"])
def test_solve_gives_what_the_library_gives(deck: str) -> None:
    deal = tb.deal(seed=1, number=3, deck=deck)
    answer = json.loads(tribridge("solve", str(deal), "--deck", deck, "--json").stdout)
    for seat, tricks in answer["tricks"].items():
        assert tricks == {strain.letter: n for strain, n in tb.solve(deal, seat, deck=deck).items()}


def test_solve_shows_a_row_for_each_declarer() -> None:
    every = tribridge("solve", DEAL).stdout.splitlines()
    assert [line.split()[0] for line in every] == ["C", "N", "E", "S"]
    only = tribridge("solve", DEAL, "--declarer", "E").stdout.splitlines()
    assert only[1:] == [every[2]]


@pytest.mark.parametrize("line", ["deal --seed -5", "deal --deck 9x9", "solve AKQ", "solve x.pbn"])
def test_bad_input_gets_one_line(line: str) -> None:
    done = tribridge(*line.split())
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("tribridge: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("deck", ["4x13", "2x8"])
def test_a_record_is_solved_with_its_hands_in_their_seats(deck: str, tmp_path: Path) -> None:
    file = tmp_path / "game.pbn"
    dealt = tb.deal(seed=1, deck=deck)
    tb.save_pbn(file, tb.new_table(dealt, deck=deck, contract="1NT by N"))
    answer = json.loads(tribridge("solve", str(file), "--declarer", "E", "--json").stdout)
    tricks = tb.solve(dealt, declarer="E").items()
    assert answer["deal"] == str(dealt)
    assert answer["tricks"]["E"] == {strain.letter: made for strain, made in tricks}
