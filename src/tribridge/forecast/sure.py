"""Tricks that trumps make or lose whatever happens, and forecasts that know it.

With a suit as trumps, no card beats its highest ones but a higher of them. If the declarer's side
holds the highest k trumps between its hands, a trick to which either hand plays one of them is
won. A hand plays its own to different tricks, so there are as many sure tricks as the hand with
more of them has. The defenders' sure tricks are the same the other way round: of the highest k
that they hold, one of them has half or more.

A kind's chances come from hands as they are dealt, and say little of a hand that hardly ever is.
What they give to impossible tricks is taken off and the rest raised in proportion.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Suit
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.rows import LENGTH, ROWS, rows_of

U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

_RUN: Final = np.array([((row + 1) & ~row).bit_length() - 1 for row in range(ROWS)], np.int64)
"""How many of the highest ranks a holding has without a gap."""
_COUNTS: Final = np.arange(TRICKS + 1)


def sure(hands: U64, dummies: U64 | None = None) -> tuple[Ints, Ints]:
    """The fewest and the most tricks that can be made with each suit as trumps: (n, 4) each."""
    own = rows_of(hands)
    if dummies is None:
        fewest = _RUN[own]
        return fewest, np.full_like(fewest, TRICKS)
    other = rows_of(dummies)
    both = own | other
    highest = (1 << _RUN[both]) - 1
    fewest = np.maximum(LENGTH[own & highest], LENGTH[other & highest])
    return fewest, TRICKS - (_RUN[ROWS - 1 - both] + 1) // 2


def possible(chances: NDArray[Any], hands: U64, dummies: U64 | None = None) -> F64:
    """Chances (n, 5, 14) with nothing left for tricks that cannot be."""
    fewest, most = (limit[..., None] for limit in sure(hands, dummies))
    kept = np.array(chances, np.float64)
    suits = kept[:, : len(Suit)]
    nearest = np.clip((suits @ _COUNTS)[..., None], fewest, most).round()
    suits[(fewest > _COUNTS) | (most < _COUNTS)] = 0
    total = suits.sum(axis=-1, keepdims=True)
    kept[:, : len(Suit)] = np.where(
        total > 0, suits / np.where(total > 0, total, 1), nearest == _COUNTS
    )
    return kept
