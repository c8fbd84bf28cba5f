"""PBN, the Portable Bridge Notation (version 2.1): games of tags and sections.

Only what deals and records need: tag pairs, the lines of a section after its tag, comments in
braces or after a semicolon, escaped lines with a percent sign. Tags are kept as written; a value
is not inherited from the game before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tribridge.common.errors import FormatError

_FIRST: Final = ("Event", "Board", "Deal")
"""Tags of which a game has one, and which another game may begin with."""
_TAG: Final = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a PBN file: its tags, the lines of its sections, and where it starts."""

    tags: Mapping[str, str]
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line: int = 0


def loads(text: str) -> list[Game]:
    """Read all games of a PBN text."""
    games: list[Game] = []
    tags: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    start, last = 0, ""

    def finish() -> None:
        if tags:
            games.append(Game(dict(tags), {k: tuple(v) for k, v in sections.items()}, start))
        tags.clear()
        sections.clear()

    for number, line in _lines(text):
        if not line.strip():
            if line == "":  # a line that held only a comment does not end a game
                finish()
                last = ""
            continue
        rest = line
        while rest.lstrip().startswith("["):
            match = _TAG.match(rest)
            if match is None:
                raise FormatError(f"line {number}: broken tag {rest.strip()[:60]!r}")
            last = match[1]
            if last in _FIRST and last in tags:  # files without blank lines between games
                finish()
            if not tags:
                start = number
            tags.setdefault(last, re.sub(r"\\(.)", r"\1", match[2]))
            sections.setdefault(last, [])
            rest = rest[match.end() :]
        if rest.strip():
            if not last:
                raise FormatError(f"line {number}: expected a tag, found {rest.strip()[:60]!r}")
            sections[last].append(rest.strip())
    finish()
    return games


def _lines(text: str) -> Iterable[tuple[int, str]]:
    """Numbered lines without comments; a line emptied of its comment becomes one space."""
    comment = 0
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.startswith("%") and not comment:
            continue
        kept: list[str] = []
        quoted = False
        inside = bool(comment)
        for at, char in enumerate(line):
            if comment:
                comment = 0 if char == "}" else comment
            elif char == '"' and line[at - 1 : at] != "\\":
                quoted = not quoted
                kept.append(char)
            elif char == "{" and not quoted:
                comment, inside = number, True
            elif char == ";" and not quoted:
                inside = True
                break
            else:
                kept.append(char)
        result = "".join(kept).rstrip()
        yield number, result or (" " if inside else "")
    if comment:
        raise FormatError(f"line {comment}: a comment is never closed")


def dumps(games: Iterable[Game]) -> str:
    """Write games in the export form: a tag a line, sections after their tags."""
    parts = ["% PBN 2.1\n% EXPORT\n"]
    for game in games:
        lines: list[str] = []
        for tag, value in game.tags.items():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'[{tag} "{escaped}"]')
            lines.extend(game.sections.get(tag, ()))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
