"""Challenges: the same deals for everybody, against the same bots, with one list of results.

A challenge is stored as the match of an opened event, the seat that is played, the strategies of
the seats and the seed of their randomness, so that the same actions always meet the same answers.
Anyone can make one from a finished match. The daily challenge belongs to a date (UTC): its secret
is an HMAC of the date under the server's own, so nobody can know its deals beforehand, and it is
fixed when it is first played.

A player, known by a device key, has one table for each challenge and counts once. Nobody else can
look at that table until they have finished the challenge themselves.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, Final

from tribridge.deals import Seat
from tribridge.errors import TribridgeError
from tribridge.game import Outcome, Table, view
from tribridge.web.core import events, thinking
from tribridge.web.core.bots import bot_for, levels
from tribridge.web.core.company import Options
from tribridge.web.core.levels import default_level
from tribridge.web.core.matches import AnyMatch
from tribridge.web.core.room import Room
from tribridge.web.core.rooms import MatchPlan, Rooms
from tribridge.web.core.state import State
from tribridge.web.core.store import Event
from tribridge.web.errors import NotNowError, NotStoredError, UnknownTableError

DAILY: Final = MatchPlan(deals=4, hints=False)
"""The match of the daily challenge: single deals, so that everybody plays the same ones."""
_SEAT: Final = Seat.SOUTH
_SECONDS_PER_ACTION: Final = 60.0
_LOG: Final = logging.getLogger("tribridge.web")


@dataclass(frozen=True, slots=True)
class Challenge:
    """Deals to be played from one seat."""

    id: str
    match: Event
    strategies: tuple[str, str, str]
    dice: int
    seat: Seat = _SEAT
    by: str = ""
    """Whose finished match it was made from; empty for a daily challenge."""

    @property
    def day(self) -> date | None:
        """The date of a daily challenge."""
        return read_day(self.id)

    def state(self, strategies: Sequence[str]) -> State:
        """The state of a table with these deals, before it starts."""
        places = [{"name": s, "strategy": s} for s in strategies]
        return events.opened(
            {"kind": "opened", "match": self.match, "places": places, "dice": self.dice}
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What someone scored in a challenge."""

    player: str
    name: str
    scores: tuple[Fraction, ...]
    """Points of each deal."""
    total: Fraction
    net: Fraction
    """The settlement with the two opponents; results are ranked by it."""
    bot: bool = False
    origin: bool = False
    """Whether it is the match that the challenge was made from."""
    rank: int = 0


def read_day(text: str) -> date | None:
    """The date that names a daily challenge; None if it names none.

    >>> read_day("2026-11-15"), read_day("20261115"), read_day("abc")
    (datetime.date(2026, 11, 15), None, None)
    """
    with suppress(ValueError):
        day = date.fromisoformat(text)
        return day if day.isoformat() == text else None
    return None


def today() -> date:
    """The date of the daily challenge."""
    return datetime.now(UTC).date()


def daily(secret: bytes, day: date) -> Challenge:
    """The challenge of a date, under a server's secret."""

    def derived(purpose: str) -> bytes:
        return hmac.digest(secret, f"daily {purpose} {day.isoformat()}".encode(), "sha256")

    match = replace(DAILY, secret=derived("cards").hex()).checked() | {"known": False}
    strategy = default_level().strategy
    dice = int.from_bytes(derived("dice")[:6], "big")
    return Challenge(day.isoformat(), match, (strategy, strategy, strategy), dice)


def _write(challenge: Challenge) -> str:
    return json.dumps(
        {
            "match": challenge.match,
            "strategies": challenge.strategies,
            "dice": challenge.dice,
            "seat": challenge.seat.letter,
            "by": challenge.by,
        }
    )


def _read(name: str, text: str) -> Challenge:
    body = json.loads(text)
    north, east, south = body["strategies"]
    seat = next(one for one in Seat if one.letter == body["seat"])
    return Challenge(name, body["match"], (north, east, south), body["dice"], seat, body["by"])


def _result(match: AnyMatch, seat: Seat, name: str, **flags: bool) -> str:
    fields = {
        "name": name,
        "scores": [str(line.scores[seat]) for line in match.sheet()],
        "total": str(match.totals()[seat]),
        "net": str(match.settlement()[seat]),
    }
    return json.dumps(fields | flags)


def ranked(results: Sequence[Result]) -> list[Result]:
    """The results, best first; equal ones share a rank."""
    ordered = sorted(results, key=lambda one: (-one.net, -one.total, one.bot, one.name))
    nets = [one.net for one in ordered]
    return [replace(one, rank=nets.index(one.net) + 1) for one in ordered]


class Challenges:
    """The challenges of a server."""

    def __init__(self, rooms: Rooms, day: Callable[[], date] = today) -> None:
        self.rooms, self.store, self.today = rooms, rooms.store, day
        self._opening = asyncio.Lock()
        self._bots: dict[str, asyncio.Task[None]] = {}
        rooms.when_over = self.record

    async def close(self) -> None:
        """Stop the bots."""
        for task in self._bots.values():
            task.cancel()
        await asyncio.gather(*self._bots.values(), return_exceptions=True)

    def find(self, name: str) -> Challenge:
        """A challenge by its name; a daily one only from its day on."""
        rows = self.store.rows("SELECT body FROM challenges WHERE id = ?", name)
        if rows:
            return _read(name, rows[0][0])
        day = read_day(name)
        if day is None:
            raise UnknownTableError("there is no such challenge")
        if day == self.today():
            return daily(self.rooms.secret, day)
        raise UnknownTableError(
            "the challenge of {day} has not begun: today's is {today}"
            if day > self.today()
            else "the challenge of {day} was not played by anyone: today's is {today}",
            day=name,
            today=self.today(),
        )

    def make(self, room: Room, seat: Seat, player: str) -> Challenge:
        """A challenge with the deals of a finished match; its maker's result counts."""
        state = room.state
        if not state.over:
            raise NotNowError("a challenge can be made when the match is over")
        if state.options.challenge is not None:
            return self.find(state.options.challenge)
        opened = self.store.events(room.name, most=1)[0]
        north, east, south = (place.strategy for place in state.places)
        name = state.places[seat].name
        challenge = Challenge(
            secrets.token_urlsafe(9).replace("-", "x").replace("_", "y"),
            opened["match"] | {"hints": False},
            (north, east, south),
            opened["dice"],
            seat,
            name,
        )
        self._keep(challenge)
        command = "INSERT INTO entries VALUES (?, ?, ?, ?)"
        result = _result(state.match, seat, name, origin=True)
        self.store.change((command, (challenge.id, player, room.name, result)))
        return challenge

    def _keep(self, challenge: Challenge) -> None:
        command = "INSERT OR IGNORE INTO challenges VALUES (?, ?)"
        self.store.change((command, (challenge.id, _write(challenge))))

    async def play(self, challenge: Challenge, player: str, name: str, client: str) -> Room:
        """The table at which a player plays a challenge; opened at the first request."""
        async with self._opening:
            table = await self.table_of(challenge, player)
            if table is not None:
                return await self.rooms.load(table, client)
            if await self.finished(challenge.id, player):
                raise NotNowError("you have already played this challenge")
            if challenge.day is not None and challenge.day != self.today():
                raise NotNowError(
                    "the challenge of {day} is over: today's is {today}",
                    day=challenge.id,
                    today=self.today(),
                )
            self._keep(challenge)
            places: list[dict[str, Any]] = [
                {"name": "", "strategy": strategy} for strategy in challenge.strategies
            ]
            places[challenge.seat] |= {"name": name, "person": True}
            room = await self.rooms.open(
                DAILY,
                places,
                client,
                challenge.dice,
                options=Options(chat="off", challenge=challenge.id),
                match=challenge.match,
            )
            command = "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, NULL)"
            self.store.change((command, (challenge.id, player, room.name)))
            return room

    async def table_of(self, challenge: Challenge, player: str) -> str | None:
        """The table at which a player has begun a challenge, if it is still there."""
        query = "SELECT tab FROM entries WHERE challenge = ? AND player = ?"
        for (table,) in self.store.rows(query, challenge.id, player):
            with suppress(UnknownTableError):
                return (await self.rooms.load(table)).name
        return None

    async def finished(self, name: str, player: str) -> bool:
        """Whether a player has finished a challenge."""
        query = "SELECT tab, body FROM entries WHERE challenge = ? AND player = ?"
        rows = self.store.rows(query, name, player)
        if rows and rows[0][1] is None:  # not recorded, if the server was killed at that moment
            with suppress(UnknownTableError):
                room = await self.rooms.load(rows[0][0])
                if room.state.over:
                    self.record(room)
                    return True
        return bool(rows and rows[0][1] is not None)

    async def may_see(self, challenge: Challenge, player: str) -> bool:
        """Whether a player may see the results: having finished, or after the day."""
        past = challenge.day is not None and challenge.day < self.today()
        return past or await self.finished(challenge.id, player)

    def record(self, room: Room) -> None:
        """Note the result of a match that has ended, if it was a challenge."""
        state = room.state
        if state.options.challenge is None:
            return
        with suppress(NotStoredError, UnknownTableError):  # `finished` notes it later
            seat = self.find(state.options.challenge).seat
            result = _result(state.match, seat, state.places[seat].name)
            command = "UPDATE entries SET body = ? WHERE challenge = ? AND tab = ?"
            self.store.change((command, (result, state.options.challenge, room.name)))

    def results(self, challenge: Challenge) -> list[Result]:
        """All results so far, best first; those of bots follow as they are computed."""
        query = "SELECT player, body FROM entries WHERE challenge = ? AND body IS NOT NULL"
        results = []
        for player, text in self.store.rows(query, challenge.id):
            body = json.loads(text)
            results.append(
                Result(
                    player,
                    body["name"],
                    tuple(Fraction(score) for score in body["scores"]),
                    Fraction(body["total"]),
                    Fraction(body["net"]),
                    body.get("bot", False),
                    body.get("origin", False),
                )
            )
        self._let_bots_play(challenge, {one.player for one in results})
        return ranked(results)

    def count(self, challenge: Challenge) -> int:
        """How many people have finished a challenge."""
        query = (
            "SELECT COUNT(*) FROM entries WHERE challenge = ? AND body IS NOT NULL "
            "AND player NOT LIKE 'b:%'"
        )
        return int(self.store.rows(query, challenge.id)[0][0])

    def computing(self, challenge: Challenge) -> bool:
        """Whether bots are still playing a challenge."""
        task = self._bots.get(challenge.id)
        return task is not None and not task.done()

    def _let_bots_play(self, challenge: Challenge, done: set[str]) -> None:
        missing = [level.strategy for level in levels() if f"b:{level.strategy}" not in done]
        if missing and challenge.id not in self._bots:
            play = self._play_bots(challenge, missing)
            self._bots[challenge.id] = asyncio.get_running_loop().create_task(play)

    async def _play_bots(self, challenge: Challenge, strategies: Sequence[str]) -> None:
        """The bots of every level play the seat, against the same opponents."""
        for strategy in strategies:
            names = list(challenge.strategies)
            names[challenge.seat] = strategy
            match = challenge.state(names).match
            try:
                while not match.over:
                    deal = len(match.outcomes)
                    outcome = await self._play_out(
                        challenge, names, match.table(), deal, match.scheme.name
                    )
                    match = match.add(outcome)
                name = bot_for(strategy, challenge.seat).name
                result = _result(match, challenge.seat, name, bot=True)
                command = "INSERT OR REPLACE INTO entries VALUES (?, ?, '', ?)"
                self.store.change((command, (challenge.id, f"b:{strategy}", result)))
            except TribridgeError as error:
                _LOG.warning("%s did not finish a challenge: %s", strategy, error)

    async def _play_out(
        self, challenge: Challenge, names: Sequence[str], table: Table, deal: int, scheme: str
    ) -> Outcome:
        """How a deal ends among strategies: action by action, so that tables need not wait."""
        actions = 0
        while (outcome := table.outcome) is None:
            seat = table.turn
            assert seat is not None
            action, _ = await self.rooms.workers.ask(
                "challenges",
                challenge.id,
                _SECONDS_PER_ACTION,
                thinking.choose,
                names[seat],
                view(table, seat),
                challenge.dice,
                deal,
                actions,
                scheme,
            )
            table, actions = table.apply(action, seat), actions + 1
        return outcome
