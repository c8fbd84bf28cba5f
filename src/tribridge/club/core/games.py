"""The games of a device: tables it played at, deals imported from a file, what they add up to."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice
from math import inf
from typing import Final

from tribridge.cards.deals import Seat, three
from tribridge.club.core import events
from tribridge.club.core.background import begin
from tribridge.club.core.events import Event, Undo
from tribridge.club.core.names import seat_named
from tribridge.club.core.reviews import Ahead, Reviews
from tribridge.club.core.store import Statement, Store, apart, upsert
from tribridge.club.core.workers import FailedError, Workers
from tribridge.club.errors import NotNowError, NotStoredError, WebError
from tribridge.club.history.played import PlayedDeal, dumps, judged_of, loads
from tribridge.club.history.summary import Measured, PlayerStats, measure, summarise
from tribridge.common.errors import TribridgeError
from tribridge.reviews.values import Judgement, decisive

_LOG: Final = logging.getLogger("tribridge.club")
MOST_IMPORTED: Final = 2000
"""Imported deals of one device."""
_AT_ONCE: Final = 50
"""Rows that are read at once."""
_NEWEST: Final = ("\U0010ffff", "", "")
"""The place after which the newest game comes."""
_NAMED: Final = 10
"""The last games of a device, in one of which its owner may have given a name."""
_PARTS: Final = {"games": "tab, seat", "puzzle_answers": "puzzle"}
"""What is kept of a device, and what tells its rows apart."""
_MOST_KEPT: Final = 2000
"""Finished matches kept in memory."""
_MEASURED_AT_ONCE: Final = 8
"""Deals that a worker measures in one go."""
_RECENT: Final = 7
"""Days after which a turning point is no longer worth a look back."""
_CAUGHT_UP: Final = 8
"""Deals that are reviewed at once for a turning point."""
_ASIDE: Final = "turning points"
"""Whom such reviews count against: nobody's moves wait for them."""
_TURNING: Final = "turning "
"""With which the names of answered turning points begin, among a player's results."""
_LIMIT: Final = 60.0
_MOST_MEASURED: Final = 20_000


@dataclass(frozen=True)
class Game:
    """A match, as far as one player has played it."""

    deals: tuple[PlayedDeal, ...]
    """The player's finished deals, in order: one at least."""
    scoring: str
    length: int
    """How many deals the match has; 0 if that is not known, as in a rubber."""
    over: bool
    imported: bool = False
    here: bool = True
    """Whether its table is on this server, so that its deals can be reviewed."""

    @property
    def last(self) -> PlayedDeal:
        """The last deal: it names the table, the date and who played."""
        return self.deals[-1]

    @cached_property
    def net(self) -> Fraction | None:
        """What the player receives in the settlement of these deals."""
        nets = [deal.net for deal in self.deals]
        return None if None in nets else sum(filter(None, nets), Fraction(0))

    @property
    def place(self) -> str:
        """Its place among the games of a device."""
        return json.dumps([self.last.date, self.last.match, self.last.seat.letter])

    @property
    def opponents(self) -> list[tuple[str, str | None]]:
        """The names of the others, with their strategies (None for a person)."""
        last = self.last
        return [(last.names[s], last.strategies[s]) for s in Seat if s is not last.seat]


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The mistake of a player that cost most on a deal, as the cards lay."""

    table: str
    deal: int
    """Its place in the match, from 1."""
    day: date
    played: PlayedDeal
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Reviewing:
    """A day whose costliest mistake is not known yet: not all of its deals are reviewed."""

    day: date
    done: int
    deals: int


class Games:
    """The games of all devices, and what has been measured of them."""

    def __init__(self, store: Store, workers: Workers, reviews: Reviews) -> None:
        self.store, self.workers, self.reviews = store, workers, reviews
        self._finished: dict[tuple[str, Seat, int], Game] = {}
        self._measured: dict[tuple[str, int, str], Measured] = {}
        self._blamed: dict[tuple[str, int, Seat], Judgement | None] = {}
        """The costliest mistakes, by table, deal and seat; None where there was none."""
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        """What reviews deals of a device that have no review."""
        self._one_at_a_time = asyncio.Lock()

    @apart
    def add(self, device: str, table: str, seat: Seat, serial: int) -> None:
        """A device sits down at a table."""
        date = self._opened(table)
        self.store.change(_added(device, table, seat, serial, None, date), _saw(device))

    @apart
    def opened(self, table: str) -> str:
        """When a table was opened; empty if it is gone."""
        return self._opened(table)

    def _opened(self, table: str) -> str:
        rows = self.store.rows("SELECT opened FROM tables WHERE id = ?", table)
        return str(rows[0][0]) if rows else ""

    @apart
    def any(self, device: str) -> bool:
        """Whether a device has games here, or has answered puzzles."""
        parts = [f"SELECT 1 FROM {part} WHERE device = ?" for part in _PARTS]
        return bool(self.store.rows(" UNION ".join(parts), *(device for _ in parts)))

    @apart
    def all(self, device: str) -> list[Game]:
        """The games of a device with at least one finished deal, the newest first."""
        return list(self._of(device))

    @apart
    def name(self, device: str) -> str:
        """The name that a device last played under; empty if it has given none."""
        names = (game.last.names[game.last.seat] for game in islice(self._of(device), _NAMED))
        return next((name for name in names if not seat_named(name)), "")

    def _of(self, device: str, before: tuple[str, str, str] = _NEWEST) -> Iterator[Game]:
        """The games of a device with at least one finished deal, the newest first.

        They are read as they are asked for, and begin after the one whose place is given.
        """
        query = (
            "SELECT date, tab, seat, serial, body, opened FROM games "
            "LEFT JOIN tables ON tables.id = games.tab WHERE device = ? "
            "AND (date, tab, seat) < (?, ?, ?) ORDER BY date DESC, tab DESC, seat DESC LIMIT ?"
        )
        while rows := self.store.rows(query, device, *before, _AT_ONCE):
            for _, table, letter, serial, body, opened in rows:
                seat = Seat(letter)
                if body is not None:
                    yield replace(_imported(body), here=opened is not None and bool(table))
                elif opened is not None:
                    game = self._played(table, seat, serial, opened)
                    if game is not None:
                        yield game
            before = rows[-1][:3]

    @apart
    def unfinished(self, device: str, most: int) -> list[tuple[str, Seat, int]]:
        """The tables of a device that are not over, with its seats, the last played first."""
        query = (
            "SELECT tab, seat, serial FROM games JOIN tables ON tables.id = games.tab "
            "WHERE device = ? AND body IS NULL AND NOT over ORDER BY touched DESC LIMIT ?"
        )
        rows = self.store.rows(query, device, most)
        return [(table, Seat(letter), serial) for table, letter, serial in rows]

    @apart
    def seat_at(self, device: str, table: str) -> tuple[Seat, int] | None:
        """The seat that a device has taken at a table; None if it has none."""
        query = "SELECT seat, serial FROM games WHERE device = ? AND tab = ? AND body IS NULL"
        rows = self.store.rows(query, device, table)
        return (Seat(rows[0][0]), rows[0][1]) if rows else None

    async def turning_point(self, device: str, today: date) -> TurningPoint | Reviewing | None:
        """What cost a player most on the last day before today, within a week; None if nothing.

        A day has one, which is known when all its deals are reviewed, and stays. A day whose own
        was answered is passed over. Deals without a review are reviewed meanwhile.
        """
        found, unreviewed = await self._turning_point(device, today)
        if unreviewed and device not in self._catching_up:
            self._catching_up[device] = begin(self._catch_up(device, unreviewed))
        return found

    @apart
    def _turning_point(
        self, device: str, today: date
    ) -> tuple[TurningPoint | Reviewing | None, list[PlayedDeal]]:
        """The same, and the deals that have no review yet, in the order in which they matter."""
        query = (
            "SELECT tab, seat, serial, opened FROM games JOIN tables ON tables.id = games.tab "
            "WHERE device = ? AND body IS NULL AND date >= ? AND date < ? ORDER BY date DESC, tab"
        )
        between = (today - timedelta(_RECENT)).isoformat(), (today + timedelta(1)).isoformat()
        days: dict[date, list[Game]] = {}
        for table, letter, serial, opened in self.store.rows(query, device, *between):
            if (game := self._played(table, Seat(letter), serial, opened)) is not None:
                days.setdefault(date.fromisoformat(opened[:10]), []).append(game)
        found: TurningPoint | Reviewing | None = None
        answered, unreviewed = self._answered(device), list[PlayedDeal]()
        for day, games in sorted(days.items(), key=lambda part: (part[0] < today, part[0]))[::-1]:
            deals = [deal for game in games for deal in game.deals]
            missing = [deal for deal in deals if not self._is_reviewed(deal)]
            unreviewed += missing
            if day == today or found is not None:
                continue
            if missing:
                found = Reviewing(day, len(deals) - len(missing), len(deals))
                continue
            points = (point for game in games for point in self._turning_points(game))
            worst = max(points, key=lambda point: point.judgement.points_cost or 0, default=None)
            if worst is not None and _answer_of(worst.table, worst.deal) not in answered:
                found = worst
        return found, unreviewed[:_CAUGHT_UP]

    async def _catch_up(self, device: str, deals: Sequence[PlayedDeal]) -> None:
        """Review deals one after the other, and for one player at a time."""
        try:
            for deal in deals:
                async with self._one_at_a_time:
                    ahead = Ahead(deal.record.replay(), deal.names)
                    review = await self.reviews.find(_ASIDE, deal.match, deal.deal, ahead)
                    if review.task is not None:
                        await asyncio.wait((review.task,))
        except NotStoredError:
            pass  # the rest when the lobby is next asked for
        finally:
            del self._catching_up[device]

    async def close(self) -> None:
        for task in self._catching_up.values():
            task.cancel()
        await asyncio.gather(*self._catching_up.values(), return_exceptions=True)

    @apart
    def answer(self, device: str, point: TurningPoint) -> None:
        """A player has answered a turning point: it is not asked again."""
        row = {"challenge": _answer_of(point.table, point.deal), "player": f"d:{device}"}
        with suppress(NotStoredError):  # it is asked once more
            self.store.change(
                upsert("entries", "challenge, player", **row, tab=point.table, body=None)
            )

    def _answered(self, device: str) -> set[str]:
        query = f"SELECT challenge FROM entries WHERE player = ? AND challenge LIKE '{_TURNING}%'"
        return {name for (name,) in self.store.rows(query, f"d:{device}")}

    def _is_reviewed(self, deal: PlayedDeal) -> bool:
        if (deal.match, deal.deal, deal.seat) in self._blamed:
            return True
        review = self.reviews.stored_now(deal.match, deal.deal, len(deal.record.actions))
        return review is not None and review.complete

    @apart
    def turning_point_at(self, device: str, table: str, deal: int) -> TurningPoint | None:
        """What cost a player most on a deal; None if nothing, or if it is not their deal."""
        query = "SELECT seat, serial, opened FROM games JOIN tables ON tables.id = games.tab "
        query += "WHERE device = ? AND tab = ? AND body IS NULL"
        for letter, serial, opened in self.store.rows(query, device, table):
            game = self._played(table, Seat(letter), serial, opened)
            points = [] if game is None else self._turning_points(game)
            return next((point for point in points if point.deal == deal), None)
        return None

    def _turning_points(self, game: Game) -> list[TurningPoint]:
        """The costliest mistake of a player on each reviewed deal."""
        points = []
        for deal in game.deals:
            key = (deal.match, deal.deal, deal.seat)
            if key not in self._blamed:
                review = self.reviews.stored_now(deal.match, deal.deal, len(deal.record.actions))
                if review is None or not review.complete:
                    continue
                if len(self._blamed) >= _MOST_KEPT:
                    self._blamed.clear()
                wrong = (j for j in decisive(review.judgements) if j.seat is deal.seat)
                blamed = (j for j in wrong if j.verdict.wrong and j.chosen is not None)
                self._blamed[key] = next(blamed, None)
            if (worst := self._blamed[key]) is not None:
                day = date.fromisoformat(deal.date[:10])
                points.append(TurningPoint(deal.match, deal.deal, day, deal, worst))
        return points

    @apart
    def page(
        self,
        device: str,
        before: str,
        most: int,
        wanted: Callable[[Game], bool] = lambda game: True,
    ) -> tuple[list[Game], str | None]:
        """Some games of a device, the newest first, and what to ask for to get the next ones."""
        with suppress(NotStoredError):
            self.store.change(_saw(device))
        try:
            date, table, seat = map(str, json.loads(before)) if before else _NEWEST
        except (ValueError, TypeError):
            raise WebError("before {text!r}: not the place of a game", text=before[:80]) from None
        games = list(islice(filter(wanted, self._of(device, (date, table, seat))), most + 1))
        return games[:most], games[most - 1].place if len(games) > most else None

    @apart
    def deals(self, device: str) -> list[PlayedDeal]:
        """All deals of a device, the oldest first, with what reviews say about them."""
        deals = [deal for game in self._of(device) for deal in self._with_reviews(game).deals]
        return sorted(deals, key=lambda deal: deal.order)

    async def stats(self, client: str, device: str) -> PlayerStats:
        """The statistics of a device's games; deals are measured once."""
        stats = await self.stats_within(client, device, inf)
        assert isinstance(stats, PlayerStats)
        return stats

    async def stats_within(self, client: str, device: str, seconds: float) -> PlayerStats | int:
        """The statistics, or after so many seconds the number of deals yet to be measured."""
        deals = await self.deals(device)
        until = time.monotonic() + seconds
        missing = [deal for deal in deals if _cards(deal) not in self._measured]
        if len(self._measured) + len(missing) > _MOST_MEASURED:
            self._measured.clear()
            missing = deals
        while missing and time.monotonic() < until:
            part, missing = missing[:_MEASURED_AT_ONCE], missing[_MEASURED_AT_ONCE:]
            try:
                values = await self.workers.ask(client, "statistics", _LIMIT, measure, part)
            except FailedError as error:
                _LOG.warning("the statistics of a player failed: %s", error)
                raise NotNowError(
                    "the statistics could not be computed: try again in a moment"
                ) from None
            self._measured |= {_cards(measured.deal): measured for measured in values}
        if missing:
            return len(missing)
        measured = [replace(self._measured[_cards(deal)], deal=deal) for deal in deals]
        return await asyncio.to_thread(summarise, measured)

    @apart
    def keep(self, device: str, deals: Sequence[PlayedDeal]) -> int:
        """Keep deals from a file, except those that are here already; returns how many are new."""
        self.store.check_space()
        games = list(self._of(device))
        known = {(deal.match, deal.seat, deal.deal) for game in games for deal in game.deals}
        fresh: dict[tuple[str, Seat], dict[int, PlayedDeal]] = {}
        for deal in deals:
            if (deal.match, deal.seat, deal.deal) not in known:
                fresh.setdefault((deal.match, deal.seat), {})[deal.deal] = deal
        new = sum(map(len, fresh.values()))
        held = sum(len(game.deals) for game in games if game.imported)
        if held + new > MOST_IMPORTED:
            raise NotNowError(
                "{new} more imported deals would be too many: {held} of {most} are used",
                new=new,
                held=held,
                most=MOST_IMPORTED,
            )
        there = {(game.last.match, game.last.seat): game for game in games}
        statements = []
        for (match, seat), parts in fresh.items():
            old = there.get((match, seat))
            if old is not None and not old.imported:
                continue  # the table itself is on this server, and has what was played there
            whole = [*(old.deals if old is not None else ()), *parts.values()]
            whole.sort(key=lambda deal: deal.deal)
            statements.append(_added(device, match, seat, 0, dumps(whole), whole[-1].date))
        self.store.change(*statements)
        return new

    @apart
    def merge(self, device: str, into: str) -> None:
        """Give the games, answers and results of one device to another.

        Of two tables in the same challenge the one that is finished counts, or else the other's.
        """
        held = "SELECT challenge FROM entries WHERE player = ?"
        giver, receiver = f"d:{device}", f"d:{into}"
        self.store.change(
            (
                "DELETE FROM entries WHERE player = ? AND body IS NULL "
                f"AND challenge IN ({held} AND body IS NOT NULL)",
                (receiver, giver),
            ),
            (f"DELETE FROM entries WHERE player = ? AND challenge IN ({held})", (giver, receiver)),
            ("UPDATE entries SET player = ? WHERE player = ?", (receiver, giver)),
        )
        for part, keys in _PARTS.items():
            held = f"SELECT {keys} FROM {part} WHERE device = ?"
            self.store.change(
                (f"DELETE FROM {part} WHERE device = ? AND ({keys}) IN ({held})", (device, into)),
                (f"UPDATE {part} SET device = ? WHERE device = ?", (into, device)),
            )

    @apart
    def forget(self, device: str) -> list[str]:
        """Delete a device's games, and the finished tables at which no other person sat.

        Returns the names of these tables.
        """
        rows = self.store.rows(
            "SELECT tab, seat FROM games JOIN tables ON tables.id = games.tab "
            "WHERE device = ? AND body IS NULL AND over",
            device,
        )
        alone = [table for table, letter in rows if self._alone(table, Seat(letter))]
        answers = f"DELETE FROM entries WHERE player = ? AND challenge LIKE '{_TURNING}%'"
        statements: list[Statement] = [
            ("DELETE FROM games WHERE device = ?", (device,)),
            (answers, (f"d:{device}",)),
        ]
        for table in alone:
            for part, column in (("events", "tab"), ("reviews", "tab"), ("tables", "id")):
                statements.append((f"DELETE FROM {part} WHERE {column} = ?", (table,)))
        self.store.change(*statements)
        self._finished = {key: game for key, game in self._finished.items() if key[0] not in alone}
        self._blamed = {key: worst for key, worst in self._blamed.items() if key[0] not in alone}
        return alone

    def _alone(self, table: str, seat: Seat) -> bool:
        with suppress(TribridgeError, ValueError):  # a damaged table
            state = events.replay(self.store.events(table))
            if state is not None:
                return not any(
                    p.serial for at, p in zip(Seat, state.places, strict=True) if at is not seat
                )
        return False

    def _played(self, table: str, seat: Seat, serial: int, opened: str) -> Game | None:
        key = (table, seat, serial)
        if key in self._finished:
            return self._finished[key]
        try:
            game = game_of(self.store.events(table), table, seat, serial, opened)
        except (TribridgeError, ValueError):  # a damaged table
            return None
        if game is not None and game.over:
            if len(self._finished) >= _MOST_KEPT:
                self._finished.clear()
            self._finished[key] = game
        return game

    def _with_reviews(self, game: Game) -> Game:
        if game.imported:
            return game

        def reviewed(deal: PlayedDeal) -> PlayedDeal:
            total = len(deal.record.actions)
            review = self.reviews.stored_now(game.last.match, deal.deal, total)
            if review is None or not review.complete:
                return deal
            return replace(deal, judged=judged_of(review.judgements, deal.seat))

        return replace(game, deals=tuple(map(reviewed, game.deals)))


def _answer_of(table: str, deal: int) -> str:
    """The name under which it is stored that a turning point was answered."""
    return f"{_TURNING}{table} {deal}"


@lru_cache(maxsize=_MOST_KEPT)
def _imported(body: str) -> Game:
    """A game from a file."""
    deals = tuple(loads(body))
    scoring, length = deals[-1].record.scheme or "", deals[-1].deal
    return Game(deals, scoring, length, over=True, imported=True)


def _cards(deal: PlayedDeal) -> tuple[str, int, str]:
    """What the measures of a deal depend on."""
    cards = f"{deal.record.deal} {deal.contract} {deal.seat.letter}"
    return cards, deal.outcome.tricks, deal.record.scheme or ""


def _added(
    device: str, table: str, seat: Seat, serial: int, body: str | None, date: str
) -> Statement:
    """Add a game to those of a device."""
    row = {"device": device, "tab": table, "seat": seat.letter, "serial": serial}
    row |= {"body": body, "date": date, "seen": int(time.time())}
    return upsert("games", "device, tab, seat", **row)


def _saw(device: str) -> Statement:
    """Note that somebody has used a device's games today: they are kept longer."""
    now = int(time.time())
    return "UPDATE games SET seen = ? WHERE device = ? AND seen < ?", (now, device, now - 86400)


def game_of(
    stored: Iterable[Event], table: str, seat: Seat, serial: int, opened: str
) -> Game | None:
    """A player's game from the events of a table; None without a finished deal."""
    deals: list[PlayedDeal] = []
    state, done, aided = None, 0, False
    for event, after in events.states(stored):
        dealt = not after.closed and (state is None or state.closed or not state.started)
        state, place = after, after.places[seat]
        if dealt:
            aided = state.plan.known
        undone = isinstance(event, Undo) and event.seat is seat
        if place.away or undone or any(helped is seat for helped, _ in state.advice):
            aided = True
        if len(state.finished) == done:
            continue
        done, last = len(state.finished), state.finished[-1]
        if place.serial == serial and (place.person or place.away):
            deal = PlayedDeal(
                record=last.record,
                outcome=last.outcome,
                seat=seat,
                names=three(place.name for place in state.places),
                strategies=three(
                    None if place.person or place.away or at is seat else place.strategy
                    for at, place in zip(Seat, state.places, strict=True)
                ),
                match=table,
                deal=done,
                date=opened,
                unaided=not aided,
                claimed=last.outcome.tricks if last.claimed else None,
            )
            deals.append(deal)
    if state is None or not deals:
        return None
    length = 0 if state.match.rubber is not None else state.match.deals
    return Game(tuple(deals), state.match.scheme.name, length, state.over)
