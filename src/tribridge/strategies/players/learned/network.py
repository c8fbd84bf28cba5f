"""Running a trained network with NumPy.

One encoder reads each suit together with the table's features; residual layers combine each suit
with the mean of the four; the heads give outputs for each card of a suit. All four suits share the
same weights, so permuting the suits permutes the outputs.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tribridge.errors import FormatError, first_line

F32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SuitNetwork:
    """The weights of one network, each stored as (inputs, outputs)."""

    suit_in: F32
    suit_in_bias: F32
    table_in: F32
    own: tuple[F32, ...]
    own_bias: tuple[F32, ...]
    others: tuple[F32, ...]
    out: F32
    out_bias: F32
    out_others: F32

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> SuitNetwork:
        """From the arrays a training run exported, under PyTorch's names."""

        def weight(name: str) -> F32:
            return np.ascontiguousarray(arrays[f"{name}.weight"].T, np.float32)

        def bias(name: str) -> F32:
            return arrays[f"{name}.bias"].astype(np.float32)

        layers = range(sum(name.startswith("others.") for name in arrays))
        return cls(
            suit_in=weight("suit_in"),
            suit_in_bias=bias("suit_in"),
            table_in=weight("table_in"),
            own=tuple(weight(f"own.{at}") for at in layers),
            own_bias=tuple(bias(f"own.{at}") for at in layers),
            others=tuple(weight(f"others.{at}") for at in layers),
            out=weight("out"),
            out_bias=bias("out"),
            out_others=weight("out_others"),
        )

    def __call__(self, suits: F32, table: F32) -> F32:
        """From features (4, f) and (g,) to outputs (4, n)."""
        x: F32 = suits @ self.suit_in
        x += self.suit_in_bias + table @ self.table_in
        np.maximum(x, 0, out=x)
        for own, bias, others in zip(self.own, self.own_bias, self.others, strict=True):
            step: F32 = x @ own
            step += bias + x.mean(0) @ others
            np.maximum(step, 0, out=step)
            x += step
        answers: F32 = x @ self.out
        answers += self.out_bias + x.mean(0) @ self.out_others
        return answers

    def batch(self, suits: F32, table: F32) -> F32:
        """The same for many at once: from (n, 4, f) and (n, g) to (n, 4, outputs)."""
        count, rows = suits.shape[:2]
        # One product of two matrices: NumPy would multiply (n, 4, f) by a matrix n times.
        x: F32 = suits.reshape(count * rows, -1) @ self.suit_in
        _add(x, self.suit_in_bias + table @ self.table_in)
        np.maximum(x, 0, out=x)
        for own, bias, others in zip(self.own, self.own_bias, self.others, strict=True):
            step: F32 = x @ own
            _add(step, bias + _mean(x, count) @ others)
            np.maximum(step, 0, out=step)
            x += step
        answers: F32 = x @ self.out
        _add(answers, self.out_bias + _mean(x, count) @ self.out_others)
        return answers.reshape(count, rows, -1)


def _mean(x: F32, count: int) -> F32:
    """The mean over the rows of each of `count` groups."""
    mean: F32 = np.add.reduce(x.reshape(count, -1, x.shape[1]), axis=1)
    mean *= np.float32(count / len(x))
    return mean


def _add(x: F32, each: F32) -> None:
    """Add one row to all rows of each group, in place."""
    grouped = x.reshape(len(each), -1, x.shape[1])
    grouped += each[:, None]


def load_network(
    file: IO[bytes], refusal: str, *, suit: int, table: int, outputs: int
) -> SuitNetwork:
    """The network of an exported file with these sizes; anything else is refused, saying why."""
    try:
        arrays = dict(np.load(file, allow_pickle=False))
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"{refusal}: {first_line(error)}") from None
    width = len(arrays.get("suit_in.bias", ()))
    expected: dict[str, tuple[int, ...]] = {
        "suit_in.weight": (width, suit),
        "suit_in.bias": (width,),
        "table_in.weight": (width, table),
        "out.weight": (outputs, width),
        "out.bias": (outputs,),
        "out_others.weight": (outputs, width),
    }
    for layer in range(sum(part.startswith("others.") for part in arrays)):
        expected[f"own.{layer}.weight"] = expected[f"others.{layer}.weight"] = (width, width)
        expected[f"own.{layer}.bias"] = (width,)
    for part, shape in expected.items():
        got = arrays[part].shape if part in arrays else "missing"
        if got != shape:
            raise FormatError(f"{refusal}: {part} is {got}, expected {shape}")
        if not np.isfinite(arrays[part]).all():
            raise FormatError(f"{refusal}: {part} contains values that are not numbers")
    return SuitNetwork.of(arrays)
