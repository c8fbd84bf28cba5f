"""Boards from LIN files, as broadcasts of matches are kept: bid, played, and mostly claimed.

A file is a row of `key|value|` pairs; a board begins with `qx` or with its deal `md`, followed by
the calls `mb` and the cards `pc`. Boards that cannot teach anything are counted and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from tribridge.cards.cards import Card
from tribridge.cards.deals import COMPASS
from tribridge.cards.formats import lin
from tribridge.common.errors import NotFoundError, TribridgeError, quantity
from tribridge.game.auction import Bid, Mark, parse_call
from tribridge.game.tricks import Chair, winner
from tribridge.networks.boards import Boards

FEWEST: Final = 12
"""Cards that a board needs: with fewer it was cut off."""
_DEALERS: Final = "SWNE"
"""By the digit before a deal, from 1."""
Row = tuple[tuple[int, ...], tuple[int, ...], tuple[int, int, int]]
"""The hands in chair order, the cards, and level, strain and doubling."""


class _LeftOutError(Exception):
    """Why a board is left out."""


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
        for fields in _boards(path.read_text("utf-8", errors="replace")):
            try:
                row = _row(fields)
                if row in seen:
                    raise _LeftOutError("doubled in a file")
            except _LeftOutError as error:
                left_out[str(error)] += 1
                continue
            seen.add(row)
            rows.append(row)
    return Reading(rows, left_out, len(files))


def _boards(text: str) -> Iterator[list[tuple[str, str]]]:
    """The pairs of one board after the other."""
    parts = text.replace("\r", "").replace("\n", "").split("|")
    board: list[tuple[str, str]] = []
    for key, value in zip(parts[::2], parts[1::2], strict=False):
        key, value = key.strip().lower(), value.strip()
        if key == "qx" or (key == "md" and any(name == "md" for name, _ in board)):
            if any(name == "md" for name, _ in board):
                yield board
            board = []
        board.append((key, value))
    if any(name == "md" for name, _ in board):
        yield board


def _row(fields: Sequence[tuple[str, str]]) -> Row:
    """A board that was bid and played, or why it is left out."""
    deals = [value for key, value in fields if key == "md"]
    calls = [value for key, value in fields if key == "mb"]
    played = [value for key, value in fields if key == "pc"]
    dealer = deals[0][:1]
    if dealer not in ("1", "2", "3", "4"):
        raise _LeftOutError("without a deal")
    try:
        deal = lin.loads(f"md|{deals[0]}|")[0]
        masks = dict(zip(COMPASS, (hand.mask for hand in deal.hands), strict=True))
    except TribridgeError:
        raise _LeftOutError("with an illegal deal") from None
    if any(mask.bit_count() != 13 for mask in masks.values()):
        raise _LeftOutError("with an illegal deal")
    declarer, bid, doubled = _contract(calls, _DEALERS[int(dealer) - 1])
    at = COMPASS.index(declarer)
    hands = tuple(masks[COMPASS[(at + chair) % 4]] for chair in range(4))
    cards = _cards(hands, played, bid)
    return hands, cards, (bid.level, bid.strain.index, doubled)


def _contract(calls: Sequence[str], dealer: str) -> tuple[str, Bid, int]:
    """Declarer, the last bid, and how often it was doubled, of a finished auction."""
    made: list[tuple[int, Bid]] = []
    doubled = passes = 0
    for number, text in enumerate(calls):
        try:
            call = parse_call({"D": "X", "R": "XX"}.get(text.strip("!*").upper(), text.strip("!*")))
        except TribridgeError:
            raise _LeftOutError("with an illegal auction") from None
        if call is Mark.PASS:
            passes += 1
            continue
        passes = 0
        if isinstance(call, Bid):
            if made and call <= made[-1][1]:
                raise _LeftOutError("with an illegal auction")
            made.append((number, call))
            doubled = 0
        else:
            if not made or doubled != (0 if call is Mark.DOUBLE else 1):
                raise _LeftOutError("with an illegal auction")
            doubled += 1
    if not made:
        raise _LeftOutError("passed out" if passes == 4 else "cut off")
    if passes != 3:
        raise _LeftOutError("cut off")
    last, bid = made[-1]
    first = next(n for n, one in made if one.strain is bid.strain and (n - last) % 2 == 0)
    return COMPASS[(COMPASS.index(dealer) + first) % 4], bid, doubled


def _cards(hands: Sequence[int], played: Sequence[str], bid: Bid) -> tuple[int, ...]:
    """The cards played, checked against the rules."""
    if len(played) < FEWEST:
        raise _LeftOutError("cut off")
    left, leader, trick, cards = list(hands), Chair.LEFT, list[Card](), list[int]()
    for text in played:
        try:
            card = Card(text.upper())
        except TribridgeError:
            raise _LeftOutError("with an illegal play") from None
        chair = (leader + len(trick)) % 4
        suit = 0b1_1111_1111_1111 << 13 * (trick[0] if trick else card).row
        if not left[chair] & card.bit or (not suit & card.bit and left[chair] & suit):
            raise _LeftOutError("with an illegal play")
        left[chair] -= card.bit
        cards.append(card.index)
        trick.append(card)
        if len(trick) == 4:
            leader, trick = winner(leader, trick, bid.strain.trump), []
    return tuple(cards)
