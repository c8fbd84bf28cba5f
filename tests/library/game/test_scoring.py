"""Scoring: every contract and number of tricks against a table, and schemes from files."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from tests.library.game.playing import DATA, points
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, NotFoundError, TribridgeError
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.scoring import (
    Scheme,
    find_scheme,
    loads_schemes,
    points_name,
    scheme_names,
    schemes,
    scores,
)

N, E, S = Seat
FACTORS = {"-": 1, "X": 2, "XX": 4}


def read_scores() -> dict[tuple[str, str, Strain, int], list[Fraction]]:
    """The table of scores: for a scheme, doubling, strain and level the points by tricks."""
    lines = (DATA / "scores.csv").read_text("utf-8").splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    assert rows[0] == ["scheme", "doubling", "strain", "level", *map(str, range(14))]
    table = {
        (row[0], row[1], Strain(row[2]), int(row[3])): [Fraction(cell) for cell in row[4:]]
        for row in rows[1:]
    }
    assert len(table) == len(rows) - 1
    return table


SCORES = read_scores()


def contract(text: str, declarer: Seat = N, factor: int = 1) -> Contract:
    return Contract(Bid(int(text[0]), Strain(text[1:])), declarer, factor)


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
    assert {find_scheme(name).name for name, *_ in wanted} == {"auction", "old", "new"}


@pytest.mark.parametrize("row", SCORES, ids=lambda r: f"{r[0]}{r[1]}-{r[3]}{r[2].letter}")
def test_points_are_those_of_the_table(row: tuple[str, str, Strain, int]) -> None:
    name, doubling, strain, level = row
    scheme = find_scheme(name)
    for declarer, (tricks, worth) in product(Seat, enumerate(SCORES[row])):
        bid = Contract(Bid(level, strain), declarer, FACTORS[doubling])
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
    row = SCORES[scheme, doubling, Strain(bid[1:]), int(bid[0])]
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
    assert scores(outcome, schemes()["auction-tricks"]) == points(100, 0, 100)


def test_declarers_points_are_his_own() -> None:
    assert scores(Outcome(contract("3NT", S), 9), schemes()["new"]) == points(0, 0, 30)


def test_passed_out_deal_scores_nothing() -> None:
    for scheme in schemes().values():
        assert scores(Outcome(None), scheme) == points(0, 0, 0)


@pytest.mark.parametrize("scheme", ["auction-tricks", "won"])
def test_a_small_deck_has_a_book_of_its_own_and_no_slams(scheme: str) -> None:
    chosen = {**schemes(), **loads_schemes(WON, "here")}[scheme]
    # Three tricks, one of them taken for granted: 1NT needs 2, and all three are one over.
    assert chosen.declarer_points(contract("1NT"), 2, Deck(4, 3)) == 10
    assert chosen.declarer_points(contract("1NT"), 3, Deck(4, 3)) == 20
    assert chosen.penalty(contract("2NT"), 1, Deck(4, 3)) == 100
    assert chosen.net(contract("1C"), 0, Deck(4, 1)) == -50
    assert chosen.net(contract("1C"), 1, Deck(4, 1)) == 6
    # The largest small deck: its twelve tricks are not a slam either.
    assert chosen.declarer_points(contract("6NT"), 12, Deck(4, 12)) == 60


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
        assert "schemes mine" in refusal(text)


def test_left_out_slam_and_double_mean_none_and_plain_doubling() -> None:
    plain = loads_schemes(MINIMAL, "here")["plain"]
    assert (plain.small_slam, plain.grand_slam) == points(0, 0)
    assert plain.declarer_points(contract("7NT"), 13) == 35
    assert plain.declarer_points(contract("7NT", factor=4), 13) == 140


def test_schemes_of_the_package_are_found_by_name() -> None:
    assert list(schemes()) == ["auction-tricks", "old", "new", "contract"]
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
    one_line(refusal(text), repr(text), "auction-tricks, old, new, contract or a TOML file")


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
    with pytest.raises(NotFoundError, match="scoring scheme 'nope'"):
        find_scheme("nope")
    with pytest.raises(NotFoundError, match="such scoring scheme"):
        find_scheme(str(tmp_path / "nope.toml"))
    (tmp_path / "bad.toml").write_text("")
    with pytest.raises(FormatError, match="scoring scheme"):
        find_scheme(str(tmp_path / "bad.toml"))


# Former names


def test_the_former_name_of_a_scheme_gives_the_same_scheme_under_the_name_asked_for() -> None:
    former, present = find_scheme("auction"), find_scheme("auction-tricks")
    assert former == present
    assert hash(former) == hash(present)
    assert (former.name, present.name) == ("auction", "auction-tricks")
    assert "auction" not in schemes()
    assert scheme_names() == ("auction-tricks", "old", "new", "contract", "auction")


# Contract bridge


def duplicate_score(text: str, factor: int, tricks: int, vulnerable: bool) -> int:
    """Duplicate contract bridge, written down independently of schemes.

    Positive: declarer's; negative: what each defender scores.
    """
    level, strain = int(text[0]), text[1:]
    over = tricks - level - 6
    if over < 0:
        down = -over
        if factor == 1:
            return -(100 if vulnerable else 50) * down
        if vulnerable:
            doubled = 200 + 300 * (down - 1)  # 200, 500, 800, ...
        else:
            doubled = [0, 100, 300, 500][down] if down <= 3 else 500 + 300 * (down - 3)
        return -doubled * factor // 2
    each = 20 if strain in "CD" else 30
    bid = (each * level + (10 if strain == "NT" else 0)) * factor
    score = bid + (50 if bid < 100 else 500 if vulnerable else 300)
    if level == 6:
        score += 750 if vulnerable else 500
    if level == 7:
        score += 1500 if vulnerable else 1000
    if factor == 1:
        return score + over * each
    return score + 25 * factor + over * (100 if vulnerable else 50) * factor


@pytest.mark.parametrize("vulnerable", [False, True])
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_contract_scheme_is_that_of_duplicate_bridge(factor: int, vulnerable: bool) -> None:
    scheme = find_scheme("contract")
    for level in range(1, 8):
        for strain in ("C", "D", "H", "S", "NT"):
            bid = contract(f"{level}{strain}", E, factor)
            for tricks in range(14):
                worth = duplicate_score(f"{level}{strain}", factor, tricks, vulnerable)
                assert scheme.at_risk(vulnerable).net(bid, tricks) == worth
                players = scores(
                    Outcome(bid, tricks), scheme, vulnerable=[E] if vulnerable else [N]
                )
                assert players == (points(0, worth, 0) if worth > 0 else points(-worth, 0, -worth))


@pytest.mark.parametrize(
    ("bid", "factor", "tricks", "plain", "vulnerable"),
    [  # known to every duplicate player
        ("1NT", 1, 7, 90, 90),
        ("2H", 1, 8, 110, 110),
        ("3NT", 1, 9, 400, 600),
        ("4S", 1, 11, 450, 650),
        ("5C", 1, 11, 400, 600),
        ("6H", 1, 12, 980, 1430),
        ("7NT", 1, 13, 1520, 2220),
        ("2S", 2, 8, 470, 670),
        ("1NT", 2, 8, 280, 380),
        ("1NT", 4, 7, 560, 760),
        ("4S", 1, 8, -100, -200),
        ("4S", 2, 7, -500, -800),
        ("7NT", 4, 0, -7000, -7600),
    ],
)
def test_contract_scheme_has_the_well_known_scores(
    bid: str, factor: int, tricks: int, plain: int, vulnerable: int
) -> None:
    scheme = find_scheme("contract")
    assert scheme.net(contract(bid, factor=factor), tricks) == plain
    assert scheme.at_risk(True).net(contract(bid, factor=factor), tricks) == vulnerable


def test_vulnerability_makes_no_difference_to_a_scheme_without_it() -> None:
    scheme = find_scheme("old")
    for tricks in range(14):
        bid = contract("3H", factor=2)
        assert scheme.at_risk(True).net(bid, tricks) == scheme.net(bid, tricks)


WON = '[won]\nbase = "auction-tricks"\nslam = { small = 50, grand = 100, when = "won" }\n'


def test_slams_may_count_for_whoever_wins_them() -> None:
    scheme = loads_schemes(WON, "here")["won"]
    assert scheme.declarer_points(contract("7S"), 12) == 50  # one down, and a small slam
    assert scheme.penalty(contract("7S"), 12) == 50
    assert scheme.penalty(contract("1C"), 1) == 6 * 50 + 50
    assert scheme.penalty(contract("1C"), 0) == 7 * 50 + 100
    assert scheme.declarer_points(contract("1C"), 13) == 7 * 6 + 100
    assert scheme.penalty(contract("1C"), 13) == 0


CONTRACT = '[mine]\nbase = "contract"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[mine]\nbase = "nothing"\n', "base must be one of auction-tricks, old"),
        ("[mine]\nbase = 1\n", "base must be one of"),
        (CONTRACT + 'slam = { when = "never" }\n', "when must be one of 'made', 'won', 'bid'"),
        (CONTRACT + "slam = { when = 1 }\n", "when must be one of"),
        (CONTRACT + "bonus = { part = 50, game = 300 }\n", "game_points is missing"),
        (CONTRACT + "bonus = { game_points = 100, game = -1, part = 0 }\n", "0 or more, not -1"),
        (CONTRACT + "double = { undertricks = [] }\n", "undertricks must be a list of numbers"),
        (CONTRACT + "double = { undertricks = [100, -200] }\n", "0 or more, not -200"),
        (CONTRACT + "double = { undertricks = 100 }\n", "must be a list of numbers, not 100"),
        (CONTRACT + "vulnerable = { tricks = 1 }\n", "vulnerable: unknown entry 'tricks'"),
        (CONTRACT + "vulnerable = { undertrick = -1 }\n", "vulnerable: undertrick must be"),
        (CONTRACT + "vulnerable = 2\n", "vulnerable: expected a table"),
        (CONTRACT + "notrump_first = -10\n", "notrump_first must be a number, 0 or more"),
    ],
)
def test_bad_entries_of_contract_scoring_are_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        loads_schemes(text, "here")
    one_line(str(caught.value), "here, ['mine']", says)


def test_scheme_can_change_entries_of_another() -> None:
    mine = loads_schemes(CONTRACT + "notrump_first = 0\n", "here")["mine"]
    assert mine.net(contract("3NT"), 9) == 90 + 50
    assert mine.at_risk(True).net(contract("4S"), 10) == 120 + 500
