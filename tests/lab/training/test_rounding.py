"""Rounding weights so that each makes up for the rounding of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge.lab.training.rounding import Features, by_columns, features_of, rounded
from tribridge.networks.boards import draw, load_boards
from tribridge.networks.network import SCALE, SuitNetwork, full_size, in_eight_bits
from tribridge.strategies import human

BOARDS = Path(__file__).parents[3] / "data" / "experts" / "boards.npz"
WIDTH, SUIT, TABLE = 12, 9, 5


def network(rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """A small network with random weights."""
    sizes = {"suit_in": SUIT, "table_in": TABLE, "out": WIDTH, "out_others": WIDTH}
    sizes |= {f"{part}.{layer}": WIDTH for part in ("own", "others") for layer in range(2)}
    arrays = {
        f"{name}.weight": rng.normal(0, size**-0.5, (WIDTH, size)) for name, size in sizes.items()
    }
    biases = {f"{name}.bias": rng.normal(0, 0.1, WIDTH) for name in ("suit_in", "out")}
    biases |= {f"own.{layer}.bias": rng.normal(0, 0.1, WIDTH) for layer in range(2)}
    return {name: array.astype(np.float32) for name, array in (arrays | biases).items()}


def features(rng: np.random.Generator, count: int) -> Features:
    """Features that depend on each other, as those of positions do."""
    hidden = rng.random((count, 4, 3))
    suits = (hidden @ rng.random((3, SUIT)) > 0.8).astype(np.float32)
    return Features(suits, (rng.random((count, TABLE)) < 0.3).astype(np.float32))


def error(arrays: dict[str, NDArray[Any]], others: dict[str, NDArray[Any]], on: Features) -> float:
    one, other = (SuitNetwork.of(full_size(each))(on.suits, on.table) for each in (arrays, others))
    return float(np.square(one - other).mean())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("step", [0.2, 0.4])
def test_answers_on_other_positions_change_less_than_by_rounding_each_weight(
    seed: int, step: float
) -> None:
    rng = np.random.default_rng(seed)
    arrays, seen = network(rng), features(np.random.default_rng(7), 600)
    fresh = Features(seen.suits[400:], seen.table[400:])
    fitted = rounded(arrays, step, Features(seen.suits[:400], seen.table[:400]))
    plain = in_eight_bits(arrays, step)
    assert error(arrays, fitted, fresh) < 0.6 * error(arrays, plain, fresh)
    for name, array in plain.items():
        assert fitted[name].dtype == (np.float16 if name.endswith(".bias") else array.dtype)
        if name.endswith(SCALE):
            assert (fitted[name] == array).all()


def test_inputs_that_do_not_depend_on_each_other_make_up_for_nothing() -> None:
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(5, 150))
    unit = np.repeat(rng.random((5, 1)) + 0.1, 150, 1)
    assert (by_columns(weights, unit, np.eye(150)) == np.round(weights / unit)).all()


def test_the_second_of_two_equal_inputs_takes_back_the_error_of_the_first() -> None:
    squares = np.array([[1.0, 1.0], [1.0, 1.0]]) + 1e-6 * np.eye(2)
    codes = by_columns(np.array([[0.4, 0.4]]), np.ones((1, 2)), np.linalg.inv(squares))
    assert codes.tolist() == [[0, 1]]  # 0.8 in all; each by itself gives 0


def test_blocks_of_columns_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    seen = rng.normal(size=(300, 40)) @ rng.normal(size=(40, 40))
    inverse = np.linalg.inv(seen.T @ seen / 300 + np.eye(40))
    weights, unit = rng.normal(size=(6, 40)), np.full((6, 40), 0.3)
    whole = by_columns(weights, unit, inverse)
    monkeypatch.setattr("tribridge.lab.training.rounding._BLOCK", 7)
    assert (by_columns(weights, unit, inverse) == whole).all()


def test_positions_are_choices_of_boards_under_both_schemes() -> None:
    boards = draw(load_boards(BOARDS), 4, seed=1)
    seen, again = (features_of(boards, human.network(), seed=2) for _ in range(2))
    assert (seen.suits == again.suits).all()
    assert 10 < len(seen.suits) < 4 * 48
    assert len(seen.table) == len(seen.suits)
    assert set(np.unique(seen.suits)) == {0, 1}
    other = features_of(boards, human.network(), seed=3)
    assert other.suits.shape != seen.suits.shape or (other.suits != seen.suits).any()
