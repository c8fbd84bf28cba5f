"""Rubbers to be dealt and played: like a `Match`, but until a player has won two games.

The deals are numbered as in a match; honours are scored from the cards, so nobody has to claim
them. A rubber that takes very long is broken off after `deals` deals and settled as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from tribridge.cards import FULL_DECK, Deck
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError, SettingError, quantity
from tribridge.game.laws import Laws
from tribridge.game.match import Line, Three
from tribridge.game.rubber import Result, Rubber, dealt_honours
from tribridge.game.scoring import Scheme
from tribridge.game.standing import Standing
from tribridge.game.table import Outcome, Table, new_table

MOST_DEALS: Final = 99
FRESH: Final = Standing()


@dataclass(frozen=True, slots=True)
class RubberMatch:
    """A rubber with the deals from `first` on of a seed, and the outcomes so far.

    `seed` is one seed for all deals, or a tuple with one per deal.

    Examples:
        >>> from tribridge.game.laws import find_laws
        >>> match = RubberMatch(find_laws("auction-rubber"), seed=1).add(Outcome(None))
        >>> match.table().dealer, match.over, match.rubber.totals()
        (<Seat.EAST: 1>, False, {N: 0, E: 0, S: 0})
    """

    laws: Laws
    seed: int | tuple[int, ...]
    deals: int = MOST_DEALS
    first: int = 0
    first_dealer: Seat = Seat.NORTH
    doubles: bool = True
    deck: Deck = FULL_DECK
    start: Standing = FRESH
    rubber: Rubber = field(init=False)

    def __post_init__(self) -> None:
        if self.deals < 1:
            raise SettingError(f"a rubber needs at least one deal, not {self.deals}")
        if isinstance(self.seed, tuple) and len(self.seed) != self.deals:
            raise SettingError(
                f"{quantity(len(self.seed), 'seed')} given for {quantity(self.deals, 'deal')}: "
                "one per deal is needed"
            )
        if self.deck != FULL_DECK:
            raise SettingError(f"a rubber needs the full deck, not {self.deck}")
        object.__setattr__(self, "rubber", self._begun())

    @property
    def scheme(self) -> Scheme:
        """How single deals are scored; it has the name of the laws."""
        return self.laws.scheme

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(result.outcome for result in self.rubber.results)

    @property
    def over(self) -> bool:
        return self.rubber.over or len(self.rubber.results) == self.deals

    def table(self) -> Table:
        """The next deal's table, before the first call."""
        self._check()
        dealer, state = self.rubber.dealer, self.rubber.state
        return new_table(self._next_deal(), dealer, doubles=self.doubles, rubber=state)

    def add(self, outcome: Outcome) -> RubberMatch:
        """The rubber with one more deal finished."""
        self._check()
        honours = dealt_honours(self._next_deal(), outcome.contract)
        after = replace(self)
        object.__setattr__(after, "rubber", self.rubber.add_result(Result(outcome, honours)))
        return after

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal, with all that the players scored on it."""
        lines, before = [], self._begun()
        for at, result in enumerate(self.rubber.results):
            after = before.add_result(result)
            new = after.lines[len(before.lines) :]
            points = _three(sum(one.points for one in new if one.seat is seat) for seat in Seat)
            vulnerable = before.state.vulnerable
            lines.append(Line(self.first + at, before.dealer, result.outcome, points, vulnerable))
            before = after
        return tuple(lines)

    def totals(self) -> Three:
        """The points of the three players, North first."""
        return _three(self.rubber.totals().values())

    def settlement(self) -> Three:
        """What each player receives (or pays, if negative) when differences are settled."""
        return _three(self.rubber.settlement().values())

    def _begun(self) -> Rubber:
        below, games = self.start
        return Rubber(self.laws, self.first_dealer, below=below, games=games)

    def _next_deal(self) -> Deal:
        at = len(self.rubber.results)
        seed = self.seed[at] if isinstance(self.seed, tuple) else self.seed
        return deal(seed, self.first + at, self.deck)

    def _check(self) -> None:
        if self.over:
            raise IllegalActionError(
                f"the rubber is over after {len(self.rubber.results)} deals: none follows"
            )


def _three(points: Iterable[int]) -> Three:
    north, east, south = map(Fraction, points)
    return north, east, south
