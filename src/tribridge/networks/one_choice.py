"""A network's answer about one choice, by compiled code that reads weights as they are stored.

For one choice a processor waits for the weights more than it multiplies, so weights in eight bits
are read as such: an answer takes a quarter of the time that it takes with NumPy, which is the slow
way beside this one and multiplies the weights of many choices at once faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tribridge.common.compiled import njit

F32 = NDArray[np.float32]
I8 = NDArray[np.int8]
Matrix = tuple[I8, F32]
"""Integers (inputs, outputs), and what one unit of each output is."""


@dataclass(frozen=True, eq=False)
class OneChoice:
    """A network with all its matrices in eight bits; see `network.SuitNetwork`."""

    suit_in: Matrix
    table_in: Matrix
    own: Matrix
    """Of all layers, one above the other."""
    others: Matrix
    out: Matrix
    out_others: Matrix
    biases: tuple[F32, F32, F32]
    """Of the first values, of the layers and of the outputs."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], scale: str) -> OneChoice:
        """From the arrays of a file; the units of a matrix are under its name and `scale`."""

        def matrix(*names: str) -> Matrix:
            weights = [arrays[f"{name}.weight"].T for name in names]
            units = [arrays[f"{name}.weight{scale}"] for name in names]
            return np.ascontiguousarray(weights), np.array(units, np.float32)

        def bias(*names: str) -> F32:
            return np.array([arrays[f"{name}.bias"] for name in names], np.float32)

        layers = range(sum(name.endswith(".bias") and name.startswith("own.") for name in arrays))
        own = tuple(f"own.{at}" for at in layers)
        return cls(
            matrix("suit_in"),
            matrix("table_in"),
            matrix(*own),
            matrix(*(f"others.{at}" for at in layers)),
            matrix("out"),
            matrix("out_others"),
            (bias("suit_in"), bias(*own), bias("out")),
        )

    def __call__(self, suits: F32, table: F32) -> F32:
        """From the features of one choice, (4, f) and (g,), to outputs (4, outputs)."""
        result: F32 = _answers(
            suits,
            table,
            *self.suit_in,
            *self.table_in,
            *self.own,
            *self.others,
            *self.out,
            *self.out_others,
            *self.biases,
        )
        return result


@njit(cache=True, nogil=True, error_model="numpy")
def _answers(
    suits: F32,
    table: F32,
    suit_in: I8,
    suit_units: F32,
    table_in: I8,
    table_units: F32,
    own: I8,
    own_units: F32,
    others: I8,
    others_units: F32,
    out: I8,
    out_units: F32,
    out_others: I8,
    out_others_units: F32,
    first_bias: F32,
    biases: F32,
    out_bias: F32,
) -> F32:
    width = own.shape[2]
    mean = np.float32(0.25)
    nothing = np.float32(0)
    each = np.zeros((4, width), np.float32)
    shared = np.zeros(width, np.float32)
    for at in range(len(table)):
        if table[at] != nothing:
            for j in range(width):
                shared[j] += table[at] * np.float32(table_in[0, at, j])
    for j in range(width):
        shared[j] = shared[j] * table_units[0, j] + first_bias[0, j]
    for at in range(suits.shape[1]):
        for suit in range(4):
            if suits[suit, at] != nothing:
                for j in range(width):
                    each[suit, j] += suits[suit, at] * np.float32(suit_in[0, at, j])
    x = np.empty((4, width), np.float32)
    for suit in range(4):
        for j in range(width):
            x[suit, j] = max(each[suit, j] * suit_units[0, j] + shared[j], nothing)
    for layer in range(len(own)):
        _multiply(x, own[layer], others[layer], each, shared)
        for j in range(width):
            all_suits = mean * shared[j] * others_units[layer, j] + biases[layer, j]
            for suit in range(4):
                x[suit, j] += max(each[suit, j] * own_units[layer, j] + all_suits, nothing)
    result = np.empty((4, out.shape[2]), np.float32)
    shared = np.empty(out.shape[2], np.float32)
    _multiply(x, out[0], out_others[0], result, shared)
    for j in range(len(shared)):
        all_suits = mean * shared[j] * out_others_units[0, j] + out_bias[0, j]
        for suit in range(4):
            result[suit, j] = result[suit, j] * out_units[0, j] + all_suits
    return result


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply(x: F32, own: I8, others: I8, each: F32, shared: F32) -> None:
    """The products of each suit with `own` and of the sum of the four with `others`.

    Two inputs at a time: half as much is written.
    """
    each[:] = 0
    shared[:] = 0
    for at in range(0, x.shape[1], 2):
        a0, a1, a2, a3 = x[0, at], x[1, at], x[2, at], x[3, at]
        b0, b1, b2, b3 = x[0, at + 1], x[1, at + 1], x[2, at + 1], x[3, at + 1]
        a, b = a0 + a1 + a2 + a3, b0 + b1 + b2 + b3
        for j in range(own.shape[1]):
            u, v = np.float32(own[at, j]), np.float32(own[at + 1, j])
            each[0, j] += a0 * u + b0 * v
            each[1, j] += a1 * u + b1 * v
            each[2, j] += a2 * u + b2 * v
            each[3, j] += a3 * u + b3 * v
            shared[j] += a * np.float32(others[at, j]) + b * np.float32(others[at + 1, j])
