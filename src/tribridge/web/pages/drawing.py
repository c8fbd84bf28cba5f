"""Templates and the helpers they use."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tribridge import __version__
from tribridge.cards import Card, Suit
from tribridge.deals import Seat
from tribridge.game import call_name, points_name
from tribridge.web.pages import glossary, stakes, table_page
from tribridge.web.pages.assets import static_url
from tribridge.web.table.bots import bot_for, levels
from tribridge.web.table.events import result_sentence, spoken


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tribridge.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "spoken": spoken,
        "call": call_name,
        "points": points_name,
        "words": table_page.bid_words,
        "explained": glossary.explained,
    }
    environment.globals |= {
        "version": __version__,
        "static": static_url,
        "known_words": (
            "The cards at this table were fixed when it was opened: whoever opened it, or has "
            "played these deals before, may know every hand."
        ),
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
        "result_words": result_sentence,
        "is_card": lambda action: isinstance(action, Card),
    }
    return environment


def render(template: str, **context: Any) -> Markup:
    """Render a template as HTML with every value escaped."""
    return Markup(_environment().get_template(template).render(**context))
