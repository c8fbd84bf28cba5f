"""Messages at a table: who may write how often, and who reads what."""

from __future__ import annotations

from typing import Final

from tribridge.deals import Seat
from tribridge.web.core.company import LONGEST_MESSAGE
from tribridge.web.core.names import clean_name, clean_text, legible
from tribridge.web.core.room import Room
from tribridge.web.core.store import Event
from tribridge.web.errors import TooManyError
from tribridge.web.language import gettext
from tribridge.web.server.access import Server

_LONGEST_READ: Final = 4 * LONGEST_MESSAGE
"""What is longer is cut before it is examined; it is too long in any case."""


async def write(
    server: Server, room: Room, seat: Seat | None, text: str, client: str, name: str = ""
) -> None:
    """Send a message from a seat, or from an onlooker under a name."""
    writer = f"{room.name} {seat.letter}" if seat is not None else f"onlooker {client}"
    if server.messages.take(writer):
        raise TooManyError("too many messages: wait a moment")
    words = legible(text[:_LONGEST_READ])
    event: Event = {"kind": "chat", "text": clean_text(words, _LONGEST_READ)}
    if seat is not None:
        event["seat"] = seat.letter
    else:
        event["name"] = clean_name(name, gettext("Onlooker"))
    await server.rooms.add(room, event)
