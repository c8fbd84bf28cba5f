"""A defender's forecasts: chances that add up, sure tricks, suits alike, accuracy on kept deals."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import tribridge as tb
from tests.library.cli.helpers import refusal
from tribridge.cards.cards import Strain, parse_hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cli import app
from tribridge.common.errors import CardsError, NotFoundError, SettingError
from tribridge.forecast.defence import (
    DEFENCE_KINDS,
    DefenceLines,
    DefenceNet,
    Opponent,
    chances_against,
    features,
    forecast_against,
)
from tribridge.forecast.distribution import means
from tribridge.forecast.sure import most_by_defender
from tribridge.lab.labels.built_deals import built_masks
from tribridge.lab.labels.labels import (
    Labels,
    LabelWork,
    chair_columns,
    dumps_labels,
    load_labels,
    shipped,
)
from tribridge.lab.speed import defence as speed_defence
from tribridge.lab.training import estimators as fit

defence = speed_defence
TRAINING = Path(__file__).parents[3] / "data" / "labels-7.parquet"
SIDES: tuple[Opponent, ...] = get_args(Opponent)


@pytest.mark.parametrize("kind", DEFENCE_KINDS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), built=st.booleans())
def test_chances_add_up_and_respect_sure_tricks(kind: str, seed: int, built: bool) -> None:
    hands = (built_masks if built else deal_masks)(seed, 0, 6).reshape(-1)
    for side in SIDES:
        chances = chances_against(hands, side, kind)
        assert chances.shape == (24, 5, 14)
        assert (chances >= 0).all()
        assert chances.sum(axis=-1) == pytest.approx(1)
        most = most_by_defender(hands, on_lead=side == "right")
        beyond = np.arange(14) > most[..., None]
        assert (chances[beyond] == 0).all()


@pytest.mark.parametrize("kind", DEFENCE_KINDS)
def test_exchanging_suits_exchanges_their_forecasts(kind: str) -> None:
    one, other = parse_hand("AKJ87.Q2.T943.52"), parse_hand("T943.AKJ87.52.Q2")
    first, second = forecast_against([one, other], "left", kind)
    for strain, same in (("S", "H"), ("H", "C"), ("D", "S"), ("C", "D"), ("NT", "NT")):
        assert first[strain].chances == pytest.approx(second[same].chances, abs=1e-4)


def test_the_defenders_of_labels_are_in_their_chairs() -> None:
    labels = shipped().first(4)
    lefts, rights, tricks = labels.defenders()
    for at in range(4):
        for declarer in range(3):
            _, left, _, right = chair_columns(declarer)
            assert lefts[3 * at + declarer] == labels.hands[at, left]
            assert rights[3 * at + declarer] == labels.hands[at, right]
            assert (tricks[3 * at + declarer] == labels.tricks[at, declarer]).all()
    one = labels.one_declarer()
    assert one.defenders()[0].tolist() == [int(one.hands[at, (at % 3 + 1) % 3]) for at in range(4)]


def test_the_net_is_better_than_the_lines_and_calibrated_on_deals_it_never_saw() -> None:
    accuracy, calibration = defence.study()
    rows: dict[Any, dict[str, Any]] = {
        (row["defender"], row["hands"], row["strains"], row["forecast"]): row
        for row in accuracy.records()
    }
    for part in ("on lead", "not on lead"):
        for hands, group in (
            ("all", "suits"),
            ("all", "notrump"),
            ("trump stack", "suits"),
            ("running suit", "notrump"),
        ):
            net, lines, constant = (
                rows[part, hands, group, kind]
                for kind in ("net", "points", "constant (overall distribution)")
            )
            for measure in ("absolute error", "log score"):
                assert net[measure] < lines[measure] < constant[measure], (part, hands, measure)
            assert abs(net["bias"]) < (0.15 if hands == "all" else 0.5)
    bins: list[dict[str, Any]] = calibration.records()
    for row in bins:
        if row["forecast"].startswith("net") and row["contracts"] >= 500:
            assert abs(row["difference"]) < 5, row


def test_hands_that_matter_for_doubles_by_hand() -> None:
    hands = np.array(
        [parse_hand(text).mask for text in ("AKQ32.KQJT9.2.32", "AK432.KQJ9.32.32")], np.uint64
    )
    assert np.argwhere(defence.trump_stacks(hands)).tolist() == [
        [0, Strain.HEARTS.index],
        [0, Strain.SPADES.index],
    ]
    assert np.argwhere(defence.running_suits(hands)).tolist() == [[0, Strain.NOTRUMP.index]]


def test_a_stack_and_a_running_suit_stop_declarer() -> None:
    stack = tb.forecast_tricks("KQJT9.A43.A32.52", declarer="left")
    poor = tb.forecast_tricks("65432.843.732.52", declarer="left")
    assert stack["S"].mean < poor["S"].mean - 3
    # The longer the suit, the more it is worth to lead it.
    on_lead, waiting = (
        tb.forecast_tricks("AKQJ92.43.432.52", declarer=side)["NT"] for side in ("right", "left")
    )
    assert on_lead.at_least(10) == 0
    assert waiting.at_least(10) > 0
    assert on_lead.mean < waiting.mean


def test_the_lines_are_least_squares_and_those_of_the_training_deals() -> None:
    labels = load_labels(TRAINING)
    assert fit.fit_defence(labels) == {
        name: list(line) for name, line in DefenceLines.load().lines.items()
    }
    hand = np.array([parse_hand("AKQJ.432.432.432").mask], np.uint64)
    assert features(hand)[0].tolist() == [
        [1, 10, 3],
        [1, 10, 3],
        [1, 10, 3],
        [1, 10, 4],
        [1, 10, 0],
    ]


def test_what_cannot_be_forecast_is_refused() -> None:
    hand = "AKQJ2.43.9432.52"
    with pytest.raises(NotFoundError, match="defender: expected net"):
        tb.forecast_tricks(hand, declarer="left", kind="capture")
    with pytest.raises(SettingError, match="'north': expected left"):
        tb.forecast_tricks(hand, declarer="north")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="leave out"):
        tb.forecast_tricks(hand, "T943.AKJ87.T5.Q3", declarer="left")
    with pytest.raises(CardsError):
        tb.forecast_tricks("AKQJ2.43.9432.5", declarer="left")


@pytest.mark.slow
def test_the_training_writes_weights_that_run(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install '.[learn]'")
    source, out = tmp_path / "labels.parquet", tmp_path / "defence.npz"
    source.write_bytes(dumps_labels(load_labels(TRAINING).first(200)))
    words = ["train", "defence", str(source), "--out", str(out), "--preset", "small"]
    done = CliRunner().invoke(app, [*words, "--device", "cpu"], catch_exceptions=False)
    assert done.stdout.splitlines()[-1].startswith(f"{out}: ")
    with out.open("rb") as file:
        trained = DefenceNet.of(dict(np.load(file)))
    hands = deal_masks(3, 0, 10)[:, 0]
    left, right = (trained.from_defender(hands, side) for side in SIDES)
    assert means(left).shape == (10, 5)
    assert not np.allclose(left, right)


def test_the_training_refuses_kept_and_built_deals(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install '.[learn]'")
    kept, built = tmp_path / "kept.parquet", tmp_path / "built.parquet"
    kept.write_bytes(dumps_labels(shipped().first(3)))
    work = LabelWork(8, declarers="one", built=True)
    tricks = np.zeros((3, 1, 5), np.int8)
    built.write_bytes(dumps_labels(Labels(work, np.arange(3, dtype=np.uint64), tricks)))
    words = ("train", "defence", "--preset", "small", "--out", str(tmp_path / "weights.npz"))
    assert "for evaluation" in refusal(*words, str(kept))
    assert "trained on built" in refusal(*words, str(built))
    assert "unknown preset 'huge'" in refusal(*words[:2], str(kept), "--preset", "huge")
