"""Fitting: known values are found again, the same labels give the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.library.cli.helpers import refusal
from tribridge.cards.cards import Strain
from tribridge.cli import app
from tribridge.common.errors import SettingError
from tribridge.forecast.points import Points, loads_points
from tribridge.lab.labels.labels import Labels, LabelWork, dumps_labels, shipped
from tribridge.lab.training import estimators as fit


def invented(deals: int, seed: int = 3) -> Labels:
    """Deals whose tricks are drawn from the shipped sheets for 26 cards."""
    numbers = np.arange(deals, dtype=np.uint64)
    plain = Labels(LabelWork(seed), numbers, np.zeros((deals, 3, 5), np.int8))
    hands, dummies, _ = plain.pairs()
    chances = np.cumsum(Points.load().from_pair(hands, dummies), axis=-1)
    drawn = np.random.default_rng(1).random((*chances.shape[:2], 1))
    tricks = np.minimum((drawn > chances).sum(axis=-1), 13).astype(np.int8)
    return Labels(plain.work, numbers, tricks.reshape(deals, 3, 5))


@pytest.mark.slow
def test_values_that_made_the_tricks_are_found_again() -> None:
    hands, dummies, tricks = invented(2500).pairs()
    truth = Points.load().sheets["a suit, 26 cards"]
    found = fit.fit_sheet("a suit, 26 cards", hands, dummies, tricks)
    for part, mine, theirs in zip(truth.parts, found.values, truth.values, strict=True):
        for step, one, other in zip(part.steps, mine, theirs, strict=True):
            # Totals become tricks by a curve that is not quite a straight line of ten a trick.
            assert abs(one - other) <= max(2, abs(other) // 5 + 1), (part.name, step)
    assert found.curve == truth.curve
    assert found.width == pytest.approx(truth.width, rel=0.12)


@pytest.mark.slow
def test_the_command_writes_the_files_that_the_labels_determine(tmp_path: Path) -> None:
    labels = invented(150)
    source, out = tmp_path / "labels.parquet", tmp_path / "out"
    source.write_bytes(dumps_labels(labels))
    arguments = ["train", "estimators", str(source), "--out", str(out)]
    CliRunner().invoke(app, arguments, catch_exceptions=False)
    names = [file.name for file in sorted(out.iterdir())]
    assert names == ["capture.npz", "defence.json", "points.json"]
    hands, dummies, tricks = labels.pairs()
    with np.load(out / "capture.npz") as tables:
        assert np.array_equal(tables["single"], fit.fit_table(hands, None, tricks))
        assert np.array_equal(tables["pair"], fit.fit_table(hands, dummies, tricks))
    points = loads_points((out / "points.json").read_text())
    assert points.made == "150 labelled deals of seed 3 (0 to 149)"
    name = "notrump, 26 cards"
    again = fit.fit_sheet(name, hands, dummies, tricks)
    assert (again.start, again.values, again.thresholds, again.width, again.slope) == (
        points.sheets[name].start,
        points.sheets[name].values,
        points.sheets[name].thresholds,
        points.sheets[name].width,
        points.sheets[name].slope,
    )


def test_deals_kept_back_for_testing_are_not_fitted_to(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="for evaluation"):
        fit.fit(shipped().first(10), tmp_path)
    assert "label files" in refusal(
        "train", "estimators", str(tmp_path), "--out", str(tmp_path / "out")
    )
    assert not (tmp_path / "out").exists()


def test_labels_of_some_strains_are_refused(tmp_path: Path) -> None:
    work = LabelWork(3, (Strain.NOTRUMP,))
    some = Labels(work, np.arange(2, dtype=np.uint64), np.zeros((2, 3, 1), np.int8))
    with pytest.raises(SettingError, match="all strains"):
        fit.fit(some, tmp_path)
