"""Cards, hands and decks: encoding, every written form, and what is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.cards import (
    ALL_CARDS,
    FULL_DECK,
    Card,
    Deck,
    Hand,
    Rank,
    Strain,
    Suit,
    hand_name,
    hand_signs,
    parse_hand,
)
from tribridge.common.errors import CardsError, FormatError, SettingError, TribridgeError

HAND = "AKQ.T98.KJ2.A543"
hands = st.permutations(range(52)).map(lambda order: Hand(sum(1 << n for n in order[:13])))


def test_cards_are_numbered_clubs_first_ace_first() -> None:
    assert [card.name for card in ALL_CARDS[:3]] == ["CA", "CK", "CQ"]
    assert ALL_CARDS[-1].name == "S2"
    assert Card.of(Suit.HEARTS, Rank.TEN).index == 13 * 2 + 4
    assert FULL_DECK.mask == (1 << 52) - 1


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_only_things_of_one_kind_are_ordered(compare: Callable[[Any, Any], bool]) -> None:
    for low, high in ((Card("CA"), Card("S2")), (Card("H2"), Card("HA")), (Rank.TWO, Rank.ACE)):
        assert compare(low, high) is (compare in (operator.lt, operator.le))
        assert compare(low, low) is (compare in (operator.le, operator.ge))
    for one, other in ((Card("CA"), Suit.SPADES), (Suit.CLUBS, Strain.SPADES)):
        with pytest.raises(TypeError):
            compare(one, other)


@pytest.mark.parametrize("card", ALL_CARDS)
def test_a_card_is_read_back_from_every_form_it_is_written_in(card: Card) -> None:
    suit, rank = card.suit.letter, card.rank.letter
    for text in (card.name, str(card), rank + suit, card.name.lower(), f" {card.name} "):
        assert Card(text) == card
    assert Card(card.name.replace("T", "10")) == card


@pytest.mark.parametrize(
    "text",
    [
        "AKQ.T98.KJ2.A543",
        "akq.t98.kj2.a543",
        "AKQ.1098.KJ2.A543",
        "QKA.89T.2JK.345A",
        "♠AKQ ♥T98 ♦KJ2 ♣A543",
        "♠AKQ♥1098♦KJ2♣A543",
        "♣A543 ♦KJ2 ♥T98 ♠AKQ",
        "♤AKQ ♡T98 ♢KJ2 ♧A543",
        "S:AKQ H:T98 D:KJ2 C:A543",
        "SAKQHT98DKJ2CA543",
        "♠ A K Q ♥ 10 9 8 ♦ K J 2 ♣ A 5 4 3",
        "♠\ufe0fAKQ ♥\ufe0fT98 ♦\ufe0fKJ2 ♣\ufe0fA543",
        "  AKQ.T98.KJ2.A543\n",
    ],
)
def test_every_form_of_a_hand_is_the_same_hand(text: str) -> None:
    assert hand_name(parse_hand(text)) == HAND


@pytest.mark.parametrize(
    "text", ["AKQJT98765432...", "AKQJT98765432.-.-.-", "♠AKQJT98765432 ♥- ♦- ♣-"]
)
def test_a_void_is_empty_or_a_dash(text: str) -> None:
    assert hand_name(parse_hand(text)) == "AKQJT98765432..."


@given(hands)
def test_printing_and_reading_a_hand_is_the_identity(hand: Hand) -> None:
    assert parse_hand(hand_name(hand)) == hand
    assert parse_hand(hand_signs(hand)) == hand


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AKQ.T98.KJ2.A54", "has 12 cards, not 13"),
        ("AKQ.T98.KJ2.A5432", "has 14 cards, not 13"),
        ("AKK.T98.KJ2.A543", "♠K is given twice"),
        ("AKQ.T98.KJ2.A54X", "unknown rank 'X'"),
        ("AKQ.T98.KJ2.A541", "unknown rank '1'"),
        ("AKQ.T98.KJ2.A54.3", "has 5 suits, expected 4"),
        ("AKQT98KJ2A543", "has 1 suit, expected 4"),
        ("♠AKQ ♠T98 ♦KJ2 ♣A543", "spades are given twice"),
        ("", "is empty"),
        ("   ", "is empty"),
        ("AKQ.T98.KJ2.A54\x00", "unprintable"),
    ],
)
def test_a_bad_hand_is_refused_in_one_line_that_names_the_problem(text: str, message: str) -> None:
    with pytest.raises(TribridgeError) as error:
        parse_hand(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_one_line(text: str) -> None:
    try:
        hand = parse_hand(text)
    except TribridgeError as error:
        assert "\n" not in str(error)
    else:
        assert len(hand) == 13


def test_a_hand_is_a_set_of_cards() -> None:
    hand = parse_hand(HAND)
    assert len(hand) == len(list(hand)) == 13
    assert Hand(hand) == hand
    assert [hand.length(suit) for suit in Suit] == [4, 3, 3, 3]
    assert hand.suit(Suit.SPADES) == Hand(map(Card, ("SA", "SK", "SQ")))
    assert (hand - hand.suit(Suit.SPADES)) | hand.suit(Suit.SPADES) == hand
    with pytest.raises(CardsError, match="♠A is given twice"):
        Hand([Card("SA"), Card("SA")])


def test_a_small_deck_is_the_top_of_the_first_suits() -> None:
    deck = Deck(3, 4)
    assert [card.name for card in Hand(deck.mask)][:5] == ["CA", "CK", "CQ", "CJ", "DA"]
    assert deck.strains == (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.NOTRUMP)
    assert hand_name(parse_hand("A.K.Q", deck), deck) == "A.K.Q"
    with pytest.raises(CardsError, match="deck of 3x4"):
        parse_hand("A.K.9", deck)


@pytest.mark.parametrize(("suits", "ranks"), [(0, 4), (5, 4), (4, 0), (4, 14), (-1, 3)])
def test_an_impossible_deck_is_refused(suits: int, ranks: int) -> None:
    with pytest.raises(SettingError, match="no deck of"):
        Deck(suits, ranks)


def test_a_deck_that_does_not_divide_by_four_has_no_hands() -> None:
    with pytest.raises(SettingError, match="four equal hands"):
        _ = Deck(3, 3).hand_size


def test_decks_are_read_back() -> None:
    assert Deck(str(Deck(3, 4))) == Deck(3, 4)
    for text in ("", "4", "4x", "axb", "4x13x2", "-4x13"):
        with pytest.raises(FormatError, match="cannot read deck"):
            Deck(text)


def test_strains_rank_no_trump_highest() -> None:
    order = [Strain(text) for text in ("C", "♦", "h", "S", "NT")]
    assert order == sorted(order) == list(Strain)
    assert Strain("n") is Strain.NOTRUMP
    assert Strain.NOTRUMP.trump is None
    assert Strain.HEARTS.trump is Suit.HEARTS
