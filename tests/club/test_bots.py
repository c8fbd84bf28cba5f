"""The bots: a name, a face and a line for everyone who may sit down; and how a hand is held."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from itertools import combinations, pairwise, permutations

import pytest

from tribridge.cards.cards import Hand, Suit
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import bot_for, choices, face_of, levels
from tribridge.club.core.field import rival_names
from tribridge.club.view.board import ALTERNATING, HAND_ORDERS, first_row, sorted_cards


def test_every_bot_has_a_name_a_face_and_a_line_of_its_own() -> None:
    faces = resources.files("tribridge.club").joinpath("static/faces.svg").read_text("utf-8")
    drawn = set(re.findall(r'<symbol id="([a-z]+)"', faces))
    strategies = [level.strategy for level in levels()] + [entry.name for entry in choices()]
    for strategy in strategies:
        bots = [bot_for(strategy, seat) for seat in Seat]
        assert len({bot.name for bot in bots}) == 3
        for bot, seat in zip(bots, Seat, strict=True):
            assert bot.face in drawn
            assert bot.line.endswith(".")
            assert face_of(bot.name, strategy, seat) == bot.face
            assert face_of("South", strategy, seat) == bot.face  # a table from before the names
    assert {name.lower() for name in rival_names()} <= drawn
    names = [bot.name for level in levels() for bot in level.bots]
    assert len(set(names)) == len(names) == 15


def test_a_strategy_that_is_no_longer_installed_still_has_a_name() -> None:
    bot = bot_for("gone+away", Seat.EAST)
    assert (bot.name, bot.line) == ("Sasha", "")


@pytest.mark.parametrize(
    ("order", "trump", "hand"),
    [
        ("", None, "SA SK H9 CJ C2 DQ"),
        ("", Suit.DIAMONDS, "DQ SA SK H9 CJ C2"),
        ("ranked", None, "SA SK H9 DQ CJ C2"),
        ("ranked", Suit.CLUBS, "CJ C2 SA SK H9 DQ"),
        ("fixed", Suit.CLUBS, "SA SK H9 DQ CJ C2"),
        ("rising", Suit.CLUBS, "C2 CJ DQ H9 SK SA"),
    ],
)
def test_a_hand_is_held_as_its_player_likes(order: str, trump: Suit | None, hand: str) -> None:
    cards = sorted_cards(Hand("AK.9.Q.J2"), trump, HAND_ORDERS.get(order, ALTERNATING))
    assert " ".join(card.name for card in cards) == hand


def alike(suits: Sequence[Suit]) -> int:
    """How many neighbours have the same colour."""
    red = [suit in (Suit.HEARTS, Suit.DIAMONDS) for suit in suits]
    return sum(one == other for one, other in pairwise(red))


@pytest.mark.parametrize("trump", [None, *Suit])
def test_colours_alternate_wherever_the_suits_held_allow_it(trump: Suit | None) -> None:
    for held in (some for size in range(5) for some in combinations(Suit, size)):
        suits = ALTERNATING.arranged(held, trump)
        ways = [way for way in permutations(held) if trump not in way[1:]]
        assert suits in ways
        assert alike(suits) == min(alike(way) for way in ways)


def test_no_suit_moves_when_another_one_runs_out() -> None:
    dealt = Hand("AK.9.Q.J2")
    whole = sorted_cards(dealt, Suit.CLUBS, dealt=dealt)
    for left in (Hand("AK..Q.J2"), Hand("AK.9.Q."), Hand("A..Q.")):
        kept = tuple(card for card in whole if card in left)
        assert sorted_cards(left, Suit.CLUBS, dealt=dealt) == kept


def test_of_orders_that_alternate_the_rows_of_a_narrow_screen_are_even() -> None:
    """Hearts are trumps and come first: four and nine, or five and eight."""
    hand = Hand("73.54.AJT875.643")
    cards = sorted_cards(hand, Suit.HEARTS)
    assert " ".join(dict.fromkeys(card.suit.letter for card in cards)) == "H C D S"
    assert len(first_row(cards)) == 5
