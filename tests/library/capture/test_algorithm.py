"""Algorithms 1 and 2 on cases worked out by hand.

A row of the state matrix is written as text from the Ace down: `1` and `2` for the two hands'
cards, a dot for a card that neither holds. The expectations follow Steps 1 to 7 of the paper, as
the comments show.
"""

from collections.abc import Iterable

import pytest

from tests.library.capture.layouts import lay
from tribridge.capture import (
    READINGS,
    Conditions,
    Matrix,
    Result,
    Skip,
    StopReason,
    algorithm1,
    algorithm2,
    parse_reading,
)
from tribridge.cards.cards import Card, parse_hand
from tribridge.common.errors import NotFoundError


def run(*rows: str, budget: int | None = None) -> Result:
    """Algorithm 2 on a layout."""
    hand, dummy, deck = lay(*rows)
    return algorithm2(hand, dummy, deck, budget)


def picture(matrix: Matrix | None) -> list[str] | None:
    """A matrix as the texts that `lay` reads."""
    if matrix is None:
        return None
    return ["".join(".12"[value] for value in row) for row in matrix.rows]


def names(cards: Iterable[Card | None]) -> str:
    return " ".join("-" if card is None else card.name for card in cards)


def captured(result: Result) -> str:
    return names(result.order)


def removed(result: Result) -> str:
    """The card that each capture removed, a dash for none."""
    return names(capture.removed for capture in result.trace)


def test_a_whole_deal_of_the_full_deck() -> None:
    # Leading gaps 0 0 1 0, so Z = 5; counts (4, 3) (2, 3) (3, 3) (4, 4) all exceed them.
    # Initial captures, and the other hand's lowest card that goes:
    #   CA(1) -C4    DA(2) -D5    HK(1) -H5    SA(2) -S5          T 4, check 5
    # Gaps to the next card in C D H S, and the choice:
    #   1 2 0 0   HQ(2) -H6                                       T 5, check 6
    #   1 2 2 0   SK(1) -S4                                       T 6, check 7
    #   1 2 2 2   CQ(2) -C2, Z = 4                                T 7, check 9
    #   1 2 2 2   CT(1) -C8, Z = 3                                T 8, check 11
    #   3 2 2 2   DJ(1) -D2, Z = 1 (D, H and S tie: D)            T 9, check 14: stop
    result = run(
        "1.2.1.2.1.2.1",
        "2..1..2..1..2",
        ".12..12.12...",
        "21..2121.12..",
    )
    assert result.outcome is Conditions.BOTH_HOLD
    assert (result.captures, result.check) == (9, 14)
    assert captured(result) == "CA DA HK SA HQ SK CQ CT DJ"
    assert removed(result) == "C4 D5 H5 S5 H6 S4 C2 C8 D2"
    assert [c.budget_after for c in result.trace] == [5, 5, 5, 5, 5, 5, 4, 3, 1]
    assert picture(result.final) == [
        "1.2.1...1....",
        "2..1..2......",
        ".12..12......",
        "21..2121.....",
    ]
    assert result.stop is not None
    assert result.stop.reason is StopReason.CHECK


def test_ties_go_to_the_first_suit_until_it_has_no_more() -> None:
    # Both rows alike, no gaps, Z = 3, limit 3 each, stop at 6. CA takes C9 and DA takes D9 away.
    # Clubs win each tie at gap 0: CK takes CT, CQ takes CJ; then Clubs are at their limit, and
    # diamonds follow: DK, DQ. Six captures, nothing paid, check 6.
    result = run("121212......", "121212......")
    assert captured(result) == "CA DA CK CQ DK DQ"
    assert removed(result) == "C9 D9 CT CJ DT DJ"
    assert (result.captures, result.check) == (6, 6)
    assert picture(result.final) == ["121.........", "121........."]


def test_ties_go_to_the_first_of_the_tied_suits() -> None:
    # After the initial captures (which remove C8, D9, H9) the gaps are 2, 1, 1 and Z = 3.
    # Diamonds come before hearts: DQ, Z = 2, check 4 + 1 = 5. Diamonds are then at their limit
    # of 2, hearts have the smallest gap: HQ, Z = 1, check 5 + 2 = 7, past the stop value 6.
    result = run("1..2.12.", "1.2.12..", "1.2.12..")
    assert captured(result) == "CA DA HA DQ HQ"
    assert (result.captures, result.check) == (5, 7)


def test_rank_0_is_the_ace() -> None:
    # All top cards: no gap anywhere, suit after suit is captured whole, 13 captures, check 13.
    # All bottom cards: leading gaps 9 + 10 + 10 + 10, were the ranks read from the Two they
    # would be nothing.
    top = algorithm1(parse_hand("AKQJ.AKQ.AKQ.AKQ"))
    assert [row.leading_gap for row in top.rows] == [0, 0, 0, 0]
    assert captured(top) == "CA DA HA SA CK CQ DK DQ HK HQ SK SQ SJ"
    assert (top.outcome, top.captures, top.check) == (Conditions.BOTH_HOLD, 13, 13)
    bottom = algorithm1(parse_hand("5432.432.432.432"))
    assert [row.leading_gap for row in bottom.rows] == [10, 10, 10, 9]
    assert (bottom.outcome, bottom.captures) == (Conditions.A_FAILS, 0)


def test_replacement_reaches_left_of_the_pointer_and_the_pointer_keeps_its_index() -> None:
    # Clubs: CA is the second hand's only club; capturing it removes CT. Capturing CK (the first
    # hand's) removes the second hand's lowest club, which is CA, captured long since. The list
    # K Q J is rebuilt, index 1 is now CQ, which was never captured, and the next card is CJ.
    # Clubs then have no next card after CJ: index 2 of three. Diamonds: DA removes D8, DK
    # removes D9, DQ finds nothing to remove. Six captures without a gap, check 6.
    result = run("21111.......", "2222211.....")
    assert captured(result) == "CA DA CK CJ DK DQ"
    assert removed(result) == "CT D8 CA - D9 -"
    assert (result.captures, result.check) == (6, 6)
    assert picture(result.final) == [".111........", "22222......."]


def test_the_gap_is_measured_from_the_card_that_the_pointer_has_come_to_point_at() -> None:
    # Clubs: CA removes C6; CK removes CA, the list is K J 8 and index 1 is CJ. The next card is
    # C8 and the gap from CJ is 2 (T, 9), not the one card Q between CK and CJ. Diamonds (after
    # DA has removed D3) would cost 4. So C8 for 2: Z = 1, T = 4, check 4 + 2 = 6: stop.
    result = run("21.1..1.1...", "2....2222.11")
    assert captured(result) == "CA DA CK C8"
    assert removed(result) == "C6 D3 CA -"
    assert [c.gap_paid for c in result.trace] == [0, 0, 0, 2]
    assert (result.captures, result.check) == (4, 6)
    assert picture(result.final) == [".1.1..1.....", "2....2222.1."]


@pytest.mark.parametrize("budget", [0, 3])
def test_captures_without_a_gap_use_up_the_row_budget_and_the_next_card_is_free(
    budget: int,
) -> None:
    # Clubs start with two zeros (the third, after CA has removed C3, does not count). CK and CQ
    # are paid captures with gap 0: row budget 2, 1, 0. The next card, C9, lies two zeros away and
    # is free, even with no global budget at all; C8 after it is free as well. Six captures,
    # nothing paid, check 6 = stop value. Diamonds end with the bare DA, which has removed DK.
    result = run("121..2121212", "12..........", budget=budget)
    assert captured(result) == "CA DA CK CQ C9 C8"
    assert removed(result) == "C3 DK C4 C5 C6 C7"
    assert [c.free for c in result.trace] == [True, True, False, False, True, True]
    clubs = [c for c in result.trace if c.card.name[0] == "C"]
    assert [c.row_budget_before for c in clubs] == [2, 2, 1, 0, 0]
    assert [c.row_budget_after for c in clubs] == [2, 1, 0, 0, 0]
    assert (result.captures, result.check) == (6, 6)
    assert [c.budget_after for c in result.trace] == [budget] * 6


def test_a_paid_gap_of_two_lowers_the_row_budget_by_one() -> None:
    # CA removes C3, DA removes DK. CJ costs 2 of the global budget of 3 and one of the row's 2;
    # check 3 + 2 = 5. CT costs nothing and the row's last; check 6: stop.
    result = run("1..212121212", "12..........")
    assert captured(result) == "CA DA CJ CT"
    paid = result.trace[2:]
    assert [(c.gap_paid, c.budget_before, c.budget_after) for c in paid] == [(2, 3, 1), (0, 1, 1)]
    assert [(c.row_budget_before, c.row_budget_after) for c in paid] == [(2, 1), (1, 0)]
    assert (result.captures, result.check) == (4, 6)


def test_a_free_card_beyond_a_wide_gap_goes_before_a_paid_card_beyond_a_narrow_one() -> None:
    # CA removes CJ and leaves a club gap of 1. Diamonds have three zeros: DK, DQ, DJ, all without
    # a gap, use the row up; T 5, check 5. D7 lies three zeros away, is free and so counts as gap 0
    # against 1 for CQ: T 6, nothing paid, check 6: stop.
    result = run("1.22........", "1212...12121")
    assert captured(result) == "CA DA DK DQ DJ D7"
    assert removed(result) == "CJ D4 D3 D6 D5 DJ"
    assert (result.captures, result.check) == (6, 6)


def test_a_gap_as_large_as_the_budget_can_be_paid() -> None:
    # The layout of the paid gap of two above: CJ costs 2. A budget of 2 suffices and leaves Z = 0,
    # with which CT is had without a gap: T 4, check 4 + 2. A budget of 1 does not: T 2, check 2.
    enough = run("1..212121212", "12..........", budget=2)
    assert (captured(enough), enough.check) == ("CA DA CJ CT", 6)
    too_little = run("1..212121212", "12..........", budget=1)
    assert (captured(too_little), too_little.check) == ("CA DA", 2)
    assert too_little.stop is not None
    assert too_little.stop.reason is StopReason.BUDGET


def test_the_limit_is_the_longer_holding_of_the_original_row() -> None:
    # Clubs 3 and 3: after CA (removes C9) and CK (removes CT) each hand has two clubs left, but
    # the limit stays 3, so CQ is captured; then the limit is what rules clubs out.
    result = run("121212......", "121212......")
    assert [row.limit for row in result.rows] == [3, 3]
    assert captured(result).count("C") == 3
    assert [option.skipped for option in result.trace[4].options] == [Skip.LIMIT, None]
    # Clubs 4 and 1: the longer holding counts, so three clubs are captured in spite of c2 = 1.
    result = run("21111.......", "2222211.....")
    assert [row.limit for row in result.rows] == [4, 5]
    assert captured(result).count("C") == 3


def test_the_check_value_can_end_above_13() -> None:
    # Leading gap 1 in clubs, Z = 5. Initial captures: T 4, check 5. Without a gap follow CQ CJ,
    # HK, SK SQ: T 9, check 10 < 13. Next gaps: diamonds 4, hearts 9, spades 9. D9 for 4 leaves
    # Z = 1: T 10, check 10 + 5 = 15.
    result = algorithm1(parse_hand("AKQ2.AK3.A92.KQJ"))
    assert captured(result) == "CK DA HA SA CQ CJ HK SK SQ D9"
    assert (result.captures, result.check) == (10, 15)


def test_the_loop_stops_when_the_smallest_gap_is_too_dear() -> None:
    # The spade gap (A to 3) is 10, the budget 6; clubs are exhausted, DA and HA bare.
    # Clubs: five paid captures K to 9 use up the five zeros of the row, so C3 and C2 are free:
    # T 11, nothing paid, check 11 < 13.
    result = algorithm1(parse_hand("A32.A.A.AKQJT932"))
    assert captured(result) == "CA DA HA SA CK CQ CJ CT C9 C3 C2"
    assert (result.captures, result.check) == (11, 11)
    assert result.stop is not None
    assert result.stop.reason is StopReason.BUDGET


@pytest.mark.parametrize("budget", [None, 12])
def test_an_empty_row_has_leading_gap_13_and_condition_a_fails(budget: int | None) -> None:
    # Alone: no club. Together: no club in either hand. Everything else is as strong as possible.
    alone = algorithm1(parse_hand("AKQJT.AKQJ.AKQJ."), budget=budget)
    together = run(
        ".............",
        "1212121212...",
        "1212121212...",
        "121212.......",
        budget=budget,
    )
    for result in (alone, together):
        assert result.rows[0].leading_gap == 13
        assert result.total_gap == 13
        assert result.outcome is Conditions.A_FAILS
        assert (result.captures, result.check, result.trace) == (0, None, ())
        assert result.final is None


def test_an_empty_row_fails_condition_b_when_the_budget_covers_it() -> None:
    # Four ranks: the empty row's gap is 4, within a budget of 4, but 0 cards do not exceed it.
    assert run("....", "1122", budget=3).outcome is Conditions.A_FAILS
    assert run("....", "1122", budget=4).outcome is Conditions.B_FAILS


def test_condition_a_allows_a_total_gap_equal_to_the_budget() -> None:
    # Gaps 2 2 2 0: Z = 0, check 4 + 6 = 10 after the initial captures; CJ CT C9 make it 13.
    result = algorithm1(parse_hand("AKQ.QJT.QJT.QJT9"))
    assert (result.outcome, result.total_gap) == (Conditions.BOTH_HOLD, 6)
    assert captured(result) == "CQ DQ HQ SA CJ CT C9"
    assert (result.captures, result.check) == (7, 13)
    # With the spade Ace gone the gaps are 2 2 2 1.
    result = algorithm1(parse_hand("KQJ.QJT.QJT.QJT9"))
    assert (result.outcome, result.total_gap, result.captures) == (Conditions.A_FAILS, 7, 0)


@pytest.mark.parametrize("few", ["1", "2"])
def test_condition_b_asks_both_hands_for_more_cards_than_the_gap(few: str) -> None:
    # Club gap 1. One club is not more than 1, whichever hand it is.
    many = "2" if few == "1" else "1"
    club, diamond = f".{many}{many}{few}{many}...", f"{many}{few}.{few}{few}..."
    assert run(club, diamond).outcome is Conditions.B_FAILS
    # Two clubs each are enough. CK removes CT, DA removes DJ; Z = 1, check 3; CQ, check 4: stop.
    result = run(".1122...", "1212....")
    assert captured(result) == "CK DA CQ"
    assert (result.outcome, result.captures, result.check) == (Conditions.BOTH_HOLD, 3, 4)


def test_condition_b_fails_on_a_void_of_either_hand_in_a_suit_with_the_ace() -> None:
    # Leading gaps 0 and 0: a void has 0 cards, which is not more than 0.
    assert run("1111....", "2222....").outcome is Conditions.B_FAILS


def test_the_non_strict_reading_accepts_as_many_cards_as_the_gap() -> None:
    # One club, the King, and leading gap 1.
    hand = parse_hand("AKQJ.AKQJ.AKQJ.K")
    result = algorithm1(hand, reading=READINGS["natural"])
    assert (result.outcome, result.captures) == (Conditions.B_FAILS, 0)
    # Z = 5, check 5 after the initial captures; no gaps: DK DQ DJ, HK HQ HJ, SK, SQ make T = 12
    # and check 13, so SJ stays.
    result = algorithm1(hand, reading=READINGS["non-strict"])
    assert captured(result) == "CK DA HA SA DK DQ DJ HK HQ HJ SK SQ"
    assert (result.outcome, result.captures, result.check) == (Conditions.BOTH_HOLD, 12, 13)


def test_a_paid_capture_lowers_the_row_budget_by_one_whatever_the_gap() -> None:
    # CK CQ CJ CT C9 use up the row's five zeros one by one, C3 and C2 are free, and the spade gap
    # of 10 is too dear: T = 11, check 11.
    hand = parse_hand("A32.A.A.AKQJT932")
    assert (algorithm1(hand).captures, algorithm1(hand).check) == (11, 11)


def test_the_reading_that_is_gone_says_what_to_use() -> None:
    with pytest.raises(NotFoundError, match="gap-paid is gone: use natural") as caught:
        parse_reading("Gap-Paid")
    assert "\n" not in str(caught.value)
