"""Puzzles on a server: who has answered what, the ratings of people and puzzles, and streaks.

A person is known by the key of a device. Only the first answer to a puzzle counts: it moves the
ratings of both by Glicko-2. A puzzle that was missed is asked again until it is solved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final

from tribridge.club.core.challenges import today
from tribridge.club.core.store import Store, apart, upsert
from tribridge.club.core.streaks import streak
from tribridge.club.puzzles import Answer, Puzzle, Rating, Theme, daily, names, offered, update
from tribridge.game.view_json import action_name

_NEAR: Final = 8
"""How many of the puzzles nearest to a person's rating the next one is drawn from."""
_LAST: Final = (
    "SELECT rating, deviation, volatility FROM puzzle_answers WHERE device = ? "
    "ORDER BY number DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Solver:
    """A person as the puzzles know them."""

    rating: Rating
    answered: int
    solved: int
    missed: tuple[str, ...]
    """The puzzles to be asked again, the oldest first; those that are gone are forgotten."""
    streak: int
    """Days in a row on which the daily puzzle was solved, up to today or yesterday."""


class Puzzles:
    """The answers of all devices."""

    def __init__(self, store: Store, day: Callable[[], date] = today) -> None:
        self.store, self.today = store, day

    def daily(self) -> Puzzle:
        """Today's puzzle."""
        return daily(self.today())

    @apart
    def solver(self, device: str) -> Solver:
        """What a device has answered so far."""
        rows = self.store.rows(
            "SELECT puzzle, solved, missed, daily FROM puzzle_answers WHERE device = ? "
            "ORDER BY number",
            device,
        )
        days = {date.fromisoformat(day) for _, solved, _, day in rows if solved and day}
        return Solver(
            self._own(device),
            len(rows),
            sum(solved for _, solved, _, _ in rows),
            tuple(puzzle for puzzle, _, missed, _ in rows if missed and puzzle in names()),
            streak(days, self.today()),
        )

    @apart
    def days(self, device: str) -> set[date]:
        """The days on which a device has solved the daily puzzle."""
        query = "SELECT daily FROM puzzle_answers WHERE device = ? AND solved AND daily <> ''"
        return {date.fromisoformat(day) for (day,) in self.store.rows(query, device)}

    def _own(self, device: str) -> Rating:
        rows = self.store.rows(_LAST, device)
        return Rating(*rows[0]) if rows else Rating()

    @apart
    def rating(self, puzzle: Puzzle) -> Rating:
        """The rating of a puzzle: from the bots, moved by the people who answered it."""
        return self._rating(puzzle)

    def _rating(self, puzzle: Puzzle) -> Rating:
        query = "SELECT rating, deviation, volatility FROM puzzle_ratings WHERE puzzle = ?"
        rows = self.store.rows(query, puzzle.id)
        return Rating(*rows[0]) if rows else Rating(puzzle.rating, puzzle.deviation)

    @apart
    def answered(self, device: str, puzzle: Puzzle) -> Answer | None:
        """The answer of a device that counts; None if there is none."""
        return self._answered(device, puzzle)

    def _answered(self, device: str, puzzle: Puzzle) -> Answer | None:
        query = "SELECT answer FROM puzzle_answers WHERE device = ? AND puzzle = ?"
        rows = self.store.rows(query, device, puzzle.id)
        return puzzle.answer(rows[0][0]) if rows else None

    @apart
    def answer(self, device: str, puzzle: Puzzle, action: str) -> Answer:
        """Answer a puzzle: the first answer counts, a later one can only make up for a miss."""
        given = puzzle.answer(action)
        if self._answered(device, puzzle) is not None:
            if given.right:
                change = "UPDATE puzzle_answers SET missed = ? WHERE device = ? AND puzzle = ?"
                self.store.change((change, (False, device, puzzle.id)))
            return given
        own, rated = self._own(device), self._rating(puzzle)
        after, moved = own, rated
        if puzzle.told_apart(puzzle.answer(puzzle.tempting) if given.right else given):
            after = update(own, [(rated, float(given.right))])
            moved = update(rated, [(own, float(not given.right))])
        day = self.today().isoformat() if puzzle == self.daily() else ""
        name = action_name(given.action)
        row = (device, puzzle.id, self._count(device), name, given.right, not given.right, day)
        values = (after.rating, after.deviation, after.volatility, int(time.time()))
        moves = {"rating": moved.rating, "deviation": moved.deviation}
        moves["volatility"] = moved.volatility
        self.store.change(
            (
                "INSERT INTO puzzle_answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (device, puzzle) DO NOTHING",
                row + values,
            ),
            upsert("puzzle_ratings", "puzzle", puzzle=puzzle.id, **moves),
        )
        return given

    @apart
    def next(
        self, device: str, theme: Theme | None = None, *, experts: bool = False
    ) -> Puzzle | None:
        """A puzzle that a device has not answered, near its rating; today's comes first.

        Of a theme, or from experts' boards, if asked for.
        """
        left, first = self._left(device), self.daily()
        if theme is None and not experts and first in left:
            return first
        kept = [
            puzzle
            for puzzle in left
            if theme in (None, puzzle.theme) and (puzzle.experts is not None or not experts)
        ]
        own, done = self._own(device).rating, self._count(device)
        near = sorted(kept, key=lambda puzzle: (abs(puzzle.rating - own), puzzle.id))[:_NEAR]
        return near[done % len(near)] if near else None

    @apart
    def left(self, device: str) -> tuple[Puzzle, ...]:
        """The puzzles that a device has not answered."""
        return self._left(device)

    def _left(self, device: str) -> tuple[Puzzle, ...]:
        rows = self.store.rows("SELECT puzzle FROM puzzle_answers WHERE device = ?", device)
        done = {name for (name,) in rows}
        return tuple(puzzle for puzzle in offered() if puzzle.id not in done)

    def _count(self, device: str) -> int:
        """How many puzzles a device has answered."""
        query = "SELECT count(*) FROM puzzle_answers WHERE device = ?"
        count: int = self.store.rows(query, device)[0][0]
        return count

    @apart
    def forget(self, device: str) -> None:
        """Delete the answers of a device."""
        self.store.change(("DELETE FROM puzzle_answers WHERE device = ?", (device,)))
