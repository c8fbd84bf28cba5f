"""`tribridge simulate` and `speed deals`: numbers as people write them, files, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tribridge.capture.simulation import kernel
from tribridge.cli.options import parse_whole
from tribridge.cli.simulate import simulate
from tribridge.common.errors import NotFoundError, RunError, SettingError, TribridgeError
from tribridge.lab.commands.speed import app as bench
from tribridge.lab.speed import deals as speed_deals

app = typer.Typer()
app.command()(simulate)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize(
    ("text", "number"),
    [("1000", 1000), ("1e6", 10**6), ("2.5E6", 2_500_000), ("1_000", 1000), ("1e-0", 1)],
)
def test_whole_numbers_are_read(text: str, number: int) -> None:
    assert parse_whole(text, "deals") == number


@pytest.mark.parametrize(
    "text", ["1.5", "1e-3", "", "abc", "1e", "nan", "inf", "1/2", "4/2", "1e99"]
)
def test_other_numbers_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="--deals"):
        parse_whole(text, "deals")


@pytest.mark.parametrize(
    "arguments",
    [
        ("capture", "--deals", "0"),
        ("capture", "--deals", "-3"),
        ("game", "--deals", "1.5"),
        ("game", "--deals", "1e30"),
        ("game", "--deals", "1e999999999"),
        ("chess",),
        ("capture", "--reading", "natural"),
        ("game", "--reading", "other"),
        ("game", "--seed", "-1"),
        ("game", "--start", "-1"),
        ("game", "--threads", "-1"),
        ("game", "--gpu", "--cluster", "x"),
        ("game", "--deals", "10", "--out", "/nowhere/at/all.json"),
        ("game", "--deals", "10", "--out", __file__),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...]) -> None:
    with pytest.raises(TribridgeError) as caught:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "\n" not in str(caught.value)


def test_a_study_of_the_report_is_another_command() -> None:
    with pytest.raises(NotFoundError, match=r"expected capture or game; .* tribridge study"):
        CliRunner().invoke(app, ["truth"], catch_exceptions=False)


def test_json_has_the_kernel_s_counts() -> None:
    found = json.loads(run("game", "--deals", "5e3", "--seed", "3", "--start", "70", "--json"))
    assert found["passed out"] == kernel.game_counts(3, 70, 5000)[-1]
    assert found["ranges"] == [[70, 5070]]
    assert sum(row[-1] for row in found["table"]) == found["contracts"]


def test_the_text_has_the_shares() -> None:
    text = run("capture", "--deals", "2000")
    assert "both hold" in text
    assert "%" in text
    assert "passed out" in run("game", "--deals", "2000")


def test_a_file_is_continued(tmp_path: Path) -> None:
    whole = json.loads(run("game", "--deals", "2000", "--json"))
    first = str(tmp_path / "first.json")
    run("game", "--deals", "1000", "--out", first)
    assert json.loads(run("game", "--deals", "2000", "--out", first, "--json")) == whole
    with pytest.raises(RunError, match="outside"):
        run("game", "--deals", "1000", "--out", first)
    with pytest.raises(RunError, match="holds study game"):
        run("game", "--deals", "2000", "--seed", "2", "--out", first)


@pytest.mark.slow
def test_bench_measures_every_way() -> None:
    found = list(speed_deals.speeds(1, 0.05))
    assert {"capture", "game", "dealing"} == {each.work for each in found}
    for each in found:
        assert each.note if each.seconds is None else each.seconds > 0


def test_bench_refuses_a_time_too_short_to_measure() -> None:
    with pytest.raises(SettingError, match=r"0\.5 to 3600"):
        CliRunner().invoke(bench, ["deals", "--seconds", "0.05"], catch_exceptions=False)
