"""How pages are drawn and kept up to date: templates, static files, streams of updates.

Styles and scripts are linked with a version, a hash of all static files, so browsers and the
service worker, which makes the pages an app, may keep them for ever. Pages are never kept: they
show what only one person may see.

Live updates are server-sent events. Each message carries the number of the event it shows as its
id. A browser that lost its connection sends the last number it had and gets the messages since then
and the current table. What a page receives becomes HTML, so all message data is escaped in one
place on its way out; only the output of templates, which escape for themselves, passes unchanged.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import AsyncIterator, Callable
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import Headers
from starlette.types import Scope

from tribridge import __version__
from tribridge.cards.cards import Card, Rank, Suit, card_at
from tribridge.cards.deals import Seat
from tribridge.club import language
from tribridge.club.core.bots import bot_for, levels
from tribridge.club.core.room import Room
from tribridge.club.core.state import State
from tribridge.club.language import gettext, translated
from tribridge.club.pages import glossary
from tribridge.club.view import board
from tribridge.club.view.board import ALTERNATING, HandOrder, Side
from tribridge.club.view.parts import PANEL, Part, parts_of
from tribridge.club.view.table import SeatView
from tribridge.common.sentences import Words
from tribridge.game import Bid, Mark, call_name, points_name, schemes
from tribridge.game.laws import all_laws
from tribridge.game.scoring import ALIASES

_PLAIN: Final = frozenset({Markup, str, int})
"""What a template writes as it is."""
_MOST_DRAWN: Final = 16_384
"""Parts that are kept: those of some hundred tables, for a few moves."""


def scored_for(reason: str) -> str:
    """What points on the score sheet are for, as the sheet of the library says it.

    >>> scored_for("3NT"), scored_for("honours 4+1"), scored_for("overtricks")
    ('3NT', 'honours 4+1', 'overtricks')
    """
    kind, _, held = reason.partition(" ")
    if kind == "honours":
        return gettext("honours {held}").format(held=held)
    return translated(Bid(reason)) if kind[:1].isdigit() else gettext(reason)


def _gettext(message: str, **fields: Any) -> Markup:
    """A message of a template, with its fields; what is constant is translated once."""
    if fields:
        return Markup(language.gettext(message)) % fields
    return _constant(language.current(), message)


@lru_cache(maxsize=2048)
def _constant(_language: str, message: str) -> Markup:
    return Markup(language.gettext(message)) % {}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tribridge.club", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=_shown,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        language.gettext,
        language.ngettext,
        newstyle=True,
        pgettext=language.pgettext,
    )
    environment.globals |= {"gettext": _gettext, "_": _gettext}
    environment.filters |= {
        "format": language.formatted,
        "translated": _said,
        "spoken": lambda card: language.translated(language.spoken(card)),
        "call": call_name,
        "points": points_name,
        "words": board.bid_words,
        "explained": glossary.explained,
        "scoring": lambda name: _said(_title(name)),
    }
    environment.globals |= {
        "version": __version__,
        "static": static_url,
        "known_words": language.Text(
            "The cards at this table were fixed when it was opened: whoever opened it, or has "
            "played these deals before, may know every hand."
        ),
        "language": language.current,
        "languages": language.languages,
        "seats": tuple(Seat),
        "suits": tuple(reversed(Suit)),
        "ranks": tuple(Rank),
        "card_at": card_at,
        "bot_for": bot_for,
        "bot_levels": levels,
        "term": glossary.term,
        "terms": glossary.terms,
        "spots": board.SPOTS,
        "call_rows": board.call_rows,
        "panel_parts": PANEL,
        "drawn": drawn,
        "hand": _hand,
        "short_contract": board.short_contract,
        "sorted_cards": board.sorted_cards,
        "trump_of": board.trump_of,
        "cell_words": board.cell_words,
        "scored_for": scored_for,
        "is_card": lambda action: isinstance(action, Card),
    }
    return environment


def _title(name: str) -> str:
    """What people call a scoring scheme or the laws of a rubber; a scheme of a file, its name."""
    known = all_laws().get(name) or schemes().get(ALIASES.get(name, name))
    return known.title if known else name


def _shown(value: Any) -> Any:
    """What a template writes for a value: texts and names come in the current language."""
    if type(value) in _PLAIN or not isinstance(value, (language.Text, Seat, Bid, Mark)):
        return value
    return language.translated(value)


def _said(value: object) -> str:
    """A text of the package's data, or something with a name, in the current language."""
    plain = isinstance(value, str) and not isinstance(value, Words)
    return language.gettext(str(value)) if plain else language.translated(value)


def render(template: str, **context: Any) -> Markup:
    """Render a template as HTML with every value escaped."""
    return Markup(_environment().get_template(template).render(**context))


def page(template: str, **context: Any) -> HTMLResponse:
    """A page, or a part of one, never cached: it shows a moment."""
    return part(render(template, **context))


def part(html: str, status: int = 200) -> HTMLResponse:
    """A part of a page."""
    return HTMLResponse(html, status, headers={"cache-control": "no-store"})


@lru_cache(maxsize=_MOST_DRAWN)
def _drawn(_language: str, macro: str, *values: Any) -> Markup:
    return _macro(macro)(*values)


@cache
def _macro(name: str) -> Callable[..., Markup]:
    template, _, macro = name.partition(".")
    found: Callable[..., Markup] = getattr(
        _environment().get_template(f"{template}.html").module, macro
    )
    return found


def drawn(macro: str, *values: Any) -> Markup:
    """What a macro makes of values: drawn once in each language, for all who see the same.

    Some parts are drawn from a whole view, which nobody else shares.
    """
    if isinstance(values[0], SeatView):
        return _macro(macro)(*values)
    return _drawn(language.current(), macro, *values)


def _hand(side: Side, form: str) -> Markup:
    """The cards of a hand: to play, where there is a form, or to see."""
    second, spoken = side.second_row, language.current()
    cards = (
        _drawn(spoken, "felt.card", card, form, card in side.playable, at >= second)
        for at, card in enumerate(side.cards)
    )
    return Markup("\n".join(cards))


class Follower:
    """What one viewer has been shown of a table: only what has changed is drawn again."""

    def __init__(self, order: HandOrder = ALTERNATING) -> None:
        self._order, self._number = order, 0
        self._shown: dict[str, Part] = {}

    def draw(self, seen: SeatView) -> Markup:
        """The board, or its parts that have changed since it was last drawn."""
        parts, before = parts_of(seen, self._order), self._shown
        since, self._shown, self._number = self._number, parts, seen.number
        if parts.keys() != before.keys():
            return render("board.html", **_board(seen, parts))
        changed = [drawn(*part) for at, part in parts.items() if part != before[at]]
        return Markup("".join((_opening(seen, since), *changed, "</div>")))


def tab_title(seen: SeatView) -> str:
    """The title of a table's page: it says when it is the viewer's turn."""
    turn = f"▶ {board.prompt_of(seen)}" if seen.your_turn else gettext("Table")
    return f"{seen.title or turn} · Tribridge"


def _opening(seen: SeatView, since: int = 0) -> Markup:
    """The beginning of the element that holds a board."""
    return _macro("felt.opened")(seen, since, tab_title(seen))


def board_context(seen: SeatView, order: HandOrder = ALTERNATING) -> dict[str, Any]:
    """What a page with a whole board is drawn from."""
    return _board(seen, parts_of(seen, order))


def _board(seen: SeatView, parts: dict[str, Part]) -> dict[str, Any]:
    html = {at: drawn(*part) for at, part in parts.items()}
    return {"s": seen, "parts": html, "opening": _opening(seen), "title": tab_title(seen)}


def board_html(seen: SeatView, order: HandOrder = ALTERNATING) -> Markup:
    """The part of a table's page that changes."""
    return Follower(order).draw(seen)


def download(text: str, name: str) -> Response:
    """A file to save, of the kind that its name says."""
    kind = {"pbn": "x-pbn"}.get(name.rpartition(".")[2]) or name.rpartition(".")[2]
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=f"application/{kind}", headers=headers)


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
            news += message("say", encode(" ".join(map(translated, fresh))), number)
        pulse, now = room.pulse, (room.pulse, state.places, state.host)
        if now != shown:
            shown = now
            if who := present():
                news += message("presence", encode(who), number)
        if news:
            yield news
        if written:
            yield message("chat", encode(written), number)


router = APIRouter(include_in_schema=False)

_FOLDER: Final = resources.files("tribridge.club").joinpath("static")
_WORKER: Final = "sw.js"


@cache
def _files() -> dict[str, bytes]:
    """The static files by name, without the licences."""
    files = sorted((one for one in _FOLDER.iterdir() if one.is_file()), key=lambda one: one.name)
    return {one.name: one.read_bytes() for one in files}


@cache
def static_version() -> str:
    """A hash of all static files."""
    digest = sha256()
    for name, content in _files().items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a static file that may be kept for ever."""
    return f"/static/{name}?v={static_version()}"


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_files()[name], 9, mtime=0)


class VersionedFiles(StaticFiles):
    """Static files; those asked for by their current version may be kept, and texts are packed."""

    def __init__(self) -> None:
        super().__init__(directory=str(_FOLDER))

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response: Response = super().file_response(full_path, stat_result, scope, status_code)
        current = scope["query_string"] == f"v={static_version()}".encode()
        name, accepted = Path(full_path).name, Headers(scope=scope).get("accept-encoding", "")
        if current and "gzip" in accepted and name.endswith((".css", ".js")):
            packed = {"content-encoding": "gzip", "vary": "accept-encoding"}
            response = Response(_packed(name), headers=packed, media_type=response.media_type)
        response.headers["cache-control"] = (
            "public, max-age=31536000, immutable" if current else "no-cache"
        )
        return response


@router.get("/sw.js")
async def service_worker() -> Response:
    """The service worker, with the version and the files that it keeps."""
    kept = [static_url(name) for name in _files() if name != _WORKER]
    text = _files()[_WORKER].decode()
    text = text.replace('"VERSION"', json.dumps(static_version()))
    text = text.replace('["FILES"]', json.dumps(["/offline", *kept]))
    return Response(text, media_type="text/javascript", headers={"cache-control": "no-cache"})
