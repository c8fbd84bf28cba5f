"""The laws of rubbers: honours against a brute-force definition, and files of laws."""

from __future__ import annotations

import re
from importlib import resources
from itertools import product
from pathlib import Path

import pytest

from tests.library.game.rubbers import LAWS
from tribridge.cards.cards import Card, Rank, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import NotFoundError, TribridgeError
from tribridge.game.auction import Bid, Contract
from tribridge.game.laws import all_laws, find_laws, honour_items, loads_laws
from tribridge.game.rubber import Rubber
from tribridge.game.standing import dealt_honours

N, E, S = Seat


def honours_by_hand(hands: list[list[Card]], strain: Strain) -> int:
    """What one player's one or two hands are worth, card by card, in the words of the laws."""
    if strain is Strain.NOTRUMP:
        held = [sum(card.rank is Rank.ACE for card in hand) for hand in hands]
        if 4 in held:
            return 100
        return {3: 30, 4: 40}.get(sum(held), 0)
    high = {Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN}
    held = [sum(card.suit is strain.trump and card.rank in high for card in hand) for hand in hands]
    if 5 in held:
        times = 10
    elif sum(held) == 5 and 4 in held:
        times = 9
    elif sum(held) == 5:
        times = 5
    elif 4 in held:
        times = 8
    else:
        times = {4: 4, 3: 2}.get(sum(held), 0)
    return times * {"C": 6, "D": 7, "H": 8, "S": 9}[strain.letter]


def test_honours_of_random_deals_are_those_counted_card_by_card() -> None:
    laws, seen = find_laws("auction-rubber"), set()
    for number, declarer, strain in product(range(400), Seat, Strain):
        dealt = deal(14, number)
        hands = [list(hand) for hand in dealt.hands]
        contract = Contract(Bid(1, strain), declarer)
        counts = tuple(map(len, dealt_honours(dealt, contract)))
        items = honour_items(laws, strain, declarer, counts)
        assert sum(counts) == (4 if strain is Strain.NOTRUMP else 5)
        points = {item.seat: item.points for item in items}
        for seat in Seat:
            own = [hands[seat], hands[3]] if seat is declarer else [hands[seat]]
            assert points.get(seat, 0) == honours_by_hand(own, strain)
        seen |= {item.reason for item in items}
    assert seen >= {f"honours {held}" for held in ("3", "2+1", "4", "3+1", "2+2", "4+1", "3+2")}


@pytest.mark.parametrize(
    ("laws", "strain", "counts", "points"),
    [
        ("auction-rubber", "H", (3, 0, 0, 0), {N: 16}),
        ("auction-rubber", "H", (2, 3, 0, 0), {E: 16}),
        ("auction-rubber", "H", (2, 0, 0, 1), {N: 16}),
        ("auction-rubber", "H", (0, 0, 0, 4), {N: 64}),  # dummy's are declarer's
        ("auction-rubber", "H", (0, 2, 2, 1), {}),  # defenders do not add theirs
        ("auction-rubber", "S", (5, 0, 0, 0), {N: 90}),
        ("auction-rubber", "S", (1, 0, 0, 4), {N: 81}),
        ("auction-rubber", "C", (2, 0, 0, 3), {N: 30}),
        ("auction-rubber", "NT", (0, 0, 3, 1), {S: 30}),
        ("auction-rubber", "NT", (2, 0, 0, 2), {N: 40}),
        ("auction-rubber", "NT", (0, 4, 0, 0), {E: 100}),
        ("whist-club", "S", (4, 0, 0, 1), {N: 81}),
        ("whist-club", "S", (2, 1, 0, 2), {N: 36, E: 9}),
        ("whist-club", "NT", (1, 1, 1, 1), {N: 20, E: 10, S: 10}),
        ("contract-rubber", "C", (0, 4, 0, 1), {E: 100}),
        ("contract-rubber", "C", (2, 0, 0, 2), {}),
        ("contract-rubber", "S", (0, 0, 0, 5), {N: 150}),
        ("contract-rubber", "NT", (0, 0, 4, 0), {S: 150}),
    ],
)
def test_honours(
    laws: str, strain: str, counts: tuple[int, int, int, int], points: dict[Seat, int]
) -> None:
    bid = Bid(1, strain)
    items = honour_items(find_laws(laws), bid.strain, N, counts)
    assert {item.seat: item.points for item in items} == points


def test_honours_do_not_grow_with_a_double() -> None:
    claims = {"N": "HA HK HQ HJ HT"}
    for factor in (1, 2, 4):
        rubber = Rubber().add(Contract("1H", "N", factor), 7, honours=claims)
        assert [line.points for line in rubber.lines if "honours" in line.reason] == [80]


def test_laws_of_the_package() -> None:
    assert LAWS == ("auction-rubber", "auction-rubber-games", "whist-club", "contract-rubber")
    for name, laws in all_laws().items():
        assert find_laws(name) is laws
        assert laws.note
    bonuses = {
        name: (laws.game, laws.game_bonus, laws.rubber_bonus, laws.clear_rubber_bonus)
        for name, laws in all_laws().items()
    }
    assert bonuses == {
        "auction-rubber": (30, 0, 250, 250),
        "auction-rubber-games": (30, 125, 250, 250),
        "whist-club": (30, 125, 250, 250),
        "contract-rubber": (100, 0, 500, 700),
    }


OWN = """
[friday]
game = 50
overtricks_below = false
rubber = { game = 10, bonus = 100, no_other_game = 200 }
scheme = { base = "auction-tricks", undertrick = 25 }
honours = { in_tricks = false, trump = { 5 = 70 }, aces = {} }
"""


def test_users_own_laws_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, "utf-8")
    laws = find_laws(str(path))
    assert laws == find_laws(f"{path}:friday")
    rubber = Rubber(laws).add(Contract("5NT", "E"), 12, honours={"E": "CA DA HA SA"})
    assert rubber.totals()["E"] == 50 + 10 + 50 + 10  # tricks, overtrick above, slam, game
    assert rubber.add(Contract("5C", "E"), 12).totals()["E"] == 120 + 30 + 6 + 50
    rubber = rubber.add(Contract("6S", "E"), 9, honours={"N": "SA SK SQ SJ ST"})
    assert rubber.totals()["N"] == 3 * 25 + 70


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("game = 50\n", "", "game is missing"),
        ("game = 50\n", "game = 0\n", "game must be greater than 0"),
        ("game = 50\n", "game = -30\n", "game must be a number, 0 or more, not -30"),
        ("game = 50\n", "game = 30.5\n", "a rubber needs whole numbers, not 30.5"),
        ("game = 50\n", "game = 50\nchicane = 1\n", "unknown entry 'chicane'"),
        ("overtricks_below = false\n", "", "overtricks_below is missing"),
        ("overtricks_below = false", "overtricks_below = 0", "one of true, false, not 0"),
        ("bonus = 100, ", "", "rubber: bonus is missing"),
        ("bonus = 100", "bonus = -100", "bonus must be a number, 0 or more, not -100"),
        ("game = 10", "games = 10", "rubber: unknown entry 'games'"),
        ('scheme = { base = "auction-tricks", undertrick = 25 }\n', "", "scheme is missing"),
        ("undertrick = 25", "undertrick = -25", "scheme: undertrick must be a number"),
        ("undertrick = 25", "overtrick = 0.5", "whole numbers, not 0.5"),
        ("undertrick = 25", "undertricks = 25", "unknown entry 'undertricks'"),
        ('"auction-tricks"', '"old"', "whole numbers, not 0.5"),
        ("5 = 70", "6 = 70", "honours, trump: unknown entry '6'"),
        ("5 = 70", "5 = -70", "honours, trump: 5 must be a number, 0 or more, not -70"),
        ("aces = {}", "aces = { 5 = 1 }", "honours, aces: unknown entry '5'"),
        (", aces = {}", "", "honours, aces: expected a table"),
        ("in_tricks = false, ", "", "in_tricks is missing"),
        ("[friday]\n", '[friday]\nbase = "none"\n', "base must be one of auction-rubber"),
        (OWN, "", "no laws in it"),
    ],
)
def test_broken_laws_are_refused_in_one_line(old: str, new: str, says: str) -> None:
    assert old in OWN
    with pytest.raises(TribridgeError) as caught:
        loads_laws(OWN.replace(old, new, 1), "here")
    message = str(caught.value)
    assert says in message
    assert message.startswith("here")
    assert "\n" not in message


def test_unknown_laws_are_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="unknown laws 'auction'"):
        find_laws("auction")
    with pytest.raises(NotFoundError, match="such laws file"):
        find_laws(str(tmp_path / "none.toml"))


@pytest.mark.parametrize("name", ["laws.toml", "schemes.toml"])
def test_every_number_names_a_source_that_is_listed(name: str) -> None:
    lines = resources.files("tribridge.game").joinpath(name).read_text("utf-8").splitlines()
    listed = {source for line in lines for source in re.findall(r"^# (\[\w+\]) ", line)}
    for line in lines:
        entry, _, remark = line.partition("  # ")
        if re.search(r"= .*\b\d", entry) and not entry.startswith(("#", "note")):
            sources = set(re.findall(r"\[\w+\]", remark))
            assert sources, line
            assert sources <= listed, line
