"""The JSON of values: what is written is read back, and a mistake is named with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.cards import ALL_CARDS, Card, Deck, Hand, Strain, Suit
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common import codec
from tribridge.common.errors import FormatError
from tribridge.common.stats import Interval
from tribridge.game.auction import Bid, Call, Contract, Mark


@dataclass(frozen=True, slots=True)
class Sample:
    """All types with a text, a value in a value, and an array."""

    deal: Deal
    hand: Hand
    card: Card
    suit: Suit
    strain: Strain
    seat: Seat
    calls: tuple[Call, ...]
    contract: Contract | None
    deck: Deck = field(default_factory=Deck)
    span: Interval | None = None


@given(
    st.integers(0, 1000),
    st.sampled_from(ALL_CARDS),
    st.sampled_from(Suit),
    st.sampled_from(Strain),
    st.sampled_from(Seat),
    st.lists(
        st.sampled_from(Mark) | st.builds(Bid, st.integers(1, 7), st.sampled_from(Strain)),
        max_size=5,
    ),
)
def test_a_value_is_read_back_as_it_was(
    number: int, card: Card, suit: Suit, strain: Strain, seat: Seat, calls: list[Call]
) -> None:
    dealt = deal(1, number)
    contract = Contract(Bid(2, strain), seat, 2)
    value = Sample(dealt, dealt.hidden, card, suit, strain, seat, tuple(calls), contract)
    assert codec.loads(codec.dumps(value), Sample) == value
    assert codec.read(codec.plain(value), Sample) == value


def test_bridge_values_are_texts() -> None:
    value = codec.plain(
        Sample(
            deal(1, 0),
            Hand("A...K"),
            Card("SK"),
            Suit.HEARTS,
            Strain.NOTRUMP,
            Seat.EAST,
            (Bid("1NT"), Mark.PASS),
            None,
            Deck(2, 4),
            Interval(1, 0, 2),
        )
    )
    assert (value["hand"], value["card"], value["suit"]) == ("A...K", "SK", "H")
    assert (value["strain"], value["seat"], value["calls"]) == ("NT", "E", ["1NT", "Pass"])
    assert value["deck"] == "2x4"
    assert value["span"] == {"estimate": 1, "low": 0, "high": 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["file", "JSON"]),
        ('{"estimate": 1, "low": 0}', ["file", "high", "required"]),
        ('{"estimate": 1, "low": 0, "high": []}', ["file", "high", "number", "[]"]),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, words: list[str]) -> None:
    with pytest.raises(FormatError) as error:
        codec.loads(text, Interval, "file")
    assert all(word in str(error.value) for word in words)
    assert "\n" not in str(error.value)


def test_a_bad_text_says_what_would_do() -> None:
    with pytest.raises(FormatError, match="unknown seat 'Q'"):
        codec.read({"seat": "Q"}, Place)


@dataclass(frozen=True, slots=True)
class Place:
    """A seat."""

    seat: Seat


def test_the_schema_describes_texts_and_values() -> None:
    described = codec.schema(Sample)["properties"]
    assert described["hand"]["type"] == described["seat"]["type"] == "string"


def test_values_fractions_and_numbers_that_are_not_finite_may_stand_in_dicts_and_lists() -> None:
    span = Interval(1.0, float("-inf"), float("nan"))
    data = {"seat": Seat.NORTH, 1: [span, Fraction(1, 3), None, True], "card": (ALL_CARDS[0],)}
    assert codec.plain(data, digits=2) == {
        "seat": "N",
        "1": [{"estimate": 1.0, "low": None, "high": None}, 0.33, None, True],
        "card": [ALL_CARDS[0].name],
    }
