"""The study of the forecasts: its numbers counted again one by one."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import numpy as np
import pytest

from tribridge.cards.cards import Hand, Strain
from tribridge.common.errors import FormatError
from tribridge.common.tables import Cell, StudyTable
from tribridge.forecast import forecast
from tribridge.forecast.means import read_means
from tribridge.lab.labels.labels import Labels, shipped
from tribridge.lab.speed import forecast as speed_forecast
from tribridge.lab.studies.drawing import drawn
from tribridge.lab.studies.forecasts import draw_calibration

forecasts = speed_forecast
DEALS = 150
KINDS = ("points", "capture")
MEANS = """;N;S;NC;ND;NH;NS;NNT;SC;SD;SH;SS;SNT
0;AKQ2.K93.A92.KQ5;743.AQ5.KT43.J93;9.1;10.2;9.0;10.1;11.0;9.2;10.3;9.1;10.2;11.1
1;7432.964.T92.854;AK5.K82.AQ3.AKQ3;7.0;7.1;7.2;8.0;7.3;7.4;7.5;7.6;7.7;7.8
"""


@pytest.fixture(scope="module")
def labels() -> Labels:
    return shipped().first(DEALS)


@pytest.fixture(scope="module")
def result(labels: Labels, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("means") / "means.csv"
    path.write_text(MEANS)
    return forecasts.run(1, labels, path, KINDS)


@pytest.fixture(scope="module")
def study(result: Any) -> dict[str, StudyTable]:
    return {table.name: table for table in forecasts.tables(result)}


def row(study: dict[str, StudyTable], *place: object) -> dict[str, Cell]:
    (found,) = (
        r
        for r in study["forecast-accuracy"].records()
        if (r["label"], r["cards"], r["strains"], r["forecast"]) == place
    )
    return found


def declarers(labels: Labels) -> list[tuple[Hand, Hand, dict[Strain, int]]]:
    hands, dummies, tricks = labels.pairs()
    return [
        (Hand(int(a)), Hand(int(b)), {s: int(made[s]) for s in Strain})
        for a, b, made in zip(hands, dummies, tricks, strict=True)
    ]


@pytest.mark.parametrize("cards", [13, 26])
def test_errors_and_intervals_by_hand(
    study: dict[str, StudyTable], labels: Labels, cards: int
) -> None:
    errors, inside, claims, widths, scores, covered = [], [], [], [], [], []
    for hand, dummy, tricks in declarers(labels):
        one = forecast(hand, dummy if cards == 26 else None, "points")[Strain.NOTRUMP]
        made = tricks[Strain.NOTRUMP]
        low, high, chance = one.interval(0.8)
        errors.append(one.mean - made)
        inside.append(low <= made <= high)
        claims.append(chance)
        widths.append(high - low + 1)
        scores.append(-math.log(one.chances[made]))
        below, up_to = 1 - one.at_least(made), 1 - one.at_least(made + 1)
        part = max(0.0, min(up_to, 0.9) - max(below, 0.1))
        covered.append(part / one.chances[made])
    found = row(study, "single deal", cards, "notrump", "points")
    assert found["forecasts"] == 3 * DEALS
    for name, value, tolerance in (
        ("absolute error", mean(map(abs, errors)), 1e-4),
        ("sd", pstdev(errors), 1e-4),
        ("bias", mean(errors), 1e-4),
        ("log score", mean(scores), 1e-4),
        ("% in 80%", 100 * mean(covered), 0.05),
        ("% in interval", 100 * mean(inside), 0.3),
        ("% it claims", 100 * mean(claims), 0.3),
        ("tricks wide", mean(widths), 0.02),
    ):
        assert found[name] == pytest.approx(value, abs=tolerance), name
    assert float(found["error from"] or 0) < float(found["absolute error"] or 0)
    assert float(found["error to"] or 0) > float(found["absolute error"] or 0)


def test_the_baselines(study: dict[str, StudyTable], labels: Labels) -> None:
    _, _, tricks = labels.pairs()
    constant = row(study, "single deal", 26, "suits", "constant (overall mean)")
    assert constant["sd"] == pytest.approx(float(tricks[:, :4].std()))
    assert row(study, "single deal", 26, "suits", "Binky points, published")["sd"] == 0.99


def test_bins_count_every_level_of_every_declarer(
    study: dict[str, StudyTable], labels: Labels
) -> None:
    records = [
        r
        for r in study["forecast-calibration"].records()
        if (r["forecast"], r["cards"], r["strains"]) == ("capture", 26, "suits")
    ]
    assert sum(int(r["contracts"] or 0) for r in records) == 3 * DEALS * 4 * 7
    said: list[float] = []
    made: list[bool] = []
    for hand, dummy, tricks in declarers(labels):
        found = forecast(hand, dummy, "capture")
        for strain in list(Strain)[:4]:
            for level in range(1, 8):
                chance = found[strain].at_least(6 + level)
                if 0.4 <= chance < 0.5:
                    said.append(chance)
                    made.append(tricks[strain] >= 6 + level)
    bin_ = next(r for r in records if r["chance"] == "40-50%")
    assert bin_["contracts"] == len(said)
    assert bin_["mean chance %"] == pytest.approx(100 * mean(said), abs=1e-3)
    assert bin_["% made"] == pytest.approx(100 * mean(made))
    assert bin_["difference"] == pytest.approx(100 * (mean(made) - mean(said)), abs=1e-3)


def test_a_dummy_makes_every_kind_better(study: dict[str, StudyTable]) -> None:
    for kind in KINDS:
        for group in ("suits", "notrump"):
            alone, both = (
                float(row(study, "single deal", cards, group, kind)["sd"] or 0)
                for cards in (13, 26)
            )
            assert both < 0.8 * alone


def test_means_of_ten_layouts_count_from_both_sides(study: dict[str, StudyTable]) -> None:
    found = row(study, "mean of ten layouts", 26, "notrump", "points")
    from tribridge.cards.cards import parse_hand

    pairs = [
        ("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93", 11.0),
        ("743.AQ5.KT43.J93", "AKQ2.K93.A92.KQ5", 11.1),
        ("7432.964.T92.854", "AK5.K82.AQ3.AKQ3", 7.3),
        ("AK5.K82.AQ3.AKQ3", "7432.964.T92.854", 7.8),
    ]
    said = [forecast(parse_hand(a), parse_hand(b), "points")[Strain.NOTRUMP] for a, b, _ in pairs]
    errors = [one.mean - label for one, (*_, label) in zip(said, pairs, strict=True)]
    assert found["forecasts"] == 4
    assert found["absolute error"] == pytest.approx(mean(map(abs, errors)), abs=1e-4)
    floor = mean(math.sqrt(2 / math.pi) * one.sd / math.sqrt(10) for one in said)  # if normal
    assert found["noise floor"] == pytest.approx(floor, rel=0.05)


def test_the_noise_floor_is_what_a_perfect_forecast_errs() -> None:
    """Two layouts: all pairs of tricks by hand. Ten: drawn."""
    chances = np.array([0.0, 0.1, 0.2, 0.5, 0.2] + [0.0] * 9)
    expected = float(chances @ np.arange(14))
    pairs = [
        chances[a] * chances[b] * abs((a + b) / 2 - expected) for a in range(5) for b in range(5)
    ]
    assert forecasts.noise_floor(chances[None], 2) == pytest.approx(sum(pairs))
    random = np.random.default_rng(1)
    tricks = random.choice(14, size=(20_000, 10), p=chances).mean(axis=1)
    assert forecasts.noise_floor(np.stack([chances] * 3)) == pytest.approx(
        float(np.abs(tricks - expected).mean()), rel=0.03
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "contains no hands"),
        (MEANS.replace("NNT", "XX"), "no column NNT"),
        (MEANS.replace("9.1;", "many;"), "line 2: expected numbers of tricks"),
        (MEANS.replace("AKQ2", "AKQ"), "line 2: the hand has 12 cards"),
    ],
)
def test_a_file_of_means_that_is_none_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "means.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=problem):
        read_means(path)


@pytest.mark.slow
def test_the_figure_shows_every_kind(result: Any) -> None:
    files = drawn(lambda: draw_calibration(result.calibration), ("svg",))
    svg = files["svg"].decode()
    for text in ("points", "capture", "26 cards, suits", "within 2 percentage points"):
        assert text in svg
