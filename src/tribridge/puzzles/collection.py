"""The puzzles of the package: chosen from what was made, in one file, found by name and theme."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Final

from tribridge import __version__, codec
from tribridge.errors import FormatError, NotFoundError, shown
from tribridge.files import write_atomic
from tribridge.puzzles.judging import CALL_MARGIN, CALLERS, ERRORS, FEWEST, MARGIN, PLAYERS
from tribridge.puzzles.rating import rate_by_bots
from tribridge.puzzles.themes import theme_of
from tribridge.puzzles.values import Collection, Puzzle
from tribridge.puzzles.wording import Theme
from tribridge.strategies.versions import Version, caller_version, player_version, strategy_version

_FILE: Final = "data/puzzles.json.gz"
_ROUNDED: Final = 0.01
_PER_DEAL: Final = 4
_EASY: Final = 0.4
"""The most puzzles of a theme, as a share, that all bots which think get right."""


def collect(puzzles: Iterable[Puzzle]) -> Collection:
    """The collection of puzzles that were made: with themes and ratings, none twice."""
    themed = [replace(one, theme=theme_of(one)) for one in _different(puzzles)]
    rated, _ = rate_by_bots(themed)
    chosen = sorted(_without_easy(rated), key=lambda one: one.id)
    seats = sorted({name for one in chosen for name in one.source.seats})
    makers = [
        *(strategy_version(name) for name in seats),
        *(player_version(name) for name in PLAYERS),
        *(caller_version(name) for name in CALLERS),
    ]
    unique: dict[str, Version] = {str(one): one for one in makers}
    return Collection(
        version=__version__,
        made_by=tuple(unique[name] for name in sorted(unique)),
        digest=_digest(codec.plain(tuple(chosen), tuple[Puzzle, ...])),
        puzzles=tuple(chosen),
    )


def _different(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """The puzzles without those of the same position, and with at most four of a deal."""
    seen: set[str] = set()
    deals: Counter[str] = Counter()
    kept = []
    for puzzle in puzzles:
        deal = str(puzzle.deal)
        room = deals[deal] < _PER_DEAL or puzzle.source.book
        if puzzle.id not in seen and room and puzzle.layouts >= FEWEST:
            seen.add(puzzle.id)
            deals[deal] += 1
            kept.append(puzzle)
    return kept


def _without_easy(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """The puzzles without the easiest of each theme, if there are too many easy ones."""
    kept: list[Puzzle] = []
    for theme in Theme:
        own = sorted((one for one in puzzles if one.theme is theme), key=lambda one: -one.rating)
        hard = [one for one in own if not easy(one)]
        most = max(12 - len(hard), round(_EASY / (1 - _EASY) * len(hard)))
        kept += hard + [one for one in own if easy(one)][:most]
    return kept


def easy(puzzle: Puzzle) -> bool:
    """Whether every bot that thinks is right; a puzzle from a book is not judged by that."""
    weak = ("random", "capture")
    chances = [chance for name, chance in puzzle.bots.items() if name not in weak]
    return not puzzle.source.book and min(chances) > 0.9


def dumps(collection: Collection) -> bytes:
    """A collection as the bytes of its file, the same for the same puzzles."""
    text = json.dumps(codec.plain(collection), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def loads(data: bytes, name: str) -> Collection:
    """A collection from the bytes of its file; a damaged one is refused in one line."""
    try:
        raw = json.loads(gzip.decompress(data))
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError):
        raise FormatError(f"{name} is damaged or no file of puzzles") from None
    if not isinstance(raw, dict) or _digest(raw.get("puzzles")) != raw.get("digest"):
        raise FormatError(f"{name} is damaged: its puzzles are not those it was made with")
    return codec.read(raw, Collection, name)


def _digest(puzzles: Any) -> str:
    return sha256(json.dumps(puzzles, sort_keys=True).encode()).hexdigest()[:16]


def save(collection: Collection, path: Path) -> None:
    """Write a collection to a file."""
    write_atomic(path, dumps(collection))


def load(path: Path) -> Collection:
    """Read the collection of a file."""
    return loads(path.read_bytes(), str(path))


@cache
def shipped() -> Collection:
    """The collection of the package."""
    file = resources.files("tribridge.puzzles").joinpath(_FILE)
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
