"""Live updates as server-sent events.

Each message carries the number of the event it shows as its id. A browser that lost its
connection sends the last number it had and gets the messages since then and the current table.

What a page receives becomes HTML, so all message data is escaped in one place on its way out; only
the output of templates, which escape for themselves, passes unchanged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Final

from markupsafe import escape

from tribridge.web.core.room import Room
from tribridge.web.core.state import State
from tribridge.web.language import translated

BEAT: Final = 15.0
"""Seconds after which an idle stream sends a sign of life."""
_MOST_SAID: Final = 6
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def message(event: str, data: str, number: int) -> str:
    """One server-sent event."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {event}\nid: {number}\n{lines}\n"


async def updates(
    room: Room,
    after: int,
    draw: Callable[[State], str],
    chat: Callable[[int], str] = lambda after: "",
    present: Callable[[], str] = lambda: "",
    encode: Callable[[str], str] = escape,
    beat: float = BEAT,
) -> AsyncIterator[str]:
    """The table and its messages after every event, without end.

    `encode` turns text into what the client expects: HTML by default. `chat` writes the messages
    after an event, `present` who is there; either may be empty.
    """
    yield "retry: 1000\n\n"
    number, pulse = after, -1
    shown: object = None
    while True:
        try:
            async with asyncio.timeout(beat):
                state = await room.news(number, pulse)
        except TimeoutError:
            yield ": still here\n\n"
            continue
        fresh = [text for at, text in state.said if at > number][-_MOST_SAID:]
        written = chat(number) if state.number > number else ""
        seen, number = number, state.number
        if state.drawn > seen:
            yield message("table", encode(draw(state)), number)
        if fresh:
            yield message("say", encode(" ".join(map(translated, fresh))), number)
        if written:
            yield message("chat", encode(written), number)
        pulse, now = room.pulse, (room.pulse, state.places, state.host)
        if now != shown:
            shown = now
            if who := present():
                yield message("presence", encode(who), number)
