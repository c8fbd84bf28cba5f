"""Records of other programs: games from PBN and LIN files and from hand viewer links.

`pbn` and `lin` read and write the formats, a game at a time; `sources` finds games in a file, a
folder, a text or a link; `auctions` knows what four players' calls end in. What a game means at a
table of three is said in `game.record.four_handed`.

`boards_of` reads a deal in any of the forms in which a user may give it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tribridge.cards.deals import COMPASS, Deal, looks_like_deal
from tribridge.cards.formats import lin
from tribridge.cards.formats.auctions import final_contract, section_calls
from tribridge.cards.formats.pbn import Game
from tribridge.cards.formats.sources import Fault, fault_of, games_from, sound
from tribridge.common.errors import FormatError, TribridgeError


@dataclass(frozen=True, slots=True)
class Board:
    """A deal from a file: its name there, and the compass index of its declarer (or first hand)."""

    deal: Deal
    name: str = ""
    declarer: int = 0


def is_board_text(text: str, *, files: bool = True) -> bool:
    """Whether a text is a deal, a link or (if files may be read) a file, not a single hand."""
    return looks_like_deal(text) or lin.is_link(text) or (files and _is_file(text))


def boards_of(text: str, *, strict: bool = False) -> list[Board]:
    """The boards of a PBN deal string, a hand viewer link, or a PBN or LIN file.

    A board of a file that is not sound is left out with a warning; with `strict` it is an error.
    """
    if looks_like_deal(text):
        return [Board(Deal(text), "", COMPASS.index(text.lstrip()[0].upper()))]
    if lin.is_link(text):
        return [_board(lin.parse_link(text))]
    return list(sound(_boards(Path(text)), text, strict=strict))


def _boards(path: Path) -> Iterator[Board | Fault]:
    for file, game in games_from(path):
        try:
            yield _board(game)
        except TribridgeError as error:
            yield fault_of(file, game, error)


def _board(game: Game) -> Board:
    if game.fault:
        raise FormatError(game.fault)
    text = game.tags.get("Deal", "").strip()
    if not text:
        raise FormatError("no deal")
    deal = Deal(text)
    who = game.tags.get("Declarer", "")[-1:].upper()
    if who and who in COMPASS:
        return Board(deal, game.tags.get("Board", ""), COMPASS.index(who))
    return Board(deal, game.tags.get("Board", ""), _caller(game, COMPASS.index(text[0].upper())))


def _caller(game: Game, first: int) -> int:
    """The declarer by the auction, if it has one; otherwise the first hand."""
    dealer = game.tags.get("Dealer", "")
    if len(dealer) != 1 or dealer not in COMPASS or not game.sections.get("Auction"):
        return first
    calls, regular = section_calls(game.sections["Auction"])
    contract = final_contract(COMPASS.index(dealer), calls) if regular else None
    return first if contract is None or contract.declarer is None else contract.declarer


def _is_file(text: str) -> bool:
    return text.lower().endswith((".pbn", ".lin")) or ("\n" not in text and Path(text).is_file())
