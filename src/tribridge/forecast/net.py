"""Kinds `net` and `real`: a network, run with plain NumPy.

The network treats the four suits alike: an encoder reads one suit's cards, residual layers combine
each suit with the mean of the four, one head forecasts each suit as trumps and another, on the
mean, forecasts notrump. `training.forecast` trains it; here it only runs.

A suit is represented by its seven highest ranks and the number of lower cards, so two hands have
one of 61,236 states in a suit. For many forecasts, the encoder's outputs for all states are
computed once and looked up; for a few, the encoder runs on the suits at hand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain
from tribridge.cards.masks import F32, RANKS, ROWS, U64, rows_of
from tribridge.common.blas import ONE_BLAS_THREAD
from tribridge.common.files import load_arrays
from tribridge.common.parallel import cores

LOW: Final = 6
"""This many of the lowest ranks of a suit are counted, not distinguished."""

_HIGH: Final = RANKS - LOW
_PIECE: Final = 1024
_SOME: Final = 16
_MANY: Final = 16_384


@dataclass
class SuitNetwork:
    """One network, for hands alone or for hands with their dummies."""

    hands: int
    weights: Mapping[str, F32]
    asked: int = 0
    """Forecasts so far: after many, the encoder's outputs are looked up.

    Concurrent threads may lose a count. That only delays the lookup, which gives the same outputs
    as the encoder.
    """

    def chances(self, *masks: U64) -> F32:
        """Chances of 0-13 tricks in each strain: (n, 5, 14)."""
        rows = [rows_of(hands) for hands in masks]
        count = len(rows[0])
        result = np.empty((count, len(Strain), 14), np.float32)
        self.asked += count
        encoded = self._encoded
        if self.asked >= _MANY:
            encoded = self._looked_up
            _ = self._table  # computed once here, not by each of the threads below

        def fill(start: int) -> None:
            piece = [part[start : start + _PIECE] for part in rows]
            result[start : start + _PIECE] = self._mixed(*encoded(piece))

        starts = range(0, count, _PIECE)
        if count < _SOME:
            deque(map(fill, starts), maxlen=0)
        elif count < _MANY:
            with ONE_BLAS_THREAD:
                deque(map(fill, starts), maxlen=0)
        else:
            with ONE_BLAS_THREAD, ThreadPoolExecutor(cores()) as threads:
                deque(threads.map(fill, starts), maxlen=0)
        return result

    def _encoded(self, rows: list[NDArray[Any]]) -> tuple[F32, F32]:
        """The encoder's output for each suit (n, 4, width), and the first layer's product of it.

        Suits that are alike, as those of layouts often are, are encoded once.
        """
        if len(rows[0]) == 1:
            return self._encode(np.concatenate([_COUNTED[part] for part in rows], axis=-1))
        state = sum(codes[part] for codes, part in zip(_codes(self.hands), rows, strict=True))
        _, first, places = np.unique(state, return_index=True, return_inverse=True)
        cards = np.concatenate([_COUNTED[part.reshape(-1)[first]] for part in rows], axis=-1)
        encoded, own = self._encode(cards)
        return encoded[places.reshape(state.shape)], own[places.reshape(state.shape)]

    def _looked_up(self, rows: list[NDArray[Any]]) -> tuple[F32, F32]:
        """The same, looked up in the table of all states."""
        state = sum(codes[part] for codes, part in zip(_codes(self.hands), rows, strict=True))
        place = self._table[0][state]
        return self._table[1][place], self._table[2][place]

    def _encode(self, cards: F32) -> tuple[F32, F32]:
        w = self.weights
        hidden = np.maximum(_times(cards, w["encoder.0.weight"]) + w["encoder.0.bias"], 0)
        encoded = np.maximum(_times(hidden, w["encoder.2.weight"]) + w["encoder.2.bias"], 0)
        return encoded, _times(encoded, w["own.0.weight"])

    @cached_property
    def _table(self) -> tuple[NDArray[np.int32], F32, F32]:
        """The index of each state, and the encoder's outputs for all states."""
        used, cards = suit_states(self.hands)
        places = np.full(used[-1] + 1, -1, np.int32)
        places[used] = np.arange(len(used))
        return places, *self._encode(cards)

    @cached_property
    def _layers(self) -> int:
        return sum(name.startswith("others.") for name in self.weights)

    def _mixed(self, x: F32, own: F32) -> F32:
        """The layers and heads, from the encoded suits to the chances."""
        w = self.weights
        for layer in range(self._layers):
            if layer:
                own = _times(x, w[f"own.{layer}.weight"])
            own += (_mean(x) @ w[f"others.{layer}.weight"] + w[f"own.{layer}.bias"])[:, None]
            np.maximum(own, 0, out=own)
            own += x
            x = own
        mean = _mean(x)
        logits = np.empty((len(x), len(Strain), 14), np.float32)
        logits[:, :4] = _times(x, w["suit.weight"])
        logits[:, :4] += (mean @ w["suit_others.weight"] + w["suit.bias"])[:, None]
        hidden = np.maximum(mean @ w["notrump.0.weight"] + w["notrump.0.bias"], 0)
        logits[:, Strain.NOTRUMP] = hidden @ w["notrump.3.weight"] + w["notrump.3.bias"]
        logits -= logits.max(-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(-1, keepdims=True)
        return logits


@dataclass(frozen=True, slots=True)
class Net:
    """The forecaster `net`: one network for hands alone, one for hands with their dummies."""

    weights: ClassVar[str] = "data/net.npz"

    single: SuitNetwork
    pair: SuitNetwork

    @classmethod
    def load(cls) -> Self:
        """The weights in the package."""
        with resources.files(__package__).joinpath(cls.weights).open("rb") as file:
            return cls.of(load_arrays(file, f"{cls.weights}: not a file of weights"))

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """From arrays named `single.…` and `pair.…`, as `training.forecast` writes them."""
        return cls(SuitNetwork(1, part(arrays, "single")), SuitNetwork(2, part(arrays, "pair")))

    def from_hand(self, hands: U64) -> F32:
        return self.single.chances(hands)

    def from_pair(self, hands: U64, dummies: U64) -> F32:
        return self.pair.chances(hands, dummies)


def part(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, F32]:
    """The arrays of one network of several, which begin with its name and a dot."""
    start = f"{name}."
    return {
        key.removeprefix(start): array.astype(np.float32, copy=False)
        for key, array in arrays.items()
        if key.startswith(start)
    }


class RealNet(Net):
    """The forecaster `real`: the same for the tricks of deals played by the strategy `learned`."""

    __slots__ = ()
    weights = "data/real.npz.split"


def _times(x: F32, weight: F32) -> F32:
    """The product over the last axis, as one large matrix product instead of many small ones."""
    product: F32 = x.reshape(-1, x.shape[-1]) @ weight
    return product.reshape(*x.shape[:-1], -1)


def _mean(x: F32) -> F32:
    """The mean of the four suits."""
    mean: F32 = x[:, 0] + x[:, 1]
    mean += x[:, 2]
    mean += x[:, 3]
    mean *= np.float32(0.25)
    return mean


_BITS: Final = (np.arange(ROWS)[:, None] >> np.arange(RANKS) & 1).astype(np.float32)
_LOWS: Final = _BITS[:, _HIGH:].sum(-1).astype(np.int64)
_COUNTED: Final = np.concatenate(
    [_BITS[:, :_HIGH], (np.arange(LOW) < _LOWS[:, None]).astype(np.float32)], axis=-1
)
"""Each row as the encoder sees it: high cards individually, low cards counted."""


@cache
def _codes(hands: int) -> list[NDArray[np.int64]]:
    """For each hand, codes of its rows that add up to the number of a suit's state.

    Each high rank is in neither hand, in the first or in the second: a base-3 digit. The higher
    digits are the numbers of low cards.
    """
    digits = _BITS[:, :_HIGH].astype(np.int64) @ 3 ** np.arange(_HIGH)
    return [digits * (hand + 1) + _LOWS * 3**_HIGH * (LOW + 1) ** hand for hand in range(hands)]


def suit_states(hands: int) -> tuple[NDArray[np.int64], F32]:
    """All states of a suit in order of their numbers, and the encoder's input for each."""
    codes = _codes(hands)
    first, own = np.unique(codes[0], return_index=True)
    if hands == 1:
        return first, _COUNTED[own]
    second, other = np.unique(codes[1], return_index=True)
    fits = (own[:, None] & other & (1 << _HIGH) - 1 == 0) & (
        _LOWS[own][:, None] + _LOWS[other] <= LOW
    )
    at, beside = np.nonzero(fits)
    numbers = first[at] + second[beside]
    order = np.argsort(numbers)
    cards = np.concatenate([_COUNTED[own[at]], _COUNTED[other[beside]]], axis=-1)
    return numbers[order], cards[order]
