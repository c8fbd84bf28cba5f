"""Four hands around a table, as text.

Places go clockwise on the page: top, right, bottom, left. A place has a title, a hand (None if the
reader may not see it) and perhaps the card that lies before it on the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tribridge.cards import FULL_DECK, SUITS, Card, Deck, Hand, rank_letters

_COLUMN: Final = 16
_MIDDLE: Final = 4
"""Lines that the cards on the table need between the left and the right hand."""


@dataclass(frozen=True, slots=True)
class Place:
    """One hand of a diagram."""

    title: str
    hand: Hand | None
    card: Card | None = None


Places = tuple[Place, Place, Place, Place]
"""Top, right, bottom and left."""


def text_diagram(places: Places, deck: Deck = FULL_DECK) -> str:
    """Draw four hands as text.

    >>> hands = [Hand("A..."), Hand(".K.."), Hand("..Q."), None]
    >>> places = [Place(name, hand) for name, hand in zip("NESW", hands, strict=True)]
    >>> print(text_diagram((*places,), Deck(4, 3)))  # doctest: +ELLIPSIS
                    N
                    ♠A
    ...
    """
    top, right, bottom, left = (_lines(place, deck) for place in places)
    centre = _centre(places)
    rows = zip_longest(left, centre, right, fillvalue="")
    indent = " " * _COLUMN
    lines = [
        *(indent + line for line in top),
        *(f"{a:{_COLUMN}}{b:{_COLUMN}}{c}" for a, b, c in rows),
        *(indent + line for line in bottom),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _lines(place: Place, deck: Deck) -> list[str]:
    if place.hand is None:
        return [place.title, "(not seen)"]
    suits = reversed(SUITS[: deck.suits])
    return [
        place.title,
        *(suit.sign + (rank_letters(place.hand.row(suit.index)) or "-") for suit in suits),
    ]


def _centre(places: Places) -> list[str]:
    """The cards on the table, each on the side of its hand."""
    top, right, bottom, left = ("" if p.card is None else str(p.card) for p in places)
    middle = f"{left:>6}{'':4}{right}" if left or right else ""
    return ["", f"{top:>9}" if top else "", middle, f"{bottom:>9}" if bottom else ""][:_MIDDLE]
