"""Double dummy on sampled layouts, within a time limit.

A position holds what a view shows of the play; with a layout's hands it can be solved. A solve is
not interrupted: one starts only if the slowest so far (or, for the first, a generous guess) would
still fit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from tribridge.cards.cards import HANDS, Card, Deck, cards_of
from tribridge.common.once import once
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.position import Position
from tribridge.game.tricks import Hands
from tribridge.strategies.players.maxims.player import pick
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
        position = position.apply_unchecked(pick(position)[0])
    return position


def value_layouts(
    position: Position,
    deck: Deck,
    layouts: Iterable[Hands],
    clock: Clock,
    *,
    double_dummy: bool = True,
    played_out: bool = False,
) -> list[Solved]:
    """The card values of a position on the first layouts, as many as there is time for."""
    solver = solver_of(deck) if double_dummy else None
    solved: list[Solved] = []
    for hands in layouts:
        if not clock.room(first_guess(hands)):
            break
        began = time.monotonic()
        here = position.with_hands(hands)
        values = None if solver is None else solver.cards(here)
        solved.append(Solved(values, play_out(here) if played_out else None))
        clock.took(time.monotonic() - began)
    return solved


GOALS: Final = ("points", "tricks")
Shared = dict[str, Any]
GOAL: Final[Shared] = {
    "default": "tricks",
    "help": "what to average",
    "choices": ("points", "tricks"),
}
FACTOR: Final[Shared] = {
    "default": 0.7,
    "help": "factor on a layout's weight for each play that departs from the maxims; 1: no effect",
    "min": 0.01,
    "max": 1,
}
CALLS: Final[Shared] = {
    "default": False,
    "help": "also weight layouts by the calls, if there was a real auction",
}
CALIBRATED: Final[Shared] = {
    "default": False,
    "help": "with calls: trust them as calibrated for the scheme and level, as the table does",
}
TIE: Final[Shared] = {
    "default": 0.0,
    "help": "how many standard errors behind the best the maxims' card may be",
    "min": 0,
}
"""Options that players share."""
