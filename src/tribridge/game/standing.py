"""The standing of a rubber: part scores and games won, and how a deal changes it.

A standing is written as text by naming players with their games and part scores:
`N 20, E 1 game, S 1 game 15`. Players who are left out have neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from tribridge.cards.cards import Hand
from tribridge.cards.deals import Deal, Seat, three
from tribridge.common.codec import fields_form
from tribridge.common.errors import FormatError, SettingError, shown
from tribridge.game.auction import Contract, Outcome
from tribridge.game.laws import (
    Counts,
    Laws,
    Line,
    deal_items,
    honour_cards,
    honour_items,
    laws_text,
    recorded_laws,
)
from tribridge.game.scoring import Points

GAMES_TO_WIN: Final = 2

Three = tuple[int, int, int]

NONE: Final = (0, 0, 0)

Honours = tuple[Hand, Hand, Hand, Hand]
"""The honours of North, East, South and dummy."""

NO_HONOURS: Final = (Hand(), Hand(), Hand(), Hand())

SEATS: Final = {seat.letter: seat for seat in Seat}
"""The players of a standing as they are named at a table."""

_SCORE: Final = re.compile(r"(?:(-?\d{1,9})\s*games?)?\s*(-?\d{1,9})?")
_EXAMPLE: Final = "20, 1 game, or 1 game 20"


class Standing(NamedTuple):
    """What a rubber has come to: the part scores below the line, and the games won."""

    below: Three = NONE
    games: Three = NONE


@fields_form(lambda fields: read_state(fields), lambda state: state_fields(state))
class RubberState(NamedTuple):
    """What everybody at a table knows about the rubber: its laws and its standing."""

    laws: Laws
    standing: Standing = Standing()

    @property
    def vulnerable(self) -> tuple[Seat, ...]:
        """Who is vulnerable: those who have won a game, where the laws make a difference."""
        if self.laws.scheme.vulnerable is None:
            return ()
        return tuple(seat for seat in Seat if self.standing.games[seat])


class Step(NamedTuple):
    """How the points below the line of one deal change a standing."""

    standing: Standing
    bonuses: tuple[tuple[str, int], ...] = ()
    """Bonuses of the declarer, each with its reason."""


def step(laws: Laws, standing: Standing, declarer: Seat, gained: int) -> Step:
    """The standing after a declarer has scored points below the line, and the bonuses for it.

    >>> from tribridge.game.laws import find_laws
    >>> step(find_laws("auction-rubber-games"), Standing((20, 9, 0)), Seat.NORTH, 10)
    Step(standing=Standing(below=(0, 0, 0), games=(1, 0, 0)), bonuses=(('game', 125),))
    """
    if not gained:
        return Step(standing)
    below, games = list(standing.below), list(standing.games)
    below[declarer] += gained
    if below[declarer] < laws.game:
        return Step(Standing((below[0], below[1], below[2]), standing.games))
    games[declarer] += 1
    bonuses = [("game", laws.game_bonus)]
    if games[declarer] == GAMES_TO_WIN:
        alone = sum(games) == GAMES_TO_WIN
        bonuses.append(("rubber", laws.clear_rubber_bonus if alone else laws.rubber_bonus))
    won = tuple((text, points) for text, points in bonuses if points)
    return Step(Standing(NONE, (games[0], games[1], games[2])), won)


def deal_lines(
    state: RubberState, outcome: Outcome, honours: Honours
) -> tuple[list[Line], Standing]:
    """What a deal writes on the score sheet, and the standing after it."""
    (laws, standing), contract = state, outcome.contract
    if contract is None:
        return [], standing
    declarer = contract.declarer
    counts = cast("Counts", tuple(map(len, honours)))
    items, gained = deal_items(laws, contract, outcome.tricks, declarer in state.vulnerable)
    items += honour_items(laws, contract.bid.strain, declarer, counts)
    after = step(laws, standing, declarer, gained)
    bonuses = (Line(declarer, points, False, text) for text, points in after.bonuses)
    return [*items, *bonuses], after.standing


def rubber_points(
    state: RubberState, deal: Deal, outcome: Outcome
) -> tuple[Points, Points, Points]:
    """What the three score for a deal of a rubber, honours and bonuses included, North first."""
    lines, _ = deal_lines(state, outcome, dealt_honours(deal, outcome.contract))
    return three(Points(sum(line.points for line in lines if line.seat is seat)) for seat in Seat)


def dealt_honours(deal: Deal, contract: Contract | None) -> Honours:
    """The honours that the four hands of a deal hold; none when it was passed out."""
    if contract is None:
        return NO_HONOURS
    honours = Hand(honour_cards(contract.bid.strain))
    north, east, south, dummy = (hand & honours for hand in deal.hands)
    return north, east, south, dummy


def check_standing(
    laws: Laws,
    below: tuple[object, ...],
    games: tuple[object, ...],
    owners: Mapping[Seat, str] | None = None,
) -> Standing:
    """A standing in which a rubber can be; `owners` are the players in errors (`North's`)."""
    whose = {seat: f"{seat}'s" for seat in Seat} | dict(owners or {})
    for name, values in (("part scores", below), ("games won", games)):
        if len(values) != len(Seat):
            raise SettingError(f"{len(values)} {name}: three are needed, North, East and South")
    for seat, points, won in zip(Seat, below, games, strict=True):
        if type(points) is not int or points < 0:
            raise SettingError(
                f"{whose[seat]} part score must be a whole number, 0 or more, not {shown(points)}"
            )
        if points >= laws.game:
            raise SettingError(
                f"{whose[seat]} part score is {shown(points)}, but {laws.game} points are a game "
                f"({laws.name}): it must be less"
            )
        if type(won) is not int or not 0 <= won < GAMES_TO_WIN:
            raise SettingError(
                f"{whose[seat]} games must be 0 or 1 while a rubber goes on, not {shown(won)}"
            )
    return Standing(three(cast("Three", below)), three(cast("Three", games)))


def state_fields(state: RubberState) -> dict[str, Any]:
    """The state of a rubber as values that JSON can hold, for `read_state`.

    >>> from tribridge.game.laws import find_laws
    >>> state_fields(RubberState(find_laws("auction-rubber"), Standing((20, 0, 0), (0, 0, 1))))
    {'laws': 'auction-rubber', 'below': [20, 0, 0], 'games': [0, 0, 1]}
    """
    below, games = state.standing
    return {"laws": laws_text(state.laws), "below": list(below), "games": list(games)}


def read_state(fields: Mapping[str, Any], own: Laws | None = None) -> RubberState:
    """The state of a rubber that `state_fields` wrote; below and games may be left out.

    The laws are those of the package or `own` ones, by name, or have their table as text.
    """
    name = fields.get("laws")
    laws = own if own is not None and own.name == name else recorded_laws(name)
    scores = [fields.get(key, list(NONE)) for key in ("below", "games")]
    for key, values in zip(("below", "games"), scores, strict=True):
        if not isinstance(values, (list, tuple)):
            raise FormatError(f"{key} must be a list of three numbers, not {shown(values)}")
    return RubberState(laws, check_standing(laws, tuple(scores[0]), tuple(scores[1])))


def parse_standing(
    text: str,
    laws: Laws,
    players: Mapping[str, Seat] = SEATS,
    owners: Mapping[Seat, str] | None = None,
) -> Standing:
    """Read a standing in which the players are named as in `players`.

    >>> from tribridge.game.laws import find_laws
    >>> parse_standing("N 20, S 1 game 15", find_laws("auction-rubber"))
    Standing(below=(20, 0, 15), games=(0, 0, 1))
    """
    seats = {name.lower(): seat for name, seat in players.items()}
    below, games = dict.fromkeys(Seat, 0), dict.fromkeys(Seat, 0)
    read: set[Seat] = set()
    for part in text.split(",") if text.strip() else []:
        name, _, score = part.strip().partition(" ")
        if name.lower() not in seats:
            *some, last = players
            raise FormatError(
                f"standing {shown(text)}: unknown player {shown(name)}, expected "
                f"{', '.join(some)} or {last}"
            )
        seat = seats[name.lower()]
        if seat in read:
            raise FormatError(f"standing {shown(text)}: {name} is named twice")
        read.add(seat)
        match = _SCORE.fullmatch(score.strip())
        if match is None or not score.strip():
            raise FormatError(
                f"standing {shown(text)}: cannot read the score of {name}, expected {_EXAMPLE}"
            )
        games[seat], below[seat] = int(match[1] or 0), int(match[2] or 0)
    return check_standing(laws, tuple(below.values()), tuple(games.values()), owners)


def standing_name(standing: Standing, names: Mapping[Seat, str] | None = None) -> str:
    """Write a standing as `parse_standing` reads it.

    >>> standing_name(Standing((20, 0, 15), (0, 0, 1))), standing_name(Standing())
    ('N 20, S 1 game 15', '')
    """
    named = names or {seat: name for name, seat in SEATS.items()}
    words = []
    for seat in named:
        games, below = standing.games[seat], standing.below[seat]
        score = [f"{games} game"] * bool(games) + [str(below)] * bool(below)
        if score:
            words.append(" ".join([named[seat], *score]))
    return ", ".join(words)
