"""The puzzles of the package, in one file, found by name and theme."""

from __future__ import annotations

import gzip
import json
import zlib
from datetime import date
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Final

from tribridge.common import codec
from tribridge.common.errors import FormatError, NotFoundError, shown
from tribridge.reviews.puzzle_wording import Theme
from tribridge.reviews.puzzles import Collection, Puzzle

_FILE: Final = "data/puzzles.json.gz"
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
        raw = json.loads(gzip.decompress(data))
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError):
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


@cache
def shipped() -> Collection:
    """The collection of the package."""
    file = resources.files("tribridge.club.puzzles").joinpath(_FILE)
    return loads(file.read_bytes(), "the package's file of puzzles")


def check(collection: Collection) -> None:
    """Check every puzzle: its position, its answers and their margins."""
    names = [puzzle.id for puzzle in collection.puzzles]
    if len(set(names)) < len(names):
        raise FormatError("two puzzles have the same name")
    for puzzle in collection.puzzles:
        puzzle.check()
        least = (MARGIN if puzzle.play or puzzle.view().contract else CALL_MARGIN) * puzzle.stake
        for answer in puzzle.answers:
            losses = (answer.loss, answer.error), (answer.network_loss, answer.network_error)
            unclear = any(loss < least - _ROUNDED or loss <= ERRORS * e for loss, e in losses)
            if unclear and not answer.right and puzzle.theme is not Theme.SIGNAL:
                raise FormatError(f"puzzle {puzzle.id}: {answer.action} is not clearly wrong")


def find(name: str, collection: Collection | None = None) -> Puzzle:
    """A puzzle by its name."""
    for puzzle in (collection or shipped()).puzzles:
        if puzzle.id == name:
            return puzzle
    raise NotFoundError(f"there is no puzzle {shown(name)}: `tribridge puzzles list` names them")


def read_theme(text: str) -> Theme:
    """A theme by its name."""
    name = " ".join(text.split()).lower().replace(" ", "-")
    if name not in list(Theme):
        raise NotFoundError(f"unknown theme {shown(text)}: expected {', '.join(Theme)}")
    return Theme(name)


def daily(day: date, collection: Collection | None = None) -> Puzzle:
    """The puzzle of a date: the same for everybody, and another one every day."""
    puzzles = (collection or shipped()).puzzles
    order = sorted(puzzles, key=lambda one: sha256(f"day {one.id}".encode()).digest())
    return order[day.toordinal() % len(order)]
