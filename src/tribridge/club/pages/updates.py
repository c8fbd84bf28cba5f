"""Live updates of a table: server-sent events, for pages and for programs.

Each message carries the number of the event it shows as its id. A browser that lost its connection
sends the last number it had and gets the messages since then and the current table. What a page
receives becomes HTML, so all message data is escaped in one place on its way out; only the output
of templates, which escape for themselves, passes unchanged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Final

from markupsafe import escape

from tribridge.club.core.room import Room
from tribridge.club.core.state import State
from tribridge.club.language import translated

BEAT: Final = 15.0
"""Seconds after which an idle stream sends a sign of life."""
_MOST_SAID: Final = 6


def message(event: str, data: str, number: int) -> str:
    """One server-sent event."""
    if "\r" in data:
        data = data.replace("\r\n", "\n").replace("\r", "\n")
    lines = str.replace(data, "\n", "\ndata: ")  # markup would escape what it puts in
    return f"event: {event}\nid: {number}\ndata: {lines}\n\n"


def _is_news(room: Room, number: int, pulse: int, state: State) -> bool:
    """Whether a table has more events than `number`, or somebody has come or gone."""
    return state.number > number or room.pulse != pulse


def said_at_once(said: Iterable[object]) -> str:
    """Sentences of the log, one after the other."""
    return " ".join(map(translated, said))


async def updates(
    room: Room,
    after: int,
    draw: Callable[[State], str],
    tell: Callable[[State, list[str]], str] = lambda state, said: said_at_once(said),
    chat: Callable[[int], str] = lambda after: "",
    present: Callable[[], str] = lambda: "",
    encode: Callable[[str], str] = escape,
    beat: float = BEAT,
) -> AsyncIterator[str]:
    """The table and its messages after every event, without end.

    `encode` turns text into what the client expects: HTML by default. `tell` says the log in other
    words. `chat` writes the messages after an event, `present` who is there; either may be empty.
    """
    yield "retry: 1000\n\n"
    number, pulse = after, -1
    shown: object = None
    while True:
        state = await room.until(partial(_is_news, room, number, pulse), beat)
        if not _is_news(room, number, pulse, state):
            yield ": still here\n\n"
            continue
        fresh = [text for at, text in state.said if at > number][-_MOST_SAID:]
        written = chat(number) if state.number > number else ""
        seen, number, news = number, state.number, ""
        if state.drawn > seen:
            news += message("table", encode(draw(state)), number)
        if fresh:
            news += message("say", encode(tell(state, fresh)), number)
        pulse, now = room.pulse, (room.pulse, state.places, state.host)
        if now != shown:
            shown = now
            if who := present():
                news += message("presence", encode(who), number)
        if news:
            yield news
        if written:
            yield message("chat", encode(written), number)
