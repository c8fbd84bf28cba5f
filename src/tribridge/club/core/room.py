"""A table in memory: its time limits, who is there, and what it does by itself.

Presence is not stored; after a restart everyone counts as just seen. The turn timer goes by the
wall clock, so that it survives a restart.

Strategies act, the judge answers, a claim lapses, deals follow: a table is driven while somebody
plays or kibitzes. When everyone has been away for a while it rests, and it goes on as soon as
somebody looks at it again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from math import ceil, inf
from statistics import median
from typing import Any, Final
from weakref import ref

from tribridge.cards.deals import Seat
from tribridge.club.core import events
from tribridge.club.core.claims import certain
from tribridge.club.core.reviews import Ahead
from tribridge.club.core.rhythm import rhythm
from tribridge.club.core.state import NEXT_DEAL, State
from tribridge.club.core.store import Store
from tribridge.club.core.workers import FailedError, OutOfTimeError, Workers
from tribridge.club.errors import NotNowError, NotStoredError, StaleError, TooManyError
from tribridge.game import Action, Mark, Table, View, view
from tribridge.game.view_json import action_name

SETTLE: Final = 0.35
HEARTBEAT: Final = 15
"""Seconds after which a server tells the others again who is there."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long strategies may think, how fast they act, and how long the table waits for people."""

    limit: float = 10.0
    call: float = 0.7
    card: float = 0.7
    trick: float = 1.5
    """Pause before the first card of a new trick, so that people can see the last one."""
    silence: float = 60.0
    """Seconds after which a strategy may play for an absent person."""
    attention: float = 60.0
    """Seconds a table keeps going after anyone last looked at it."""
    settle: float = SETTLE
    """Seconds after an action on a page in which another one from the same seat is ignored."""
    answer: float = 30.0
    """Seconds after which a claim that nobody has answered lapses."""
    retry: float = 2.0
    """Seconds before retrying to store a strategy's action."""
    late: float = 1.0
    """Seconds between the end of a turn and the action chosen for it, whatever that is."""
    pairing: float = 20.0
    """Seconds that a table waits for anyone before bots fill in."""
    grace: float = 10.0
    """Seconds that a turn has at least when a table goes on after a rest or a restart."""
    next_deal: float = NEXT_DEAL
    """Seconds after which the next deal begins, once somebody is ready for it."""


@dataclass(slots=True)
class Presence:
    """The players and kibitzers of one table."""

    since: float = field(default_factory=time.monotonic)
    _open: Counter[Seat | None] = field(default_factory=Counter)
    _last: dict[Seat, float] = field(default_factory=dict)
    _looked: float = -inf
    """When anyone last requested anything from the table."""
    changed: Callable[[], None] = lambda: None
    """Called when somebody comes or goes."""
    told: Callable[[], None] = lambda: None
    """Called when other servers should know who is here."""
    _elsewhere: dict[str, tuple[float, Counter[Seat | None]]] = field(default_factory=dict)
    """Who has the table open at other servers, and when they said so."""

    def here(self, seat: Seat) -> bool:
        """Whether a player has the table open."""
        return self._open[seat] + self._others(seat) > 0

    @property
    def onlookers(self) -> int:
        """How many have the table open without a seat."""
        return self._open[None] + self._others(None)

    def _others(self, seat: Seat | None) -> int:
        if not self._elsewhere:
            return 0
        since = time.monotonic() - 2.5 * HEARTBEAT
        return sum(there[seat] for when, there in self._elsewhere.values() if when > since)

    @property
    def counts(self) -> str:
        """How often each seat, and the table without a seat, is open here."""
        return " ".join(str(self._open[seat]) for seat in (*Seat, None))

    def heard(self, server: str, counts: str) -> None:
        """Another server says who is there."""
        known = zip((*Seat, None), map(int, counts.split()), strict=True)
        there = Counter({seat: count for seat, count in known if count})
        before = self._elsewhere.pop(server, (0.0, Counter()))[1]
        for seat in Seat:
            if before[seat] or there[seat]:
                self.seen(seat)
        if there:
            self._elsewhere[server] = (time.monotonic(), there)
        if before != there:
            self.changed()

    def looked(self) -> None:
        """Someone, perhaps a kibitzer, has just made a request."""
        self._looked = time.monotonic()

    def idle(self) -> float:
        """Seconds since anybody at all was there."""
        return 0.0 if self._open.total() else time.monotonic() - self._looked

    def attended(self, within: float) -> bool:
        """Whether anyone is playing or kibitzing, or was recently."""
        return self.idle() <= within

    def needed(self, within: float) -> bool:
        """Whether anyone was there recently, or the table was recently listed."""
        return self.attended(within) or time.monotonic() - self.since <= within

    def seen(self, seat: Seat) -> None:
        self._last[seat] = time.monotonic()

    def silence(self, seat: Seat) -> float:
        """Seconds since a player was last there."""
        if self.here(seat):
            return 0.0
        return time.monotonic() - self._last.get(seat, self.since)

    async def during(self, seat: Seat | None, updates: AsyncIterator[str]) -> AsyncIterator[str]:
        """A live stream of a player or kibitzer, who counts as present while it is open."""
        self._open[seat] += 1
        self.changed()
        self.told()
        try:
            async for text in updates:
                yield text
        finally:
            self._open[seat] -= 1
            self.changed()
            self.told()
            self.looked()
            if seat is not None:
                self.seen(seat)


@dataclass(eq=False)
class Room:
    """A table in memory."""

    name: str
    state: State
    client: str = ""
    """The visitor whose turns its strategies use: whoever opened it, or woke it up."""
    doubtful: bool = False
    """Whether the last event may or may not have been stored: only the disk knows."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    clicked: dict[Seat, float] = field(default_factory=dict)
    """When a seat last acted on a page."""
    driver: asyncio.Task[None] | None = None
    presence: Presence = field(default_factory=Presence)
    pulse: int = 0
    """How often somebody has come or gone."""
    resumed: float = 0.0
    """When the table last began to be driven, as Unix time."""
    thoughts: dict[Callable[..., Any], tuple[View, asyncio.Task[Any]]] = field(default_factory=dict)
    """What each function was last asked to compute from a view: only that view gets it again."""
    drawn: dict[Seat | None, tuple[State, Any]] = field(default_factory=dict)
    """What each seat (None: a kibitzer) last saw of the table, and in which state."""
    told: dict[tuple[Any, ...], asyncio.Task[Any]] = field(default_factory=dict)
    """What was computed of deals that are over, by function, deal and what else was asked."""
    ahead: Ahead | None = None
    """What has been judged of the last deal, for its review."""

    def __post_init__(self) -> None:
        own = ref(self)  # a table that is dropped goes at once: garbage is searched for seldom

        def changed() -> None:
            if (room := own()) is not None:
                room._stir()

        self.presence.changed = changed

    async def until(self, met: Callable[[State], bool], seconds: float | None = None) -> State:
        """Wait until the state meets a condition, but not longer than some seconds."""
        if seconds is None:
            while not met(self.state):
                await self.changed.wait()
            return self.state
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        late = loop.call_at(end, self._wake)  # a timeout for each of many streams costs more
        try:
            while not met(self.state) and loop.time() < end:
                await self.changed.wait()
        finally:
            late.cancel()
        return self.state

    async def wait(self, number: int, seconds: float | None = None) -> State:
        """Wait for more events than `number`."""
        return await self.until(lambda state: state.number > number, seconds)

    def deadline(self, timing: Timing) -> float:
        """When the current turn ends, or the wait for the next deal, as Unix time.

        Nobody loses a turn because the server was down or the table rested: there is some time
        left when it goes on.
        """
        since, seconds = self.state.turn_since, self.state.options.turn_seconds or 0.0
        if self.state.onward:
            since, seconds = self.state.onward_since, timing.next_deal
        return max(since + seconds, self.resumed + min(timing.grace, seconds))

    def seconds_left(self, timing: Timing) -> float | None:
        """Seconds until that; None without a limit, or if a bot is to act."""
        limited = self.state.timed or self.state.onward
        return max(0.0, self.deadline(timing) - time.time()) if limited else None

    def show(self, state: State) -> None:
        self.state = state
        self._wake()

    def _stir(self) -> None:
        self.pulse += 1
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


FALLBACK: Final = "maxims"
"""The strategy that replaces one that failed."""

_LOG: Final = logging.getLogger("tribridge.club")
_SECONDS_TO_JUDGE: Final = 30.0
_REMEMBERED: Final = 9
"""Thoughts of a strategy that say how long it usually thinks."""
_MOST_STRATEGIES: Final = 256
"""Of which that is known."""
GONE: Final = 5.0
"""Seconds after which somebody who is paired and not there has gone."""


Add = Callable[[Room, events.Event, int], Awaitable[State]]
"""Adds an event to a table, after another one."""


def rest_of(pause: float, thought: float, usual: float = 0.0) -> float:
    """Seconds until a strategy acts that has thought: it acts after one pause, or two, or three.

    How long it has thought would tell how much there was to think about, and so of its cards. What
    took less than is `usual` counts as that: otherwise a forced card of a slow strategy would show.

    >>> rest_of(1.0, 0.2), rest_of(0.5, 1.25), rest_of(0.0, 3.0), rest_of(0.75, 0.0, 1.0)
    (0.8, 0.25, 0.0, 1.5)
    """
    counted = max(thought, usual)
    return max(1, ceil(counted / pause)) * pause - thought if pause > 0 else 0.0


def due(state: State) -> bool:
    """Whether something is due that needs no person."""
    if state.claim is not None or (state.options.pairing and not state.started):
        return True
    if state.closed:
        return not state.over and (not state.people or bool(state.onward))
    return state.timed or (state.turn is not None and not state.places[state.turn].person)


class Driver:
    """Drives the tables of a server."""

    def __init__(self, add: Add, workers: Workers, timing: Timing, store: Store) -> None:
        self._add, self._workers, self.timing, self._store = add, workers, timing, store
        self._closing = False
        self._thoughts: dict[tuple[str, bool], deque[float]] = {}
        """How long strategies have thought lately about calls, or cards, if they had a choice."""

    def drive(self, room: Room) -> None:
        """Keep a table going if something is due and somebody attends."""
        if room.driver is None and not self._closing and self._needed(room):
            room.resumed = time.time()
            room.driver = asyncio.get_running_loop().create_task(self._drive_on(room))

    async def close(self, rooms: Iterable[Room]) -> None:
        self._closing = True
        tasks = [room.driver for room in rooms if room.driver is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _needed(self, room: Room) -> bool:
        return due(room.state) and room.presence.attended(self.timing.attention)

    async def _drive_on(self, room: Room) -> None:
        try:
            while self._needed(room):
                if self._store.shared and not (await self._claimed(room) and self._needed(room)):
                    continue  # another server acts, or has acted meanwhile
                try:
                    await self._step(room)
                except (NotStoredError, TooManyError):
                    await asyncio.sleep(self.timing.retry)  # the disk, or the queue, recovers
                except (StaleError, NotNowError):  # undone while the strategy was thinking
                    await asyncio.sleep(0)
        except Exception:
            _LOG.exception("a table has stopped")
        finally:
            room.driver = None
            if self._store.shared:
                await self._store.apart(self._store.release, room.name)

    async def _claimed(self, room: Room) -> bool:
        """Whether this server acts for a table; if another one does, wait for news."""
        if await self._store.apart(self._store.claim, room.name):
            return True
        await room.wait(room.state.number, self.timing.retry)
        return False

    async def _step(self, room: Room) -> None:
        """One action of a strategy, the answer to a claim, or the next deal."""
        state = room.state
        if not state.started:
            await self._begin(room, state)
        elif state.claim is not None:
            await self._answer(room, state)
        elif state.closed:
            await self._deal(room, state)
        elif state.timed:
            await self._time_out(room, state)
        else:
            await self._act(room, state)

    async def _deal(self, room: Room, state: State) -> None:
        """The next deal of strategies, or of people who do not wait any longer for the others."""
        if not state.people:
            await asyncio.sleep(4 * self.timing.trick)
        elif not state.all_onward:
            left = room.deadline(self.timing) - time.time()
            if await self._acted(room, state, left) or not self._needed(room):
                return
        await self._add(room, events.NextDeal(), state.number)

    async def _begin(self, room: Room, state: State) -> None:
        """Begin with bots if nobody has come for a while; they play for those who have gone."""
        if (await room.wait(state.number, self.timing.pairing)) is not state or not state.people:
            return
        state, here = await self._add(room, events.Started(), state.number), room.presence
        for seat in state.people:
            if here.silence(seat) > GONE and any(map(here.here, state.people)):
                state = await self._add(room, events.Away(seat, left=True), state.number)

    async def _choice(self, room: Room, state: State, strategy: str) -> Action:
        """What a strategy chooses for the seat whose turn it is."""
        assert state.table is not None
        limit, dice = self.timing.limit, state.strategy_seed
        return await self._workers.choice(
            room.client, room.name, limit, strategy, state.table, dice, state.deal
        )

    async def _act(self, room: Room, state: State) -> None:
        table, seat, timing = state.table, state.turn, self.timing
        assert table is not None
        assert seat is not None
        pause = timing.call
        if table.position is not None:
            pause = timing.card if table.position.trick else timing.trick
        pause *= rhythm(table, state.number)
        begun = asyncio.get_running_loop().time()
        strategy = state.places[seat].strategy
        event: events.Event
        try:
            action = await self._choice(room, state, strategy)
            event = events.Act(seat, action_name(action))
        except FailedError as error:
            _LOG.warning("%s failed to answer and was replaced", strategy)  # no cards in a log
            why = str(error) if isinstance(error, OutOfTimeError) else "failed"
            event = events.Replaced(seat, FALLBACK, why)
            if strategy == FALLBACK:  # even that one: the first legal action keeps the table alive
                event = events.Act(seat, action_name(table.legal[0]))
        thought = asyncio.get_running_loop().time() - begun
        usual = self._usual(strategy, table, thought)
        await asyncio.sleep(rest_of(pause, thought, usual))
        await self._add(room, event, state.number)

    def _usual(self, strategy: str, table: Table, thought: float) -> float:
        """How long a strategy usually thinks about such a choice, this one included."""
        if len(self._thoughts) > _MOST_STRATEGIES:
            self._thoughts.clear()
        lately = self._thoughts.setdefault(
            (strategy, table.position is None), deque(maxlen=_REMEMBERED)
        )
        if len(table.legal) > 1:
            lately.append(thought)
        return median(lately) if lately else 0.0

    async def _acted(self, room: Room, before: State, seconds: float) -> bool:
        """Whether something that concerns the turn happens within some seconds."""
        state = await room.until(lambda state: state.since > before.since, max(0.0, seconds))
        return state.since != before.since

    async def _time_out(self, room: Room, state: State) -> None:
        """Wait for a person to act; act for them when their time is over and somebody is there.

        The action comes at a fixed time, so that it says nothing about how hard it was to choose.
        """
        table, seat = state.table, state.turn
        assert table is not None
        assert seat is not None
        end = room.deadline(self.timing)
        if await self._acted(room, state, end - time.time()) or not self._needed(room):
            return
        action: Action = Mark.PASS
        if table.position is not None:
            action = table.legal[0]
            try:
                action = await self._choice(room, state, FALLBACK)
            except FailedError:
                _LOG.warning("%s failed to answer for somebody out of time", FALLBACK)
        await asyncio.sleep(max(0.0, end + self.timing.late - time.time()))
        await self._add(room, events.Timeout(seat, action_name(action)), state.number)

    async def _answer(self, room: Room, state: State) -> None:
        """The judge's answer to a claim, or its lapse if people do not answer in time.

        The judge knows no more than the claimer.
        """
        claim, table = state.claim, state.table
        assert claim is not None
        assert table is not None
        if state.answering != {claim.seat}:
            if not await self._acted(room, state, self.timing.answer):
                await self._add(room, events.Lapsed(), state.number)
            return
        asked = view(table, claim.seat), claim.tricks
        ask = self._workers.ask(room.client, room.name, _SECONDS_TO_JUDGE, certain, *asked)
        try:
            agree = await ask
        except FailedError:
            _LOG.warning("the judge of a claim failed to answer")  # no cards in a log
            agree = False
        await self._add(room, events.Answer("judge", agree, helps=not agree), state.number)
