"""Four hands around a table, as text for a terminal and as SVG for a notebook.

Places go clockwise on the page: top, right, bottom, left. A place has a title, a hand (None if the
reader may not see it) and perhaps the card that lies before it on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Final

from tribridge.cards.cards import FULL_DECK, SUITS, Card, Deck, Hand, rank_letters

_COLUMN: Final = 16
_SIDE, _WIDTH, _HEIGHT = 520, 168, 118
_HANDS: Final = ((176, 8), (344, 200), (176, 394), (8, 200))
"""Where the hands lie in the SVG: top, right, bottom, left."""
_CARDS: Final = ((240, 150), (292, 245), (240, 340), (188, 245))
_FELT, _RED, _INK = "#2e6b4f", "#c8102e", "#222"
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


def svg_diagram(
    places: Places,
    calls: Sequence[Sequence[str]] = (),
    status: str = "",
    deck: Deck = FULL_DECK,
) -> str:
    """Draw four hands on a table as SVG, with the rows of an auction and a sentence beside it.

    >>> places = [Place(name, Hand("A...")) for name in "NESW"]
    >>> svg_diagram((*places,)).count("</tspan>A</text>")
    4
    """
    parts = [_box(0, 0, _SIDE, _SIDE, 14, _FELT)]
    for (x, y), (card_x, card_y), place in zip(_HANDS, _CARDS, places, strict=True):
        parts += [
            _box(x, y, _WIDTH, _HEIGHT, 8, "#fff"),
            _text(x + 10, y + 19, place.title, "bold"),
        ]
        lines = ["not seen"] if place.hand is None else _lines(place, deck)[1:]
        parts += [_text(x + 10, y + 39 + 19 * at, line) for at, line in enumerate(lines)]
        if place.card is not None:
            parts += [
                _box(card_x, card_y, 40, 28, 5, "#fff"),
                _text(card_x + 7, card_y + 20, str(place.card)),
            ]
    for at, row in enumerate(calls):
        weight = "bold" if at == 0 else "normal"
        parts += [
            _text(_SIDE + 16 + 74 * column, 24 + 21 * at, word, weight)
            for column, word in enumerate(row)
        ]
    parts.append(_text(4, _SIDE + 22, status))
    width = _SIDE + (240 if calls else 0)
    height = max(_SIDE + (32 if status else 0), 21 * len(calls) + 24)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="15" style="background:#fff">'
        f"{''.join(parts)}</svg>"
    )


def _box(x: int, y: int, width: int, height: int, corner: int, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{corner}" fill="{fill}"/>'


def _text(x: int, y: int, text: str, weight: str = "normal") -> str:
    """A line of text with its suit symbols in their colours."""
    shown = escape(text)
    for suit in SUITS:
        fill = _RED if suit.sign in "♦♥" else "#111"
        shown = shown.replace(suit.sign, f'<tspan fill="{fill}">{suit.sign}</tspan>')
    return f'<text x="{x}" y="{y}" font-weight="{weight}" fill="{_INK}">{shown}</text>'


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
