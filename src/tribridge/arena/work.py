"""What to play: fixed contracts for each pair of strategies, or complete games.

Work is a value: strategies by name, a seed, settings. It can be written to a file and sent to any
process. `play` plays all games of a deal and gives the outcome of each. A record of a game is the
events of `game.record` with a `reason` beside every call and card and the outcome in the first
event, under `game`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import combinations, permutations
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
from tribridge.game.laws import find_laws, laws_text
from tribridge.game.record import Event
from tribridge.game.scoring import find_scheme, scheme_text, scores
from tribridge.game.table import new_table
from tribridge.strategies import Strategy, bidding_for, find_player, find_strategy
from tribridge.strategies.callers.simple import PassCaller
from tribridge.strategies.versions import Version, player_version, strategy_version

_OPTIONS: Final = ("strain", "scheme", "deck", "limit", "contracts", "laws")
"""Settings that the command line has under the same name."""


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
    scheme: str = "auction"
    """As `scheme_text` writes it: a scheme from a file by its table, since the file may change."""
    deck: Deck = FULL_DECK
    limit: float | None = None
    """Seconds for a choice."""
    untimed: tuple[str, ...] = ()
    """Strategies without a limit."""
    stop: bool = False
    """Whether the first fault ends the run."""

    def _check(self, **named: Sequence[str]) -> None:
        """Check the settings, and that no strategy is named twice."""
        check_seed(self.seed)
        object.__setattr__(self, "scheme", scheme_text(find_scheme(self.scheme)))
        if self.limit is not None and not 0 < self.limit < float("inf"):
            raise SettingError(f"the time limit must be greater than 0 seconds, not {self.limit:g}")
        for what, names in named.items():
            if not names:
                raise SettingError(f"no {what} given: name at least one")
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

    declarers: tuple[str, ...]
    defences: tuple[str, ...]
    strain: Strain | None = None
    """The strain of all contracts; None for the rule of `contracts`."""
    contracts: str = FORECAST
    """The rule of `contracts` that chooses declarer and level."""
    kind: Literal["play"] = "play"

    def __post_init__(self) -> None:
        self._check(declarers=self.declarers, defences=self.defences)
        check_rule(self.contracts)
        for name in (*self.declarers, *self.defences):
            find_player(name)
        if self.strain is not None and self.strain not in self.deck.strains:
            raise SettingError(f"{self.strain.letter} cannot be trumps in a deck of {self.deck}")

    @property
    def games(self) -> int:
        """Games per deal."""
        return len(self.declarers) * len(self.defences)

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies as they are now."""
        names = dict.fromkeys((*self.declarers, *self.defences))
        return tuple(player_version(name) for name in names)

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal"

    def play(self, number: int) -> Iterator[tuple[PlayOutcome, list[Game]]]:
        """Play all games of a deal, each with its outcome."""
        scheme, truth = find_scheme(self.scheme), _truth(self.deck)
        dealt = deal(self.seed, number, self.deck)
        setting = set_contract(dealt, number, self.strain, truth, self.contracts)
        contract = setting.contract
        table = new_table(dealt, contract.declarer, scheme=scheme)
        players = {
            name: self._ready(Strategy(name, PassCaller(), find_player(name)))
            for name in (*self.declarers, *self.defences)
        }
        for row in self.declarers:
            for column in self.defences:
                seats = [players[column]] * 3
                seats[contract.declarer] = players[row]
                game = play(table, seats, given=setting.calls, **self._asked(number))
                tricks = game.table.position.won if game.table.position is not None else 0
                outcome = PlayOutcome(
                    number=number,
                    declarer=row,
                    defence=column,
                    contract=call_name(contract.bid),
                    seat=contract.declarer,
                    double_dummy=setting.double_dummy,
                    tricks=tricks,
                    points=float(scheme.net(contract, tricks, self.deck)),
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

    strategies: tuple[str, ...]
    doubles: bool = False
    laws: str | None = None
    kind: Literal["match"] = "match"

    def __post_init__(self) -> None:
        self._check(strategies=self.strategies)
        if self.laws is not None:
            object.__setattr__(self, "laws", laws_text(find_laws(self.laws)))
            if self.deck != FULL_DECK:
                raise SettingError(f"rubbers need the full deck, not {self.deck}")
        for name in self.strategies:
            find_strategy(name)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """Who sits where in each game on a deal."""
        return seatings(self.strategies)

    @property
    def games(self) -> int:
        """Games per deal, or rubbers per number."""
        return len(self.seatings)

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies as they are now."""
        return tuple(strategy_version(name, self._bids_for) for name in self.strategies)

    @property
    def unit(self) -> str:
        """What is numbered and counted."""
        return "deal" if self.laws is None else "rubber"

    @property
    def _bids_for(self) -> str | None:
        return self.scheme if self.laws is None else None

    def play(
        self, number: int, seatings: Sequence[tuple[str, ...]] = ()
    ) -> Iterator[tuple[MatchOutcome, list[Game]]]:
        """Play a deal, or rubber, in all seatings or in some; each with its outcome and games."""
        asked, scheme = self._asked(number), find_scheme(self.scheme)
        laws = None if self.laws is None else find_laws(self.laws)
        strategies = {
            name: self._ready(bidding_for(find_strategy(name), self._bids_for))
            for name in self.strategies
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
        >>> command_of(PlayWork(("maxims",), ("random",)), 0, 50)
        'tribridge arena contracts maxims --against random --deals 50 --seed 1'
    """
    if isinstance(work, PlayWork):
        words = ["contracts", *work.declarers]
        if work.defences != work.declarers:
            words += [word for name in work.defences for word in ("--against", name)]
    else:
        words = ["match", *work.strategies]
    words += ["--deals", str(deals), "--seed", str(work.seed)]
    if start:
        words += ["--start", str(start)]
    values, options = codec.plain(work), {option.name: option for option in fields(work)}
    for name in _OPTIONS:
        if name in options and getattr(work, name) != options[name].default:
            words += [f"--{name}", quote(f"{values[name]}")]
    words += ["--doubles"] * values.get("doubles", False) + ["--on-error", "stop"] * work.stop
    return " ".join(["tribridge arena", *words])


def packed(events: Iterable[Event]) -> bytes:
    """Records as a compressed file of JSON Lines."""
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    return gzip.compress(text.encode(), compresslevel=5, mtime=0)


def records(work: PlayWork | MatchWork, outcome: Outcome, games: Sequence[Game]) -> Iterator[Event]:
    """The records of games; the first one has the outcome of all in its head."""
    scheme: str | None = work.scheme
    for at, game in enumerate(games):
        number = outcome.number
        if isinstance(outcome, PlayOutcome):
            head = codec.plain(outcome)
        else:
            head = codec.plain(outcome.games[at]) | {"seats": list(outcome.seats)}
            if game.start.rubber is not None:
                head |= {"in_rubber": number, "deal": at}
                number, scheme = number * SPACING + at, None
            if not at:
                head["outcome"] = codec.plain(outcome)
        yield from game.events(head, seed=work.seed, number=number, scheme=scheme)


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
