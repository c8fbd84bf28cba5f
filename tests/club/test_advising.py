"""Advice from a view: for every seat alike, and one number for one call."""

from __future__ import annotations

import re

import pytest

import tribridge as tb
from tribridge.advice import calls
from tribridge.advice.calls import advise
from tribridge.cards.cards import ALL_CARDS, Hand, Strain, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.club.view.advice import Forecasts, full_advice, study
from tribridge.game import Bid, Mark, Table, find_scheme, new_table, view


@pytest.fixture(autouse=True)
def few_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "DEFENCE", 3)


def after(dealt: Deal, dealer: Seat, *calls: str, doubles: bool = False) -> Table:
    table = new_table(dealt, dealer, doubles=doubles)
    for call in calls:
        table = table.apply(call)
    return table


def table_of(table: Table) -> Forecasts:
    seat = table.turn
    assert seat is not None
    found = study(view(table, seat)).forecasts
    assert found is not None
    return found


def test_one_call_has_one_number() -> None:
    """The chance in the reason of a bid is that of the table, of a pass that of what it leaves."""
    for number, called in enumerate((["1H", "pass"], ["1NT", "3NT"], [])):
        table = after(deal(1, number), Seat.NORTH, *called)
        seen = view(table, table.turn)
        found = full_advice(seen, 0, "learned", study(seen))
        assert found.action == found.options[0].action
        assert found.forecasts is not None
        shown = {bid.bid: bid for bid in found.forecasts.bids}
        for option in found.options:
            said = re.findall(r"(\S+) ?%", option.reason)
            if isinstance(option.action, Bid):
                assert said == [shown[option.action].percent]
                assert option.chance == shown[option.action].chance
        for strain in Strain:
            chances = [shown[Bid(level, strain)].chance for level in range(1, 8)]
            assert chances == sorted(chances, reverse=True)


def test_what_a_contract_pays_is_beside_how_often_it_makes() -> None:
    """If three notrump rarely made, a pass over it would not lose."""
    hands = {"N": "98542.QJ6.Q84.54", "E": "QJ3.KT7.AK72.KQ7", "S": "AT7.A985432.3.T3"}
    table = tb.new_table(hands=hands, dealer="N", scheme="contract", auction="1NT 3NT")
    said = {option.action: option for option in study(view(table, Seat.SOUTH)).options}
    passing = said[tb.PASS]
    assert passing.value is not None
    assert passing.chance is not None
    assert (passing.value < 0) == (passing.chance > 0.35)


def test_beliefs_are_shown_once() -> None:
    """In the table of beliefs, under the names of the players, and not in the reason as well."""
    table = after(deal(1, 0), Seat.NORTH, "1H", "pass", "pass")
    for _ in range(6):
        seen = view(table, table.turn)
        found = full_advice(seen, 0, "learned", study(seen))
        assert found.beliefs is not None
        assert "%" not in found.reason
        assert not any(str(seat) in found.reason for seat in Seat)
        assert found.action is not None
        table = table.apply(found.action)


def test_a_double_is_valued_where_the_table_plays_it() -> None:
    for doubles in (False, True):
        found = table_of(after(deal(1, 0), Seat.NORTH, "1D", "pass", doubles=doubles))
        assert [double.call for double in found.doubling] == [Mark.DOUBLE] * doubles


def test_nothing_is_foretold_out_of_turn() -> None:
    table = after(deal(1, 0), Seat.NORTH, "1D")
    assert study(view(table, Seat.SOUTH)).forecasts is None
    assert study(view(table, None)).forecasts is None


@pytest.mark.parametrize("calls", ["1NT", "1NT pass"])
def test_a_long_solid_suit_defeats_their_notrump(calls: str) -> None:
    hand = parse_hand("AKQJ965.32.43.32")
    others = [card for card in ALL_CARDS if card not in hand]
    north, east, hidden = (Hand(others[at::3]) for at in range(3))
    dealt = Deal.of([north, east, hand, hidden])
    words = calls.split()
    table = after(dealt, Seat.SOUTH.after(-len(words)), *words)
    assert table.turn is Seat.SOUTH
    forecasts = table_of(table)
    assert forecasts.passing > max(bid.expected for bid in forecasts.bids if bid.legal) - 1
    advice = advise(hand, None, table.auction, scheme=find_scheme("auction"))
    assert advice.passing.chance is not None
    assert advice.passing.chance < 0.05
