"""Rubbers: deals until a player has won two games, with a score above and below the line.

Below the line stand the trick points that count towards game; a game crosses off everybody's part
scores, which still count in the end. Above the line stand penalties, bonuses and honours. What
counts how much is a matter of the `Laws`. At the end each player pays each other player the
difference of their totals.

The score sheet has three columns. Above the line entries are stacked upwards, so that the latest
stands on top; below it they go downwards, and a line is drawn under each game.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, Hand, html_text
from tribridge.cards.deals import BySeat, Seat
from tribridge.common.errors import (
    CardsError,
    IllegalActionError,
    SettingError,
    check_type,
    quantity,
    shown,
    unchanging,
)
from tribridge.game.auction import Contract, Outcome
from tribridge.game.laws import Laws, Line, find_laws, honour_cards
from tribridge.game.scoring import settle
from tribridge.game.standing import (
    GAMES_TO_WIN,
    NO_HONOURS,
    NONE,
    Honours,
    RubberState,
    Standing,
    check_standing,
    deal_lines,
    dealt_honours,
)
from tribridge.game.table import Table

HOLDERS: Final = (*(seat.letter for seat in Seat), "dummy")
Row = tuple[Line | None, ...]
"""A line of the sheet for each player, or None where a cell is empty."""
_WIDTH: Final = 25
"""Characters of a column; three with their borders fit into 80."""
_POINTS: Final = 6


@unchanging
@dataclass(frozen=True, slots=True)
class Result:
    """A finished deal and the honours that were held in it."""

    outcome: Outcome
    honours: Honours = NO_HONOURS


@unchanging
@dataclass(frozen=True, slots=True, init=False)
class Rubber:
    """A rubber so far; `add` gives the rubber with one more deal.

    It may start from a standing: part scores and games of the three players, North first. Points
    that were scored before are not counted.

    Examples:
        >>> rubber = Rubber("auction-rubber")
        >>> rubber = rubber.add(Contract("3NT", "N"), 9)
        >>> rubber = rubber.add(Contract("2H", "S"), 8, honours={"S": "HA HK HQ", "dummy": "HJ"})
        >>> rubber.totals()
        {N: 30, E: 0, S: 48}
        >>> rubber.standing.games, rubber.over, rubber.dealer
        ((1, 0, 0), False, Seat.SOUTH)

    Raises:
        NotFoundError: there are no such laws.
        SettingError: a standing that is not possible.
        IllegalActionError: a deal that is not finished, or one after the end of the rubber.
        CardsError: an honour that is claimed twice, or a card that is none.
    """

    laws: Laws
    first_dealer: Seat
    start: Standing
    results: tuple[Result, ...]
    lines: tuple[Line, ...]
    standing: Standing

    def __init__(
        self,
        laws: Laws | str = "auction-rubber",
        first_dealer: Seat | str = "N",
        *,
        below: Iterable[int] = NONE,
        games: Iterable[int] = NONE,
    ) -> None:
        chosen = find_laws(laws)
        check_type(below, "Rubber: below", "Iterable[int]", Iterable)
        check_type(games, "Rubber: games", "Iterable[int]", Iterable)
        start = Standing()
        if below is not NONE or games is not NONE:
            start = check_standing(chosen, tuple(below), tuple(games))
        self._set(chosen, Seat(first_dealer), start, (), (), start)

    def _set(self, *values: object) -> Rubber:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)
        return self

    @property
    def state(self) -> RubberState:
        """The laws and the standing, as the players of the next deal know them."""
        return RubberState(self.laws, self.standing)

    @property
    def winner(self) -> Seat | None:
        """Who has won the rubber; None while it goes on."""
        games = self.standing.games
        return next((seat for seat in Seat if games[seat] >= GAMES_TO_WIN), None)

    @property
    def over(self) -> bool:
        return GAMES_TO_WIN in self.standing.games

    @property
    def dealer(self) -> Seat:
        """Who deals next: the deal rotates clockwise."""
        return self.first_dealer.after(len(self.results))

    @property
    def vulnerable(self) -> tuple[Seat, ...]:
        """The players who have won a game."""
        return tuple(seat for seat in Seat if self.standing.games[seat])

    def add(
        self,
        end: Table | Outcome | Contract | str | None,
        tricks: int | None = None,
        *,
        honours: Mapping[str, str | Collection[Card]] | None = None,
    ) -> Rubber:
        """The rubber with one more deal: a finished table, an outcome, or a contract and tricks.

        None is a deal that was passed out. The honours of a table are those of its cards; for
        other deals they are claimed by `N`, `E`, `S` and `dummy`.
        """
        kinds = "Mapping[str, str | Collection[Card]] | None"
        check_type(honours, "Rubber.add: honours", kinds, Mapping, None)
        end = Contract(end) if isinstance(end, str) else end
        outcome = _outcome(end, tricks)
        if not isinstance(end, Table):
            return self.add_result(Result(outcome, _claimed(outcome.contract, honours or {})))
        if honours is not None:
            raise SettingError("honours are those of the table's cards: none can be claimed beside")
        return self.add_result(Result(outcome, dealt_honours(end.deal, outcome.contract)))

    def add_result(self, result: Result) -> Rubber:
        """The rubber with a result that is known to be one."""
        check_type(result, "Rubber.add_result: result", "Result", Result)
        if self.over:
            raise IllegalActionError(f"the rubber is over: {self.winner} has won two games")
        lines, standing = self._scored(result)
        results, before = (*self.results, result), (self.laws, self.first_dealer, self.start)
        return object.__new__(Rubber)._set(*before, results, (*self.lines, *lines), standing)

    def sheet(self) -> tuple[Line, ...]:
        """All entries of the score sheet in the order in which they were made."""
        return self.lines

    def above(self) -> BySeat[int]:
        """The points of each player above the line."""
        return self._sums(line for line in self.lines if not line.below)

    def below(self) -> BySeat[int]:
        """All points of each player below the line, those of games that are over included."""
        return self._sums(line for line in self.lines if line.below)

    def totals(self) -> BySeat[int]:
        """All points of each player."""
        return self._sums(self.lines)

    def settlement(self) -> BySeat[int]:
        """What each player receives (or pays, if negative) when differences are settled."""
        totals = self.totals()
        paid = settle((totals[Seat.NORTH], totals[Seat.EAST], totals[Seat.SOUTH]))
        return BySeat(dict(zip(Seat, paid, strict=True)))

    def __str__(self) -> str:
        above, *sections = self._sections()
        rows = [_rule("-"), _text_row(map(str, Seat)), _rule("-"), *map(_text_row, above)]
        rows.append(_rule("="))
        for section in sections:
            rows += [*map(_text_row, section), _rule("-")]
        return "\n".join([*rows, self._status()])

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def _status(self) -> str:
        """One sentence on where the rubber stands."""
        won = zip(Seat, self.standing.games, strict=True)
        games = ", ".join(f"{seat} {count}" for seat, count in won)
        if self.winner is not None:
            return f"{self.winner} has won the rubber. Games: {games}."
        return f"{self.dealer} deals next. Games: {games}."

    def _sections(self) -> list[list[list[str]]]:
        """The cells above the line, of each game below it, and of the sums."""
        rows = [rows_above(self), *rows_below(self)]
        cells = [[["" if line is None else _cell(line) for line in row] for row in s] for s in rows]
        sums = {"total": self.totals(), "settlement": self.settlement()}
        return [
            *(section or [[""] * len(Seat)] for section in cells),
            [[_signed(points, name) for points in row.values()] for name, row in sums.items()],
        ]

    def __repr__(self) -> str:
        return f"<Rubber {self.laws.name}: {quantity(len(self.results), 'deal')}, {self.totals()}>"

    def _sums(self, lines: Iterable[Line]) -> BySeat[int]:
        sums = dict.fromkeys(Seat, 0)
        for line in lines:
            sums[line.seat] += line.points
        return BySeat(sums)

    def _scored(self, result: Result) -> tuple[list[Line], Standing]:
        """The lines of one more deal, and the standing after it."""
        lines, standing = deal_lines(self.state, result.outcome, result.honours)
        return [line._replace(deal=len(self.results) + 1) for line in lines], standing


def rows_above(rubber: Rubber) -> list[Row]:
    """Rows above the line, the first entries at the bottom."""
    columns = [
        [line for line in rubber.lines if line.seat is seat and not line.below] for seat in Seat
    ]
    return [*zip_longest(*columns)][::-1]


def rows_below(rubber: Rubber) -> list[list[Row]]:
    """Rows below the line for each game, the one that goes on last.

    Part scores from the start of the rubber are lines of deal 0.
    """
    games: list[list[list[Line]]] = [[[], [], []]]
    points = list(rubber.start.below)
    for seat in Seat:
        if points[seat]:
            games[0][seat].append(Line(seat, points[seat], True, "at the start"))
    scored = (line for line in rubber.lines if line.below)
    for (_, seat), deal in groupby(scored, key=lambda line: (line.deal, line.seat)):
        lines = list(deal)
        games[-1][seat] += lines
        points[seat] += sum(line.points for line in lines)
        if points[seat] >= rubber.laws.game:
            games.append([[], [], []])
            points = [0] * 3
    if not any(games[-1]) and len(games) > 1:
        games.pop()
    return [[*zip_longest(*game)] for game in games]


def _cell(line: Line) -> str:
    deal = f" ({line.deal})" if line.deal else ""
    return f"{line.points:>{_POINTS}} {line.reason}{deal}"


def _signed(points: int, name: str) -> str:
    sign = "+" if points and name == "settlement" else ""
    return f"{points:{sign}{_POINTS}} {name}"


def _rule(sign: str) -> str:
    return "+" + "+".join([sign * _WIDTH] * 3) + "+"


def _text_row(cells: Iterable[str]) -> str:
    return "|" + "|".join(f"{cell[:_WIDTH]:{_WIDTH}}" for cell in cells) + "|"


def rubbers_of(
    ends: Iterable[Table | Outcome], laws: Laws | str, first_dealer: Seat | str = "N"
) -> list[Rubber]:
    """Rubbers from deals in order; after the end of one rubber the next begins."""
    rubbers = [Rubber(laws, first_dealer)]
    for number, end in enumerate(ends, 1):
        if rubbers[-1].over:
            rubbers.append(Rubber(rubbers[-1].laws, rubbers[-1].dealer))
        try:
            rubbers[-1] = rubbers[-1].add(end)
        except (IllegalActionError, SettingError) as error:
            raise type(error)(f"deal {number}: {error}") from None
    return rubbers


def _outcome(end: Table | Outcome | Contract | None, tricks: int | None) -> Outcome:
    """The outcome of a deal, however it is given."""
    if tricks is not None and not isinstance(end, Contract):
        raise SettingError(f"{shown(tricks)} tricks are given without a contract")
    if end is None:
        return Outcome(None)
    if isinstance(end, Table):
        if end.deal.deck != FULL_DECK:
            raise SettingError(f"a rubber needs the full deck, not {end.deal.deck}")
        if end.outcome is None:
            raise IllegalActionError("the deal is not finished: a rubber takes finished deals")
        return end.outcome
    if isinstance(end, Contract):
        if tricks is None:
            raise SettingError(f"{end} needs the number of tricks that declarer won")
        end = Outcome(end, tricks)
    if not isinstance(end, Outcome):
        raise SettingError(f"{shown(end)} is not the end of a deal: expected a table or a contract")
    _check_outcome(end)
    return end


def _check_outcome(outcome: Outcome) -> None:
    contract, tricks = outcome.contract, outcome.tricks
    if contract is None:
        return
    if not 1 <= contract.bid.level <= FULL_DECK.levels:
        raise SettingError(f"{contract!r} is not a contract of levels 1 to 7")
    if type(tricks) is not int or not 0 <= tricks <= FULL_DECK.hand_size:
        raise SettingError(f"declarer cannot win {shown(tricks)} tricks: 0 to 13")


def _claimed(contract: Contract | None, claims: Mapping[str, str | Collection[Card]]) -> Honours:
    """Honours as players claim them, each once and only those of the contract's strain."""
    if contract is None:
        if claims:
            raise CardsError("honours are claimed in a deal that was passed out")
        return NO_HONOURS
    honours = honour_cards(contract.bid.strain)
    holders: dict[Card, str] = {}
    hands = dict.fromkeys(HOLDERS, Hand())
    for holder, given in claims.items():
        if holder not in hands:
            raise SettingError(f"honours of {shown(holder)}: expected {', '.join(HOLDERS)}")
        words = given.split() if isinstance(given, str) else given
        if not isinstance(words, Collection):
            raise SettingError(
                f"honours of {holder} must be cards as in 'HA HK', not {shown(given)}"
            )
        cards = [Card(word) for word in words]
        for card in cards:
            if card not in honours:
                listed = " ".join(honour.name for honour in honours)
                raise CardsError(f"{card} is not an honour in {contract.bid}: these are {listed}")
            if card in holders:
                raise CardsError(f"{card} is claimed twice, by {holders[card]} and by {holder}")
            holders[card] = holder
            hands[holder] |= Hand(card.bit)
    north, east, south, dummy = hands.values()
    return north, east, south, dummy
