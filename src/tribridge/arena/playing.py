"""One game between strategies, from first call to last card, with a reason for every choice.

A strategy that raises an exception, makes an illegal choice or exceeds its time commits a fault.
The game then stops, or continues with a substitute's choice: a pass, or any legal card. Either way
the fault is recorded with the strategy's name, and the record replays up to it.

Thinking is measured by the processor time of this process, so that other work on the machine costs
a strategy nothing; if it asks another process (`Strategy.outside`), by the wall clock.

Rubber number n of a seed is played with deals 1000 n, 1000 n + 1 and so on of the seed, whoever
plays it, until one player has won two games.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from numpy.random import Generator

from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.auction import PASS, Bid, call_name, parse_call
from tribridge.game.laws import Laws
from tribridge.game.record import Event, action_event, record_of, result_event
from tribridge.game.rubber import Rubber
from tribridge.game.table import Action, Table, new_table
from tribridge.game.views import view
from tribridge.strategies import Choice, Strategy, StrategyError, decision_rng, guarded_act

_PATIENCE: Final = 20
"""How many times its limit a strategy may take by the wall clock, at work or idle."""
_LOADING: Final = 60.0
"""Seconds for a choice that does not count."""
SPACING: Final = 1000
"""The difference between the numbers of the first deals of two rubbers."""
LONGEST: Final = 200
"""Deals after which a rubber is broken off and settled as it stands."""


Clock = Callable[[], float]
"""Tells seconds from any moment on."""


class OverrunError(StrategyError):
    """A strategy exceeded its time limit."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What a strategy did wrong, and where."""

    strategy: str
    seat: Seat
    action: int
    """The number of calls and cards before it."""
    kind: str
    """`overran` or `failed`."""
    message: str
    number: int = 0
    """The number of the deal, or of the rubber."""
    seats: tuple[str, ...] = ()
    """The strategies of North, East and South."""


class ThinkingTime(NamedTuple):
    """How many choices a strategy made and how long they took, by its `clock_of`."""

    choices: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def plus(self, other: ThinkingTime) -> ThinkingTime:
        """The time of both."""
        slowest = max(self.slowest, other.slowest)
        return ThinkingTime(self.choices + other.choices, self.seconds + other.seconds, slowest)


Times = dict[str, ThinkingTime]
"""By the name of the strategy."""


def total_times(each: Iterable[Mapping[str, ThinkingTime]]) -> Times:
    """The times of several games together."""
    total: Times = {}
    for times in each:
        for name, own in times.items():
            total[name] = total.get(name, ThinkingTime()).plus(own)
    return total


@dataclass(frozen=True, slots=True)
class Game:
    """A game as far as it was played."""

    start: Table
    table: Table
    choices: tuple[Choice, ...] = ()
    faults: tuple[Fault, ...] = ()
    times: Times = field(default_factory=dict)

    def events(
        self,
        head: Mapping[str, Any],
        *,
        seed: int | None = None,
        number: int | None = None,
    ) -> Iterator[Event]:
        """The game as events of a record; `head` goes into the first event, under `game`."""
        table = self.start
        bare = record_of(table, seed=seed, number=number)
        yield {**next(bare.events()), "game": head}
        for choice in self.choices:
            event = action_event(table, choice.action) | {"reason": str(choice.reason)}
            if choice.details:
                event["details"] = {name: float(value) for name, value in choice.details.items()}
            yield event
            table = table.apply_unchecked(choice.action)
        if table.over:
            yield result_event(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealOutcome:
    """How a deal between three strategies ended, and who bid."""

    bidders: tuple[int, ...]
    contract: str | None
    declarer: int | None
    tricks: int | None
    factor: int = 1
    faults: tuple[Fault, ...] = ()
    times: Times = field(default_factory=dict)


def deal_outcome(game: Game) -> DealOutcome:
    """The outcome of a game."""
    auction, position = game.table.auction, game.table.position
    contract = auction.contract
    bidders = (
        auction.dealer.after(at).index
        for at, call in enumerate(auction.calls)
        if isinstance(call, Bid)
    )
    return DealOutcome(
        bidders=tuple(sorted(set(bidders))),
        contract=None if contract is None else call_name(contract.bid),
        declarer=None if contract is None else contract.declarer.index,
        tricks=None if position is None else position.won,
        factor=1 if contract is None else contract.factor,
        faults=game.faults,
        times=game.times,
    )


def play(
    table: Table,
    strategies: Sequence[Strategy],
    *,
    seed: int,
    number: int,
    given: Sequence[Action] = (),
    limit: float | None = None,
    untimed: Collection[str] = (),
    stop: bool = False,
) -> Game:
    """Play a deal out; `strategies` are those of North, East and South.

    The actions of `given` are played first without asking anyone. `limit` is the time limit for a
    choice in seconds, except for the strategies named in `untimed`; with `stop` the game ends at
    the first fault.
    """
    start = table
    for place, strategy in zip(Seat, strategies, strict=True):
        strategy.start(place, view(start, place))
    choices = [Choice(action, "Fixed before the game.") for action in given]
    for action in given:
        table = table.apply(action)
    names = tuple(strategy.name for strategy in strategies)
    faults: list[Fault] = []
    took: dict[str, list[float]] = {}
    while (seat := table.turn) is not None:
        strategy, actions = strategies[seat.index], len(choices)
        clock = clock_of(strategy)
        begin = clock()
        try:
            rng = decision_rng(seed, number, seat, actions)
            own = None if strategy.name in untimed else limit
            choice = in_time(partial(guarded_act, strategy, table, rng), own, clock)
        except StrategyError as error:
            kind = "overran" if isinstance(error, OverrunError) else "failed"
            faults.append(Fault(strategy.name, seat, actions, kind, str(error), number, names))
            if stop:
                break
            rng = decision_rng(seed, number, 3 + seat.index, actions)
            choice = stand_in(table.legal, strategy, rng)
        finally:
            took.setdefault(strategy.name, []).append(clock() - begin)
        choices.append(choice)
        table = table.apply_unchecked(choice.action)
    times = {
        name: ThinkingTime(len(each), round(sum(each), 6), round(max(each), 6))
        for name, each in took.items()
    }
    return Game(start, table, tuple(choices), tuple(faults), times)


def play_rubber(
    strategies: Sequence[Strategy],
    laws: Laws,
    *,
    seed: int,
    number: int,
    doubles: bool = False,
    limit: float | None = None,
    untimed: Collection[str] = (),
    stop: bool = False,
) -> list[Game]:
    """Play a rubber; `strategies` are those of North, East and South.

    The first deal is North's in rubber 0, East's in rubber 1 and so on. With `stop`, the first
    fault ends it.
    """
    games: list[Game] = []
    while not (rubber := rubber_of(laws, number, games)).over and len(games) < LONGEST:
        at = number * SPACING + len(games)
        table = new_table(deal(seed, at), rubber.dealer, doubles=doubles, rubber=rubber.state)
        games.append(
            play(table, strategies, seed=seed, number=at, limit=limit, untimed=untimed, stop=stop)
        )
        if stop and games[-1].faults:
            break
    return games


def rubber_of(laws: Laws, number: int, games: Iterable[Game]) -> Rubber:
    """A rubber as far as its games were played out."""
    rubber = Rubber(laws, Seat(number % 3))
    for game in games:
        if game.table.over:
            rubber = rubber.add(game.table)
    return rubber


def clock_of(strategy: Strategy) -> Clock:
    """The clock by which a strategy's thinking is measured."""
    return time.perf_counter if strategy.outside else time.process_time


def in_time(choose: Callable[[], Choice], limit: float | None, clock: Clock) -> Choice:
    """What `choose` returns; an error if that takes longer than the limit, by a clock."""
    if limit is None:
        return choose()
    begin, wall = clock(), time.perf_counter()

    def over() -> bool:
        return clock() - begin > limit or time.perf_counter() - wall > _PATIENCE * limit

    def late() -> OverrunError:
        took, waited = clock() - begin, time.perf_counter() - wall
        if took > limit:
            return OverrunError(f"took {took:.2f} s for a choice; the limit is {limit:g} s")
        return OverrunError(
            f"gave no answer for {waited:.2f} s; the limit is {limit:g} s of processor time"
        )

    try:
        with _alarm(limit, over):
            choice = choose()
    except StrategyError as error:
        if isinstance(error, OverrunError) or isinstance(error.__cause__, OverrunError):
            raise late() from None
        raise
    if over():
        raise late()
    return choice


def warm_up(strategy: Strategy) -> None:
    """Let a strategy make a call and play a card that do not count.

    What it loads and compiles for them is then not part of the time of its choices.
    """
    table = new_table(deal(0, 0), Seat.NORTH)
    contract = table.apply(parse_call("1NT")).apply(PASS).apply(PASS)
    for place in Seat:
        strategy.start(place, view(table, place))
    for each in (table, contract):
        with suppress(StrategyError):
            rng = decision_rng(0, 0, 0, 0)
            in_time(partial(guarded_act, strategy, each, rng), _LOADING, clock_of(strategy))


@contextmanager
def _alarm(limit: float, over: Callable[[], bool]) -> Iterator[None]:
    """Interrupt a choice that takes too long; without alarms, the time is checked afterwards.

    From the limit on, the alarm rings again and again and looks whether the time is over.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not usable:
        yield
        return

    def ring(*_: object) -> None:
        if over():
            raise OverrunError("time is up")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit, limit / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def stand_in(legal: Sequence[Action], strategy: Strategy, rng: Generator) -> Choice:
    """A pass or any legal card, in place of a strategy that failed to choose.

    `rng` is independent of the strategy's own draws.
    """
    card = isinstance(legal[0], Card)
    action = legal[int(rng.integers(len(legal)))] if card else PASS
    return Choice(action, f"A substitute chose because {strategy.name} failed.")
