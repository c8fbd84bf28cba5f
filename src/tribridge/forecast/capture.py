"""Kind `capture`: the paper's closed form, with its output mapped to tricks.

Algorithm 1 (one hand) or 2 (hand and dummy) divides hands into classes: by its captures T if both
conditions hold, otherwise by the total leading gap, which Condition A tests. All hands of a class
get the same distribution: how often hands of that class made 0 to 13 tricks on labelled deals. In a
suit contract the class also includes the number of trumps, in hand or in hand and dummy; the closed
form ignores trumps.

The paper breaks ties by the order of suits. Here suits are taken in the order of their row classes,
so the forecast does not depend on which suit is which.

**Smoothing.** To each cell's counts are added `WEIGHT` pseudo-observations from a normal
distribution around a curve through all cells: quadratic in T or in the gap, made monotonic, and
cubic in the number of trumps. Cells that no labelled deal reached get the curve alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import BUDGET
from tribridge.cards import Strain, Suit
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.suit_masks import lengths, normal_chances

U64 = NDArray[np.uint64]
F32 = NDArray[np.float32]
Ints = NDArray[np.int64]

MOST_GAP: Final = 24
"""Larger total leading gaps are treated as this one."""
_FIRST: Final = MOST_GAP + 1 - 4
CLASSES: Final = _FIRST + TRICKS + 1
LENGTHS: Final = TRICKS + 2
"""Trumps 0 to 13, and a place for notrump."""
NOTRUMP: Final = LENGTHS - 1
WEIGHT: Final = 20.0

_FILE: Final = "data/capture.npz"
_CHUNK: Final = 1 << 16


def classes(hands: U64, dummies: U64 | None = None) -> Ints:
    """The class of each hand: its gap if a condition fails, `_FIRST` + T if both hold."""
    if dummies is None:
        evaluation = arrays.single(hands, ordered=True)
    else:
        evaluation = arrays.pair(hands, dummies, ordered=True)
    return np.where(
        evaluation.holds, _FIRST + evaluation.captures, np.minimum(evaluation.gap, MOST_GAP)
    )


def class_name(number: int) -> str:
    """A class in words."""
    if number > MOST_GAP:
        return f"T = {number - _FIRST}"
    fails = "A" if number > BUDGET else "B"
    return f"{fails} fails, gap {number}{' or more' if number == MOST_GAP else ''}"


@dataclass(frozen=True, eq=False)
class Captures:
    """Chances by class and trumps: two tables (classes, trumps, 14), for 13 and for 26 cards."""

    single: F32
    pair: F32

    @classmethod
    def load(cls) -> Captures:
        """The tables in the package."""
        data = resources.files("tribridge.forecast").joinpath(_FILE).read_bytes()
        with np.load(BytesIO(data)) as file:
            return cls(_shares(file["single"]), _shares(file["pair"]))

    def from_hand(self, hands: U64) -> F32:
        return self._chances(hands, None)

    def from_pair(self, hands: U64, dummies: U64) -> F32:
        return self._chances(hands, dummies)

    def _chances(self, hands: U64, dummies: U64 | None) -> F32:
        hands = np.asarray(hands, np.uint64)
        table = self.single if dummies is None else self.pair
        result = np.empty((len(hands), len(Strain), TRICKS + 1), np.float32)
        for start in range(0, len(hands), _CHUNK):
            part = slice(start, start + _CHUNK)
            other = None if dummies is None else np.asarray(dummies, np.uint64)[part]
            result[part] = table[cells(hands[part], other)]
        return result


def cells(hands: U64, dummies: U64 | None = None) -> tuple[Ints, Ints]:
    """The table indices of each hand, by strain: class and number of trumps, both (n, 5)."""
    trumps = np.full((len(hands), len(Strain)), NOTRUMP, np.int64)
    trumps[:, : len(Suit)] = lengths(hands if dummies is None else hands | dummies)
    return np.broadcast_to(classes(hands, dummies)[:, None], trumps.shape), trumps


def fit_table(hands: U64, dummies: U64 | None, tricks: NDArray[np.integer]) -> F32:
    """The table from labelled hands; `tricks` is (n, 5)."""
    number, trumps = cells(hands, dummies)
    counts = np.zeros((CLASSES, LENGTHS, TRICKS + 1))
    np.add.at(counts, (number, trumps, tricks), 1.0)
    result = np.empty_like(counts)
    for chosen in (slice(0, NOTRUMP), slice(NOTRUMP, LENGTHS)):
        prior = _prior(counts[:, chosen], np.arange(LENGTHS)[chosen])
        total = counts[:, chosen].sum(axis=-1, keepdims=True)
        result[:, chosen] = (counts[:, chosen] + WEIGHT * prior) / (total + WEIGHT)
    return np.round(result, 5).astype(np.float32)


def _prior(counts: NDArray[np.float64], trumps: Ints) -> NDArray[np.float64]:
    """A normal distribution around a curve through the means of all cells."""
    held = np.arange(CLASSES) > MOST_GAP
    value = np.where(held, np.arange(CLASSES) - _FIRST, np.arange(CLASSES)) / 10
    by_class = np.stack([mask * value**power for mask in (held, ~held) for power in range(3)], 1)
    tenths = trumps / 10.0 if len(trumps) > 1 else np.zeros(1)
    by_trumps = np.stack([tenths**power for power in (1, 2, 3)], axis=1)
    design = np.hstack([np.repeat(by_class, len(trumps), axis=0), np.tile(by_trumps, (CLASSES, 1))])
    cells = counts.reshape(-1, TRICKS + 1)
    weight = cells.sum(axis=1)
    points = np.arange(TRICKS + 1)
    mean = cells @ points / np.maximum(weight, 1)
    root = np.sqrt(weight)[:, None]
    coefficients = np.linalg.lstsq(design * root, mean * root[:, 0], rcond=None)[0]
    level, more = by_class @ coefficients[:6], by_trumps @ coefficients[6:]
    # Make the curve monotonic where data are sparse: a larger gap never predicts more tricks, and
    # more captures never predict fewer.
    level[~held] = np.minimum.accumulate(level[~held])
    level[held] = np.maximum.accumulate(level[held])
    curve = (level[:, None] + more).reshape(-1)
    sd = float(np.sqrt((cells * (points - curve[:, None]) ** 2).sum() / weight.sum()))
    return normal_chances(curve, sd).reshape(counts.shape)


def _shares(table: F32) -> F32:
    return np.asarray(table / table.sum(axis=-1, keepdims=True), np.float32)


def dumps_tables(single: F32, pair: F32) -> bytes:
    """The data file of this kind."""
    buffer = BytesIO()
    np.savez_compressed(buffer, single=single, pair=pair)
    return buffer.getvalue()
