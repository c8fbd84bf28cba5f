"""`tribridge speed forecast`: the tables of accuracy and speed, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tribridge.cli import app
from tribridge.common.errors import TribridgeError
from tribridge.lab.labels.labels import dumps_labels, shipped, shipped_played
from tribridge.lab.speed import forecast as speed_forecast


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("labels") / "labels.parquet"
    path.write_bytes(dumps_labels(shipped().first(120)))
    return str(path)


def test_accuracy_as_a_table_and_as_json(
    labels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "calibration.svg"
    common = ["speed", "forecast", "--labels", labels, "--kinds", "net,points"]
    app([*common, "--figure", str(figure)], standalone_mode=False)
    text = capsys.readouterr().out
    for title in ("single deal, 13 cards, suits", "single deal, 26 cards, notrump"):
        assert title in text
    assert "as given" in text
    assert "not used in any fit" not in text  # only known of the labels of the package
    assert "bins with at least 500 contracts" in " ".join(text.split())
    rows = [line.split() for line in text.splitlines() if line.startswith("points")]
    assert "within 2 percentage points" in figure.read_text()
    app([*common, "--json"], standalone_mode=False)
    data = json.loads(capsys.readouterr().out)
    mine = [r for r in data["forecast-accuracy"] if r["forecast"] == "points"]
    assert [row[1:3] for row in rows] == [
        [f"{r['absolute error']:.3f}", f"{r['sd']:.3f}"] for r in mine
    ]
    assert {r["forecast"] for r in data["forecast-calibration"]} == {"net", "points"}


def test_played_deals_are_not_compared_with_figures_for_double_dummy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = shipped_played().first(60)
    monkeypatch.setattr("tribridge.lab.labels.labels.shipped_played", lambda: few)
    app(["speed", "forecast", "--played", "--kinds", "net,real", "--json"], standalone_mode=False)
    rows = json.loads(capsys.readouterr().out)["forecast-accuracy"]
    assert {r["forecast"] for r in rows} == {"net", "real", "constant (overall mean)"}


def test_speed_has_a_row_a_kind() -> None:
    (row,) = speed_forecast.forecast_speeds(("points",), batch=1000)
    assert row.kind == "points"
    assert min(row.loading, row.single, row.million) > 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--kinds", "net,oracle"], "unknown forecast kind 'oracle'"),
        (["--speed", "--figure", "x.svg"], "--speed cannot be combined"),
        (["--speed", "--played"], "--speed cannot be combined"),
        (["--played", "--labels", "x"], "--played cannot be combined with --means or --labels"),
        (["--figure", "x.bmp"], "a figure must be"),
    ],
)
def test_wrong_use_is_refused(arguments: list[str], problem: str) -> None:
    with pytest.raises(TribridgeError, match=re.escape(problem)):
        app(["speed", "forecast", *arguments], standalone_mode=False)
