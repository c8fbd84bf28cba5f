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

Row = tuple[str, ...]


def text_sheet(rubber: Rubber) -> str:
    """The sheet for a terminal, at most 80 characters wide."""
    rows = [_rule("-"), _text_row(str(seat) for seat in Seat), _rule("-")]
    rows += [_text_row(row) for row in _above(rubber)]
    rows.append(_rule("="))
    for game in _below(rubber):
        rows += [_text_row(row) for row in game]
        rows.append(_rule("-"))
    for name, points in _sums(rubber):
        rows.append(_text_row(f"{value:>{_POINTS}} {name}" for value in points))
    return "\n".join([*rows, _rule("-"), status(rubber)])


def html_sheet(rubber: Rubber) -> str:
    """The sheet for a notebook."""
    line = ' style="border-top: 2px solid"'
    rows = [_html_row([str(seat) for seat in Seat], cell="th")]
    rows += [_html_row(row) for row in _above(rubber)]
    for game in _below(rubber):
        rows += [_html_row(row, "" if at else line) for at, row in enumerate(game)]
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


def _above(rubber: Rubber) -> list[Row]:
    """Rows above the line, the first entries at the bottom."""
    columns = [_cells(line for line in _of(rubber, seat) if not line.below) for seat in Seat]
    return _rows(columns)[::-1] or [("",) * 3]


def _below(rubber: Rubber) -> list[list[Row]]:
    """Rows below the line for each game, the one that goes on last."""
    games: list[list[list[str]]] = [[[], [], []]]
    start = rubber.start
    for seat in Seat:
        if start.below[seat]:
            games[0][seat].append(_cell(start.below[seat], "at the start"))
    below = list(start.below)
    scored = (line for line in rubber.lines if line.below)
    for (_, seat), deal in groupby(scored, key=lambda line: (line.deal, line.seat)):
        lines = list(deal)
        games[-1][seat] += _cells(lines)
        below[seat] += sum(line.points for line in lines)
        if below[seat] >= rubber.laws.game:
            games.append([[], [], []])
            below = [0] * 3
    if not any(games[-1]) and len(games) > 1:
        games.pop()
    return [_rows(game) or [("",) * 3] for game in games]


def _sums(rubber: Rubber) -> Iterable[tuple[str, list[str]]]:
    yield "total", [str(points) for points in rubber.totals().values()]
    yield "settlement", [_signed(points) for points in rubber.settlement().values()]


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def _of(rubber: Rubber, seat: Seat) -> Iterable[Line]:
    return (line for line in rubber.lines if line.seat is seat)


def _cells(lines: Iterable[Line]) -> list[str]:
    return [_cell(line.points, f"{line.reason} ({line.deal})") for line in lines]


def _cell(points: int, text: str) -> str:
    return f"{points:>{_POINTS}} {text}"


def _rows(columns: Sequence[Sequence[str]]) -> list[Row]:
    return list(zip_longest(*columns, fillvalue=""))


def _rule(sign: str) -> str:
    return "+" + "+".join([sign * _WIDTH] * 3) + "+"


def _text_row(cells: Iterable[str]) -> str:
    return "|" + "|".join(f"{cell[:_WIDTH]:{_WIDTH}}" for cell in cells) + "|"


def _html_row(cells: Iterable[str], style: str = "", cell: str = "td") -> str:
    inner = "".join(f"<{cell}>{escape(text.strip())}</{cell}>" for text in cells)
    return f"<tr{style}>{inner}</tr>"
