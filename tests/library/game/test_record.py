"""Records: what they hold, that they replay to the same state, and what is refused where."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from tests.library.game.playing import actions_of, walk, walks
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import FormatError, IllegalActionError, RecordError
from tribridge.game.auction import PASS, parse_call
from tribridge.game.laws import find_laws
from tribridge.game.record import Record, dump, dumps, load, loads, record_of
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import Table, new_table
from tribridge.game.view_json import read_view, view_fields
from tribridge.game.views import view

N, E, S = Seat
Lines = list[dict[str, Any]]


def finished(quiet: float = 0.5, actions: int = 3, **options: Any) -> Table:
    """A finished deal on the full deck."""
    *_, last = walk(new_table(deal(7, 1), E, **options), Random(actions), quiet)
    return last


PLAYED = finished()
"""A deal with a contract, played to the end."""


def lines_of(table: Table) -> Lines:
    return [json.loads(line) for line in dumps([record_of(table)]).splitlines()]


def text_of(lines: Lines) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def refusal(text: str, kind: type[Exception] = RecordError) -> str:
    with pytest.raises(kind) as caught:
        loads(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def event_at(lines: Lines, kind: str) -> int:
    """The place of the first event of a kind."""
    return next(at for at, line in enumerate(lines) if line["event"] == kind)


# Replay


@settings(max_examples=30, deadline=None)
@given(walks())
def test_record_replays_to_the_state_at_every_point(states: list[Table]) -> None:
    for table in states[:: max(1, len(states) // 8)] + states[-1:]:
        record = record_of(table, seed=1, number=2)
        assert record.replay() == table
        assert list(record.actions) == actions_of(table)
        assert loads(dumps([record])) == [record]
    assert list(record.states()) == states


@settings(max_examples=30, deadline=None)
@given(walks())
def test_record_read_from_its_lines_replays_to_the_same_state(states: list[Table]) -> None:
    [record] = loads(dumps([record_of(states[-1])]))
    assert record.replay() == states[-1]


def test_a_record_keeps_the_scheme_and_vulnerability_of_its_table() -> None:
    scheme = find_scheme("contract")
    table = new_table(deal(7, 1), E, scheme=scheme, vulnerable=(E,)).call("1NT")
    [record] = loads(dumps([record_of(table)]))
    assert record.replay() == table
    assert read_view(view_fields(view(table, S))) == view(table, S)
    assert view(table, S).scheme is scheme


def test_stakes_follow_scheme_vulnerability_and_standing() -> None:
    calls = ("4S", "pass", "pass")

    def stakes(**how: Any) -> tuple[float, ...]:
        table = new_table(deal(7, 1), E, **how)
        for call in calls:
            table = table.call(call)
        assert table.contract is not None
        return view(table, N).stakes(table.contract)

    contract = find_scheme("contract")
    assert stakes()[9:12] == (-50, 36, 45)
    assert stakes() == stakes(scheme=find_scheme("auction"))
    assert stakes(scheme=contract)[9:12] == (-50, 420, 450)
    assert stakes(scheme=contract, vulnerable=(E,))[9:12] == (-100, 620, 650)
    assert stakes(scheme=contract, vulnerable=(N, S)) == stakes(scheme=contract)
    ahead = RubberState(find_laws("auction-rubber"), Standing(games=(0, 1, 0)))
    fresh = RubberState(find_laws("auction-rubber"))
    assert stakes(rubber=ahead)[10] > stakes(rubber=fresh)[10] > 36


def test_replay_of_an_illegal_action_is_refused() -> None:
    record = Record(deal(7, 1), E, actions=(parse_call("1C"), parse_call("1C")))
    with pytest.raises(IllegalActionError, match="South cannot call"):
        record.replay()
    with pytest.raises(IllegalActionError):
        list(record.events())


def test_record_of_a_one_suit_deck_is_read_back() -> None:
    for table in walk(new_table(deal(3, 3, Deck(1, 8)), S), Random(1), 0.3):
        [record] = loads(dumps([record_of(table)]))
        assert record.replay() == table


# What is written


def test_record_is_one_event_for_each_action_and_a_result() -> None:
    table = new_table(deal(7, 1), E)
    for word in ("p", "1NT", "p", "p"):
        table = table.apply(parse_call(word))
    table = table.apply(table.legal[0]).apply(table.apply(table.legal[0]).legal[0])
    head, *events = lines_of(table)
    assert head == {
        "event": "deal",
        "version": 1,
        "deck": "4x13",
        "deal": str(deal(7, 1)),
        "dealer": "E",
        "doubles": False,
    }
    assert events[:4] == [
        {"event": "call", "seat": "E", "call": "Pass"},
        {"event": "call", "seat": "S", "call": "1NT"},
        {"event": "call", "seat": "N", "call": "Pass"},
        {"event": "call", "seat": "E", "call": "Pass"},
    ]
    first, second = (action.name for action in actions_of(table)[4:])  # type: ignore[union-attr]
    # North sits left of the declarer South, who also plays the dummy's card.
    assert events[4:] == [
        {"event": "card", "seat": "N", "chair": "left", "card": first},
        {"event": "card", "seat": "S", "chair": "dummy", "card": second},
    ]


def test_finished_deal_ends_with_its_result() -> None:
    outcome = PLAYED.outcome
    assert outcome is not None
    assert outcome.contract is not None
    events = lines_of(PLAYED)
    assert events[-1] == {
        "event": "result",
        "contract": f"{outcome.contract.bid.level}{outcome.contract.bid.strain.letter}",
        "declarer": outcome.contract.declarer.letter,
        "factor": 1,
        "tricks": outcome.tricks,
    }
    assert [line["event"] for line in events].count("card") == 52
    assert [line["event"] for line in events].count("result") == 1


def test_passed_out_deal_has_a_result_without_contract() -> None:
    table = new_table(deal(7, 1), E)
    for _ in range(3):
        table = table.apply(PASS)
    assert lines_of(table)[-1] == {"event": "result", "contract": None}
    assert loads(dumps([record_of(table)]))[0].replay() == table


def test_seed_number_and_scheme_stand_in_the_deal_event_when_given() -> None:
    record = replace(record_of(PLAYED, seed=7, number=0), scheme="new")
    head = next(record.events())
    assert (head["seed"], head["number"], head["scheme"]) == (7, 0, "new")
    assert loads(dumps([record])) == [record]
    assert not {"seed", "number", "scheme"} & next(record_of(PLAYED).events()).keys()


def test_several_deals_stand_in_one_file(tmp_path: Path) -> None:
    open_ = new_table(deal(7, 2), S).apply(PASS)
    tiny = list(walk(new_table(deal(7, 3, Deck(4, 3)), N, doubles=True), Random(0), 0.3))[-1]
    records = [record_of(table) for table in (PLAYED, open_, finished(0.99), tiny, PLAYED)]
    path = tmp_path / "deals.jsonl"
    dump(records, path)
    assert load(path) == records
    assert [record.replay().over for record in load(path)] == [True, False, True, True, True]
    assert [entry.name for entry in tmp_path.iterdir()] == ["deals.jsonl"]


def test_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    dump([record_of(PLAYED)], path)
    broken = Record(deal(7, 1), E, actions=(parse_call("X"),))
    with pytest.raises(IllegalActionError):
        dump([broken], path)
    assert load(path) == [record_of(PLAYED)]


# What is read


def test_empty_lines_and_line_ends_of_other_systems_do_not_matter() -> None:
    text = dumps([record_of(PLAYED)])
    assert loads(text.replace("\n", "\r\n")) == loads(text)
    assert loads("\n\n" + text.replace("\n", "\n\n")) == loads(text)
    assert loads(text.rstrip("\n")) == loads(text)
    assert loads("") == []


def test_file_cut_off_after_any_line_is_an_unfinished_deal() -> None:
    lines = dumps([record_of(PLAYED)]).splitlines(keepends=True)
    states = list(record_of(PLAYED).states())
    for end in range(1, len(lines) + 1):
        [record] = loads("".join(lines[:end]))
        assert record.replay() == states[min(end, len(states)) - 1]


def test_file_cut_off_within_a_line_is_refused_with_the_line() -> None:
    text = dumps([record_of(PLAYED)])
    for end in (10, 200, len(text) - 5):
        cut = text[:end]
        assert refusal(cut).startswith(f"line {cut.count(chr(10)) + 1}: not a JSON object")


def test_unfinished_deal_may_stand_before_another() -> None:
    lines = lines_of(PLAYED)
    one, two = loads(text_of(lines[:4] + lines))
    assert len(one.actions) == 3
    assert two.replay() == PLAYED


@pytest.mark.parametrize("version", [0, 2, "1", None, 1.5, True, [1]])
def test_other_version_is_refused_with_the_line(version: Any) -> None:
    lines = lines_of(PLAYED)
    lines[0]["version"] = version
    assert refusal(text_of(lines)) == f"line 1: unknown version {version!r}: expected 1"


def test_missing_version_is_refused() -> None:
    lines = lines_of(PLAYED)
    del lines[0]["version"]
    assert refusal(text_of(lines)).startswith("line 1: unknown version None")


@pytest.mark.parametrize(
    "broken",
    [
        *("{", "nonsense", "[1, 2]", "7", "null", '"deal"', "{'event': 'deal'}", "\ufeff{}"),
        "[" * 100_000,
        '{"event": "deal", "seed": ' + "1" * 5000 + "}",
    ],
    ids=lambda text: text[:20],
)
def test_line_that_is_no_json_object_is_refused_with_its_number(broken: str) -> None:
    lines = dumps([record_of(PLAYED)]).splitlines()
    lines[6] = broken
    assert refusal("\n".join(lines)).startswith("line 7: ")
    assert refusal(broken).startswith("line 1: ")


@pytest.mark.parametrize("kind", ["call", "card", "result", "redeal", 3])
def test_event_before_the_first_deal_is_refused(kind: Any) -> None:
    assert refusal(text_of([{"event": kind, "seat": "N", "call": "1C"}])) == (
        f"line 1: a {kind!r} event is outside a deal"
    )


def test_event_after_the_result_is_refused() -> None:
    lines = lines_of(PLAYED)
    for extra in (lines[-1], lines[-2], lines[1]):
        message = refusal(text_of([*lines, extra]))
        assert message.startswith(f"line {len(lines) + 1}: a ")
        assert message.endswith("event is outside a deal")


def test_unknown_event_is_refused() -> None:
    lines = lines_of(PLAYED)
    lines.insert(2, {"event": "bow"})
    assert refusal(text_of(lines)).startswith("line 3: unknown event 'bow'")


def test_result_before_the_end_is_refused() -> None:
    lines = lines_of(PLAYED)
    message = refusal(text_of([*lines[:-2], lines[-1]]))
    assert message == f"line {len(lines) - 1}: the result comes before the end of the deal"


@pytest.mark.parametrize(
    "change",
    [
        {"tricks": 14},
        {"tricks": None},
        {"contract": "7NT"},
        {"contract": None},
        {"declarer": "X"},
        {"factor": 2},
        {"extra": 1},
    ],
    ids=str,
)
def test_result_that_disagrees_with_the_replay_is_refused(change: dict[str, Any]) -> None:
    lines = lines_of(PLAYED)
    lines[-1] |= change
    assert refusal(text_of(lines)).startswith(f"line {len(lines)}: the replay gives ")


def test_result_that_lacks_an_entry_is_refused() -> None:
    for key in ("contract", "declarer", "factor", "tricks"):
        lines = lines_of(PLAYED)
        del lines[-1][key]
        assert refusal(text_of(lines)).startswith(f"line {len(lines)}: the replay gives ")


def test_illegal_call_in_a_file_is_refused_with_the_reason() -> None:
    lines = [
        lines_of(PLAYED)[0],
        {"event": "call", "seat": "E", "call": "2C"},
        {"event": "call", "seat": "S", "call": "1NT"},
    ]
    message = refusal(text_of(lines))
    assert message == "line 3: South cannot call 1NT: it is not higher than 2♣"


def test_illegal_card_in_a_file_is_refused_with_the_reason() -> None:
    lines = lines_of(PLAYED)
    at = event_at(lines, "card")
    lines[at + 4]["card"] = lines[at]["card"]
    message = refusal(text_of(lines))
    assert message.startswith(f"line {at + 5}: ")
    assert "does not hold" in message


def test_card_during_the_auction_and_call_during_the_play_are_refused() -> None:
    lines = lines_of(PLAYED)
    at = event_at(lines, "card")
    early = text_of([*lines[: at - 1], lines[at]])
    assert refusal(early).startswith(f"line {at}: ")
    late = text_of([*lines[:at], {"event": "call", "seat": lines[at]["seat"], "call": "Pass"}])
    assert refusal(late).startswith(f"line {at + 1}: ")
    assert refusal(late).endswith("the auction is over")


def test_action_of_another_seat_is_refused() -> None:
    lines = lines_of(PLAYED)
    lines[1]["seat"] = "N"
    assert refusal(text_of(lines)) == "line 2: North cannot act: it is East's turn"


def test_card_from_another_chair_is_refused() -> None:
    lines = lines_of(PLAYED)
    at = event_at(lines, "card")
    for chair in ("dummy", "declarer", "right", None, 1):
        lines[at]["chair"] = chair
        assert refusal(text_of(lines)).startswith(f"line {at + 1}: left is to play")


def test_call_with_a_chair_is_refused() -> None:
    lines = lines_of(PLAYED)
    lines[1]["chair"] = "left"
    assert refusal(text_of(lines)).startswith("line 2: ")


@pytest.mark.parametrize(
    ("place", "key"),
    [(0, "deck"), (0, "deal"), (0, "dealer"), (1, "seat"), (1, "call"), (-2, "card")],
)
def test_event_without_an_entry_it_needs_is_refused(place: int, key: str) -> None:
    for value in (None, 3, ["N"]):
        lines = lines_of(PLAYED)
        place %= len(lines)
        lines[place][key] = value
        assert refusal(text_of(lines)).startswith(f"line {place + 1}: ")
        assert repr(key) in refusal(text_of(lines))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("deck", "4x14"),
        ("deck", "3x3"),
        ("deck", "four"),
        ("deck", "4x3"),
        ("deal", "N:AKQ"),
        ("deal", "N:AKQJ.T98.KJ2.A543 - - -"),
        ("dealer", "W"),
        ("dealer", ""),
        ("doubles", "no"),
        ("doubles", 1),
        ("doubles", None),
        ("seed", "7"),
        ("seed", 1.5),
        ("number", True),
        ("scheme", 3),
    ],
)
def test_deal_event_with_a_wrong_entry_is_refused(key: str, value: Any) -> None:
    lines = lines_of(PLAYED)
    lines[0][key] = value
    assert refusal(text_of(lines)).startswith("line 1: ")


def test_card_in_two_hands_of_a_file_is_named() -> None:
    lines = lines_of(PLAYED)
    hands = deal(7, 1).hands
    lines[0]["deal"] = str(Deal((hands[0], hands[1], hands[1], hands[3])))
    message = refusal(text_of(lines))
    assert message.startswith("line 1: ")
    assert "both the hand of E" in message


def test_errors_of_a_second_deal_count_lines_from_the_start_of_the_file() -> None:
    text = dumps([record_of(PLAYED)])
    before = text.count("\n")
    lines = lines_of(PLAYED)
    lines[1]["call"] = "8C"
    assert refusal(text + text_of(lines)).startswith(f"line {before + 2}: no bid at level 8")


def test_error_in_a_file_names_the_file_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(dumps([record_of(PLAYED)]) + "{\n", "utf-8")
    with pytest.raises(RecordError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}, line {len(lines_of(PLAYED)) + 1}: ")


def test_binary_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "binary.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x00\x01")
    with pytest.raises(FormatError, match="text file") as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_vulnerable_players_stand_in_the_deal_event() -> None:
    record = record_of(PLAYED, vulnerable=(Seat.NORTH, Seat.SOUTH))
    assert next(record.events())["vulnerable"] == ["N", "S"]
    assert loads(dumps([record])) == [record]
    assert "vulnerable" not in next(record_of(PLAYED).events())
    for wrong in ('["N", "N"]', '["W"]', "[1]", '"N"', "true"):
        text = dumps([record]).replace('["N", "S"]', wrong)
        with pytest.raises(RecordError, match=r"^line 1: (vulnerable|unknown seat)"):
            loads(text)


def test_a_line_that_is_no_event_is_named_as_such() -> None:
    assert refusal('{"hand": "AKQ2.K93.A92.KQ5"}').endswith("no 'event'")
