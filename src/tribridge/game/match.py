"""Matches: a number of deals with the deal rotating, and the score sheet of three.

Where vulnerability rotates, it does so in a cycle of four deals: nobody, the dealer, the two
others, everybody. In twelve deals each player deals once in each of these conditions and is
vulnerable in six.

In the settlement every pair of players pays the difference of their points: a player's net is three
times their own points minus the points of all three, and the nets add up to zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from tribridge.cards import FULL_DECK, Deck
from tribridge.dealer import deal
from tribridge.deals import Seat
from tribridge.errors import IllegalActionError, SettingError, quantity
from tribridge.game.scoring import Points, Scheme, scores
from tribridge.game.table import Outcome, Table, new_table

Three = tuple[Points, Points, Points]
P = TypeVar("P", int, Fraction)


@dataclass(frozen=True, slots=True)
class Line:
    """One deal on the score sheet."""

    number: int
    dealer: Seat
    outcome: Outcome
    scores: Three
    vulnerable: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """Deals `first` to `first + deals - 1` of a seed, and the outcomes so far.

    `seed` is one seed for all deals, or a tuple with one per deal.
    """

    scheme: Scheme
    seed: int | tuple[int, ...]
    deals: int
    first: int = 0
    first_dealer: Seat = Seat.NORTH
    doubles: bool = False
    deck: Deck = FULL_DECK
    outcomes: tuple[Outcome, ...] = ()
    rotate_vulnerability: bool = False

    def __post_init__(self) -> None:
        if self.deals < 1:
            raise SettingError(f"a match needs at least one deal, not {self.deals}")
        if isinstance(self.seed, tuple) and len(self.seed) != self.deals:
            raise SettingError(
                f"{quantity(len(self.seed), 'seed')} given for {quantity(self.deals, 'deal')}: "
                "one per deal is needed"
            )

    @property
    def over(self) -> bool:
        return len(self.outcomes) == self.deals

    def dealer(self, at: int) -> Seat:
        """The dealer of the deal at an index of the match: the deal rotates clockwise."""
        return Seat((self.first_dealer + at) % 3)

    def vulnerable(self, at: int) -> tuple[Seat, ...]:
        """Who is vulnerable in the deal at an index of the match."""
        dealer, condition = self.dealer(at), at % 4 if self.rotate_vulnerability else 0
        return tuple(
            seat for seat in Seat if condition == 3 or condition == (1 if seat is dealer else 2)
        )

    def table(self) -> Table:
        """The next deal's table, before the first call."""
        if self.over:
            raise IllegalActionError(f"the match is over after {quantity(self.deals, 'deal')}")
        at = len(self.outcomes)
        seed = self.seed[at] if isinstance(self.seed, tuple) else self.seed
        dealt = deal(seed, self.first + at, self.deck)
        return new_table(
            dealt,
            self.dealer(at),
            doubles=self.doubles,
            scheme=self.scheme,
            vulnerable=self.vulnerable(at),
        )

    def add(self, outcome: Outcome) -> Match:
        """The match with one more deal finished."""
        if self.over:
            raise IllegalActionError(f"the match is over after {quantity(self.deals, 'deal')}")
        return replace(self, outcomes=(*self.outcomes, outcome))

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal."""
        return tuple(self._line(at, outcome) for at, outcome in enumerate(self.outcomes))

    def _line(self, at: int, outcome: Outcome) -> Line:
        vulnerable = self.vulnerable(at)
        points = scores(outcome, self.scheme, self.deck, vulnerable=vulnerable)
        return Line(self.first + at, self.dealer(at), outcome, points, vulnerable)

    def totals(self) -> Three:
        """The points of the three players, North first."""
        lines = self.sheet()
        north, east, south = (sum((line.scores[s] for line in lines), Fraction(0)) for s in Seat)
        return north, east, south

    def settlement(self) -> Three:
        """What each player receives (or pays, if negative) when differences are settled."""
        return settle(self.totals())


def settle(totals: tuple[P, P, P]) -> tuple[P, P, P]:
    """Settle points between three players: each pair pays the difference.

    Examples:
        >>> settle((Fraction(30), Fraction(0), Fraction(0)))
        (Fraction(60, 1), Fraction(-30, 1), Fraction(-30, 1))
    """
    north, east, south = (3 * own - sum(totals) for own in totals)
    return north, east, south
