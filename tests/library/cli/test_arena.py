"""`tribridge arena`: a run with its page, records and results; exact values, bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from typer.testing import CliRunner

from tests.library.cli.helpers import refusal
from tribridge.arena.analysis import Comparison
from tribridge.arena.power import deals_needed
from tribridge.arena.results import PlayResult
from tribridge.arena.tables import PlayReport, summary
from tribridge.arena.work import PlayWork
from tribridge.cli import app, main
from tribridge.cli.showing import show_game, show_tables
from tribridge.common.errors import NotFoundError, RunError, SettingError, TribridgeError
from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, Column, StudyTable
from tribridge.game import record
from tribridge.strategies import as_player


def arena(*words: str) -> str:
    """Run the command in this process: what it wrote, if all went well."""
    done = CliRunner().invoke(app, ["arena", *words], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stderr == ""
    return done.stdout


TINY = ["--deck", "2x8", "--processes", "1", "--seed", "5"]


def test_play_makes_a_folder_and_goes_on_in_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["contracts", "random", "capture", *TINY, "--out", str(out), "--deals"]
    said = arena(*words, "12")
    for expected in ("Payoffs to the declarer", "Equilibrium", "Who beats whom", "12 deals of"):
        assert expected in said
    data = json.loads(arena(*words, "14", "--json", "--result", str(tmp_path / "r.json.gz")))
    assert (data["kept"], data["made"], data["deals"]) == (12, 2, 14)
    assert len(data["tables"]["arena-payoffs"]) == 4

    assert arena("show", str(out), "--deal", "3").count("declares against") == 4
    shown = arena("show", str(out), "--deal", "3", "--game", "1")
    assert "declares against capture" in shown
    assert "Fixed before" in shown
    (one,) = record.loads(arena("show", str(out), "--deal", "3", "--game", "1", "--json"))
    assert one.replay().over
    with pytest.raises(NotFoundError, match="4 games, numbered"):
        arena("show", str(out), "--deal", "3", "--game", "9")
    with pytest.raises(RunError, match=r"seed 5, not"):
        arena(*words, "12", "--seed", "6")


def test_the_points_of_a_match_can_be_read_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = arena("match", "random", "capture+random", *TINY, "--deals", "2")
    points = said.split("Who beats whom")[0]
    assert max(map(len, said.splitlines())) <= 80
    for word in ("strategy", "capture+random", "seats held", "% declared", "mean level"):
        assert word in points
    assert "…" not in said


ROWS = (
    ("declarer", "maxims", "capture", 0.25, 0.125, 0.375, 0.5, 0.0004, 0.0008),
    ("declarer", "maxims", "random", 1.2345, 1.0, 1.5, 0.9, 0.0001, 0.0003),
    ("declarer", "capture", "random", 0.98, 0.7, 1.2, 0.7, 0.0001, 0.0003),
    ("defence", "capture", "maxims", 0.1, -0.05, 0.25, 0.1, 0.2, 0.4),
)
P = replace(P_VALUE, digits=3)
COLUMNS = (
    *map(Column, ("side", "better", "worse")),
    Column("difference", digits=2, interval=("from", "to")),
    *map(Column, ("from", "to")),
    Column("Cohen's d", digits=2),
    P.named("p"),
    P.named("p (Holm)"),
)
TESTS = StudyTable("arena-tests", "Who beats whom, in tricks a deal", COLUMNS, ROWS)
NAMES = ("maxims", "capture", "random")


def report(names: Sequence[str], tests: Sequence[Comparison] = (), deals: int = 300) -> PlayReport:
    named = [replace(as_player("random"), name=name) for name in names]
    work = PlayWork.of(named, named, seed=7)
    result = cast(PlayResult, SimpleNamespace(work=work, deals=deals))
    return PlayReport(result, (), {}, tuple(tests), ())


def test_the_summary_of_play_names_the_best_declarer_and_defence() -> None:
    tests = [
        Comparison(side, first, second, Interval(*ends), p, holm, effect, 300)
        for side, first, second, *ends, effect, p, holm in ROWS
    ]
    assert summary(report(NAMES, tests)) == [
        "Declarer: maxims is best, 0.25 tricks ahead of capture (0.12 to 0.38).",
        "Defence: no clear winner; capture leads maxims by 0.10 tricks (-0.05 to 0.25).",
        "300 deals of seed 7; 95% intervals; best: p < 0.05 after Holm's correction.",
    ]
    assert summary(report(("maxims",), deals=10)) == [
        "Declarer: maxims alone, nothing to compare.",
        "Defence: maxims alone, nothing to compare.",
        "10 deals of seed 7: too few for intervals and tests, which need 100 deals.",
    ]
    same = Comparison("declarer", "a", "b", Interval(0.0, 0.0, 0.0), 1.0, 1.0, 0.0, 300)
    assert summary(report("ab", [same]))[0] == "Declarer: a and b did equally well."
    ahead = Interval(1.0, 0.5, 1.5)
    circle = [Comparison("declarer", a, b, ahead, 0.01, 0.01, 1.0, 300) for a, b in
              ("ab", "bc", "ca")]  # fmt: skip
    assert summary(report("abc", circle))[0] == "Declarer: no clear winner."


def test_a_run_begins_with_its_summary() -> None:
    play = arena("contracts", "random", "capture", *TINY, "--deals", "4").splitlines()
    assert [line.split(":")[0] for line in play[:2]] == ["Declarer", "Defence"]
    assert play[2].startswith("4 deals of seed 5: too few for intervals")
    assert not play[3]
    assert not re.search("∞|nan|inf| to ", "".join(play).replace("Payoffs to", ""))
    said = arena("match", "random", "capture+random", *TINY, "--deals", "4")
    assert re.match(
        r"Match: no clear winner; \S+ leads \S+ by \S+ points\.\n"
        r"Points per game: \S+ \S+, \S+ \S+\.\n4 deals of seed 5: .*\n\n",
        said,
    )


def test_numbers_are_rounded_and_intervals_stay_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    sure = ("declarer", "maxims", 100.0, 100.0, 100.0, 0.0, -0.0, 0.1)
    share = Column("share", digits=0, interval=("from", "to"))
    loss = Column("exploitability", digits=1, interval=("low", "high"))
    columns = (Column("side"), Column("strategy"), share, *share.ends(), loss, *loss.ends())
    show_tables([TESTS, StudyTable("equilibrium", "Equilibrium", columns, (sure,))])
    said = capsys.readouterr().out
    assert "0.25 (0.12 to 0.38)" in said
    assert "1.23 (1.00 to 1.50)" in said
    assert "<0.001" in said
    assert "declarer  maxims      100  0.0 (0.0 to 0.1)" in said
    assert max(map(len, said.splitlines())) <= 60


def test_what_a_strategy_says_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    row = ("x", "raised KeyError: [/b] and [red]")
    show_tables(
        [StudyTable("faults", "Faults", (Column("strategy"), Column("message")), (row,), "")]
    )
    assert row[1] in capsys.readouterr().out
    head = {"number": 1, "seed": 2, "deal": "N:", "game": {"seats": ["x"] * 3, "contract": None}}
    show_game([head, {"event": "call", "seat": "N", "call": "Pass", "reason": row[1]}])
    assert row[1] in capsys.readouterr().out


def test_match_in_json() -> None:
    words = ["match", "random", "points+random", "--processes", "1", "--deals", "6"]
    data = json.loads(arena(*words, "--json"))
    assert data["deals"] == 6
    points = data["tables"]["arena-match-points"]
    assert [row["strategy"] for row in points] == ["random", "points+random"]
    assert {row["seats held"] for row in points} == {54}


def test_exact_and_list() -> None:
    listed = json.loads(arena("list", "--json"))
    assert ("cards", "random") in [(one["kind"], one["name"]) for one in listed]
    found = json.loads(arena("tiny", "--deck", "4x2", "--json"))
    assert found["strategies"][0]["takes as declarer"] == pytest.approx(209 / 420)


def test_power_by_a_standard_deviation() -> None:
    said = arena("power", "5", "--sd", "50", "--power", "0.8")
    deals = deals_needed(5, 50, power=0.8)
    assert said.startswith(f"{deals:,} deals. Error rate 0.05, power 0.8.\n")
    assert f"arena match with two strategies: {6 * deals:,} games" in said
    data = json.loads(arena("power", "5", "--sd", "50", "--power", "0.8", "--json"))
    assert (data["deals"], data["games"]["arena contracts"]) == (deals, 4 * deals)


def test_power_by_an_earlier_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arena("contracts", "random", "capture", *TINY, "--deals", "30", "--out", str(out))
    for place in (out, out / "result.json"):
        (table,) = json.loads(arena("power", "0.1", "--result", str(place), "--json")).values()
        assert [row["side"] for row in table] == ["declarer", "defence"]
        assert all(row["games"] == 4 * row["deals"] > 0 for row in table)
    arena("contracts", "random", *TINY, "--deals", "2", "--out", str(tmp_path / "alone"))
    with pytest.raises(SettingError, match="no two strategies that did differently"):
        arena("power", "1", "--result", str(tmp_path / "alone"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("contracts nobody", "unknown player 'nobody'"),
        ("contracts random:x=1", "no parameter 'x'"),
        ("contracts random --on-error maybe", "expected go-on or stop"),
        ("contracts random --deals 1", "at least two deals"),
        ("tiny --deck 4x13", "decks of 8 cards can"),
        ("tiny --deck 2x4 --strain S", "S cannot be trumps"),
        ("show nowhere --deal 1", "nowhere is not an arena folder"),
        ("power 5", "with either --sd or --result"),
        ("power 5 --sd 3 --result x", "with either --sd or --result"),
        ("power 5 --sd 3 --tests 0", "must be 1 or more"),
        ("power 5 --result nowhere", "nowhere: no such file: expected a result"),
    ],
)
def test_bad_input_is_refused(words: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message) as caught:
        arena(*words.split())
    assert "\n" not in str(caught.value)


def test_a_result_that_cannot_be_written_is_refused_before_the_games(tmp_path: Path) -> None:
    words = [
        "arena",
        "match",
        "random",
        "capture",
        "--deals",
        "1e9",
        "--processes",
        "1",
        "--result",
    ]
    assert "directory" in refusal(*words, str(tmp_path))


def test_bad_input_gets_one_line_and_a_code() -> None:
    assert "unknown strategy 'x'" in refusal("arena", "match", "x")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("arena contracts random --deals 2 --processes 1 --out", "tribridge.cli.arena.run"),
        ("label --deals 2 --out", "tribridge.lab.commands.label.make_labels"),
    ],
)
def test_an_interruption_is_told_once(
    words: str,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    monkeypatch.setattr("sys.argv", ["tribridge", *words.split(), str(tmp_path / "run")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 130
    told = capsys.readouterr().err
    assert told.count("interrupted") == 1
    assert "command to continue" in told
