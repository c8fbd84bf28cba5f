"""The league: the daily deals of five days, Monday to Friday, against seven rivals.

The rivals are the first runs of the field (`field.toml`): bots that play like people, better from
league to league. A week begins for somebody with the first day that they play: those before it
count for nobody in their table. A day counts as its percentage of the field once all seven rivals
have played it, a day that was missed after that as nothing. At the end of the week the first two go
up a league and the last two go down. Everybody has a league of their own, with the same rivals for
all who are in it that week.

A week is settled once, when it is over and the field has played all of its days; its table is then
stored among a player's results, under the name of the week, and says the same ever after.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from tribridge.club.core.challenges import Challenges, Result
from tribridge.club.core.field import RUN, leagues, rival_names, rivals
from tribridge.club.core.store import apart, upsert
from tribridge.club.errors import NotStoredError, UnknownTableError
from tribridge.common import codec
from tribridge.common.errors import TribridgeError

DAYS: Final = 5
MOVING: Final = 2
"""How many go up, and how many go down."""
_LOG: Final = logging.getLogger("tribridge.club")


@dataclass(frozen=True, slots=True)
class Line:
    """A player's or a rival's week."""

    name: str
    you: bool
    days: tuple[float | None, ...]
    """Percentages, Monday first; None for a day that does not count yet.

    One's own is 0 on a day that was missed, whoever else is still playing it.
    """
    place: int = 0

    @property
    def total(self) -> float:
        return sum(filter(None, self.days))


@dataclass(frozen=True, slots=True)
class Settled:
    """How a week ended."""

    league: int
    place: int
    moved: int
    """1 for up, -1 for down."""
    lines: tuple[Line, ...] = ()
    """The table, best first; earlier versions did not keep it."""


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier week that somebody played, and how it ended."""

    week: str
    ended: Settled

    @property
    def next_league(self) -> int:
        """The league that it led to."""
        return min(max(0, self.ended.league + self.ended.moved), len(leagues()) - 1)


@dataclass(frozen=True, slots=True)
class Standing:
    """A week in a league."""

    week: str
    days: tuple[date, ...]
    league: int
    lines: tuple[Line, ...]
    """Best first."""
    over: bool
    """Whether the five days are over."""
    complete: bool
    """Whether the whole field has played all days that count: percentages no longer change."""
    joined: bool = True
    """Whether the player has played a day of it."""
    runs: tuple[int | None, ...] = (None,) * DAYS
    """How many runs of the field each day has; None for a day that does not count."""
    wanted: int = 0
    """The runs of a whole field."""
    past: tuple[Past, ...] = ()
    """The weeks before it that are settled, the last one first."""
    counting: tuple[str, ...] = ()
    """The earlier weeks that the field still plays, so that they are not settled yet."""
    so_far: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict[str, Any])
    """By name, what those who have played a day have of the runs so far, until all rivals have."""
    awaited: tuple[int, int] = (0, 0)
    """Of all days for which it waits: the runs that they have, and those of all."""
    seconds: float | None = None
    """How long the runs that are missing will take; None if it is not known."""

    @property
    def own(self) -> Line:
        return next(line for line in self.lines if line.you)

    @property
    def told(self) -> list[int]:
        """The days, from 0, of which everybody's percentage is known."""
        every = zip(*(line.days for line in self.lines), strict=True)
        return [at for at, shares in enumerate(every) if None not in shares]

    @property
    def played(self) -> int:
        """How many days count so far."""
        return len(self.told)

    @property
    def ended(self) -> bool:
        """Whether it is over and everybody's percentages are final."""
        return self.over and self.complete and not self.counting

    @property
    def first(self) -> int:
        """The first day that counts, from 0."""
        return next((at for at, runs in enumerate(self.runs) if runs is not None), 0)

    def moves(self, place: int) -> int:
        """Where a place leads: 1 up, -1 down, 0 nowhere."""
        if place <= MOVING and self.league < len(leagues()) - 1:
            return 1
        return -1 if place > len(self.lines) - MOVING and self.league > 0 else 0


def week_of(day: date) -> str:
    """The name of the week of a day.

    >>> week_of(date(2026, 11, 18)), week_of(date(2027, 1, 1))
    ('2026-W47', '2026-W53')
    """
    return f"{day:%G-W%V}"


def read_week(text: str) -> tuple[date, ...]:
    """The days of a week that count; refused if there is no such week.

    >>> [str(day) for day in read_week("2026-W47")[::4]]
    ['2026-11-16', '2026-11-20']
    """
    with suppress(ValueError):
        monday = date.fromisocalendar(int(text[:4]), int(text[6:]), 1)
        if week_of(monday) == text:
            return tuple(monday + timedelta(at) for at in range(DAYS))
    raise UnknownTableError(
        "there is no league of {week!r}: expected a week as in 2026-W47", week=text[:20]
    )


def _placed(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines, best first; whoever plays is before rivals with the same total."""
    ordered = sorted(lines, key=lambda line: (-round(line.total, 6), not line.you))
    return tuple(
        Line(line.name, line.you, line.days, place) for place, line in enumerate(ordered, 1)
    )


class Leagues:
    """The leagues of all players."""

    def __init__(self, challenges: Challenges) -> None:
        self.challenges, self.store = challenges, challenges.store

    async def standing(self, player: str, week: str | None = None) -> Standing:
        """A player's week: by default the present one. The bots play what is missing of it."""
        today = self.challenges.today()
        asked = week_of(today) if week is None else week
        first = read_week(asked)[0]
        if first > today:
            raise UnknownTableError(
                "the league of {week} has not begun: this week's is {now}",
                week=asked,
                now=week_of(today),
            )
        standing, unsettled = await self._standing(player, asked)
        if standing.joined and not standing.complete:
            unsettled.append(asked)
        own = await self.challenges.days(player) if unsettled else {}
        played, wanted, seconds = 0, 0, list[float]()
        for name in unsettled:
            days = read_week(name)
            first = min((day for day in days if own.get(day)), default=days[0])
            for day in (day for day in days if first <= day < today or own.get(day)):
                challenge = await self.challenges.of_day(day)
                await self.challenges.begin_bots(challenge)
                runs, size = await self.challenges.field(challenge)
                if runs < size:
                    played, wanted = played + runs, wanted + size
                    if (to_go := self.challenges.seconds_to_go(challenge)) is not None:
                        seconds.append(to_go)
        return replace(standing, awaited=(played, wanted), seconds=max(seconds, default=None))

    @apart
    def _standing(self, player: str, week: str) -> tuple[Standing, list[str]]:
        """A week, and the weeks before it that cannot be settled yet."""
        own, settled = self._own(player), self._settled(player)
        league, unsettled = 0, list[str]()
        for name in sorted({week_of(day) for day in own if day.isoweekday() <= DAYS}):
            if name >= week:
                break
            if name not in settled:
                ended = self._week(player, name, league, own)
                if not ended.complete:
                    unsettled.append(name)
                    continue
                place = ended.own.place
                settled[name] = Settled(league, place, ended.moves(place), ended.lines)
                self._settle(player, name, settled[name])
            league = Past(name, settled[name]).next_league
        if week in settled:
            league = min(max(0, settled[week].league), len(leagues()) - 1)
        before = sorted((name for name in settled if name < week), reverse=True)
        past = tuple(Past(name, settled[name]) for name in before)
        standing = self._week(player, week, league, own)
        if week in settled:
            standing = self._as_it_ended(player, standing, settled[week], own)
        return replace(standing, past=past, counting=tuple(unsettled)), unsettled

    def _as_it_ended(
        self, player: str, standing: Standing, ended: Settled, own: dict[date, Result]
    ) -> Standing:
        """A settled week; one without a table may have been settled by an earlier rule."""
        if ended.lines:
            standing = replace(standing, lines=ended.lines, complete=True)
            runs = [None if day is None else standing.wanted for day in standing.own.days]
            return replace(standing, runs=tuple(runs))
        if standing.own.place == ended.place:
            return standing
        return self._week(player, standing.week, standing.league, own, whole=True)

    def _own(self, player: str) -> dict[date, Result]:
        """A player's results by the day of the challenge."""
        return {day: result for day, result in self.challenges.days_of(player).items() if result}

    def _settled(self, player: str) -> dict[str, Settled]:
        """How a player's weeks ended. What cannot be read is settled again."""
        query = "SELECT challenge, body FROM entries WHERE player = ? AND challenge LIKE '%-W%'"
        ended = {}
        for week, body in self.store.rows(query, player):
            try:
                ended[week] = codec.read(json.loads(body), Settled)
            except (TribridgeError, ValueError, TypeError) as error:
                _LOG.warning("the league of %s in %s is damaged: %s", player, week, error)
        return ended

    def _settle(self, player: str, week: str, ended: Settled) -> None:
        row = {"challenge": week, "player": player, "tab": "", "body": codec.dumps(ended)}
        with suppress(NotStoredError):  # it is settled again the next time
            self.store.change(upsert("entries", "challenge, player", **row))

    def _week(
        self, player: str, week: str, league: int, own: dict[date, Result], *, whole: bool = False
    ) -> Standing:
        """A week as it stands: a day counts once it is over, or once it is played.

        Of the `whole` week also those before the first that was played, as in earlier versions.
        """
        today, days, against = self.challenges.today(), read_week(week), rivals(league)
        first = next((day for day in days if day in own), None)
        joined = first is not None
        first = days[0] if joined and whole else first
        counted = [
            first is not None and first <= day and (day < today or day in own) for day in days
        ]
        shares = [
            {result.player: result.percent for result in self.challenges.every_now(str(day))}
            if counts
            else {}
            for day, counts in zip(days, counted, strict=True)
        ]
        runs = [
            sum(name.startswith(RUN) for name in part) if counts else None
            for part, counts in zip(shares, counted, strict=True)
        ]
        size = self.challenges.field_size
        complete = all(number is None or number >= size for number in runs)
        known = [
            number is not None
            and (number >= size or all(part.get(run.player) is not None for run in against))
            for number, part in zip(runs, shares, strict=True)
        ]
        called = Random(f"{week} {league}").sample(rival_names(), len(against))
        lines = [
            Line(
                name,
                False,
                tuple(
                    part.get(run.player) if told else None
                    for part, told in zip(shares, known, strict=True)
                ),
            )
            for name, run in zip(called, against, strict=True)
        ]
        mine = tuple(
            0.0 if counts and day not in own else part.get(player) or 0.0 if told else None
            for day, counts, part, told in zip(days, counted, shares, known, strict=True)
        )
        players = {name: run.player for name, run in zip(called, against, strict=True)}
        so_far = {
            name: tuple(
                None if told else part.get(who) for part, told in zip(shares, known, strict=True)
            )
            for name, who in {"": player, **players}.items()
        }
        over = days[-1] < today
        lines.append(Line("", True, mine))
        return Standing(
            week, days, league, _placed(lines), over, complete, joined, tuple(runs), size,
            so_far=so_far,
        )  # fmt: skip
