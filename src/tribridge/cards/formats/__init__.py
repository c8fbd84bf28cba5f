"""Bridge file formats: deals from PBN and LIN files and from hand viewer links.

`boards_of` reads a deal in any of the forms in which a user may give it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tribridge.cards.deals import COMPASS, Deal, looks_like_deal
from tribridge.cards.formats import lin, pbn
from tribridge.common.errors import FormatError, TribridgeError
from tribridge.common.files import read_text


@dataclass(frozen=True, slots=True)
class Board:
    """A deal from a file: its name there, and the compass index of its declarer (or first hand)."""

    deal: Deal
    name: str = ""
    declarer: int = 0


def is_board_text(text: str, *, files: bool = True) -> bool:
    """Whether a text is a deal, a link or (if files may be read) a file, not a single hand."""
    return looks_like_deal(text) or _is_link(text) or (files and _is_file(text))


def boards_of(text: str) -> list[Board]:
    """The boards of a PBN deal string, a hand viewer link, or a PBN or LIN file."""
    if looks_like_deal(text):
        return [Board(Deal(text), "", COMPASS.index(text.lstrip()[0].upper()))]
    if _is_link(text):
        return [Board(lin.parse_link(text))]
    return load_boards(Path(text))


def load_boards(path: Path) -> list[Board]:
    """The boards of a PBN or LIN file; the format is recognised from the text."""
    text = read_text(path)
    try:
        boards = _lin_boards(text) if _looks_like_lin(text) else loads_pbn(text)
    except TribridgeError as error:
        raise type(error)(f"{path}: {error}") from None
    if not boards:
        raise FormatError(f"{path}: contains no deal")
    return boards


def loads_pbn(text: str) -> list[Board]:
    """The boards of a PBN text; games without a deal are skipped."""
    boards = []
    for game in pbn.loads(text):
        value = game.tags.get("Deal", "")
        if not value:
            continue
        name = game.tags.get("Board", "")
        try:
            deal = Deal(value)
        except TribridgeError as error:
            raise type(error)(f"board {name or '?'} (line {game.line}): {error}") from None
        who = game.tags.get("Declarer", "")[-1:].upper()
        first = (
            COMPASS.index(who)
            if who and who in COMPASS
            else COMPASS.index(value.strip()[0].upper())
        )
        boards.append(Board(deal, name, first))
    return boards


def dumps_pbn(boards: Sequence[Board]) -> str:
    """Write boards as PBN."""
    return pbn.dumps(
        pbn.Game(
            {"Board": board.name or str(at), "Deal": str(board.deal)}
            | ({"Declarer": COMPASS[board.declarer]} if board.declarer else {})
        )
        for at, board in enumerate(boards, 1)
    )


def _lin_boards(text: str) -> list[Board]:
    return [Board(deal, str(at)) for at, deal in enumerate(lin.loads(text), 1)]


def _looks_like_lin(text: str) -> bool:
    head = text.lstrip()[:4096]
    return "|" in head and not head.startswith(("[", "%", "{", ";"))


def _is_link(text: str) -> bool:
    return text.lstrip().lower().startswith(("http://", "https://"))


def _is_file(text: str) -> bool:
    return text.lower().endswith((".pbn", ".lin")) or ("\n" not in text and Path(text).is_file())
