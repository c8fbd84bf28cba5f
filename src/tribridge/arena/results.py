"""Arena results: the games of a run as arrays by deal, and as a file.

Every statement about strategies is computed from these arrays, with deals as the unit; a result
file (JSON, compressed if the name ends in `.gz`) is all that a report needs.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import __version__
from tribridge.arena.work import MatchWork, PlayWork, Summary, command_of, work_of
from tribridge.errors import FormatError, NotFoundError, SettingError
from tribridge.files import write_atomic
from tribridge.strategies import find_player
from tribridge.strategies.versions import Version, commit, list_versions

FORMAT: Final = 1

Numbers = NDArray[np.float64]
Times = Mapping[str, tuple[int, float, float]]


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
    """Who played; empty in results of before strategies had versions."""

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
    double_dummy: NDArray[np.int64]
    """Double-dummy tricks of the declarer on each deal."""
    tricks: NDArray[np.int64]
    """By deal, declarer and defence."""
    points: Numbers
    """The declarer's winnings minus the undertrick penalty, likewise."""
    faults: tuple[Summary, ...] = ()
    times: Times = field(default_factory=dict)
    origin: Origin = Origin()

    @property
    def deals(self) -> int:
        return len(self.numbers)

    def payoffs(self, unit: str) -> Numbers:
        """The payoffs in `tricks` or `points`."""
        if unit not in ("tricks", "points"):
            raise SettingError(f"unknown unit {unit!r}: expected tricks or points")
        return self.points if unit == "points" else self.tricks.astype(float)

    def fair(self, names: Sequence[str]) -> list[int]:
        """The strategies that only see their own view."""
        return [at for at, name in enumerate(names) if is_fair(name)]


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
    faults: tuple[Summary, ...] = ()
    times: Times = field(default_factory=dict)
    origin: Origin = Origin()

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

    def by_deal(self) -> Numbers:
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
    today = datetime.now(UTC).date().isoformat()
    return Origin(
        command_of(work, start, deals),
        today,
        seconds=round(seconds, 1),
        commit=commit(),
        strategies=work.versions,
    )


def origin_of(data: Mapping[str, Any]) -> Origin:
    """The origin that was written as JSON."""
    strategies = tuple(Version(**one) for one in data.get("strategies", ()))
    return Origin(**{**data, "strategies": strategies})


def is_fair(name: str) -> bool:
    """Whether a player only sees its own view."""
    return hasattr(find_player(name), "card")


def play_result(work: PlayWork, games: Sequence[Summary], origin: Origin = UNKNOWN) -> PlayResult:
    """The result of zero-sum play from the summaries of its games, in order."""
    shape = (-1, len(work.declarers), len(work.defences))
    heads = games[:: work.games]
    return PlayResult(
        work=work,
        numbers=tuple(game["number"] for game in heads),
        contracts=tuple(f"{game['contract']} by {game['seat']}" for game in heads),
        double_dummy=np.array([game["double_dummy"] for game in heads], dtype=np.int64),
        tricks=np.array([game["tricks"] for game in games], dtype=np.int64).reshape(shape),
        points=np.array([game["points"] for game in games], dtype=float).reshape(shape),
        faults=_faults(games),
        times=_times(games),
        origin=origin,
    )


def match_result(
    work: MatchWork, games: Sequence[Summary], origin: Origin = UNKNOWN
) -> MatchResult:
    """The result of whole games from their summaries, in order."""
    if work.laws is not None:
        return _rubbers_result(work, games, origin)
    return MatchResult(
        work=work,
        numbers=tuple(game["number"] for game in games),
        seats=tuple(tuple(game["seats"]) for game in games),
        contracts=tuple(game["contract"] for game in games),
        declarers=tuple(game["declarer"] for game in games),
        tricks=tuple(game["tricks"] for game in games),
        bidders=tuple(tuple(game["bidders"]) for game in games),
        points=np.array([game["points"] for game in games], dtype=float).reshape(-1, 3),
        factors=tuple(game.get("factor", 1) for game in games) if work.doubles else (),
        faults=_faults(games),
        times=_times(games),
        origin=origin,
    )


def _rubbers_result(work: MatchWork, rubbers: Sequence[Summary], origin: Origin) -> MatchResult:
    return MatchResult(
        work=work,
        numbers=tuple(one["number"] for one in rubbers),
        seats=tuple(tuple(one["seats"]) for one in rubbers),
        contracts=tuple(contract for one in rubbers for contract in one["contracts"]),
        declarers=tuple(declarer for one in rubbers for declarer in one["declarers"]),
        tricks=tuple(tricks for one in rubbers for tricks in one["tricks"]),
        bidders=tuple(tuple(bidders) for one in rubbers for bidders in one["bidders"]),
        points=np.array([one["points"] for one in rubbers], dtype=float).reshape(-1, 3),
        lengths=tuple(one["deals"] for one in rubbers),
        winners=tuple(one["winner"] for one in rubbers),
        factors=tuple(factor for one in rubbers for factor in one["factors"])
        if work.doubles
        else (),
        faults=_faults(rubbers),
        times=_times(rubbers),
        origin=origin,
    )


def dumps(result: PlayResult | MatchResult) -> str:
    """Write a result as JSON."""
    common = {
        "format": FORMAT,
        "origin": asdict(result.origin),
        "work": result.work.describe(),
        "numbers": result.numbers,
        "contracts": result.contracts,
        "tricks": result.tricks.tolist() if isinstance(result, PlayResult) else result.tricks,
        "points": result.points.tolist(),
        "faults": list(result.faults),
        "times": dict(result.times),
    }
    if isinstance(result, PlayResult):
        common["double_dummy"] = result.double_dummy.tolist()
    else:
        common |= {
            "seats": result.seats,
            "declarers": result.declarers,
            "bidders": result.bidders,
        }
        if result.lengths:
            common |= {"lengths": result.lengths, "winners": result.winners}
        if result.factors:
            common["factors"] = result.factors
    return json.dumps(common) + "\n"


def loads(text: str, source: str = "the result") -> PlayResult | MatchResult:
    """Read a result."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError("no such format")
        work = work_of(data["work"])
        origin = origin_of(data["origin"])
        times = {name: (int(n), float(s), float(m)) for name, (n, s, m) in data["times"].items()}
        ends: dict[str, Any] = {"faults": tuple(data["faults"]), "times": times, "origin": origin}
        points = np.array(data["points"], dtype=float)
        if isinstance(work, PlayWork):
            shape = (-1, len(work.declarers), len(work.defences))
            return PlayResult(
                work=work,
                numbers=tuple(data["numbers"]),
                contracts=tuple(data["contracts"]),
                double_dummy=np.array(data["double_dummy"], dtype=np.int64),
                tricks=np.array(data["tricks"], dtype=np.int64).reshape(shape),
                points=points.reshape(shape),
                **ends,
            )
        return MatchResult(
            work=work,
            numbers=tuple(data["numbers"]),
            seats=tuple(map(tuple, data["seats"])),
            contracts=tuple(data["contracts"]),
            declarers=tuple(data["declarers"]),
            tricks=tuple(data["tricks"]),
            bidders=tuple(map(tuple, data["bidders"])),
            points=points.reshape(-1, 3),
            lengths=tuple(data.get("lengths", ())),
            winners=tuple(data.get("winners", ())),
            factors=tuple(map(int, data.get("factors", ()))),
            **ends,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        detail = f" ({error})" if isinstance(error, SettingError | NotFoundError) else ""
        raise FormatError(f"{source}: not an arena result{detail}") from None


def save(result: PlayResult | MatchResult, path: Path) -> None:
    """Write a result to a file atomically."""
    text = dumps(result)
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
    found = (one.name.removesuffix(".json.gz") for one in folder.iterdir())
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


def _faults(games: Iterable[Summary]) -> tuple[Summary, ...]:
    return tuple(
        {"number": game["number"], **_players(game), **fault}
        for game in games
        for fault in game["faults"]
    )


def _players(game: Summary) -> Summary:
    names = ("declarer", "defence") if "defence" in game else ("seats",)
    return {name: game[name] for name in names}


def _times(games: Iterable[Summary]) -> dict[str, tuple[int, float, float]]:
    """Choices, seconds in all and the slowest choice of each strategy."""
    times: dict[str, tuple[int, float, float]] = {}
    for game in games:
        for name, (choices, seconds, slowest) in game["times"].items():
            n, total, most = times.get(name, (0, 0.0, 0.0))
            times[name] = n + choices, total + seconds, max(most, slowest)
    return times
