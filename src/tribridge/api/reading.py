"""Parsing what people type: hands, deals, decks and whole numbers."""

from __future__ import annotations

from tribridge.cards import FULL_DECK, Deck, Hand, parse_deck, parse_hand
from tribridge.deals import Deal, parse_deal
from tribridge.errors import FormatError, SettingError, shown


def as_deck(given: Deck | str, kind: type[Deck] = Deck) -> Deck:
    """A deck, or text such as `4x13`."""
    if isinstance(given, Deck):
        return given
    if isinstance(given, str):
        return parse_deck(given, kind)
    raise FormatError(f"{shown(given)} is not a deck: expected suits x ranks, as in '4x13'")


def as_hand(given: Hand | str, deck: Deck = FULL_DECK, name: str = "the hand") -> Hand:
    """A hand, or text such as `AKQ2.K93.A92.KQ5`."""
    if isinstance(given, Hand):
        return given
    if isinstance(given, str):
        return parse_hand(given, deck, name)
    raise FormatError(f"{name} is {shown(given)}: expected cards as in 'AKQ2.K93.A92.KQ5'")


def as_deal(given: Deal | str, deck: Deck = FULL_DECK) -> Deal:
    """A deal, or text such as `N:J63.43.QT3.AQJT2 ... ... ...`."""
    if isinstance(given, Deal):
        return given
    if isinstance(given, str):
        return parse_deal(given, deck)
    raise FormatError(f"{shown(given)} is not a deal: expected four hands, as in 'N:J63...'")


def as_whole(given: float, name: str) -> int:
    """A whole number; a float such as `1e6` is accepted."""
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    raise SettingError(f"{name} must be a whole number, not {shown(given)}")
