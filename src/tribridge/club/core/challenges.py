"""Challenges: the same deals for everybody, against the same bots, with one list of results.

A challenge is stored as the match of an opened event, the seat that is played, the strategies of
the seats and the seed of their randomness, so that the same actions always meet the same answers.
Anyone can make one from a finished match. The daily challenge belongs to a date (UTC): its secret
is an HMAC of the date under the server's own, so nobody can know its deals beforehand, and it is
fixed when it is first played.

A player, known by a device key, has one table for each challenge and counts once. Nobody else can
look at that table until they have finished the challenge themselves.

The bots of every level play each challenge too, and a field of a few hundred runs (`field.py`)
plays the daily one. They begin when somebody does; every run is stored when it ends, so whatever
stops them, the rest is played later. The field is played in an order in which any part of it is of
all strengths: a percentage that is told early does not sink as the rest is played.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import sha256
from math import ceil, inf
from statistics import fmean
from typing import Any, Final

from tribridge import __version__
from tribridge.cards.deals import Seat, three
from tribridge.club.core.all_rooms import Rooms, new_name
from tribridge.club.core.background import begin
from tribridge.club.core.bots import bot_for, default_level, levels
from tribridge.club.core.events import Opened
from tribridge.club.core.field import (
    RUN,
    Difference,
    Run,
    beside_best,
    field_runs,
    line_of,
    mixed,
    outcome_of,
    percentages,
    play_out,
    shared,
)
from tribridge.club.core.keys import device_of_key
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.room import FALLBACK, Room
from tribridge.club.core.state import Options, Place, State, put
from tribridge.club.core.store import Statement, apart, upsert
from tribridge.club.errors import NotNowError, NotStoredError, UnknownTableError
from tribridge.common import codec
from tribridge.common.errors import TribridgeError
from tribridge.game import Match, Outcome, Table
from tribridge.game.scoring import settle
from tribridge.game.view_json import action_name

DAILY: Final = MatchPlan(deals=4, hints=False)
"""The match of the daily challenge: single deals, so that everybody plays the same ones."""
LATELY: Final = 14
"""The dailies that somebody's curve shows."""
_SEAT: Final = Seat.SOUTH
_SECONDS_PER_ACTION: Final = 60.0
_SECONDS_PER_DEAL: Final = 600.0
_OFTEN: Final = 1.0
"""Seconds between two looks at whether another server's bots have played."""
_ENOUGH: Final = 0.1
"""The share of the field from which there are percentages: they are told as being so far."""
_STEADY: Final = 10
"""Runs of bots from which on the time of the rest is told."""
_ENTRY: Final = "SELECT tab, body FROM entries WHERE challenge = ? AND player = ?"
_LOG: Final = logging.getLogger("tribridge.club")


@dataclass(frozen=True, slots=True)
class Challenge:
    """Deals to be played from one seat."""

    id: str
    match: MatchPlan
    strategies: tuple[str, str, str]
    dice: int
    seat: Seat = _SEAT
    by: str = ""
    """Whose finished match it was made from; empty for a daily challenge."""

    @property
    def day(self) -> date | None:
        return read_day(self.id)

    def state(self) -> State:
        """The state of a table with these deals, before it starts."""
        places = three(Place(strategy, strategy) for strategy in self.strategies)
        return Opened(self.match, places, self.dice).state()


@dataclass(frozen=True, slots=True)
class Result:
    """What someone scored in a challenge."""

    player: str
    name: str
    scores: tuple[Fraction, ...]
    """Points of each deal."""
    total: Fraction
    net: Fraction
    """The settlement with the two opponents; results are ranked by it where there is no field."""
    bot: bool = False
    origin: bool = False
    """Whether it is the match that the challenge was made from."""
    helped: bool = False
    """Whether they asked for advice, or learned from the judge that a claim was not certain."""
    rank: int = 0
    nets: tuple[Fraction, ...] = ()
    """The settlement of each deal."""
    lines: tuple[str, ...] = ()
    """The calls and cards of each deal."""
    made: str = ""
    """The version of the program that played, for a bot."""
    percents: tuple[float, ...] = ()
    """How much of the field it beats on each deal."""

    @property
    def percent(self) -> float | None:
        """How much of the field it beats; None without one."""
        return fmean(self.percents) if self.percents else None


@dataclass(frozen=True, slots=True)
class Compared:
    """One's own result on a deal, beside the best of the field."""

    net: Fraction
    percent: float
    best: Fraction
    """The settlement of the best."""
    alike: bool
    """Whether everybody had the same."""
    outcome: Outcome | None
    best_outcome: Outcome | None
    """How the deals ended; None for one that was ended by a claim."""
    difference: Difference | None
    """What of one's own made it worse; None if nothing did, or if one's own is the best."""


def read_day(text: str) -> date | None:
    """The date that names a daily challenge; None if it names none.

    >>> read_day("2026-11-15"), read_day("20261115"), read_day("abc")
    (datetime.date(2026, 11, 15), None, None)
    """
    with suppress(ValueError):
        day = date.fromisoformat(text)
        return day if day.isoformat() == text else None
    return None


def entrant(key: str | None) -> str:
    """The name under which the results of challenges are stored; empty without a key."""
    return "" if key is None else f"d:{device_of_key(key)}"


def today() -> date:
    """The date of the daily challenge."""
    return datetime.now(UTC).date()


def daily(secret: bytes, day: date) -> Challenge:
    """The challenge of a date, under a server's secret."""

    def derived(purpose: str) -> bytes:
        return hmac.digest(secret, f"daily {purpose} {day.isoformat()}".encode(), "sha256")

    match = replace(DAILY, secret=derived("cards").hex(), known=False).checked()
    strategy = default_level().strategy
    dice = int.from_bytes(derived("dice")[:6], "big")
    return Challenge(day.isoformat(), match, (strategy, strategy, strategy), dice)


def _result(
    player: str,
    match: Match,
    seat: Seat,
    name: str,
    lines: Sequence[str],
    *,
    bot: bool = False,
    origin: bool = False,
    helped: bool = False,
) -> str:
    """The result of a match as it is stored."""
    sheet = [three(map(Fraction, line.scores)) for line in match.sheet()]
    scores = tuple(points[seat] for points in sheet)
    nets = tuple(settle(points)[seat] for points in sheet)
    total, net = Fraction(match.totals()[seat]), Fraction(match.settlement()[seat])
    result = Result(player, name, scores, total, net, bot=bot, origin=origin, helped=helped)
    made = __version__ if bot else ""
    return codec.dumps(replace(result, nets=nets, lines=tuple(lines), made=made))


@lru_cache(maxsize=4096)
def _read(player: str, body: str) -> Result | None:
    """A stored result; None if it is damaged."""
    try:
        return codec.read(json.loads(body) | {"player": player}, Result)
    except (TribridgeError, ValueError, TypeError) as error:
        _LOG.warning("the result of %s is damaged and left out: %s", player, error)
        return None


@lru_cache(maxsize=32)
def _compared_with_all(rows: tuple[tuple[str, str], ...]) -> tuple[Result, ...]:
    """Stored results with their percentages, once there is enough of a field to compare with."""
    read = (_read(player, body) for player, body in rows)
    results = tuple(result for result in read if result is not None)
    runs = sum(result.player.startswith(RUN) for result in results)
    if not runs or runs < _ENOUGH * len(field_runs()):
        return results
    most = max(len(result.nets) for result in results)
    nets = {result.player: result.nets for result in results if len(result.nets) == most}
    shares = percentages(nets, [player for player in nets if player.startswith(RUN)])
    return tuple(replace(each, percents=shares.get(each.player, ())) for each in results)


def _nearest(at: int, own: Result, each: Result) -> tuple[Fraction, bool, int]:
    """The order of results on a deal: of the best, one's own, or what parts from it last."""
    played = len(each.lines) > at < len(own.lines)
    alike = shared(own.lines[at], each.lines[at]) if played else -1
    return each.nets[at], each is own, alike


@lru_cache(maxsize=64)
def _starts(challenge: Challenge) -> tuple[Table, ...]:
    """The deals of a daily challenge before the first call: they do not depend on the play."""
    match, tables = challenge.match.match(), list[Table]()
    while not match.over:
        tables.append(match.table())
        passed = tables[-1].call("pass pass pass").outcome
        assert passed is not None
        match = match.add(passed)
    return tuple(tables)


def _lines(state: State) -> list[str]:
    """The calls and cards of the finished deals."""
    return [" ".join(map(action_name, done.record.actions)) for done in state.finished]


def _helped(state: State, seat: Seat) -> bool:
    """Whether a seat was helped on any deal of a match."""
    return any(seat in done.advised for done in state.finished)


def _entry(challenge: Challenge, player: str, table: str, body: str | None) -> Statement:
    """Note who plays a challenge where, and with what result."""
    keys = "challenge, player"
    return upsert("entries", keys, challenge=challenge.id, player=player, tab=table, body=body)


def _begun(challenge: Challenge, player: str, table: str) -> Statement:
    """Note where somebody begins a challenge, unless another table of theirs is there already."""
    command = (
        "INSERT INTO entries VALUES (?, ?, ?, NULL) ON CONFLICT (challenge, player) DO UPDATE "
        "SET tab = excluded.tab WHERE NOT EXISTS (SELECT 1 FROM tables WHERE id = entries.tab)"
    )
    return command, (challenge.id, player, table)


def _kept(challenge: Challenge) -> Statement:
    """Keep a challenge, if it is not known yet."""
    command = "INSERT INTO challenges VALUES (?, ?) ON CONFLICT (id) DO NOTHING"
    return command, (challenge.id, codec.dumps(challenge, skip_none=True))


def ranked(results: Sequence[Result]) -> list[Result]:
    """The results, best first; equal ones share a rank.

    Of a daily challenge the percentage of the field decides. Net points do in a challenge without a
    field, and among results that have no percentage: those of an earlier version are last.
    """

    def worth(result: Result) -> tuple[float, Fraction]:
        return (
            (-1.0, result.net)
            if result.percent is None
            else (round(result.percent, 6), Fraction(0))
        )

    def order(result: Result) -> tuple[float | Fraction | str, ...]:
        percent, net = worth(result)
        return (-percent, -net, -result.net, -result.total, result.bot, result.name)

    ordered = sorted(results, key=order)
    ranks = [worth(result) for result in ordered]
    return [replace(result, rank=ranks.index(worth(result)) + 1) for result in ordered]


@dataclass
class _Pace:
    """How fast bots play their runs, from the beginning."""

    began: float
    runs: int = 0
    minutes: float = inf
    """The fewest that were to go so far."""
    to_go: float | None = None
    """Seconds; None too early to tell, and where more minutes would be told than before."""

    def ended(self, left: int) -> None:
        """Count a run; so many are left."""
        self.runs += 1
        if self.runs >= _STEADY:
            seconds = (time.monotonic() - self.began) / self.runs * left
            minutes = ceil(seconds / 60)
            self.to_go = seconds if minutes <= self.minutes else None
            self.minutes = min(minutes, self.minutes)


class Challenges:
    """The challenges of a server."""

    def __init__(self, rooms: Rooms, day: Callable[[], date] = today) -> None:
        self.rooms, self.store, self.today = rooms, rooms.store, day
        self._bots: dict[str, asyncio.Task[None]] = {}
        self._paces: dict[str, _Pace] = {}
        rooms.when_over = self.record

    async def close(self) -> None:
        for task in self._bots.values():
            task.cancel()
        await asyncio.gather(*self._bots.values(), return_exceptions=True)

    @apart
    def find(self, name: str) -> Challenge:
        """A challenge by its name; a daily one only from its day on."""
        return self._find(name)

    def _find(self, name: str) -> Challenge:
        rows = self.store.rows("SELECT body FROM challenges WHERE id = ?", name)
        if rows:
            return codec.read(json.loads(rows[0][0]) | {"id": name}, Challenge)
        day = read_day(name)
        if day is None:
            raise UnknownTableError("there is no such challenge")
        if day == self.today():
            return daily(self.rooms.secret, day)
        raise UnknownTableError(
            "the challenge of {day} has not begun: today's is {today}"
            if day > self.today()
            else "the challenge of {day} was not played by anyone: today's is {today}",
            day=day,
            today=self.today(),
        )

    async def of_day(self, day: date) -> Challenge:
        """The challenge of a day that is over, even if nobody has played it."""
        with suppress(UnknownTableError):
            return await self.find(day.isoformat())
        challenge = daily(self.rooms.secret, day)
        await self._change(_kept(challenge))
        return challenge

    @apart
    def days(self, player: str) -> dict[date, Result | None]:
        """The daily challenges that a player has begun; None for one that is not finished."""
        return self.days_of(player)

    def days_of(self, player: str) -> dict[date, Result | None]:
        """The same, for whoever may block."""
        query = (
            "SELECT challenge, body FROM entries WHERE player = ? AND challenge LIKE '____-__-__'"
        )
        rows = self.store.rows(query, player) if player else []
        return {
            day: None if body is None else _read(player, body)
            for name, body in rows
            if (day := read_day(name)) is not None
        }

    @apart
    def make(self, table: str, state: State, seat: Seat, player: str) -> Challenge:
        """A challenge with the deals of a finished match; its maker's result counts."""
        if not state.over:
            raise NotNowError("a challenge can be made when the match is over")
        if state.options.challenge is not None:
            return self._find(state.options.challenge)
        name = state.places[seat].name
        challenge = Challenge(
            new_name(),
            replace(state.plan, hints=False),
            three(place.own_strategy for place in state.places),
            state.strategy_seed,
            seat,
            name,
        )
        helped = _helped(state, seat)
        result = _result(player, state.match, seat, name, _lines(state), origin=True, helped=helped)
        self.store.change(_kept(challenge), _entry(challenge, player, table, result))
        return challenge

    async def play(self, challenge: Challenge, player: str, name: str, client: str) -> Room:
        """The table at which a player plays a challenge; opened at the first request."""
        async with self.store.alone(f"challenge {challenge.id} {player}"):
            table = await self.table_of(challenge, player)
            if table is not None:
                return await self.rooms.load(table, client)
            if await self.finished(challenge.id, player):
                raise NotNowError("you have already played this challenge")
            if challenge.day is not None and challenge.day != self.today():
                raise NotNowError(
                    "the challenge of {day} is over: today's is {today}",
                    day=challenge.day,
                    today=self.today(),
                )
            await self._change(_kept(challenge))
            places = [Place("", strategy) for strategy in challenge.strategies]
            places[challenge.seat] = replace(places[challenge.seat], name=name, person=True)
            options = Options(chat="off", challenge=challenge.id)
            room = await self.rooms.open(
                challenge.match, places, client, challenge.dice, options=options
            )
            await self._change(_begun(challenge, player, room.name))
            if challenge.day is not None:
                await self.begin_bots(challenge)
            table = await self.table_of(challenge, player)
            return room if table is None else await self.rooms.load(table, client)

    async def _change(self, statement: Statement) -> None:
        await self.store.apart(self.store.change, statement)

    async def _entries(self, name: str, player: str) -> list[Any]:
        return await self.store.apart(self.store.rows, _ENTRY, name, player)

    async def table_of(self, challenge: Challenge, player: str) -> str | None:
        """The table at which a player has begun a challenge, if it is still there."""
        for table, _ in await self._entries(challenge.id, player):
            with suppress(UnknownTableError):
                return (await self.rooms.load(table)).name
        return None

    async def finished(self, name: str, player: str) -> bool:
        """Whether a player has finished a challenge."""
        for table, body in await self._entries(name, player):
            if body is not None:
                return True
            with suppress(UnknownTableError):
                room = await self.rooms.load(table)
                if room.state.over:  # not recorded, if the server was killed at that moment
                    await self.record(room)
                    return True
        return False

    def shows(self, challenge: Challenge, *, finished: bool) -> bool:
        """Whether a player may see the results: having finished, or after the day."""
        return finished or (challenge.day is not None and challenge.day < self.today())

    async def record(self, room: Room) -> None:
        """Note the result of a match that has ended, if it was a challenge."""
        if room.state.options.challenge is not None:
            await self._record(room.name, room.state, room.state.options.challenge)

    @apart
    def _record(self, table: str, state: State, challenge: str) -> None:
        with suppress(NotStoredError, UnknownTableError):  # `finished` notes it later
            seat = self._find(challenge).seat
            name, helped = state.places[seat].name, _helped(state, seat)
            result = _result("", state.match, seat, name, _lines(state), helped=helped)
            command = "UPDATE entries SET body = ? WHERE challenge = ? AND tab = ?"
            self.store.change((command, (result, challenge, table)))

    async def results(self, challenge: Challenge) -> tuple[list[Result], bool]:
        """All results so far, best first, and whether bots that have none yet are playing.

        The runs of the field are not among them, but the percentages are of them. Whether bots play
        is seen before the results are read, so nobody who is told that they have finished lacks a
        result.
        """
        await self.begin_bots(challenge)
        task = self._bots.get(challenge.id)
        playing = task is not None and not task.done()
        every = await self.every(challenge.id)
        return ranked([each for each in every if not each.player.startswith(RUN)]), playing

    async def begin_bots(self, challenge: Challenge) -> None:
        """Let the bots play that have no result yet, unless they do."""
        if challenge.id not in self._bots and await self._missing(challenge):
            play = self._play_bots(challenge)
            self._bots[challenge.id] = begin(play)

    @apart
    def every(self, name: str) -> list[Result]:
        """All results of a challenge, those of the field included, with their percentages."""
        return self.every_now(name)

    def every_now(self, name: str) -> list[Result]:
        """The same, for whoever may block."""
        query = "SELECT player, body FROM entries WHERE challenge = ? AND body IS NOT NULL"
        rows = tuple(map(tuple, self.store.rows(query, name)))
        return list(_compared_with_all(rows))

    async def field(self, challenge: Challenge) -> tuple[int, int]:
        """How many runs of the field are played, and how many there will be."""
        if challenge.day is None:
            return 0, 0
        missing = [run for run in await self._missing(challenge) if run.player.startswith(RUN)]
        return self.field_size - len(missing), self.field_size

    def seconds_to_go(self, challenge: Challenge) -> float | None:
        """How long the bots still need; None if that is not known, or they do not play here."""
        pace = self._paces.get(challenge.id)
        return pace.to_go if pace else None

    @property
    def field_size(self) -> int:
        """The runs of a whole field."""
        return len(field_runs())

    @apart
    def compared(self, challenge: Challenge, player: str) -> list[Compared]:
        """A player's deals beside the best of the field; nothing without a result or a field."""
        every = [each for each in self.every_now(challenge.id) if each.percents]
        own = next((each for each in every if each.player == player), None)
        if own is None:
            return []
        starts, deals = _starts(challenge), list[Compared]()
        for at, (net, percent) in enumerate(zip(own.nets, own.percents, strict=True)):
            best = max(every, key=partial(_nearest, at, own))
            alike = all(each.nets[at] == net for each in every)
            counted = [each for each in every if each.player.startswith(RUN) or each is own]
            lines = [(each.lines[at], each.nets[at]) for each in counted if len(each.lines) > at]
            parts, ended, best_ended = None, None, None
            if len(own.lines) > at < len(best.lines):
                mine, theirs = own.lines[at], best.lines[at]
                ended, best_ended = outcome_of(starts[at], mine), outcome_of(starts[at], theirs)
                if best is not own:
                    parts = beside_best(starts[at], mine, theirs, lines)
            deals.append(Compared(net, percent, best.nets[at], alike, ended, best_ended, parts))
        return deals

    @apart
    def lately(self, player: str, until: date) -> list[tuple[date, float]]:
        """A player's last dailies up to a day, and how much of the field, once whole, each beat."""
        days = sorted(day for day, result in self.days_of(player).items() if result is not None)
        beaten = list[tuple[date, float]]()
        for day in [day for day in days if day <= until][-LATELY:]:
            every = self.every_now(str(day))
            runs = sum(result.player.startswith(RUN) for result in every)
            own = next((result for result in every if result.player == player), None)
            if own is not None and own.percent is not None and runs >= self.field_size:
                beaten.append((day, own.percent))
        return beaten

    @apart
    def count(self, challenge: Challenge) -> int:
        """How many people have finished a challenge."""
        query = (
            "SELECT COUNT(*) FROM entries WHERE challenge = ? AND body IS NOT NULL "
            "AND player NOT LIKE 'b:%' AND player NOT LIKE 'f:%'"
        )
        return int(self.store.rows(query, challenge.id)[0][0])

    @apart
    def _missing(self, challenge: Challenge) -> list[Run]:
        """The bots without a result that can be read: those of the levels, then a day's field."""
        query = (
            "SELECT player, body FROM entries WHERE challenge = ? "
            "AND (player LIKE 'b:%' OR player LIKE 'f:%')"
        )
        rows = self.store.rows(query, challenge.id)
        done = {player for player, body in rows if body is not None and _read(player, body)}
        wanted = [Run(f"b:{level.strategy}", level.strategy) for level in levels()]
        if challenge.day is not None:
            wanted += mixed(field_runs(), challenge.dice)
        return [run for run in wanted if run.player not in done]

    async def _play_bots(self, challenge: Challenge) -> None:
        """The bots play the seat: at one server, and the others wait for it."""
        held, mine = f"bots of {challenge.id}", False
        try:
            while not mine and await self._missing(challenge):
                mine = await self.store.apart(self.store.claim, held)
                if not mine:
                    await asyncio.sleep(_OFTEN)
            pace = self._paces[challenge.id] = _Pace(time.monotonic())
            missing = await self._missing(challenge)
            for left, run in zip(reversed(range(len(missing))), missing, strict=True):
                await self._play_bot(challenge, run)
                pace.ended(left)
        except NotStoredError:
            del self._bots[challenge.id]  # it goes on when the results are next asked for
        finally:
            self._paces.pop(challenge.id, None)
            if mine:
                await self.store.apart(self.store.release, held)

    async def _play_bot(self, challenge: Challenge, run: Run) -> None:
        """A bot plays the seat, against the same opponents; in the field by its own chance.

        One of the field that fails is replaced, so that no rival of a league is missing.
        """
        match, lines = challenge.match.match(), list[str]()
        try:
            while not match.over:
                table = await self._played(challenge, run, match.table(), len(lines))
                assert table.outcome is not None
                match = match.add(table.outcome)
                lines.append(line_of(table))
            name = bot_for(run.strategy, challenge.seat).name
            result = _result(run.player, match, challenge.seat, name, lines, bot=True)
            await self._change(_entry(challenge, run.player, "", result))
        except NotStoredError:
            raise
        except TribridgeError as error:
            _LOG.warning("%s did not finish a challenge: %s", run.strategy, error)
            if run.player.startswith(RUN) and run.strategy != FALLBACK:  # as at a table
                await self._play_bot(challenge, replace(run, strategy=FALLBACK))

    async def _played(self, challenge: Challenge, run: Run, table: Table, deal: int) -> Table:
        """A deal played by bots.

        The opponents of a friend's challenge may think for long: it is played action by action, so
        that tables need not wait.
        """
        workers, names = self.rooms.workers, put(challenge.strategies, challenge.seat, run.strategy)
        dice = three(challenge.dice for _ in Seat)
        if run.player.startswith(RUN):
            digest = sha256(f"{challenge.dice} {run.player}".encode()).digest()
            dice = put(dice, challenge.seat, int.from_bytes(digest[:6], "big"))
        if challenge.day is not None:
            limit, given = _SECONDS_PER_DEAL, (table, names, dice, deal)
            return await workers.ask("challenges", challenge.id, limit, play_out, *given)
        choice = partial(workers.choice, "challenges", challenge.id, _SECONDS_PER_ACTION)
        while table.turn is not None:
            seat = table.turn.index
            table = table.apply(await choice(names[seat], table, dice[seat], deal))
        return table
