"""What to play: fixed contracts for each pair of strategies, or complete games.

Work is a value that can be sent to any process: strategies by name, a seed, settings. `run` plays
all games of a range of deals and returns them as compressed records in JSON Lines, the events of
`game.record` with a `reason` beside every call and card and a summary in the first event under
`game`. The summary alone is read back for results.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any, Final, Protocol

from tribridge.arena.contracts import DOUBLE_DUMMY, FORECAST, check_rule, set_contract
from tribridge.arena.playing import Game, faults_and_times, outcome_of, play, play_on
from tribridge.arena.rubbers import SPACING, next_table, played_rubber
from tribridge.cards import FULL_DECK, Deck, Strain, parse_deck, parse_strain
from tribridge.dealer import check_seed, deal
from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.errors import FormatError, SettingError
from tribridge.game.auction import call_name
from tribridge.game.laws import find_laws
from tribridge.game.record import Event
from tribridge.game.scoring import find_scheme, scores
from tribridge.game.table import Table, new_table
from tribridge.parallel import Job, Range
from tribridge.strategies import Strategy, find_player, find_strategy
from tribridge.strategies.callers.simple import PassCaller
from tribridge.strategies.versions import Version, player_version, strategy_version

Summary = dict[str, Any]
"""What results are built from: names, contract, tricks, points and faults of a game."""

_HEAD: Final = '{"event": "deal"'


class Work(Job[bytes], Protocol):
    """Games to be played for ranges of deals."""

    @property
    def stop(self) -> bool:
        """Whether the first fault ends the run."""
        ...

    @property
    def games(self) -> int:
        """Games per deal."""
        ...

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies as they are now."""
        ...

    def describe(self) -> dict[str, Any]:
        """The work as JSON."""
        ...


@dataclass(frozen=True, slots=True)
class PlayWork:
    """Zero-sum play: each declarer against each defence, in the same contract on the same deal."""

    declarers: tuple[str, ...]
    defences: tuple[str, ...]
    seed: int = 1
    strain: Strain | None = None
    """The strain of all contracts; None for the rule of `contracts`."""
    scheme: str = "auction"
    deck: Deck = FULL_DECK
    limit: float | None = None
    stop: bool = False
    contracts: str = FORECAST
    """The rule of `contracts` that chooses declarer and level."""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_rule(self.contracts)
        find_scheme(self.scheme)
        _check_limit(self.limit)
        for side, names in (("declarers", self.declarers), ("defences", self.defences)):
            if not names:
                raise SettingError(f"no {side} given: name at least one strategy")
            _check_twice(names)
            for name in names:
                find_player(name)
        if self.strain is not None and self.strain not in self.deck.strains:
            raise SettingError(f"{self.strain.letter} cannot be trumps in a deck of {self.deck}")

    @property
    def games(self) -> int:
        return len(self.declarers) * len(self.defences)

    @property
    def versions(self) -> tuple[Version, ...]:
        names = dict.fromkeys((*self.declarers, *self.defences))
        return tuple(player_version(name) for name in names)

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal"

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "play",
            **asdict(self),
            "strain": None if self.strain is None else self.strain.letter,
            "deck": str(self.deck),
        }

    def run(self, piece: Range) -> bytes:
        return packed(self._events(*piece))

    def _events(self, start: int, end: int) -> Iterator[Event]:
        scheme, truth = find_scheme(self.scheme), _truth(self.deck)
        for number in range(start, end):
            dealt = deal(self.seed, number, self.deck)
            setting = set_contract(dealt, number, self.strain, truth, self.contracts)
            contract = setting.contract
            table = new_table(dealt, contract.declarer, scheme=scheme)
            for row in self.declarers:
                for column in self.defences:
                    seats = [_player(column)] * 3
                    seats[contract.declarer] = _player(row)
                    game = play(
                        table,
                        seats,
                        seed=self.seed,
                        number=number,
                        given=setting.calls,
                        limit=self.limit,
                        stop=self.stop,
                    )
                    tricks = game.table.position.won if game.table.position is not None else 0
                    summary = {
                        "declarer": row,
                        "defence": column,
                        "contract": call_name(contract.bid),
                        "seat": contract.declarer.letter,
                        "double_dummy": setting.double_dummy,
                        "tricks": tricks,
                        "points": float(scheme.net(contract, tricks, self.deck)),
                        **faults_and_times([game]),
                    }
                    yield from game.record(
                        summary, seed=self.seed, number=number, scheme=scheme.name
                    )
                    if game.faults and self.stop:
                        return


@dataclass(frozen=True, slots=True)
class MatchWork:
    """Complete games: every trio of strategies in every seating, on the same deals.

    Under `laws` they play rubbers, which are numbered in place of deals, and the laws replace the
    scheme.
    """

    strategies: tuple[str, ...]
    seed: int = 1
    scheme: str = "auction"
    deck: Deck = FULL_DECK
    doubles: bool = False
    limit: float | None = None
    stop: bool = False
    laws: str | None = None

    def __post_init__(self) -> None:
        check_seed(self.seed)
        find_scheme(self.scheme)
        _check_limit(self.limit)
        if self.laws is not None:
            find_laws(self.laws)
            if self.deck != FULL_DECK:
                raise SettingError(f"rubbers need the full deck, not {self.deck}")
        if not self.strategies:
            raise SettingError("no strategies given: name at least one")
        _check_twice(self.strategies)
        for name in self.strategies:
            find_strategy(name)

    @property
    def games(self) -> int:
        return len(seatings(self.strategies))

    @property
    def versions(self) -> tuple[Version, ...]:
        return tuple(strategy_version(name) for name in self.strategies)

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal" if self.laws is None else "rubber"

    def describe(self) -> dict[str, Any]:
        description = {"kind": "match", **asdict(self), "deck": str(self.deck)}
        if self.laws is None:  # as before there were laws
            del description["laws"]
        return description

    def run(self, piece: Range) -> bytes:
        return packed(self._events(*piece))

    def _events(self, start: int, end: int) -> Iterator[Event]:
        for number in range(start, end):
            for names in seatings(self.strategies):
                games: list[Game] = []
                while (table := self.next_table(number, games)) is not None:
                    games.append(self.play_on(Game(table, table), names, number, len(games)))
                    if self.stop and games[-1].faults:
                        break
                yield from self.records(names, number, games)
                if self.stop and games[-1].faults:
                    return

    def next_table(self, number: int, games: Sequence[Game]) -> Table | None:
        """The table of the game after those of a seating; None if there is none.

        There is one game for each deal; a rubber has as many as it takes.
        """
        if self.laws is not None:
            return next_table(find_laws(self.laws), self.seed, number, games, doubles=self.doubles)
        if games:
            return None
        dealt = deal(self.seed, number, self.deck)
        scheme = find_scheme(self.scheme)
        return new_table(dealt, Seat(number % 3), doubles=self.doubles, scheme=scheme)

    def play_on(
        self,
        game: Game,
        names: Sequence[str],
        number: int,
        at: int,
        seconds: float | None = None,
    ) -> Game:
        """Play a game on to its end, or for some seconds; `at` counts the games before it."""
        return play_on(
            game,
            [_strategy(name) for name in names],
            seed=self.seed,
            number=number if self.laws is None else number * SPACING + at,
            limit=self.limit,
            stop=self.stop,
            seconds=seconds,
        )

    def records(self, names: Sequence[str], number: int, games: Sequence[Game]) -> Iterator[Event]:
        """The records of the games of a seating, with a summary in the head of the first."""
        if self.laws is not None:
            rubber = played_rubber(find_laws(self.laws), number, games)
            yield from rubber.events(names, self.seed)
            return
        scheme = find_scheme(self.scheme)
        for game in games:
            summary = {"seats": list(names), **outcome_of(game), **faults_and_times([game])}
            outcome = game.table.outcome
            if outcome is not None:
                points = scores(outcome, scheme, self.deck)
                summary["points"] = [float(one) for one in points]
            yield from game.record(summary, seed=self.seed, number=number, scheme=scheme.name)


def seatings(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Who sits North, East and South in each game on a deal.

    Every trio of strategies in every order; with two strategies, two of one against one of the
    other, both ways; one alone plays itself. Each strategy sits in each seat equally often.

    Examples:
        >>> ["".join(seating) for seating in seatings(["a", "b"])]
        ['aab', 'aba', 'baa', 'abb', 'bab', 'bba']
    """
    trios: list[tuple[str, ...]] = list(combinations(names, 3))
    if len(names) == 1:
        trios = [(names[0],) * 3]
    elif len(names) == 2:
        first, second = names
        trios = [(first, first, second), (first, second, second)]
    return tuple(order for trio in trios for order in dict.fromkeys(permutations(trio)))


def work_of(description: Mapping[str, Any]) -> PlayWork | MatchWork:
    """The work of a description."""
    try:
        values = dict(description)
        kind = values.pop("kind")
        values["deck"] = parse_deck(values["deck"])
        if kind == "match":
            return MatchWork(**{**values, "strategies": tuple(values["strategies"])})
        if kind != "play":
            raise FormatError(f"unknown kind of games {kind!r}: expected play or match")
        values["strain"] = None if values["strain"] is None else parse_strain(values["strain"])
        values.setdefault("contracts", DOUBLE_DUMMY)  # the only rule there was
        sides = {side: tuple(values[side]) for side in ("declarers", "defences")}
        return PlayWork(**{**values, **sides})
    except (KeyError, TypeError):
        raise FormatError("not an arena description") from None


def command_of(work: PlayWork | MatchWork, start: int, deals: int) -> str:
    """The command that plays these games.

    Examples:
        >>> command_of(PlayWork(("maxims",), ("random",)), 0, 50)
        'tribridge arena play maxims --against random --deals 50 --seed 1'
    """
    if isinstance(work, PlayWork):
        words = ["play", *work.declarers]
        if work.defences != work.declarers:
            words += [word for name in work.defences for word in ("--against", name)]
    else:
        words = ["match", *work.strategies]
    if isinstance(work, MatchWork) and work.laws is not None:
        words += ["--laws", work.laws]
    words += ["--deals", str(deals), "--seed", str(work.seed)]
    if start:
        words += ["--start", str(start)]
    if isinstance(work, PlayWork) and work.strain is not None:
        words += ["--strain", work.strain.letter]
    if isinstance(work, PlayWork) and work.contracts != FORECAST:
        words += ["--contracts", work.contracts]
    if work.scheme != "auction":
        words += ["--scheme", work.scheme]
    if work.deck != FULL_DECK:
        words += ["--deck", str(work.deck)]
    if isinstance(work, MatchWork) and work.doubles:
        words.append("--doubles")
    if work.limit is not None:
        words += ["--limit", f"{work.limit:g}"]
    if work.stop:
        words += ["--on-error", "stop"]
    return " ".join(["tribridge arena", *words])


def summaries(data: bytes) -> list[Summary]:
    """The summaries of the games in a file of records, each with the number of its deal.

    The deals of a rubber have one summary, with the number of the rubber.
    """
    heads = []
    for line in gzip.decompress(data).decode().split("\n"):
        if line.startswith(_HEAD):
            head = json.loads(line)
            game = head["game"]
            if "in_rubber" not in game:
                heads.append({"number": head["number"], **game})
            elif "rubber" in game:
                heads.append(game["rubber"])
    return heads


def packed(events: Iterable[Event]) -> bytes:
    """Records as a compressed file of JSON Lines."""
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    return gzip.compress(text.encode(), compresslevel=5, mtime=0)


def _check_limit(limit: float | None) -> None:
    if limit is not None and not 0 < limit < float("inf"):
        raise SettingError(f"the time limit must be greater than 0 seconds, not {limit:g}")


def _check_twice(names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise SettingError(f"{name} is named twice")


@cache
def _player(name: str) -> Strategy:
    return Strategy(name, PassCaller(), find_player(name))


@cache
def _strategy(name: str) -> Strategy:
    return find_strategy(name)


@cache
def _truth(deck: Deck) -> DoubleDummy:
    return DoubleDummy(deck)
