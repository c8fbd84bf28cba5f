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
from tribridge.web.language import Text, counted
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


def contract_words(contract: Contract) -> Text:
    """A contract in words, without its declarer."""
    if contract.factor == 1:
        return Text("{bid}", bid=contract.bid)
    if contract.factor == 2:
        return Text("{bid} doubled", bid=contract.bid)
    return Text("{bid} redoubled", bid=contract.bid)


def declared_words(contract: Contract, name: str) -> Text:
    """A contract with its declarer, in words, as the beginning of a sentence."""
    if contract.factor == 1:
        return Text("{bid} by {name}", bid=contract.bid, name=name)
    if contract.factor == 2:
        return Text("{bid} by {name}, doubled,", bid=contract.bid, name=name)
    return Text("{bid} by {name}, redoubled,", bid=contract.bid, name=name)


def result_words(name: str, outcome: Outcome, needed: int) -> Text:
    """How a deal ended, in words; `name` is declarer's."""
    contract = outcome.contract
    if contract is None:
        return Text("Passed out.")
    return ended_words(declared_words(contract, name), outcome.tricks - needed)


def ended_words(contract: str, over: int) -> Text:
    """How a contract ended, with `over` tricks more than it needed, in words."""
    if over < 0:
        return Text("{contract} goes down {down}.", contract=contract, down=-over)
    if over == 0:
        return Text("{contract} makes.", contract=contract)
    return counted(
        "{contract} makes with {number} overtrick.",
        "{contract} makes with {number} overtricks.",
        over,
        contract=contract,
    )


def rubber_words(rubber: Rubber, before: Standing, declarer: str) -> Text:
    """What a deal changed in a rubber, in words; empty if nothing."""
    if rubber.winner is not None:
        return Text("{name} wins the rubber.", name=declarer)
    if rubber.standing.games != before.games:
        return Text("{name} wins a game.", name=declarer)
    scored = [at for at, now in enumerate(rubber.standing.below) if now != before.below[at]]
    if not scored:
        return Text("")
    return Text(
        "{name} has {points} of {game} for game.",
        name=declarer,
        points=rubber.standing.below[scored[0]],
        game=rubber.laws.game,
    )
