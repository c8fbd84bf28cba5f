"""Values print as the code that makes them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from tribridge.cards.cards import ALL_CARDS, Card, Deck, Hand, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import CardsError, FormatError
from tribridge.game.auction import Bid, Contract

VALUES: list[Any] = [
    *ALL_CARDS,
    Hand(),
    Hand("AKQ2.K93.A92.KQ5"),
    Hand("A..."),
    *deal(1, 0).hands,
    deal(1, 0),
    deal(1, 0, Deck(2, 6)),
    deal(3, 5, Deck(4, 3)),
    *(Bid(level, strain) for level in range(1, 8) for strain in Strain),
    Contract("2H", "S"),
    Contract(Bid("7NT"), Seat.EAST, 4),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_repr_makes_the_value_again(value: Any) -> None:
    again = eval(repr(value))
    assert again == value
    assert type(again) is type(value)
    assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == value


def test_text_is_checked() -> None:
    with pytest.raises(FormatError, match="read card 'XX'"):
        Card("XX")
    with pytest.raises(FormatError, match="unknown rank"):
        Hand("AKZ...")
    with pytest.raises(CardsError, match="given twice"):
        Hand("AA...")
    with pytest.raises(FormatError, match="'pass' is"):
        Bid("pass")
    assert Bid(2, "C") == Bid("2C")
    with pytest.raises(FormatError, match="unknown strain 'Z'"):
        Bid(2, "Z")
    with pytest.raises(FormatError, match="not a deal"):
        Deal("nothing")
    with pytest.raises(FormatError, match="unknown seat"):
        Contract("1NT", "W")
