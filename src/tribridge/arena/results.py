"""Arena results: the games of a run as arrays by deal, and as a file.

Every statement about strategies is computed from these arrays, with deals as the unit; a result
file (JSON, compressed if the name ends in `.gz`) is all that a report needs.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import __version__, codec
from tribridge.arena.playing import Fault, Times, total_times
from tribridge.arena.rubbers import RubberOutcome
from tribridge.arena.work import MatchWork, Outcome, PlayOutcome, PlayWork, command_of
from tribridge.errors import FormatError, SettingError
from tribridge.files import write_atomic
from tribridge.strategies import find_player
from tribridge.strategies.versions import Version, commit, list_versions

FORMAT: Final = 1

Whole = Annotated[NDArray[np.int64], codec.Numbers("int64")]
Numbers = Annotated[NDArray[np.float64], codec.Numbers("float64")]


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlayResult:
    """Zero-sum play: tricks and points of every declarer against every defence on every deal."""

    work: PlayWork
    numbers: tuple[int, ...]
    contracts: tuple[str, ...]
    double_dummy: Whole
    """Double-dummy tricks of the declarer on each deal."""
    tricks: Whole
    """By deal, declarer and defence."""
    points: Numbers
    """The declarer's winnings minus the undertrick penalty, likewise."""
    faults: tuple[Fault, ...] = ()
    times: Times = field(default_factory=dict)
    origin: Origin = UNKNOWN
    format: int = FORMAT

    @property
    def deals(self) -> int:
        return len(self.numbers)

    def payoffs(self, unit: str) -> NDArray[np.float64]:
        """The payoffs in `tricks` or `points`."""
        if unit not in ("tricks", "points"):
            raise SettingError(f"unknown unit {unit!r}: expected tricks or points")
        return self.points if unit == "points" else self.tricks.astype(float)

    def fair(self, names: Sequence[str]) -> list[int]:
        """The strategies that only see their own view."""
        return [at for at, name in enumerate(names) if hasattr(find_player(name), "card")]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MatchResult:
    """Complete games, with one entry per game in each of the tuples; or rubbers.

    Rubbers have one entry each in `numbers`, `seats`, `points`, `lengths` and `winners`, and one
    for each of their deals in the others.
    """

    work: MatchWork
    numbers: tuple[int, ...]
    """The number of the deal, or of the rubber."""
    seats: tuple[tuple[str, ...], ...]
    contracts: tuple[str | None, ...]
    declarers: tuple[int | None, ...]
    tricks: tuple[int | None, ...]
    bidders: tuple[tuple[int, ...], ...]
    points: Numbers
    """By game and seat."""
    lengths: tuple[int, ...] = ()
    """How many deals each rubber took; empty if deals were scored by themselves."""
    winners: tuple[int | None, ...] = ()
    """The seat that won each rubber; None for one that was broken off."""
    factors: tuple[int, ...] = ()
    """By deal, 2 if the contract was doubled and 4 if redoubled; empty if none could be."""
    faults: tuple[Fault, ...] = ()
    times: Times = field(default_factory=dict)
    origin: Origin = UNKNOWN
    format: int = FORMAT

    @property
    def deals(self) -> int:
        """How many deals, or rubbers, were played in all seatings."""
        return len(set(self.numbers))

    @property
    def seats_of_deals(self) -> tuple[tuple[str, ...], ...]:
        """Who sat where in each deal that was played."""
        if not self.lengths:
            return self.seats
        pairs = zip(self.seats, self.lengths, strict=True)
        return tuple(seats for seats, length in pairs for _ in range(length))

    def by_deal(self) -> NDArray[np.float64]:
        """Points per game of each strategy on each deal: the mean over all its seats."""
        games = self.work.games
        deals = len(self.numbers) // games
        points = self.points.reshape(deals, games * 3)
        holders = [name for seats in self.seats[:games] for name in seats]
        return np.column_stack(
            [
                points[:, [at for at, holder in enumerate(holders) if holder == name]].mean(axis=1)
                for name in self.work.strategies
            ]
        )


def new_origin(work: PlayWork | MatchWork, start: int, deals: int, seconds: float) -> Origin:
    """The origin of games played today."""
    return Origin(
        command_of(work, start, deals),
        datetime.now(UTC).date().isoformat(),
        seconds=round(seconds, 1),
        commit=commit(),
        strategies=work.versions,
    )


def play_result(work: PlayWork, games: Sequence[Outcome], origin: Origin = UNKNOWN) -> PlayResult:
    """The result of zero-sum play from the outcomes of its games, in order."""
    shape = (-1, len(work.declarers), len(work.defences))
    played = [game for game in games if isinstance(game, PlayOutcome)]
    heads = played[:: work.games]
    return PlayResult(
        work=work,
        numbers=tuple(game.number for game in heads),
        contracts=tuple(f"{game.contract} by {game.seat.letter}" for game in heads),
        double_dummy=np.array([game.double_dummy for game in heads], dtype=np.int64),
        tricks=np.array([game.tricks for game in played], dtype=np.int64).reshape(shape),
        points=np.array([game.points for game in played], dtype=float).reshape(shape),
        faults=tuple(fault for game in games for fault in game.faults),
        times=total_times(game.times for game in games),
        origin=origin,
    )


def match_result(
    work: MatchWork, games: Sequence[Outcome], origin: Origin = UNKNOWN
) -> MatchResult:
    """The result of whole games, or of rubbers, from their outcomes, in order."""
    played = [game for game in games if not isinstance(game, PlayOutcome)]
    rubbers = [game for game in played if isinstance(game, RubberOutcome)]
    deals = [deal for game in played for deal in game.games]
    return MatchResult(
        work=work,
        numbers=tuple(game.number for game in played),
        seats=tuple(game.seats for game in played),
        contracts=tuple(deal.contract for deal in deals),
        declarers=tuple(deal.declarer for deal in deals),
        tricks=tuple(deal.tricks for deal in deals),
        bidders=tuple(deal.bidders for deal in deals),
        points=np.array([game.points for game in played], dtype=float).reshape(-1, 3),
        lengths=tuple(len(rubber.games) for rubber in rubbers),
        winners=tuple(rubber.winner for rubber in rubbers),
        factors=tuple(deal.factor for deal in deals) if work.doubles else (),
        faults=tuple(fault for game in games for fault in game.faults),
        times=total_times(game.times for game in games),
        origin=origin,
    )


def result_of(
    work: PlayWork | MatchWork, games: Sequence[Outcome], origin: Origin = UNKNOWN
) -> PlayResult | MatchResult:
    """The result of the games of either kind of work."""
    if isinstance(work, PlayWork):
        return play_result(work, games, origin)
    return match_result(work, games, origin)


def loads(text: str, source: str = "the result") -> PlayResult | MatchResult:
    """Read a result."""
    try:
        data = json.loads(text)
        kinds: dict[str, Any] = {"play": PlayResult, "match": MatchResult}
        kind, version = kinds[data["work"]["kind"]], data["format"]
    except (KeyError, TypeError, ValueError):
        kind, version = None, None
    if kind is None or version != FORMAT:
        raise FormatError(f"{source}: not an arena result")
    result: PlayResult | MatchResult = codec.read(data, kind, f"{source}: not an arena result")
    return result


def save(result: PlayResult | MatchResult, path: Path) -> None:
    """Write a result to a file atomically."""
    text = codec.dumps(result) + "\n"
    packed = path.suffix == ".gz"
    write_atomic(path, gzip.compress(text.encode(), mtime=0) if packed else text)


def load(path: Path) -> PlayResult | MatchResult:
    """Read a result from a file."""
    data = path.read_bytes()
    try:
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError):
        raise FormatError(f"{path}: not an arena result") from None
    return loads(text, str(path))


def shipped_names() -> list[str]:
    """The results in the package: `play`, `play-NAME`, `match`, `match-NAME`, `ladder-NAME`.

    Shorter names come first, so that those without a suffix do.
    """
    folder = resources.files("tribridge.arena").joinpath("data")
    found = (file.name.removesuffix(".json.gz") for file in folder.iterdir())
    return sorted(found, key=lambda name: (len(name), name))


def load_shipped(name: str) -> PlayResult | MatchResult:
    """A result in the package."""
    data = resources.files("tribridge.arena").joinpath(f"data/{name}.json.gz").read_bytes()
    return loads(gzip.decompress(data).decode(), name)


def shipped(name: str = "play") -> PlayResult:
    """A result of zero-sum play in the package, by default that with search strategies."""
    result = load_shipped(name)
    assert isinstance(result, PlayResult)
    return result


def shipped_matches(kind: str = "match") -> tuple[MatchResult, ...]:
    """The matches in the package whose names begin with a word: `match` or `ladder`."""
    results = [load_shipped(name) for name in shipped_names() if name.startswith(kind)]
    return tuple(result for result in results if isinstance(result, MatchResult))
