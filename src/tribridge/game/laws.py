"""The laws of a rubber, which are data: games, bonuses, honours and the scheme of the deals.

Points of a rubber are whole numbers, and so are all numbers in laws.
Laws are read from `laws.toml` in this package or from a user's file of the same form;
docs/reference/laws.md names the sources and says where they differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Annotated, Any, Final, NamedTuple

from tribridge.cards.cards import Card, Rank, Strain, Suit
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.common.codec import Text
from tribridge.common.errors import FormatError, NotFoundError, shown, unchanging
from tribridge.game.auction import Contract
from tribridge.game.scoring import Reason, Scheme, read_scheme, scheme_entries, scheme_table
from tribridge.game.toml_values import Entries, TomlValues, points_name, toml_text

HONOUR_RANKS: Final = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN)

_KEYS: Final = ("title", "note", "game", "overtricks_below", "rubber", "scheme", "honours")
_TRUMP_KEYS: Final = ("1", "2", "3", "4", "5", "1+1", "2+1", "2+2", "3+1", "3+2", "4+1")
_ACE_KEYS: Final = ("1", "2", "3", "4", "1+1", "2+1", "2+2", "3+1")
_DEAL_BONUSES: Final = (Reason.PART_SCORE, Reason.GAME)
"""Bonuses of deals that are scored by themselves."""

Counts = tuple[int, int, int, int]
"""How many honours North, East, South and dummy hold."""


class Line(NamedTuple):
    """Points of one player for one reason, above or below the line of the score sheet."""

    seat: Seat
    points: int
    below: bool
    reason: str
    deal: int = 0
    """The number of the deal in its rubber, from 1."""


@unchanging
@dataclass(frozen=True, slots=True)
class Laws:
    """The laws of a rubber; the fields are explained in `laws.toml`."""

    name: str
    note: str
    scheme: Scheme
    game: int
    overtricks_below: bool
    game_bonus: int
    rubber_bonus: int
    clear_rubber_bonus: int
    """The bonus for the rubber if nobody else has won a game."""
    trump_honours: Mapping[str, int]
    aces: Mapping[str, int]
    honours_in_tricks: bool
    title: str = ""
    """What people call them."""

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(1 << 16)
def deal_items(
    laws: Laws, contract: Contract, tricks: int, vulnerable: bool = False
) -> tuple[tuple[Line, ...], int]:
    """What the three players score for a contract, without honours and games, and how much below.

    Cached, like `honour_items`: valuing rubbers asks for the same contracts again and again.
    """
    items, declarer, scheme = [], contract.declarer, laws.scheme.at_risk(vulnerable)
    for reason, points in scheme.declarer_entries(contract, tricks):
        if reason not in _DEAL_BONUSES:
            over = reason is Reason.OVERTRICKS
            below = reason is Reason.CONTRACT or (over and laws.overtricks_below)
            text = str(contract.bid) if reason is Reason.CONTRACT else str(reason)
            items.append(Line(declarer, int(points), below, text))
    for reason, points in scheme.defender_entries(contract, tricks):
        for seat in (declarer.left, declarer.right):
            items.append(Line(seat, int(points), False, str(reason)))
    return tuple(items), sum(item.points for item in items if item.below)


@lru_cache(1 << 16)
def honour_items(laws: Laws, strain: Strain, declarer: Seat, counts: Counts) -> tuple[Line, ...]:
    """What the three players score for honours; declarer's count together with dummy's.

    Examples:
        >>> laws = find_laws("auction-rubber")
        >>> items = honour_items(laws, Strain.HEARTS, Seat.NORTH, (4, 0, 0, 1))
        >>> [(item.seat.letter, int(item.points), item.reason) for item in items]
        [('N', 72, 'honours 4+1')]
    """
    values, unit = laws.aces, 1
    if strain is not Strain.NOTRUMP:
        values = laws.trump_honours
        unit = int(laws.scheme.trick[strain]) if laws.honours_in_tricks else unit
    items = []
    for seat in Seat:
        hands = [counts[seat], counts[HIDDEN] if seat is declarer else 0]
        held = "+".join(str(count) for count in sorted(hands, reverse=True) if count)
        worth = values.get(held)
        if worth is None:
            worth = sum(values.get(str(count), 0) for count in hands)
        if worth:
            items.append(Line(seat, worth * unit, False, f"honours {held}"))
    return tuple(items)


@cache
def honour_cards(strain: Strain) -> tuple[Card, ...]:
    """The honours of a strain: ace to ten of trumps, or in notrump the four aces.

    Examples:
        >>> [card.name for card in honour_cards(Strain.SPADES)]
        ['SA', 'SK', 'SQ', 'SJ', 'ST']
    """
    if strain.trump is None:
        return tuple(Card.of(suit, Rank.ACE) for suit in Suit)
    return tuple(Card.of(strain.trump, rank) for rank in HONOUR_RANKS)


def all_laws() -> Mapping[str, Laws]:
    """The laws in the package, by name."""
    return _LAWS.known


def find_laws(given: Laws | str) -> Laws:
    """Laws, by name, from a file as `FILE` (its only ones) or `FILE:NAME`, or by their text."""
    return _LAWS.find(given)


def laws_text(laws: Laws) -> str:
    """The name of laws of the package, or the table of any others, as TOML on one line."""
    if laws == all_laws().get(laws.name):
        return laws.name
    bonus = {"bonus": laws.rubber_bonus, "no_other_game": laws.clear_rubber_bonus}
    honours = {"in_tricks": laws.honours_in_tricks, "trump": laws.trump_honours, "aces": laws.aces}
    table = {
        "title": laws.title or laws.name,
        "note": laws.note,
        "game": laws.game,
        "overtricks_below": laws.overtricks_below,
        "rubber": {"game": laws.game_bonus, **bonus},
        "scheme": scheme_table(laws.scheme),
        "honours": honours,
    }
    return toml_text({laws.name: table})[1:-1]


def recorded_laws(text: object) -> Laws:
    """The laws that `laws_text` wrote; never a file, since the text may come from outside."""
    return _LAWS.named(text) or known_laws(text)


def known_laws(name: object) -> Laws:
    """Laws of the package by name; never a file, since the name may come from outside."""
    if not isinstance(name, str) or name not in all_laws():
        raise NotFoundError(f"unknown laws {shown(name)}: expected {', '.join(all_laws())}")
    return all_laws()[name]


def loads_laws(text: str, source: str) -> dict[str, Laws]:
    """Read laws from the text of a TOML file; `source` names it in errors."""
    return _LAWS.loads(text, source)


def _laws(name: str, entry: Any, where: str) -> Laws:
    data = _LAWS.entries(entry, where, _KEYS)
    rubber = data.table("rubber", ("game", "bonus", "no_other_game"))
    honours = data.table("honours", ("in_tricks", "trump", "aces"))
    if "scheme" not in data.values:
        raise FormatError(f"{where}: scheme is missing")
    scheme = scheme_entries(data.values["scheme"], f"{where}, scheme")
    _check_whole(data.values | {"scheme": scheme}, where)
    game = int(data.number("game"))
    if not game:
        raise FormatError(f"{where}: game must be greater than 0")
    bonus = int(rubber.number("bonus"))
    return Laws(
        name=name,
        note=str(data.values.get("note", "")),
        scheme=read_scheme(name, scheme, f"{where}, scheme"),
        game=game,
        overtricks_below=data.choice("overtricks_below", (True, False)),
        game_bonus=int(rubber.number("game")),
        rubber_bonus=bonus,
        clear_rubber_bonus=int(rubber.number("no_other_game", bonus)),
        trump_honours=_holdings(honours.table("trump", _TRUMP_KEYS)),
        aces=_holdings(honours.table("aces", _ACE_KEYS)),
        honours_in_tricks=honours.choice("in_tricks", (True, False)),
        title=str(entry.get("title", name)),
    )


def _holdings(values: Entries) -> dict[str, int]:
    return {held: int(values.number(held)) for held in values.values}


def _check_whole(value: Any, where: str) -> None:
    """Refuse numbers that are not whole, wherever they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_whole(inner, f"{where}, {key}")
    elif isinstance(value, list):
        for inner in value:
            _check_whole(inner, where)
    elif isinstance(value, Fraction) and value.denominator != 1:
        raise FormatError(f"{where}: a rubber needs whole numbers, not {points_name(value)}")


_LAWS: Final = TomlValues("laws.toml", "laws", Laws, _laws)

WrittenLaws = Annotated[Laws, Text(find_laws, laws_text, Laws)]
"""Laws in a value that is stored: their JSON is their text."""
