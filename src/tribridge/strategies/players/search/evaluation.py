"""Double dummy on sampled layouts, within a time limit.

A position holds what a view shows of the play; with a layout's hands it can be solved. A solve is
not interrupted: one starts only if the slowest so far (or, for the first, a generous guess) would
still fit. With several processes, persistent workers solve a share of the layouts each; results
that arrive late are dropped.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from tribridge.cards import HANDS, Card, Deck, cards_of
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.position import Position
from tribridge.game.tricks import Hands
from tribridge.once import once
from tribridge.parallel import worker_pool
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.suits import apart

Values = dict[Card, int]
"""Declarer's final number of tricks for each legal card."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Card values on one layout: double dummy and played out by the maxims; one may be missing."""

    double_dummy: Values | None
    played_out: Values | None = None

    @property
    def values(self) -> Values:
        """The double-dummy values if solved, otherwise those of the playouts."""
        values = self.played_out if self.double_dummy is None else self.double_dummy
        assert values is not None
        return values


DEFAULT_SECONDS: Final = 1.0
_USED: Final = 0.9
"""Share of the time limit that is planned for; the rest is a margin for other load."""
_FIRST_GUESS: Final = ((48, 0.4), (40, 0.1), (0, 0.04))
"""Upper guesses at the seconds of a first solve, by the number of cards left."""
_RESERVE: Final = 1.5
"""How much longer than the slowest solve so far the next one may take."""
_FLOOR: Final = 0.5
"""Share of the first guess that is always held in reserve: the next solve may be hard."""


@dataclass(slots=True)
class Clock:
    """The time a decision may take; without a limit it never runs out."""

    seconds: float | None
    began: float = field(default_factory=lambda: time.monotonic())
    slowest: float = 0.0

    @classmethod
    def of(cls, number: int, seconds: float) -> Clock:
        """The clock for a number of layouts or iterations and a time limit; 0 means not given."""
        if number and not seconds > 0:
            return cls(None)
        return cls(_USED * (seconds if seconds > 0 else DEFAULT_SECONDS))

    @property
    def spent(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.seconds is None else self.seconds - self.spent

    def room(self, guess: float = 0.0) -> bool:
        """Whether another piece of work fits, judging by the slowest so far or a first guess."""
        if self.seconds is None:
            return True
        reserve = max(self.slowest * _RESERVE, guess * _FLOOR) if self.slowest else guess
        return self.spent + reserve < self.seconds

    def took(self, seconds: float) -> None:
        """Remember how long a piece of work took."""
        self.slowest = max(self.slowest, seconds)


@once
def solver_of(deck: Deck) -> DoubleDummy:
    """One solver per deck and process, warmed up so that its first solve is not slower."""
    solver = DoubleDummy(deck)
    solver.ending([card.bit for card in islice(cards_of(deck.mask), HANDS)], deck.strains[-1])
    return solver


def first_guess(hands: Hands) -> float:
    """A generous guess at the seconds the first solve takes."""
    cards = sum(mask.bit_count() for mask in hands)
    return next(seconds for least, seconds in _FIRST_GUESS if cards >= least)


def play_out(position: Position) -> Values:
    """Declarer's tricks after each card if everyone then plays by the maxims."""
    cards = position.legal
    values: Values = {}
    below = cards[-1]
    for card in apart(position, cards):
        values[card] = finish(position.apply_unchecked(card)).won
    for card in reversed(cards):  # from the lowest up: equals take the value of the card below
        if card not in values:
            values[card] = values[below]
        below = card
    return values


def finish(position: Position) -> Position:
    """The final position if everyone plays on by the maxims."""
    while not position.over:
        position = position.apply_unchecked(maxim(position)[0])
    return position


@dataclass(frozen=True, slots=True)
class Valuation:
    """How the cards of a position are valued on its layouts, and by how many processes."""

    position: Position
    deck: Deck
    double_dummy: bool = True
    played_out: bool = False
    processes: int = 1

    def solve(self, layouts: Sequence[Hands], clock: Clock) -> dict[int, Solved]:
        """The card values on as many layouts as there is time for, by their place in `layouts`.

        With two or more processes, workers each take a share of the layouts, and where time runs
        out the places left open are not all at the end.
        """
        processes = self.processes
        if processes < 2 or len(layouts) < 2 * processes:
            return dict(enumerate(self.solve_here(layouts, clock)))
        pool = evaluators(processes - 1)
        shares = [layouts[at::processes] for at in range(processes)]
        futures: list[Future[list[Solved]]] = [
            pool.submit(_solve_share, self, share, clock.left) for share in shares[1:]
        ]
        parts = [self.solve_here(shares[0], clock)]
        for future in futures:
            left = clock.left
            try:
                parts.append(future.result(None if left is None else max(left, 0.0)))
            except TimeoutError:
                future.cancel()
                parts.append([])
        return dict(
            sorted(
                (at * processes + first, solved)
                for first, part in enumerate(parts)
                for at, solved in enumerate(part)
            )
        )

    def solve_here(self, layouts: Sequence[Hands], clock: Clock) -> list[Solved]:
        """The card values on the first layouts, as many as there is time for, in this process."""
        solver = solver_of(self.deck) if self.double_dummy else None
        solved: list[Solved] = []
        for hands in layouts:
            if not clock.room(first_guess(hands)):
                break
            began = time.monotonic()
            position = self.position.with_hands(hands)
            values = None if solver is None else solver.cards(position)
            solved.append(Solved(values, play_out(position) if self.played_out else None))
            clock.took(time.monotonic() - began)
        return solved


def _solve_share(
    evaluation: Valuation, layouts: Sequence[Hands], seconds: float | None
) -> list[Solved]:
    """A worker's share, with a little time held back for sending the results."""
    clock = Clock(None if seconds is None else seconds - 0.05)
    return evaluation.solve_here(layouts, clock)


@once
def evaluators(number: int) -> ProcessPoolExecutor:
    """Worker processes that live until the program ends."""
    stack = ExitStack()
    pool = stack.enter_context(worker_pool(number))
    atexit.register(stack.close)
    return pool


GOALS: Final = ("points", "tricks")


def seconds_option(counted: str) -> Any:
    """How long a card may take, unless a number of layouts or iterations is given."""
    return option(0.0, f"seconds per card; 0: one, or no limit if {counted} are given", min=0)


def goal_option() -> Any:
    """What a card is valued by."""
    return option("tricks", "what to average", choices=GOALS)


def factor_option() -> Any:
    """How plays count as evidence."""
    return option(
        0.7,
        "factor on a layout's weight for each play that departs from the maxims; 1: no effect",
        min=0.01,
        max=1,
    )


def calls_option() -> Any:
    """Whether calls count as evidence."""
    return option(False, "also weight layouts by the calls, if there was a real auction")


def tie_option() -> Any:
    """How close the maxims' card must be to the best to be played instead."""
    return option(0.0, "how many standard errors behind the best the maxims' card may be", min=0)
