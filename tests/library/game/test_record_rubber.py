"""Rubbers as JSON Lines: written and read back, damaged lines refused, games scored."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.library.game.playing import walk
from tests.library.game.rubbers import GOLDEN, LAWS, play, random_rubber
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import RecordError
from tribridge.game import record
from tribridge.game.laws import find_laws, loads_laws
from tribridge.game.record import record_of
from tribridge.game.record.pbn import dumps_pbn
from tribridge.game.record.rubbers import dumps, load_games, loads
from tribridge.game.rubber import Rubber, rubbers_of
from tribridge.game.table import Table, new_table

N, E, S = Seat
RUBBER = play(*GOLDEN["part scores and honours"][:2])
LINES = dumps([RUBBER]).splitlines()


def test_rubbers_are_read_as_they_were_written(tmp_path: Path) -> None:
    rubbers = [random_rubber(laws, seed) for laws in LAWS for seed in range(25)]
    rubbers += [Rubber("contract-rubber", "S", below=(40, 0, 90), games=(0, 1, 1))]
    assert loads(dumps(rubbers)) == rubbers


def test_lines_of_a_golden_rubber() -> None:
    assert json.loads(LINES[0]) == {
        "event": "rubber", "format": "tribridge-rubber", "version": 1, "laws": "auction-rubber",
        "first_dealer": "N", "below": [0, 0, 0], "games": [0, 0, 0],
    }  # fmt: skip
    assert json.loads(LINES[1]) == {
        "event": "score", "deal": 1, "contract": "3NT", "declarer": "N", "factor": 1, "tricks": 9,
        "honours": {"N": "CA DA", "E": "SA", "dummy": "HA"},
        "above": [30, 0, 0], "below": [30, 0, 0],
    }  # fmt: skip
    assert json.loads(LINES[5]) == {
        "event": "score", "deal": 5, "contract": None, "above": [0, 0, 0], "below": [0, 0, 0],
    }  # fmt: skip
    assert json.loads(LINES[-1]) == {
        "event": "total", "over": True, "totals": [737, 12, 262], "settlement": [1200, -975, -225],
    }  # fmt: skip


def test_total_may_be_left_out_and_lines_be_empty() -> None:
    assert loads("\n\n".join(LINES[:-1]) + "\n") == [RUBBER]


@pytest.mark.parametrize(
    ("at", "old", "new", "says"),
    [
        (0, '"tribridge-rubber"', '"bridge"', "format must be"),
        (0, '"version": 1', '"version": 2', "version must be 1"),
        (0, '"version": 1', '"version": true', "version must be 1"),
        (0, '"auction-rubber"', '"none"', "unknown laws 'none': expected auction-rubber"),
        (0, '"auction-rubber"', '"../x.toml"', "unknown laws '../x.toml'"),
        (0, '"auction-rubber"', "7", "unknown laws 7"),
        (0, '"first_dealer": "N"', '"first_dealer": "W"', "unknown seat 'W'"),
        (0, '"below": [0, 0, 0]', '"below": [30, 0, 0]', "North's part score is 30, but 30"),
        (0, '"below": [0, 0, 0]', '"below": [0, 0]', "2 part scores: three are needed"),
        (0, '"below": [0, 0, 0]', '"below": 0', "below must be a list"),
        (0, '"games": [0, 0, 0]', '"games": [0, 0, 2]', "South's games must be 0 or 1"),
        (0, '"games"', '"won"', "won must be"),
        (0, '"rubber"', '"match"', "match"),
        (0, LINES[0], "[]", "not a JSON object"),
        (0, LINES[0], LINES[0][:20], "not a JSON object (is the line cut off?)"),
        (0, LINES[0], "", "a 'score' event stands outside a rubber"),
        (1, '"deal": 1', '"deal": 2', "deal must be 1, not 2"),
        (1, '"3NT"', '"8NT"', "no bid at level 8"),
        (1, '"3NT"', '"Pass"', "'Pass' is not a bid"),
        (1, '"declarer": "N"', '"declarer": "dummy"', "unknown seat 'dummy'"),
        (1, '"declarer": "N", ', "", "needs 'declarer' as text"),
        (1, '"factor": 1', '"factor": 3', "factor 3: expected 1, 2 or 4"),
        (1, '"tricks": 9', '"tricks": 14', "declarer cannot win 14 tricks"),
        (1, '"tricks": 9', '"tricks": "9"', "cannot win '9' tricks"),
        (1, '"tricks": 9', '"tricks": 10', "below must be [40, 0, 0], not [30, 0, 0]"),
        (1, '"above": [30, 0, 0]', '"above": [40, 0, 0]', "above must be [30, 0, 0]"),
        (1, ', "above": [30, 0, 0]', "", "above must be"),
        (1, '"dummy": "HA"', '"dummy": "SA"', "♠A is claimed twice, by E and by dummy"),
        (1, '"dummy": "HA"', '"dummy": "HK"', "♥K is not an honour in 3NT"),
        (1, '"dummy": "HA"', '"W": "HA"', "honours of 'W'"),
        (1, '"dummy": "HA"', '"dummy": 1', "honours must be as in"),
        (1, '"dummy": "HA"', '"dummy": "zz"', "cannot read card"),
        (5, '"contract": null', '"contract": null, "tricks": 7', "without a contract"),
        (7, "737", "738", "totals must be [737, 12, 262]"),
        (7, "true", "false", "over must be true, not false"),
    ],
)
def test_damaged_rubber_is_refused_in_one_line(at: int, old: str, new: str, says: str) -> None:
    assert old in LINES[at]
    lines = [*LINES[:at], LINES[at].replace(old, new, 1), *LINES[at + 1 :]]
    with pytest.raises(RecordError) as caught:
        loads("\n".join(lines))
    message = str(caught.value)
    assert says in message
    assert message.startswith("line ")
    assert "\n" not in message


def test_deal_after_the_end_is_refused() -> None:
    extra = LINES[5].replace('"deal": 5', '"deal": 7')
    with pytest.raises(RecordError, match="rubber is over"):
        loads("\n".join([*LINES[:-1], extra]))
    with pytest.raises(RecordError, match="'score' event stands"):
        loads("\n".join([*LINES, extra]))
    with pytest.raises(RecordError, match="no rubber"):
        loads("\n")


def test_users_laws_are_given_when_a_rubber_is_read() -> None:
    laws = loads_laws('[mine]\nbase = "auction-rubber"\ngame = 20\n', "here")["mine"]
    rubber = Rubber(laws)
    with pytest.raises(RecordError, match="unknown laws 'mine'"):
        loads(dumps([rubber]))
    assert loads(dumps([rubber]), laws) == [rubber]
    assert loads(dumps([RUBBER]), laws) == [RUBBER]


def finished(count: int) -> list[Table]:
    tables = []
    for number in range(count):
        *_, last = walk(new_table(deal(5, number), Seat((number + 1) % 3)), Random(number))
        tables.append(last)
    return tables


def test_games_in_records_are_scored_as_rubbers(tmp_path: Path) -> None:
    tables, laws = finished(8), find_laws("whist-club")
    expected = rubbers_of(tables, laws, E)
    records = [record_of(table) for table in tables]
    (tmp_path / "games.jsonl").write_text(record.dumps(records), "utf-8")
    (tmp_path / "games.pbn").write_text(dumps_pbn(records), "utf-8")
    (tmp_path / "rubbers.jsonl").write_text(dumps(expected), "utf-8")
    for name in ("games.jsonl", "games.pbn", "rubbers.jsonl"):
        assert load_games(tmp_path / name, laws) == expected


def test_games_that_are_not_finished_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    tables = [*finished(1), new_table(deal(1, 0), N)]
    path.write_text(record.dumps(map(record_of, tables)), "utf-8")
    with pytest.raises(RecordError, match=r"games.jsonl: deal 2"):
        load_games(path, find_laws("auction-rubber"))
    path.write_text("", "utf-8")
    with pytest.raises(RecordError, match="no game"):
        load_games(path, find_laws("auction-rubber"))
