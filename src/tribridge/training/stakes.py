"""What tricks are worth in training: schemes, and all laws of a rubber at many standings.

A setting is worth to declarer what `View.stakes` says. Settings differ a hundredfold, so a game is
played for swings: the difference that making the contract makes to its setting is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from tribridge.cards import FULL_DECK, Strain
from tribridge.deals import Seat
from tribridge.game.auction import Bid, Contract
from tribridge.game.laws import Laws, all_laws
from tribridge.game.rubber_worth import contract_worth
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.networks.auction import BIDS, STRAINS, Contracts
from tribridge.networks.play import SWING
from tribridge.networks.stakes import Game

if TYPE_CHECKING:
    import torch
    from torch import Tensor

TRICK: Final = 0.015
"""What any trick is worth beside its points, in swings: tricks that score nothing are won too."""
SCHEMES: Final = (
    ("auction", False, 0.35),
    ("old", False, 0.03),
    ("new", False, 0.03),
    ("contract", False, 0.12),
    ("contract", True, 0.08),
)
"""Schemes, whether declarer is vulnerable, and the share of the deals; the others are rubbers."""
STANDINGS: Final = 40
"""Standings of a rubber under each of the laws."""
_GAME: Final = 0.35
_PART: Final = 0.45
"""How often a player has won a game, and has a part score, at such a standing."""


class Setting(NamedTuple):
    """What a deal is played for: a scheme, or a rubber at a standing. North declares."""

    share: float
    """How often, relative to the other settings."""
    scheme: Scheme
    rubber: RubberState | None = None
    vulnerable: tuple[Seat, ...] = ()

    @property
    def game(self) -> Game:
        """What the deal is played for, without the share."""
        return Game(self.scheme, self.rubber, self.vulnerable)

    def worth(self, contract: Contract) -> tuple[float, ...]:
        """What each number of tricks is worth to declarer."""
        return contract_worth(contract, FULL_DECK, self.rubber, self.scheme, self.vulnerable)


def settings() -> list[Setting]:
    """The settings of the training, the same in every run."""
    every = [
        Setting(share, find_scheme(name), None, (Seat.NORTH,) if risk else ())
        for name, risk, share in SCHEMES
    ]
    rubbers, random = all_laws().values(), Random(1)
    share = (1 - sum(setting.share for setting in every)) / len(rubbers) / STANDINGS
    for laws in rubbers:
        standings = [Standing(), *(_standing(laws, random) for _ in range(STANDINGS - 1))]
        every += [
            Setting(share, laws.scheme, RubberState(laws, standing)) for standing in standings
        ]
    return every


BIDDING: Final = {
    "auction": 0.26, "old": 0.03, "new": 0.03, "contract": 0.15, "auction-rubber": 0.22,
    "auction-rubber-games": 0.07, "whist-club": 0.05, "contract-rubber": 0.14,
}  # fmt: skip
"""Schemes and laws that are bid for, with their shares; 5% are contract with vulnerable players."""
_VULNERABLE: Final = ("N", "E", "S", "NE", "ES", "NS", "NES")


def bidding_settings(name: str = "", standings: int = 250) -> list[Setting]:
    """What deals are bid for in training: all schemes and laws, or one of them."""
    every = []
    for each, share in ({name: 1.0} if name else BIDDING).items():
        if each not in all_laws():
            every.append(Setting(share, find_scheme(each)))
            continue
        laws, random = all_laws()[each], Random(2)
        every.append(Setting(0.1 * share, laws.scheme, RubberState(laws)))
        for _ in range(standings):
            state = RubberState(laws, _standing(laws, random))
            every.append(Setting(0.9 * share / standings, laws.scheme, state))
    if not name:
        for seats in _VULNERABLE:
            risk = tuple(map(Seat, seats))
            every.append(Setting(0.05 / 7, find_scheme("contract"), None, risk))
    return every


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


class Payoffs:
    """What every contract is worth in some settings, on a device."""

    def __init__(self, every: Sequence[Setting], device: torch.device) -> None:
        import torch

        contracts = [
            Contract(Bid(bid // STRAINS + 1, Strain(bid % STRAINS)), Seat.NORTH, factor)
            for bid in range(BIDS)
            for factor in (1, 2, 4)
        ]
        worth = [[setting.worth(contract) for contract in contracts] for setting in every]
        self.table = torch.tensor(worth, device=device)
        self.shares = torch.tensor([setting.share for setting in every], device=device)
        modern = [setting.scheme.vulnerable is not None for setting in every]
        self.modern = torch.tensor(modern, device=device)
        """Whether a setting is one of contract bridge, which is bid in another way."""

    def draw(self, contracts: Contracts, modern: bool | None = None) -> tuple[Stakes, Tensor]:
        """The contracts in random settings, and what each number of tricks is worth (n, 14)."""
        shares = self.shares if modern is None else self.shares * (self.modern == modern)
        setting = shares.multinomial(len(contracts), replacement=True)
        bid = STRAINS * (contracts.level - 1) + contracts.strain
        worth = self.table[setting, 3 * bid + contracts.doubled]
        steps = worth.diff(dim=1)
        swing = steps.gather(1, contracts.level[:, None] + FULL_DECK.book - 1)
        return Stakes(**vars(contracts), steps=(SWING * steps / swing).round().long()), worth
