"""One game between strategies, from first call to last card, with a reason for every choice.

A strategy that raises an exception, makes an illegal choice or exceeds its time commits a fault.
The game then stops, or continues with a substitute's choice: a pass, or any legal card. Either way
the fault is recorded with the strategy's name, and the record replays up to it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tribridge import __version__
from tribridge.cards import Card
from tribridge.deals import Seat
from tribridge.game.auction import PASS, Bid, call_name
from tribridge.game.record import Event, Record, action_event, result_event
from tribridge.game.table import Action, Table
from tribridge.strategies import Choice, Strategy, StrategyError, decision_rng, guarded_act


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

    def record(self) -> dict[str, Any]:
        """The fault as JSON."""
        return {
            "strategy": self.strategy,
            "seat": self.seat.letter,
            "action": self.action,
            "kind": self.kind,
            "message": self.message,
        }


@dataclass(slots=True)
class ThinkingTime:
    """How many choices a strategy made and how long they took."""

    choices: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def add(self, seconds: float) -> None:
        self.choices += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)


@dataclass(slots=True)
class Game:
    """A game as it was played."""

    start: Table
    table: Table
    events: list[Event] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    clocks: dict[str, ThinkingTime] = field(default_factory=dict)

    def record(
        self,
        summary: Mapping[str, Any],
        *,
        seed: int | None = None,
        number: int | None = None,
        scheme: str | None = None,
    ) -> Iterator[Event]:
        """The game as events of a record; `summary` goes into the first event, under `game`."""
        start = self.start
        bare = Record(
            deal=start.deal,
            dealer=start.dealer,
            doubles=start.auction.doubles,
            actions=(),
            seed=seed,
            number=number,
            scheme=scheme,
        )
        yield {**next(bare.events()), "game": dict(summary)}
        yield from self.events
        if self.table.over:
            yield result_event(self.table)


def play(
    table: Table,
    strategies: Sequence[Strategy],
    *,
    seed: int,
    number: int,
    given: Sequence[Action] = (),
    limit: float | None = None,
    stop: bool = False,
) -> Game:
    """Play a deal out; `strategies` are those of North, East and South.

    The actions of `given` are played first without asking anyone. `limit` is the time limit for a
    choice in seconds; with `stop` the game ends at the first fault.
    """
    game = Game(table, table)
    for action in given:
        game.events.append({**action_event(table, action), "reason": "Fixed before the game."})
        table = table.apply(action)
    game.table = table
    return play_on(game, strategies, seed=seed, number=number, limit=limit, stop=stop)


def play_on(
    game: Game,
    strategies: Sequence[Strategy],
    *,
    seed: int,
    number: int,
    limit: float | None = None,
    stop: bool = False,
    seconds: float | None = None,
) -> Game:
    """Play a game on to its end, or until `seconds` have passed after at least one choice."""
    end = None if seconds is None else time.monotonic() + seconds
    table, actions = game.table, len(game.events)
    while (seat := table.turn) is not None:
        strategy = strategies[seat]
        choice = _choice(game, strategy, table, seed, number, actions, limit)
        if choice is None:
            if stop:
                break
            choice = _stand_in(table, strategy, seed, number, actions)
        event = action_event(table, choice.action)
        event["reason"] = choice.reason
        if choice.details:
            event["details"] = {name: float(value) for name, value in choice.details.items()}
        game.events.append(event)
        table = table.apply_unchecked(choice.action)
        actions += 1
        if end is not None and time.monotonic() >= end:
            break
    game.table = table
    return game


def outcome_of(game: Game) -> dict[str, Any]:
    """The contract, who bid and who was outbid."""
    auction = game.table.auction
    bids = [
        (Seat((auction.dealer + at) % 3), call)
        for at, call in enumerate(auction.calls)
        if isinstance(call, Bid)
    ]
    contract = auction.contract
    outcome: dict[str, Any] = {
        "dealer": auction.dealer.letter,
        "calls": len(auction.calls),
        "bidders": sorted({int(seat) for seat, _ in bids}),
        "contract": None if contract is None else call_name(contract.bid),
        "declarer": None if contract is None else int(contract.declarer),
        "tricks": game.table.position.won if game.table.position is not None else None,
    }
    if contract is not None and contract.factor > 1:
        outcome["factor"] = contract.factor
    return outcome


def faults_and_times(games: Sequence[Game]) -> dict[str, Any]:
    """The faults in some games, how long each strategy thought, and the version that played."""
    times: dict[str, list[float]] = {}
    for game in games:
        for name, clock in game.clocks.items():
            choices, seconds, slowest = times.get(name, (0, 0.0, 0.0))
            times[name] = [
                choices + clock.choices,
                round(seconds + clock.seconds, 6),
                round(max(slowest, clock.slowest), 6),
            ]
    return {
        "faults": [fault.record() for game in games for fault in game.faults],
        "times": times,
        "version": __version__,
    }


def _choice(
    game: Game,
    strategy: Strategy,
    table: Table,
    seed: int,
    number: int,
    actions: int,
    limit: float | None,
) -> Choice | None:
    """What a strategy chooses; None, and a fault in the game, if the choice is not valid."""
    seat = table.turn
    assert seat is not None
    clock = game.clocks.setdefault(strategy.name, ThinkingTime())
    begin = time.perf_counter()
    try:
        with _alarm(limit):
            choice = guarded_act(strategy, table, decision_rng(seed, number, seat, actions))
        if limit is not None and (took := time.perf_counter() - begin) > limit:
            raise OverrunError(_late(took, limit))
    except StrategyError as error:
        late = isinstance(error, OverrunError) or isinstance(error.__cause__, OverrunError)
        kind = "overran" if late else "failed"
        message = _late(time.perf_counter() - begin, limit or 0.0) if late else str(error)
        game.faults.append(Fault(strategy.name, seat, actions, kind, message))
        return None
    finally:
        clock.add(time.perf_counter() - begin)
    return choice


def _late(took: float, limit: float) -> str:
    return f"took {took:.2f} s for a choice; the limit is {limit:g} s"


@contextmanager
def _alarm(limit: float | None) -> Iterator[None]:
    """Interrupt a choice that takes too long; without alarms, check the time afterwards."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if limit is None or not usable:
        yield
        return

    def ring(*_: object) -> None:
        raise OverrunError("time is up")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stand_in(table: Table, strategy: Strategy, seed: int, number: int, actions: int) -> Choice:
    """A pass or any legal card, in place of a strategy that failed to choose."""
    legal = table.legal
    action: Action = PASS
    if isinstance(legal[0], Card):
        seat = table.turn
        assert seat is not None
        # Independent of the strategy's own draws.
        rng = decision_rng(seed, number, 3 + seat, actions)
        action = legal[int(rng.integers(len(legal)))]
    return Choice(action, f"A substitute chose because {strategy.name} failed.")
