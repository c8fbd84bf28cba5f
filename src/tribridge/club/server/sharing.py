"""What the servers that share a store tell each other, so that any of them can answer anybody.

The store passes on short texts: `event TABLE NUMBER BODY` (without the body if it is long) and
`gone TABLE` come from the database, `again` means that some may have been missed. Servers say who
has a table open (`here`), ask for it (`who`), and tell what clients have used up (`spent`); workers
elsewhere say that they are there and have answers (`worker`, `answer`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from itertools import count

from tribridge.club.core.all_rooms import Rooms
from tribridge.club.core.background import begin
from tribridge.club.core.room import HEARTBEAT, Room
from tribridge.club.errors import WebError
from tribridge.club.server.guard import Buckets


class Sharing:
    """One server among those of its store."""

    def __init__(self, rooms: Rooms, limits: Mapping[str, Buckets]) -> None:
        self.rooms, self.store, self.limits = rooms, rooms.store, limits
        for buckets in limits.values():
            buckets.spent = Counter()
        rooms.when_kept = self._introduce
        self._name = secrets.token_hex(8)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self.store.listen(self._hear)
        self._telling = begin(self._tell_regularly())

    async def close(self) -> None:
        tasks = (self._telling, *self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _hear(self, text: str) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(lambda: self.heard(*text.split(" ", 1)))

    def heard(self, kind: str, text: str = "") -> None:
        """Take note of what the store or another server says."""
        name, _, more = text.partition(" ")
        room = self.rooms.known.get(name)
        if kind in ("answer", "worker"):
            self.rooms.workers.heard(kind, text)
        elif kind == "spent":
            limit, cost, client = more.split(" ", 2)
            if name != self._name:
                self.limits[limit].charge(client, float(cost))
        elif kind == "again":  # whatever has happened meanwhile was not told
            for each in list(self.rooms.known.values()):
                each.doubtful = True
                self._do(self.rooms.catch_up(each))
        elif room is None:
            pass
        elif kind == "gone":
            self.rooms.forget(name)
        elif kind == "event":
            number, _, body = more.partition(" ")
            if int(number) > room.state.number:
                self._do(self.rooms.hear(room, int(number), body))
        elif kind == "who":
            self._tell(room)
        elif kind == "here":
            server, _, counts = more.partition(" ")
            if server != self._name:
                room.presence.heard(server, counts)

    def _do(self, work: Awaitable[None]) -> None:
        async def done() -> None:
            with suppress(WebError):  # read again when somebody asks
                await work

        task = begin(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _introduce(self, room: Room) -> None:
        """A table is in memory: ask who is there, and tell when somebody comes or goes here."""
        name, known = room.name, self.rooms.known

        def told() -> None:
            if (there := known.get(name)) is not None:
                self._tell(there)

        room.presence.told = told
        self.store.tell(f"who {name}")

    def _tell(self, room: Room) -> None:
        """Tell the other servers who has a table open here."""
        self.store.tell(f"here {room.name} {self._name} {room.presence.counts}")

    async def _tell_regularly(self) -> None:
        """Tell what clients have used, and who is here: a server that is silent is forgotten."""
        for second in count(1):
            await asyncio.sleep(1.0)
            for name, buckets in self.limits.items():
                spent, buckets.spent = buckets.spent or Counter(), Counter()
                for client, cost in spent.items():
                    self.store.tell(f"spent {self._name} {name} {cost:g} {client}")
            if second % HEARTBEAT == 0:
                for room in list(self.rooms.known.values()):
                    if not room.presence.idle():
                        self._tell(room)
