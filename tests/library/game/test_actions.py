"""Actions of any type: text is read, calls and cards are taken, everything else is refused."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.cards import ALL_CARDS, Card, Hand, Rank, Strain, Suit
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, IllegalActionError, TribridgeError, shown
from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Auction,
    Bid,
    Contract,
    Mark,
    call_name,
    parse_call,
)
from tribridge.game.position import start_play
from tribridge.game.table import Table, new_table


def after(*calls: str, doubles: bool = False) -> Table:
    table = new_table(deal(1, 0), Seat.NORTH, doubles=doubles)
    for call in calls:
        table = table.apply(call)
    return table


OPENING = after()
DOUBLED = after("1C", "X", "pass", doubles=True)
PLAYING = after("1NT", "pass", "pass")


def finished() -> Table:
    table = PLAYING
    while not table.over:
        table = table.apply(table.legal[0])
    return table


OVER = finished()
POSITIONS = [OPENING, DOUBLED, PLAYING, OVER, after("pass", "pass", "pass")]


class Other(Enum):
    """Looks like a mark and is none."""

    PASS = "Pass"
    REDOUBLE = "XX"


class Awkward:
    """Neither prints nor compares."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


JUNK: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    5,
    51,
    -1,
    10**30,
    1.0,
    float("nan"),
    2j,
    Decimal(1),
    b"pass",
    b"1NT",
    bytearray(b"X"),
    [],
    ["1NT"],
    (),
    (1, Strain.CLUBS),
    ("1", "NT"),
    {},
    {"action": "pass"},
    set(),
    object(),
    object,
    Bid,
    Mark,
    Card,
    Awkward(),
    Other.PASS,
    Other.REDOUBLE,
    Suit.CLUBS,
    Rank.ACE,
    Strain.NOTRUMP,
    Seat.NORTH,
    Hand(1),
    Contract(Bid(1, Strain.CLUBS), Seat.NORTH),
    np.int64(3),
    np.array([1, 2]),
    np.zeros((30, 30)),
    np.str_,
    len,
    lambda: "pass",
    range(3),
    "banana",
    "",
    " ",
    "8C",
    "0NT",
    "1",
    "NT",
    "1Z",
    "S",
    "SS",
    "AA",
    "\n",
    "pass pass",
    "1NT\x00",
    "x" * 10_000,
    Bid(0, Strain.CLUBS),
    Bid(8, Strain.CLUBS),
    Bid(-1, Strain.NOTRUMP),
    Bid(10**30, Strain.CLUBS),
    52,
    -1,
]


def refused(table: Table, action: Any) -> str:
    """The message with which an action is refused, by each of the three calls alike."""
    assert table.can(action) is False
    messages = []
    for attempt in (table.check, table.apply):
        with pytest.raises(TribridgeError) as caught:
            attempt(action)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    return messages[0]


@pytest.mark.parametrize("at", range(len(JUNK)))
def test_junk_is_refused_in_every_position_with_one_line(at: int) -> None:
    for position in POSITIONS:
        message = refused(position, JUNK[at])
        assert "\n" not in message
        assert len(message) < 300


def test_junk_is_no_redouble() -> None:
    assert DOUBLED.can(REDOUBLE)
    assert refused(DOUBLED, "banana") == (
        "cannot read call 'banana': expected a bid as in 1NT, Pass, X or XX"
    )
    assert refused(DOUBLED, None) == (
        "None is not an action: expected a Bid, a Mark, a Card, or text as in '1NT', 'pass' or 'SK'"
    )


@pytest.mark.parametrize("at", range(len(JUNK)))
def test_auction_and_play_refuse_junk_themselves(at: int) -> None:
    auction = Auction(Seat.NORTH, doubles=True)
    play = start_play(deal(1, 0), Contract(Bid(1, Strain.CLUBS), Seat.NORTH))
    for check in (auction.check, play.check):
        with pytest.raises(TribridgeError):
            check(JUNK[at])


def test_text_is_read() -> None:
    assert OPENING.apply("1NT") == OPENING.apply(Bid(1, Strain.NOTRUMP))
    assert OPENING.apply(" 1nt ").auction.calls == (Bid(1, Strain.NOTRUMP),)
    assert DOUBLED.apply("xx").auction.calls[-1] is REDOUBLE
    assert after("1C", doubles=True).apply("double").auction.calls[-1] is DOUBLE
    card = PLAYING.legal[0]
    assert isinstance(card, Card)
    for text in (card.name, str(card), card.name[::-1].lower()):
        assert PLAYING.apply(text) == PLAYING.apply(card)


def test_text_that_reads_both_ways_is_what_is_due() -> None:
    assert OPENING.apply("2C").auction.calls == (Bid(2, Strain.CLUBS),)
    play = PLAYING.position
    assert play is not None
    for card in ALL_CARDS:
        text = card.rank.letter + card.suit.letter
        assert PLAYING.can(text) is PLAYING.can(card)


def test_a_good_action_at_the_wrong_time_is_said_to_be_that() -> None:
    assert refused(OPENING, "SK") == "North cannot play ♠K: a call is due"
    assert refused(PLAYING, "pass") == "East cannot call Pass: the auction is over"
    assert refused(PLAYING, "3NT") == "East cannot call 3NT: the auction is over"
    assert refused(OVER, "pass") == "Pass is not allowed: the deal is over"
    assert refused(after("2C"), "1NT") == "East cannot call 1NT: it is not higher than 2♣"


@pytest.mark.parametrize("seat", [Seat.NORTH, "N", "north"])
def test_a_seat_may_be_text(seat: Any) -> None:
    assert OPENING.can("1C", seat)
    assert OPENING.apply("1C", seat) == OPENING.apply("1C")


@pytest.mark.parametrize("seat", [3, -1, True, b"N", "W", "", [], object(), Seat, 0.0])
def test_another_seat_is_refused(seat: Any) -> None:
    assert OPENING.can("1C", seat) is False
    with pytest.raises((IllegalActionError, FormatError), match="seat"):
        OPENING.apply("1C", seat)


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(),
    st.complex_numbers(), st.lists(st.integers()), st.sampled_from(JUNK),
    st.builds(Bid, st.integers(), st.sampled_from(Strain)),
    st.sampled_from(ALL_CARDS), st.sampled_from(Mark),
    st.builds(Bid, st.integers(0, 8), st.sampled_from(Strain)),
    st.sampled_from(["1C", "2c", "pass", "X", "XX", "7NT", "SK", "ks", "♠A", "10H", "2H"]),
)  # fmt: skip


@given(st.sampled_from(POSITIONS), ANYTHING)
def test_whatever_is_given_either_is_legal_or_is_refused(table: Table, action: Any) -> None:
    """`can` says what `apply` does, and only legal actions are ever stored."""
    before = table.auction.calls
    if not table.can(action):
        with pytest.raises(TribridgeError):
            table.apply(action)
        return
    done = table.apply(action)
    if table.position is None:
        stored = done.auction.calls[-1]
        assert done.auction.calls[:-1] == before
        assert isinstance(stored, (Bid, Mark))
        assert stored in table.legal
        assert parse_call(call_name(stored)) == stored
    else:
        assert done.position is not None
        assert done.position.trick[-1] in table.legal
        assert isinstance(done.position.trick[-1], Card)


@given(st.sampled_from(POSITIONS))
def test_every_legal_action_is_taken_as_value_and_as_text(table: Table) -> None:
    for action in table.legal:
        text = action.name if isinstance(action, Card) else call_name(action)
        assert table.apply(text) == table.apply(action)


def test_a_value_is_shown_on_one_short_line() -> None:
    assert shown(None) == "None"
    assert shown(np.zeros((3, 3))).count("\n") == 0
    assert len(shown("x" * 10_000)) < 60
    assert "Awkward" in shown(Awkward())
    assert shown(PASS) == "Mark.PASS"
