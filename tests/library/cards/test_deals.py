"""Deals: PBN deal strings, and refusals that name the card and the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.cards import Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import COMPASS, Deal, Seat, deal_name
from tribridge.common.errors import CardsError, FormatError, TribridgeError

TEXT = "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"


def test_a_deal_string_is_read_and_written() -> None:
    assert str(Deal(TEXT)) == TEXT


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.sampled_from(COMPASS))
def test_a_deal_is_read_back_whichever_hand_comes_first(seed: int, number: int, first: str) -> None:
    dealt = deal(seed, number)
    assert Deal(deal_name(dealt, first)) == dealt


@pytest.mark.parametrize("deck", [Deck(4, 3), Deck(3, 4), Deck(2, 2)])
def test_small_decks_are_read_back(deck: Deck) -> None:
    dealt = deal(3, 7, deck)
    assert Deal(str(dealt), deck) == dealt


def test_one_hand_may_be_left_out() -> None:
    whole = Deal(TEXT)
    parts = TEXT.split()
    for at in range(4):
        shown = [p if n != at else ("N:-" if n == 0 else "-") for n, p in enumerate(parts)]
        assert Deal(" ".join(shown)) == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("T9752", "T975K"), "♠K is in both the hand of E and the hand of W"),
        (TEXT.replace("J63.43", "J63.4"), "the hand of N has 12 cards"),
        (TEXT.replace("K.KT965", "K.KT965A"), "♥A is in both the hand of E and the hand of W"),
        (TEXT.replace("AQ84.QJ7", "AQ84.QJ7Q"), "the hand of S: ♥Q is given twice"),
        (TEXT.rsplit(" ", 1)[0], "a deal has 4 hands, but .* has 3"),
        ("N:- - AQ84.QJ7.K96.K83 T9752.A82.A54.64", "only one hand of a deal may be left out"),
        ("AKQ.T98.KJ2.A543", "not a deal"),
        (TEXT.replace("QT3", "QZ3"), "the hand of N: unknown rank 'Z'"),
    ],
)
def test_a_bad_deal_is_refused_with_card_and_place(text: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        Deal(text)


def test_a_deal_of_checked_hands_refuses_shared_cards() -> None:
    hands = list(deal(1, 1).hands)
    with pytest.raises(CardsError, match="hand of E"):
        Deal.of([hands[0], hands[0], hands[2], hands[3]])
    with pytest.raises(CardsError, match="4 hands"):
        Deal.of(hands[:3])
    with pytest.raises(CardsError, match="hand of E"):
        Deal.of([hands[0], Hand(), hands[2], hands[3]])


def test_seats_go_clockwise() -> None:
    assert [seat.left for seat in Seat] == [Seat.EAST, Seat.SOUTH, Seat.NORTH]
    assert all(seat.left.right is seat for seat in Seat)
    assert Seat("s") is Seat("South") is Seat.SOUTH
    with pytest.raises(FormatError, match="unknown seat 'W'"):
        Seat("W")
