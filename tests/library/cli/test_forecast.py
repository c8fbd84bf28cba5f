"""`tribridge forecast` as a user types it: the table, JSON, the batch form, bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from tests.library.cli.helpers import COMMAND, refusal, tribridge
from tribridge.cards.cards import parse_hand
from tribridge.cards.dealer import deal
from tribridge.cli import app
from tribridge.common.errors import TribridgeError
from tribridge.forecast import forecast, forecast_json
from tribridge.forecast.points import SHEETS

HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"


def expected(hand: str, dummy: str | None = None, kind: str = "points") -> dict[str, object]:
    other = None if dummy is None else parse_hand(dummy)
    return forecast_json(forecast(parse_hand(hand), other, kind))


def test_the_table_has_a_row_a_strain_and_fits_sixty_columns() -> None:
    done = tribridge("forecast", HAND, DUMMY, "--kind", "points")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("♠AKQ2 ♥K93 ♦A92 ♣KQ5  with  ♠743 ♥AQ5 ♦KT43 ♣J93")
    assert [line.split()[0] for line in lines[2:]] == ["NT", "♠", "♥", "♦", "♣"]
    assert all(len(line.rstrip()) <= 60 for line in lines[1:])


@pytest.mark.parametrize("dummy", [None, DUMMY])
def test_json_has_a_mean_and_fourteen_chances_for_each_strain(dummy: str | None) -> None:
    arguments = [HAND] if dummy is None else [HAND, dummy]
    done = tribridge("forecast", *arguments, "--kind", "capture", "--json")
    data = json.loads(done.stdout)
    assert data == expected(HAND, dummy, "capture")
    assert list(data) == ["C", "D", "H", "S", "NT"]
    for one in data.values():
        assert list(one) == ["mean", "tricks"]
        assert len(one["tricks"]) == 14
        assert sum(one["tricks"]) == pytest.approx(1, abs=1e-9)


def test_the_batch_answers_in_order_and_goes_on_after_bad_lines() -> None:
    lines = [
        json.dumps({"hand": HAND}),
        json.dumps({"hand": HAND, "dummy": DUMMY}),
        "not json",
        json.dumps({"hand": HAND, "dummy": HAND}),
        json.dumps({"hand": HAND, "dummy": None}),
        json.dumps({"hand": "AKQ2.K93.A92.KQ"}),
        json.dumps({"hand": HAND, "kind": "net"}),
        json.dumps({"dummy": HAND}),
        "",
        json.dumps({"hand": 7}),
        json.dumps({"hand": f"N:{deal(1, 1)}"[2:]}),
        f'{{"hand": {"1" * 5000}}}',
    ]
    done = tribridge("forecast", "-", "--kind", "points", stdin="\n".join(lines) + "\n")
    assert done.returncode == 1
    assert done.stderr == ""
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    assert answers[0] == answers[4] == expected(HAND)
    assert answers[1] == expected(HAND, DUMMY)
    wrong = {
        3: "Invalid JSON",
        4: "is in both the hand and the dummy",
        6: "has 12 cards, not 13",
        7: "kind: Unexpected",
        8: "hand: Field required",
        9: "Invalid JSON",
        10: "valid string, not 7",
        12: "out of range",
    }
    for number, problem in wrong.items():
        assert answers[number - 1]["line"] == number
        assert problem in answers[number - 1]["error"]
    hands = deal(1, 1).hands
    assert answers[10] == expected(str(hands[0]), str(hands[2]))


def test_a_good_batch_over_several_blocks_ends_with_code_0() -> None:
    hands = [deal(5, number).hands for number in range(300)]
    lines = [
        json.dumps({"hand": str(a), "dummy": str(b)} if at % 2 else {"hand": str(a)})
        for at, (a, b, *_) in enumerate(hands)
    ]
    stdin = "\n".join(lines * 14)
    done = tribridge("forecast", "-", "--kind", "points", stdin=stdin)
    assert done.returncode == 0
    answers = done.stdout.splitlines()
    assert len(answers) == 4200
    assert answers[:300] * 14 == answers
    assert json.loads(answers[-1]) == expected(str(hands[299][0]), str(hands[299][1]))


def test_the_printed_table_names_what_it_was_fitted_to() -> None:
    done = tribridge("forecast", "--table")
    assert done.returncode == 0
    for name in SHEETS:
        assert f"{name}: start with" in done.stdout
    assert "Ten points" in done.stdout
    data = json.loads(tribridge("forecast", "--table", "--json").stdout)
    assert data["sheets"]["a suit, 26 cards"]["values"]["trump honours"]["A"] > 10


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([HAND, "--kind", "x"], "unknown forecast kind 'x'"),
        (["--kind", "points"], "no hand given"),
        (["-", DUMMY, "--kind", "points"], "leave out the dummy"),
        ([HAND, "--table"], "--table prints"),
        (["--table", "--kind", "capture"], "--table prints"),
        ([HAND, "A43.AQ5.KT43.J93", "--kind", "points"], "♠A is in both"),
    ],
)
def test_wrong_use_is_refused(arguments: list[str], problem: str) -> None:
    with pytest.raises(TribridgeError, match=re.escape(problem)) as found:
        app(["forecast", *arguments], standalone_mode=False)
    assert "\n" not in str(found.value)


def test_a_refusal_is_one_line() -> None:
    assert "1 suit, expected 4" in refusal("forecast", "AKQ", "--kind", "points")


def test_a_terminal_without_the_signs_gets_their_numbers() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}

    def said(*arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            [COMMAND, "forecast", *arguments, "--kind", "points"],
            input=stdin,
            capture_output=True,
            env=environment,
            timeout=600,
        )
        assert done.stderr == b""
        return done.stdout.decode("ascii")

    assert said(HAND).startswith(r"\u2660AKQ2 ")
    shared = json.dumps({"hand": HAND, "dummy": HAND}).encode()
    assert json.loads(said("-", stdin=shared))["error"].startswith("♣K is in both")


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    line = json.dumps({"hand": HAND}) + "\n"
    with subprocess.Popen(
        [COMMAND, "forecast", "-", "--kind", "points"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write((line * 3).encode())
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


def test_a_defender_forecasts_the_tricks_of_an_opponent() -> None:
    hand = "AKQJ2.43.9432.52"
    done = tribridge("forecast", hand, "--declarer", "right", "--kind", "points")
    assert done.stdout.startswith("♠AKQJ2 ♥43 ♦9432 ♣52  defending, right-hand opponent declares")
    data = json.loads(tribridge("forecast", hand, "--declarer", "left", "--json").stdout)
    assert sum(data["S"]["tricks"][10:]) == 0
    assert "unknown declarer 'me'" in refusal("forecast", hand, "--declarer", "me")
    assert "leave out" in refusal("forecast", hand, "T943.AKJ87.T5.Q3", "--declarer", "left")
