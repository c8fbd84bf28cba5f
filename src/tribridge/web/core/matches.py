"""What a table plays: a number of deals under a scheme, or a rubber under laws.

A stored table names its laws, if it has any, beside its other settings; tables from before there
were rubbers name a scheme only.
"""

from __future__ import annotations

from typing import Final

from tribridge.cards import parse_deck
from tribridge.deals import Seat
from tribridge.game import Match, Rubber, RubberMatch, find_scheme
from tribridge.game.standing import read_state
from tribridge.web.core.dealing import seal
from tribridge.web.core.store import Event

DEFAULT_LAWS: Final = "auction-rubber"
"""What the page offers first: the richest bidding, by the study of schemes and laws."""

AnyMatch = Match | RubberMatch


def match_of(settings: Event) -> AnyMatch:
    """The match that a table was opened with."""
    secret, deals = settings.get("secret"), settings["deals"]
    seed = (
        settings["seed"]
        if secret is None
        else tuple(seal(secret, deal).seed for deal in range(deals))
    )
    first, dealer = settings.get("first", 0), Seat(settings.get("dealer", 0))
    deck = parse_deck(settings.get("deck", "4x13"))
    doubles = settings["doubles"]
    if settings.get("laws") is None:
        scheme = find_scheme(settings["scheme"])
        return Match(scheme, seed, deals, first, dealer, doubles, deck)
    laws, start = read_state(settings)
    return RubberMatch(laws, seed, deals, first, dealer, doubles, deck, start)


def rubber_of(match: AnyMatch) -> Rubber | None:
    """The rubber so far; None in a match of single deals."""
    return match.rubber if isinstance(match, RubberMatch) else None
