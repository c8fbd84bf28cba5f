"""Playing many games on this machine or a cluster, in a folder that can be resumed.

Every finished chunk of deals is a file of its own, written atomically, so a run that is killed
loses only unfinished chunks, and the same command plays those and no others. `arena.json` describes
the games; a folder of other games is rejected.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tribridge import __version__, parallel
from tribridge.arena.work import MatchWork, PlayWork, Summary, Work, summaries, work_of
from tribridge.errors import FormatError, NotFoundError, RunError, SettingError, quantity
from tribridge.files import only_writer, read_text, write_atomic
from tribridge.parallel import Backend, InProcess, Range

CHUNK: Final = 5
"""Deals in a file."""
_FORMAT: Final = 1
_FILE: Final = re.compile(r"games-(\d{9,})-(\d{9,})\.jsonl\.gz")
_UNPACKING: Final = (gzip.BadGzipFile, EOFError, zlib.error)
"""Errors that unpacking a damaged file raises."""

Decision = Callable[[Sequence[Summary]], int | None]
"""From the games of the first deals: after how many of them everything is decided, or None."""


class StrategyFaultError(RunError):
    """A strategy failed in a run that stops at faults."""


def backend(processes: int = 0, cluster: str | None = None) -> Backend[bytes]:
    """Processes (0: one per core; 1: this one), or a cluster by its address."""
    alone = processes == 1 and cluster is None
    return InProcess() if alone else parallel.backend(processes, cluster)


@dataclass(slots=True)
class Played:
    """The summaries of all games of a range of deals, in order, and how they were obtained."""

    summaries: list[Summary]
    kept: int = 0
    made: int = 0
    damaged: list[str] = field(default_factory=list)
    decided: int | None = None
    """After how many deals a sequential test ended the run; None if it did not."""


def run(
    work: Work,
    wanted: Range,
    where: Backend[bytes],
    *,
    folder: Path | None = None,
    chunk: int = CHUNK,
    decide: Decision | None = None,
    progress: Callable[[int, int], None] = lambda kept, made: None,
) -> Played:
    """Play the missing deals of a range in a folder (None: keep no records).

    `progress` is called with the number of deals already there and the number played. With `decide`
    the run ends once the games of the first deals are decisive, independent of the order in which
    they were finished.
    """
    if chunk < 1:
        raise SettingError(f"the number of deals per file must be 1 or more, not {chunk}")
    if folder is None:
        return _run(work, wanted, where, None, {}, [], chunk, decide, progress)
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, "playing games"):
        _check_folder(folder, work)
        for rest in folder.glob(".games-*"):  # left by a run that was killed while writing
            rest.unlink()
        kept, damaged = _whole_files(folder, work)
        return _run(work, wanted, where, folder, kept, damaged, chunk, decide, progress)


def _run(
    work: Work,
    wanted: Range,
    where: Backend[bytes],
    folder: Path | None,
    by_deal: dict[int, list[Summary]],
    damaged: list[str],
    chunk: int,
    decide: Decision | None,
    progress: Callable[[int, int], None],
) -> Played:
    """`by_deal` holds the summaries of the deals already played."""
    kept = sum(number in by_deal for number in range(*wanted))
    made = 0
    prefix = _Prefix(wanted, by_deal, decide)
    progress(kept, made)
    done = [(number, number + 1) for number in sorted(by_deal)]
    with closing(parallel.run(work, where, done, wanted, chunk=chunk)) as results:
        while prefix.decided is None:
            piece, parts = next(results, (None, []))
            if piece is None:
                break
            data = b"".join(parts)
            games = summaries(data)
            if work.stop:
                _check_faults(games, data, folder)
            if folder is not None:
                write_atomic(folder / _name(piece), data)
            _add(by_deal, games)
            made += piece[1] - piece[0]
            progress(kept, made)
            prefix.extend()
    end = wanted[1] if prefix.decided is None else wanted[0] + prefix.decided
    games = [one for number in range(wanted[0], end) for one in by_deal[number]]
    return Played(games, kept, made, damaged, prefix.decided)


class _Prefix:
    """The games of the first deals up to a missing one, and whether they are decisive."""

    def __init__(
        self, wanted: Range, summaries: dict[int, list[Summary]], decide: Decision | None
    ) -> None:
        self.wanted, self.summaries, self.decide = wanted, summaries, decide
        self.at = wanted[0]
        self.games: list[Summary] = []
        self.decided: int | None = None
        self.extend()

    def extend(self) -> None:
        if self.decide is None:
            return
        before = self.at
        while self.at < self.wanted[1] and self.at in self.summaries:
            self.games += self.summaries[self.at]
            self.at += 1
        if self.at > before:
            self.decided = self.decide(self.games)


def load(folder: Path) -> tuple[PlayWork | MatchWork, list[Summary]]:
    """The work of a folder and the summaries of all games in it, by deal."""
    work = _described(folder)
    summaries, damaged = _whole_files(folder, work, keep=True)
    if damaged:
        raise FormatError(f"{folder / damaged[0]} is damaged: run the arena again to replace it")
    return work, [one for number in sorted(summaries) for one in summaries[number]]


def records(folder: Path, number: int) -> str:
    """The records of all games on a deal, as JSON Lines."""
    _described(folder)
    for path, (start, end) in _files(folder):
        if start <= number < end:
            data = path.read_bytes()
            try:
                text = gzip.decompress(data).decode() if data else None
            except (*_UNPACKING, ValueError):
                text = None
            if not text:
                raise FormatError(f"{path} is damaged: run the arena again to replace it")
            kept, lines = False, []
            for line in text.splitlines(keepends=True):
                if line.startswith('{"event": "deal"'):
                    head = json.loads(line)
                    kept = head["game"].get("in_rubber", head["number"]) == number
                if kept:
                    lines.append(line)
            return "".join(lines)
    raise NotFoundError(f"{folder} has no games on deal {number}")


def _check_faults(games: Sequence[Summary], data: bytes, folder: Path | None) -> None:
    """End the run at a fault; the game up to it is kept for inspection."""
    for game in games:
        for fault in game["faults"]:
            kept = ""
            if folder is not None:
                path = folder / "fault.jsonl"
                text = gzip.decompress(data).decode()
                write_atomic(path, text[text.rindex('{"event": "deal"') :])
                kept = f"; the game up to there is in {path}"
            message = fault["message"]
            raise StrategyFaultError(
                f"{fault['strategy']} {fault['kind']} on deal {game['number']} after "
                f"{quantity(fault['action'], 'action')}: {message}{kept}"
            )


def _name(piece: Range) -> str:
    return f"games-{piece[0]:09d}-{piece[1] - 1:09d}.jsonl.gz"


def _files(folder: Path) -> list[tuple[Path, Range]]:
    files = []
    for path in sorted(folder.glob("games-*.jsonl.gz")):
        match = _FILE.fullmatch(path.name)
        if match:
            files.append((path, (int(match[1]), int(match[2]) + 1)))
    return files


def _whole_files(
    folder: Path, work: Work, *, keep: bool = False
) -> tuple[dict[int, list[Summary]], list[str]]:
    """The games of the intact files; damaged ones are removed, to be played again."""
    by_deal: dict[int, list[Summary]] = {}
    damaged = []
    for path, (start, end) in _files(folder):
        data = path.read_bytes()  # a file that cannot be read at all is not damaged, so keep it
        try:
            games = summaries(data)
            wanted = [number for number in range(start, end) for _ in range(work.games)]
            if [game["number"] for game in games] != wanted:
                raise FormatError("games are missing or belong to other deals")
        except (*_UNPACKING, ValueError, KeyError, TypeError):
            damaged.append(path.name)
            if not keep:
                path.unlink()
            continue
        if any(number in by_deal for number in range(start, end)):
            raise RunError(f"{folder}: {path.name} repeats deals of another file")
        _add(by_deal, games)
    return by_deal, damaged


def _add(summaries: dict[int, list[Summary]], games: Sequence[Summary]) -> None:
    for game in games:
        summaries.setdefault(game["number"], []).append(game)


def _check_folder(folder: Path, work: Work) -> None:
    path = folder / "arena.json"
    description: dict[str, Any] = {
        "format": _FORMAT,
        "version": __version__,
        "work": json.loads(json.dumps(work.describe())),
        "strategies": [asdict(one) for one in work.versions],
    }
    if path.exists():
        there = _read_description(path)
        for key in description:
            if there.get(key) != description[key]:
                raise RunError(
                    f"{folder} holds other games ({_difference(there, description)}): "
                    "choose another folder, or the settings it was begun with"
                )
        return
    write_atomic(path, json.dumps(description, indent=1) + "\n")


def _difference(there: dict[str, Any], here: dict[str, Any]) -> str:
    for key in ("format", "version"):
        if there.get(key) != here[key]:
            return f"{key} {there.get(key)}, not {here[key]}"
    old, new = there["work"], here["work"]
    if old == new:
        return "by other versions of the strategies"
    name = next(key for key in {**new, **old} if old.get(key) != new.get(key))
    return f"{name} {old.get(name)}, not {new.get(name)}"


def _read_description(path: Path) -> dict[str, Any]:
    try:
        description = json.loads(read_text(path))
    except ValueError:
        raise FormatError(f"{path}: not an arena description") from None
    if not isinstance(description, dict) or not isinstance(description.get("work"), dict):
        raise FormatError(f"{path}: not an arena description")
    return description


def _described(folder: Path) -> PlayWork | MatchWork:
    path = folder / "arena.json"
    if not path.is_file():
        raise NotFoundError(f"{folder} is not an arena folder: {path} is missing")
    return work_of(_read_description(path)["work"])
