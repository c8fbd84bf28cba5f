"""Advice from a view: for every seat alike, and one number for one call."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tribridge.advice import calls
from tribridge.advice.calls import advise
from tribridge.cards.cards import ALL_CARDS, Hand, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.club.view.advice import Forecasts, forecasts_of, full_advice, study
from tribridge.game import Mark, Table, find_scheme, new_table, view


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
    found = forecasts_of(view(table, seat))
    assert found is not None
    return found


def test_one_call_has_one_number() -> None:
    """Every chance in the reasons is in the table, or is that of the one pass."""
    table = after(deal(1, 0), Seat.NORTH, "1H", "pass")
    seen = view(table, table.turn)
    found = full_advice(seen, 0, "learned", study(seen))
    assert found.action == found.options[0].action
    assert found.forecasts is not None
    forecasts = found.forecasts
    reasons = [forecasts.neutral.reason, forecasts.cautious.reason]
    reasons += [one.reason for one in found.options]
    shown = {bid.percent for bid in found.forecasts.bids if bid.legal}
    passing = {number for text in reasons for number in re.findall(r"contract .*?(\S+) ?%", text)}
    assert len(passing) == 1
    for text in reasons:
        for number in re.findall(r"(\S+) ?%", text):
            assert number in shown | passing | {"5"}


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


def test_the_seat_and_the_doubles_do_not_matter() -> None:
    hands = deal(1, 0).hands
    results = []
    for dealer in Seat:
        turned = [hands[(seat.index - dealer.index) % 3] for seat in Seat]
        dealt = Deal.of([*turned, hands[3]])
        for doubles in (False, True):
            found = table_of(after(dealt, dealer, "1D", "pass", doubles=doubles))
            assert [double.call for double in found.doubling] == [Mark.DOUBLE] * doubles
            results.append(replace(found, doubling=()))
    assert all(found == results[0] for found in results)


def test_nothing_is_foretold_out_of_turn() -> None:
    table = after(deal(1, 0), Seat.NORTH, "1D")
    assert forecasts_of(view(table, Seat.SOUTH)) is None
    assert forecasts_of(view(table, None)) is None


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
