"""Playing many games on this machine or a cluster, in a folder that can be resumed.

Every finished chunk of deals is a file of records, written atomically, so a run that is killed
loses only unfinished chunks, and the same command plays those and no others. `arena.json` describes
the games; a folder of other games is rejected. Without a folder nothing is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tribridge import __version__
from tribridge.arena.work import MatchWork, Outcome, PlayWork, Work, packed, recorded
from tribridge.arena.work import records as records_of
from tribridge.common import codec, parallel
from tribridge.common.errors import FormatError, NotFoundError, RunError, SettingError, quantity
from tribridge.common.files import only_writer, read_text, unzipped, write_atomic
from tribridge.common.parallel import Backend, InProcess, Range
from tribridge.game.record import Event
from tribridge.strategies.versions import Version

CHUNK: Final = 5
"""Deals in a file."""
_FORMAT: Final = 2
_FILE: Final = re.compile(r"games-(\d{9,})-(\d{9,})\.jsonl\.gz")
_HEAD: Final = '{"event": "deal"'

ByDeal = dict[int, list[Outcome]]


class StrategyFaultError(RunError):
    """A strategy failed in a run that stops at faults."""


@dataclass(frozen=True, slots=True)
class Description:
    """What `arena.json` says about the games of a folder."""

    work: Work
    strategies: tuple[Version, ...] = ()
    version: str = __version__
    format: int = _FORMAT


@dataclass(frozen=True, slots=True)
class Chunk:
    """The games of some deals, and their records, compressed, if those are kept."""

    games: list[Outcome]
    records: bytes = b""


@dataclass(frozen=True, slots=True)
class Playing:
    """Work as a job for processes or a cluster."""

    work: PlayWork | MatchWork
    keep: bool
    """Whether the records of the games are wanted."""

    def run(self, piece: Range) -> Chunk:
        games: list[Outcome] = []
        events: list[Event] = []
        for number in range(*piece):
            for outcome, played in self.work.play(number):
                if self.work.stop and outcome.faults:
                    fault = outcome.faults[0]
                    raise StrategyFaultError(
                        f"{fault.strategy} {fault.kind} on deal {fault.number} after "
                        f"{quantity(fault.action, 'action')}: {fault.message}"
                    )
                games.append(outcome)
                if self.keep:
                    events += records_of(self.work, outcome, played)
        return Chunk(games, packed(events) if self.keep else b"")


def backend(processes: int = 0, cluster: str | None = None) -> Backend[Chunk]:
    """Processes (0: one per core; 1: this one), or a cluster by its address."""
    alone = processes == 1 and cluster is None
    return InProcess() if alone else parallel.backend(processes, cluster)


@dataclass(frozen=True, slots=True)
class Played:
    """All games of a range of deals, in order, and how they were obtained."""

    games: list[Outcome]
    kept: int = 0
    made: int = 0
    damaged: list[str] = field(default_factory=list)


def run(
    work: PlayWork | MatchWork,
    wanted: Range,
    where: Backend[Chunk],
    *,
    folder: Path | None = None,
    chunk: int = CHUNK,
    progress: Callable[[int, int], None] = lambda before, made: None,
) -> Played:
    """Play the missing deals of a range in a folder (None: keep no records).

    `progress` is called with the number of deals already there and the number played.
    """
    if chunk < 1:
        raise SettingError(f"the number of deals per file must be 1 or more, not {chunk}")
    with _opened(folder, work) as (by_deal, damaged):
        before, made = sum(number in by_deal for number in range(*wanted)), 0
        progress(before, made)
        done = [(number, number + 1) for number in sorted(by_deal)]
        job = Playing(work, folder is not None)
        with closing(parallel.run(job, where, done, wanted, chunk=chunk)) as results:
            for piece, parts in results:
                if folder is not None:
                    write_atomic(folder / _name(piece), b"".join(part.records for part in parts))
                for part in parts:
                    _add(by_deal, part.games)
                made += piece[1] - piece[0]
                progress(before, made)
        games = [game for number in range(*wanted) for game in by_deal[number]]
        return Played(games, before, made, damaged)


@contextmanager
def _opened(folder: Path | None, work: PlayWork | MatchWork) -> Iterator[tuple[ByDeal, list[str]]]:
    """The games that are already in a folder, and its damaged files, which are removed."""
    if folder is None:
        yield {}, []
        return
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, "playing games"):
        _check_folder(folder, Description(work, work.versions))
        for unfinished in folder.glob(".games-*"):  # of a run that was killed while writing
            unfinished.unlink()
        by_deal, damaged = _whole_files(folder, work)
        for name in damaged:
            (folder / name).unlink()
        yield by_deal, damaged


def records(folder: Path, number: int) -> list[str]:
    """The records of all games on a deal, each as JSON Lines."""
    _described(folder)
    for path, (start, end) in _files(folder):
        if start <= number < end:
            return [
                text
                for head, text in _read(path)
                if head["game"].get("in_rubber", head["number"]) == number
            ]
    raise NotFoundError(f"{folder} has no games on deal {number}")


def _read(path: Path) -> list[tuple[Event, str]]:
    """The records in a file, each with its first event."""
    data = path.read_bytes()  # a file that cannot be read at all is not damaged
    try:
        texts = [_HEAD + text for text in unzipped(data).decode().split(_HEAD)[1:]]
        games = [(json.loads(text.partition("\n")[0]), text) for text in texts]
    except ValueError:
        games = []
    if not games:
        raise FormatError(f"{path} is damaged: run the arena again to replace it")
    return games


def _name(piece: Range) -> str:
    return f"games-{piece[0]:09d}-{piece[1] - 1:09d}.jsonl.gz"


def _files(folder: Path) -> list[tuple[Path, Range]]:
    paths = sorted(folder.glob("games-*.jsonl.gz"))
    matches = [(path, _FILE.fullmatch(path.name)) for path in paths]
    return [(path, (int(match[1]), int(match[2]) + 1)) for path, match in matches if match]


def _whole_files(folder: Path, work: PlayWork | MatchWork) -> tuple[ByDeal, list[str]]:
    """The games of the intact files, and the names of the damaged ones."""
    by_deal: ByDeal = {}
    damaged = []
    for path, (start, end) in _files(folder):
        try:
            games = recorded(head for head, _ in _read(path))
        except (ValueError, KeyError, TypeError):
            games = []
        wanted = [number for number in range(start, end) for _ in range(work.games)]
        if [game.number for game in games] != wanted:
            damaged.append(path.name)
            continue
        if any(number in by_deal for number in range(start, end)):
            raise RunError(f"{folder}: {path.name} repeats deals of another file")
        _add(by_deal, games)
    return by_deal, damaged


def _add(by_deal: ByDeal, games: Sequence[Outcome]) -> None:
    for game in games:
        by_deal.setdefault(game.number, []).append(game)


def _check_folder(folder: Path, here: Description) -> None:
    path = folder / "arena.json"
    if not path.exists():
        write_atomic(path, codec.dumps(here, indent=1) + "\n")
        return
    there = codec.plain(_described(folder))
    if there != codec.plain(here):
        raise RunError(
            f"{folder} holds other games ({_difference(there, codec.plain(here))}): "
            "choose another folder, or the settings it was begun with"
        )


def _difference(there: dict[str, Any], here: dict[str, Any]) -> str:
    """The first setting in which two descriptions, as JSON has them, differ."""
    pairs = (there, here, ("format", "version")), (there["work"], here["work"], here["work"])
    for old, new, names in pairs:
        for name in names:
            if old.get(name) != new[name]:
                return f"{name} {_shown(old.get(name))}, not {_shown(new[name])}"
    return "by other versions of the strategies"


def _shown(setting: object) -> str:
    return ", ".join(map(str, setting)) if isinstance(setting, list) else str(setting)


def _described(folder: Path) -> Description:
    path = folder / "arena.json"
    if not path.is_file():
        raise NotFoundError(f"{folder} is not an arena folder: {path} is missing")
    return codec.loads(read_text(path), Description, f"{path}: not an arena description")
