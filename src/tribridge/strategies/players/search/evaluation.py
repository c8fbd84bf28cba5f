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
from itertools import islice
from typing import Final

from tribridge.cards import ALL_CARDS, HANDS, Card, Deck, cards_of
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import Contract
from tribridge.game.position import Position
from tribridge.game.tricks import Chair
from tribridge.game.view import View
from tribridge.once import once
from tribridge.parallel import worker_pool
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.simulation import Hands, Simulation
from tribridge.strategies.protocol import StrategyError

Values = dict[Card, int]
"""For each card that may be played the declarer's tricks at the end."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The cards of one layout: double dummy, and played out by the maxims; one may be missing."""

    double_dummy: Values | None
    played_out: Values | None = None

    @property
    def values(self) -> Values:
        """What the cards are said to make: double dummy where it was solved."""
        found = self.played_out if self.double_dummy is None else self.double_dummy
        assert found is not None
        return found


_FIRST_GUESS: Final = ((48, 0.4), (40, 0.1), (0, 0.04))
"""Seconds that a first solve is expected to take at most, by the number of cards left."""
_RESERVE: Final = 1.5
"""How much longer than the slowest solve so far the next one may take."""
_FLOOR: Final = 0.5
"""The share of the first guess that is always kept back: the next solve may be a hard one."""


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
        """Whether one more piece of work fits, by the slowest so far and a first guess."""
        if self.seconds is None:
            return True
        reserve = max(self.slowest * _RESERVE, guess * _FLOOR) if self.slowest else guess
        return self.spent + reserve < self.seconds

    def took(self, seconds: float) -> None:
        """Remember how long a piece of work took."""
        self.slowest = max(self.slowest, seconds)


@dataclass(frozen=True, slots=True)
class Shown:
    """The public part of the play: all but the hands."""

    deck: Deck
    contract: Contract
    leader: Chair
    trick: tuple[Card, ...]
    won: int

    def play(self, hands: Hands) -> Position:
        return Position(self.contract, hands, self.leader, self.trick, (), self.won)


def position_of(view: View) -> Shown:
    """The position that a view shows; a card must be due."""
    if view.contract is None or view.leader is None or view.chair is None:
        raise StrategyError("no card is due in this view")
    return Shown(view.deck, view.contract, view.leader, view.trick, view.won)


@once
def solver_of(deck: Deck) -> DoubleDummy:
    """One solver for a deck and a process, loaded: its first answer takes no longer than others."""
    solver = DoubleDummy(deck)
    solver.ending([card.bit for card in islice(cards_of(deck.mask), HANDS)], deck.strains[-1])
    return solver


def first_guess(hands: Hands) -> float:
    """A generous guess at the seconds of a first solve."""
    cards = sum(mask.bit_count() for mask in hands)
    return next(seconds for least, seconds in _FIRST_GUESS if cards >= least)


def apart(play: Position, cards: Sequence[Card]) -> list[Card]:
    """One of each group of cards that are as good as each other: the lowest of it."""
    chair = play.chair
    assert chair is not None
    others = 0
    for at, mask in enumerate(play.hands):
        if at != chair:
            others |= mask
    for card in play.trick:
        others |= card.bit
    kept: list[Card] = []
    for card in sorted(cards, reverse=True):
        if kept and kept[-1] // 13 == card // 13:
            between = (1 << kept[-1]) - (1 << card + 1)
            if not others & between:
                continue
        kept.append(card)
    return kept


def play_out(start: Simulation, play: Position) -> Values:
    """The declarer's tricks after each card when all play on by the maxims."""
    cards = play.legal
    found: Values = {}
    for card in apart(play, cards):
        game = start.with_hands(play.hands)
        game.play(card)
        while not game.over:
            game.play(maxim(game.sight())[0])
        found[card] = game.won
    for card in reversed(cards):  # from the lowest up: equals take the value of the one below
        if card not in found:
            found[card] = found[ALL_CARDS[max(c for c in found if c > card and _same(c, card))]]
    return found


def _same(one: Card, two: Card) -> bool:
    return one // 13 == two // 13


def solve(
    position: Shown,
    layouts: Sequence[Hands],
    clock: Clock,
    start: Simulation | None = None,
    double_dummy: bool = True,
) -> list[Solved]:
    """The values of the cards on as many layouts, in their order, as there is time for.

    With a `start` they are played out by the maxims, beside double dummy or in place of it.
    """
    solver = solver_of(position.deck) if double_dummy else None
    found: list[Solved] = []
    for hands in layouts:
        if not clock.room(first_guess(hands)):
            break
        began = time.monotonic()
        play = position.play(hands)
        values = None if solver is None else solver.cards(play)
        found.append(Solved(values, None if start is None else play_out(start, play)))
        clock.took(time.monotonic() - began)
    return found


def solve_shared(
    position: Shown,
    layouts: Sequence[Hands],
    clock: Clock,
    processes: int,
    start: Simulation | None = None,
    double_dummy: bool = True,
) -> list[Solved]:
    """As `solve`; with two processes or more, workers take their share of the layouts."""
    if processes < 2 or len(layouts) < 2 * processes:
        return solve(position, layouts, clock, start, double_dummy)
    pool = _workers(processes - 1)
    shares = [layouts[at::processes] for at in range(processes)]
    futures: list[Future[list[Solved]]] = [
        pool.submit(_solve_share, position, share, clock.left, start, double_dummy)
        for share in shares[1:]
    ]
    found = solve(position, shares[0], clock, start, double_dummy)
    for future in futures:
        left = clock.left
        try:
            found += future.result(None if left is None else max(left, 0.0))
        except TimeoutError:
            future.cancel()
    return found


def _solve_share(
    position: Shown,
    layouts: Sequence[Hands],
    seconds: float | None,
    start: Simulation | None,
    double_dummy: bool,
) -> list[Solved]:
    """A worker's share: a little time is kept back for the way there and back."""
    clock = Clock(None if seconds is None else seconds - 0.05)
    return solve(position, layouts, clock, start, double_dummy)


@once
def _workers(number: int) -> ProcessPoolExecutor:
    """Workers that stay until the program ends."""
    stack = ExitStack()
    pool = stack.enter_context(worker_pool(number))
    atexit.register(stack.close)
    return pool
