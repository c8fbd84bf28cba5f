"""What tricks are worth in training: schemes, and all laws of a rubber at many standings.

A setting is worth to declarer what `View.stakes` says. Settings differ a hundredfold, so a game is
played for swings: the difference that making the contract makes to its setting is 1.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import TYPE_CHECKING, Final

from tribridge.cards.deals import Seat
from tribridge.game.laws import Laws, all_laws
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.networks.auction import Contracts
from tribridge.networks.play import SWING
from tribridge.networks.stakes import Game

if TYPE_CHECKING:
    from torch import Tensor

TRICK: Final = 0.015
"""What any trick is worth beside its points, in swings: tricks that score nothing are won too."""
_GAME: Final = 0.35
_PART: Final = 0.45
"""How often a player has won a game, and has a part score, at such a standing."""


SHARES: Final = {
    "auction": 0.26, "old": 0.03, "new": 0.03, "contract": 0.15, "auction-rubber": 0.22,
    "auction-rubber-games": 0.07, "whist-club": 0.05, "contract-rubber": 0.14,
}  # fmt: skip
"""Schemes and laws that are played for; 5% are contract with vulnerable players."""
_VULNERABLE: Final = ("N", "E", "S", "NE", "ES", "NS", "NES")


def settings(name: str = "", standings: int = 250) -> dict[Game, float]:
    """What deals are played for in training, with shares: all schemes and laws, or one of them."""
    shares: defaultdict[Game, float] = defaultdict(float)
    for each, share in ({name: 1.0} if name else SHARES).items():
        if each not in all_laws():
            shares[Game(find_scheme(each))] += share
            continue
        laws, random = all_laws()[each], Random(2)
        shares[Game(laws.scheme, RubberState(laws))] += 0.1 * share
        for _ in range(standings):
            game = Game(laws.scheme, RubberState(laws, _standing(laws, random)))
            shares[game] += 0.9 * share / standings
    if not name:
        for seats in _VULNERABLE:
            shares[Game(find_scheme("contract"), None, tuple(map(Seat, seats)))] += 0.05 / 7
    return shares


def _standing(laws: Laws, random: Random) -> Standing:
    """A standing drawn at random; part scores are what tricks add up to."""
    tricks = [int(points) for points in laws.scheme.trick.values()]
    parts = range(min(tricks), laws.game, gcd(*tricks))
    north, east, south = (random.choice(parts) * (random.random() < _PART) for _ in Seat)
    games = [int(random.random() < _GAME) for _ in Seat]
    return Standing((north, east, south), (games[0], games[1], games[2]))


@dataclass(frozen=True, eq=False)
class Stakes(Contracts):
    """Contracts, and what each further trick is worth."""

    steps: Tensor
    """(n, 13), in 1/`SWING` of a swing."""

    def utility(self) -> Tensor:
        """What each number of tricks is worth to declarer's side, in swings: (n, 14)."""
        import torch

        steps = self.steps.float() / SWING + TRICK
        return torch.nn.functional.pad(steps.cumsum(1), (1, 0))
