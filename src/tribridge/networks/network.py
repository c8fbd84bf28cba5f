"""Running a trained network with NumPy; `training.networks` has the same network in PyTorch.

One encoder reads each suit together with the table's features; residual layers combine each suit
with the mean of the four; the heads give outputs for each card or call of a suit. All four suits
share the same weights, so permuting the suits permutes the outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.common.blas import ONE_BLAS_THREAD
from tribridge.common.errors import FormatError, NotFoundError, installed
from tribridge.common.files import joined, load_arrays

if TYPE_CHECKING:
    from tribridge.networks.one_choice import OneChoice

F32 = NDArray[np.float32]

_SUITS: Final = 4


@dataclass(frozen=True, eq=False)
class SuitNetwork:
    """The weights of one network, each stored as (inputs, outputs)."""

    suit_in: F32
    suit_in_bias: F32
    table_in: F32
    layers: tuple[tuple[F32, F32, F32], ...]
    """For a suit's own values, the bias, and for the sum of the four suits."""
    out: tuple[F32, F32, F32]
    """The same for the outputs."""
    one_choice: OneChoice | None = None
    """The quicker way for a single choice, where weights are stored in eight bits."""

    @classmethod
    def of(cls, stored: Mapping[str, NDArray[Any]]) -> SuitNetwork:
        """From the arrays a training run exported, under PyTorch's names."""
        arrays = full_size(stored)

        def weight(name: str, order: Literal["C", "F"] = "C") -> F32:
            return np.asarray(arrays[f"{name}.weight"].T, np.float32, order)

        def layer(own: str, others: str) -> tuple[F32, F32, F32]:
            # One row times a matrix, as for a single choice, is faster by the matrix's columns.
            bias = arrays[f"{own}.bias"].astype(np.float32)
            return weight(own), bias, weight(others, "F") / np.float32(_SUITS)

        count = sum(name.startswith("others.") for name in arrays)
        return cls(
            weight("suit_in"),
            arrays["suit_in.bias"].astype(np.float32),
            weight("table_in", "F"),
            tuple(layer(f"own.{at}", f"others.{at}") for at in range(count)),
            layer("out", "out_others"),
            _one_choice(stored),
        )

    def __call__(self, suits: F32, table: F32) -> F32:
        """From features (n, 4, f) and (n, g) to outputs (n, 4, outputs)."""
        if self.one_choice is not None and len(suits) == 1:
            return self.one_choice(suits[0], table[0])[None]
        return self.of_many(suits, table)

    @ONE_BLAS_THREAD
    def of_many(self, suits: F32, table: F32) -> F32:
        """The same for any number of choices, with NumPy."""
        # One product of two matrices: NumPy would multiply (n, 4, f) by a matrix n times.
        x: F32 = suits.reshape(-1, suits.shape[2]) @ self.suit_in
        _add(x, table @ self.table_in + self.suit_in_bias)
        np.maximum(x, 0, out=x)
        for own, bias, others in self.layers:
            _combine(x, x @ own, bias, others)
        return self._answers(x)

    @ONE_BLAS_THREAD
    def in_one_situation(self, suits: F32, table: F32, places: NDArray[np.int64]) -> F32:
        """Outputs (n, 4, outputs) of many rows alike but for their suits, of which there are few.

        `suits` (k, f) are all there are, `places` (n, 4) those of each row; all rows have the same
        features of the table (g,). What does not depend on a row's other suits is computed once for
        each suit, and the rest for so many rows at a time as a processor keeps close.
        """
        first: F32 = suits @ self.suit_in + (table @ self.table_in + self.suit_in_bias)
        np.maximum(first, 0, out=first)
        (own, bias, others), *later = self.layers
        step: F32 = first @ own
        blocks = []
        for at in range(0, len(places), _CLOSE):
            each = places[at : at + _CLOSE].reshape(-1)
            x = first[each]
            _combine(x, step[each], bias, others)
            for layer_own, layer_bias, layer_others in later:
                _combine(x, x @ layer_own, layer_bias, layer_others)
            blocks.append(self._answers(x))
        return np.concatenate(blocks)

    def _answers(self, x: F32) -> F32:
        out, bias, others = self.out
        answers: F32 = x @ out
        _add(answers, _sums(x) @ others + bias)
        return answers.reshape(len(x) // _SUITS, _SUITS, -1)


def _one_choice(arrays: Mapping[str, NDArray[Any]]) -> OneChoice | None:
    """The network for one choice at a time, if its weights and this machine allow it."""
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    packed = all(arrays[name].dtype == np.int8 and name + SCALE in arrays for name in matrices)
    if not packed or len(arrays["suit_in.bias"]) % 2 or not installed("numba"):
        return None
    from tribridge.networks.one_choice import OneChoice

    return OneChoice.of(arrays, SCALE)


_CLOSE: Final = 256
"""Rows of a block, whose values fit into the cache of a core."""


def _combine(x: F32, step: F32, bias: F32, others: F32) -> None:
    """One residual layer, in place, given its product with each suit's own values."""
    _add(step, _sums(x) @ others + bias)
    np.maximum(step, 0, out=step)
    x += step


def _sums(x: F32) -> F32:
    """The sums over the rows of four suits each."""
    sums: F32 = np.add.reduce(x.reshape(-1, _SUITS, x.shape[1]), axis=1)
    return sums


def _add(x: F32, each: F32) -> None:
    """Add one row to those of four suits each, in place."""
    grouped = x.reshape(len(each), _SUITS, x.shape[1])
    grouped += each[:, None]


class NetworkKind(NamedTuple):
    """What a network is for, and how many features and outputs it has."""

    name: str
    suit: int
    table: int
    outputs: int


def package_weights(name: str) -> bytes:
    """The NumPy file of weights in the package, joined if it is split.

    A wheel is without those that only repeat what studies measured (`pyproject.toml`).
    """
    file = resources.files("tribridge").joinpath(name)
    if not file.is_file():
        raise NotFoundError(
            f"{Path(name).name}: these weights are not in the installed package, only in the "
            "repository: pip install -e . there"
        )
    return joined(file.read_bytes())


def load_network(file: IO[bytes], name: str, kind: NetworkKind) -> SuitNetwork:
    """The network of an exported file, if it is of this kind; anything else is refused."""
    return SuitNetwork.of(read_weights(file, name, kind)[1])


SCALE: Final = ".scale"
"""Weights in 8 bits are integers; an array named after them has what one unit of each row is."""


def full_size(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a file, those in 8 bits multiplied out."""
    sizes = {name: array for name, array in arrays.items() if not name.endswith(SCALE)}
    for name, array in sizes.items():
        scale = arrays.get(name + SCALE)
        if scale is not None and array.ndim == 2 and scale.shape == array.shape[:1]:
            sizes[name] = array.astype(np.float32) * scale[:, None].astype(np.float32)
    return sizes


def in_eight_bits(arrays: Mapping[str, NDArray[Any]], step: float = 0.0) -> dict[str, NDArray[Any]]:
    """Matrices in 8 bits: each row has a scale, and its largest weight is 127 units.

    With a step, a unit is at least so many standard deviations of the row: fewer different numbers,
    which compress better.
    """
    result = {}
    for name, array in arrays.items():
        if array.ndim != 2:
            result[name] = array
            continue
        scale = units(array, step)
        result[name] = np.round(array.astype(np.float32) / scale[:, None]).astype(np.int8)
        result[name + SCALE] = scale
    return result


def units(matrix: NDArray[Any], step: float = 0.0) -> F32:
    """What one unit of each row is worth: 127 of them the largest weight, or `step` deviations."""
    weights = matrix.astype(np.float32)
    largest = np.maximum(np.abs(weights).max(1), 1e-12)
    result: F32 = np.maximum(largest / 127, step * weights.std(1))
    return result


def in_sixteen_bits(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """All numbers with a fraction in 16 bits."""
    return {
        name: array.astype(np.float16) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def read_weights(
    file: IO[bytes], name: str, *kinds: NetworkKind
) -> tuple[NetworkKind, dict[str, NDArray[Any]]]:
    """The kind of an exported network and its arrays as stored; no such kind is refused."""
    refusal = f"{name}: not the weights of a {' or '.join(kind.name for kind in kinds)} network"
    stored = load_arrays(file, refusal)
    arrays = full_size(stored)
    width = len(arrays.get("suit_in.bias", ()))

    def shapes(kind: NetworkKind) -> dict[str, tuple[int, ...]]:
        return {
            "suit_in.weight": (width, kind.suit),
            "suit_in.bias": (width,),
            "table_in.weight": (width, kind.table),
            "out.weight": (kind.outputs, width),
            "out.bias": (kind.outputs,),
            "out_others.weight": (kind.outputs, width),
        }

    def fits(kind: NetworkKind) -> bool:
        wanted = shapes(kind).items()
        return all(part in arrays and arrays[part].shape == shape for part, shape in wanted)

    kind = next(filter(fits, kinds), kinds[0])
    expected = shapes(kind)
    for layer in range(sum(part.startswith("others.") for part in arrays)):
        expected[f"own.{layer}.weight"] = expected[f"others.{layer}.weight"] = (width, width)
        expected[f"own.{layer}.bias"] = (width,)
    for part, shape in expected.items():
        got = arrays[part].shape if part in arrays else "missing"
        if got != shape:
            raise FormatError(f"{refusal}: {part} is {got}, expected {shape}")
        if not np.isfinite(arrays[part]).all():
            raise FormatError(f"{refusal}: {part} contains values that are not numbers")
    return kind, stored
