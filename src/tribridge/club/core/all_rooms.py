"""The tables of a server: who may act, what is stored, who is notified.

A room is one table in memory, read from its events when somebody asks for it. Everything that
changes it goes through `Rooms.add`: the event is checked against the state, stored, and only then
shown. A request says which event it expects to follow (`at`); if the table has moved on, it is
refused and nothing changes. A request that is sent again because its answer was lost is recognised
and gets the table as it is now: it acts once, however often it arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from typing import Final
from weakref import WeakValueDictionary

from tribridge.cards.deals import Seat, three
from tribridge.club.core import events
from tribridge.club.core.bots import bot_name, check_strategy
from tribridge.club.core.keys import read_token, seat_token
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.room import GONE, Driver, Room, Timing
from tribridge.club.core.state import Options, Place, State, put
from tribridge.club.core.store import Durations, Store, apart
from tribridge.club.core.workers import Workers
from tribridge.club.errors import (
    BusyError,
    DamagedError,
    NotNowError,
    NotStoredError,
    StaleError,
    UnknownTableError,
    WebError,
)
from tribridge.club.language import Text
from tribridge.common import codec

PAIRED: Final = MatchPlan(deals=4)
"""What people play who did not choose each other: four deals, with a turn timer."""
PAIRED_TURN: Final = 60.0
_LOG: Final = logging.getLogger("tribridge.club")
MOST_HELD = 5000
"""Tables in memory; one takes some 50 KB."""
_FORGET: Final = 600.0
"""Seconds after which an unattended table is dropped from memory."""


_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
Check = Callable[[State], object]
"""Raises an error that says why something is refused in a state."""
CODE: Final = 5
"""Letters of the code by which a table can be joined: its name begins with them."""


def new_name() -> str:
    """A name that nobody can guess, as part of an address; it begins with a code to tell others."""
    code = "".join(secrets.choice(_LETTERS) for _ in range(CODE))
    return code + secrets.token_urlsafe(9).replace("-", "x").replace("_", "y")


@dataclass(slots=True)
class Metrics:
    """What a server has done since it started."""

    events: Durations = field(default_factory=Durations)
    """How long it took to store an event and show it."""
    faults: Counter[str] = field(default_factory=lambda: Counter({"stale": 0, "store": 0}))


def seated(state: State, seat: Seat, serial: int) -> bool:
    """Whether the `serial`-th holder of a seat still has it."""
    place = state.places[seat]
    return (place.person or place.away) and place.serial == serial


async def _nothing(room: Room) -> None:
    """What happens when a match has ended, unless somebody wants to know."""


class Rooms:
    """All tables of a server."""

    def __init__(
        self, store: Store, workers: Workers, timing: Timing, seed: int | None = None
    ) -> None:
        self.store, self.timing = store, timing
        self.workers = workers
        self._driver = Driver(self.add, self.workers, timing, store)
        self._seeds = None if seed is None else count(seed)
        self.secret = store.secret
        self.held: dict[str, Room] = {}
        """The tables in memory."""
        self.known: WeakValueDictionary[str, Room] = WeakValueDictionary()
        """Those, and any that was dropped while a request or a stream had it in hand.

        There are never two rooms of one table: one would not see what is added to the other.
        """
        self._reading: dict[str, asyncio.Task[State]] = {}
        """Tables that are being read from disk."""
        self._damaged: set[str] = set()
        self._adding: set[asyncio.Task[State]] = set()
        self.when_over: Callable[[Room], Awaitable[None]] = _nothing
        """Called when a match has ended."""
        self.when_kept: Callable[[Room], None] = lambda room: None
        """Called when a table has come into memory."""
        self.metrics = Metrics()

    # Opening and finding tables

    async def open(
        self,
        plan: MatchPlan,
        places: Sequence[Place],
        client: str = "",
        strategy_seed: int | None = None,
        actions: Sequence[str] = (),
        options: Options | None = None,
    ) -> Room:
        """Open a table; it starts at once if no seat is open. Bots without a name are given one.

        The first deal begins after `actions`, which must be legal.
        """
        self._forget()
        await self.store.apart(self.store.check_space)
        seats = three(replace(p, strategy=check_strategy(p.strategy)) for p in places)
        for seat, place in zip(Seat, seats, strict=True):
            if not place.name and not place.open:
                name = bot_name(seats, place.strategy, seat)
                seats = put(seats, seat, replace(place, name=name))
        match = self.seeded(plan).checked()
        if strategy_seed is None:
            strategy_seed = secrets.randbits(48)
            if self._seeds is not None and match.seed is not None:  # the bots' choices repeat, too
                digest = hashlib.sha256(b"strategies %d" % match.seed).digest()
                strategy_seed = int.from_bytes(digest[:6], "big")
        event = events.Opened(match, seats, strategy_seed, (options or Options()).checked())
        state, name = event.state(), new_name()
        await self.store.append(name, 1, event, client=self._client(client))
        room = self._kept(name, state, client)
        room.presence.looked()
        if not any(place.open for place in state.places):
            await self.add(room, events.Started(actions=tuple(actions)))
        return room

    def seeded(self, plan: MatchPlan) -> MatchPlan:
        """A plan that leaves the cards open, with the next seed of a server that has seeds."""
        if self._seeds is None or plan.seed is not None or plan.secret is not None:
            return plan
        return replace(plan, seed=next(self._seeds))

    def find(self, name: str) -> Room:
        """The room of a table that is in memory."""
        return self.held[name]

    async def load(self, name: str, client: str = "") -> Room:
        """The room of a table; its events are read in a thread, once for all who ask."""
        if name in self.held:
            return self.held[name]
        if (room := self.known.get(name)) is not None:
            return self._kept(name, room.state, client)
        reading = self._reading.get(name)
        if reading is None:
            reading = asyncio.ensure_future(self.store.apart(self._read, name))
            self._reading[name] = reading
            reading.add_done_callback(lambda _: self._reading.pop(name))
        return self._kept(name, await asyncio.shield(reading), client)

    def _kept(self, name: str, state: State, client: str) -> Room:
        if name not in self.held:  # nobody else was faster
            self._forget()
            room = self.known.get(name) or Room(name, state, client)
            self.held[name] = self.known[name] = room
            self.when_kept(room)
        return self.held[name]

    @apart
    def opened_by(self, client: str) -> int:
        """How many unfinished tables a visitor has opened."""
        query = "SELECT COUNT(*) FROM tables WHERE NOT over AND client = ?"
        return int(self.store.rows(query, self._client(client))[0][0])

    def _client(self, client: str) -> str:
        """The name under which the tables of a visitor are counted: it does not say who it is."""
        return hmac.digest(self.secret, f"client {client}".encode(), "sha256").hex()[:16]

    def attend(self, room: Room) -> None:
        """Someone looks at a table: keep it going."""
        room.presence.looked()
        self._driver.drive(room)

    def _read(self, name: str) -> State:
        """The state of a table from its events; a damaged table is set aside."""
        if name not in self._damaged:
            try:
                state = events.replay(self.store.events(name))
            except NotStoredError:
                raise
            except Exception as error:  # a damaged event can raise anything
                self._damaged.add(name)
                _LOG.warning("table %s is damaged (%s) and set aside", name, type(error).__name__)
            else:
                if state is None:
                    raise UnknownTableError("there is no such table")
                return state
        raise DamagedError("table {name} is damaged and cannot be opened", name=name)

    def _forget(self) -> None:
        """Drop tables that nobody has requested for a while: their events are on disk."""
        self.held = {
            name: room
            for name, room in self.held.items()
            if room.driver is not None or room.lock.locked() or room.presence.needed(_FORGET)
        }
        if len(self.held) >= MOST_HELD:  # those at which nobody is go early, the longest idle first
            idle = [room for room in self.held.values() if self._spare(room)]
            idle.sort(key=lambda room: -room.presence.idle())
            for room in idle[: len(self.held) - MOST_HELD + 1]:
                del self.held[room.name]
        if len(self.held) >= MOST_HELD:
            raise BusyError("this server has as many tables as it can hold: try again later")

    def _spare(self, room: Room) -> bool:
        return room.driver is None and not room.lock.locked() and room.presence.idle() > 0

    def forget(self, name: str) -> None:
        """Drop a table whose events were deleted."""
        self.held.pop(name, None)
        self.known.pop(name, None)

    async def listed(self, most: int = 30) -> list[Room]:
        """The unfinished tables that were opened for everyone, most recent events first."""
        shown: list[Room] = []
        for name in await self.store.apart(self.store.tables, over=False, listed=True):
            with contextlib.suppress(BusyError, DamagedError, UnknownTableError):  # just expired
                shown.append(await self.load(name))
            if len(shown) == most:
                break
        return shown

    async def joined(self, code: str) -> Room:
        """The table with a code at which a seat is open."""
        text = "".join(code.split()).upper()
        if len(text) == CODE and set(text) <= set(_LETTERS):
            query = "SELECT id FROM tables WHERE NOT over AND id LIKE ? ORDER BY touched DESC"
            for (name,) in await self.store.apart(self.store.rows, query, f"{text}%"):
                with contextlib.suppress(DamagedError, UnknownTableError):
                    room = await self.load(name)
                    if name.startswith(text) and any(place.open for place in room.state.places):
                        return room
        if len(text) == CODE and text.isalpha():
            raise UnknownTableError("no table with an open seat has the code {code!r}", code=text)
        raise UnknownTableError(
            "no table with an open seat has the code {code!r}: a code has five letters",
            code=code[:20],
        )

    async def pair(
        self, called: Callable[[Seat], str], client: str, strategy: str
    ) -> tuple[Room, Seat]:
        """A seat at a table that waits for anyone, or at a new one.

        `called` is the visitor's name in a seat.
        """
        for room in await self.listed():
            waits = room.state.options.pairing and not room.state.started
            if not waits or not room.presence.attended(self.timing.attention):
                continue
            for seat in (s for s in Seat if room.state.places[s].open):
                with contextlib.suppress(NotNowError, StaleError):  # somebody else was faster
                    await self.sit(room, seat, called(seat))
                    return room, seat
        options = Options(pairing=True, listed=True, turn_seconds=PAIRED_TURN)
        places = [Place("", strategy, open=True) for _ in Seat]
        room = await self.open(PAIRED, places, client, options=options)
        await self.sit(room, Seat.SOUTH, called(Seat.SOUTH))
        self.attend(room)
        return room, Seat.SOUTH

    # What other servers of the same store have added

    def behind(self, room: Room, seen: int, tokens: Iterable[str | None] = ()) -> bool:
        """Whether a client knows more of a table than this server: a later event, a seat taken."""
        signed = (read_token(self.secret, room.name, token) for token in tokens if token)
        return self.store.shared and (
            seen > room.state.number
            or any(holder is not None and not seated(room.state, *holder) for holder in signed)
        )

    async def catch_up(self, room: Room) -> None:
        """Return when a table has all that other servers had stored."""
        if self.store.shared:
            async with room.lock:
                await self._renew(room)
            self._driver.drive(room)

    async def hear(self, room: Room, number: int, body: str = "") -> None:
        """Show an event that was stored under a number, and what comes before it.

        Its body, if it is known, need not be read. It may be an event of this server, which shows
        it by itself.
        """
        async with room.lock:
            if room.doubtful or number > room.state.number:
                follows = not room.doubtful and number == room.state.number + 1
                await self._renew(room, body if follows else "")
        self._driver.drive(room)

    async def _renew(self, room: Room, body: str = "") -> None:
        """Show what others have added to a table: the next event, or whatever is stored."""

        def read() -> State:
            state = room.state
            for event in self.store.events(room.name, state.number):
                state = events.after(state, event)
            return state

        try:
            if body:
                (event,) = codec.loads(f"[{body}]", events.EVENTS, f"table {room.name}")
                state = events.after(room.state, event)
            else:
                state = await self.store.apart(read)
        except NotStoredError:
            room.doubtful = True
            raise
        except Exception:  # damaged, or deleted meanwhile: the whole tells
            state = await self.store.apart(self._read, room.name)
        room.doubtful = False
        if state.number > room.state.number:
            over = room.state.over
            room.show(state)
            if state.over and not over:
                await self.when_over(room)

    async def close(self) -> None:
        """Stop all thinking, and finish what is being stored."""
        await self._driver.close(list(self.known.values()))
        await asyncio.gather(*self._adding, return_exceptions=True)

    # Seats

    def seat_of(self, table: str, state: State, token: str | None) -> Seat | None:
        """The seat that a token holds in a state of a table; None for a kibitzer."""
        held = None if token is None else read_token(self.secret, table, token)
        if held is None:
            return None
        return held[0] if seated(state, *held) else None

    def token(self, room: Room, seat: Seat) -> str:
        """The token of the person who holds a seat now."""
        return seat_token(self.secret, room.name, seat, room.state.places[seat].serial)

    def absent(self, room: Room) -> list[Seat]:
        """The people the table is waiting for who have been away for a while."""
        return [seat for seat, left in self.leaving(room).items() if left <= 0]

    def leaving(self, room: Room) -> dict[Seat, float]:
        """The people the table is waiting for who are not there.

        For each, the seconds until a strategy may play for them.
        """
        state, here = room.state, room.presence
        due = state.answering - {state.claim.seat} if state.claim else {state.turn}
        gone = {seat: here.silence(seat) for seat in state.people if seat in due}
        silent = self.timing.silence
        return {
            seat: silent - seconds for seat, seconds in gone.items() if seconds >= min(silent, GONE)
        }

    async def stand_in(
        self, room: Room, asking: Seat, seat: Seat, at: int, by: Check | None = None
    ) -> None:
        """Let a strategy play for a person who has gone, until they come back."""
        event = events.Away(seat)
        missing = seat is not asking and seat in self.absent(room)
        if not missing and not events.repeated(room.state, event, at):
            raise NotNowError("{name} is not missing", name=room.state.places[seat].name)
        await self.add(room, event, at, by)

    # Acting

    async def add(
        self, room: Room, event: events.Event, at: int | None = None, by: Check | None = None
    ) -> State:
        """Check, store and then show an event; refused if the table is not at event `at`.

        `by` refuses it in the state that it follows: whoever asked may have lost their seat while
        others were stored. Once begun it is finished, even if the client has gone: whatever is
        stored is shown.
        """
        task = asyncio.get_running_loop().create_task(self._add(room, event, at, by))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)
        return await asyncio.shield(task)

    async def _add(
        self, room: Room, event: events.Event, at: int | None, by: Check | None
    ) -> State:
        async with room.lock:
            ahead = self.store.shared and at is not None and at > room.state.number
            if room.doubtful or ahead:
                await self._renew(room)
            while True:
                before = room.state
                if events.repeated(before, event, at):
                    return before
                if at is not None and not before.since <= at <= before.number:
                    raise StaleError("the table has moved on: reload and try again")
                if by is not None:
                    by(before)
                event.check(before)
                if event.dated or before.options.turn_seconds is not None:
                    event = replace(event, time=round(time.time(), 3))
                folded = event.fold(before)
                if folded is before:  # nothing changes, so there is nothing to store
                    return folded
                state, begun = event.count(folded), time.monotonic()
                try:
                    await self.store.append(room.name, state.number, event, over=state.over)
                    break
                except WebError as error:
                    room.doubtful = True
                    stale = isinstance(error, StaleError)
                    self.metrics.faults["stale" if stale else "store"] += 1
                    if not (stale and self.store.shared):
                        raise
                    await self._renew(room)  # it may still be right after what others have added
                    if room.state.number == before.number:
                        raise
            room.show(state)
            self.metrics.events.add(time.monotonic() - begun)
        self._driver.drive(room)
        if state.over and not before.over:
            await self.when_over(room)
        return state

    async def click(
        self, room: Room, seat: Seat, action: str, at: int, by: Check | None = None
    ) -> None:
        """A call or a card from a page; refused if it follows the last one too closely.

        The cards have moved by then, so the second click of a double click hits another card.
        """
        event = events.Act(seat, action)
        soon = time.monotonic() - room.clicked.get(seat, -inf) < self.timing.settle
        if soon and not events.repeated(room.state, event, at):
            raise StaleError("that came too soon after your last action: check and try again")
        await self.add(room, event, at, by)
        room.clicked[seat] = time.monotonic()

    async def sit(self, room: Room, seat: Seat, name: str) -> str:
        """Take an open seat; returns the token that holds it."""
        state = await self.add(room, events.Sat(seat, name))
        full = not any(place.open for place in state.places)
        if full and not state.started and not state.options.waits:
            with contextlib.suppress(StaleError):  # somebody has left, or it has begun
                await self.add(room, events.Started(), state.number)
        return seat_token(self.secret, room.name, seat, state.places[seat].serial)

    async def leave(
        self, room: Room, seat: Seat, *, for_good: bool, by: Check | None = None
    ) -> None:
        """A person leaves. During a match the seat stays theirs, unless they give it up for good.

        A bot plays until they come back, or the table waits for them, as the host has chosen. If
        the match begins while they leave, it has begun: the seat stays theirs.
        """
        while True:
            state = room.state
            if for_good and state.options.challenge is not None:
                raise NotNowError("nobody else can play a challenge for you: the table waits")
            event: events.Event = events.Gone(seat)
            if for_good or not state.started:
                event = events.Left(seat)
            elif state.over or state.options.challenge is not None:
                return
            elif state.options.hold:
                event = events.Away(seat, left=True)
            try:
                await self.add(room, event, state.number, by)
            except StaleError:
                if room.state is state:
                    raise
            else:
                return

    # Rematches: the same people at a new table, in the same seats, with new deals

    async def rematch(self, room: Room, seat: Seat, client: str, *, now: bool = False) -> None:
        """A person would like to play again; it begins when all agree, or at the host's word.

        With `now`, bots play for those who have not agreed until they come.
        """
        host = room.state.host
        if now and seat is not host:
            name = Text("nobody") if host is None else room.state.places[host].name
            raise NotNowError(
                "only the host ({name}) can begin before everyone has agreed", name=name
            )
        if room.state.rematch_table is None and seat not in room.state.rematch:
            await self.add(room, events.Rematch(seat))
        async with self.store.alone(f"rematch {room.name}"):
            await self.catch_up(room)
            state = room.state
            agreed = now or set(state.people) <= state.rematch
            if state.rematch_table is not None or not agreed:
                return
            places = [
                Place(
                    place.name if place.person or place.away else "",
                    place.own_strategy,
                    person=at in state.rematch,
                    away=(place.person or place.away) and at not in state.rematch,
                )
                for at, place in zip(Seat, state.places, strict=True)
            ]
            dealer = (state.plan.dealer + len(state.match.outcomes)) % 3
            plan = replace(state.plan, seed=None, first=0, secret=None, known=True, dealer=dealer)
            following = await self.open(plan, places, client, options=state.options)
            await self.add(room, events.Moved(following.name))

    async def follow(self, room: Room, seat: Seat) -> tuple[Room, str]:
        """The table of the rematch, and the token of a seat there: its player is back."""
        name = room.state.rematch_table
        if name is None:
            raise NotNowError("the rematch has not begun")
        following = await self.load(name)
        place = following.state.places[seat]
        if not (place.person or place.away) or place.serial != 1:
            raise NotNowError(
                "your seat at the rematch has been given up: {name} plays there", name=place.name
            )
        if place.away and not following.state.over:
            await self.add(following, events.Back(seat))
        return following, seat_token(self.secret, name, seat, place.serial)
