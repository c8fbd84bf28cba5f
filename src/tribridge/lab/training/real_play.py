"""What `learned` makes: deals played out by the package's card-play network, many at once.

Double dummy says what four players who see all the cards would make. Here each chair sees only what
it may see, and plays the card that the network prefers, exactly as the strategy `learned` does
(the tests compare the two card by card).

The network sees the contract, so each deal needs one: in every strain it is at the level that the
double-dummy forecast expects from declarer's and dummy's hands (`deals.contracts_for`), bid by
declarer and passed by the others. The network was trained on such contracts, give or take a trick.

NumPy plays on the processor. PyTorch plays on a GPU, in bfloat16, which now and then prefers
another of two nearly equal cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tribridge.cards.cards import Strain
from tribridge.cards.masks import U64
from tribridge.common.arrays import Array, fetch, put
from tribridge.common.parallel import Range
from tribridge.lab.labels.labels import LabelWork, Tricks
from tribridge.lab.training.deals import contracts_for, forecast
from tribridge.networks.auction import Contracts
from tribridge.networks.play import PlayGames
from tribridge.strategies.learned import TRICKS, network
from tribridge.strategies.learned.search import play_out

PLAYER: Final = "learned"
"""The strategy whose play this is."""
AT_ONCE: Final = {"cuda": 8192, "cpu": 64}
"""Deals played in lockstep, in all their strains, by device."""


class RealPlay:
    """The network at work on a device: `cpu` (NumPy) or `cuda` (PyTorch)."""

    def __init__(
        self,
        device: str = "cpu",
        strains: Sequence[Strain] = tuple(Strain),
        *,
        at_once: int = 0,
        higher: int = 0,
    ) -> None:
        self.on_gpu = device == "cuda"
        self.strains = tuple(strains)
        self.at_once = at_once or AT_ONCE[device]
        self.higher = higher
        self._place: Any = "cpu"
        self._play: Callable[[Contracts], Array] = _play
        if self.on_gpu:
            import torch

            from tribridge.lab.training.networks import shipped
            from tribridge.lab.training.play import PlayedOut

            self._place = torch.device("cuda")
            self._play = PlayedOut(shipped(TRICKS, self._place))
        self.expected = forecast(self._place)

    def start(self, chairs: U64) -> Array:
        """Tricks (deals, strains) of at most `at_once` deals, still on the device.

        A GPU may still be working on them when this returns, and always plays `at_once` deals.
        """
        padded = np.resize(chairs, (self.at_once, 4)) if self.on_gpu else chairs
        hands = put(padded.astype(np.int64), self._place)
        won = self._play(contracts_for(hands, self.strains, self.expected, self.higher))
        return won.reshape(-1, len(self.strains))[: len(chairs)]

    def tricks(self, chairs: U64) -> Tricks:
        """Tricks (deals, strains) of any number of deals, given as hands (deals, 4) by chair."""
        pieces = (chairs[at : at + self.at_once] for at in range(0, len(chairs), self.at_once))
        played = [self.start(piece) for piece in pieces]
        return np.concatenate([fetch(part) for part in played]).astype(np.int8)


def _play(contracts: Contracts) -> Array:
    return play_out(network(), PlayGames(contracts))


@dataclass(frozen=True, slots=True)
class PlayedDeals:
    """A job for `labelling.make_labels`: tricks by play instead of double dummy."""

    work: LabelWork
    play: RealPlay

    def run(self, piece: Range) -> Tricks:
        """The tricks in a range of deals: an array (deals, declarers, strains)."""
        start, stop = piece
        numbers = np.arange(stop - start, dtype=np.uint64) + np.uint64(start)
        chairs = self.work.chairs(numbers, self.work.masks(start, stop - start))
        return self.play.tricks(chairs).reshape(stop - start, -1, len(self.work.strains))
