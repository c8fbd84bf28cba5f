"""Rubbers to be dealt: the deals of a seed, honours from the cards, and when they end."""

from __future__ import annotations

import pytest

from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.game import Contract, Match, Outcome, Rubber, find_laws, find_scheme
from tribridge.game.standing import Standing

LAWS = find_laws("auction-rubber")
GAME = Outcome(Contract("3NT", "E"), 9)


def rubber_of(match: Match) -> Rubber:
    assert match.rubber is not None
    return match.rubber


def test_deals_and_dealers_are_those_of_a_match() -> None:
    rubber = Match(LAWS, 5, first=3, first_dealer=Seat.EAST, doubles=True)
    match = Match(find_scheme("auction"), 5, 4, 3, Seat.EAST)
    for _ in range(4):
        table, other = rubber.table(), match.table()
        assert (table.deal, table.dealer) == (other.deal, other.dealer)
        assert table.auction.doubles
        rubber, match = rubber.add(Outcome(None)), match.add(Outcome(None))


def test_a_table_knows_the_standing() -> None:
    match = Match(LAWS, 5).add(Outcome(Contract("2H", "S"), 8)).add(GAME)
    assert match.table().rubber == rubber_of(match).state
    assert rubber_of(match).standing == Standing((0, 0, 0), (0, 1, 0))


def test_honours_are_those_of_the_deal() -> None:
    outcome = Outcome(Contract("4S", "N"), 10)
    for seed in range(30):
        match = Match(LAWS, seed).add(outcome)
        dealt = deal(seed, 0)
        honours = {
            seat.letter: [card for card in dealt.hands[seat] if card.name in "SA SK SQ SJ ST"]
            for seat in Seat
        } | {"dummy": [card for card in dealt.hidden if card.name in "SA SK SQ SJ ST"]}
        claimed = Rubber(LAWS).add(outcome.contract, outcome.tricks, honours=honours)
        assert rubber_of(match).lines == claimed.lines


def test_the_lines_of_the_deals_add_up_to_the_totals() -> None:
    match = Match(LAWS, 7)
    for outcome in (Outcome(Contract("1H", "S"), 5), Outcome(None), GAME, GAME):
        match = match.add(outcome)
    lines = match.sheet()
    assert [line.number for line in lines] == [0, 1, 2, 3]
    assert [sum(line.scores[seat] for line in lines) for seat in Seat] == list(match.totals())
    assert sum(match.settlement()) == 0
    assert match.over
    assert rubber_of(match).winner is Seat.EAST
    for more in (match.table, lambda: match.add(GAME)):
        with pytest.raises(IllegalActionError, match="over after 4 deals"):
            more()


def test_who_has_won_a_game_is_vulnerable_where_that_counts() -> None:
    for name, vulnerable in (("contract-rubber", (Seat.EAST,)), ("auction-rubber", ())):
        match = Match(find_laws(name), 7).add(GAME).add(GAME)
        assert [line.vulnerable for line in match.sheet()] == [(), vulnerable]


def test_it_may_start_anywhere_and_is_broken_off_after_its_deals() -> None:
    start = Standing((20, 0, 0), (0, 0, 1))
    rubber = Rubber(LAWS, below=start.below, games=start.games)
    match = Match(LAWS, (3, 4), 2, rubber=rubber)
    assert match.table().rubber == (LAWS, start)
    match = match.add(Outcome(Contract("1NT", "N"), 7))
    assert rubber_of(match).standing == Standing((0, 0, 0), (1, 0, 1))
    match = match.add(Outcome(None))
    assert match.over
    assert rubber_of(match).winner is None


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(SettingError, match="least one deal"):
        Match(LAWS, 1, 0)
    with pytest.raises(SettingError, match="1 seed given"):
        Match(LAWS, (1,), 2)
    with pytest.raises(SettingError, match="full deck, not 2x4"):
        Match(LAWS, 1, deck=Deck("2x4"))
