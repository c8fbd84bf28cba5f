"""Small charts and tables in HTML, as a notebook shows a value: one line of SVG, no script.

Colours work on light and dark pages: ink is the page's own (`currentColor`), and fills are
mid-tones. Numbers are given; nothing is computed here. Text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

BLUE: Final = "#3987d6"
GREY: Final = "#9aa0a6"
ORANGE: Final = "#d9822b"
_RED: Final = r'<span style="color: #e0404f">\g<0></span>'
_CELL: Final = (
    "padding: 1px 10px 1px 0; border: none; background: none; vertical-align: top; min-width: 1em"
)
_FONT: Final = "font-family: system-ui, sans-serif; font-size: 13px"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def html(given: object) -> Html:
    """A value as HTML: its own if it has one, else its text, with red suits in red."""
    if isinstance(given, Html):
        return given
    own = getattr(given, "_repr_html_", None)
    return Html(own()) if own is not None else Html(re.sub("[♦♥]", _RED, escape(str(given))))


def block(*parts: object) -> Html:
    """Parts one below the other."""
    each = "".join(f'<div style="margin: 2px 0">{html(part)}</div>' for part in parts)
    return Html(f'<div style="{_FONT}; line-height: 1.45">{each}</div>')


def table(
    names: Sequence[str], rows: Iterable[Sequence[object]], strong: int = -1, left: int = 1
) -> Html:
    """A table; the first `left` columns and the last are on the left, one row may be strong."""
    last = len(names) - 1

    def cells(kind: str, row: Sequence[object], weight: str) -> str:
        return "".join(
            f'<{kind} style="{_CELL}; font-weight: {weight}; '
            f"text-align: {'left' if at < left or at == last else 'right'}; "
            f'white-space: {"normal" if at == last else "nowrap"}">{html(cell)}</{kind}>'
            for at, cell in enumerate(row)
        )

    head = f'<tr style="opacity: .65; background: none">{cells("th", names, "normal")}</tr>'
    body = "".join(
        f'<tr style="background: none">{cells("td", row, weight)}</tr>'
        for at, row in enumerate(rows)
        for weight in ("bold" if at == strong else "normal",)
    )
    return Html(
        f'<table style="border-collapse: collapse; border: none; {_FONT}; margin: 4px 0">'
        f"{head}{body}</table>"
    )


def bars(chances: Sequence[float], strong: int = 0, title: str = "") -> Html:
    """Bars for the chances of 0, 1, 2 and so on, those from `strong` on in blue."""
    step, height, top = 22, 46, 14
    highest = max(*chances, 0.05)
    parts = []
    for at, chance in enumerate(chances):
        tall = height * chance / highest
        colour = BLUE if at >= strong else GREY
        x, y = at * step, top + height - tall
        parts.append(_rect(x + 3, y, step - 6, tall, colour))
        parts.append(_text(x + step / 2, top + height + 12, str(at), 9))
        if chance >= 0.05:
            parts.append(_text(x + step / 2, y - 3, f"{100 * chance:.0f}", 9))
    return _svg(step * len(chances), top + height + 16, parts, title)


def interval(low: float, estimate: float, high: float, unit: str, title: str = "") -> Html:
    """An estimate with its interval on a line, and zero."""
    width, margin = 320, 34
    ends = min(low, 0.0, estimate), max(high, 0.0, estimate)
    room = (ends[1] - ends[0]) or 1.0

    def at(value: float) -> float:
        return margin + (width - 2 * margin) * (value - ends[0]) / room

    parts = [
        _line(at(ends[0]) - 8, 24, at(ends[1]) + 8, 24, "currentColor", 0.3),
        _line(at(0), 10, at(0), 38, "currentColor", 0.6),
        _line(at(low), 24, at(high), 24, BLUE, 1, 4),
        f'<circle cx="{at(estimate):.1f}" cy="24" r="5" fill="{BLUE}"/>',
        _text(at(0), 50, "0", 10),
    ]
    far = 0.06 * room  # labels that would lie on that of zero are left out
    parts += [
        _text(at(value), 50, f"{value:+.1f}", 10) for value in (low, high) if abs(value) > far
    ]
    parts.append(_text(at(estimate), 9, f"{estimate:+.1f} {unit}", 11))
    return _svg(width, 54, parts, title)


def curve(
    lines: Sequence[tuple[str, Sequence[float | None], str]], top: int, marks: Sequence[int] = ()
) -> Html:
    """Lines over the same steps, on a scale from 0 to `top`; some steps are marked below."""
    steps = max(len(values) for _, values, _ in lines)
    width, height, left = 420, 96, 22

    def place(at: int, value: float) -> tuple[float, float]:
        return left + (width - left - 8) * at / max(steps - 1, 1), 8 + height * (1 - value / top)

    parts = []
    for value in range(0, top + 1, max(1, round(top / 4))):
        _, y = place(0, value)
        parts += [
            _line(left, y, width - 8, y, "currentColor", 0.15),
            _text(10, y + 3, str(value), 9),
        ]
    for at in marks:
        x, _ = place(at, 0)
        parts.append(f'<path d="M{x:.1f} {height + 9} l4 7 h-8 z" fill="{ORANGE}"/>')
    for _, values, colour in lines:
        points = [place(at, value) for at, value in enumerate(values) if value is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for at, (name, _, colour) in enumerate(lines):
        x = left + 150 * at
        parts.append(_line(x, height + 26, x + 16, height + 26, colour, 1, 3))
        parts.append(_text(x + 20, height + 29, name, 10, "start"))
    return _svg(width, height + 34, parts, "; ".join(name for name, _, _ in lines))


def _svg(width: float, height: float, parts: Iterable[str], title: str) -> Html:
    name = f"<title>{escape(title)}</title>" if title else ""
    return Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" style="{_FONT}; max-width: 100%">'
        f"{name}{''.join(parts)}</svg>"
    )


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, opacity: float, wide: float = 1
) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-opacity="{opacity:g}" stroke-width="{wide:g}"/>'
    )


def _text(x: float, y: float, text: str, size: int, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(text)}</text>'
    )
