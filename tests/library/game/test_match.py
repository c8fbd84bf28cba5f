"""Matches: the deal goes round, the sheet of three adds up, differences are settled."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.game.playing import points, walk
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.match import Match
from tribridge.game.scoring import schemes, scores, settle

N, E, S = Seat
AUCTION = schemes()["auction-tricks"]


def outcome(bid: str, declarer: Seat, tricks: int, factor: int = 1) -> Outcome:
    return Outcome(Contract(Bid(int(bid[0]), Strain(bid[1:])), declarer, factor), tricks)


def play_out(match: Match, random: Random) -> Match:
    while not match.over:
        *_, last = walk(match.table(), random)
        assert last.outcome is not None
        match = match.add(last.outcome)
    return match


@pytest.mark.parametrize("scheme", ["auction-tricks", "contract", "new"])
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_what_points_are_made_up_of_adds_up(scheme: str, factor: int) -> None:
    rules = schemes()[scheme]
    for tricks in range(14):
        for bid in ("1C", "3NT", "6S", "7NT"):
            match = Match(rules, seed=1).add(outcome(bid, E, tricks, factor))
            sums = tuple(sum((worth for _, worth in own), Fraction(0)) for own in match.made_up(0))
            assert sums == match.lines[0].scores


def test_a_slam_names_its_bonus_and_the_bid_its_own_tricks() -> None:
    def made(rules: Any, bid: str, tricks: int, factor: int = 1) -> dict[str, Fraction]:
        return dict(Match(rules, seed=1).add(outcome(bid, S, tricks, factor)).made_up(0)[S.index])

    contract = schemes()["contract"]
    assert made(AUCTION, "6S", 12) == {"6♠": 54, "small slam": 50}
    assert made(AUCTION, "4S", 12) == {"4♠": 36, "overtricks": 18, "small slam": 50}
    assert made(contract, "7NT", 13) == {"7NT": 220, "game": 300, "grand slam": 1000}
    assert made(contract, "4H", 10, 2) == {"4♥": 240, "doubled": 50, "game": 300}
    assert made(AUCTION, "6S", 11) == {}


@pytest.mark.parametrize("first", Seat)
def test_deal_rotates_clockwise_from_the_first_dealer(first: Seat) -> None:
    match = Match(AUCTION, seed=3, deals=7, first_dealer=first)
    dealers = []
    while not match.over:
        dealers.append(match.table().dealer)
        assert match.table().turn is match.table().dealer
        match = match.add(Outcome(None))
    assert dealers == [first.after(at) for at in range(7)]
    assert dealers[3] is first
    assert [line.dealer for line in match.sheet()] == dealers


def test_passed_out_deal_counts_and_the_deal_rotates_all_the_same() -> None:
    match = Match(AUCTION, seed=3, deals=2).add(Outcome(None))
    assert match.table().dealer is E
    assert match.sheet()[0].scores == points(0, 0, 0)


def test_tables_are_the_deals_of_the_seed_in_order() -> None:
    match = Match(AUCTION, seed=3, deals=3, first=10, doubles=True, deck=Deck(4, 4))
    for number in (10, 11, 12):
        table = match.table()
        assert table.deal == deal(3, number, Deck(4, 4))
        assert table.auction.doubles
        assert table.auction.deck == Deck(4, 4)
        match = match.add(Outcome(None))
    assert [line.number for line in match.sheet()] == [10, 11, 12]


def test_score_sheet_and_totals_are_those_worked_by_hand() -> None:
    match = Match(AUCTION, seed=1, deals=4)
    ends = (
        outcome("3NT", E, 10),  # 30 + 10 to East
        outcome("4S", N, 8),  # two down: 100 each to East and South
        Outcome(None),
        outcome("2H", S, 8, factor=2),  # 2 x 16 + 50 to South
    )
    for end in ends:
        match = match.add(end)
    assert [line.scores for line in match.sheet()] == [
        points(0, 40, 0),
        points(0, 100, 100),
        points(0, 0, 0),
        points(0, 0, 82),
    ]
    assert [line.outcome for line in match.sheet()] == list(ends)
    assert match.totals() == points(0, 140, 182)
    # All points: 322. Three times the own less that.
    assert match.settlement() == points(-322, 98, 224)
    assert sum(match.settlement()) == 0


def test_each_pays_each_other_the_difference() -> None:
    totals = (Fraction(50), Fraction(20), Fraction(5, 2))
    paid = [sum(own - other for other in totals) for own in totals]
    assert list(settle(totals)) == paid


@given(st.tuples(*[st.fractions(-10_000, 10_000, max_denominator=4)] * 3))
def test_settlement_adds_up_to_nothing_and_keeps_the_order(
    totals: tuple[Fraction, Fraction, Fraction],
) -> None:
    nets = settle(totals)
    assert sum(nets) == 0
    assert sorted(range(3), key=lambda at: nets[at]) == sorted(range(3), key=lambda at: totals[at])
    assert nets[0] - nets[1] == 3 * (totals[0] - totals[1])


@pytest.mark.parametrize("name", schemes())
def test_random_match_adds_up(name: str) -> None:
    scheme = schemes()[name]
    match = play_out(Match(scheme, seed=9, deals=8, doubles=True), Random(1))
    sheet = match.sheet()
    assert len(sheet) == 8
    for line in sheet:
        assert line.scores == scores(line.outcome, scheme)
    for seat in Seat:
        assert match.totals()[seat] == sum(line.scores[seat] for line in sheet)
    assert sum(match.settlement()) == 0


def test_tiny_match_scores_by_its_own_deck() -> None:
    match = Match(AUCTION, seed=1, deals=1, deck=Deck(4, 3)).add(outcome("1NT", N, 3))
    # Two tricks needed of three: one overtrick, and no slam.
    assert match.totals() == points(20, 0, 0)


def test_match_is_over_after_its_deals() -> None:
    match = Match(AUCTION, seed=1, deals=2)
    assert not match.over
    match = match.add(Outcome(None))
    assert not match.over
    match = match.add(Outcome(None))
    assert match.over
    for refused in (match.table, lambda: match.add(Outcome(None))):
        with pytest.raises(IllegalActionError, match="after 2 deals"):
            refused()


def test_unfinished_match_has_the_totals_so_far() -> None:
    match = Match(AUCTION, seed=1, deals=5)
    assert match.totals() == points(0, 0, 0)
    assert match.sheet() == ()
    assert match.add(outcome("1C", S, 7)).totals() == points(0, 0, 6)


def test_adding_an_outcome_leaves_the_match_as_it_was() -> None:
    match = Match(AUCTION, seed=1, deals=2)
    match.add(Outcome(None))
    assert match.outcomes == ()


@pytest.mark.parametrize("deals", [0, -1])
def test_match_needs_a_deal(deals: int) -> None:
    with pytest.raises(SettingError, match="needs at least"):
        Match(AUCTION, seed=1, deals=deals)


def test_vulnerable_declarers_score_by_the_vulnerable_values() -> None:
    made, scheme = outcome("3NT", E, 9), schemes()["contract"]
    assert scores(made, scheme, vulnerable=(N, S))[E] == 400
    assert scores(made, scheme, vulnerable=(E,))[E] == 600


def test_a_name_in_place_of_a_scheme_is_refused_at_once() -> None:
    with pytest.raises(SettingError, match=r"rules must be Scheme \| Laws, not 'friday.toml'"):
        Match("friday.toml", seed=1)  # type: ignore[arg-type]
