"""Four hands around a table, as text for a terminal and as HTML for a notebook.

Places go clockwise on the page: top, right, bottom, left. A place has a title, a hand (None if the
reader may not see it) and perhaps the card that lies before it on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Final

from tribridge.cards import FULL_DECK, SUITS, Card, Deck, Hand, rank_letters, suit_html

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


def html_diagram(places: Places, deck: Deck = FULL_DECK) -> str:
    """Draw four hands as an HTML table that needs no style sheet."""
    top, right, bottom, left = (_html(place, deck) for place in places)
    cards = [suit_html(p.card.suit, p.card.rank.letter) if p.card else "" for p in places]
    middle = _grid(("", cards[0], "", cards[3], "", cards[1], "", cards[2], ""), "padding:0 .3em")
    return _grid(("", top, "", left, middle, right, "", bottom, ""), "padding:.3em .8em")


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


def _html(place: Place, deck: Deck) -> str:
    lines = [f"<b>{escape(place.title)}</b>"]
    if place.hand is None:
        lines.append("not seen")
    else:
        for suit in reversed(SUITS[: deck.suits]):
            lines.append(suit_html(suit, rank_letters(place.hand.row(suit.index)) or "–"))
    return "<br>".join(lines)


def _grid(cells: Sequence[str], style: str) -> str:
    """Nine cells in three rows."""
    rows = (cells[at : at + 3] for at in range(0, 9, 3))
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{style};text-align:left;border:0">{cell}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return f'<table style="border:0;background:none">{body}</table>'
