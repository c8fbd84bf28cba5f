"""Kind `capture`: the paper's closed form, with its output mapped to tricks.

Algorithm 1 (one hand) or 2 (hand and dummy) divides hands into classes: by its captures T if both
conditions hold, otherwise by the total leading gap, which Condition A tests. All hands of a class
get the same distribution: how often hands of that class made 0 to 13 tricks on labelled deals. In a
suit contract the class also includes the number of trumps, in hand or in hand and dummy; the closed
form ignores trumps.

The paper breaks ties by the order of suits. Here suits are taken in the order of their row classes,
so the forecast does not depend on which suit is which.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np

from tribridge.capture.simulation import arrays
from tribridge.cards.cards import Strain, Suit
from tribridge.cards.masks import F32, I64, U64, lengths
from tribridge.common.files import load_arrays
from tribridge.forecast.distribution import TRICKS

MOST_GAP: Final = 24
"""Larger total leading gaps are treated as this one."""
FIRST: Final = MOST_GAP + 1 - 4
"""The class of no captures, if both conditions hold."""
CLASSES: Final = FIRST + TRICKS + 1
LENGTHS: Final = TRICKS + 2
"""Trumps 0 to 13, and a place for notrump."""
NOTRUMP: Final = LENGTHS - 1

_FILE: Final = "data/capture.npz"
_CHUNK: Final = 1 << 16


def classes(hands: U64, dummies: U64 | None = None) -> I64:
    """The class of each hand: its gap if a condition fails, `FIRST` + T if both hold."""
    if dummies is None:
        evaluation = arrays.single(hands, ordered=True)
    else:
        evaluation = arrays.pair(hands, dummies, ordered=True)
    return np.where(
        evaluation.holds, FIRST + evaluation.captures, np.minimum(evaluation.gap, MOST_GAP)
    )


@dataclass(frozen=True, eq=False)
class Captures:
    """Chances by class and trumps: two tables (classes, trumps, 14), for 13 and for 26 cards."""

    single: F32
    pair: F32

    @classmethod
    def load(cls) -> Captures:
        """The tables in the package."""
        with resources.files("tribridge.forecast").joinpath(_FILE).open("rb") as file:
            tables = load_arrays(file, f"{_FILE}: not a file of tables")
        return cls(_shares(tables["single"]), _shares(tables["pair"]))

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


def cells(hands: U64, dummies: U64 | None = None) -> tuple[I64, I64]:
    """The table indices of each hand, by strain: class and number of trumps, both (n, 5)."""
    trumps = np.full((len(hands), len(Strain)), NOTRUMP, np.int64)
    trumps[:, : len(Suit)] = lengths(hands if dummies is None else hands | dummies)
    return np.broadcast_to(classes(hands, dummies)[:, None], trumps.shape), trumps


def _shares(table: F32) -> F32:
    return np.asarray(table / table.sum(axis=-1, keepdims=True), np.float32)
