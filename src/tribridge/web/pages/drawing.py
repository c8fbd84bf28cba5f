"""Templates and the helpers they use."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tribridge import __version__
from tribridge.cards import Card, Suit
from tribridge.deals import Seat
from tribridge.game import Bid, Mark, call_name, parse_call, points_name
from tribridge.web import language
from tribridge.web.core.bots import bot_for, levels
from tribridge.web.core.wording import result_sentence
from tribridge.web.pages import glossary, rubber_words, stakes, table_page
from tribridge.web.pages.assets import static_url
from tribridge.web.pages.capture_frames import cell_words


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
        "words": table_page.bid_words,
        "call_words": lambda name: language.translated(parse_call(name)),
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
        "call_rows": table_page.call_rows,
        "bid_grid": table_page.bid_grid,
        "marks": stakes.marks,
        "stake": stakes.stake,
        "raised": stakes.raised,
        "contract_name": table_page.contract_name,
        "role_words": table_page.role_words,
        "cell_words": cell_words,
        "scored_for": rubber_words.scored_for,
        "rubber_rules": rubber_words.rules,
        "result_words": result_sentence,
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
