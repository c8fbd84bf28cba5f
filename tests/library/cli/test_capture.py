"""`tribridge capture` as a user types it: pictures, traces, JSON, the batch form, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.grids import thinned
from tests.library.cli.helpers import COMMAND, process, refusal, tribridge
from tribridge.capture import algorithm1, algorithm2
from tribridge.cards.cards import hand_signs
from tribridge.cards.dealer import deal
from tribridge.cli.capture_text import as_json
from tribridge.game.record.pbn import dumps_pbn, link_of

HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_verdict_and_the_picture_of_a_hand() -> None:
    done = tribridge("capture", HAND)
    assert done.returncode == 0
    assert done.stderr == ""
    head, columns, clubs, *_ = done.stdout.splitlines()
    assert head == (
        "Algorithm 1 (natural reading): both conditions hold, 8 captures, check value 13"
    )
    assert columns.split() == [*"AKQJT98765432", "c1", "gap", "limit"]
    assert clubs.split() == ["♣", "·", "[1]", "[1]", *"·" * 6, "1", *"·" * 3, "3", "1", "3"]
    assert "captured: ♣K ♦A ♥K ♠A | ♣Q ♠K ♠Q ♥9" in done.stdout


def test_only_the_picture_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    head, *picture = tribridge("capture", HAND).stdout.splitlines()
    assert head.startswith("\x1b[1m")
    assert head.count("\x1b") == 2  # bold from its beginning to its end, numbers too
    assert any("\x1b[1;7;36m" in line for line in picture)


def test_a_dummy_makes_it_algorithm_2_and_removed_cards_are_marked() -> None:
    out = tribridge("capture", HAND, DUMMY).stdout
    assert out.startswith("Algorithm 2: both conditions hold, 12 captures, check value 15")
    assert "♦  [1] [2]  ·   ·  [2]  1×  ·   ·   ·   ·   2   2×  1×    3  4   0     4" in out


def test_a_failing_condition_says_which_and_why() -> None:
    assert "gap 22 exceeds" in (tribridge("capture", "8642.8642.864.86", "53.753.9753.9753").stdout)
    assert "B fails, ♣" in (tribridge("capture", HAND, "T8743.AQ5.KT43.J").stdout)


def test_the_trace_shows_every_step_with_the_matrix() -> None:
    out = tribridge("capture", HAND, DUMMY, "--trace").stdout
    for step in ("Step 1", "Step 2", "Step 3", "Step 5", "Step 6", "Step 7"):
        assert step in out
    assert out.count(" ♠ ") >= 13  # the matrix before, and after each of twelve captures
    assert "  7. ♦K of the dummy captured, gap 0 paid: Z 5 -> 5, Z♦ 6 -> 5" in out
    assert "♣ none (capture limit reached), ♦ 2, ♥ 0, ♠ 0" in out
    assert "stop: the check value has reached the number of tricks (15 >= 13)" in out


def test_json_has_the_form_of_the_batch() -> None:
    assert lines(tribridge("capture", HAND, DUMMY, "--json").stdout) == [
        {
            "outcome": "both hold",
            "captures": 12,
            "check": 15,
            "order": ["CK", "DA", "HA", "SA", "CQ", "CJ", "DK", "HK", "HQ", "SK", "SQ", "DT"],
            "matrix": [
                [0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                [1, 2, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0],
                [2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            ],
        }
    ]
    assert lines(tribridge("capture", "8642.8642.864.86", "--json").stdout) == [
        {"outcome": "A fails", "captures": 0}
    ]


def test_json_with_trace_has_every_step() -> None:
    (answer,) = lines(tribridge("capture", HAND, DUMMY, "--json", "--trace").stdout)
    steps = answer["trace"]["steps"]
    assert [step["card"] for step in steps] == answer["order"]
    assert steps[-1]["budget"] == [5, 3]
    assert answer["trace"]["stop"]["check"] == answer["check"]


def test_the_picture_as_svg_is_well_formed_and_shows_each_capture(tmp_path: Path) -> None:
    file = tmp_path / "matrix.svg"
    assert tribridge("capture", HAND, DUMMY, "--svg", str(file)).returncode == 0
    texts = [element.text for element in ElementTree.parse(file).iter() if element.text]
    assert "Both conditions hold, 12 captures, check value 15" in texts
    for number in range(1, 13):
        assert str(number) in texts
    assert not list(tmp_path.glob(".*"))


def test_readings_budgets_and_decks_can_be_chosen() -> None:
    king = "K.A432.A432.A432"
    assert "B fails" in tribridge("capture", king).stdout
    assert "both conditions hold" in tribridge("capture", king, "--reading", "non-strict").stdout
    assert "A fails" in tribridge("capture", king, "--budget", "0").stdout
    assert "both conditions hold" in tribridge("capture", "A.A.A", "--deck", "3x4").stdout


def test_the_batch_answers_in_order() -> None:
    deals = [deal(3, n) for n in range(40)]
    asked = [
        {"hand": str(d.hands[0])} | ({"dummy": str(d.hands[1])} if n % 2 else {})
        for n, d in enumerate(deals)
    ]
    done = tribridge("capture", "-", stdin="".join(json.dumps(line) + "\n" for line in asked))
    assert done.returncode == 0
    expected = [
        algorithm2(d.hands[0], d.hands[1]) if n % 2 else algorithm1(d.hands[0])
        for n, d in enumerate(deals)
    ]
    assert lines(done.stdout) == [as_json(result) for result in expected]
    assert {answer["outcome"] for answer in lines(done.stdout)} == {
        "A fails",
        "B fails",
        "both hold",
    }
    for answer in lines(done.stdout):
        extra = {"check", "order", "matrix"} if answer["outcome"] == "both hold" else set()
        assert answer.keys() == {"outcome", "captures"} | extra


def test_a_bad_line_is_answered_in_its_place_and_the_rest_goes_on() -> None:
    good = json.dumps({"hand": HAND})
    bad = {
        2: b'{"hand": "AKQ2.K93.A92.KQ"}',
        3: b"",
        4: b"not json",
        5: b'["AKQ2.K93.A92.KQ5"]',
        6: b'{"hand": 13}',
        7: b'{"dummy": "AKQ2.K93.A92.KQ5"}',
        8: b'{"hand": "AKQ2.K93.A92.KQ5", "dumy": "743.AQ5.KT43.J93"}',
        9: b'{"hand": "AKQ2.K93.A92.KQ5", "dummy": "AKQ2.K93.A92.KQ5"}',
        10: b'{"hand": "\xff"}',
        11: b"[" * 100_000,
        12: b'{"hand": "/etc/passwd"}',
    }
    data = b"\n".join([good.encode(), *bad.values(), good.encode()]) + b"\n"
    done = tribridge("capture", "-", stdin=data)
    assert done.returncode == 1
    assert done.stderr == ""
    answers = lines(done.stdout)
    assert len(answers) == 13
    assert answers[0] == answers[-1]
    assert answers[0]["outcome"] == "both hold"
    for number in bad:
        assert answers[number - 1].keys() == {"line", "error"}
        assert answers[number - 1]["line"] == number
    assert "12 cards" in answers[1]["error"]
    assert "both the hand" in answers[8]["error"]


def test_an_empty_input_is_an_empty_answer() -> None:
    done = tribridge("capture", "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_closed_pipe_ends_quietly() -> None:
    many = (json.dumps({"hand": HAND, "dummy": DUMMY}) + "\n") * 5000
    with subprocess.Popen(
        [COMMAND, "capture", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        running.stdin.write(many.encode()[:60_000])
        running.stdin.flush()
        assert running.stdout.readline().startswith(b'{"outcome"')
        running.stdout.close()
        try:
            running.stdin.write(many.encode())
            running.stdin.close()
        except BrokenPipeError:
            pass
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_deals_files_and_links_give_declarer_and_dummy(tmp_path: Path) -> None:
    dealt = deal(1, 0)
    expected = [as_json(algorithm2(dealt.hands[0], dealt.hands[2]))]
    link = link_of(dealt)
    pbn_file, lin_file = tmp_path / "x.pbn", tmp_path / "x.lin"
    pbn_file.write_text(dumps_pbn([dealt]))
    order = "SWNE"
    hands = dict(zip("NESW", dealt.hands, strict=True))
    signs = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", " ": "", "-": ""}
    text = ",".join(hand_signs(hands[seat]) for seat in order)
    for sign, letter in signs.items():
        text = text.replace(sign, letter)
    lin_file.write_text(f"md|3{text}|")
    for source in (str(dealt), link, str(pbn_file), str(lin_file)):
        assert lines(tribridge("capture", source, "--json").stdout) == expected
    pbn_file.write_text(dumps_pbn([deal(1, n) for n in range(3)]))
    assert len(lines(tribridge("capture", str(pbn_file), "--json").stdout)) == 3
    assert "Board 3" in tribridge("capture", str(pbn_file)).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["AKQ2.K93.A92.KQ"], "the hand has 12 cards, not 13"),
        (["AKQ2.K93.A92.KQ53"], "the hand has 14 cards, not 13"),
        ([HAND, "743.AQ5.KT43.J9"], "the dummy has 12 cards, not 13"),
        (["AKK2.K93.A92.KQ5"], "♠K is given twice"),
        ([HAND, "743.AQ5.KT43.J95"], "♣5 is in both the hand and the dummy"),
        (["AKQ2.K93.A92.KQX"], "unknown rank 'X'"),
        (["AKQ2.K93.A92.KQ.5"], "has 5 suits, expected 4"),
        ([""], "is empty"),
        (["no-such.pbn"], "no-such.pbn: No such file or directory"),
        (["/bin/ls"], "/bin/ls: not a text file"),
        (["N:AKQ2.K93.A92.KQ5 - - -"], "only one hand of a deal may be left out"),
        (["https://example.org"], "no deal in the link"),
        ([HAND, "--reading", "odd"], "unknown reading 'odd': expected natural"),
        ([HAND, "--budget", "-1"], "invalid value for '--budget'"),
        ([HAND, "--budget", "x"], "invalid value for '--budget'"),
        ([HAND, "--deck", "9x9"], "no deck of 9 suits x 9 ranks"),
        ([HAND, "--svg", "/no/such/folder/x.svg"], "No such file or directory"),
        (["-", DUMMY], "- reads all hands from standard input"),
        ([], "missing argument"),
        ([HAND, "--wrong"], "no such option"),
        ([HAND, "--xyz"], "`tribridge capture --help`"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], message: str) -> None:
    assert message in refusal("capture", *arguments)


def test_a_broken_pbn_file_is_named_with_the_place(tmp_path: Path) -> None:
    file = tmp_path / "broken.pbn"
    file.write_text('[Board "1"]\n[Deal "N:AKQ2.K93.A92.KQ5 AKQ2.K93.A92.KQ5 - -"]\n')
    assert f"{file}, board 1 (line 1): " in refusal("capture", str(file))


@pytest.mark.parametrize("streams", thinned(["<&- >&- 2>&-", "<&-", ">&-", "2>&-"]))
def test_closed_streams_give_no_traceback(streams: str) -> None:
    for arguments in (f"capture {HAND}", "capture -", "exact --deck 2x4 --json"):
        shell = f"{COMMAND} {arguments} {streams}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, input="")
        assert done.returncode in (0, 1)
        assert "Traceback" not in done.stderr


def test_an_unknown_command_and_no_command() -> None:
    assert "such command 'foo'" in refusal("foo")
    done = tribridge()
    assert done.returncode == 2
    assert "capture" in done.stdout + done.stderr
    assert "tribridge: \n" not in done.stderr
    assert tribridge("--version").stdout.startswith("tribridge 0.")


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tribridge", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == tribridge("--version").stdout


@pytest.mark.parametrize("arguments", [["capture", HAND], ["capture", "x"], ["foo"]], ids=str)
def test_the_installed_script_does_the_same(arguments: list[str]) -> None:
    script, here = process(*arguments), tribridge(*arguments)
    assert script.returncode == here.returncode
    assert (script.stdout, script.stderr) == (here.stdout, here.stderr)


def test_the_command_loads_no_heavy_parts() -> None:
    """Import cost is guarded by what is loaded, not by a clock."""
    script = (
        "import sys; sys.argv = ['tribridge', 'capture', sys.argv[1]]\n"
        "from tribridge.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'numba', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    python = str(Path(COMMAND).with_name("python"))
    out = subprocess.run([python, "-c", script, HAND], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_a_thousand_lines_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    """A thousand lines in one process; the time is printed for the log and asserted nowhere."""
    asked = "".join(
        json.dumps({"hand": str(d.hands[0]), "dummy": str(d.hands[1])}) + "\n"
        for d in (deal(8, n) for n in range(1000))
    )
    start = time.perf_counter()
    done = process("capture", "-", stdin=asked)
    assert len(done.stdout.splitlines()) == 1000
    with capsys.disabled():
        print(f" [1000 lines in {time.perf_counter() - start:.2f} s] ", end="")


def test_a_reading_is_refused_with_a_dummy() -> None:
    done = tribridge("capture", HAND, DUMMY, "--reading", "non-strict")
    assert done.returncode == 2
    assert "--reading" in done.stderr


def test_the_legend_of_one_hand_speaks_of_one() -> None:
    assert "neither" not in tribridge("capture", HAND).stdout
    assert "neither" in tribridge("capture", HAND, DUMMY).stdout
