"""Games from wherever a user has them: a file, a folder of files, a text, or a hand viewer link."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Final, TypeVar

from tribridge.cards.formats import lin, pbn
from tribridge.cards.formats.lines import file_lines, text_lines
from tribridge.cards.formats.pbn import Game
from tribridge.common.errors import (
    FormatError,
    RecordError,
    RecordWarning,
    TribridgeError,
    first_line,
)
from tribridge.common.sentences import Words, words

T = TypeVar("T")

SUFFIXES: Final = (".pbn", ".lin")
_HEAD: Final = 200
"""Lines from which a format is recognised."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that cannot be used: where it is, and why."""

    file: str
    """Empty for a text."""
    board: str
    line: int
    reason: str

    def in_text(self) -> Words:
        """Where in the text it is, and why, as a sentence."""
        fields = {"board": self.board, "line": self.line, "reason": self.reason}
        if self.board:
            return words("board {board} (line {line}): {reason}", **fields)
        return words("line {line}: {reason}", **fields)

    def __str__(self) -> str:
        return f"{self.file}, {self.in_text()}" if self.file else str(self.in_text())


def fault_of(file: str, game: Game, error: TribridgeError) -> Fault:
    """What is wrong with a game."""
    return Fault(file, game.tags.get("Board", ""), game.fault_line or game.line, first_line(error))


def sound(items: Iterable[T | Fault], name: str, *, strict: bool) -> Iterator[T]:
    """The sound ones of some games; each other is a warning, or an error if that is wanted.

    A source without any game is an error.
    """
    empty = True
    for item in items:
        empty = False
        if not isinstance(item, Fault):
            yield item
        elif strict:
            raise RecordError(str(item))
        else:
            warnings.warn(str(item), RecordWarning, stacklevel=2)
    if empty:
        raise FormatError(f"{name if not is_text(name) else 'the text'}: contains no deal")


def games_from(
    source: str | PathLike[str], suffixes: tuple[str, ...] = SUFFIXES, *, text: bool = False
) -> Iterator[tuple[str, Game]]:
    """The games of a source, each with the name of its file, empty for a text.

    Of a folder all files with these suffixes are read, in the order of their names. With `text`,
    the source is one whatever it looks like, never the name of a file.
    """
    if isinstance(source, str) and lin.is_link(source) and not text:
        yield "", lin.parse_link(source)
        return
    if isinstance(source, str) and (text or is_text(source)):
        yield from (("", game) for game in _games(text_lines(source)))
        return
    for path in _paths(Path(source), suffixes):
        name = str(path)
        yield from ((name, game) for game in _games(file_lines(path)))


def is_text(source: str) -> bool:
    """Whether a string is the text of a file, not its name."""
    return "\n" in source or source.lstrip().startswith(("[", "%")) or source.count("|") > 3


def _paths(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    if not path.is_dir():
        return [path]
    paths = [at for at in path.rglob("*") if at.suffix.lower() in suffixes and at.is_file()]
    if not paths:
        expected = " or ".join(f"*{suffix}" for suffix in suffixes)
        raise FormatError(f"{path}: no file {expected} in this folder")
    return sorted(paths)


def _games(lines: Iterator[str]) -> Iterator[Game]:
    """The games of a file; the format is recognised from its first lines."""
    head = list(islice(lines, _HEAD))
    read = lin.games if lin.looks_like_lin("\n".join(head)) else pbn.games
    return read(chain(head, lines))
