"""`tribridge exact`: what it prints, and what it refuses."""

from __future__ import annotations

import json
import re
from math import comb
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from tribridge.cli.exact import exact
from tribridge.common.errors import FormatError, SettingError, TribridgeError

APP = typer.Typer()
APP.command()(exact)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, arguments)


def test_json_holds_exact_integers_in_the_documented_form() -> None:
    done = run("--json")
    assert done.exit_code == 0
    assert done.stderr == ""
    found = json.loads(done.stdout)
    for name, total in (
        ("algorithm1", comb(52, 13)),
        ("algorithm2", comb(52, 13) * comb(39, 13)),
    ):
        one = found[name]
        assert one["total"] == total
        assert one["A fails"] + one["B fails"] + sum(one["captures"].values()) == total
        assert list(one["captures"]) == [str(t) for t in range(4, 14)]
        assert sum(one["check"].values()) == sum(one["captures"].values())
        assert sum(one["total gap"].values()) == total
    assert found["algorithm2"]["captures"]["13"] == 2179486891210821024
    assert list(found["readings"]) == ["non-strict"]
    assert found["readings"]["non-strict"]["B fails"] == 46_766_067_288
    outcomes = found["joint"]["outcomes"]
    assert list(outcomes) == ["A fails", "B fails", *map(str, range(4, 14))]
    assert sum(sum(row.values()) for row in outcomes.values()) == found["algorithm2"]["total"]
    assert sum(outcomes["7"].values()) == found["algorithm1"]["captures"]["7"] * comb(39, 13)


def test_tables_give_counts_and_percentages() -> None:
    done = run("--deck", "2x6", "--budget", "2")
    assert done.exit_code == 0
    assert re.search(rf"{comb(12, 3) * comb(9, 3):,} +100.0000", done.stdout)
    assert "reading non-strict" in done.stdout


def test_it_begins_with_a_summary_of_three_lines() -> None:
    done = run()
    assert done.stdout.splitlines()[:4] == [
        "Algorithm 1: both conditions hold for 7.17% of hands, mean 6.57 captures.",
        "Algorithm 2: both conditions hold for 27.91% of pairs, mean 9.46 captures.",
        "Every hand, and every pair of hand and dummy, of deck 4x13 with budget 6.",
        "",
    ]


@pytest.mark.parametrize("options", [[], ["--deck", "4x8", "--joint-captures"]], ids=str)
def test_it_fits_80_columns(options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = run(*options).stdout
    assert max(map(len, said.splitlines())) <= 80
    assert "…" not in said


def test_captures_of_both_are_counted_when_asked_for() -> None:
    done = run("--deck", "2x6", "--joint-captures", "--json")
    joint = json.loads(done.stdout)["joint"]
    for first, row in joint["captures"].items():
        assert sum(row.values()) == joint["outcomes"][first]["both hold"]
    assert "Captures of Algorithm 2" in run("--deck", "2x6", "--joint-captures").stdout
    assert "captures" not in json.loads(run("--deck", "2x6", "--json").stdout)["joint"]


def test_a_deck_on_which_the_conditions_never_hold_has_no_captures() -> None:
    assert json.loads(run("--deck", "4x2", "--json").stdout)["algorithm2"]["captures"] == {}
    assert run("--deck", "4x2").exit_code == 0


def test_the_cache_is_used_unless_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBRIDGE_CACHE", str(tmp_path))
    first = run("--deck", "2x4", "--no-cache", "--json")
    assert list(tmp_path.iterdir()) == []
    assert run("--deck", "2x4", "--json").stdout == first.stdout
    assert list(tmp_path.rglob("*.json"))
    assert run("--deck", "2x4", "--json").stdout == first.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--deck", "9x4"], SettingError, "no deck of 9 suits x 4 ranks: 1 to 8 suits"),
        (["--deck", "5x12"], SettingError, "too large to count"),
        (["--deck", "3x3"], SettingError, "cannot be dealt into four"),
        (["--deck", "lots"], FormatError, "cannot read deck"),
    ],
)
def test_bad_values_are_refused(
    arguments: list[str], error: type[TribridgeError], message: str
) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, error)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""
