"""The player of captures: the declarer's order, and what the defenders keep."""

from __future__ import annotations

from tests.library.strategies.positions import card, seen
from tribridge.capture.algorithm import algorithm2
from tribridge.cards.cards import FULL_DECK
from tribridge.strategies import Choice, decision_rng, find_player
from tribridge.strategies.players.simple import capture_order

HANDS = ("AK5.AK4.K964.AJ7", "Q9732.QJ5.A3.862", "J84.T96.QJT5.K93", "T6.8732.872.QT54")


def played(cards: str, bid: str = "3NT") -> Choice:
    return find_player("capture").card(  # type: ignore[union-attr]
        seen(*HANDS, bid, cards), decision_rng(0, 0, 0, 0)
    )


def test_order_is_that_of_algorithm_2_and_then_the_rest() -> None:
    now = seen(*HANDS, "3NT", "S3 S4 ST SK")
    assert now.dummy_dealt is not None
    order = capture_order(now.dealt, now.dummy_dealt, FULL_DECK)
    first = algorithm2(now.dealt, now.dummy_dealt).order
    assert list(order[: len(dict.fromkeys(first))]) == list(dict.fromkeys(first))
    assert len(order) == len(set(order)) == 26


def test_declarer_leads_the_next_capture_or_towards_it() -> None:
    now = seen(*HANDS, "3NT", "S3 S4 ST SK")
    assert now.dummy_dealt is not None
    order = [c for c in capture_order(now.dealt, now.dummy_dealt, FULL_DECK) if c != card("SK")]
    choice = played("S3 S4 ST SK")
    assert choice.action == order[0]
    assert "next capture" in choice.reason


def test_declarer_captures_with_the_first_card_of_the_order_that_can() -> None:
    choice = played("S3 S4 ST")
    assert choice.action == card("SA")
    assert "captures the trick" in choice.reason


def test_defender_leads_where_the_dummy_has_the_widest_gap() -> None:
    choice = played("")
    assert choice.action == card("H5")  # the dummy's best heart is the Ten
    assert "leading gap" in choice.reason


def test_defender_wins_behind_and_keeps_what_stops() -> None:
    # Third to play, beat the dummy's card as cheaply as possible.
    assert played("S3 S4").action == card("S6")
    # Second to play, give the card that beats the fewest of the dummy's.
    assert played("S3 S4 ST SK DK").action == card("D3")
