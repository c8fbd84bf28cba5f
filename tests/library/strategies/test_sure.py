"""Sure things: on tiny decks, in layouts that the player may imagine, against every defence."""

from __future__ import annotations

from random import Random

import pytest

from tests.library.game.playing import with_deal
from tribridge.beliefs import layouts_of
from tribridge.cards.cards import Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.game.table import Table, new_table
from tribridge.game.textbook import positions
from tribridge.game.views import view
from tribridge.strategies.players.sure import sure_cards
from tribridge.strategies.protocol import position_of


def sure(table: Table) -> list[str]:
    """The sure cards of the player to act, by what that player sees."""
    assert table.turn is not None
    return [card.name for card in sure_cards(position_of(view(table, table.turn)))]


def proved(table: Table, chairs: set[int]) -> bool:
    """Whether the chairs reach their goal if they go on with sure cards, whatever others play."""
    position = table.position
    assert position is not None
    needed = position.needed - position.won if 0 in chairs else position.to_defeat
    if needed <= 0 or position.over:
        return needed <= 0
    if position.chair in chairs:
        cards = sure(table)
        return bool(cards) and all(proved(table.play(card), chairs) for card in cards)
    return all(proved(table.apply(card), chairs) for card in position.legal)


@pytest.mark.parametrize(
    ("name", "deals"), [("2x6", 30), ("3x4", 30), ("4x3", 30), ("2x8", 5), ("4x4", 3)]
)
def test_sure_cards_reach_the_goal_in_every_layout_against_everything(
    name: str, deals: int
) -> None:
    deck, random, found = Deck(name), Random(7), 0
    for number in range(deals):
        table = new_table(deal(3, number, deck), Seat.NORTH)
        bids = [call for call in table.legal if str(call) != "Pass"]
        for call in (random.choice(bids), "pass", "pass"):
            table = table.apply(call)
        while not table.over:
            position, seat = table.position, table.turn
            assert position is not None
            assert seat is not None
            if cards := sure(table):
                found += 1
                chairs = {position.chair.value} if position.chair & 1 else {0, 2}
                layouts = layouts_of(view(table, seat)).every(1 << 14)
                for masks in random.sample(layouts.tolist(), min(8, len(layouts))):
                    other = with_deal(table, Deal.of([Hand(mask) for mask in masks], deck))
                    assert sure(other) == cards
                    assert all(proved(other.play(card), chairs) for card in cards)
            table = table.apply(random.choice(position.legal))
    assert found


def at(hands: str, auction: str, played: str = "") -> Table:
    table = new_table(Deal(hands), Seat.NORTH)
    for call in auction.split():
        table = table.call(call)
    for card in played.split():
        table = table.play(card)
    return table


GRAND_SLAM = "N:AKQJ54.AKQ2..AKQ 92.T975.A83.T862 87.86.KQJT9.9743 T63.J43.76542.J5"


def test_an_ace_is_cashed_against_a_grand_slam_in_notrump() -> None:
    assert sure(at(GRAND_SLAM, "7NT pass pass")) == ["DA"]
    assert sure(at(GRAND_SLAM, "7S pass pass")) == []  # it may be ruffed
    assert sure(at(GRAND_SLAM, "6NT pass pass")) == []


def test_declarer_takes_the_tricks_that_are_there_before_trying_for_more() -> None:
    table = at(GRAND_SLAM, "6NT pass pass", "HT H3 H6")
    assert set(sure(table)) == {"HA", "HK", "HQ"}


def test_the_setting_trick_may_be_the_partners() -> None:
    hands = "N:AKQJ5.AKQ2.2.AKQ T9.JT98.KQJ.J987 87.765.A3.T65432 6432.43.T987654."
    led = "ST S2 S7 SA D2"
    assert set(sure(at(hands, "7NT pass pass", led))) == {"DK", "DQ", "DJ"}  # dummy has the ten
    assert set(sure(at(hands, "7NT pass pass", f"{led} DK D4"))) == {"DA", "D3"}
    assert set(sure(at(hands, "6NT pass pass", f"{led} DK D4"))) == set()


def test_dummy_must_follow() -> None:
    table = next(one for one in positions() if one.id == "second-set").table()
    assert sure(table) == ["HA"]
