"""What the lobby offers somebody who was here before: one value, made for a device.

Open games, the two dailies with how far they are and for how many days in a row, the league, one
goal for the week, and a choice of their last games that cost them most. Nothing of it is an
account: it is read from the games, answers and results of a device's key.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from tribridge.cards.deals import Seat
from tribridge.club.core.all_rooms import Rooms, seated
from tribridge.club.core.challenges import Challenges, read_day
from tribridge.club.core.games import Games, Reviewing, TurningPoint
from tribridge.club.core.league import Leagues, Standing, week_of
from tribridge.club.core.puzzles import Puzzles
from tribridge.club.core.streaks import last_row, longest, streak
from tribridge.club.errors import BusyError, DamagedError, UnknownTableError

if TYPE_CHECKING:
    from tribridge.club.core.room import Room

MOST: Final = 30
"""Open games that are listed."""
GOALS: Final = {"daily": 4, "puzzle": 4, "field": 3}
"""What a week can ask for, and how often: daily deals, daily puzzles, more than half the field."""
_HALF: Final = 50.0
_ROW: Final = 2
"""Days that make a row."""
_LATELY: Final = timedelta(30)
"""How long a row that has ended is told of."""


@dataclass(frozen=True, slots=True)
class OpenGame:
    """A match that is not over."""

    table: str
    names: tuple[str, ...]
    """The other players."""
    deal: int
    """The deal in progress, from 1; 0 if it has not begun."""
    deals: int
    """0 for a rubber."""
    scoring: str
    day: date | None
    """The date of a daily challenge."""
    challenge: bool


@dataclass(frozen=True, slots=True)
class Today:
    """A daily, and how far somebody is with it."""

    begun: bool
    done: bool
    days: int
    """Days in a row."""
    right: bool = False
    """Whether the puzzle was solved."""
    deal: int = 0
    """The deal in progress, from 1."""
    rank: int = 0
    results: int = 0
    percent: float | None = None
    row: int = 0
    """The last days in a row, if they have ended and no new ones have begun; 0 otherwise."""
    best: int = 0
    """The most days in a row ever."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a week asks for."""

    kind: str
    done: int
    wanted: int
    last_week: tuple[str, int, int] | None = None
    """What last week asked for, how much of it was done, and how much it wanted.

    It is told until something is done in this week.
    """


@dataclass(frozen=True, slots=True)
class Returning:
    """The lobby of somebody who was here."""

    games: tuple[OpenGame, ...]
    damaged: int
    """Tables that cannot be read any more."""
    deals: Today
    puzzle: Today
    goal: Goal
    league: Standing
    turning: TurningPoint | None
    reviewing: Reviewing | None
    """The day whose turning point is being looked for."""
    yesterday: bool
    """Whether that was yesterday."""


def goal_of(day: date) -> str:
    """What the week of a day asks for: the goals take turns."""
    return list(GOALS)[day.isocalendar().week % len(GOALS)]


def _week(days: Set[date], today: date) -> int:
    """How many of some days are in the week of today."""
    return sum(week_of(day) == week_of(today) for day in days)


def _open(room: Room, seat: Seat) -> OpenGame:
    state = room.state
    challenge = state.options.challenge
    return OpenGame(
        room.name,
        tuple(
            p.name for at, p in zip(Seat, state.places, strict=True) if at is not seat and p.name
        ),
        state.deal + 1 if state.started else 0,
        0 if state.match.rubber is not None else state.match.deals,
        state.match.scheme.name,
        None if challenge is None else read_day(challenge),
        challenge is not None,
    )


async def open_games(rooms: Rooms, games: Games, device: str) -> tuple[list[OpenGame], int]:
    """The unfinished games of a device, the last played first, and how many are damaged."""
    unfinished, damaged = list[OpenGame](), 0
    for table, seat, serial in await games.unfinished(device, MOST):
        try:
            room = await rooms.load(table)
        except DamagedError:
            damaged += 1
        except (BusyError, UnknownTableError):  # just expired
            continue
        else:
            if seated(room.state, seat, serial) and not room.state.over:
                unfinished.append(_open(room, seat))
    return unfinished, damaged


async def _deals_today(challenges: Challenges, player: str, games: list[OpenGame]) -> Today:
    today, days = challenges.today(), await challenges.days(player)
    done = {day for day, result in days.items() if result is not None}
    length = streak(done, today, days.keys() - done)
    if today not in done:
        deal = next((game.deal for game in games if game.day == today), 0)
        return _with_row(Today(today in days, False, length, deal=deal), done, today)
    challenge = await challenges.find(today.isoformat())
    results, _ = await challenges.results(challenge)
    own = next((result for result in results if result.player == player), None)
    played, wanted = await challenges.field(challenge)
    if own is None or played < wanted:  # what few runs say is on the page of the challenge
        return Today(True, True, length)
    return Today(True, True, length, rank=own.rank, results=len(results), percent=own.percent)


async def _puzzle_today(puzzles: Puzzles, device: str) -> Today:
    given = await puzzles.answered(device, puzzles.daily())
    days = (await puzzles.solver(device)).streak
    done = given is not None
    daily = Today(done, done, days, right=given is not None and given.right)
    return daily if done else _with_row(daily, await puzzles.days(device), puzzles.today())


def _with_row(daily: Today, done: Set[date], today: date) -> Today:
    """A daily that is not done, with the days in a row that have ended lately."""
    row, last = last_row(done, today)
    if daily.days or row < _ROW or last is None or today - last > _LATELY:
        return daily
    return replace(daily, row=row, best=longest(done))


async def _goal(challenges: Challenges, puzzles: Puzzles, device: str, player: str) -> Goal:
    """What the week asks for; until something is done for it, last week is told of, too."""
    today = challenges.today()
    now = await _goal_of(challenges, puzzles, device, player, today)
    if now.done:
        return now
    last = await _goal_of(challenges, puzzles, device, player, today - timedelta(7))
    return replace(now, last_week=(last.kind, last.done, last.wanted)) if last.done else now


async def _goal_of(
    challenges: Challenges, puzzles: Puzzles, device: str, player: str, today: date
) -> Goal:
    kind, days = goal_of(today), await challenges.days(player)
    if kind == "puzzle":
        done = _week(await puzzles.days(device), today)
    elif kind == "daily":
        done = _week({day for day, result in days.items() if result is not None}, today)
    else:
        done = 0
        for day in (day for day, result in days.items() if result and _week({day}, today)):
            every = await challenges.every(day.isoformat())
            done += any(r.player == player and (r.percent or 0) > _HALF for r in every)
    return Goal(kind, min(done, GOALS[kind]), GOALS[kind])


async def returning(
    rooms: Rooms,
    games: Games,
    challenges: Challenges,
    puzzles: Puzzles,
    leagues: Leagues,
    device: str,
) -> Returning | None:
    """The lobby of a device; None for one that has no games and no answers."""
    if not device or not await games.any(device):
        return None
    player, today = f"d:{device}", challenges.today()
    unfinished, damaged = await open_games(rooms, games, device)
    found = await games.turning_point(device, today)
    turning = found if isinstance(found, TurningPoint) else None
    return Returning(
        tuple(unfinished),
        damaged,
        await _deals_today(challenges, player, unfinished),
        await _puzzle_today(puzzles, device),
        await _goal(challenges, puzzles, device, player),
        await leagues.standing(player),
        turning,
        found if isinstance(found, Reviewing) else None,
        found is not None and found.day == today - timedelta(1),
    )
