"""The score sheet of a rubber, drawn as text and as HTML: three columns, above and below the line.

Above the line entries are stacked upwards, so that the latest stands on top; below it they go
downwards, and a line is drawn under each game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final

from tribridge.deals import Seat

if TYPE_CHECKING:
    from tribridge.game.rubber import Line, Rubber

_WIDTH: Final = 25
"""Characters of a column; three with their borders fit into 80."""
_POINTS: Final = 6
_EMPTY: Final = (None, None, None)

Row = tuple["Line | None", ...]
"""A line of the sheet for each player, or None where a cell is empty."""


def text_sheet(rubber: Rubber) -> str:
    """The sheet for a terminal, at most 80 characters wide."""
    rows = [_rule("-"), _text_row(str(seat) for seat in Seat), _rule("-")]
    rows += [_text_row(_cells(row)) for row in above(rubber) or [_EMPTY]]
    rows.append(_rule("="))
    for game in below(rubber):
        rows += [_text_row(_cells(row)) for row in game or [_EMPTY]]
        rows.append(_rule("-"))
    for name, points in _sums(rubber):
        rows.append(_text_row(f"{value:>{_POINTS}} {name}" for value in points))
    return "\n".join([*rows, _rule("-"), status(rubber)])


def html_sheet(rubber: Rubber) -> str:
    """The sheet for a notebook."""
    line = ' style="border-top: 2px solid"'
    rows = [_html_row([str(seat) for seat in Seat], cell="th")]
    rows += [_html_row(_cells(row)) for row in above(rubber) or [_EMPTY]]
    for game in below(rubber):
        rows += [
            _html_row(_cells(row), "" if at else line) for at, row in enumerate(game or [_EMPTY])
        ]
    for at, (name, points) in enumerate(_sums(rubber)):
        rows.append(_html_row([f"{value} {name}" for value in points], "" if at else line))
    table = f'<table style="border-collapse: collapse">{"".join(rows)}</table>'
    return f"{table}<p>{escape(status(rubber))}</p>"


def status(rubber: Rubber) -> str:
    """One sentence on where the rubber stands."""
    games = ", ".join(
        f"{seat} {won}" for seat, won in zip(Seat, rubber.standing.games, strict=True)
    )
    if rubber.winner is not None:
        return f"{rubber.winner} has won the rubber. Games: {games}."
    return f"{rubber.dealer} deals next. Games: {games}."


def above(rubber: Rubber) -> list[Row]:
    """Rows above the line, the first entries at the bottom."""
    columns = [[line for line in rubber.lines if line.seat is seat and not line.below]
               for seat in Seat]  # fmt: skip
    return _rows(columns)[::-1]


def below(rubber: Rubber) -> list[list[Row]]:
    """Rows below the line for each game, the one that goes on last.

    Part scores from the start of the rubber are lines of deal 0.
    """
    from tribridge.game.rubber import Line

    games: list[list[list[Line]]] = [[[], [], []]]
    points = list(rubber.start.below)
    for seat in Seat:
        if points[seat]:
            games[0][seat].append(Line(0, seat, points[seat], True, "at the start"))
    scored = (line for line in rubber.lines if line.below)
    for (_, seat), deal in groupby(scored, key=lambda line: (line.deal, line.seat)):
        lines = list(deal)
        games[-1][seat] += lines
        points[seat] += sum(line.points for line in lines)
        if points[seat] >= rubber.laws.game:
            games.append([[], [], []])
            points = [0] * 3
    if not any(games[-1]) and len(games) > 1:
        games.pop()
    return [_rows(game) for game in games]


def _sums(rubber: Rubber) -> Iterable[tuple[str, list[str]]]:
    yield "total", [str(points) for points in rubber.totals().values()]
    yield "settlement", [_signed(points) for points in rubber.settlement().values()]


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def _cells(row: Row) -> list[str]:
    return ["" if line is None else _cell(line) for line in row]


def _cell(line: Line) -> str:
    deal = f" ({line.deal})" if line.deal else ""
    return f"{line.points:>{_POINTS}} {line.reason}{deal}"


def _rows(columns: Sequence[Sequence[Line]]) -> list[Row]:
    return list(zip_longest(*columns))


def _rule(sign: str) -> str:
    return "+" + "+".join([sign * _WIDTH] * 3) + "+"


def _text_row(cells: Iterable[str]) -> str:
    return "|" + "|".join(f"{cell[:_WIDTH]:{_WIDTH}}" for cell in cells) + "|"


def _html_row(cells: Iterable[str], style: str = "", cell: str = "td") -> str:
    inner = "".join(f"<{cell}>{escape(text.strip())}</{cell}>" for text in cells)
    return f"<tr{style}>{inner}</tr>"
