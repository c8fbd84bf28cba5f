"""Boards from LIN files, as broadcasts of matches are kept: bid, played, and mostly claimed.

Boards that cannot teach anything are counted and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from tribridge.cards.cards import Card
from tribridge.cards.formats.sources import Fault
from tribridge.common.errors import NotFoundError, TribridgeError, quantity
from tribridge.game.record.pbn import tables_from
from tribridge.game.table import Table
from tribridge.game.tricks import chair_hands
from tribridge.networks.boards import Boards, load_boards

FEWEST: Final = 12
"""Cards that a board needs: with fewer it was cut off."""
Row = tuple[tuple[int, ...], tuple[int, ...], tuple[int, int, int]]
"""The hands in chair order, the cards, and level, strain and doubling."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The boards of some files, and how many were left out for what reason."""

    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    files: int = 0

    def boards(self) -> Boards:
        """The boards as arrays."""
        cards = np.full((len(self.rows), 52), -1, np.int8)
        for row, (_, played, _) in enumerate(self.rows):
            cards[row, : len(played)] = played
        return Boards(
            np.array([row[0] for row in self.rows], np.uint64).reshape(-1, 4),
            cards,
            np.array([row[2] for row in self.rows], np.int8).reshape(-1, 3),
        )

    def __str__(self) -> str:
        left_out = ", ".join(f"{count} {why}" for why, count in sorted(self.left_out.items()))
        read = f"{quantity(len(self.rows), 'board')} of {quantity(self.files, 'file')}"
        return f"{read}; left out: {left_out or 'none'}"


def read_boards(path: Path, say: Callable[[str], None] = print) -> Boards:
    """Boards of a file, or of a folder of LIN files, of which is said what was left out."""
    if not path.is_dir():
        return load_boards(path)
    reading = read_folder(path)
    say(str(reading))
    return reading.boards()


def read_folder(folder: Path) -> Reading:
    """The boards of all LIN files in a folder and the folders in it."""
    if not folder.is_dir():
        raise NotFoundError(f"{folder}: no such folder; expected one with LIN files")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".lin")
    if not files:
        raise NotFoundError(f"{folder}: there is no LIN file in this folder")
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    for path in files:
        seen: set[Row] = set()
        try:
            for item in tables_from(path):
                row = _row(item)
                if isinstance(row, str) or row in seen:
                    left_out[row if isinstance(row, str) else "doubled in a file"] += 1
                    continue
                seen.add(row)
                rows.append(row)
        except TribridgeError:
            left_out["file without a board"] += 1
    return Reading(rows, left_out, len(files))


def _row(item: Table | Fault) -> Row | str:
    """A board that was bid and played, or why it is left out."""
    if isinstance(item, Fault) or item.deal.is_ending:
        return "illegal"
    contract = item.contract
    if contract is None:
        return "passed out" if item.auction.over else "cut off"
    cards = tuple(card.index for card in item.history if isinstance(card, Card))
    if len(cards) < FEWEST:
        return "cut off"
    hands = tuple(map(int, chair_hands(item.deal, contract.declarer)))
    bid = contract.bid
    return hands, cards, (bid.level, bid.strain.index, contract.factor.bit_length() - 1)
