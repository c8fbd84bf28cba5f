"""What the routes share: the server, who asks for what at which table, and what it costs them."""

from __future__ import annotations

import asyncio
import logging
import re
import zlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Container
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote, unquote

from fastapi import Depends, Header, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tribridge.cards.deals import Seat
from tribridge.club.core.all_rooms import Rooms
from tribridge.club.core.background import begin
from tribridge.club.core.challenges import Challenges, entrant
from tribridge.club.core.event_base import Event
from tribridge.club.core.games import Games
from tribridge.club.core.keys import device_of_key, new_key, read_key, read_token
from tribridge.club.core.league import Leagues
from tribridge.club.core.names import seat_named
from tribridge.club.core.puzzles import Puzzles
from tribridge.club.core.reviews import Reviews
from tribridge.club.core.room import Room, Timing
from tribridge.club.core.state import State
from tribridge.club.core.store import GAMES_LAST, Store
from tribridge.club.core.workers import Workers
from tribridge.club.errors import (
    NotNowError,
    NotStoredError,
    NotYoursError,
    TooManyError,
    WebError,
)
from tribridge.club.language import mark
from tribridge.club.server.addresses import LOOPBACK, is_local
from tribridge.club.server.guard import Answers, Buckets, asks_for_head, visitor
from tribridge.club.server.sharing import Sharing
from tribridge.club.view.board import ALTERNATING, HAND_ORDERS, HandOrder
from tribridge.club.view.table import Chat, Presence, SeatView, seat_view

_LOG: Final = logging.getLogger("tribridge.club")
HEADER: Final = "X-Device-Key"
_COOKIE: Final = "player"
_KNOWS: Final = "rules"
TABLE_COST = 10.0
"""The cost of opening a table, in requests."""
MOST_STREAMS = 60
MOST_TABLES = 60
"""Unfinished tables opened by one client."""
TABLE_BYTES = 20_000
"""What a table takes on disk, more or less."""
DISK_A_DAY = 64_000_000
"""Bytes that one client may add to the disk in a day."""


_EVENT: Final = re.compile("[0-9]{1,9}")
"""The number of an event."""
_LOOK: Final = 0.5
"""Seconds between two looks at how late the event loop is."""
_LEVEL, _WINDOW, _MEMORY = 4, 16 + 15, 6
"""How streams are compressed: by gzip, with about 160 KB of memory for each."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server."""

    data: Path | str
    """The file of the store, or the URL of its database."""
    timing: Timing = field(default_factory=Timing)
    processes: int = 0
    rate: float = 40.0
    """Requests per second for one client, in the long run; 0 for no limit."""
    burst: float = 240.0
    seed: int | None = None
    """The seed of the first table opened without one; each further table gets the next."""
    hosts: frozenset[str] = LOOPBACK
    """Host names the server answers to; empty for any."""
    public_url: str | None = None
    """Where others reach the server, as in `https://cards.example`, if it was said."""
    network_address: str | None = None
    """Where other machines in the network reach it; None if they cannot."""
    keep: float = 30.0
    """Days a table is kept after its last event if it is unfinished or in nobody's games."""
    backup: Path | None = None
    """Where a file of tables is copied to every day."""
    bans: Path | None = None
    """A file of addresses and networks that are not answered."""
    log_json: bool = False
    """Whether logs are JSON lines."""


class Lag:
    """How late the event loop is: whatever blocks it holds up everybody."""

    def __init__(self) -> None:
        self._late: deque[float] = deque([0.0], maxlen=20)
        self._task = begin(self._measure())

    @property
    def worst(self) -> float:
        """Seconds, at worst in the last ten."""
        return max(self._late)

    async def _measure(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            begun = clock()
            await asyncio.sleep(_LOOK)
            self._late.append(clock() - begun - _LOOK)

    def close(self) -> None:
        self._task.cancel()


class Server:
    """The state of one server."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        workers: Workers,
        buckets: Buckets | None,
        answers: Answers | None = None,
        bans: Container[str] = (),
    ) -> None:
        self.settings, self.buckets, self.bans = settings, buckets, bans
        self.answers = answers or Answers()
        self.lag = Lag()
        self.rooms = Rooms(store, workers, settings.timing, settings.seed)
        self.challenges = Challenges(self.rooms)
        self.leagues = Leagues(self.challenges)
        self.reviews = Reviews(store, workers)
        self.games = Games(store, workers, self.reviews)
        self.puzzles = Puzzles(store)
        self.streams: Counter[str] = Counter()
        """How many live streams each client has open."""
        self.messages = Buckets(rate=0.5, burst=5.0)
        """How many chat messages each writer may send."""
        self.disk = Buckets(DISK_A_DAY / 86400, DISK_A_DAY)
        """How many bytes each client may store."""
        limits = {"requests": buckets, "messages": self.messages, "disk": self.disk}
        known = {name: limit for name, limit in limits.items() if limit is not None}
        self.sharing = Sharing(self.rooms, known) if store.shared else None

    async def close(self) -> None:
        self.lag.close()
        if self.sharing is not None:
            await self.sharing.close()
        await self.games.close()
        await self.reviews.close()
        await self.challenges.close()
        await self.rooms.close()

    async def counted(self, here: Asked, updates: AsyncIterator[str]) -> AsyncIterator[str]:
        """Count a client's stream while it is open; it ends when its address is banned."""
        client, address = here.client, here.address
        self.streams[client] += 1
        try:
            async for text in updates:
                if address in self.bans:
                    break
                yield text
        finally:
            self.streams[client] -= 1
            if not self.streams[client]:
                del self.streams[client]


def keep(response: Response, name: str, text: str, days: int, path: str = "/") -> None:
    """Give a browser a cookie that no script can read."""
    response.set_cookie(name, text, days * 86400, path=path, httponly=True, samesite="lax")


def keep_name(response: Response, name: str) -> None:
    """Remember under what name a visitor plays."""
    keep(response, "name", quote(name), 365)


def knows_rules(response: Response) -> None:
    """Remember that a visitor knows about rubbers and doubles."""
    keep(response, _KNOWS, "1", 365)


def give_key(response: Response, key: str) -> Response:
    """Give a browser its key."""
    keep(response, _COOKIE, key, GAMES_LAST)
    return response


def take_key(response: Response) -> Response:
    """Take the key away from a browser."""
    response.delete_cookie(_COOKIE)
    return response


def key_of(request: Request) -> str | None:
    """The key that a program sends, or the one in a browser's cookie; None if there is none."""
    sent = request.headers.get(HEADER)
    try:
        return read_key(request.cookies.get(_COOKIE, "") if sent is None else sent)
    except WebError as error:
        if sent is None:
            return None
        raise WebError(
            "{header} {key!r}: {error}", header=HEADER, key=sent[:40], error=error
        ) from None


BEARER: Final = HTTPBearer(auto_error=False, description="The token of a seat, or a player's key.")


async def _bearer(
    held: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> str | None:
    return None if held is None else held.credentials.strip()


BearerOf = Annotated[str | None, Depends(_bearer)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: who sends it, what it costs them, and where they go next."""

    request: Request
    server: Server
    """The server that answers."""

    @property
    def address(self) -> str | None:
        """Where the request comes from."""
        return self.request.client.host if self.request.client else None

    @property
    def client(self) -> str:
        """Whom the request counts against, by address."""
        return visitor(self.address)

    @property
    def now(self) -> Asked:
        """The request after all that has happened since it arrived."""
        return self

    @property
    def from_page(self) -> bool:
        """Whether a page asks, and not a program."""
        return not self.request.scope["path"].startswith("/api/")

    @property
    def for_part(self) -> bool:
        """Whether a script asks for a part of a page."""
        return "hx-request" in self.request.headers

    @property
    def for_reading(self) -> bool:
        """Whether a person asks, in a browser, for a whole page."""
        accepts = "text/html" in self.request.headers.get("accept", "")
        return accepts and self.from_page and not self.for_part

    @property
    def newcomer(self) -> bool:
        """Whether a visitor has seen neither the second lesson nor a rubber or doubles."""
        return _KNOWS not in self.request.cookies

    @property
    def order(self) -> HandOrder:
        """The order in which the visitor likes to hold a hand."""
        return HAND_ORDERS.get(self.request.cookies.get("order", ""), ALTERNATING)

    @property
    def name(self) -> str:
        """The name under which the visitor last sat down; empty if they have given none."""
        name = unquote(self.request.cookies.get("name", ""))
        return "" if seat_named(name) else name

    @property
    def key(self) -> str | None:
        """The key of the device; a program has none unless it sends it."""
        sent = self.from_page or HEADER in self.request.headers
        return key_of(self.request) if sent else None

    @property
    def key_damaged(self) -> bool:
        """Whether a browser has a key that is none."""
        return bool(self.request.cookies.get(_COOKIE)) and self.key is None

    @property
    def device(self) -> str:
        """What the key stands for in the store; empty without one."""
        return "" if self.key is None else device_of_key(self.key)

    @property
    def shared_address(self) -> str | None:
        """The address of this server for a link that others can open; None if they cannot.

        It is the public one if there is one. Otherwise it is the one that the client used, or, for
        a client on this machine, the machine's address in its network.
        """
        settings, url = self.server.settings, self.request.url
        if settings.public_url is not None:
            return settings.public_url
        if is_local(url.hostname or ""):
            return settings.network_address
        return f"{url.scheme}://{url.netloc}"

    def link(self, path: str) -> str | None:
        """The address of a page for others; None if they cannot open it."""
        return None if self.shared_address is None else f"{self.shared_address}{path}"

    def pay(self, cost: float, refusal: str) -> None:
        """Charge a request as more than a plain one; refused if the client has too little left."""
        buckets = self.server.buckets
        if buckets is not None and buckets.take(self.client, cost):
            raise TooManyError(refusal)

    def pay_for_disk(self, size: int) -> None:
        """Charge what a client stores; refused if it is too much for a day."""
        if self.server.buckets is not None and self.server.disk.take(self.client, size):
            raise TooManyError(
                "more than {most} MB were stored from here within a day: come back tomorrow",
                most=DISK_A_DAY // 1_000_000,
            )

    def go(self, where: str) -> Response:
        """To another page, which a script has to load as a whole."""
        if self.for_part:
            return Response(status_code=204, headers={"hx-redirect": where})
        return RedirectResponse(where, 303)

    async def sit(
        self, room: Room, token: str, *, name: str = "", key: str | None = None
    ) -> Response:
        """To a table, with the token of a seat there; the table joins the games of the browser.

        If that cannot be stored, the seat is what counts. The browser keeps the person's name.
        """
        server, where = self.server, f"/table/{room.name}"
        response, held = self.go(where), read_token(server.rooms.secret, room.name, token)
        if held is not None:
            own = key or self.key or new_key()
            try:
                await server.games.add(device_of_key(own), room.name, *held)
                key = own
            except NotStoredError:
                _LOG.warning("table %s was not added to a player's games", room.name)
        if key is not None:
            give_key(response, key)
        keep(response, cookie_name(room.name), token, 30, where)
        if name:
            keep_name(response, name)
        return response


def asked_of(request: Request) -> Asked:
    """A request and the server that answers it."""
    return Asked(request, request.app.state.server)


_KEPT: Final = "The key that you were given when you first played a challenge."


async def asked(request: Request) -> Asked:
    """A request that names no table."""
    return asked_of(request)


async def keyed(
    request: Request,
    sent: Annotated[str | None, Header(alias=HEADER, description=_KEPT)] = None,
) -> Asked:
    """The same of a program that may send the key of its device."""
    return asked_of(request)


AskedOf = Annotated[Asked, Depends(asked)]
KeyedOf = Annotated[Asked, Depends(keyed)]


@dataclass(frozen=True, slots=True)
class Visit(Asked):
    """A request at a table, in one state of it: that of its arrival.

    Others act while a request waits for anything. What it is answered with follows from this one
    state, whose seats decide what may be seen; a later state is a visit of its own, `now`.
    """

    room: Room
    token: str | None
    """What may hold a seat: a program's bearer token, a browser's cookie."""
    state: State

    def at(self, state: State) -> Visit:
        """The same request in another state of the table."""
        if state is self.state:
            return self
        return Visit(self.request, self.server, self.room, self.token, state)

    @property
    def now(self) -> Visit:
        return self.at(self.room.state)

    async def after(self, number: int | None) -> Visit:
        """The request after an event that its sender saw: another server may have stored it."""
        if self.server.rooms.behind(self.room, number or 0):
            await self.server.rooms.catch_up(self.room)
            return self.now
        return self

    @property
    def seat(self) -> Seat | None:
        """The seat of whoever asks; None for a kibitzer."""
        return self.server.rooms.seat_of(self.room.name, self.state, self.token)

    @property
    def player(self) -> Seat:
        """The seat of whoever asks; refused without one."""
        seat = self.seat
        if seat is None:
            raise NotYoursError("you are not seated at this table")
        self.room.presence.seen(seat)
        if self.state.places[seat].away:
            raise NotNowError("a strategy is playing for you: take your seat back first")
        return seat

    def still(self, state: State) -> None:
        """Refuse in a state in which whoever asks has no longer the seat that they had."""
        if self.at(state).seat is not self.seat:
            raise NotYoursError("you are not seated at this table")

    async def add(self, event: Event, at: int | None = None) -> State:
        """Add an event to the table; returns the state after it."""
        return await self.server.rooms.add(self.room, event, at, self.still)

    @property
    def view(self) -> SeatView:
        """The table as whoever asks sees it: made once for all with the same seat."""
        seat, drawn = self.seat, self.room.drawn
        state, seen = drawn.get(seat, (None, None))
        if state is not self.state:
            seen = seat_view(self.room.name, self.state, seat)
            drawn[seat] = self.state, seen
        assert isinstance(seen, SeatView)
        return seen

    def chat(self, after: int = 0) -> Chat:
        """The messages after an event that whoever asks reads."""
        state, seat = self.state, self.seat
        muted = sorted(whom for who, whom in state.muted if who is seat)
        return Chat(messages=state.read_by(seat, after), muted=tuple(muted))

    @property
    def presence(self) -> Presence:
        """Who is at the table now."""
        room, there = self.room, self.room.presence
        return Presence(
            here=tuple(seat for seat in self.state.people if there.here(seat)),
            onlookers=there.onlookers,
            seconds_left=room.seconds_left(self.server.rooms.timing),
        )


def cookie_name(room: str) -> str:
    """The cookie that holds a person's seat at a table."""
    return f"seat-{room}"


def _named_event(request: Request) -> int:
    """The event that a client says it has seen; 0 if it names none."""
    named = (request.headers.get("last-event-id"), request.query_params.get("after"))
    return max((int(text) for text in named if text and _EVENT.fullmatch(text)), default=0)


async def visit(table: str, request: Request, bearer: BearerOf = None) -> Visit:
    """A request at the table named in its path; looking at it keeps it running.

    The table of a challenge is shown only to its player and to those who have finished it, too.
    """
    here = asked_of(request)
    rooms, cookie = here.server.rooms, request.cookies.get(cookie_name(table))
    room = await rooms.load(table, here.client)
    tokens = (cookie, bearer)
    if rooms.behind(room, _named_event(request), tokens):
        await rooms.catch_up(room)
    challenge = room.state.options.challenge
    seated = any(rooms.seat_of(table, room.state, token) is not None for token in tokens)
    player = entrant(key_of(request)) if challenge is not None and not seated else None
    if player is not None and not await here.server.challenges.finished(challenge or "", player):
        raise NotYoursError(
            "someone plays a challenge here: finish it yourself first, at /challenge/{challenge}",
            challenge=challenge,
        )
    rooms.attend(room)
    visit = Visit(request, here.server, room, cookie if here.from_page else bearer, room.state)
    if visit.seat is not None:
        room.presence.seen(visit.seat)
    return visit


VisitOf = Annotated[Visit, Depends(visit)]


def stream_of(here: Asked, updates: AsyncIterator[str]) -> StreamingResponse:
    """A response of live updates; refused if the client has too many streams open."""
    request, server, client = here.request, here.server, here.client
    if server.streams[client] >= MOST_STREAMS and server.buckets is not None:
        raise TooManyError("too many tables open in this browser or network: close some")
    headers = {
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "vary": "accept-encoding",
    }
    answer = partial(StreamingResponse, media_type="text/event-stream", headers=headers)
    if asks_for_head(request.scope):  # there is no end to wait for
        return answer(())
    counted = server.counted(here, updates)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return answer(counted)
    headers["content-encoding"] = "gzip"
    return answer(packed(counted))


async def packed(updates: AsyncIterator[str]) -> AsyncIterator[bytes]:
    """A stream compressed as one whole, so that what was sent before costs little to send again.

    What others write is compressed by itself: a length that told how much a message has in common
    with a hand would let its writer guess at the cards.
    """
    pack = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)
    async for text in updates:
        apart = text.startswith("event: chat")
        before = pack.flush(zlib.Z_FULL_FLUSH) if apart else b""
        data = pack.compress(text.encode())
        yield before + data + pack.flush(zlib.Z_FULL_FLUSH if apart else zlib.Z_SYNC_FLUSH)


async def pay_for_table(here: AskedOf) -> None:
    """Charge the opening of a table as more than a plain request."""
    here.pay(TABLE_COST, mark("too many tables opened at once: wait a moment"))
    server = here.server
    limited = server.buckets is not None
    if limited and await server.rooms.opened_by(here.client) >= MOST_TABLES:
        raise TooManyError(
            "{most} unfinished tables were already opened from here: finish one first",
            most=MOST_TABLES,
        )
    here.pay_for_disk(TABLE_BYTES)
