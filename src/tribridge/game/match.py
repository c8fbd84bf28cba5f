"""Matches and rubbers to be dealt and played, with the deal rotating, and the score sheet of three.

A rubber goes on until a player has won two games. Honours are scored from the cards, so nobody has
to claim them. A rubber that takes very long is broken off after `deals` deals and settled as it
stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat, three
from tribridge.common.errors import IllegalActionError, SettingError, check_type, quantity
from tribridge.game.auction import Outcome
from tribridge.game.laws import Laws
from tribridge.game.rubber import Result, Rubber
from tribridge.game.scoring import Points, Reason, Scheme, entries, scores, settle
from tribridge.game.standing import dealt_honours
from tribridge.game.table import Table, new_table

Three = tuple[Points, Points, Points]

MOST_DEALS: Final = 99
"""Deals after which a rubber is broken off."""


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
    """Deals `first` to `first + deals - 1` of a seed under a scheme, or of a rubber under laws.

    `seed` is one seed for all deals, or a tuple with one per deal.

    Examples:
        >>> from tribridge.game.laws import find_laws
        >>> match = Match(find_laws("auction-rubber"), seed=1).add(Outcome(None))
        >>> match.table().dealer, match.over, match.rubber.totals()
        (Seat.EAST, False, {N: 0, E: 0, S: 0})
    """

    rules: Scheme | Laws
    seed: int | tuple[int, ...]
    deals: int = MOST_DEALS
    first: int = 0
    first_dealer: Seat = Seat.NORTH
    doubles: bool = False
    deck: Deck = FULL_DECK
    rubber: Rubber | None = None
    """How a rubber stands: a new one unless given; None in a match of single deals."""
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        check_type(self.rules, "Match: rules", "Scheme | Laws", Scheme, Laws)
        if isinstance(self.rules, Laws) and self.rubber is None:
            object.__setattr__(self, "rubber", Rubber(self.rules, self.first_dealer))
        if self.deals < 1:
            raise SettingError(f"a {self._kind} needs at least one deal, not {self.deals}")
        if isinstance(self.seed, tuple) and len(self.seed) != self.deals:
            raise SettingError(
                f"{quantity(len(self.seed), 'seed')} given for {quantity(self.deals, 'deal')}: "
                "one per deal is needed"
            )
        if self.rubber is not None and self.deck != FULL_DECK:
            raise SettingError(f"a rubber needs the full deck, not {self.deck}")

    @property
    def scheme(self) -> Scheme:
        """How single deals are scored; in a rubber it has the name of the laws."""
        return self.rules.scheme if isinstance(self.rules, Laws) else self.rules

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(line.outcome for line in self.lines)

    @property
    def over(self) -> bool:
        won = self.rubber is not None and self.rubber.over
        return won or len(self.lines) == self.deals

    def dealer(self, at: int) -> Seat:
        """The dealer of the deal at an index: the deal rotates clockwise."""
        return self.first_dealer.after(at)

    def table(self) -> Table:
        """The next deal's table, before the first call."""
        dealt, dealer = self._next_deal(), self.dealer(len(self.lines))
        if self.rubber is not None:
            return new_table(dealt, dealer, doubles=self.doubles, rubber=self.rubber.state)
        return new_table(dealt, dealer, doubles=self.doubles, scheme=self.scheme)

    def add(self, outcome: Outcome) -> Match:
        """The match with one more deal finished."""
        at, rubber = self._next(), self.rubber
        points, risk = scores(outcome, self.scheme, self.deck), tuple[Seat, ...]()
        if rubber is not None:
            honours, before = dealt_honours(self._next_deal(), outcome.contract), len(rubber.lines)
            risk = rubber.state.vulnerable
            rubber = rubber.add_result(Result(outcome, honours))
            new = rubber.lines[before:]
            own = [[line.points for line in new if line.seat is seat] for seat in Seat]
            points = three(Fraction(sum(each)) for each in own)
        line = Line(self.first + at, self.dealer(at), outcome, points, risk)
        return replace(self, rubber=rubber, lines=(*self.lines, line))

    def sheet(self) -> tuple[Line, ...]:
        """A line for each finished deal, with all that the players scored on it."""
        return self.lines

    def made_up(self, at: int) -> tuple[tuple[tuple[str, Points], ...], ...]:
        """What each player's points of a finished deal are for, North first: reasons with points.

        The points of the contract's own tricks are for its bid.

        Examples:
            >>> from tribridge.game.auction import Bid, Contract
            >>> from tribridge.game.scoring import find_scheme
            >>> slam = Outcome(Contract(Bid("6S"), Seat.NORTH), 13)
            >>> match = Match(find_scheme("auction"), seed=1).add(slam)
            >>> [f"{reason} {points}" for reason, points in match.made_up(0)[0]]
            ['6♠ 54', 'overtricks 9', 'grand slam 100']
        """
        if self.rubber is not None:
            items = [line for line in self.rubber.lines if line.deal == at + 1]
            return tuple(
                tuple((one.reason, Fraction(one.points)) for one in items if one.seat is seat)
                for seat in Seat
            )
        outcome = self.lines[at].outcome
        return tuple(
            tuple(
                (str(outcome.contract.bid) if reason is Reason.CONTRACT else str(reason), points)
                for reason, points in own
                if points and outcome.contract is not None
            )
            for own in entries(outcome, self.scheme, self.deck)
        )

    def totals(self) -> Three:
        """The points of the three players, North first."""
        return three(sum((line.scores[seat] for line in self.lines), Fraction(0)) for seat in Seat)

    def settlement(self) -> Three:
        """What each player receives (or pays, if negative) when differences are settled."""
        return settle(self.totals())

    @property
    def _kind(self) -> str:
        return "match" if self.rubber is None else "rubber"

    def _next(self) -> int:
        """The index of the next deal; an error if none follows."""
        at = len(self.lines)
        if self.over:
            raise IllegalActionError(f"the {self._kind} is over after {quantity(at, 'deal')}")
        return at

    def _next_deal(self) -> Deal:
        at = self._next()
        seed = self.seed[at] if isinstance(self.seed, tuple) else self.seed
        return deal(seed, self.first + at, self.deck)
