"""Scoring: every contract and number of tricks against a table, and schemes from files."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from tests.game.playing import DATA, points
from tribridge.cards import Deck, Strain, parse_strain
from tribridge.deals import Seat
from tribridge.errors import FormatError, NotFoundError, TribridgeError
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import (
    Scheme,
    find_scheme,
    load_schemes,
    loads_schemes,
    points_name,
    schemes,
    scores,
)
from tribridge.game.table import Outcome

N, E, S = Seat
FACTORS = {"-": 1, "X": 2, "XX": 4}


def read_scores() -> dict[tuple[str, str, Strain, int], list[Fraction]]:
    """The table of scores: for a scheme, doubling, strain and level the points by tricks."""
    lines = (DATA / "scores.csv").read_text("utf-8").splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    assert rows[0] == ["scheme", "doubling", "strain", "level", *map(str, range(14))]
    table = {
        (row[0], row[1], parse_strain(row[2]), int(row[3])): [Fraction(cell) for cell in row[4:]]
        for row in rows[1:]
    }
    assert len(table) == len(rows) - 1
    return table


SCORES = read_scores()


def contract(text: str, declarer: Seat = N, factor: int = 1) -> Contract:
    return Contract(Bid(int(text[0]), parse_strain(text[1:])), declarer, factor)


def test_table_of_scores_has_every_scheme_strain_level_and_number_of_tricks() -> None:
    wanted = {
        (scheme, doubling, strain, level)
        for scheme in ("auction", "old", "new")
        for doubling in FACTORS
        for strain in Strain
        for level in range(1, 8)
    }
    assert set(SCORES) == wanted
    assert {len(row) for row in SCORES.values()} == {14}
    assert set(schemes()) == {name for name, *_ in wanted}


@pytest.mark.parametrize("declarer", Seat)
@pytest.mark.parametrize("row", SCORES, ids=lambda r: f"{r[0]}{r[1]}-{r[3]}{r[2].letter}")
def test_points_are_those_of_the_table(row: tuple[str, str, Strain, int], declarer: Seat) -> None:
    name, doubling, strain, level = row
    scheme = schemes()[name]
    bid = Contract(Bid(level, strain), declarer, FACTORS[doubling])
    for tricks, worth in enumerate(SCORES[row]):
        made = tricks >= 6 + level
        assert (worth > 0) == made
        assert scheme.declarer_points(bid, tricks) == (worth if made else 0)
        assert scheme.penalty(bid, tricks) == (0 if made else -worth)
        assert scheme.net(bid, tricks) == worth
        expected = [Fraction(0) if made else -worth] * 3
        expected[declarer] = worth if made else Fraction(0)
        assert scores(Outcome(bid, tricks), scheme) == tuple(expected)


@pytest.mark.parametrize(
    ("scheme", "doubling", "bid", "tricks", "points"),
    [
        ("auction", "-", "1C", 7, "6"),
        ("auction", "-", "3NT", 9, "30"),  # 3 x 10
        ("auction", "-", "3NT", 11, "50"),  # and 2 overtricks of 10
        ("auction", "-", "4S", 9, "-50"),
        ("auction", "-", "7H", 0, "-650"),  # 13 x 50
        ("auction", "-", "6D", 12, "92"),  # 6 x 7 + 50
        ("auction", "-", "1D", 12, "92"),  # a slam not bid counts as much
        ("auction", "-", "7S", 13, "163"),  # 7 x 9 + 100
        ("auction", "-", "7S", 12, "-50"),  # no slam without the contract
        ("auction", "-", "2H", 13, "156"),  # 2 x 8 + 5 x 8 + 100
        ("old", "-", "2D", 9, "17.5"),  # 2 x 7 + 7 / 2
        ("old", "-", "1NT", 13, "40"),  # 10 + 6 x 5, no slam
        ("old", "-", "2C", 6, "-100"),
        ("new", "-", "2D", 9, "28"),  # 2 x 7 + 2 x 7
        ("new", "-", "1NT", 13, "130"),  # 10 + 6 x 20
        ("auction", "X", "2S", 9, "154"),  # 2 x 18 + 18 + 50 + 50
        ("auction", "X", "2S", 5, "-300"),  # 3 x 100
        ("auction", "XX", "2S", 9, "308"),  # 2 x 36 + 36 + 100 + 100
        ("auction", "XX", "2S", 7, "-200"),
        ("auction", "X", "6C", 12, "172"),  # 6 x 12 + 50 + slam 50, which is not doubled
        ("auction", "XX", "7NT", 13, "480"),  # 7 x 40 + 100 + slam 100
    ],
)
def test_table_of_scores_has_the_values_worked_by_hand(
    scheme: str, doubling: str, bid: str, tricks: int, points: str
) -> None:
    row = SCORES[scheme, doubling, parse_strain(bid[1:]), int(bid[0])]
    assert row[tricks] == Fraction(points)


def test_scheme_without_double_entries_doubles_tricks_alone() -> None:
    old = schemes()["old"]
    # 2 x 14 and one overtrick at half of 14; redoubled twice that.
    assert old.declarer_points(contract("2D", factor=2), 9) == 35
    assert old.declarer_points(contract("2D", factor=4), 9) == 70
    assert old.penalty(contract("2D", factor=2), 7) == 100
    assert old.penalty(contract("2D", factor=4), 7) == 200


def test_each_defender_scores_the_penalty_and_the_declarer_nothing() -> None:
    outcome = Outcome(contract("4S", E), 8)
    assert scores(outcome, schemes()["auction"]) == points(100, 0, 100)


def test_declarers_points_are_his_own() -> None:
    assert scores(Outcome(contract("3NT", S), 9), schemes()["new"]) == points(0, 0, 30)


def test_passed_out_deal_scores_nothing() -> None:
    for scheme in schemes().values():
        assert scores(Outcome(None), scheme) == points(0, 0, 0)


def test_tiny_deck_counts_tricks_and_slams_by_its_own_size() -> None:
    # Three tricks, one of them taken for granted: 1NT needs 2, and two of three is a small slam.
    auction, deck = schemes()["auction"], Deck(4, 3)
    assert auction.declarer_points(contract("1NT"), 2, deck) == 10 + 50
    assert auction.declarer_points(contract("1NT"), 3, deck) == 20 + 100
    assert auction.penalty(contract("2NT"), 1, deck) == 100
    # One trick, nothing granted: a failed contract is no small slam.
    assert auction.net(contract("1C"), 0, Deck(4, 1)) == -50
    assert auction.net(contract("1C"), 1, Deck(4, 1)) == 6 + 100


@pytest.mark.parametrize(
    ("points", "name"),
    [
        (Fraction(0), "0"),
        (Fraction(30), "30"),
        (Fraction(-350), "-350"),
        (Fraction(35, 2), "17.5"),
        (Fraction(-7, 2), "-3.5"),
        (Fraction(10**7), "10000000"),
        (Fraction(200_001, 2), "100000.5"),
        (Fraction(2_469_135, 2), "1234567.5"),
    ],
)
def test_points_are_written_exactly(points: Fraction, name: str) -> None:
    assert points_name(points) == name


# Schemes from files

OWN = """
[mine]
note = "ours"
trick = { C = 20, D = 20, H = 30, S = 30, NT = 35 }
overtrick = 1.5
undertrick = 100
slam = { small = 500, grand = 1000 }
double = { factor = 3, made = 25, overtrick = 12.5 }
"""
MINIMAL = """
[plain]
trick = { C = 1, D = 2, H = 3, S = 4, NT = 5 }
overtrick = 0
undertrick = 0.25
"""


def test_users_own_scheme_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, "utf-8")
    scheme = find_scheme(str(path))
    assert (scheme.name, scheme.note) == ("mine", "ours")
    assert load_schemes(path) == {"mine": scheme}
    assert find_scheme(f"{path}:mine") == scheme
    # 3 x 30 and 2 overtricks of 45.
    assert scheme.declarer_points(contract("3S"), 11) == 180
    # Doubled: 3 x 90, 2 x 135, 25, and 2 x 12.5.
    assert scheme.declarer_points(contract("3S", factor=2), 11) == 590
    # Redoubled: the factor squared on tricks, twice the bonuses.
    assert scheme.declarer_points(contract("3S", factor=4), 11) == 3 * 270 + 2 * 405 + 50 + 50
    assert scheme.declarer_points(contract("6H"), 12) == 680
    assert scheme.penalty(contract("3S", factor=4), 8) == 900


def test_file_of_several_schemes_needs_a_name(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(OWN + MINIMAL, "utf-8")
    assert find_scheme(f"{path}:plain").undertrick == Fraction(1, 4)
    for text in (str(path), f"{path}:other", f"{path}:"):
        assert "has the schemes mine, plain" in refusal(text)


def test_left_out_slam_and_double_mean_none_and_plain_doubling() -> None:
    plain = loads_schemes(MINIMAL, "here")["plain"]
    assert (plain.small_slam, plain.grand_slam) == points(0, 0)
    assert plain.declarer_points(contract("7NT"), 13) == 35
    assert plain.declarer_points(contract("7NT", factor=4), 13) == 140


def test_schemes_of_the_package_are_found_by_name() -> None:
    assert list(schemes()) == ["auction", "old", "new"]
    for name, scheme in schemes().items():
        assert find_scheme(name) is scheme
        assert scheme.note


def refusal(text: str) -> str:
    with pytest.raises(TribridgeError) as caught:
        find_scheme(text)
    return str(caught.value)


def one_line(message: str, *parts: str) -> None:
    assert "\n" not in message
    assert message.strip() == message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("overtrick = 0\n", "", "overtrick is missing"),
        ("undertrick = 0.25\n", "", "undertrick is missing"),
        ("trick = { C = 1, D = 2, H = 3, S = 4, NT = 5 }\n", "", "trick: expected a table"),
        ("H = 3, ", "", "H is missing"),
        ("NT = 5 }", "NT = 5, N = 5 }", "unknown entry 'N'"),
        ("overtrick = 0\n", "overtrick = 0\nslams = 1\n", "unknown entry 'slams'"),
        ("overtrick = 0\n", "overtrick = 0\nslam = { tiny = 1 }\n", "unknown entry 'tiny'"),
        ("overtrick = 0\n", "overtrick = 0\nslam = 50\n", "slam: expected a table"),
        ("overtrick = 0\n", "overtrick = 0\ndouble = { made = -1 }\n", "made must be a number"),
        ("C = 1", 'C = "six"', "C must be a number, 0 or more, not 'six'"),
        ("C = 1", "C = true", "C must be a number"),
        ("C = 1", "C = [1]", "C must be a number"),
        ("C = 1", "C = 2026-01-01", "C must be a number"),
        ("overtrick = 0", "overtrick = -1", "overtrick must be a number, 0 or more, not -1"),
        ("overtrick = 0", "overtrick = -0.5", "overtrick must be a number, 0 or more, not -"),
        ("undertrick = 0.25", "undertrick = nan", "nan"),
        ("undertrick = 0.25", "undertrick = inf", "inf"),
        ("undertrick = 0.25", "undertrick = 1e5000", "1e5000 is not a number of points"),
        ("undertrick = 0.25", "undertrick = -1e5000", "1e5000 is not a number of points"),
        ("undertrick = 0.25", "undertrick =", "line 5"),
        ("[plain]", "[plain", "line 2"),
        ("[plain]", "[plain]\ntrick = 1", "line 4"),
        ("[plain]\n", "", "unknown entry 'C'"),
        (MINIMAL, "", "no scoring scheme in it"),
        (MINIMAL, "# nothing\n", "no scoring scheme in it"),
        (MINIMAL, "x = " + "[" * 5000, ""),
        (MINIMAL, '["two\\nlines"]\nq = 1', "unknown entry 'q'"),
        (MINIMAL, "\x00\x01", ""),
    ],
    ids=lambda text: text.strip()[:24],
)
def test_broken_file_of_schemes_is_refused_in_one_line(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    assert old in MINIMAL
    path = tmp_path / "bad.toml"
    path.write_text(MINIMAL.replace(old, new, 1), "utf-8")
    one_line(refusal(str(path)), str(path), says)


def test_refusal_shows_a_number_as_it_is_written_in_the_file() -> None:
    with pytest.raises(FormatError) as caught:
        loads_schemes(MINIMAL.replace("0.25", "-0.25"), "here")
    assert "Fraction" not in str(caught.value)
    assert str(caught.value).endswith("not -0.25")


def test_binary_file_of_schemes_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff\xfe")
    one_line(refusal(str(path)), str(path), "not a text file")


@pytest.mark.parametrize("text", ["", "Auction", "newest", "auction:old", "schemes.json"])
def test_unknown_scheme_is_refused_with_the_known_ones(text: str) -> None:
    one_line(refusal(text), repr(text), "auction, old, new")


def test_missing_file_of_schemes_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name in ("none.toml", "none.toml:mine", "folder.toml"):
        one_line(refusal(str(tmp_path / name)), "no such scoring scheme file")


def test_scheme_is_a_value() -> None:
    one, two = (loads_schemes(OWN, "here")["mine"] for _ in range(2))
    assert one == two
    assert isinstance(one, Scheme)
    assert len({one, two}) == 1


def test_an_unknown_scheme_is_not_found_and_a_broken_file_has_the_wrong_format(
    tmp_path: Path,
) -> None:
    with pytest.raises(NotFoundError, match="unknown scoring scheme 'nope'"):
        find_scheme("nope")
    with pytest.raises(NotFoundError, match="no such scoring scheme file"):
        find_scheme(str(tmp_path / "nope.toml"))
    (tmp_path / "bad.toml").write_text("")
    with pytest.raises(FormatError, match="no scoring scheme in it"):
        find_scheme(str(tmp_path / "bad.toml"))
