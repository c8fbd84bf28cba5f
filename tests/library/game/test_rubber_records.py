"""Deals of rubbers in records, PBN files and views: laws and standing go with them."""

from __future__ import annotations

import json

import pytest

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import RecordError
from tribridge.game import Record, Rubber, new_table, record, record_of, view
from tribridge.game.record.pbn import dumps_pbn, loads_pbn
from tribridge.game.view_json import read_view, view_fields


def deal_of_a_rubber(laws: str = "auction-rubber") -> Record:
    rubber = Rubber(laws, below=(20, 0, 6), games=(0, 1, 0))
    table = new_table(deal(1, 0), Seat.SOUTH, doubles=True, rubber=rubber.state)
    for call in ("1H", "X", "pass", "pass"):
        table = table.call(call)
    return record_of(table, vulnerable=rubber.state.vulnerable)


@pytest.mark.parametrize("laws", ["auction-rubber", "whist-club", "contract-rubber"])
def test_a_record_keeps_laws_and_standing(laws: str) -> None:
    one = deal_of_a_rubber(laws)
    assert record.loads(record.dumps([one])) == [one]
    assert loads_pbn(dumps_pbn([one])) == [one]
    head = json.loads(record.dumps([one]).split("\n", 1)[0])
    assert (head["laws"], head["below"], head["games"]) == (laws, [20, 0, 6], [0, 1, 0])
    assert head.get("vulnerable") == (["E"] if laws == "contract-rubber" else None)
    assert f'[TribridgeRubber "{laws}: N 20, E 1 game, S 6"]' in dumps_pbn([one])
    assert '[Scoring "Rubber"]' in dumps_pbn([one])
    assert one.replay().rubber == one.rubber


def test_a_record_of_a_single_deal_has_none_of_it() -> None:
    one = record_of(new_table(deal(1, 0), Seat.NORTH))
    assert one.rubber is None
    assert "laws" not in record.dumps([one])
    assert "Rubber" not in dumps_pbn([one])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"laws": "poker"}, "line 1: unknown laws 'poker': expected auction-rubber, "),
        ({"laws": 7}, "line 1: unknown laws 7: expected"),
        ({"below": [30, 0, 0]}, "North's part score is 30, but 30 points are a game"),
        ({"below": "20"}, "below must be a list of three numbers, not '20'"),
        ({"games": [2, 0, 0]}, "North's games must be 0 or 1"),
        ({"games": [0, 0]}, "2 games won: three are needed"),
    ],
)
def test_a_standing_that_cannot_be_is_refused(change: dict[str, object], why: str) -> None:
    head, rest = record.dumps([deal_of_a_rubber()]).split("\n", 1)
    broken = json.dumps(json.loads(head) | change) + "\n" + rest
    with pytest.raises(RecordError) as error:
        record.loads(broken)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_a_view_takes_laws_and_standing_along() -> None:
    one = deal_of_a_rubber()
    for table in one.states():
        for seat in (*Seat, None):
            seen = view(table, seat)
            fields = json.loads(json.dumps(view_fields(seen)))
            assert read_view(fields) == seen
            assert read_view(fields).rubber == one.rubber
            del fields["rubber"]
            assert read_view(fields).rubber is None
    fields["rubber"] = {"laws": "../laws.toml"}
    with pytest.raises(RecordError, match="unknown laws"):
        read_view(fields)
