"""What a table plays: a number of deals under a scheme, or a rubber under laws.

A stored table names its laws, if it has any, beside its other settings; tables from before there
were rubbers name a scheme only.
"""

from __future__ import annotations

from typing import Final

from tribridge.cards import parse_deck
from tribridge.deals import Seat
from tribridge.game import Contract, Match, Outcome, Rubber, RubberMatch, find_scheme
from tribridge.game.standing import Standing, read_state
from tribridge.web.table.dealing import seal
from tribridge.web.table.store import Event

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


def doubled_words(contract: Contract) -> str:
    """Whether a contract is doubled, in words; empty if it is not."""
    return {1: "", 2: "doubled", 4: "redoubled"}[contract.factor]


def result_words(name: str, outcome: Outcome, needed: int) -> str:
    """How a deal ended, in words; `name` is declarer's."""
    contract = outcome.contract
    if contract is None:
        return "Passed out."
    doubled = doubled_words(contract)
    what = f"{contract.bid} by {name}{f', {doubled},' if doubled else ''}"
    over = outcome.tricks - needed
    if over < 0:
        return f"{what} goes down {-over}."
    return f"{what} makes" + (f" with {over} overtrick{'s' if over > 1 else ''}." if over else ".")


def rubber_words(rubber: Rubber, before: Standing, declarer: str) -> str:
    """What a deal changed in a rubber, in words; empty if nothing."""
    if rubber.winner is not None:
        return f"{declarer} wins the rubber."
    if rubber.standing.games != before.games:
        return f"{declarer} wins a game."
    scored = [at for at, now in enumerate(rubber.standing.below) if now != before.below[at]]
    if not scored:
        return ""
    return f"{declarer} has {rubber.standing.below[scored[0]]} of {rubber.laws.game} for game."
