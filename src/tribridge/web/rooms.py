"""The tables of a server: who may act, what is stored, who is told, when strategies think.

A room is one table in memory. Everything that changes it goes through `Room.add`: the event is
checked against the state, stored, and only then shown. A request says which event it expects to
follow (`at`); if the table has moved on, it is refused and nothing changes, so a double click or a
request sent again acts once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from tribridge.deals import Seat
from tribridge.errors import TribridgeError
from tribridge.game import schemes, view
from tribridge.web import events, thinking
from tribridge.web.errors import (
    NotNowError,
    NotYoursError,
    StaleError,
    UnknownTableError,
    WebError,
)
from tribridge.web.levels import check_strategy
from tribridge.web.presence import Presence
from tribridge.web.state import LONGEST_NAME, MOST_DEALS, State, needed_answers
from tribridge.web.store import Event, Store
from tribridge.web.tokens import read_token, seat_token
from tribridge.web.workers import FailedError, OutOfTimeError, Workers

FALLBACK: Final = "maxims"
"""Who plays on where a strategy has failed."""

_LOG: Final = logging.getLogger("tribridge.web")
_SECONDS_TO_JUDGE: Final = 30.0
_MOST_ROOMS: Final = 1000


@dataclass(frozen=True, slots=True)
class Timing:
    """How long strategies may think, and how fast they act so that a person can follow."""

    limit: float = 10.0
    call: float = 0.7
    card: float = 0.7
    trick: float = 1.5
    """Before the first card of a new trick, so that the last one can be seen."""
    silence: float = 60.0
    """Seconds after which a person who is not there may be played for."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """What a person asks for when a table is opened."""

    seed: int | None = None
    first: int = 0
    deals: int = 4
    scheme: str = "auction"
    doubles: bool = False
    deck: str = "4x13"

    def checked(self) -> Event:
        """The match of an opened event; refused if it is not one that can be played."""
        if not 1 <= self.deals <= MOST_DEALS:
            raise WebError(f"a match has 1 to {MOST_DEALS} deals, not {self.deals}")
        if self.scheme not in schemes():  # never a file: the name comes from outside
            raise WebError(f"unknown scheme {self.scheme!r}: expected {', '.join(schemes())}")
        seed = secrets.randbits(48) if self.seed is None else self.seed
        if not (0 <= seed < 1 << 64 and 0 <= self.first < 1 << 62):
            raise WebError("the seed is 0 to 2^64 - 1, the number of a deal 0 to 2^62 - 1")
        return {
            "seed": seed, "first": self.first, "deals": self.deals, "scheme": self.scheme,
            "doubles": self.doubles, "deck": self.deck,
        }  # fmt: skip


def clean_name(text: str, default: str) -> str:
    """A person's name as it is shown: printable, trimmed, not too long."""
    name = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return name[:LONGEST_NAME] or default


@dataclass(eq=False)
class Room:
    """A table in memory."""

    name: str
    state: State
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    driver: asyncio.Task[None] | None = None
    presence: Presence = field(default_factory=Presence)

    async def wait(self, number: int) -> State:
        """The state, once it has more events than `number`."""
        while self.state.number <= number:
            await self.changed.wait()
        return self.state


class Rooms:
    """All tables of a server."""

    def __init__(
        self, store: Store, workers: Workers, timing: Timing, seed: int | None = None
    ) -> None:
        self.store, self.workers, self.timing = store, workers, timing
        self._seeds = None if seed is None else count(seed)
        self.secret = store.secret()
        self._rooms: dict[str, Room] = {}
        self._adding: set[asyncio.Task[State]] = set()
        self._closing = False

    # Opening and finding tables

    async def open(
        self, plan: MatchPlan, places: list[dict[str, Any]], dice: int | None = None
    ) -> Room:
        """A new table; it starts at once where no place is open."""
        places = [place | {"strategy": check_strategy(place["strategy"])} for place in places]
        if plan.seed is None and self._seeds is not None:
            plan = replace(plan, seed=next(self._seeds))
        event: Event = {
            "kind": "opened",
            "match": plan.checked(),
            "places": places,
            "dice": secrets.randbits(48) if dice is None else dice,
        }
        state = events.opened(event)
        name = secrets.token_urlsafe(9).replace("-", "x").replace("_", "y")
        await self.store.append(name, 1, event)
        room = self._rooms[name] = Room(name, state)
        if not any(place.open for place in state.places):
            await self.add(room, {"kind": "started"})
        return room

    def find(self, name: str) -> Room:
        """The room of a table, from memory or from its events."""
        room = self._rooms.get(name)
        if room is None:
            state = events.replay(self.store.events(name))
            if state is None:
                raise UnknownTableError("there is no such table")
            self._forget()
            room = self._rooms[name] = Room(name, state)
            self._drive(room)
        return room

    def _forget(self) -> None:
        """Let go of matches that are over when there are many: their events are on disk."""
        if len(self._rooms) > _MOST_ROOMS:
            self._rooms = {name: room for name, room in self._rooms.items() if not room.state.over}

    def resume(self) -> int:
        """Take up all tables that were not over when the server stopped; how many there were."""
        names = list(self.store.tables(over=False))
        for name in names:
            self.find(name)
        return len(names)

    def listed(self, most: int = 30) -> Iterator[Room]:
        """The tables that go on, the latest first."""
        for _, name in zip(range(most), self.store.tables(over=False), strict=False):
            yield self.find(name)

    async def close(self) -> None:
        """Stop all thinking, and finish what is being stored."""
        self._closing = True
        tasks = [room.driver for room in self._rooms.values() if room.driver is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._adding, return_exceptions=True)

    # Seats

    def seat_of(self, room: Room, token: str | None) -> Seat | None:
        """The seat that a token holds at a table; None for an onlooker."""
        found = None if token is None else read_token(self.secret, room.name, token)
        if found is None:
            return None
        seat, serial = found
        place = room.state.places[seat]
        return seat if (place.person or place.away) and place.serial == serial else None

    def token(self, room: Room, seat: Seat) -> str:
        """The token of the person who holds a seat now."""
        return seat_token(self.secret, room.name, seat, room.state.places[seat].serial)

    def player(self, room: Room, token: str | None) -> Seat:
        """The seat of a token; refused if it holds none."""
        seat = self.seat_of(room, token)
        if seat is None:
            raise NotYoursError("you do not sit at this table")
        room.presence.seen(seat)
        if room.state.places[seat].away:
            raise NotNowError("a strategy plays for you: take your seat back first")
        return seat

    def absent(self, room: Room) -> list[Seat]:
        """The persons that the table waits for and who have not been there for a while."""
        state = room.state
        due = needed_answers(state) - {state.claim.seat} if state.claim else {state.turn}
        silent = self.timing.silence
        return [
            seat for seat in state.people if seat in due and room.presence.silence(seat) >= silent
        ]

    async def stand_in(self, room: Room, asking: Seat, seat: Seat, at: int) -> None:
        """Let a strategy play for a person who has gone, until they come back."""
        if seat is asking or seat not in self.absent(room):
            raise NotNowError(f"{room.state.places[seat].name} is not missing")
        await self.add(room, {"kind": "away", "seat": seat.letter}, at)

    async def back(self, room: Room, seat: Seat | None) -> None:
        """Give a person the seat back in which a strategy played on."""
        if seat is None:
            raise NotYoursError("you do not sit at this table")
        await self.add(room, {"kind": "back", "seat": seat.letter})

    # Acting

    async def add(self, room: Room, event: Event, at: int | None = None) -> State:
        """Check, store and then show an event; refused if the table is not at event `at`.

        Once begun it is finished, even if the one who asked has gone: what is stored is shown.
        """
        task = asyncio.get_running_loop().create_task(self._add(room, event, at))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)
        return await asyncio.shield(task)

    async def _add(self, room: Room, event: Event, at: int | None) -> State:
        async with room.lock:
            if at is not None and at != room.state.number:
                raise StaleError("the table has moved on: look again")
            state = events.after(room.state, event)
            await self.store.append(room.name, state.number, event, over=state.over)
            room.state = state
            room.changed.set()
            room.changed = asyncio.Event()
        self._drive(room)
        return state

    async def sit(self, room: Room, seat: Seat, name: str) -> str:
        """Take an open place; the token that holds it."""
        await self.add(room, {"kind": "sat", "seat": seat.letter, "name": name})
        token = self.token(room, seat)
        if not any(place.open for place in room.state.places) and not room.state.started:
            await self.add(room, {"kind": "started"})
        return token

    async def undo(self, room: Room, seat: Seat, at: int) -> None:
        """Take a seat's last action back."""
        if at != room.state.number:
            raise StaleError("the table has moved on: look again")
        keep = room.state.undo_to(seat)
        if keep is None:
            raise NotNowError("nothing can be taken back: only your own actions, alone at a table")
        await self.add(room, {"kind": "undo", "seat": seat.letter, "keep": keep}, at)

    # Strategies

    def _drive(self, room: Room) -> None:
        """See to it that someone thinks where a strategy, or the judge, is due."""
        if self._closing or room.driver is not None:
            return
        if self._due(room.state):
            room.driver = asyncio.get_running_loop().create_task(self._drive_on(room))

    @staticmethod
    def _due(state: State) -> bool:
        if state.claim is not None:
            return needed_answers(state) == {state.claim.seat}
        if state.closed:
            return not state.over and not state.people
        return state.turn is not None and not state.places[state.turn].person

    async def _drive_on(self, room: Room) -> None:
        try:
            while self._due(room.state):
                with contextlib.suppress(StaleError, NotNowError):  # undone while it was thought of
                    await self._step(room)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("a table has stopped")
        finally:
            room.driver = None

    async def _step(self, room: Room) -> None:
        """One action of a strategy, one word of the judge, or the next deal of strategies."""
        state, timing = room.state, self.timing
        number = state.number
        if state.claim is not None:
            await self._judge(room, state)
            return
        if state.closed:
            await asyncio.sleep(4 * timing.trick)
            await self.add(room, {"kind": "next"}, number)
            return
        table, seat = state.table, state.turn
        assert table is not None
        assert seat is not None
        pause = timing.call
        if table.play is not None:
            pause = timing.card if table.play.trick else timing.trick
        begun = asyncio.get_running_loop().time()
        event: Event = {"kind": "act", "seat": seat.letter}
        try:
            action, _ = await self.workers.ask(
                timing.limit, thinking.choose, state.places[seat].strategy, view(table, seat),
                state.dice, state.deal, len(state.actions),
            )  # fmt: skip
            event["action"] = events.action_name(action)
        except (FailedError, OutOfTimeError) as error:
            event = self._instead(state, seat, error)
        rest = pause - (asyncio.get_running_loop().time() - begun)
        if rest > 0:
            await asyncio.sleep(rest)
        await self.add(room, event, number)

    def _instead(self, state: State, seat: Seat, error: TribridgeError) -> Event:
        """What happens when a strategy has failed: another takes its place, and a note says so."""
        name = state.places[seat].strategy
        _LOG.warning("%s did not answer and was replaced", name)  # no cards in a log
        if name != FALLBACK:
            why = str(error) if isinstance(error, OutOfTimeError) else "failed"
            return {"kind": "replaced", "seat": seat.letter, "strategy": FALLBACK, "why": why}
        # Even that one failed: the first thing allowed keeps the table alive.
        assert state.table is not None
        first = events.action_name(state.table.legal()[0])
        return {"kind": "act", "seat": seat.letter, "action": first}

    async def _judge(self, room: Room, state: State) -> None:
        claim, table = state.claim, state.table
        assert claim is not None
        assert table is not None
        assert table.contract is not None
        declaring = claim.seat is table.contract.declarer
        try:
            agree = await self.workers.ask(
                _SECONDS_TO_JUDGE, thinking.judge, table, claim.tricks, declaring
            )
        except (FailedError, OutOfTimeError):
            agree = False
        await self.add(room, {"kind": "answer", "seat": "judge", "agree": agree}, state.number)
