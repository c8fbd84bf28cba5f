"""Rubbers between strategies, deal after deal, until one player has won two games.

Rubber number n of a seed is played with deals 1000 n, 1000 n + 1 and so on of the seed, whoever
plays it. A rubber that has not ended after 200 deals is broken off and settled as it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tribridge.arena.playing import (
    DealOutcome,
    Fault,
    Game,
    Times,
    deal_outcome,
    play,
    total_times,
)
from tribridge.dealer import deal
from tribridge.deals import Seat
from tribridge.game.laws import Laws
from tribridge.game.rubber import Rubber
from tribridge.game.table import new_table
from tribridge.strategies import Strategy

SPACING: Final = 1000
"""The difference between the numbers of the first deals of two rubbers."""
LONGEST: Final = 200
"""Deals after which a rubber is broken off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubberOutcome:
    """How a rubber between three strategies ended."""

    number: int
    """The number of the rubber."""
    seats: tuple[str, ...]
    winner: int | None
    points: tuple[float, ...]
    """By seat."""
    settlement: tuple[float, ...]
    games: tuple[DealOutcome, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(
            replace(fault, number=self.number) for game in self.games for fault in game.faults
        )

    @property
    def times(self) -> Times:
        return total_times(game.times for game in self.games)


def rubber_outcome(
    laws: Laws, number: int, seats: Sequence[str], games: Sequence[Game]
) -> RubberOutcome:
    """The outcome of the games of a rubber."""
    rubber = rubber_of(laws, number, games)
    return RubberOutcome(
        number=number,
        seats=tuple(seats),
        winner=None if rubber.winner is None else int(rubber.winner),
        points=tuple(map(float, rubber.totals().values())),
        settlement=tuple(map(float, rubber.settlement().values())),
        games=tuple(
            deal_outcome(game, number * SPACING + at, seats) for at, game in enumerate(games)
        ),
    )


def play_rubber(
    strategies: Sequence[Strategy],
    laws: Laws,
    *,
    seed: int,
    number: int,
    doubles: bool = False,
    limit: float | None = None,
    untimed: Collection[str] = (),
    stop: bool = False,
) -> list[Game]:
    """Play a rubber; `strategies` are those of North, East and South.

    The first deal is North's in rubber 0, East's in rubber 1 and so on. With `stop`, the first
    fault ends it.
    """
    games: list[Game] = []
    while not (rubber := rubber_of(laws, number, games)).over and len(games) < LONGEST:
        at = number * SPACING + len(games)
        table = new_table(deal(seed, at), rubber.dealer, doubles=doubles, rubber=rubber.state)
        games.append(
            play(table, strategies, seed=seed, number=at, limit=limit, untimed=untimed, stop=stop)
        )
        if stop and games[-1].faults:
            break
    return games


def rubber_of(laws: Laws, number: int, games: Iterable[Game]) -> Rubber:
    """A rubber as far as its games were played out."""
    rubber = Rubber(laws, Seat(number % 3))
    for game in games:
        if game.table.over:
            rubber = rubber.add(game.table)
    return rubber
