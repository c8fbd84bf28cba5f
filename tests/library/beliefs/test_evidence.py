"""Hard evidence: what a view proves, and contradictions that are refused by name."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.library.game.playing import walk
from tribridge.beliefs import Evidence, Void, evidence_of
from tribridge.cards.cards import Card, Deck, Hand, Suit
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import CardsError
from tribridge.game.auction import parse_call
from tribridge.game.table import new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view

DECK = Deck(4, 3)
DEAL = Deal("N:AK.A.. Q..AK. .KQ..A ..Q.KQ", DECK)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(word) for word in text.split())


def played(text: str, seat: Seat = Seat.NORTH) -> View:
    """North declares 1NT with the hidden hand as dummy; East leads, then the dummy, then South."""
    table = new_table(DEAL, Seat.NORTH)
    for call in ("1NT", "pass", "pass"):
        table = table.apply(parse_call(call))
    for card in cards(text):
        table = table.apply(card)
    return view(table, seat)


def test_a_view_proves_own_cards_dummy_cards_played_and_voids() -> None:
    evidence = evidence_of(played("DA DQ CA HA"))
    assert evidence.known[Seat.NORTH] == DEAL.hands[0].mask
    assert evidence.known[3] == DEAL.hidden.mask
    assert evidence.known[Seat.EAST] == Card("DA").bit
    assert evidence.known[Seat.SOUTH] == Card("CA").bit
    assert evidence.needs == (0, 2, 2, 0)
    assert evidence.hidden == (1, 2)
    assert evidence.voids == (Void(2, Suit.DIAMONDS, 1), Void(0, Suit.DIAMONDS, 1))
    assert Hand(evidence.loose) == Hand(cards("DK HK HQ SQ"))


def test_the_auction_proves_own_cards_alone() -> None:
    evidence = evidence_of(view(new_table(DEAL, Seat.EAST), Seat.SOUTH))
    assert evidence.known == (0, 0, DEAL.hands[2].mask, 0)
    assert evidence.needs == (3, 3, 0, 3)
    assert evidence_of(view(new_table(DEAL, Seat.EAST), None)).known == (0, 0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("deck", [Deck(4, 13), Deck(4, 3), Deck(2, 6)], ids=str)
def test_no_true_view_is_refused(deck: Deck) -> None:
    for number in range(8):
        table = new_table(deal(3, number, deck), Seat.NORTH)
        for state in walk(table, Random(number)):
            for seat in (*Seat, None):
                evidence = evidence_of(view(state, seat))
                assert sum(evidence.needs) == evidence.loose.bit_count()


def with_trick(seen: View, text: str) -> View:
    return with_play(seen, trick=cards(text))


def with_play(seen: View, **changes: Any) -> View:
    assert seen.position is not None
    return replace(seen, position=seen.position._replace(**changes))


def test_a_card_in_two_places_is_refused() -> None:
    seen = played("DA DQ CA HA")
    assert seen.leader is Chair.LEFT
    with pytest.raises(CardsError, match="North holds"):
        evidence_of(with_trick(seen, "SA"))
    with pytest.raises(CardsError, match="played twice"):
        evidence_of(with_trick(seen, "DA"))
    with pytest.raises(CardsError, match="hidden hand plays"):
        evidence_of(with_trick(seen, "SQ HK"))
    both = replace(with_play(seen, tricks=()), dummy_dealt=Hand(cards("SA CK CQ")))
    with pytest.raises(CardsError, match="hidden hand"):
        evidence_of(both)


def test_a_suit_that_was_denied_and_then_played_is_refused() -> None:
    seen = played("DA DQ CA HA")
    with pytest.raises(CardsError, match="South showed"):
        evidence_of(with_trick(seen, "SQ CK DK"))


def test_a_seen_hand_that_does_not_follow_is_refused() -> None:
    with pytest.raises(CardsError, match="hidden hand did"):
        evidence_of(with_trick(played(""), "CA DQ"))


def test_voids_that_leave_cards_without_a_place_are_refused() -> None:
    # Of 4x3 cards North and the dummy are seen; the five loose cards include two hearts.
    known = (DEAL.hands[0].mask, 0, 0, DEAL.hidden.mask)
    both = (Void(1, Suit.HEARTS, 2), Void(2, Suit.HEARTS, 3))
    with pytest.raises(
        CardsError,
        match="East and South showed no hearts at trick 2 and 3 but must hold 2 of them: "
        "2 are unseen and no other hand can take any",
    ):
        Evidence(DECK, known, voids=both)
    tight = (known[0], Hand(cards("DA DK")).mask, 0, known[3])
    with pytest.raises(
        CardsError,
        match="South showed no hearts at trick 3 but must hold 1 of them: "
        "2 are unseen and East can take 1",
    ):
        Evidence(DECK, tight, voids=both[1:])
    pair = (Void(2, Suit.DIAMONDS, 1), Void(2, Suit.HEARTS, 3))
    with pytest.raises(
        CardsError,
        match="South showed no diamonds and no hearts at trick 1 and 3 but must hold 1 of them: "
        "4 are unseen and East can take 3",
    ):
        Evidence(DECK, known, voids=pair)


def test_sizes_that_do_not_fit_are_refused() -> None:
    start = played("")
    with pytest.raises(CardsError, match="North's hand"):
        evidence_of(replace(start, dealt=Hand(cards("SA SK"))))
    with pytest.raises(CardsError, match="1 card"):
        evidence_of(replace(start, dummy_dealt=Hand(cards("SQ"))))
    with pytest.raises(CardsError, match="had 4 cards"):
        Evidence(DECK, (0, _four(), 0, 0))
    with pytest.raises(CardsError, match="deck of 4x3"):
        Evidence(DECK, (1 << 12, 0, 0, 0))


def _four() -> int:
    return Hand(cards("DA DK CA CK")).mask
