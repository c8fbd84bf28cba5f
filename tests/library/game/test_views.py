"""Views: what a seat sees, and that nothing hidden from it can reach it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.library.game.playing import actions_of, walk, walks, with_deal
from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.game.auction import parse_call
from tribridge.game.position import Position
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view

N, E, S = Seat
SEATS: tuple[Seat | None, ...] = (*Seat, None)


def hidden_hands(table: Table, seat: Seat | None) -> list[int]:
    """The hands of the deal that a seat cannot see: the dummy only until it is exposed."""
    hands = range(HIDDEN if table.position is not None else HIDDEN + 1)
    return [hand for hand in hands if seat is None or hand != seat.index]


def played(table: Table) -> Hand:
    return Hand(action for action in actions_of(table) if isinstance(action, Card))


def exchange(table: Table, hands: list[int], random: Random) -> Table:
    """The same position with the unplayed cards of these hands redealt among them."""
    gone = played(table)
    loose = [card for hand in hands for card in table.deal.hands[hand] - gone]
    random.shuffle(loose)
    dealt = list(table.deal.hands)
    for hand in hands:
        kept = dealt[hand] & gone
        missing = len(dealt[hand]) - len(kept)
        dealt[hand] = kept | Hand(loose[:missing])
        del loose[:missing]
    return with_deal(table, Deal.of(dealt, table.deal.deck))


def reachable(value: Any) -> Iterator[Any]:
    """A value and all that its fields and items lead to."""
    yield value
    if is_dataclass(value):
        for item in fields(value):
            yield from reachable(getattr(value, item.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from reachable(item)


def cards_in(seen: View) -> Hand:
    """All cards that a view holds anywhere."""
    mask = 0
    for value in reachable(seen):
        if isinstance(value, Hand):
            mask |= value.mask
        elif isinstance(value, Card):
            mask |= value.bit
        elif isinstance(value, Position):
            for hand in value.hands:
                mask |= hand
    return Hand(mask)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(walks(), st.randoms(use_true_random=False))
def test_view_does_not_change_when_only_hidden_cards_are_exchanged(
    states: list[Table], random: Random
) -> None:
    for table in states[:: max(1, len(states) // 12)] + states[-1:]:
        for seat in SEATS:
            other = exchange(table, hidden_hands(table, seat), random)
            assert view(other, seat) == view(table, seat)
            assert repr(view(other, seat)) == repr(view(table, seat))


@settings(max_examples=30, deadline=None)
@given(walks(), st.randoms(use_true_random=False))
def test_view_changes_with_the_cards_that_the_seat_sees(
    states: list[Table], random: Random
) -> None:
    table = states[-1]
    other = exchange(table, hidden_hands(table, None), random)
    for seat in Seat:
        same = other.deal.hands[seat] == table.deal.hands[seat]
        assert (view(other, seat) == view(table, seat)) == same
    if table.position is not None:
        seen = view(exchange(table, [0, HIDDEN], random), None)
        same = seen.dummy_dealt == table.deal.hidden
        assert (seen == view(table, None)) == same


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(walks())
def test_view_holds_no_card_that_is_hidden_from_the_seat(states: list[Table]) -> None:
    for table in states:
        public = played(table)
        if table.position is not None:
            public |= table.deal.hidden
        for seat in Seat:
            assert cards_in(view(table, seat)) == public | table.deal.hands[seat]
        assert cards_in(view(table, None)) == public


@settings(max_examples=20, deadline=None)
@given(walks())
def test_view_is_made_of_plain_public_values_alone(states: list[Table]) -> None:
    allowed = {"View", "Auction", "Contract", "Bid", "Trick", "Position", "Hand", "Deck"}
    for table in (states[0], states[-1]):
        for seat in SEATS:
            for value in reachable(view(table, seat)):
                kind = type(value)
                plain = kind in (Card, bool, tuple, type(None)) or isinstance(value, Enum)
                # A number is a card's, a count or a mask of a hand, which is looked at above.
                assert plain or kind is int or kind.__name__ in allowed, kind
                assert not isinstance(value, Deal | Table)


@settings(max_examples=40, deadline=None)
@given(walks())
def test_view_tells_all_that_the_seat_may_know(states: list[Table]) -> None:
    for table in states:
        gone = played(table)
        for seat in SEATS:
            seen = view(table, seat)
            assert (seen.seat, seen.deck, seen.dealer) == (seat, table.deal.deck, table.dealer)
            assert seen.auction == table.auction
            assert (seen.contract, seen.turn) == (table.contract, table.turn)
            assert seen.outcome == table.outcome
            assert seen.played == gone
            dealt = Hand() if seat is None else table.deal.hands[seat]
            assert seen.dealt == dealt
            assert seen.hand == dealt - gone
            on_turn = seat is not None and seat is table.turn
            assert seen.legal == (table.legal if on_turn else ())
            if table.position is None:
                assert (seen.dummy, seen.dummy_dealt) == (None, None)
                assert (seen.leader, seen.chair, seen.own_chair) == (None, None, None)
                assert (seen.trick, seen.tricks, seen.won) == ((), (), 0)
            else:
                assert seen.dummy_dealt == table.deal.hidden
                assert seen.dummy == table.deal.hidden - gone
                assert seen.leader is table.position.leader
                assert seen.chair is (None if table.over else table.position.chair)
                assert (seen.trick, seen.tricks) == (table.position.trick, table.position.tricks)
                assert seen.won == table.position.won


def table_after(text: str, deck: Deck | None = None) -> Table:
    table = new_table(deal(1, 0) if deck is None else deal(1, 0, deck), N)
    for word in text.split():
        table = table.apply(parse_call(word))
    return table


def test_dummy_is_exposed_at_once_when_the_auction_ends_before_the_lead() -> None:
    before, after = table_after("1C p"), table_after("1C p p")
    for seat in SEATS:
        assert view(before, seat).dummy is None
        assert view(after, seat).dummy == after.deal.hidden
        assert view(after, seat).trick == ()


def test_dummy_of_a_passed_out_deal_is_never_exposed() -> None:
    table = table_after("p p p")
    for seat in SEATS:
        assert view(table, seat).dummy is None
        assert cards_in(view(table, seat)) == (Hand() if seat is None else table.deal.hands[seat])


def test_declarer_sees_the_dummys_legal_cards_on_its_turn() -> None:
    table = table_after("1C p p")
    table = table.apply(table.legal[0])
    assert table.position is not None
    assert table.position.chair is Chair.DUMMY
    seen = view(table, N)
    assert seen.chair is Chair.DUMMY
    assert seen.legal == table.legal
    assert all(card in table.deal.hidden for card in seen.legal if isinstance(card, Card))
    assert view(table, E).legal == view(table, S).legal == view(table, None).legal == ()


@pytest.mark.parametrize("declarer", Seat)
def test_own_chair_is_where_the_seat_plays(declarer: Seat) -> None:
    table = table_after("p " * declarer + "1C p p")
    chairs = {seat: view(table, seat).own_chair for seat in Seat}
    assert chairs[declarer] is Chair.DECLARER
    assert chairs[declarer.left] is Chair.LEFT
    assert chairs[declarer.right] is Chair.RIGHT
    assert view(table, None).own_chair is None


def test_exchange_keeps_the_actions_and_the_turn() -> None:
    random = Random(5)
    for table in walk(new_table(deal(4, 4), S, doubles=True), Random(2)):
        other = exchange(table, hidden_hands(table, None), random)
        assert actions_of(other) == actions_of(table)
        assert (other.turn, other.over, other.outcome) == (table.turn, table.over, table.outcome)


@given(walks())
def test_the_position_of_a_view_is_that_of_the_table_without_the_hidden_hands(
    states: list[Table],
) -> None:
    for table, seat in product(states[:: max(1, len(states) // 12)] + states[-1:], SEATS):
        position = view(table, seat).position
        if table.position is None:
            assert position is None
            continue
        assert position is not None
        assert position.with_hands(table.position.hands) == table.position
        open_chairs = {Chair.DUMMY, view(table, seat).own_chair}
        hidden = 0
        for chair, mask in zip(Chair, table.position.hands, strict=True):
            assert position.hands[chair] == (mask if chair in open_chairs else 0)
            hidden |= 0 if chair in open_chairs else mask
        assert position.hidden == hidden
        if seat is not None and table.turn is seat:
            for name in ("mine", "friend", "dummy", "unseen", "legal"):
                assert getattr(position, name) == getattr(table.position, name), name
        contract, deck = table.contract, table.deal.deck
        assert contract is not None
        assert position.size == deck.hand_size
        assert position.needed == contract.tricks_needed(deck)


def test_a_defender_knows_the_suits_that_the_other_defender_has_bid() -> None:
    table = new_table(deal(1, 0), N)
    for call in ("1C", "1D", "1NT", "2C", "2H", "3NT", "pass", "pass"):
        table = table.call(call)
    positions = [view(table, seat).position for seat in Seat]
    assert [position and position.bids for position in positions] == [(2, 1), (0, 0), ()]
