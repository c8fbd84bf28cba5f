"""`tribridge worth`: tables, one standing, and bad input; advice and matches in a rubber."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.library.cli.helpers import refusal, tribridge

HAND = "AKQ2.K93.A92.KQ5"


def test_tables_of_games_and_part_scores() -> None:
    done = tribridge("worth")
    assert done.returncode == 0
    assert "What games are worth (auction-rubber)" in done.stdout
    assert "What a part score adds (auction-rubber)" in done.stdout
    tables = json.loads(tribridge("worth", "--json").stdout)
    assert tables["worth-games"][0]["you"] == pytest.approx(250 * 24 / 27)
    part = {row["below the line"]: row["nobody"] for row in tables["worth-part-scores"]}
    assert 0 < part["5"] < part["20"] < part["25"]


def test_one_standing() -> None:
    done = tribridge("worth", "N 1 game")
    assert "North +222, East -111, South -111." in done.stdout
    told = json.loads(tribridge("worth", "N 1 game", "--laws", "whist-club", "--json").stdout)
    assert told["laws"] == "whist-club"
    assert told["settlement"]["N"] == pytest.approx(222.22)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("worth", "N 30"), "North's part score is 30, but 30 points are a game"),
        (("worth", "W 20"), "unknown player 'W', expected N, E or S"),
        (("worth", "--laws", "blackjack"), "blackjack"),
        (("advise", HAND, "--standing", "me 30"), "your part score is 30"),
        (("advise", HAND, "--standing", "left -1"), "left's part score must be a whole number"),
        (("advise", HAND, "--standing", "dummy 5"), "unknown player 'dummy'"),
        (("arena", "match", "random", "--laws", "blackjack"), "blackjack"),
        (
            ("arena", "match", "random", "--laws", "auction-rubber", "--deck", "2x8"),
            "rubbers need the full deck",
        ),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], says: str) -> None:
    assert says in refusal(*words)


def test_advice_in_a_rubber() -> None:
    words = ("advise", HAND, "--kind", "points", "--standing", "me 1 game 20")
    told = json.loads(tribridge(*words, "--json").stdout)
    assert told["rubber"]["laws"] == "auction-rubber"
    me = "NES".index(told["seat"])
    assert (told["rubber"]["below"][me], told["rubber"]["games"][me]) == (20, 1)
    shown = " ".join(tribridge(*words).stdout.split())
    assert "laws auction-rubber, me" in shown


def test_a_match_of_rubbers(tmp_path: Path) -> None:
    words = (
        "arena",
        "match",
        "points+random",
        "points:margin=0+random",
        "--laws",
        "auction-rubber",
        "--deals",
    )
    more = ("2", "--processes", "1", "--out", str(tmp_path))
    done = tribridge(*words, *more)
    assert done.returncode == 0, done.stderr
    assert "Points per rubber:" in done.stdout
    assert "2 rubbers of seed 1" in done.stdout
    assert "Settlement" in done.stdout
    assert (tmp_path / "result.json").is_file()
    told = json.loads(tribridge(*words, *more, "--json").stdout)
    assert (told["kept"], told["made"]) == (2, 0)
    assert told["work"]["laws"] == "auction-rubber"
    assert {"strategy", "points settled", "settled from", "settled to", "% won"} == set(
        told["tables"]["arena-match-rubbers"][0]
    )
    assert (
        "0: North points+random" in tribridge("arena", "show", str(tmp_path), "--deal", "1").stdout
    )
