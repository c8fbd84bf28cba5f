"""The board of a table as HTML: whole, or the parts of it that have changed."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from tribridge.club.language import gettext
from tribridge.club.pages.templates import drawn, macro, render
from tribridge.club.view.board import ALTERNATING, HandOrder, prompt_of
from tribridge.club.view.parts import Part, parts_of
from tribridge.club.view.remarks import remark
from tribridge.club.view.table import SeatView


class Follower:
    """What one viewer has been shown of a table: only what has changed is drawn again."""

    def __init__(self, order: HandOrder = ALTERNATING) -> None:
        self._order, self._number = order, 0
        self._shown: dict[str, Part] = {}

    def draw(self, seen: SeatView) -> Markup:
        """The board, or its parts that have changed since it was last drawn."""
        parts, before = parts_of(seen, self._order), self._shown
        since, self._shown, self._number = self._number, parts, seen.number
        if parts.keys() != before.keys():
            return render("board.html", **_board(seen, parts))
        changed = [drawn(*part) for at, part in parts.items() if part != before[at]]
        return Markup("".join((_opening(seen, since), *changed, "</div>")))


def tab_title(seen: SeatView) -> str:
    """The title of a table's page: it says when it is the viewer's turn."""
    turn = f"▶ {prompt_of(seen)}" if seen.your_turn else gettext("Table")
    return f"{seen.title or turn} · Tribridge"


def _opening(seen: SeatView, since: int = 0) -> Markup:
    """The beginning of the element that holds a board."""
    return macro("felt.opened")(seen, since, tab_title(seen), remark(seen))


def board_context(seen: SeatView, order: HandOrder = ALTERNATING) -> dict[str, Any]:
    """What a page with a whole board is drawn from."""
    return _board(seen, parts_of(seen, order))


def _board(seen: SeatView, parts: dict[str, Part]) -> dict[str, Any]:
    html = {at: drawn(*part) for at, part in parts.items()}
    return {"s": seen, "parts": html, "opening": _opening(seen), "title": tab_title(seen)}


def board_html(seen: SeatView, order: HandOrder = ALTERNATING) -> Markup:
    """The part of a table's page that changes."""
    return Follower(order).draw(seen)
