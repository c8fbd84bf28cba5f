"""Work and its counts: a study, ranges of deals, one table of integers.

A `Tally` can be saved at any time, resumed later, and added to another over different deals of the
same seed. Its file is JSON, written atomically; counts are kept by number of their
cell, zeros left out. Every deal falls into exactly one cell, so a file with counts that do not add
up to its ranges is rejected.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Final

import numpy as np

from tribridge import __version__
from tribridge.capture.readings import parse_reading
from tribridge.capture.simulation.tables import CAPTURE_CELLS, GAME_CELLS, Counts
from tribridge.dealer import MOST_DEALS, WORD, check_seed
from tribridge.errors import FormatError, NotFoundError, RunError, SettingError, TribridgeError
from tribridge.files import write_atomic
from tribridge.parallel import Range, total

CELLS: Final = {"capture": CAPTURE_CELLS, "game": GAME_CELLS}
"""The studies, and how many cells their tables have."""

_FORMAT: Final = "tribridge tally 1"


@dataclass(frozen=True, slots=True)
class Work:
    """A study over deals of one seed, with all that its counts depend on."""

    study: str
    seed: int
    reading: str | None = None
    """Reading of Algorithm 1; None for a study that does not run it."""

    def __post_init__(self) -> None:
        if self.study not in CELLS:
            raise NotFoundError(f"unknown study {self.study!r}: expected {' or '.join(CELLS)}")
        check_seed(self.seed)
        if self.study == "game":
            object.__setattr__(self, "reading", parse_reading(self.reading or "natural").name)
        elif self.reading is not None:
            raise SettingError(f"study {self.study} takes no reading: it runs Algorithm 2 only")

    def run(self, piece: Range) -> Counts:
        """The counts of a range of deals, on this thread."""
        from tribridge.capture.simulation import kernel

        start, stop = piece
        if self.study == "capture":
            return kernel.capture_counts(self.seed, start, stop - start)
        return kernel.game_counts(
            self.seed, start, stop - start, parse_reading(self.reading or "natural")
        )

    def __str__(self) -> str:
        reading = f", reading {self.reading}" if self.reading else ""
        return f"study {self.study}, seed {self.seed}{reading}"


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The counts so far: disjoint ranges in order, and the sum of their tables."""

    work: Work
    ranges: tuple[Range, ...]
    counts: Counts = field(repr=False)

    @classmethod
    def empty(cls, work: Work) -> Tally:
        return cls(work, (), np.zeros(CELLS[work.study], np.int64))

    @property
    def deals(self) -> int:
        """How many deals were counted."""
        return total(self.ranges)

    def with_piece(self, piece: Range, counts: Counts) -> Tally:
        """The tally with one more range."""
        return Tally(self.work, _join(self.ranges, piece), self.counts + counts)


def _join(ranges: tuple[Range, ...], piece: Range) -> tuple[Range, ...]:
    """Ranges with one more, adjacent ones merged; an overlap is an error."""
    result: list[Range] = []
    for start, stop in sorted((*ranges, piece)):
        if result and start < result[-1][1]:
            raise RunError(f"deals {start} to {min(stop, result[-1][1]) - 1} are counted twice")
        if result and start == result[-1][1]:
            result[-1] = (result[-1][0], stop)
        else:
            result.append((start, stop))
    return tuple(result)


def add(one: Tally, two: Tally) -> Tally:
    """The sum of two tallies over different deals of the same work."""
    if one.work != two.work:
        raise RunError(f"cannot add {one.work} and {two.work}")
    if one.deals + two.deals > MOST_DEALS:
        raise RunError("the sum has more deals than a 64-bit count can hold")
    return Tally(one.work, reduce(_join, two.ranges, one.ranges), one.counts + two.counts)


def save(tally: Tally, path: Path) -> None:
    """Write a tally to a file atomically."""
    write_atomic(
        path,
        json.dumps(
            {
                "format": _FORMAT,
                "package": __version__,
                "study": tally.work.study,
                "seed": tally.work.seed,
                "reading": tally.work.reading,
                "deals": tally.deals,
                "ranges": tally.ranges,
                "counts": {int(at): int(tally.counts[at]) for at in np.flatnonzero(tally.counts)},
            }
        )
        + "\n",
    )


def load(path: Path) -> Tally:
    """Read a tally back."""
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != _FORMAT:
            raise FormatError(f"{path}: not a tally of this format ({data['format']!r})")
        if data["package"] != __version__:
            raise RunError(f"{path}: counted by version {data['package']}, not {__version__}")
        work = Work(data["study"], data["seed"], data["reading"])
        counts = np.zeros(CELLS[work.study], np.int64)
        for at, value in data["counts"].items():
            if value < 0 or not 0 <= int(at) < len(counts):
                raise FormatError(f"{path}: cell {at} cannot hold {value}")
            counts[int(at)] = value
        ranges: tuple[Range, ...] = ()
        for start, stop in data["ranges"]:
            if not 0 <= start < stop <= WORD:
                raise FormatError(f"{path}: not a range of deals: {start} to {stop}")
            ranges = _join(ranges, (start, stop))
    except TribridgeError:
        raise
    except KeyError as error:
        raise FormatError(f"{path}: not a tally: {error} is missing") from None
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise FormatError(f"{path}: not a tally, or damaged") from None
    tally = Tally(work, ranges, counts)
    if sum(map(int, counts)) != tally.deals:
        raise FormatError(f"{path}: its counts do not sum to its {tally.deals} deals")
    return tally
