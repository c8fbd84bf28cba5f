"""What the routes share: the server's rooms, who is asking, and how to respond."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from markupsafe import Markup

from tribridge.deals import Seat
from tribridge.web.arena.matches import Arena
from tribridge.web.core.challenges import Challenges
from tribridge.web.core.reviews import Analysis
from tribridge.web.core.room import Room
from tribridge.web.core.rooms import Rooms
from tribridge.web.core.state import State
from tribridge.web.errors import NotYoursError, TooManyError
from tribridge.web.pages.drawing import render
from tribridge.web.pages.table_page import ALTERNATING, HAND_ORDERS, HandOrder, table_page
from tribridge.web.server.addresses import is_local
from tribridge.web.server.devices import Histories, entrant, key_of, remember_game
from tribridge.web.server.guard import Buckets, asks_for_head, visitor

TABLE_COST = 10.0
"""The cost of opening a table, in requests."""
MOST_STREAMS = 60
MOST_TABLES = 60
"""Unfinished tables opened by one client."""
TABLE_BYTES = 20_000
"""What a table takes on disk, more or less."""
DISK_A_DAY = 64_000_000
"""Bytes that one client may add to the disk in a day."""


@dataclass(slots=True)
class Server:
    """The state of one server."""

    rooms: Rooms
    paper: Path
    challenges: Challenges
    arena: Arena
    buckets: Buckets | None = None
    public_url: str | None = None
    network_address: str | None = None
    streams: dict[str, int] = field(default_factory=dict)
    """How many live streams each client has open."""
    reviews: dict[tuple[str, int], Analysis] = field(default_factory=dict)
    """Reviews in progress, by table and deal."""
    messages: Buckets = field(default_factory=lambda: Buckets(rate=0.5, burst=5.0))
    """How many chat messages each writer may send."""
    disk: Buckets = field(default_factory=lambda: Buckets(DISK_A_DAY / 86400, DISK_A_DAY))
    """How many bytes each client may store."""
    histories: Histories = field(init=False)
    """The players' own games."""

    def __post_init__(self) -> None:
        self.histories = Histories(self.rooms.store, self.rooms.workers)

    async def counted(self, client: str, updates: AsyncIterator[str]) -> AsyncIterator[str]:
        """Count a client's stream while it is open."""
        self.streams[client] = self.streams.get(client, 0) + 1
        try:
            async for text in updates:
                yield text
        finally:
            self.streams[client] -= 1
            if not self.streams[client]:
                del self.streams[client]


async def server_of(request: Request) -> Server:
    """The server that answers a request."""
    server: Server = request.app.state.server
    return server


ServerOf = Annotated[Server, Depends(server_of)]


def cookie_name(room: str) -> str:
    """The cookie that holds a person's seat at a table."""
    return f"seat-{room}"


async def room_of(table: str, request: Request, server: ServerOf) -> Room:
    """The table named in a path; looking at it keeps it running."""
    room = await server.rooms.load(table, client_of(request))
    await _check_allowed(request, server, room)
    server.rooms.attend(room)
    return room


async def _check_allowed(request: Request, server: Server, room: Room) -> None:
    """Show the table of a challenge only to its player and to those who have finished it, too."""
    challenge = room.state.options.challenge
    if challenge is None:
        return
    bearer = request.headers.get("authorization", "").partition(" ")[2].strip()
    tokens = (token_of(request, room), bearer)
    if any(server.rooms.seat_of(room, token) is not None for token in tokens if token):
        return
    if not await server.challenges.finished(challenge, entrant(key_of(request))):
        raise NotYoursError(
            "someone plays a challenge here: finish it yourself first, at /challenge/{challenge}",
            challenge=challenge,
        )


RoomOf = Annotated[Room, Depends(room_of)]


def token_of(request: Request, room: Room) -> str | None:
    """The token that a browser holds for a table."""
    return request.cookies.get(cookie_name(room.name))


async def viewer_of(request: Request, room: RoomOf, server: ServerOf) -> Seat | None:
    """The seat of the client; None for a kibitzer."""
    seat = server.rooms.seat_of(room, token_of(request, room))
    if seat is not None:
        room.presence.seen(seat)
    return seat


async def player_of(request: Request, room: RoomOf, server: ServerOf) -> Seat:
    """The seat of the client; refused without one."""
    return server.rooms.player(room, token_of(request, room))


ViewerOf = Annotated[Seat | None, Depends(viewer_of)]
PlayerOf = Annotated[Seat, Depends(player_of)]


def client_of(request: Request) -> str:
    """The client a request counts against, by its address."""
    return visitor(request.client.host if request.client else None)


def shared_address(request: Request, server: Server) -> str | None:
    """The address of this server for a link that others can open; None if they cannot.

    It is the public one if there is one. Otherwise it is the one that the client used, or, for a
    client on this machine, the machine's address in its network.
    """
    if server.public_url is not None:
        return server.public_url
    if is_local(request.url.hostname or ""):
        return server.network_address
    return f"{request.url.scheme}://{request.url.netloc}"


def stream_of(request: Request, server: Server, updates: AsyncIterator[str]) -> StreamingResponse:
    """A response of live updates; refused if the client has too many streams open."""
    client = client_of(request)
    if server.streams.get(client, 0) >= MOST_STREAMS and server.buckets is not None:
        raise TooManyError("too many tables open in this browser or network: close some")
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    if asks_for_head(request.scope):  # there is no end to wait for
        return StreamingResponse((), media_type="text/event-stream", headers=headers)
    return StreamingResponse(
        server.counted(client, updates), media_type="text/event-stream", headers=headers
    )


async def pay_for_table(request: Request, server: ServerOf) -> None:
    """Charge the opening of a table as more than a plain request."""
    client = client_of(request)
    if server.buckets is None:
        return
    if server.buckets.take(client, TABLE_COST):
        raise TooManyError("too many tables opened at once: wait a moment")
    if server.rooms.opened_by(client) >= MOST_TABLES:
        raise TooManyError(
            "{most} unfinished tables were already opened from here: finish one first",
            most=MOST_TABLES,
        )
    pay_for_disk(server, client, TABLE_BYTES)


def pay_for_disk(server: Server, client: str, size: int) -> None:
    """Charge what a client stores; refused if it is too much for a day."""
    if server.buckets is not None and server.disk.take(client, size):
        raise TooManyError(
            "more than {most} MB were stored from here within a day: come back tomorrow",
            most=DISK_A_DAY // 1_000_000,
        )


def page(template: str, **context: Any) -> HTMLResponse:
    """A whole page, never cached: it shows a moment."""
    return HTMLResponse(render(template, **context), headers={"cache-control": "no-store"})


def order_of(request: Request) -> HandOrder:
    """The order in which the visitor likes to hold a hand."""
    return HAND_ORDERS.get(request.cookies.get("order", ""), ALTERNATING)


def board(room: Room, state: State, seat: Seat | None, order: HandOrder = ALTERNATING) -> Markup:
    """The part of a table's page that changes."""
    return render("board.html", s=table_page(room.name, state, seat, order))


def answer(request: Request, room: Room, seat: Seat | None) -> Response:
    """The table after a change: part of the page, or a redirect for browsers without scripts."""
    if "hx-request" in request.headers:
        html = board(room, room.state, seat, order_of(request))
        return HTMLResponse(html, headers={"cache-control": "no-store"})
    return RedirectResponse(f"/table/{room.name}", 303)


def give_seat(
    request: Request, response: Response, room: Room, token: str, key: str | None = None
) -> Response:
    """Give the browser the token of its seat, and add the table to its games."""
    server: Server = request.app.state.server
    remember_game(request, response, server.histories, server.rooms, room, token, key)
    response.set_cookie(
        cookie_name(room.name),
        token,
        max_age=30 * 86400,
        path=f"/table/{room.name}",
        httponly=True,
        samesite="lax",
    )
    return response
