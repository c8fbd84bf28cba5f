"""`tribridge equilibrium`: tables, JSON and bad input."""

from __future__ import annotations

import json
import re

import pytest

from tests.library.cli.helpers import tribridge


def run(*args: str) -> str:
    result = tribridge("equilibrium", *args)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_auction_as_json() -> None:
    text = run("--deck", "1x4", "--auction-only", "--iterations", "50", "--starts", "2", "--json")
    solved = json.loads(text)
    assert (solved["deals"], solved["ends"]) == (24, 24 * 13)
    assert [start["start"] for start in solved["starts"]] == ["uniform", "random 1"]
    for start in solved["starts"]:
        gains = [start[f"{player}'s gain"] for player in ("dealer", "second", "third")]
        assert start["NashConv"] == pytest.approx(sum(gains), abs=2e-4)
        assert start["dealer"] + start["second"] + start["third"] == pytest.approx(0, abs=2e-4)
    assert [one["strategy"] for one in solved["strategies"]] == ["random", "greedy"]


def test_passing_every_deal_is_close_to_an_equilibrium_of_eight_cards() -> None:
    text = run("--deck", "2x4", "--auction-only", "--iterations", "1", "--starts", "1", "--json")
    greedy = json.loads(text)["strategies"][1]
    assert [greedy[player] for player in ("dealer", "second", "third")] == [0, 0, 0]
    assert greedy["NashConv"] < 0.1  # a bonus for both tricks would make bidding worth 75 points
    assert "-0.0," not in text


def test_the_play_as_a_table() -> None:
    text = run("--deck", "2x4", "--play", "NT", "--iterations", "20", "--starts", "1")
    assert "CFR+, 20 iterations" in text
    assert "maxims" in text
    assert "declarer v team" in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--deck", "4x13"), "4x13 has 52 cards .* at most 12 cards can be solved"),
        (("--deck", "2x6"), "2x6 has 12 cards: its play can be solved for at most 8"),
        (("--deck", "2x3"), "6 cards cannot be dealt into four equal hands"),
        (("--auction-only", "--play", "NT"), "exclude each other"),
        (("--levels", "1"), "--levels 1 needs --auction-only"),
        (("--play", "X"), "X"),
    ],
)
def test_bad_input_is_one_line(args: tuple[str, ...], message: str) -> None:
    result = tribridge("equilibrium", *args)
    assert result.returncode in (1, 2)
    (line,) = result.stderr.splitlines()
    assert re.search(message, line)
