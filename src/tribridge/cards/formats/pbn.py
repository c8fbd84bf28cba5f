r"""PBN, the Portable Bridge Notation (version 2.1): games of tags and sections.

A game is a block of lines: tag pairs such as `[Board "7"]`, each followed by the lines of its
section, if it has one. Comments (in braces, or after a semicolon) and escaped lines (with a percent
sign) are skipped. What real files do beside that:

- a value `#` is that of the game before; `##text` holds for all games that follow without the tag,
  until a `#` ends it;
- a game without a `Deal` that has the `Board` of the game before has its deal, dealer and
  vulnerability too, as files with two tables a board have it;
- a tag may be split over lines, or share a line with another; games may follow each other without a
  blank line; a `Note` belongs to the section it follows.

A game with an error in it has a `fault`, and the games after it are read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tribridge.cards.formats.lines import LONGEST, text_lines
from tribridge.common.sentences import words

MANDATORY: Final = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
    "Deal", "Scoring", "Declarer", "Contract", "Result",
)  # fmt: skip
"""The tags that every game of an exported file has, in their order."""

MOST: Final = 1 << 22
"""Characters that a game may have, and a comment of several lines."""

_FIRST: Final = ("Event", "Board", "Deal")
"""Tags of which a game has one, and which another game may begin with."""
_SHARED: Final = ("Deal", "Dealer", "Vulnerable")
"""What the tables of a board have in common."""
_PARTS: Final = 12
"""Lines that a tag may be split over."""
_TAG: Final = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[^"{;]+|[{;]')


@dataclass(slots=True)
class Game:
    """One game of a file: its tags, the lines of its sections, and where it starts."""

    tags: dict[str, str]
    sections: Mapping[str, tuple[str, ...] | list[str]] = field(default_factory=dict)
    line: int = 0
    fault: str = ""
    """What is wrong with it, as text; empty for nothing."""
    fault_line: int = 0
    cards: tuple[str, ...] | None = None
    """The cards in the order in which they were played, where a format has them like that."""


def games(lines: Iterable[str]) -> Iterator[Game]:
    """The games of a PBN file, one at a time, with inherited values filled in."""
    inherit = _Inheritance()
    for game in _Blocks(lines).games():
        inherit.fill(game)
        yield game


def loads(text: str) -> list[Game]:
    """The games of a PBN text."""
    return list(games(text_lines(text)))


class _Inheritance:
    """What a game takes from those before it."""

    def __init__(self) -> None:
        self.before = Game({})
        self.standing: dict[str, str] = {}

    def fill(self, game: Game) -> None:
        tags, before = game.tags, self.before
        for name, value in tags.items():
            if value[:1] == "#":
                self._take(game, name, value)
        for name, value in self.standing.items():
            tags.setdefault(name, value)
        board = tags.get("Board")
        if "Deal" not in tags and board and board == before.tags.get("Board"):
            event = tags.get("Event")
            if event is None or event == before.tags.get("Event", event):
                for name in _SHARED:
                    if name in before.tags:
                        tags.setdefault(name, before.tags[name])
        self.before = game

    def _take(self, game: Game, name: str, value: str) -> None:
        old = self.before.tags.get(name, "")
        if value == "#":
            self.standing.pop(name, None)
        elif value[:2] == "##":
            old = self.standing[name] = value[2:] or old
        else:
            return
        game.tags[name] = old
        if value in ("#", "##") and not game.sections.get(name):
            lines = self.before.sections.get(name, ())
            if lines:
                game.sections = {**game.sections, name: lines}


class _Blocks:
    """The games of a file as they are written."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = enumerate(lines, 1)
        self._again: list[tuple[int, str]] = []
        """Lines to be read once more, the next one last."""
        self._open = 0
        """Up to this line nothing closes a comment."""
        self._start()

    def _start(self) -> None:
        self._tags: dict[str, str] = {}
        self._sections: dict[str, list[str]] = {}
        self._line, self._last, self._size = 0, "", 0
        self._fault, self._fault_line = "", 0

    def _finished(self) -> Iterator[Game]:
        if self._tags or self._fault:
            yield Game(self._tags, self._sections, self._line, self._fault, self._fault_line)
        self._start()

    def _next(self) -> tuple[int, str] | None:
        return self._again.pop() if self._again else next(self._lines, None)

    def _blame(self, number: int, reason: str) -> None:
        self._line = self._line or number
        if not self._fault:
            self._fault, self._fault_line = reason, number

    def games(self) -> Iterator[Game]:
        """All games; the text of a line is looked at once, except after an error."""
        again, lines = self._again, self._lines
        while (item := again.pop() if again else next(lines, None)) is not None:
            number, line = item
            first = line[:1]
            if first == "[":
                # A line of the plain form is a tag as `_text` would read it, in half the time.
                name, _, value = line[1:-2].partition(' "')
                if line[-2:] == '"]' and name.isalnum() and '"' not in value and "\\" not in value:
                    tags = self._tags
                    if name in tags or not tags or name == "Note" or self._size > MOST:
                        if name in tags and name in _FIRST:
                            yield from self._finished()
                        self._tag(number, name, value)
                    else:
                        tags[name] = value
                        self._size += len(value)
                        self._last = name
                    continue
            elif first == "%":
                continue
            elif not line or line.isspace():
                yield from self._finished()
                continue
            elif self._last and "{" not in line and ";" not in line and "[" not in line:
                self._size += len(line)
                if self._size < MOST:
                    if self._last in self._sections:
                        self._sections[self._last].append(line.strip())
                    else:
                        self._sections[self._last] = [line.strip()]
                    continue
            if len(line) >= LONGEST:
                self._blame(number, f"longer than {LONGEST:,} characters")
            else:
                yield from self._text(number, self._uncommented(number, line))
        yield from self._finished()

    def _text(self, number: int, text: str) -> Iterator[Game]:
        """A line without comments: tags, the line of a section, or nothing."""
        while text.lstrip().startswith("["):
            match = _TAG.match(text) or self._joined(number, text)
            if match is None:
                self._blame(number, words("broken tag {text!r}", text=text.strip()[:60]))
                return
            if match[1] in _FIRST and match[1] in self._tags:
                yield from self._finished()
            self._tag(number, match[1], match[2])
            text = match.string[match.end() :]
        text = text.strip()
        if not text:
            return
        self._size += len(text)
        if not self._last:
            self._blame(number, words("expected a tag, found {text!r}", text=text[:60]))
        elif self._size <= MOST:
            self._sections.setdefault(self._last, []).append(text)
        else:
            self._blame(number, f"a game of more than {MOST:,} characters")

    def _tag(self, number: int, name: str, value: str) -> None:
        if "\\" in value:
            value = re.sub(r"\\(.)", r"\1", value)
        if name == "Note" and self._last and self._size <= MOST:
            self._size += len(value)
            text = value.replace("\\", "\\\\").replace('"', '\\"')
            self._sections.setdefault(self._last, []).append(f'[Note "{text}"]')
            return
        if not self._tags:
            self._line = self._line or number
        self._size += len(value)
        if self._size <= MOST:
            self._tags.setdefault(name, value)
        else:
            self._blame(number, f"a game of more than {MOST:,} characters")
        self._last = name

    def _joined(self, number: int, text: str) -> re.Match[str] | None:
        """A tag that goes on in the next lines."""
        taken: list[tuple[int, str]] = []
        while len(taken) < _PARTS and (item := self._next()) is not None:
            taken.append(item)
            if not item[1].strip() or (item[1].startswith("[") and '"' in text):
                break
            text = f"{text} {item[1].strip()}"
            match = _TAG.match(text)
            if match is not None:
                return match
        self._again.extend(reversed(taken))
        return None

    def _uncommented(self, number: int, line: str) -> str:
        """A line without its comments; one that goes on below is read to its end."""
        if "{" not in line and ";" not in line:
            return line
        pieces = []
        at = 0
        while at < len(line):
            match = _TOKEN.match(line, at)
            assert match is not None
            at = match.end()
            if match[0] == ";":
                break
            if match[0] != "{":
                pieces.append(match[0])
                continue
            end = line.find("}", at)
            if end < 0:
                line = self._closed(number)
                at = 0
            else:
                at = end + 1
        return "".join(pieces)

    def _closed(self, number: int) -> str:
        """What follows a comment on the line where it is closed; if it never is, read on below."""
        taken: list[tuple[int, str]] = []
        size = MOST if number <= self._open else 0  # looked for an end there before
        while size < MOST and (item := self._next()) is not None:
            taken.append(item)
            end = item[1].find("}")
            if end >= 0:
                return item[1][end + 1 :]
            size += len(item[1]) + 1
        if taken:
            self._open = taken[-1][0]
        self._again.extend(reversed(taken))
        self._blame(number, words("a comment is never closed"))
        return ""


def dumps(games: Iterable[Game]) -> str:
    """Write games in the export form: a tag a line, its section below, a blank line in the end."""
    parts = ["% PBN 2.1\n% EXPORT\n"]
    for game in games:
        lines: list[str] = []
        for tag, value in game.tags.items():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'[{tag} "{escaped}"]')
            lines.extend(game.sections.get(tag, ()))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts) + "\n"
