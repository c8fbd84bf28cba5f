"""Templates and the helpers they use."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tribridge import __version__
from tribridge.cards import Card, Suit
from tribridge.deals import Seat
from tribridge.errors import TribridgeError
from tribridge.game import Bid, Mark, call_name, parse_call, points_name
from tribridge.web import language
from tribridge.web.core.bots import bot_for, levels
from tribridge.web.language import gettext, mark, translated
from tribridge.web.pages import glossary
from tribridge.web.pages.assets import static_url
from tribridge.web.pages.capture_frames import cell_words
from tribridge.web.view import board
from tribridge.web.view.board import ALTERNATING, HAND_ORDERS, HandOrder, board_of
from tribridge.web.view.table import SeatView

REASONS: Final = (
    mark("overtricks"),
    mark("doubled"),
    mark("X overtricks"),
    mark("part score"),
    mark("game"),
    mark("rubber"),
    mark("small slam"),
    mark("grand slam"),
    mark("undertricks"),
)
"""What points of a rubber are scored for, besides the contract and honours."""


def scored_for(reason: str) -> str:
    """What points on the score sheet are for, as the sheet of the library says it.

    >>> scored_for("3NT"), scored_for("honours 4+1"), scored_for("overtricks")
    ('3NT', 'honours 4+1', 'overtricks')
    """
    if reason in REASONS:
        return gettext(reason)
    kind, _, held = reason.partition(" ")
    if kind == "honours":
        return gettext("honours {held}").format(held=held)
    try:
        return translated(parse_call(reason))
    except TribridgeError:
        return reason


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tribridge.web", "templates"),
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
        npgettext=language.npgettext,
    )
    environment.filters |= {
        "format": language.formatted,
        "translated": _said,
        "spoken": lambda card: language.translated(language.spoken(card)),
        "call": call_name,
        "points": points_name,
        "words": board.bid_words,
        "explained": glossary.explained,
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
        "bot_for": bot_for,
        "bot_levels": levels,
        "term": glossary.term,
        "terms": glossary.terms,
        "call_rows": board.call_rows,
        "bid_grid": board.bid_grid,
        "marks": board.marks,
        "stake": board.stake,
        "raised": board.raised,
        "short_contract": board.short_contract,
        "role_words": board.role_words,
        "cell_words": cell_words,
        "scored_for": scored_for,
        "is_card": lambda action: isinstance(action, Card),
    }
    return environment


def _shown(value: Any) -> Any:
    """What a template writes for a value: texts and names come in the current language."""
    named = isinstance(value, (language.Text, Seat, Bid, Mark))
    return language.translated(value) if named else value


def _said(value: object) -> str:
    """A text of the package's data, or something with a name, in the current language."""
    plain = isinstance(value, str) and not isinstance(value, language.Text)
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


def order_of(request: Request) -> HandOrder:
    """The order in which the visitor likes to hold a hand."""
    return HAND_ORDERS.get(request.cookies.get("order", ""), ALTERNATING)


def board_html(seen: SeatView, order: HandOrder = ALTERNATING) -> Markup:
    """The part of a table's page that changes."""
    return render("board.html", s=seen, board=board_of(seen, order))


def download(text: str, name: str) -> Response:
    """A file to save, of the kind that its name says."""
    kind = {"pbn": "x-pbn"}.get(name.rpartition(".")[2]) or name.rpartition(".")[2]
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=f"application/{kind}", headers=headers)
