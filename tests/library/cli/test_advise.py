"""`tribridge advise` as a user types it: the table, JSON, impossible auctions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from tests.library.cli.helpers import refusal, tribridge
from tribridge.advice.calls import Advice, advise, parse_auction
from tribridge.cards.cards import parse_hand
from tribridge.cli import app
from tribridge.cli.advice_text import show
from tribridge.common.errors import TribridgeError
from tribridge.game.scoring import find_scheme

HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"


def advice(calls: str = "", dummy: str | None = None) -> Advice:
    other = None if dummy is None else parse_hand(dummy)
    scheme = find_scheme("old")
    return advise(parse_hand(HAND), other, parse_auction(calls), scheme=scheme, kind="points")


def test_the_command_opens_with_the_call_and_the_reason_in_one_sentence() -> None:
    words = ("advise", HAND, "--auction", "1H pass", "--scheme", "old", "--kind", "points")
    done = tribridge(*words, "--defence", "100")
    assert done.returncode == 0
    first = " ".join(done.stdout.split("\n\n")[0].split())
    assert re.fullmatch(
        r"Bid 1♠: it makes \S+% of the time and averages [+-]\d+\.\d points; \S+ would average "
        r"[+-]\d+\.\d, staying silent [+-]\d+\.\d\.",
        first,
    )
    for text in (
        "call  tricks  makes  average  worst 5%  up to  your hand",
        "A cautious player (0.3) ",
        "21 HCP, all suits stopped",
        "Worth more than staying silent: up to ",
        "Algorithm 1 bids 2NT: both conditions hold, with 8 captures.",
        "A pass leaves 1♥, which makes ",
        "of the time (100 layouts).",
        "auction: 1H Pass; scheme old; forecast points",
    ):
        assert text in done.stdout


def shown(width: int, found: Advice) -> list[str]:
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        show(found, console)
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(("calls", "dummy"), [("", None), ("1S pass", None), ("", DUMMY)])
def test_it_fits_the_terminal(width: int, calls: str, dummy: str | None) -> None:
    found = advice(calls, dummy)
    lines = shown(width, found)
    assert "…" not in "".join(lines)
    assert all(len(line.rstrip()) <= width for line in lines)
    table = lines.index("") + 1
    columns = lines[table].split()
    assert columns[:6] == ["call", "tricks", "makes", "average", "worst", "5%"]
    assert ("your" in columns) == (width == 80)
    averages = [line.split()[0] for line in lines[table + 1 : table + 7]]
    assert sorted(name[1:] for name in averages) == sorted(["ass", "NT", *"♠♥♦♣"])


def test_the_calls_are_in_order_of_their_average() -> None:
    for calls in ("", "1S pass", "7S"):
        lines = shown(60, advice(calls))
        table = lines.index("") + 2
        rows = [line.split() for line in lines[table : lines.index("", table)]]
        averages = [float(row[-2]) for row in rows]
        assert averages == sorted(averages, reverse=True)
        assert "Pass" in [row[0] for row in rows]


def test_json_has_every_bid_and_what_is_recommended() -> None:
    done = tribridge(
        "advise", HAND, "--auction", "1S pass", "--kind", "points", "--json", "--defence", "0"
    )
    data = json.loads(done.stdout)
    assert len(data["bids"]) == 35
    assert data["auction"]["calls"] == ["1S", "Pass"]
    assert "1H" in data["bids"].keys() - data["sufficient"]
    assert "1NT" in data["sufficient"]
    assert set(data["bids"]["1NT"]) == {"chance", "expected", "spread", "worst"}
    assert data["passing"]["chance"] is not None
    for player in ("neutral", "cautious"):
        assert data[player]["call"] in ("Pass", *data["sufficient"])
    assert (data["paper"]["outcome"], data["paper"]["captures"]) == ("both hold", 8)
    assert (data["paper"]["dummy"], data["paper_call"]) == (False, "2NT")
    assert data["effective"] > 100
    assert set(data["ceiling"]) == {"C", "D", "H", "S", "NT"}


def test_doubles_are_played_if_asked_for_or_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = "KQJT9.A43.A32.52"

    def advised(*words: str) -> str:
        quick = ["--kind", "points", "--defence", "40"]
        app(["advise", hand, *words, *quick], standalone_mode=False)
        return capsys.readouterr().out

    assert not json.loads(advised("--auction", "3S", "--json"))["doubling"]
    data = json.loads(advised("--auction", "3S", "--doubles", "--json"))
    assert data["neutral"]["call"] == "X"
    assert data["doubling"]["X"]["expected"] > data["passing"]["expected"]
    text = advised("--auction", "3S", "--doubles")
    assert text.startswith("Double: their contract makes ")
    assert "Pass" in advised("--auction", "1NT X")
    assert not advised("--auction", "1S X pass").startswith("Redouble")  # it may fail
    solid = ["advise", "AKQJT98765432...", "--auction", "1S X pass", "--defence", "40"]
    app(solid, standalone_mode=False)
    assert capsys.readouterr().out.startswith("Redouble: your contract makes 100% of the time")
    assert advised("--auction", "3S X pass").startswith("Pass: staying silent averages ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--auction", "1H 1D"], "impossible auction: call 2, 1D: it is not higher than 1♥"),
        (["--auction", "1H pass pass"], "the auction is over (two passes after 1♥"),
        (["--auction", "1Z"], "unknown strain 'Z'"),
        (["--auction", "X"], "impossible auction: call 1, X: there is no bid yet"),
        (["--auction", "1H XX"], "impossible auction: call 2, XX: 1♥ is another player's bid"),
        (["--vulnerable", "NS"], "cannot read vulnerable 'ns': expected me, left, right, all"),
        (["--vulnerable", "me"], "nobody is vulnerable under the scheme auction"),
        (["--vulnerable", "me", "--standing", "me 20"], "the standing says who is vulnerable"),
        (["--scheme", "imps"], "unknown scoring scheme 'imps'"),
        (["--caution", "2"], "the caution must be 0 (neutral) to 1, not 2.0"),
        (["--kind", "oracle"], "unknown forecast kind"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], problem: str) -> None:
    kind = [] if "--kind" in arguments else ["--kind", "points"]
    with pytest.raises(TribridgeError, match=re.escape(problem)) as found:
        app(["advise", HAND, *arguments, *kind], standalone_mode=False)
    assert "\n" not in str(found.value)


def test_a_number_out_of_range_is_refused() -> None:
    assert "'--defence'" in refusal("advise", HAND, "--defence", "-1")


def test_hands_that_share_a_card_are_refused() -> None:
    assert "♠A is in both" in refusal("advise", HAND, "A43.AQ5.KT43.J93", "--kind", "points")
