"""Files of puzzles: read, hashed and checked, with the margins that every puzzle keeps."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tribridge.common import codec
from tribridge.common.errors import FormatError
from tribridge.common.files import unzipped
from tribridge.reviews.puzzles import Collection, Puzzle
from tribridge.reviews.themes import Theme

_ROUNDED: Final = 0.01
MARGIN: Final = 0.15
"""The least loss of a wrong card, as a share of the stake."""
CALL_MARGIN: Final = 0.25
"""The same of a call: further calls are not predicted."""
ERRORS: Final = 3.0
"""The least loss of a wrong answer in standard errors."""


def loads(data: bytes, name: str) -> Collection:
    """A collection from the bytes of its file; a damaged one is refused in one line."""
    try:
        raw = json.loads(unzipped(data))
    except (ValueError, RecursionError):
        raise FormatError(f"{name} is damaged or no file of puzzles") from None
    if not isinstance(raw, dict) or digest_of(raw.get("puzzles")) != raw.get("digest"):
        raise FormatError(f"{name} is damaged: its puzzles are not those it was made with")
    return codec.read(raw, Collection, name)


def digest_of(puzzles: Any) -> str:
    """A hash of puzzles as plain values."""
    return sha256(json.dumps(puzzles, sort_keys=True).encode()).hexdigest()[:16]


def load(path: Path) -> Collection:
    """Read the collection of a file."""
    return loads(path.read_bytes(), str(path))


def deal_of(puzzle: Puzzle) -> frozenset[int]:
    """The deal of a puzzle, whoever sat where."""
    return frozenset(hand.mask for hand in puzzle.deal.hands)


def check(collection: Collection) -> None:
    """Check every puzzle: its deal, its position, its answers and their margins, and its line."""
    names = [puzzle.id for puzzle in collection.puzzles]
    if len(set(names)) < len(names):
        raise FormatError("two puzzles have the same name")
    deals = Counter(map(deal_of, collection.puzzles))
    for puzzle in collection.puzzles:
        if deals[deal_of(puzzle)] > 1:
            raise FormatError(f"puzzle {puzzle.id}: another one has the same deal")
    for puzzle in collection.puzzles:
        puzzle.check()
        least = (MARGIN if puzzle.play or puzzle.view().contract else CALL_MARGIN) * puzzle.stake
        for answer in puzzle.answers:
            losses = (answer.loss, answer.error), (answer.network_loss, answer.network_error)
            unclear = any(loss < least - _ROUNDED or loss <= ERRORS * e for loss, e in losses)
            if unclear and not answer.right and puzzle.theme is not Theme.SIGNAL:
                raise FormatError(f"puzzle {puzzle.id}: {answer.action} is not clearly wrong")
