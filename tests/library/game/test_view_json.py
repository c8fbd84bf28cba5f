"""A view written as JSON and read back is the same view."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import RecordError
from tribridge.game import Table, new_table, view
from tribridge.game.view_json import read_view, view_fields


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_view_of_a_game_can_be_read_back(data: st.DataObject) -> None:
    deck = data.draw(st.sampled_from([FULL_DECK, Deck(4, 3), Deck(2, 6)]))
    rng = data.draw(st.randoms(use_true_random=False))
    table = new_table(
        deal(rng.randrange(1 << 30), 0, deck), rng.choice(list(Seat)), doubles=rng.random() < 0.5
    )
    while True:
        for seat in (*Seat, None):
            seen = view(table, seat)
            assert read_view(json.loads(json.dumps(view_fields(seen)))) == seen
        if table.over:
            return
        legal = table.legal[:4] if table.position is None else table.legal
        table = table.apply(rng.choice(legal))


def _playing() -> Table:
    table = new_table(deal(1, 0), Seat.NORTH)
    for call in ("1NT", "pass", "pass"):
        table = table.call(call)
    return table


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"calls": ["1NT", "1C"]}, "cannot call"),
        ({"calls": ["9NT"]}, "level 9"),
        ({"hand": ["SA"]}, "was dealt 1 card, not 13"),
        ({"hand": "SA"}, "expected a list of cards"),
        ({"seat": "Q"}, "Q"),
        ({"tricks": [["SZ"]]}, "unknown rank 'Z'"),
        ({"dummy": None}, "not a view"),
        ({"seat": None}, "a kibitzer was dealt 13 cards, not 0"),
    ],
)
def test_what_no_seat_can_see_is_an_error(change: dict[str, Any], words: str) -> None:
    fields = view_fields(view(_playing(), Seat.EAST)) | change
    with pytest.raises(RecordError, match=words) as error:
        read_view(fields)
    assert "\n" not in str(error.value)


def test_a_card_in_two_places_is_an_error() -> None:
    fields = view_fields(view(_playing(), Seat.EAST))
    with pytest.raises(RecordError, match="twice"):
        read_view(fields | {"dummy": fields["hand"]})


def test_a_missing_field_is_an_error() -> None:
    fields = view_fields(view(_playing(), Seat.EAST))
    for name in ("seat", "deck", "doubles", "dealer", "calls", "hand", "dummy", "tricks", "trick"):
        with pytest.raises(RecordError, match=name):
            read_view({key: value for key, value in fields.items() if key != name})
