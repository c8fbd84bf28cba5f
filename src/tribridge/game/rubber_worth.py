"""What a standing in a rubber is worth: the expected settlement of what is still to be scored.

The rubber is a random process: each deal ends as one of the `typical_deals`, with any player as
declarer equally often, whatever the standing and whoever deals. A deal either leaves the standing
as it is or moves it forward (a part score grows, a game is won), so standings never recur, and
the worth W of each follows from those that can come after it:

    W(s) = (expected points of a deal + sum of P(s -> t) W(t) over t other than s) / (1 - P(s -> s))

Points are settled as at the end of a rubber: a player's own points three times less the points of
all three. Since everybody is declarer equally often, honours cancel out. Part scores are counted in
units, the largest that divides all points below the line, and as the units that a player still
needs for game.

**Typical deals.** The file `data/typical_deals.csv` counts how deals ended between three players
who bid by the forecast of their own hands (`training.typical_deals`), with declarer's tricks double
dummy. Players bid differently where games must be bid and where overtricks count towards game, so
there are two sets, named after the scheme that the players were bidding for. A line has the
contract (level 0: passed out), the tricks, the honours of the strain that declarer, the left
defender, the right defender and dummy held, and the number of such deals. The first line names the
deals. The file was made from the training deals:

    tribridge train typical-deals data/labels-7.parquet --out FILE
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from math import gcd
from typing import Final, NamedTuple

import numpy as np

from tribridge.cards.cards import Deck, Strain
from tribridge.cards.deals import Seat, three
from tribridge.cards.masks import F64
from tribridge.common.errors import SettingError
from tribridge.common.once import once
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.laws import Laws, deal_items
from tribridge.game.scoring import Scheme, find_scheme, scores
from tribridge.game.standing import GAMES_TO_WIN, RubberState, Standing, step

Settled = tuple[float, float, float]

LOW: Final = "auction-tricks"
"""The scheme of the deals in which overtricks count as much as tricks that were bid."""
GAMES: Final = "contract"
"""The scheme of the deals in which only tricks that were bid count towards game."""

_COLUMNS: Final = (
    "scheme", "level", "strain", "factor", "tricks", "declarer", "left", "right", "dummy", "deals"
)  # fmt: skip
_MOST_UNITS: Final = 60
_PLAYERS: Final = len(Seat)
_SETTLE: Final = 3 * np.eye(_PLAYERS) - 1
"""From the points of three players to their settlement."""


class TypicalDeal(NamedTuple):
    """How a deal ended, whoever was declarer."""

    bid: Bid | None
    """The contract; None if the deal was passed out."""
    factor: int = 1
    tricks: int = 0
    honours: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How many honours declarer, the left defender, the right defender and dummy held."""


Counts = Mapping[TypicalDeal, int]


def dumps_deals(results: Mapping[str, Iterable[TypicalDeal]], source: str) -> str:
    """Results of each scheme as the text of a file; `source` says which deals they are."""
    lines = [f"# {source}", ",".join(_COLUMNS)]
    for scheme, deals in results.items():
        rows = [
            (
                0 if deal.bid is None else deal.bid.level,
                "" if deal.bid is None else deal.bid.strain.letter,
                deal.factor,
                deal.tricks,
                *deal.honours,
                count,
            )
            for deal, count in Counter(deals).items()
        ]
        lines += [",".join(map(str, (scheme, *row))) for row in sorted(rows)]
    return "\n".join(lines) + "\n"


def loads_deals(text: str) -> dict[str, dict[TypicalDeal, int]]:
    """Read the text of a file."""
    results: dict[str, dict[TypicalDeal, int]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        bid = Bid(int(row["level"]), Strain(row["strain"])) if row["strain"] else None
        declarer, left, right, dummy = (int(row[name]) for name in _COLUMNS[5:9])
        deal = TypicalDeal(
            bid, int(row["factor"]), int(row["tricks"]), (declarer, left, right, dummy)
        )
        results.setdefault(row["scheme"], {})[deal] = int(row["deals"])
    return results


@cache
def typical_deals() -> Mapping[str, Counts]:
    """The results in the package, by scheme."""
    return loads_deals(
        resources.files("tribridge.game").joinpath("data/typical_deals.csv").read_text()
    )


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


@once
def rubber_worth(laws: Laws) -> RubberWorth:
    """The worth of every standing, from the typical deals of the package; made once."""
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
    total, moved = sum(points), standing_moved(state, declarer, gained)
    return three(3 * points[seat] - total + moved[seat] for seat in (0, 1, 2))


@lru_cache(1 << 14)
def contract_worth(
    contract: Contract,
    deck: Deck,
    rubber: RubberState | None,
    scheme: Scheme | None,
    vulnerable: tuple[Seat, ...] = (),
) -> tuple[float, ...]:
    """What each number of tricks is worth to declarer, without honours: half of the settlement.

    >>> from tribridge.cards.cards import FULL_DECK, Strain
    >>> worth = contract_worth(Contract(Bid(6, Strain.CLUBS), Seat.EAST), FULL_DECK, None, None)
    >>> worth[11:]
    (-50.0, 86.0, 142.0)
    """
    tricks = range(deck.hand_size + 1)
    declarer = contract.declarer
    if rubber is not None:
        return tuple(deal_worth(rubber, contract, won)[declarer] / 2 for won in tricks)
    scheme = scheme or find_scheme("auction")
    points = [scores(Outcome(contract, won), scheme, deck, vulnerable=vulnerable) for won in tricks]
    return tuple(float(won[declarer] - won[declarer.left]) for won in points)


@lru_cache(1 << 14)
def standing_moved(state: RubberState, declarer: Seat, gained: int) -> Settled:
    """What points below the line settle by bonuses and by the change of the standing."""
    laws, standing = state
    after, worth = step(laws, standing, declarer, gained), rubber_worth(laws)
    bonus = sum(points for _, points in after.bonuses) * _SETTLE[declarer]
    before, then = worth.settlement(standing), worth.settlement(after.standing)
    return three(float(bonus[seat] + then[seat] - before[seat]) for seat in Seat)


def solve_worth(laws: Laws, deals: Mapping[TypicalDeal, int]) -> RubberWorth:
    """Compute the worth of every standing when deals end in these ways, so often."""
    declaring = {risk: _Declaring.of(laws, deals, risk) for risk in (False, True)}
    unit = gcd(*(points for share in declaring.values() for points in share.gained))
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
        by_seat = [declaring[seat < won] for seat in range(_PLAYERS)]
        tables.append(_solve(laws, by_seat, unit, size, won, fresh))
    # Rounded, so that what is 0 by symmetry does not come out as -9.3e-15; + 0.0 turns -0 into 0.
    return RubberWorth(laws, unit, tuple(np.round(table, 9) + 0.0 for table in reversed(tables)))


class _Declaring(NamedTuple):
    """What a player's contracts bring on a deal, most of which other players declare."""

    own: float
    """The player's expected points, without honours and bonuses for games."""
    others: float
    """Those of each opponent."""
    gained: Mapping[int, float]
    """Points below the line, and how likely the player is to score them."""

    @classmethod
    def of(cls, laws: Laws, deals: Mapping[TypicalDeal, int], vulnerable: bool) -> _Declaring:
        contracts: Counter[tuple[Bid, int, int]] = Counter()
        for deal, count in deals.items():
            if deal.bid is not None:
                contracts[deal.bid, deal.factor, deal.tricks] += count
        points, gained = [0.0, 0.0, 0.0], dict[int, float]()
        for (bid, factor, tricks), count in contracts.items():
            share = count / sum(deals.values()) / _PLAYERS
            contract = Contract(bid, Seat.NORTH, factor)
            risk = vulnerable and laws.scheme.vulnerable is not None
            items, below = deal_items(laws, contract, tricks, risk)
            for item in items:
                points[item.seat] += share * item.points
            if below:
                gained[below] = gained.get(below, 0.0) + share
        return cls(points[Seat.NORTH], points[Seat.EAST], gained)


def _solve(
    laws: Laws, declaring: list[_Declaring], unit: int, size: int, won: int, fresh: F64
) -> F64:
    """The table for one number of games won; `fresh` is a new game after one more.

    Part scores of two players are taken one after the other, those of the third all at once: what
    they have in common is a triangular system of equations.
    """
    part = np.zeros((_PLAYERS, size))
    """By units: how likely a player is to score them without winning a game from nothing."""
    for seat in Seat:
        for points, chance in declaring[seat].gained.items():
            if points // unit < size:
                part[seat, points // unit] += chance
    moving = np.array([sum(share.gained.values()) for share in declaring])
    game = np.zeros((_PLAYERS, size + 1))
    game[:, 1:] = moving[:, None] - np.cumsum(part, axis=1)
    """By the units that a player needs: how likely they are to win a game."""
    ends = np.array([_after_game(laws, won, seat, fresh) for seat in Seat])
    wins = game[:, :, None] * ends[:, None, :]
    offsets = np.subtract.outer(np.arange(size), np.arange(size))
    third = np.where(offsets > 0, part[2][np.maximum(offsets, 0)], 0.0)
    inverse = np.linalg.inv(moving.sum() * np.eye(size) - third)
    others = sum(share.others for share in declaring)
    expected = [share.own + others - share.others for share in declaring]
    one_deal = np.append(_SETTLE @ expected, 1.0)
    table = np.zeros((size + 1, size + 1, size + 1, _PLAYERS + 1))
    for first in range(1, size + 1):
        for second in range(1, size + 1):
            worth = one_deal + wins[0, first] + wins[1, second] + wins[2, 1:]
            worth += np.tensordot(part[0, first - 1 : 0 : -1], table[1:first, second, 1:], 1)
            worth += np.tensordot(part[1, second - 1 : 0 : -1], table[first, 1:second, 1:], 1)
            table[first, second, 1:] = inverse @ worth
    return table


def _after_game(laws: Laws, won: int, seat: Seat, fresh: F64) -> F64:
    """What follows when a player wins a game: the bonuses, and the rest of the rubber."""
    games = [int(player < won) for player in range(_PLAYERS)]
    standing = Standing((0, 0, 0), (games[0], games[1], games[2]))
    after = step(laws, standing, seat, laws.game)
    bonus = sum(points for _, points in after.bonuses)
    worth = np.append(bonus * _SETTLE[seat], 0.0)
    if GAMES_TO_WIN in after.standing.games:
        return worth
    order = sorted(range(_PLAYERS), key=lambda player: (-after.standing.games[player], player))
    worth[order] += fresh[:_PLAYERS]
    worth[-1] += fresh[-1]
    return worth
