"""Check a set of labels: solve its deals again by another path and report where the two differ.

Labels are made by `SolveBoard` of DDS. Two other paths, both exact:

- `turned`: `SolveBoard` on the same deal with the table rotated by 180 degrees and the suits in
  reverse order. The tricks are the same, while the order of the moves, the transposition table and
  everything else in the search differ;
- `table`: the table call of DDS, another search (all four leaders of a strain share their results).
  It takes about two and a half times as long, since three of its four leaders are not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

import numpy as np

from tribridge.cards import Strain
from tribridge.deals import Seat
from tribridge.double_dummy import dds
from tribridge.double_dummy.labels import Labels, LabelWork, Tricks, chair_columns
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.errors import SettingError
from tribridge.game.tricks import Chair
from tribridge.parallel import Backend, Range, run, total

Path = Literal["turned", "table"]
PIECE: Final = 5
"""Deals in a piece of work."""

_ROW: Final = 0x1FFF


def parse_path(text: str) -> Path:
    """Check the name of a path."""
    if text not in get_args(Path):
        raise SettingError(f"unknown way to verify {text!r}: expected turned or table")
    return cast(Path, text)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A label that differs from the result of the other path."""

    number: int
    declarer: Seat
    strain: Strain
    label: int
    solved: int

    def __str__(self) -> str:
        return (
            f"deal {self.number}, declarer {self.declarer.name.title()}, {self.strain.letter}: "
            f"labelled {self.label}, solved {self.solved}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: how much was checked, and what differs."""

    deals: int
    tricks: int
    """Numbers of tricks compared: deals times declarers times strains."""
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Deals to be solved again, in this process or another; a piece is a range of `numbers`."""

    work: LabelWork
    numbers: tuple[int, ...]
    path: Path

    def run(self, piece: Range) -> Tricks:
        """Tricks of some of the deals: an array (deals, declarers, strains)."""
        numbers = self.numbers[slice(*piece)]
        seats = self.work.seats(np.array(numbers, np.uint64))
        result = np.zeros((*seats.shape, len(self.work.strains)), np.int8)
        solve = turned_tricks if self.path == "turned" else table_tricks
        for at, number in enumerate(numbers):
            (masks,) = self.work.masks(number, 1).tolist()
            for place, declarer in enumerate(seats[at].tolist()):
                hands = [masks[column] for column in chair_columns(declarer)]
                tricks = solve(hands, self.work.strains)
                result[at, place] = [tricks[strain] for strain in self.work.strains]
        return result


def turned_tricks(hands: Sequence[int], strains: Sequence[Strain]) -> dict[Strain, int]:
    """Tricks on the same deal with the table rotated by 180 degrees and the suits reversed."""
    declarer, left, dummy, right = (_reversed_suits(hand) for hand in hands)
    truth = DoubleDummy()
    return {
        strain: truth.tricks(
            (dummy, right, declarer, left),
            strain if strain is Strain.NOTRUMP else Strain(3 - strain),
            Chair.RIGHT,  # where the left defender sits now
        )
        for strain in strains
    }


def _reversed_suits(hand: int) -> int:
    return sum((hand >> 13 * suit & _ROW) << 13 * (3 - suit) for suit in range(4))


def table_tricks(hands: Sequence[int], strains: Sequence[Strain]) -> dict[Strain, int]:
    """Tricks from the table call of DDS."""
    table = dds.table(hands)
    return {strain: table[strain] for strain in strains}


def sample(labels: Labels, size: int, seed: int) -> Labels:
    """A random sample of the deals; all of them if there are no more."""
    if size < 1:
        raise SettingError(f"the sample must be 1 deal or more, not {size}")
    if size >= len(labels):
        return labels
    chosen = np.sort(np.random.default_rng(seed).choice(len(labels), size, replace=False))
    return Labels(labels.work, labels.numbers[chosen], labels.tricks[chosen])


def verify(
    labels: Labels,
    backend: Backend[Tricks],
    path: Path = "turned",
    *,
    report: Callable[[Disagreement], None] = lambda one: None,
    progress: Callable[[int, int], None] = lambda kept, made: None,
) -> Verification:
    """Solve all deals of some labels again; `report` is called with each disagreement.

    `progress` is called with 0 and the number of deals done.
    """
    if labels.work.player:
        raise SettingError(f"{labels.work}: only double-dummy labels can be verified")
    job = Resolve(labels.work, tuple(labels.numbers.tolist()), path)
    disagreements = []
    done = 0
    with closing(run(job, backend, (), (0, len(labels)))) as results:
        for piece, (tricks,) in results:
            start = piece[0]
            wanted = labels.tricks[slice(*piece)]
            for at, place, column in np.argwhere(tricks != wanted).tolist():
                one = Disagreement(
                    job.numbers[start + at],
                    Seat(int(labels.seats[start + at, place])),
                    labels.work.strains[column],
                    int(wanted[at, place, column]),
                    int(tricks[at, place, column]),
                )
                disagreements.append(one)
                report(one)
            done += total([piece])
            progress(0, done)
    disagreements.sort(key=lambda one: (one.number, one.declarer, one.strain))
    return Verification(len(labels), labels.tricks.size, tuple(disagreements))
