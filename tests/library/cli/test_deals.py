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


CLUB = """[Board "7"]
[Dealer "N"]
[Vulnerable "All"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]
[Declarer "S"]
[Contract "3NT"]

[Board "8"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T975.A82.A54.64"]
"""


def test_a_file_of_four_players_says_whose_hand_is_dummy(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(CLUB)
    done = tribridge("solve", str(file), "--declarer", "S")
    assert done.stdout.splitlines()[0] == "Board 7, West's hand as dummy"
    assert done.returncode == 1  # board 8 was left out
    assert done.stderr == (
        f"tribridge: left out: {file}, board 8 (line 8): the hand of W has 12 cards, not 13\n"
    )
    answer = json.loads(tribridge("solve", str(file), "--declarer", "S", "--json").stdout)
    assert (answer["board"], answer["dummy"]) == ("7", "W")
    whole = tb.deal(seed=1)
    assert answer["deal"] == str(whole)
    assert answer["tricks"]["S"]["NT"] == tb.solve(whole, "S")["NT"]


def test_four_players_have_the_usual_table_and_par(tmp_path: Path) -> None:
    file = tmp_path / "club.pbn"
    file.write_text(CLUB.partition('[Board "8"]')[0])
    table = tb.solve_four(tb.deal(seed=1))
    done = tribridge("solve", str(tmp_path), "--four")
    par = tb.par(tb.deal(seed=1), vulnerable="All")
    assert done.stdout == f"Board 7\n{table}\nPar: {par}\n"
    assert done.returncode == 0
    answer = json.loads(
        tribridge("solve", str(file), "--four", "--vulnerable", "None", "--json").stdout
    )
    assert answer["tricks"]["W"] == {s.letter: made for s, made in table["W"].items()}
    assert answer["par"]["score"] == tb.par(tb.deal(seed=1)).score


@pytest.mark.parametrize(
    "options", ["--four --declarer N", "--vulnerable NS", "--four --vulnerable Q"]
)
def test_options_that_cannot_be_are_refused(options: str) -> None:
    done = tribridge("solve", DEAL, *options.split())
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1


def test_deals_under_a_condition_say_how_rare_they_are() -> None:
    where = "hcp(N) >= 15 and balanced(N)"
    done = tribridge("deal", "2", "--seed", "1", "--where", where, "--as", "line")
    deals = tb.deals(2, seed=1, where=where)
    assert done.stdout.splitlines() == [*map(str, deals)]
    assert f"of {deals.tried} met the condition" in done.stderr
    said = json.loads(tribridge("deal", "--seed", "1", "--where", where, "--json").stdout)
    assert (said["where"], said["deals"]) == (where, [str(deals[0])])
    assert said["rate"] == 1 / said["tried"]


def test_the_functions_of_conditions_are_listed() -> None:
    text = tribridge("deal", "--where", "help").stdout
    assert all(f"\n  {name} " in text for name in ("hcp", "shape", "has", "tricks"))


@pytest.mark.parametrize(
    ("where", "said"),
    [("hcp(N) = 15", "for = write =="), ("hcp(N) > 37", "none of 500 deals met the condition")],
)
def test_a_condition_that_finds_nothing_gets_one_line(where: str, said: str) -> None:
    done = tribridge("deal", "--where", where, "--tries", "500")
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


ENDING = """[Event "x"]
[Board "5"]
[Dealer "S"]
[Declarer "S"]
[Contract "3NT"]
[Deal "N:AQ.2.. .AK..3 K.5..2 J.3..A"]
"""


def test_an_end_position_is_solved_card_by_card(tmp_path: Path) -> None:
    """Players are named as in the file, where South declares and West leads."""
    file = tmp_path / "ending.pbn"
    file.write_text(ENDING)
    lines = tribridge("solve", str(file)).stdout.splitlines()
    assert lines[0] == "Board 5, 3NT by S, W to play: declarer's tricks after each card"
    said = json.loads(tribridge("solve", str(file), "--json").stdout)
    (table,) = tb.load_pbn(file)
    cards = {card.name: tricks for card, tricks in tb.solve(table).items()}
    assert said["cards"] == cards
    assert [line.split() for line in lines[1:]] == [
        [str(tb.Card(card)), str(tricks)]
        for card, tricks in sorted(cards.items(), key=lambda item: -item[1])
    ]
    assert (said["declarer"], said["turn"], said["board"]) == ("S", "W", "5")
    assert said["deal"] == "N:AQ.2.. .AK..3 K.5..2 J.3..A"


def test_an_end_position_without_a_contract_is_solved_in_every_strain(tmp_path: Path) -> None:
    file = tmp_path / "ending.pbn"
    file.write_text('[Board "5"]\n[Deal "N:AQ.2.. .AK..3 K.5..2 J.3..A"]\n')
    assert "tricks" in json.loads(tribridge("solve", str(file), "--json").stdout)
    file.write_text(ENDING)
    one = json.loads(tribridge("solve", str(file), "--declarer", "N", "--json").stdout)
    assert list(one["tricks"]) == ["N"]
