"""Rubbers between strategies, deal after deal, until one player has won two games.

Rubber number n of a seed is played with deals 1000 n, 1000 n + 1 and so on of the seed, whoever
plays it. A rubber that has not ended after 200 deals is broken off and settled as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tribridge.arena.playing import Game, faults_and_times, outcome_of, play
from tribridge.dealer import deal
from tribridge.deals import Seat
from tribridge.game.laws import Laws
from tribridge.game.record import Event
from tribridge.game.rubber import Rubber
from tribridge.game.table import Table, new_table
from tribridge.strategies import Strategy

SPACING: Final = 1000
"""The difference between the numbers of the first deals of two rubbers."""
LONGEST: Final = 200
"""Deals after which a rubber is broken off."""


@dataclass(frozen=True, slots=True)
class PlayedRubber:
    """A rubber, and the games of its deals."""

    number: int
    rubber: Rubber
    games: tuple[Game, ...]

    def events(self, names: Sequence[str], seed: int) -> Iterator[Event]:
        """Records of all deals; the head of the first one has the summary of the rubber."""
        rubber = Rubber(self.rubber.laws, self.rubber.first_dealer)
        for at, game in enumerate(self.games):
            below, won = rubber.standing
            summary: dict[str, Any] = {
                "in_rubber": self.number,
                "deal": at,
                "below": list(below),
                "games": list(won),
                "seats": list(names),
                **outcome_of(game),
                **faults_and_times([game]),
            }
            if not at:
                summary["rubber"] = self.summary(names)
            yield from game.record(summary, seed=seed, number=self.number * SPACING + at)
            if game.table.over:
                rubber = rubber.add(game.table)

    def summary(self, names: Sequence[str]) -> dict[str, Any]:
        """What results are built from."""
        outcomes = [outcome_of(game) for game in self.games]
        winner = self.rubber.winner
        return {
            "number": self.number,
            "seats": list(names),
            "deals": len(self.games),
            "winner": None if winner is None else int(winner),
            "points": list(map(float, self.rubber.totals().values())),
            "settlement": list(map(float, self.rubber.settlement().values())),
            "contracts": [one["contract"] for one in outcomes],
            "declarers": [one["declarer"] for one in outcomes],
            "tricks": [one["tricks"] for one in outcomes],
            "bidders": [one["bidders"] for one in outcomes],
            "calls": [one["calls"] for one in outcomes],
            "factors": [one.get("factor", 1) for one in outcomes],
            **faults_and_times(self.games),
        }


def play_rubber(
    strategies: Sequence[Strategy],
    laws: Laws,
    *,
    seed: int,
    number: int,
    doubles: bool = False,
    limit: float | None = None,
    stop: bool = False,
) -> PlayedRubber:
    """Play a rubber; `strategies` are those of North, East and South.

    The first deal is North's in rubber 0, East's in rubber 1 and so on. With `stop`, the first
    fault ends it.
    """
    games: list[Game] = []
    while (table := next_table(laws, seed, number, games, doubles=doubles)) is not None:
        at = number * SPACING + len(games)
        games.append(play(table, strategies, seed=seed, number=at, limit=limit, stop=stop))
        if stop and games[-1].faults:
            break
    return played_rubber(laws, number, games)


def next_table(
    laws: Laws, seed: int, number: int, games: Sequence[Game], *, doubles: bool = False
) -> Table | None:
    """The table of the next deal of a rubber after some games; None if it is over."""
    rubber = played_rubber(laws, number, games).rubber
    if rubber.over or len(games) >= LONGEST:
        return None
    dealt = deal(seed, number * SPACING + len(games))
    return new_table(dealt, rubber.dealer, doubles=doubles, rubber=rubber.state)


def played_rubber(laws: Laws, number: int, games: Sequence[Game]) -> PlayedRubber:
    """A rubber as far as its games were played out."""
    rubber = Rubber(laws, Seat(number % 3))
    for game in games:
        if game.table.over:
            rubber = rubber.add(game.table)
    return PlayedRubber(number, rubber, tuple(games))
