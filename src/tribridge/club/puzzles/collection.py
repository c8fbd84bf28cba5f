"""The puzzles of the package, in one file, found by name and theme."""

from __future__ import annotations

from datetime import date
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from tribridge.common.errors import NotFoundError, shown
from tribridge.reviews.puzzle_files import loads
from tribridge.reviews.puzzles import Collection, Puzzle

_FILE: Final = "data/puzzles.json.gz"


@cache
def shipped() -> Collection:
    """The collection of the package."""
    file = resources.files("tribridge.club.puzzles").joinpath(_FILE)
    return loads(file.read_bytes(), "the package's file of puzzles")


@cache
def names() -> frozenset[str]:
    """The names of the package's puzzles."""
    return frozenset(puzzle.id for puzzle in shipped().puzzles)


@cache
def offered() -> tuple[Puzzle, ...]:
    """The package's puzzles but for the trivial ones, which are found by name alone."""
    return _worth_solving(shipped())


def _worth_solving(collection: Collection) -> tuple[Puzzle, ...]:
    puzzles = tuple(puzzle for puzzle in collection.puzzles if not puzzle.trivial)
    return puzzles or collection.puzzles


def find(name: str, collection: Collection | None = None) -> Puzzle:
    """A puzzle by its name."""
    for puzzle in (collection or shipped()).puzzles:
        if puzzle.id == name:
            return puzzle
    raise NotFoundError(f"there is no puzzle {shown(name)}: `tribridge puzzles list` names them")


def daily(day: date, collection: Collection | None = None) -> Puzzle:
    """The puzzle of a date: the same for everybody, another one every day.

    Monday's is from the easiest seventh of all that are not trivial, Sunday's from the hardest.
    """
    puzzles = sorted(_worth_solving(collection or shipped()), key=lambda one: (one.rating, one.id))
    count, weekday = len(puzzles), day.weekday()
    part = puzzles[weekday * count // 7 : (weekday + 1) * count // 7] or puzzles
    order = sorted(part, key=lambda puzzle: sha256(f"day {puzzle.id}".encode()).digest())
    return order[day.toordinal() // 7 % len(order)]
