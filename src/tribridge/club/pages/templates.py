"""How templates become HTML, and the answers that hold it.

A suit has its colour wherever it stands in a text: signs are found in the finished HTML, so that no
text needs to know of it (`suited`).

Pages are never kept by a browser: they show what only one person may see. What several people see
alike is drawn once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache, lru_cache, partial
from typing import Any, Final, cast

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context
from markupsafe import Markup, escape

from tribridge import __version__
from tribridge.cards.cards import Card, Rank, Suit, card_at
from tribridge.cards.deals import Seat
from tribridge.club import language
from tribridge.club.core.bots import bot_for, levels
from tribridge.club.core.matches import USUAL_DEALS
from tribridge.club.core.names import initials, seat_named
from tribridge.club.language import gettext, mark, translated
from tribridge.club.pages import glossary
from tribridge.club.pages.static_files import static_url
from tribridge.club.view import board
from tribridge.club.view.board import Side
from tribridge.club.view.parts import PANEL
from tribridge.club.view.table import SeatView
from tribridge.common.sentences import Words
from tribridge.forecast.distribution import percent
from tribridge.game import Bid, Mark, call_name, schemes
from tribridge.game.laws import all_laws
from tribridge.game.scoring import ALIASES, Reason
from tribridge.strategies.choices import put_ahead

_PLAIN: Final = frozenset({Markup, str, int})
"""What a template writes as it is."""
_MOST_DRAWN: Final = 16_384
"""Parts that are kept: those of some hundred tables, for a few moves."""
_SIGN: Final = re.compile("[♣♦♥♠]")
_AS_IT_IS: Final = re.compile(
    r'<(?:title|option|textarea|script|style|text|tspan)\b|[^>]*\bclass="(?:[^"]* )?[SHDC][ "]'
)
"""A tag after which no element may stand, or that of a sign in its colour."""
_LETTERS: Final = {suit.sign: suit.letter for suit in Suit}
_LONG: Final = 16
"""Characters of a name that fits in its place in letters of the usual size."""


def _long(name: str) -> str:
    """The class of a name that is written smaller, so that it can be read to its end."""
    return " long" if len(name) > _LONG else ""


def scored_for(reason: str) -> str:
    """What points on the score sheet are for, as the sheet of the library says it, or in full.

    >>> scored_for("3NT"), scored_for("honours 4+1"), scored_for("X overtricks")
    ('3NT', 'honours 4+1', 'doubled overtricks')
    """
    if reason == Reason.DOUBLED_OVERTRICKS:  # short, for a column of the library's sheet
        return gettext(mark("doubled overtricks"))
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


class _OneCall(CodeGenerator):
    """Compiles a template so that `finalize` alone writes a value: it escapes it, too.

    Jinja calls `finalize` and `escape` for each of the hundreds of values of a board, and most of
    them are markup by then.
    """

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(finalize.src)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(")")

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:  # noqa: N802
        """An inline `if` without `else` is empty, and need not say where it was undefined."""
        node.expr2 = node.expr2 or nodes.Const("")
        super().visit_CondExpr(node, frame)


class _Context(Context):
    """Calls a function of a template as it is, unless it wants to know where it is called."""

    def call(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        if hasattr(function, "jinja_pass_arg"):
            return super().call(function, *args, **named)
        if named:
            named.pop("_loop_vars", None)
            named.pop("_block_vars", None)
        return function(*args, **named)


class _Environment(Environment):
    code_generator_class = _OneCall
    context_class = _Context


@cache
def _environment() -> Environment:
    return environment(_Environment, _written)


def environment(kind: type[Environment], finalize: Callable[[Any], Any]) -> Environment:
    """The environment of all templates."""
    environment = kind(
        loader=PackageLoader("tribridge.club", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=finalize,
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
        "points": language.points_text,
        "signed": partial(language.points_text, signed=True),
        "dated": _dated,
        "ordinal": language.ordinal,
        "words": board.bid_words,
        "explained": glossary.explained,
        "pointed": _pointed,
        "capital": lambda text: text[:1].upper() + text[1:],
        "scoring": lambda name: _said(_title(name)),
        "percent": percent,
        "guest": lambda name: language.gettext("Guest") if seat_named(name) else name,
    }
    environment.globals |= {
        "version": __version__,
        "static": static_url,
        "known_words": language.Text(
            "The cards were fixed beforehand: somebody may know every hand."
        ),
        "language": language.current,
        "languages": language.languages,
        "seats": tuple(Seat),
        "suits": tuple(reversed(Suit)),
        "ranks": tuple(Rank),
        "card_at": card_at,
        "bot_for": bot_for,
        "long": _long,
        "bot_levels": levels,
        "usual_deals": USUAL_DEALS,
        "initials": initials,
        "term": glossary.term,
        "terms": glossary.terms,
        "spots": board.SPOTS,
        "call_rows": board.call_rows,
        "panel_parts": PANEL,
        "put_ahead": put_ahead,
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


def _dated(day: date | str) -> str:
    """A day, or the one that a text begins with, as people write it; the text if it has none.

    >>> _dated("2026-11-22 20:15:00"), _dated("")
    ('Sunday, 22 November 2026', '')
    """
    if isinstance(day, date):
        return translated(day)
    try:
        return translated(date.fromisoformat(day[:10]))
    except ValueError:  # of an imported game
        return day


def _pointed(text: str) -> Markup:
    """A text that asks for a click, which a finger reads as one that asks for a tap.

    >>> print(_pointed("Click the card."))
    <span class="mouse">Click</span><span class="touch">Tap</span> the card.
    """
    click, tap = gettext("Click"), gettext("Tap")
    both = Markup('<span class="mouse">{}</span><span class="touch">{}</span>').format(click, tap)
    return both.join(escape(part) for part in text.split(click))


def _title(name: str) -> str:
    """What people call a scoring scheme or the laws of a rubber; a scheme of a file, its name."""
    known = all_laws().get(name) or schemes().get(ALIASES.get(name, name))
    return known.title if known else name


def _shown(value: Any) -> Any:
    """What a template writes for a value: texts and names come in the current language."""
    if type(value) in _PLAIN or not isinstance(value, (language.Text, Seat, Bid, Mark)):
        return value
    return language.translated(value)


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    return escape(text)


def _written(value: Any) -> str:
    """What a template writes for a value, escaped unless it is markup."""
    kind = type(value)
    if kind is Markup:
        return cast(str, value)
    if kind is str:  # names, and what is written on every board
        return _escaped(value)
    return str(value) if kind is int else escape(_shown(value))


def _said(value: object) -> str:
    """A text of the package's data, or something with a name, in the current language."""
    plain = isinstance(value, str) and not isinstance(value, Words)
    return language.gettext(str(value)) if plain else language.translated(value)


def suited(html: str) -> Markup:
    """HTML in which the signs of suits have their colours, as they have outside of sentences.

    >>> print(suited('<p title="♥">♥5 wins.</p><b class="suit D">♦</b>K'))
    <p title="♥"><span class="in-text H">♥</span>5 wins.</p><b class="suit D">♦</b>K
    """
    parts, done = list[str](), 0
    for found in _SIGN.finditer(html):
        begin = html.rfind("<", 0, found.start())
        end = html.find(">", begin, found.start())
        if begin >= 0 and end >= 0 and not _AS_IT_IS.match(html[begin:end]):
            letter = _LETTERS[found[0]]
            parts += html[done : found.start()], f'<span class="in-text {letter}">{found[0]}</span>'
            done = found.end()
    return Markup("".join((*parts, html[done:])))


def render(template: str, **context: Any) -> Markup:
    """Render a template as HTML with every value escaped."""
    return suited(_environment().get_template(template).render(**context))


def compile_all() -> None:
    """Read every template, before a visitor waits for it."""
    for name in _environment().list_templates(extensions=["html"]):
        _environment().get_template(name)


def page(template: str, **context: Any) -> HTMLResponse:
    """A page, or a part of one, never cached: it shows a moment."""
    return part(render(template, **context))


def part(html: str, status: int = 200) -> HTMLResponse:
    """A part of a page."""
    return HTMLResponse(html, status, headers={"cache-control": "no-store"})


def download(text: str, name: str) -> Response:
    """A file to save, of the kind that its name says."""
    kind = {"pbn": "x-pbn"}.get(name.rpartition(".")[2]) or name.rpartition(".")[2]
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=f"application/{kind}", headers=headers)


@lru_cache(maxsize=_MOST_DRAWN)
def _drawn(_language: str, name: str, *values: Any) -> Markup:
    return suited(macro(name)(*values))


@cache
def macro(name: str) -> Callable[..., Markup]:
    """A macro of a template, named as `template.macro`."""
    template, _, own = name.partition(".")
    module = _environment().get_template(f"{template}.html").module
    return cast(Callable[..., Markup], getattr(module, own))


def drawn(name: str, *values: Any) -> Markup:
    """What a macro makes of values: drawn once in each language, for all who see the same.

    Some parts are drawn from a whole view, which nobody else shares.
    """
    if isinstance(values[0], SeatView):
        return suited(macro(name)(*values))
    return _drawn(language.current(), name, *values)


def _hand(side: Side, form: str) -> Markup:
    """The cards of a hand: to play, where there is a form, or to see."""
    second, spoken = side.second_row, language.current()
    end = second - 1 if 2 * second >= len(side.cards) else len(side.cards) - 1
    cards = (
        _drawn(spoken, "felt.card", card, form, card in side.playable, at >= second, at == end)
        for at, card in enumerate(side.cards)
    )
    return Markup("\n".join(cards))
