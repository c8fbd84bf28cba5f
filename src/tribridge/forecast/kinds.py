"""The kinds of forecasters behind one interface.

| kind | how |
| --- | --- |
| `capture` | the paper's captures T, mapped to the tricks that hands with that T make |
| `points` | values of honours, lengths and fit that a person can add up at the table |
| `net` | a network that treats the four suits alike |
| `real` | a network of the same form, for the tricks that `learned` takes |

The first three forecast double-dummy tricks, `real` the tricks of deals played out by the strategy
`learned`, whose players see only their own cards and dummy.

Each forecasts from a hand alone, before dummy is seen, and from a hand with its dummy. The hand is
declarer's, dummy is opposite and the left defender leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Hand, Strain, check_pair
from tribridge.cards.deals import ByStrain
from tribridge.cards.masks import U64
from tribridge.common.errors import NotFoundError
from tribridge.common.once import once
from tribridge.forecast.distribution import TRICKS, Distribution, distributions
from tribridge.forecast.sure import possible

KINDS: Final = {
    "net": "a network that treats the four suits alike",
    "points": "points for honours, length and fit, added up",
    "capture": "the paper's captures, mapped to tricks",
    "real": "a network of the tricks that the player learned takes, not double dummy",
}
SOLVED: Final = ("net", "points", "capture")
"""The kinds that forecast double-dummy tricks."""
DEFAULT: Final = "net"
_CLASSES: Final = {
    "net": ("net", "Net"),
    "points": ("points", "Points"),
    "capture": ("capture", "Captures"),
    "real": ("net", "RealNet"),
}
"""The module and the class of each kind."""
FILES: Final = {
    "net": "forecast/data/net.npz",
    "points": "forecast/data/points.json",
    "capture": "forecast/data/capture.npz",
    "real": "forecast/data/real.npz.split",
}
"""What each kind learned or was fitted to, in the package."""


class Forecaster(Protocol):
    """Chances of 0 to 13 tricks for many hands at once: arrays (n, 5 strains, 14).

    Raw chances; `forecast` removes the chances of impossible numbers of tricks (`sure`).
    """

    def from_hand(self, hands: U64) -> NDArray[Any]:
        """From declarer's thirteen cards alone."""

    def from_pair(self, hands: U64, dummies: U64) -> NDArray[Any]:
        """From declarer's and dummy's cards."""


def find_forecaster(kind: str = DEFAULT) -> Forecaster:
    """The forecaster of a kind, loaded once: `net`, `points`, `capture` or `real`."""
    if kind not in tuple(KINDS):  # a list has no hash, and is no kind either
        raise NotFoundError(f"unknown forecast kind {kind!r}: expected {', '.join(KINDS)}")
    return _loaded(kind)


@once
def _loaded(kind: str) -> Forecaster:
    module, name = _CLASSES[kind]
    loaded: Forecaster = getattr(import_module(f"tribridge.forecast.{module}"), name).load()
    return loaded


def forecast(hand: Hand, dummy: Hand | None = None, kind: str = DEFAULT) -> ByStrain[Distribution]:
    """Forecast the tricks of a declarer's hand, alone or with its dummy, in each strain."""
    forecaster = find_forecaster(kind)
    check_pair(hand, dummy)
    own = np.array([hand.mask], np.uint64)
    if dummy is None:
        return distributions(possible(forecaster.from_hand(own), own)[0])
    other = np.array([dummy.mask], np.uint64)
    return distributions(possible(forecaster.from_pair(own, other), own, other)[0])


def forecast_many(
    hands: Sequence[tuple[Hand, Hand | None]], kind: str = DEFAULT
) -> list[ByStrain[Distribution]]:
    """`forecast` for many hands, with or without a dummy, in order."""
    forecaster = find_forecaster(kind)
    for hand, dummy in hands:
        check_pair(hand, dummy)
    chances = np.empty((len(hands), len(Strain), TRICKS + 1))
    alone = np.array([dummy is None for _, dummy in hands], bool)
    own = np.array([hand.mask for hand, _ in hands], np.uint64)
    other = np.array([0 if dummy is None else dummy.mask for _, dummy in hands], np.uint64)
    if alone.any():
        chances[alone] = possible(forecaster.from_hand(own[alone]), own[alone])
    if not alone.all():
        own, other = own[~alone], other[~alone]
        chances[~alone] = possible(forecaster.from_pair(own, other), own, other)
    return [distributions(row) for row in chances]
