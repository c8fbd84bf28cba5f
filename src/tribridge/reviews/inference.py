"""Which unseen card decides between two choices.

The gain of one card over another differs from layout to layout. The key is the unseen honour, in
the hand, whose presence correlates best with that gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Card, cards_of
from tribridge.game.tricks import CHAIRS, Chair, Hands

F64 = NDArray[np.float64]

_HONOURS: Final = 5
_LEAST: Final = 0.35
"""The weakest correlation that is worth a mention."""
_SIGNIFICANT: Final = 2.8
"""How many standard errors a correlation must be from 0 in a sample of layouts."""


@dataclass(frozen=True, slots=True)
class Key:
    """A card in a hidden hand, and how likely it was to be there."""

    card: Card
    chair: Chair
    chance: float


def key_card(
    layouts: Sequence[Hands],
    share: F64,
    gains: F64,
    unseen: int,
    *,
    hidden: Sequence[Chair],
    whole: bool,
    actual: Hands | None = None,
) -> Key | None:
    """The card whose place best explains the gains; None if no card stands out.

    With the actual hands, only cards that lie where they really were.
    """
    spread = _spread(gains, share)
    least = _LEAST if whole else max(_LEAST, _SIGNIFICANT / max(len(layouts), 1) ** 0.5)
    best: tuple[float, Key] | None = None
    if spread <= 1e-12:
        return None
    for chair in hidden:
        held = np.array([hands[chair] for hands in layouts], dtype=np.uint64)
        for card in cards_of(unseen):
            if card.rank >= _HONOURS or (actual is not None and not actual[chair] & card.bit):
                continue
            here = (held >> np.uint64(card) & np.uint64(1)).astype(np.float64)
            width = _spread(here, share)
            if width <= 1e-12:
                continue
            chance = float(share @ here)
            correlation = float(share @ ((gains - share @ gains) * (here - chance)))
            correlation /= spread * width
            if correlation >= least and (best is None or correlation > best[0] + 1e-9):
                best = correlation, Key(card, chair, chance)
    return None if best is None else best[1]


def hidden_from(own: Chair) -> tuple[Chair, ...]:
    """The chairs whose cards a player does not see; dummy is exposed."""
    return tuple(chair for chair in CHAIRS if chair not in (own, Chair.DUMMY))


def _spread(values: F64, share: F64) -> float:
    return float(np.sqrt(share @ (values - share @ values) ** 2))
