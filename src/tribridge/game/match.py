"""Matches and rubbers to be dealt and played, with the deal rotating, and the score sheet of three.

A rubber goes on until a player has won two games. Honours are scored from the cards, so nobody has
to claim them. A rubber that takes very long is broken off after `deals` deals and settled as it
stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Final

from tribridge.cards import FULL_DECK, Deck
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat, three
from tribridge.errors import IllegalActionError, SettingError, quantity
from tribridge.game.auction import Outcome
from tribridge.game.laws import Laws
from tribridge.game.rubber import Result, Rubber, dealt_honours
from tribridge.game.scoring import Points, Scheme, scores, settle
from tribridge.game.standing import Standing
from tribridge.game.table import Table, new_table

Three = tuple[Points, Points, Points]

MOST_DEALS: Final = 99
"""Deals after which a rubber is broken off."""
FRESH: Final = Standing()


@dataclass(frozen=True, slots=True)
class Line:
    """One deal on the score sheet."""

    number: int
    dealer: Seat
    outcome: Outcome
    scores: Three
    vulnerable: tuple[Seat, ...] = ()


class _Deals:
    """Numbered deals of a seed (or of one seed per deal): what matches and rubbers share."""

    __slots__ = ()
    kind: ClassVar[str]
    seed: int | tuple[int, ...]
    deals: int
    first: int
    first_dealer: Seat
    deck: Deck

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        raise NotImplementedError

    @property
    def over(self) -> bool:
        return len(self.outcomes) == self.deals

    def dealer(self, at: int) -> Seat:
        """The dealer of the deal at an index: the deal rotates clockwise."""
        return self.first_dealer.after(at)

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal."""
        raise NotImplementedError

    def totals(self) -> Three:
        """The points of the three players, North first."""
        lines = self.sheet()
        return three(sum((line.scores[seat] for line in lines), Fraction(0)) for seat in Seat)

    def settlement(self) -> Three:
        """What each player receives (or pays, if negative) when differences are settled."""
        return settle(self.totals())

    def _check_settings(self) -> None:
        if self.deals < 1:
            raise SettingError(f"a {self.kind} needs at least one deal, not {self.deals}")
        if isinstance(self.seed, tuple) and len(self.seed) != self.deals:
            raise SettingError(
                f"{quantity(len(self.seed), 'seed')} given for {quantity(self.deals, 'deal')}: "
                "one per deal is needed"
            )

    def _next(self) -> int:
        """The index of the next deal; an error if none follows."""
        at = len(self.outcomes)
        if self.over:
            raise IllegalActionError(f"the {self.kind} is over after {quantity(at, 'deal')}")
        return at

    def _next_deal(self) -> Deal:
        at = self._next()
        seed = self.seed[at] if isinstance(self.seed, tuple) else self.seed
        return deal(seed, self.first + at, self.deck)


@dataclass(frozen=True, slots=True)
class Match(_Deals):
    """Deals `first` to `first + deals - 1` of a seed, and the outcomes so far.

    `seed` is one seed for all deals, or a tuple with one per deal.
    """

    kind = "match"

    scheme: Scheme
    seed: int | tuple[int, ...]
    deals: int
    first: int = 0
    first_dealer: Seat = Seat.NORTH
    doubles: bool = False
    deck: Deck = FULL_DECK
    outcomes: tuple[Outcome, ...] = ()

    def __post_init__(self) -> None:
        self._check_settings()

    def table(self) -> Table:
        """The next deal's table, before the first call."""
        dealt, dealer = self._next_deal(), self.dealer(len(self.outcomes))
        return new_table(dealt, dealer, doubles=self.doubles, scheme=self.scheme)

    def add(self, outcome: Outcome) -> Match:
        """The match with one more deal finished."""
        self._next()
        return replace(self, outcomes=(*self.outcomes, outcome))

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal."""
        return tuple(
            Line(self.first + at, self.dealer(at), end, scores(end, self.scheme, self.deck))
            for at, end in enumerate(self.outcomes)
        )


@dataclass(frozen=True, slots=True)
class RubberMatch(_Deals):
    """A rubber with the deals from `first` on of a seed, and how it stands.

    `seed` is one seed for all deals, or a tuple with one per deal.

    Examples:
        >>> from tribridge.game.laws import find_laws
        >>> match = RubberMatch(find_laws("auction-rubber"), seed=1).add(Outcome(None))
        >>> match.table().dealer, match.over, match.rubber.totals()
        (Seat.EAST, False, {N: 0, E: 0, S: 0})
    """

    kind = "rubber"

    laws: Laws
    seed: int | tuple[int, ...]
    deals: int = MOST_DEALS
    first: int = 0
    first_dealer: Seat = Seat.NORTH
    doubles: bool = True
    deck: Deck = FULL_DECK
    start: Standing = FRESH
    rubber: Rubber = None  # type: ignore[assignment]  # a new one, unless `add` has filled it in

    def __post_init__(self) -> None:
        self._check_settings()
        if self.deck != FULL_DECK:
            raise SettingError(f"a rubber needs the full deck, not {self.deck}")
        if self.rubber is None:
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
        dealt, rubber = self._next_deal(), self.rubber
        return new_table(dealt, rubber.dealer, doubles=self.doubles, rubber=rubber.state)

    def add(self, outcome: Outcome) -> RubberMatch:
        """The rubber with one more deal finished."""
        result = Result(outcome, dealt_honours(self._next_deal(), outcome.contract))
        return replace(self, rubber=self.rubber.add_result(result))

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal, with all that the players scored on it."""
        lines, before = [], self._begun()
        for at, result in enumerate(self.rubber.results):
            after = before.add_result(result)
            new = after.lines[len(before.lines) :]
            own = [[line.points for line in new if line.seat is seat] for seat in Seat]
            points = three(Fraction(sum(each)) for each in own)
            risk = before.state.vulnerable
            lines.append(Line(self.first + at, before.dealer, result.outcome, points, risk))
            before = after
        return tuple(lines)

    def _begun(self) -> Rubber:
        below, games = self.start
        return Rubber(self.laws, self.first_dealer, below=below, games=games)
