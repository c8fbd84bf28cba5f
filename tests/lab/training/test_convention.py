"""The conventional card among those that mean the same."""

from __future__ import annotations

from random import Random

import pytest

from tribridge.cards.cards import Card, Strain, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.game.auction import PASS, Bid
from tribridge.game.table import Table, new_table
from tribridge.game.views import View, view
from tribridge.lab.training.convention import conventional
from tribridge.networks.play import observe
from tribridge.strategies.protocol import position_of


def usual(seen: View, card: Card) -> Card:
    """The conventional card in place of one."""
    return Card(conventional(*observe(seen), card.index).bit_length() - 1)


def at(hands: str, auction: str, played: str = "") -> Table:
    """A table where North declares; East leads, the fourth hand is dummy."""
    table = new_table(Deal(f"N:{hands}"), Seat.NORTH)
    for call in auction.split():
        table = table.call(call)
    for card in played.split():
        table = table.play(card)
    return table


LEADS = "A32.A32.A432.A32 QJT4.K964.85.J76 987.T87.KT97.T98 K65.QJ5.QJ6.KQ54"
SIGNALS = "32.A32.A432.A432 AK4.K964.85.J876 QT97.T87.KT97.T9 J865.QJ5.QJ6.KQ5"


@pytest.mark.parametrize(
    ("hands", "auction", "played", "chosen", "expected"),
    [
        (LEADS, "1NT pass pass", "", "ST", "SQ"),  # top of touching honours
        (LEADS, "1NT pass pass", "", "S4", "SQ"),  # top of a sequence of three
        (LEADS, "1NT pass pass", "", "H9", "H4"),  # fourth best
        (LEADS, "1NT pass pass", "", "D5", "D8"),  # top of two small
        (LEADS, "1NT pass pass", "", "C7", "C6"),  # low from an honour
        (LEADS, "1H pass pass", "", "H9", "H9"),  # trumps say nothing
        (LEADS, "1NT pass pass", "SQ", "SK", "SK"),
        (LEADS, "1NT pass pass", "SQ S5", "S9", "S7"),  # no queen: low
        (LEADS, "1NT pass pass", "D8 DQ", "DT", "D9"),  # following: the lower of equals
        (LEADS, "1NT pass pass", "D8 D6", "D9", "D9"),  # it may win
        (LEADS, "1NT pass pass", "D8 D6", "DT", "D9"),
        (SIGNALS, "1NT pass pass", "SA S5", "S7", "S9"),  # the queen: encouraging
        (SIGNALS, "1NT pass pass", "D8 DQ DK DA C2", "C8", "C7"),  # even: second spot
        (SIGNALS, "1NT pass pass", "D8 DQ DK DA C2 C6 CQ", "CT", "C9"),
        (SIGNALS, "1NT pass pass", "D8 DQ DK DA H2 H4 HQ", "H8", "H7"),  # odd: low
        (SIGNALS, "1NT pass pass", "D8 DQ DK DA H2", "H9", "H6"),  # even: second spot
    ],
)
def test_cards_are_conventional(
    hands: str, auction: str, played: str, chosen: str, expected: str
) -> None:
    table = at(hands, auction, played)
    assert usual(view(table, table.turn), Card(chosen)) == Card(expected)


def touching(one: Card, other: Card, seen: View) -> bool:
    """Whether nobody else can hold a card between two of a suit."""
    position = position_of(seen)
    gone = {card for trick in position.tricks for card in trick.cards}
    held = set(cards_of(position.mine))
    low, high = sorted((one.index, other.index))
    between = {Card(number) for number in range(low + 1, high)}
    return between <= gone | held


def test_the_card_is_equal_or_a_signal_with_a_spot_card() -> None:
    random, equal, signals = Random(3), 0, 0
    for number in range(40):
        table = new_table(deal(6, number), Seat.NORTH)
        for call in (Bid(random.randint(1, 7), random.choice(list(Strain))), PASS, PASS):
            table = table.apply(call)
        while not table.over:
            seen = view(table, table.turn)
            position = position_of(seen)
            for card in position.legal:
                other = usual(seen, card)
                assert other in position.legal
                assert other.suit == card.suit
                if touching(card, other, seen):
                    equal += card != other
                    continue
                signals += 1
                assert not position.declaring
                assert card.column >= 5
                assert card.row != position.trump
                assert not position.trick or card.suit == position.trick[0].suit
            table = table.apply(random.choice(position.legal))
    assert equal > 100
    assert signals > 100
