"""The maxims, one position each: the card and the maxim that plays it."""

from __future__ import annotations

import pytest

from tests.library.strategies.positions import card, seen
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import new_table
from tribridge.game.views import view
from tribridge.strategies import decision_rng, find_player, find_strategy
from tribridge.strategies.players.maxims.declarer import suit_tricks
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.suits import above, low, lowest_equal, masters, top
from tribridge.strategies.protocol import act, position_of

# declarer, left, dummy, right: spades.hearts.diamonds.clubs
PLAIN = ("AK5.AK4.K964.AJ7", "Q9732.QJ5.A3.862", "J84.T96.QJT5.K93", "T6.8732.872.QT54")


def test_rows_run_from_the_ace_down() -> None:
    row, others = 0b1011010, 0b0100100
    assert (top(row), low(row), above(row, 4)) == (1, 6, 0b1010)
    assert masters(row, others) == 0b10
    assert masters(row, 0) == row
    assert lowest_equal(row, 3, others) == 4
    assert lowest_equal(row, 1, 0) == 6


@pytest.mark.parametrize(
    ("hands", "bid", "cards", "expected", "maxim_named"),
    [
        pytest.param(PLAIN, "3NT", "", "S3", "longest suit", id="fourth best"),
        pytest.param(
            ("A95.AK4.K964.AJ7", "QJT32.985.A3.862", "K84.T76.QJT5.K93", "76.QJ32.872.QT54"),
            "3NT",
            "",
            "SQ",
            "Top of a sequence",
            id="top of a sequence",
        ),
        pytest.param(
            ("AK5.AK4.K964.AJ7", "Q9732.QJT653.3.8", "J84.98.QJT5.K932", "T6.72.A872.QT654"),
            "4D",
            "",
            "C8",
            "A singleton",
            id="singleton against a suit",
        ),
        pytest.param(
            PLAIN, "3NT", "S3 S4 ST", "SK", "Fourth hand wins as cheaply", id="fourth hand"
        ),
        pytest.param(PLAIN, "3NT", "S3 S4 ST SK D4", "D3", "Second hand low", id="second hand low"),
        pytest.param(
            ("A95.AK4.K964.A87", "QT732.985.A3.J62", "864.T76.QJT5.K93", "KJ.QJ32.872.QT54"),
            "3NT",
            "S3 S4",
            "SK",
            "Third hand high",
            id="third hand high",
        ),
        pytest.param(
            ("A95.AK4.K964.A87", "K7432.J95.A3.J62", "QT8.T76.QJT5.K93", "J6.Q832.872.QT54"),
            "3NT",
            "S3 ST SJ SA DK DA D5 D2 S2 SQ S6 S5 HT",
            "HQ",
            "Cover an honour",
            id="cover an honour",
        ),
        pytest.param(
            ("AQ5.AK4.K964.AJ7", "K9732.Q85.A3.862", "J84.T96.QJT5.K93", "T6.J732.872.QT54"),
            "4D",
            "C2 C3 CQ CA",
            "D4",
            "Draw trumps",
            id="draw trumps",
        ),
        pytest.param(
            ("AQ5.AK4.AK96.A87", "K9732.QJ5.43.J62", "J84.T96.QJT5.K93", "T6.8732.872.QT54"),
            "3NT",
            "H5 H6 H8 HA DA D3 D5 D2 D9 D4 DT D7 S4 S6",
            "SQ",
            "Finesse",
            id="finesse",
        ),
        pytest.param(
            ("K.AK42.AK96.A875", "AT5432.QJ5.43.J6", "J8.T96.QJT52.K93", "Q976.873.87.QT42"),
            "4D",
            "SA S8 S6 SK S2 SJ SQ",
            "D6",
            "ruffs",
            id="ruff",
        ),
        pytest.param(
            ("A95.AK4.K964.AJ7", "KQJT2.985.A3.862", "84.T76.QJT52.K93", "763.QJ32.87.QT54"),
            "3NT",
            "SK S4 S3",
            "S5",
            "Hold up",
            id="hold-up",
        ),
        pytest.param(
            ("AK5.AKQ54.64.973", "QT9.JT.A98.AKQJT", "J842.763.KQJT5.8", "763.982.732.6542"),
            "4H",
            "SQ S2 S3 SA",
            "C3",
            "for a ruff",
            id="three cards opposite a singleton",
        ),
        pytest.param(
            ("AK5.AKQ54.643.97", "QT9.JT.A98.AKQJT", "J842.763.KQJT5.8", "763.982.72.65432"),
            "4H",
            "SQ S2 S3 SA",
            "HA",
            "trumps",
            id="two cards opposite a singleton",
        ),
    ],
)
def test_maxim(
    hands: tuple[str, str, str, str], bid: str, cards: str, expected: str, maxim_named: str
) -> None:
    choice = find_player("maxims").card(  # type: ignore[union-attr]
        seen(*hands, bid, cards), decision_rng(0, 0, 0, 0)
    )
    assert choice.action == card(expected), choice.reason
    assert maxim_named in choice.reason


def test_discards_keep_the_guard_of_a_king() -> None:
    # The right defender cannot follow spades: the only guard of the king stays.
    hands = ("AKQJ2.K3.A54.A32", "T98.QJT6.K32.QJT", "6543.A2.QJ.98765", "7.98754.T9876.K4")
    view_now = seen(*hands, "2NT", "HQ H2 H5 HK SA S8 S3 S7 SK S9 S4")
    found, reason = maxim(position_of(view_now))
    assert found == card("H4")  # from diamonds the Ten would lose its guards too
    assert "least useful" in reason


def test_tricks_of_a_suit() -> None:
    assert suit_tricks(0b111, 0b111000, 0b1111111000000) == (3, 3)
    assert suit_tricks(0b1110, 0b10000, 0b1) == (0, 2)
    assert suit_tricks(0b1, 0, 0)[0] == 1


@pytest.mark.slow
def test_maxims_beat_chance_as_declarer_and_as_defence() -> None:
    def tricks(declarer: str, defence: str) -> int:
        total = 0
        for number in range(25):
            table = new_table(deal(3, number), Seat.NORTH)
            for call in find_strategy("random:passing=0,reach=1").caller, None, None:
                action = table.legal[0] if call is None else table.legal[1 + number % 5]
                table = table.apply(action)
            players = {True: find_strategy(f"pass+{declarer}"), False: find_strategy(defence)}
            count = 3
            while not table.over:
                turn = table.turn
                assert turn is not None
                strategy = players[turn is Seat.NORTH]
                table = table.apply(
                    act(strategy, table, decision_rng(3, number, turn, count)).action
                )
                count += 1
            assert table.position is not None
            total += table.position.won
        return total

    level = tricks("maxims", "pass+maxims")
    assert tricks("random", "pass+maxims") < level - 15
    assert tricks("maxims", "pass+random") > level + 15


def test_the_maxims_see_no_more_of_a_table_than_of_a_view() -> None:
    for number in range(12):
        table = new_table(deal(5, number), Seat(number % 3))
        for call in (table.legal[1 + number % 5], table.legal[0], table.legal[0]):
            table = table.apply(call)
        while not table.over:
            assert table.position is not None
            chosen = maxim(position_of(view(table, table.turn)))
            assert maxim(table.position) == chosen
            table = table.apply(chosen[0])
