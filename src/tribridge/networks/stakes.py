"""What contracts are worth to the players of a deal, and what the bidding network reads of it.

A deal is played for a scheme, with or without vulnerable players, or in a rubber at a standing.
Worth is half of what a contract settles, so that a single deal is worth to declarer what the
contract scores, and minus half of that to each defender. In a rubber it includes the change of the
standing, and the three players need not gain or lose alike.

Everything is measured in units, `UNIT` of what making a contract of the levels 1 to 4 gains over
one down, about 20 points under `auction`: what matters to a bidder are ratios.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64
from tribridge.game.auction import Bid, Contract
from tribridge.game.laws import Laws, deal_items, honour_cards, honour_items
from tribridge.game.rubber_worth import contract_worth, standing_moved
from tribridge.game.scoring import Scheme
from tribridge.game.standing import RubberState
from tribridge.networks.auction import LEVELS, SEATS, STRAINS, WORTHS
from tribridge.networks.network import F32

FACTORS: Final = (1, 2, 4)
TRICKS: Final = 14
UNIT: Final = 0.3
"""How much of the usual difference between making and failing a unit is."""
_SCALE: Final = 4.0
"""Units for each 1 of a feature."""
_RESULTS: Final = ((0, 0), (0, 1), (0, -1), (1, 0), (1, -2))
"""Of which the worth is a feature: doubled or not, and tricks over the contract."""
_CONTRACTS: Final = tuple(
    tuple(tuple(Contract(Bid(level, strain), Seat.NORTH, factor) for factor in FACTORS)
    for strain in Strain) for level in range(1, LEVELS + 1)
)  # fmt: skip

assert len(_RESULTS) == WORTHS


class Game(NamedTuple):
    """What a deal is played for."""

    scheme: Scheme
    rubber: RubberState | None = None
    vulnerable: tuple[Seat, ...] = ()
    """Outside a rubber."""

    def worth(self) -> F32:
        """What contracts are worth: (3 declarers, 7 levels, 5 strains, 14 tricks, 3, 3 players).

        The last but one is undoubled, doubled or redoubled.
        """
        return _worth(self)

    def unit(self) -> float:
        """The points of a unit."""
        return _unit(self)


@lru_cache(64)
def _worth(game: Game) -> F32:
    result = np.empty((SEATS, LEVELS, STRAINS, TRICKS, len(FACTORS), SEATS), np.float32)
    for seat in Seat:
        if game.rubber is None:
            own = _single(game.scheme, seat in game.vulnerable)
            result[seat] = -own[..., None] / 2
            result[seat, ..., seat.index] = own
            continue
        laws, standing = game.rubber
        risk = standing.games[seat] > 0 and laws.scheme.vulnerable is not None
        points, gained = _scored(laws, risk)
        each, at = np.unique(gained, return_inverse=True)
        moved = np.array([standing_moved(game.rubber, seat, int(below)) for below in each])
        scored = points @ np.array([[2.0, -1, -1], [-2, 1, 1]])  # declarer, and both defenders
        result[seat] = moved[at.reshape(gained.shape)]
        result[seat][..., [seat.after(at).index for at in range(SEATS)]] += scored
        result[seat] /= 2
    result.flags.writeable = False
    return result


@lru_cache(64)
def _unit(game: Game) -> float:
    worth = game.worth()
    swings = [
        worth[seat, level, :, level + 7, 0, seat] - worth[seat, level, :, level + 6, 0, seat]
        for seat in Seat
        for level in range(4)
    ]
    swing = float(np.mean(swings))
    return UNIT * swing if swing > 0 else 1.0  # a scheme of the user's own may reward nothing


@lru_cache(32)
def _single(scheme: Scheme, vulnerable: bool) -> F64:
    """Declarer's points over a defender's: (7 levels, 5 strains, 14 tricks, 3)."""
    risk = (Seat.NORTH,) if vulnerable else ()
    worth = [
        [
            [contract_worth(contract, FULL_DECK, None, scheme, risk) for contract in bid]
            for bid in level
        ]
        for level in _CONTRACTS
    ]
    return np.array(worth).swapaxes(2, 3)


@lru_cache(32)
def _scored(laws: Laws, vulnerable: bool) -> tuple[F64, NDArray[np.int64]]:
    """Points of declarer and of each defender (7, 5, 14, 3, 2), and those below the line."""
    points = np.zeros((LEVELS, STRAINS, TRICKS, len(FACTORS), 2))
    gained = np.zeros(points.shape[:-1], np.int64)
    for level, strain, tricks, factor in np.ndindex(gained.shape):
        contract = _CONTRACTS[level][strain][factor]
        items, gained[level, strain, tricks, factor] = deal_items(
            laws, contract, tricks, vulnerable
        )
        for item in items:
            if item.seat is not Seat.SOUTH:
                points[level, strain, tricks, factor, item.seat] += item.points
    return points, gained


def features(game: Game, seat: int) -> F32:
    """What the network reads of each strain, but for honours: (5, WORTHS * 3 * 7)."""
    worth = game.worth()
    levels = np.arange(LEVELS)
    rows = [
        worth[(seat + at) % SEATS, levels, :, np.clip(levels + 7 + over, 0, 13), doubled, seat]
        for doubled, over in _RESULTS
        for at in range(SEATS)
    ]
    return np.concatenate(rows).T / np.float32(_SCALE * game.unit())


def honours_of(laws: Laws | None) -> F64:
    """What honours score, half settled: (3 declarers, 5, 6, 6, 6, 6, 3 players).

    The numbers are those of honours that the three players and dummy hold in a strain.
    """
    result = np.zeros((SEATS, STRAINS, 6, 6, 6, 6, SEATS))
    for strain in Strain:
        every = len(honour_cards(strain))
        for counts in np.ndindex(6, 6, 6, 6):
            if laws is None or sum(counts) > every:
                continue
            for declarer in Seat:
                for item in honour_items(laws, strain, declarer, counts):
                    paid = result[(declarer, strain, *counts)]
                    paid -= item.points / 2
                    paid[item.seat] += 1.5 * item.points
    return result


def own_honours(game: Game, hand: Hand) -> F32:
    """What the caller's honours alone score as declarer and as defender: (5, 2), as features."""
    result = np.zeros((STRAINS, 2), np.float32)
    if game.rubber is not None:
        for strain in Strain:
            held = len(hand & Hand(honour_cards(strain)))
            for at, declarer in enumerate((Seat.NORTH, Seat.EAST)):
                items = honour_items(game.rubber.laws, strain, declarer, (held, 0, 0, 0))
                result[strain, at] = sum(item.points for item in items)
    return result / np.float32(_SCALE * game.unit())
