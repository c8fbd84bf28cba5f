"""Double dummy on layouts, with an eye on the clock.

A position is what a view shows of the play; with a layout's hands it can be solved. One solve is
the grain: before each, the time that the slowest so far took (or, before the first, a generous
guess) must still fit. With two processes the second half of the layouts is solved by a worker that
stays; what it does not deliver in time is left out.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from tribridge.cards import Card, Deck
from tribridge.engine import worker_pool
from tribridge.game.auction import Contract
from tribridge.game.tricks import Chair, Play
from tribridge.game.view import View
from tribridge.strategies.protocol import StrategyError
from tribridge.truth.double_dummy import DoubleDummy

Hands = tuple[int, int, int, int]
"""The cards left in the order of the chairs."""
Values = dict[Card, int]
"""For each card that may be played the declarer's tricks at the end."""

_FIRST_GUESS: Final = ((48, 0.25), (40, 0.08), (0, 0.03))
"""Seconds that a first solve is expected to take at most, by the number of cards left."""
_RESERVE: Final = 1.5
"""How much longer than the slowest solve so far the next one may take."""


@dataclass(slots=True)
class Clock:
    """The time that a decision may take; without a limit it never runs out."""

    seconds: float | None
    began: float = field(default_factory=lambda: time.monotonic())
    slowest: float = 0.0

    @property
    def spent(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.seconds is None else self.seconds - self.spent

    def room(self, guess: float = 0.0) -> bool:
        """Whether one more piece of work fits, by the slowest so far or by a first guess."""
        if self.seconds is None:
            return True
        return self.spent + (self.slowest * _RESERVE or guess) < self.seconds

    def took(self, seconds: float) -> None:
        """Remember how long a piece of work took."""
        self.slowest = max(self.slowest, seconds)


@dataclass(frozen=True, slots=True)
class Position:
    """The public part of the play: all but the hands."""

    deck: Deck
    contract: Contract
    leader: Chair
    trick: tuple[Card, ...]
    won: int

    def play(self, hands: Hands) -> Play:
        return Play(self.contract, hands, self.leader, self.trick, (), self.won)


def position_of(view: View) -> Position:
    """The position that a view shows; a card must be due."""
    if view.contract is None or view.leader is None or view.chair is None:
        raise StrategyError("no card is due in this view")
    return Position(view.deck, view.contract, view.leader, view.trick, view.won)


@cache
def solver_of(deck: Deck) -> DoubleDummy:
    """One solver for a deck and a process."""
    return DoubleDummy(deck)


def first_guess(hands: Hands) -> float:
    """A generous guess at the seconds of a first solve."""
    cards = sum(mask.bit_count() for mask in hands)
    return next(seconds for least, seconds in _FIRST_GUESS if cards >= least)


def solve(position: Position, layouts: Sequence[Hands], clock: Clock) -> list[Values]:
    """The values of the cards on as many layouts, in their order, as there is time for."""
    solver = solver_of(position.deck)
    found: list[Values] = []
    for hands in layouts:
        if not clock.room(first_guess(hands)):
            break
        began = time.monotonic()
        found.append(solver.cards(position.play(hands)))
        clock.took(time.monotonic() - began)
    return found


def solve_shared(
    position: Position, layouts: Sequence[Hands], clock: Clock, processes: int
) -> list[Values]:
    """As `solve`; with two processes or more, workers take their share of the layouts."""
    if processes < 2 or len(layouts) < 2 * processes:
        return solve(position, layouts, clock)
    pool = _workers(processes - 1)
    shares = [layouts[at::processes] for at in range(processes)]
    futures: list[Future[list[Values]]] = [
        pool.submit(_solve_share, position, share, clock.left) for share in shares[1:]
    ]
    found = solve(position, shares[0], clock)
    for future in futures:
        left = clock.left
        try:
            found += future.result(None if left is None else max(left, 0.0))
        except TimeoutError:
            future.cancel()
    return found


def _solve_share(
    position: Position, layouts: Sequence[Hands], seconds: float | None
) -> list[Values]:
    """A worker's share: a little time is kept back for the way there and back."""
    return solve(position, layouts, Clock(None if seconds is None else seconds - 0.05))


_POOLS: Final[dict[int, ProcessPoolExecutor]] = {}


def _workers(number: int) -> ProcessPoolExecutor:
    """Workers that stay until the program ends."""
    if number not in _POOLS:
        stack = ExitStack()
        _POOLS[number] = stack.enter_context(worker_pool(number))
        atexit.register(stack.close)
    return _POOLS[number]
