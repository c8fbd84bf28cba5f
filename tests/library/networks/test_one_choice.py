"""One choice by compiled code, beside the same by NumPy."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tribridge.common.files import load_arrays
from tribridge.networks import values
from tribridge.networks.network import SuitNetwork, in_eight_bits, package_weights
from tribridge.networks.play import POINTS_KIND
from tribridge.strategies import human, learned

F64 = NDArray[np.float64]


def _weights(width: int, layers: int, rng: np.random.Generator) -> dict[str, F64]:
    """A network of 5 features of a suit, 3 of the table and 2 outputs, under PyTorch's names."""
    shapes = {"suit_in": (width, 5), "table_in": (width, 3), "out": (2, width)}
    shapes |= {"out_others": (2, width)}
    shapes |= {f"{part}.{at}": (width, width) for part in ("own", "others") for at in range(layers)}
    biases = {"suit_in": width, "out": 2} | {f"own.{at}": width for at in range(layers)}
    return {f"{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()} | {
        f"{name}.bias": rng.normal(size=size) for name, size in biases.items()
    }


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32))
def test_one_choice_is_answered_as_many(half: int, layers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = SuitNetwork.of(in_eight_bits(_weights(2 * half, layers, rng)))
    assert network.one_choice is not None
    suits = rng.normal(size=(1, 4, 5)).astype(np.float32)
    table = rng.normal(size=(1, 3)).astype(np.float32)
    expected = network.of_many(suits, table)
    assert network(suits, table) == pytest.approx(
        expected, abs=1e-4 * float(np.abs(expected).max())
    )


@pytest.mark.parametrize(
    "network", [learned.network(learned.POINTS), human.network(), values.network()]
)
def test_shipped_networks_answer_one_choice_as_many(network: SuitNetwork) -> None:
    assert network.one_choice is not None
    rng = np.random.default_rng(5)
    suits = (rng.random((8, 4, len(network.suit_in))) < 0.1).astype(np.float32)
    table = (rng.random((8, len(network.table_in))) < 0.1).astype(np.float32)
    expected = network.of_many(suits, table)
    for at in range(len(suits)):
        assert network(suits[at : at + 1], table[at : at + 1])[0] == pytest.approx(
            expected[at], abs=1e-4
        )


def _stored() -> dict[str, Any]:
    file = BytesIO(package_weights(f"{human.FOLDER}/{human.FILE}"))
    return load_arrays(file, f"not the weights of a {POINTS_KIND.name} network")


def test_numpy_answers_where_weights_or_machine_have_no_other_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    for other in (_weights(4, 1, rng), in_eight_bits(_weights(3, 1, rng))):
        assert SuitNetwork.of(other).one_choice is None
    assert SuitNetwork.of(_stored()).one_choice is not None
    monkeypatch.setattr("tribridge.networks.network.installed", lambda name: False)
    assert SuitNetwork.of(_stored()).one_choice is None
