"""The matrix of a capture result as an SVG figure.

One cell per card: filled when captured, with its number in the order of capture; outlined when held
and not captured; struck through when removed. Blue is the hand, orange the dummy (two colours that
colour-blind readers can tell apart), and every cell shows the holder's number as well.
"""

from __future__ import annotations

from html import escape
from textwrap import wrap

from tribridge.capture import Result, Row
from tribridge.capture.wording import headline
from tribridge.cards.cards import RANKS, Suit, card_at

_CELL = 44
_LEFT, _TOP = 56, 92
_COLOUR = ("#bbbbbb", "#0072b2", "#d55e00")
_INK, _FAINT = "#1a1a1a", "#6b6b6b"
_SUIT_INK = {Suit.CLUBS: _INK, Suit.DIAMONDS: "#b3261e", Suit.HEARTS: "#b3261e", Suit.SPADES: _INK}


def svg(result: Result) -> str:
    """The picture of a result."""
    ranks, suits = len(result.initial.rows[0]), len(result.rows)
    width = max(_LEFT + ranks * _CELL + 165, 560)
    title = headline(result)
    name, _, verdict = title.partition(": ")
    words = wrap(verdict[:1].upper() + verdict[1:], int((width - 32) / 8.7))
    down = 18 * (len(words) - 1)
    height = _TOP + down + suits * _CELL + 72
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="system-ui, \'DejaVu Sans\', sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(16, 30, name, 18, _INK, weight="bold"),
        *(_text(16, 54 + 18 * at, line, 14, _FAINT) for at, line in enumerate(words)),
        f'<g transform="translate(0 {down})">',
    ]
    captured = {card: number for number, card in enumerate(result.order, 1)}
    for rank in range(ranks):
        parts.append(_text(_centre(rank), _TOP - 8, RANKS[rank].letter, 14, _FAINT, "middle"))
    columns = ["c1", *(["c2"] if result.dummy else []), "gap", "limit"]
    edge = _LEFT + ranks * _CELL + 24
    for at, word in enumerate(columns):
        parts.append(_text(edge + 34 * at, _TOP - 8, word, 12, _FAINT, "middle"))
    for row, cells in zip(result.rows, result.initial.rows, strict=True):
        y = _TOP + row.suit.index * _CELL
        sign = _text(30, y + 30, row.suit.sign, 24, _SUIT_INK[row.suit], "middle")
        parts.append(sign)
        for rank, holder in enumerate(cells):
            card = card_at(row.suit.index, rank)
            gone = card in result.removed
            parts.append(_cell(rank, y, holder, captured.get(card), gone))
        for at, value in enumerate(_numbers(row, result.dummy)):
            parts.append(_text(edge + 34 * at, y + 28, str(value), 14, _INK, "middle"))
    parts += _legend(result, _TOP + suits * _CELL + 28)
    return "\n".join([*parts, "</g>", "</svg>\n"])


def _numbers(row: Row, dummy: bool) -> list[int]:
    return [row.c1, *([row.c2] if dummy else []), row.leading_gap, row.limit]


def _centre(rank: int) -> float:
    return _LEFT + rank * _CELL + _CELL / 2 - 2


def _cell(rank: int, y: float, holder: int, number: int | None, removed: bool) -> str:
    x, size = _LEFT + rank * _CELL, _CELL - 4
    if not holder:
        return (
            f'<rect x="{x}" y="{y}" width="{size}" height="{size}" rx="6" fill="#f4f4f4"/>'
            f'<circle cx="{_centre(rank)}" cy="{y + size / 2}" r="2" fill="#c9c9c9"/>'
        )
    colour = _COLOUR[holder]
    filled = number is not None
    parts = [
        f'<rect x="{x + 1}" y="{y + 1}" width="{size - 2}" height="{size - 2}" rx="6" '
        f'fill="{colour if filled else "#ffffff"}" stroke="{colour}" stroke-width="2"/>',
        _text(x + size / 2, y + 27, str(holder), 17, "#ffffff" if filled else colour, "middle"),
    ]
    if number is not None:
        parts.append(_text(x + size - 6, y + 13, str(number), 10, "#ffffff", "end", "bold"))
    if removed:
        line = f'x1="{x + 5}" y1="{y + size - 5}" x2="{x + size - 5}" y2="{y + 5}"'
        halo = f'<line {line} stroke="#ffffff" stroke-width="5" stroke-linecap="round"/>'
        parts.append(halo + f'<line {line} stroke="{_INK}" stroke-width="2"/>')
    return "".join(parts)


def _legend(result: Result, y: float) -> list[str]:
    entries: list[tuple[int, int | None, bool, str]] = [(1, None, False, "hand")]
    if result.dummy:
        entries.append((2, None, False, "dummy"))
    if result.trace:
        entries.append((1, 5, False, "captured fifth"))
        if result.dummy:
            entries.append((2, None, True, "removed by a capture"))
    parts, x = [], 16.0
    for holder, number, removed, label in entries:
        cell = _cell(0, 0, holder, number, removed)
        parts.append(f'<g transform="translate({x - _LEFT * 0.6:.1f} {y}) scale(0.6)">{cell}</g>')
        parts.append(_text(x + 32, y + 17, label, 13, _FAINT))
        x += 32 + 7.6 * len(label) + 26
    return parts


def _text(
    x: float, y: float, text: str, size: int, fill: str, anchor: str = "start", weight: str = ""
) -> str:
    extra = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{extra}>'
        f"{escape(text)}</text>"
    )
