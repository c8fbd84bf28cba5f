"""What a standing in a rubber is worth: the expected settlement of what is still to be scored.

The rubber is a random process: each deal ends as one of the `typical_deals`, with any player as
declarer equally often, whatever the standing and whoever deals. A deal either leaves the standing
as it is or moves it forward (a part score grows, a game is won), so standings never recur, and
the worth W of each follows from those that can come after it:

    W(s) = (expected points of a deal + sum of P(s -> t) W(t) over t other than s) / (1 - P(s -> s))

Points are settled as at the end of a rubber: a player's own points three times less the points of
all three. Part scores are counted in units, the largest that divides all points below the line, and
as the units that a player still needs for game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.deals import Seat
from tribridge.errors import SettingError
from tribridge.game.auction import Contract
from tribridge.game.laws import Laws, deal_items, honour_items
from tribridge.game.standing import GAMES_TO_WIN, RubberState, Standing, step
from tribridge.game.typical_deals import GAMES, LOW, TypicalDeal, typical_deals
from tribridge.once import once

F64 = NDArray[np.float64]
Settled = tuple[float, float, float]

_MOST_UNITS: Final = 60
_PLAYERS: Final = len(Seat)
_SETTLE: Final = 3 * np.eye(_PLAYERS) - 1
"""From the points of three players to their settlement."""


@dataclass(frozen=True, slots=True, eq=False)
class RubberWorth:
    """The worth of every standing under some laws."""

    laws: Laws
    unit: int
    """The points below the line of a unit."""
    tables: tuple[F64, ...]
    """Settlements and deals to come when the first 0, 1, 2 or 3 players have won a game, by the
    units that the three need."""

    def settlement(self, standing: Standing) -> Settled:
        """What each player can expect to receive for what is scored from here on."""
        north, east, south, _ = self._row(standing)
        return north, east, south

    def deals(self, standing: Standing) -> float:
        """How many more deals the rubber can be expected to take."""
        return float(self._row(standing)[-1])

    def _row(self, standing: Standing) -> tuple[float, float, float, float]:
        if GAMES_TO_WIN in standing.games:
            return 0.0, 0.0, 0.0, 0.0
        order = sorted(Seat, key=lambda seat: (-standing.games[seat], seat))
        needed = [-((standing.below[seat] - self.laws.game) // self.unit) for seat in order]
        row = self.tables[sum(standing.games)][tuple(needed)]
        north, east, south = (float(row[order.index(seat)]) for seat in Seat)
        return north, east, south, float(row[-1])


def rubber_worth(laws: Laws) -> RubberWorth:
    """The worth of every standing, from the typical deals of the package; made once."""
    return _rubber_worth(laws)


@once
def _rubber_worth(laws: Laws) -> RubberWorth:
    return solve_worth(laws, typical_deals()[LOW if laws.overtricks_below else GAMES])


def deal_worth(state: RubberState, contract: Contract, tricks: int) -> Settled:
    """What a finished contract is worth to each player, without honours.

    It is the settlement of its points, and how much it changes the worth of the standing.
    """
    laws, standing = state
    declarer = contract.declarer
    vulnerable = standing.games[declarer] > 0 and laws.scheme.vulnerable is not None
    items, gained = deal_items(laws, contract, tricks, vulnerable)
    points = [0, 0, 0]
    for item in items:
        points[item.seat] += item.points
    total, moved = sum(points), _moved(state, declarer, gained)
    north, east, south = (3 * points[seat] - total + moved[seat] for seat in (0, 1, 2))
    return north, east, south


@lru_cache(1 << 14)
def _moved(state: RubberState, declarer: Seat, gained: int) -> Settled:
    """What points below the line settle by bonuses and by the change of the standing."""
    laws, standing = state
    after, worth = step(laws, standing, declarer, gained), rubber_worth(laws)
    bonus = sum(points for _, points in after.bonuses) * _SETTLE[declarer]
    before, then = worth.settlement(standing), worth.settlement(after.standing)
    north, east, south = (float(bonus[seat] + then[seat] - before[seat]) for seat in Seat)
    return north, east, south


def solve_worth(laws: Laws, deals: Mapping[TypicalDeal, int]) -> RubberWorth:
    """Compute the worth of every standing when deals end in these ways, so often."""
    by_games = [_Deals.of(laws, deals, won) for won in range(_PLAYERS + 1)]
    unit = gcd(*(points for one in by_games for points in one.gained))
    if not unit:
        raise SettingError(
            f"{laws.name}: no deal scores points below the line, so a rubber would never end"
        )
    size = -(-laws.game // unit)
    if size > _MOST_UNITS:
        raise SettingError(
            f"{laws.name}: game is {laws.game}, which is {size} steps of {unit}: the worth of a "
            f"standing can be computed for up to {_MOST_UNITS}"
        )
    tables: list[F64] = []
    for won in reversed(range(_PLAYERS + 1)):
        fresh = tables[-1][size, size, size] if tables else np.zeros(_PLAYERS + 1)
        tables.append(_solve(laws, by_games[won], unit, size, won, fresh))
    return RubberWorth(laws, unit, tuple(reversed(tables)))


@dataclass(frozen=True, slots=True, eq=False)
class _Deals:
    """The distribution of one deal when the first `won` players have won a game."""

    settled: F64
    """The expected settlement of a deal without bonuses for games, and one deal."""
    gained: dict[int, F64]
    """Points below the line, and how likely each player is to score them as declarer."""

    @classmethod
    def of(cls, laws: Laws, deals: Mapping[TypicalDeal, int], won: int) -> _Deals:
        total = sum(deals.values())
        points, gained = np.zeros(_PLAYERS), dict[int, F64]()
        for deal, count in deals.items():
            if deal.bid is None:
                continue
            for declarer in Seat:
                share = count / total / _PLAYERS
                contract = Contract(deal.bid, declarer, deal.factor)
                vulnerable = declarer < won and laws.scheme.vulnerable is not None
                items, below = deal_items(laws, contract, deal.tricks, vulnerable)
                held = _held(deal, declarer)
                for item in items + honour_items(laws, deal.bid.strain, declarer, held):
                    points[item.seat] += share * item.points
                if below:
                    gained.setdefault(below, np.zeros(_PLAYERS))[declarer] += share
        return cls(np.append(_SETTLE @ points, 1.0), gained)


def _held(deal: TypicalDeal, declarer: Seat) -> tuple[int, int, int, int]:
    """The honours of North, East, South and dummy when a player is declarer."""
    own, left, right, dummy = deal.honours
    held = {declarer: own, declarer.left: left, declarer.right: right}
    return held[Seat.NORTH], held[Seat.EAST], held[Seat.SOUTH], dummy


def _solve(laws: Laws, deals: _Deals, unit: int, size: int, won: int, fresh: F64) -> F64:
    """The table for one number of games won; `fresh` is a new game after one more."""
    gains = np.arange(1, size)
    chances = np.zeros((size, _PLAYERS))  # of a part score, by units; what is missing wins a game
    moving = np.zeros(_PLAYERS)
    for points, by_declarer in deals.gained.items():
        moving += by_declarer
        if points // unit < size:
            chances[points // unit] += by_declarer
    below = np.cumsum(chances, axis=0)
    ends = np.array([_after_game(laws, won, seat, fresh) for seat in Seat])
    table = np.zeros((size + 1, size + 1, size + 1, _PLAYERS + 1))
    grid = np.stack(np.meshgrid(*[np.arange(1, size + 1)] * _PLAYERS, indexing="ij"), -1)
    states = grid.reshape(-1, _PLAYERS)
    totals = states.sum(axis=1)
    for total in range(_PLAYERS, _PLAYERS * size + 1):  # those that come after are known
        here = states[totals == total]
        worth = np.tile(deals.settled, (len(here), 1))
        for seat in Seat:
            games = moving[seat] - below[here[:, seat] - 1, seat]
            worth += games[:, None] * ends[seat]
            for gain in gains[chances[1:, seat] > 0]:
                short = here[:, seat] > gain
                after = here[short].T.copy()
                after[seat] -= gain
                worth[short] += chances[gain, seat] * table[tuple(after)]
        table[tuple(here.T)] = worth / moving.sum()
    return table


def _after_game(laws: Laws, won: int, seat: Seat, fresh: F64) -> F64:
    """What follows when a player wins a game: the bonuses, and the rest of the rubber."""
    games = [int(player < won) for player in Seat]
    standing = Standing((0, 0, 0), (games[0], games[1], games[2]))
    after = step(laws, standing, seat, laws.game)
    bonus = sum(points for _, points in after.bonuses)
    worth = np.append(bonus * _SETTLE[seat], 0.0)
    if GAMES_TO_WIN in after.standing.games:
        return worth
    order = sorted(Seat, key=lambda player: (-after.standing.games[player], player))
    worth[order] += fresh[:_PLAYERS]
    worth[-1] += fresh[-1]
    return worth
