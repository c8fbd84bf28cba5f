"""Many double-dummy tasks at once: in order, here or on worker processes.

A task is a value that can be sent to another process, and solves itself there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Protocol, TypeVar

from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import ByStrain, Deal, Seat
from tribridge.common.errors import SettingError
from tribridge.common.parallel import cores, worker_pool
from tribridge.double_dummy import dds
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.position import Position
from tribridge.game.tricks import Chair, chair_hands

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

_BATCH: Final = 4
_FEW: Final = 8
"""Tasks that are done before a worker process has started."""


class Task(Protocol[T_co]):
    """Something to solve."""

    def solve(self) -> T_co:
        """The answer."""
        ...


@cache
def _solver(deck: Deck) -> DoubleDummy:
    return DoubleDummy(deck)


@dataclass(frozen=True, slots=True)
class DealTask:
    """The tricks of one player in each strain, with the hidden hand as dummy."""

    deal: Deal
    declarer: Seat

    def solve(self) -> ByStrain[int]:
        hands, solver = chair_hands(self.deal, self.declarer), _solver(self.deal.deck)
        if not self.deal.is_ending:
            return solver.strains(hands)
        return ByStrain({strain: solver.ending(hands, strain) for strain in self.deal.deck.strains})


@dataclass(frozen=True, slots=True)
class PlayTask:
    """Declarer's tricks at the end of the deal after each card that may be played now."""

    deck: Deck
    position: Position

    def solve(self) -> dict[Card, int]:
        return _solver(self.deck).cards(self.position)


@dataclass(frozen=True, slots=True)
class FourTask:
    """The tricks of North, East, South and West in each strain, partners as dummies."""

    deal: Deal

    def solve(self) -> tuple[ByStrain[int], ...]:
        north, east, south, west = (hand.mask for hand in self.deal.hands)
        masks = north, east, south, west
        if self.deal.deck == FULL_DECK and not self.deal.is_ending and dds.available():
            return tuple(map(ByStrain, dds.tables(masks)))
        solver, strains = _solver(self.deal.deck), self.deal.deck.strains
        turned = [masks[at:] + masks[:at] for at in range(4)]
        return tuple(
            ByStrain({strain: solver.ending(hands, strain, Chair.LEFT) for strain in strains})
            for hands in turned
        )


def solve_all(tasks: Iterable[Task[T]], processes: int = 0) -> Iterator[T]:
    """The answers in order; on all cores with `processes` 0, unless there are only a few."""
    if processes < 0:
        raise SettingError(f"processes must be 0 (all cores) or more, not {processes}")
    waiting = iter(tasks)
    first = list(islice(waiting, _FEW + 1))
    workers = processes or cores()
    if workers == 1 or len(first) <= _FEW:
        for task in first:
            yield task.solve()
        for task in waiting:
            yield task.solve()
        return
    with worker_pool(workers) as pool:
        groups = iter(lambda: list(islice(waiting, _BATCH)), [])
        pending = [pool.submit(_solve_group, [task]) for task in first]
        for group in groups:
            pending.append(pool.submit(_solve_group, group))
            if len(pending) > 2 * workers + _FEW:
                yield from pending.pop(0).result()
        for future in pending:
            yield from future.result()


def _solve_group(tasks: list[Task[T]]) -> list[T]:
    return [task.solve() for task in tasks]
