"""What to play: fixed contracts for each pair of strategies, or complete games.

Work is a value: strategies, a scheme or laws, a seed, settings; `of` makes it of names or objects.
It can be sent to any process, and is written to a file with the names of its strategies. `play`
plays all games of a deal and gives the outcome of each. A record of a game is the events of
`game.record` with a `reason` beside every call and card and the outcome in the first event, under
`game`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import combinations, permutations
from operator import attrgetter
from shlex import quote
from typing import Annotated, Any, Final, Literal, SupportsFloat, TypeAlias

from tribridge.arena.contracts import FORECAST, check_rule, set_contract
from tribridge.arena.playing import (
    SPACING,
    DealOutcome,
    Fault,
    Game,
    Times,
    deal_outcome,
    play,
    play_rubber,
    rubber_of,
    total_times,
    warm_up,
)
from tribridge.cards.cards import FULL_DECK, Deck, Strain
from tribridge.cards.dealer import check_seed, deal
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import call_name
from tribridge.game.laws import Laws, WrittenLaws, find_laws
from tribridge.game.record import Event
from tribridge.game.scoring import Scheme, WrittenScheme, find_scheme, scores
from tribridge.game.table import new_table
from tribridge.strategies import Strategy, as_player, as_strategy, bidding_for
from tribridge.strategies.versions import Version, player_version, strategy_version

_OPTIONS: Final = ("strain", "scheme", "deck", "limit", "contracts", "laws")
"""Settings that the command line has under the same name."""

Named = Annotated[Strategy, codec.Text(as_strategy, attrgetter("name"), Strategy)]
"""A strategy, by its name in a file."""
NamedPlayer = Annotated[Strategy, codec.Text(as_player, attrgetter("name"), Strategy)]
"""A strategy that only plays cards, by the name of its player in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOutcome:
    """How one declarer did against one defence in a fixed contract."""

    number: int
    """The number of the deal."""
    declarer: str
    defence: str
    contract: str
    seat: Seat
    """Of the declarer."""
    double_dummy: int
    """Declarer's tricks with best play by everyone."""
    tricks: int
    points: float
    """The declarer's winnings minus the undertrick penalty."""
    faults: tuple[Fault, ...] = ()
    times: Times = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What both kinds of work have in common."""

    seed: int = 1
    scheme: WrittenScheme = field(default_factory=partial(find_scheme, "auction"))
    deck: Deck = FULL_DECK
    limit: float | None = None
    """Seconds for a choice."""
    untimed: tuple[str, ...] = ()
    """The names of strategies without a limit."""
    stop: bool = False
    """Whether the first fault ends the run."""

    def _check(self, **named: Sequence[Strategy]) -> None:
        """Check the settings, and that no strategy is named twice."""
        check_seed(self.seed)
        if self.limit is not None and not 0 < self.limit < float("inf"):
            raise SettingError(f"the time limit must be greater than 0 seconds, not {self.limit:g}")
        for what, strategies in named.items():
            if not strategies:
                raise SettingError(f"no {what} given: name at least one")
            names = names_of(strategies)
            for at, name in enumerate(names):
                if name in names[:at]:
                    raise SettingError(f"{name} is named twice: give each a name of its own")

    def _asked(self, number: int) -> dict[str, Any]:
        """How strategies are asked for their choices on a deal, as `play` takes it."""
        names = "seed", "limit", "untimed", "stop"
        return {"number": number, **{name: getattr(self, name) for name in names}}

    def _ready(self, strategy: Strategy) -> Strategy:
        """A strategy that has made its first choices, if there is a limit, once in a process."""
        key = strategy.name, getattr(strategy.caller, "scheme", None)
        if self.limit is not None and key not in _WARM:
            warm_up(strategy)
            _WARM.add(key)
        return strategy


_WARM: Final[set[tuple[str, str | None]]] = set()


@dataclass(frozen=True, slots=True)
class PlayWork(_Work):
    """Zero-sum play: each declarer against each defence, in the same contract on the same deal."""

    declarers: tuple[NamedPlayer, ...]
    defences: tuple[NamedPlayer, ...]
    strain: Strain | None = None
    """The strain of all contracts; None for the rule of `contracts`."""
    contracts: str = FORECAST
    """The rule of `contracts` that chooses declarer and level."""
    kind: Literal["play"] = "play"

    def __post_init__(self) -> None:
        self._check(declarers=self.declarers, defences=self.defences)
        check_rule(self.contracts)
        if self.strain is not None and self.strain not in self.deck.strains:
            raise SettingError(f"{self.strain.letter} cannot be trumps in a deck of {self.deck}")

    @classmethod
    def of(
        cls,
        declarers: Iterable[object],
        defences: Iterable[object],
        *,
        scheme: Scheme | str = "auction",
        **settings: Any,
    ) -> PlayWork:
        """The work of strategies that are players, strategies or names of players."""
        rows, columns = (tuple(map(as_player, side)) for side in (declarers, defences))
        return cls(rows, columns, scheme=find_scheme(scheme), **settings)

    @property
    def games(self) -> int:
        """Games per deal."""
        return len(self.declarers) * len(self.defences)

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies as they are now."""
        return tuple(map(player_version, self._players.values()))

    @property
    def _players(self) -> dict[str, Strategy]:
        """Everybody who plays, by name."""
        return {strategy.name: strategy for strategy in (*self.declarers, *self.defences)}

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal"

    def play(self, number: int) -> Iterator[tuple[PlayOutcome, list[Game]]]:
        """Play all games of a deal, each with its outcome."""
        dealt = deal(self.seed, number, self.deck)
        setting = set_contract(dealt, number, self.strain, _truth(self.deck), self.contracts)
        contract = setting.contract
        table = new_table(dealt, contract.declarer, scheme=self.scheme)
        for player in self._players.values():
            self._ready(player)
        for row in self.declarers:
            for column in self.defences:
                seats = [column] * 3
                seats[contract.declarer] = row
                game = play(table, seats, given=setting.calls, **self._asked(number))
                tricks = game.table.position.won if game.table.position is not None else 0
                outcome = PlayOutcome(
                    number=number,
                    declarer=row.name,
                    defence=column.name,
                    contract=call_name(contract.bid),
                    seat=contract.declarer,
                    double_dummy=setting.double_dummy,
                    tricks=tricks,
                    points=float(self.scheme.net(contract, tricks, self.deck)),
                    faults=game.faults,
                    times=game.times,
                )
                yield outcome, [game]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """How a deal, or a rubber, between three strategies ended."""

    number: int
    """Of the deal, or of the rubber."""
    seats: tuple[str, ...]
    """The strategies of North, East and South."""
    points: tuple[float, ...] | None
    """By seat; None if a deal was not played to its end."""
    winner: int | None = None
    """The seat that won a rubber; None if it was broken off."""
    games: tuple[DealOutcome, ...]
    """The deal, or those of the rubber."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        faults = (fault for game in self.games for fault in game.faults)
        return tuple(replace(fault, number=self.number) for fault in faults)

    @property
    def times(self) -> Times:
        return total_times(game.times for game in self.games)


@dataclass(frozen=True, slots=True)
class MatchWork(_Work):
    """Complete games: every trio of strategies in every seating, on the same deals.

    Under `laws` they play rubbers, which are numbered in place of deals, and the laws replace the
    scheme. Otherwise they bid for the scheme, unless a strategy names another one.
    """

    strategies: tuple[Named, ...]
    doubles: bool = False
    laws: WrittenLaws | None = None
    kind: Literal["match"] = "match"

    def __post_init__(self) -> None:
        self._check(strategies=self.strategies)
        if self.laws is not None and self.deck != FULL_DECK:
            raise SettingError(f"rubbers need the full deck, not {self.deck}")

    @classmethod
    def of(
        cls,
        strategies: Iterable[object],
        *,
        scheme: Scheme | str = "auction",
        laws: Laws | str | None = None,
        **settings: Any,
    ) -> MatchWork:
        """The work of strategies, or of their names."""
        return cls(
            tuple(map(as_strategy, strategies)),
            scheme=find_scheme(scheme),
            laws=None if laws is None else find_laws(laws),
            **settings,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the strategies."""
        return names_of(self.strategies)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """Who sits where in each game on a deal."""
        return seatings(self.names)

    @property
    def games(self) -> int:
        """Games per deal, or rubbers per number."""
        return len(self.seatings)

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies as they are now."""
        return tuple(strategy_version(strategy, self._bids_for) for strategy in self.strategies)

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal" if self.laws is None else "rubber"

    @property
    def _bids_for(self) -> Scheme | None:
        return self.scheme if self.laws is None else None

    def play(
        self, number: int, seatings: Sequence[tuple[str, ...]] = ()
    ) -> Iterator[tuple[MatchOutcome, list[Game]]]:
        """Play a deal, or rubber, in all seatings or in some; each with its outcome and games."""
        asked, scheme, laws = self._asked(number), self.scheme, self.laws
        strategies = {
            strategy.name: self._ready(bidding_for(strategy, self._bids_for))
            for strategy in self.strategies
        }
        for names in seatings or self.seatings:
            seats = [strategies[name] for name in names]
            points: Iterable[SupportsFloat] | None = None
            winner: Seat | None = None
            if laws is None:
                dealt = deal(self.seed, number, self.deck)
                table = new_table(dealt, Seat(number % 3), doubles=self.doubles, scheme=scheme)
                games = [play(table, seats, **asked)]
                if (ended := games[0].table.outcome) is not None:
                    points = scores(ended, scheme, self.deck)
            else:
                games = play_rubber(seats, laws, doubles=self.doubles, **asked)
                rubber = rubber_of(laws, number, games)
                points, winner = rubber.totals().values(), rubber.winner
            outcome = MatchOutcome(
                number=number,
                seats=names,
                points=None if points is None else tuple(map(float, points)),
                winner=None if winner is None else winner.index,
                games=tuple(map(deal_outcome, games)),
            )
            yield outcome, games


Work = Annotated[PlayWork | MatchWork, codec.BY_KIND]
Outcome: TypeAlias = PlayOutcome | MatchOutcome


def names_of(strategies: Iterable[Strategy]) -> tuple[str, ...]:
    """The names of strategies, in order."""
    return tuple(strategy.name for strategy in strategies)


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


def command_of(work: PlayWork | MatchWork, start: int, deals: int) -> str:
    """The command that plays these games.

    Examples:
        >>> command_of(PlayWork.of(["maxims"], ["random"]), 0, 50)
        'tribridge arena contracts maxims --against random --deals 50 --seed 1'
    """
    usual: PlayWork | MatchWork
    if isinstance(work, PlayWork):
        declarers, defences = names_of(work.declarers), names_of(work.defences)
        words, usual = ["contracts", *declarers], PlayWork(work.declarers, work.defences)
        if defences != declarers:
            words += [word for name in defences for word in ("--against", name)]
    else:
        words, usual = ["match", *work.names], MatchWork(work.strategies)
    words += ["--deals", str(deals), "--seed", str(work.seed)]
    if start:
        words += ["--start", str(start)]
    values, defaults = codec.plain(work), codec.plain(usual)
    for name in _OPTIONS:
        if values.get(name) != defaults.get(name):
            words += [f"--{name}", quote(f"{values[name]}")]
    words += ["--doubles"] * values.get("doubles", False) + ["--on-error", "stop"] * work.stop
    return " ".join(["tribridge arena", *words])


def packed(events: Iterable[Event]) -> bytes:
    """Records as a compressed file of JSON Lines."""
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    return gzip.compress(text.encode(), compresslevel=5, mtime=0)


def records(work: PlayWork | MatchWork, outcome: Outcome, games: Sequence[Game]) -> Iterator[Event]:
    """The records of games; the first one has the outcome of all in its head."""
    for at, game in enumerate(games):
        number = outcome.number
        if isinstance(outcome, PlayOutcome):
            head = codec.plain(outcome)
        else:
            head = codec.plain(outcome.games[at]) | {"seats": list(outcome.seats)}
            if game.start.rubber is not None:
                head |= {"in_rubber": number, "deal": at}
                number = number * SPACING + at
            if not at:
                head["outcome"] = codec.plain(outcome)
        yield from game.events(head, seed=work.seed, number=number)


def recorded(heads: Iterable[Event]) -> list[Outcome]:
    """The outcomes in the heads of records; a rubber has one for all its deals."""
    outcomes: list[Outcome] = []
    for head in heads:
        game = head["game"]
        if "defence" in game:
            outcomes.append(codec.read(game, PlayOutcome))
        elif "outcome" in game:
            outcomes.append(codec.read(game["outcome"], MatchOutcome))
    return outcomes


@cache
def _truth(deck: Deck) -> DoubleDummy:
    return DoubleDummy(deck)
