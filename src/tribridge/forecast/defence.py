"""Forecasts for a defender: declarer's tricks, from the thirteen cards of one defender.

The declarer is an opponent: the one on the left, so that the other defender leads, or the one on
the right, so that this hand leads. The other three hands are unknown and taken as random; what the
auction says about them is up to `advice`.

| kind | how |
| --- | --- |
| `net` | a network for each of the two defenders, of the same form as the one in `net` |
| `points` | a straight line through honour points and trumps, with normal errors |

`training.forecast` trains the networks, `training.estimators` fits the lines. As in `kinds`, the
chances of impossible numbers of tricks are removed (`sure.most_by_defender`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Hand, Strain, Suit, check_pair
from tribridge.cards.deals import ByStrain, Seat
from tribridge.cards.masks import F64, U64, honour_points, lengths
from tribridge.common.errors import NotFoundError, SettingError, shown
from tribridge.common.files import load_arrays
from tribridge.common.once import once
from tribridge.forecast.distribution import TRICKS, Distribution, distributions, normal_chances
from tribridge.forecast.kinds import DEFAULT
from tribridge.forecast.net import SuitNetwork, part
from tribridge.forecast.sure import most_by_defender, within

Opponent = Literal["left", "right"]
"""The opponent who declares, seen from the defender."""

DEFENCE_KINDS: Final = ("net", "points")

_WEIGHTS: Final = "data/defence.npz"
_LINES: Final = "data/defence.json"


class DefenceForecaster(Protocol):
    """Chances of 0 to 13 tricks by declarer for many defenders at once: arrays (n, 5, 14)."""

    def from_defender(self, hands: U64, declarer: Opponent) -> NDArray[Any]:
        """From a defender's thirteen cards."""


@dataclass(frozen=True, slots=True)
class DefenceNet:
    """One network for the left defender, who leads, and one for the right."""

    left: SuitNetwork
    right: SuitNetwork

    @classmethod
    def load(cls) -> DefenceNet:
        """The weights in the package."""
        with resources.files(__package__).joinpath(_WEIGHTS).open("rb") as file:
            return cls.of(load_arrays(file, f"{_WEIGHTS}: not a file of weights"))

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.float32]]) -> DefenceNet:
        """From arrays named `left.…` and `right.…`, as `training.forecast` writes them."""
        return cls(SuitNetwork(1, part(arrays, "left")), SuitNetwork(1, part(arrays, "right")))

    def from_defender(self, hands: U64, declarer: Opponent) -> NDArray[Any]:
        return (self.left if declarer == "right" else self.right).chances(hands)


@dataclass(frozen=True, slots=True)
class DefenceLines:
    """Declarer's tricks as a linear function of a defender's honour points and trumps."""

    lines: Mapping[str, tuple[float, ...]]
    """For `suit` and `NT`: a constant, tricks per point, per trump (0 in notrump), and the sd."""

    @classmethod
    def load(cls) -> DefenceLines:
        """The lines in the package."""
        text = resources.files(__package__).joinpath(_LINES).read_text("utf-8")
        return cls({name: tuple(line) for name, line in json.loads(text)["lines"].items()})

    def from_defender(self, hands: U64, declarer: Opponent) -> NDArray[Any]:
        columns = features(hands)
        result = np.empty((len(columns), len(Strain), TRICKS + 1))
        for strain in Strain:
            *line, sd = self.lines["NT" if strain is Strain.NOTRUMP else "suit"]
            result[:, strain] = normal_chances(columns[:, strain] @ np.array(line), sd)
        return result


def features(hands: U64) -> F64:
    """For each hand and strain a one, the honour points and the trumps: (n, 5, 3)."""
    result = np.zeros((len(hands), len(Strain), 3))
    result[..., 0] = 1
    result[..., 1] = honour_points(hands)[:, None]
    result[:, : len(Suit), 2] = lengths(hands)
    return result


def opponent(defender: Seat, declarer: Seat) -> Opponent:
    """Where declarer sits, seen from a defender.

    >>> opponent(Seat.NORTH, Seat.EAST), opponent(Seat.EAST, Seat.NORTH)
    ('left', 'right')
    """
    return "left" if declarer is defender.left else "right"


def parse_opponent(text: str) -> Opponent:
    """Check the name of an opponent: `left` or `right`."""
    if text not in get_args(Opponent):
        raise SettingError(
            f"unknown declarer {shown(text)}: expected left or right, the opponent who declares"
        )
    return cast(Opponent, text)


def find_defence(kind: str = DEFAULT) -> DefenceForecaster:
    """The defender's forecaster of a kind, loaded once: `net` or `points`."""
    if kind not in DEFENCE_KINDS:
        raise NotFoundError(
            f"no forecast {shown(kind)} for a defender: expected {' or '.join(DEFENCE_KINDS)}"
        )
    return _loaded(kind)


@once
def _loaded(kind: str) -> DefenceForecaster:
    return DefenceNet.load() if kind == "net" else DefenceLines.load()


def chances_against(hands: U64, declarer: Opponent, kind: str = DEFAULT) -> F64:
    """The chances of declarer's tricks, without impossible numbers of tricks: (n, 5, 14)."""
    chances = find_defence(kind).from_defender(hands, declarer)
    most = most_by_defender(hands, on_lead=declarer == "right")
    return within(chances, np.zeros_like(most), most)


def forecast_against(
    hands: Sequence[Hand], declarer: Opponent, kind: str = DEFAULT
) -> list[ByStrain[Distribution]]:
    """Forecast the tricks of an opponent who declares, from each defender's hand.

    >>> from tribridge.cards.cards import parse_hand
    >>> forecast = forecast_against([parse_hand("AKQJ.432.432.432")], "left")[0]
    >>> forecast["S"].at_least(10), forecast["H"].at_least(10) > 0.1
    (0.0, True)
    """
    parse_opponent(declarer)
    find_defence(kind)
    for hand in hands:
        check_pair(hand, None)
    masks = np.array([hand.mask for hand in hands], np.uint64)
    return [distributions(row) for row in chances_against(masks, declarer, kind)]
