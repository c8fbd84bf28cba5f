"""Arena results: the outcomes of a run, as arrays by deal, and as a file.

Every statement about strategies is computed from the outcomes, with deals as the unit; a result
file (JSON, compressed if the name ends in `.gz`) is all that a report needs.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import __version__
from tribridge.arena.playing import DealOutcome, Fault, Times, total_times
from tribridge.arena.work import (
    MatchOutcome,
    MatchWork,
    Outcome,
    PlayOutcome,
    PlayWork,
    command_of,
)
from tribridge.common import codec
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.files import unzipped, write_atomic
from tribridge.strategies import Strategy
from tribridge.strategies.versions import Version, commit, list_versions

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a result comes from."""

    command: str = ""
    date: str = ""
    version: str = __version__
    seconds: float = 0.0
    commit: str = ""
    """The commit of the program, if it ran from a checkout."""
    strategies: tuple[Version, ...] = ()
    """Who played."""

    @property
    def note(self) -> str:
        """Where the games come from, for a reader of results that ship with the package."""
        at = f", commit {self.commit}" if self.commit else ""
        return (
            f"Played beforehand by `{self.command}` on {self.date}, version {self.version}{at}, "
            f"by {list_versions(self.strategies)}."
        )


UNKNOWN: Final = Origin()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What the results of all kinds of work have in common."""

    work: Any
    games: Any
    origin: Origin = UNKNOWN
    format: int = FORMAT

    @property
    def deals(self) -> int:
        """How many deals, or rubbers, were played in all ways."""
        return len(self.games) // int(self.work.games)

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(fault for game in self.games for fault in game.faults)

    @property
    def times(self) -> Times:
        return total_times(game.times for game in self.games)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayResult(_Result):
    """Zero-sum play: every declarer against every defence on every deal."""

    work: PlayWork
    games: tuple[PlayOutcome, ...]
    """By deal, declarer and defence."""

    @property
    def firsts(self) -> tuple[PlayOutcome, ...]:
        """One game of each deal."""
        return self.games[:: self.work.games]

    def payoffs(self, unit: str) -> NDArray[np.float64]:
        """The payoffs to declarer in `tricks` or `points`, by deal, declarer and defence."""
        if unit not in ("tricks", "points"):
            raise SettingError(f"unknown unit {unit!r}: expected tricks or points")
        values = np.array([getattr(game, unit) for game in self.games], float)
        return values.reshape(-1, len(self.work.declarers), len(self.work.defences))

    @staticmethod
    def fair(strategies: Sequence[Strategy]) -> list[int]:
        """The places of the strategies that only see their own view."""
        return [at for at, strategy in enumerate(strategies) if strategy.fair]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult(_Result):
    """Complete games, or rubbers: every seating on every deal."""

    work: MatchWork
    games: tuple[MatchOutcome, ...]
    """By deal, or rubber, and seating."""

    @property
    def points(self) -> NDArray[np.float64]:
        """By deal, seating and seat."""
        points = np.array([game.points for game in self.games], float)
        return points.reshape(-1, self.work.games, 3)

    @property
    def played(self) -> Iterator[tuple[tuple[str, ...], DealOutcome]]:
        """Every deal that was played, with who sat where."""
        return ((game.seats, deal) for game in self.games for deal in game.games)

    def by_deal(self, points: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Points per game (or others) of each strategy on each deal: the mean over its seats."""
        points = self.points if points is None else points
        seatings = np.array(self.work.seatings)
        return np.column_stack(
            [points[:, seatings == name].mean(axis=1) for name in self.work.names]
        )


_KINDS: Final[dict[str, Any]] = {"play": PlayResult, "match": MatchResult}


def new_origin(work: PlayWork | MatchWork, start: int, deals: int, seconds: float) -> Origin:
    """The origin of games played today."""
    return Origin(
        command_of(work, start, deals),
        datetime.now(UTC).date().isoformat(),
        seconds=round(seconds, 1),
        commit=commit(),
        strategies=work.versions,
    )


def result_of(
    work: PlayWork | MatchWork, games: Iterable[Outcome], origin: Origin = UNKNOWN
) -> PlayResult | MatchResult:
    """The result of games, in order."""
    kind: Any = _KINDS[work.kind]
    result: PlayResult | MatchResult = kind(work=work, games=tuple(games), origin=origin)
    return result


def loads(text: str, source: str = "the result") -> PlayResult | MatchResult:
    """Read a result."""
    try:
        data = json.loads(text)
        kind, version = _KINDS[data["work"]["kind"]], data["format"]
    except (KeyError, TypeError, ValueError):
        kind, version = None, None
    if kind is None or not isinstance(version, int):
        raise FormatError(f"{source}: not an arena result")
    if version != FORMAT:
        raise FormatError(f"{source}: an arena result of {_other_version(data)}")
    result: PlayResult | MatchResult = codec.read(data, kind, f"{source}: not an arena result")
    return result


def _other_version(data: dict[str, Any]) -> str:
    """The version that wrote a result, and how to play it again."""
    origin = data.get("origin")
    named = origin if isinstance(origin, dict) else {}
    again = f": play it again by `{named['command']}`" if named.get("command") else ""
    return f"version {named.get('version') or 'unknown'}, which this version does not read{again}"


def save(result: PlayResult | MatchResult, path: Path) -> None:
    """Write a result to a file atomically."""
    text = codec.dumps(result) + "\n"
    packed = path.suffix == ".gz"
    write_atomic(path, gzip.compress(text.encode(), mtime=0) if packed else text)


def load(path: Path) -> PlayResult | MatchResult:
    """Read a result from a file."""
    data = path.read_bytes()
    try:
        text = (unzipped(data) if path.suffix == ".gz" else data).decode()
    except ValueError:
        raise FormatError(f"{path}: not an arena result") from None
    return loads(text, str(path))


def shipped_names() -> list[str]:
    """The results in the package: `play`, `play-NAME`, `match`, `match-NAME`, `ladder-NAME`.

    Shorter names come first, so that those without a suffix do.
    """
    folder = resources.files("tribridge.arena").joinpath("data")
    names = (file.name.removesuffix(".json.gz") for file in folder.iterdir())
    return sorted(names, key=lambda name: (len(name), name))


def load_shipped(name: str) -> PlayResult | MatchResult:
    """A result in the package."""
    data = resources.files("tribridge.arena").joinpath(f"data/{name}.json.gz").read_bytes()
    return loads(unzipped(data).decode(), name)


def shipped(name: str = "play") -> PlayResult:
    """A result of zero-sum play in the package, by default that with search strategies."""
    result = load_shipped(name)
    assert isinstance(result, PlayResult)
    return result


def shipped_matches(kind: str = "match") -> tuple[MatchResult, ...]:
    """The matches in the package whose names begin with a word: `match` or `ladder`."""
    results = [load_shipped(name) for name in shipped_names() if name.startswith(kind)]
    return tuple(result for result in results if isinstance(result, MatchResult))
