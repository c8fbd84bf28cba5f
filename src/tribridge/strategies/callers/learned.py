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
from tribridge.strategies.callers.observation import (
    BIDS,
    LEVELS,
    STRAINS,
    SUITS,
    features,
    observe,
)
from tribridge.strategies.callers.points import PointsCaller
from tribridge.strategies.players.learned.network import F32, SuitNetwork
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

UNIT: Final = 20.0
"""The points that stand for 1 in the network's answers."""
_HEADS: Final = 3
_ALL: Final[tuple[Call, ...]] = (
    *(Bid(number // STRAINS + 1, FULL_DECK.strains[number % STRAINS]) for number in range(BIDS)),
    PASS,
)


@once
def network() -> SuitNetwork:
    """The weights that come with the package."""
    with resources.files(__package__).joinpath("data/bidding.npz").open("rb") as file:
        return SuitNetwork.of(dict(np.load(file)))


def by_call(answers: F32) -> F32:
    """A network's answers (4, 45) for each call: (3 heads, 36)."""
    own = answers[:, : _HEADS * LEVELS].reshape(SUITS, _HEADS, LEVELS)
    shared = answers[:, _HEADS * LEVELS :].mean(0).reshape(_HEADS, LEVELS + 1)
    bids = np.empty((_HEADS, LEVELS, STRAINS), np.float32)
    bids[..., :SUITS] = own.transpose(1, 2, 0)
    bids[..., SUITS] = shared[:, :LEVELS]
    calls: F32 = np.concatenate([bids.reshape(_HEADS, BIDS), shared[:, LEVELS:]], 1)
    return calls


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
        answers = by_call(network()(*features(observation)))
        wish, worth = answers[0], UNIT * answers[1]
        wish[: observation.standing] = -np.inf
        chances = np.exp(wish - wish.max())
        chances /= chances.sum()
        best = int(chances.argmax())
        reason = f"{_ALL[best]} averages {worth[best]:+.1f} points in self-play"
        chance = float(chances[best])
        chances[best] = -1
        second = int(chances.argmax())
        if chances[second] > 0:
            reason += (
                f" and is chosen {chance:.0%} of the time, {_ALL[second]} {worth[second]:+.1f}"
            )
            reason += f" and {chances[second]:.0%}"
        return Choice(_ALL[best], f"{reason}.", {"points": float(worth[best])})
