"""Messages at a table: who may write how often, and who reads what."""

from __future__ import annotations

from typing import Final

from tribridge.deals import Seat
from tribridge.web.core.events import LONGEST_MESSAGE, Chat
from tribridge.web.core.names import clean_name, clean_text, legible
from tribridge.web.core.room import Room
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
    words = clean_text(legible(text[:_LONGEST_READ]), _LONGEST_READ)
    written_by = clean_name(name, gettext("Onlooker")) if seat is None else None
    await server.rooms.add(room, Chat(words, seat, written_by))
