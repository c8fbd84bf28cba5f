"""Bidding by a network that was trained by self-play (`learning.bidding`)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from tribridge.cards import FULL_DECK
from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.view import View
from tribridge.once import once
from tribridge.strategies.callers.network import BiddingNetwork, load
from tribridge.strategies.callers.observation import BIDS, STRAINS, observe
from tribridge.strategies.callers.points import PointsCaller
from tribridge.strategies.players.learned.network import F32
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

WEIGHTS: Final = "data/bidding.npz"
UNIT: Final = 20.0
"""The points that stand for 1 in what a call is worth."""
CONTRACT_UNIT: Final = 100.0
"""The same for what it is worth as the contract."""
_RARE: Final = 0.01
"""A call that is chosen less often than this has no reliable value in self-play."""
_ALL: Final[tuple[Call, ...]] = (
    *(Bid(number // STRAINS + 1, FULL_DECK.strains[number % STRAINS]) for number in range(BIDS)),
    PASS,
)


@once
def network() -> BiddingNetwork:
    """The weights that come with the package."""
    with resources.files(__package__).joinpath(WEIGHTS).open("rb") as file:
        return load(file, WEIGHTS)


@dataclass(frozen=True, slots=True)
class LearnedCaller:
    """Makes the call that the network likes best."""

    name: ClassVar[str] = "learned"
    summary: ClassVar[str] = "makes the call a network trained by self-play prefers"

    def call(self, view: View, rng: Generator) -> Choice:
        if view.deck != FULL_DECK:
            choice = PointsCaller().call(view, rng)
            reason = choice.reason[0].lower() + choice.reason[1:]
            reason = f"The network knows the full deck only, so by points: {reason}"
            return Choice(choice.action, reason)
        observation = observe(view)
        answers = network()(observation)[:, observation.standing :]
        legal = _ALL[observation.standing :]
        best = int(answers[0].argmax())
        points = UNIT * float(answers[1, best])
        return Choice(legal[best], _reason(legal, best, answers), {"points": points})


def _reason(legal: tuple[Call, ...], best: int, answers: F32) -> str:
    """The best call's value, and the second's: in self-play, or as the contract if it is rare."""
    if len(legal) == 1:
        return "Nothing can be bid over 7NT."
    chances = np.exp(answers[0] - answers[0, best])
    total = float(chances.sum())
    chances[best] = 0
    second = int(chances.argmax())
    reason = f"{legal[best]} averages {UNIT * answers[1, best]:+.1f} points in self-play"
    if chances[second] >= _RARE * total:
        return (
            f"{reason} and is chosen {1 / total:.0%} of the time, {legal[second]} "
            f"{UNIT * answers[1, second]:+.1f} and {chances[second] / total:.0%}."
        )
    worth = answers[2].copy()
    worth[best] = -np.inf
    second = int(worth.argmax())
    return f"{reason}; as the contract {_as_contract(legal[second], worth[second])}."


def _as_contract(call: Call, worth: float) -> str:
    points = f"{CONTRACT_UNIT * worth:+.1f}"
    return f"what stands is worth {points}" if call is PASS else f"{call} is worth {points}"
