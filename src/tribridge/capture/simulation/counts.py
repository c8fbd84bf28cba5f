"""Work and its counts: a study, ranges of deals, one table of integers; counting on any backend.

A `Tally` can be saved at any time, resumed later, and added to another over different deals of the
same seed. Its file is JSON, written atomically; counts are kept by number of their
cell, zeros left out. Every deal falls into exactly one cell, so a file with counts that do not add
up to its ranges is rejected.

A run cuts the missing deals into pieces, a backend counts the pieces in any order, and their tables
add up: the total depends on the range alone, not on where it was counted or how it was cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np

from tribridge import __version__
from tribridge.capture.readings import parse_reading
from tribridge.capture.simulation.tables import CAPTURE_CELLS, GAME_CELLS, Counts
from tribridge.cards.dealer import MOST_DEALS, WORD, check_seed
from tribridge.common import codec, parallel
from tribridge.common.compiled import ready
from tribridge.common.errors import FormatError, NotFoundError, RunError, SettingError, installed
from tribridge.common.files import write_atomic
from tribridge.common.parallel import Backend, Job, Range, total

CELLS: Final = {"capture": CAPTURE_CELLS, "game": GAME_CELLS}
"""The studies, and how many cells their tables have."""

_FORMAT: Final = "tribridge tally 1"
_SAVE_SECONDS: Final = 5.0
_FEW: Final = 100_000
"""Deals that NumPy counts in less time than compiling takes."""


@dataclass(frozen=True, slots=True)
class Work:
    """A study over deals of one seed, with all that its counts depend on."""

    study: str
    seed: int
    reading: str | None = None
    """Reading of Algorithm 1; None for a study that does not run it."""

    def __post_init__(self) -> None:
        if self.study not in tuple(CELLS):  # a list has no hash, and is no study either
            raise NotFoundError(f"unknown study {self.study!r}: expected {' or '.join(CELLS)}")
        check_seed(self.seed)
        if self.study == "game":
            named = "natural" if self.reading is None else self.reading
            object.__setattr__(self, "reading", parse_reading(named).name)
        elif self.reading is not None:
            raise SettingError(f"study {self.study} takes no reading: it runs Algorithm 2 only")

    def run(self, piece: Range) -> Counts:
        """The counts of a range of deals, on this thread: compiled, or by NumPy without Numba."""
        return self._counts(piece, "kernel" if installed("numba") else "arrays")

    def compiled(self) -> bool:
        """Whether the kernel of the study has been compiled before."""
        if not installed("numba"):
            return False
        from tribridge.capture.simulation import kernel

        return ready(kernel.count_capture if self.study == "capture" else kernel.count_game)

    def _counts(self, piece: Range, by: str) -> Counts:
        kernel = import_module(f"tribridge.capture.simulation.{by}")
        start, stop = piece
        counts: Counts
        if self.study == "capture":
            counts = kernel.capture_counts(self.seed, start, stop - start)
        else:
            reading = parse_reading(self.reading or "natural")
            counts = kernel.game_counts(self.seed, start, stop - start, reading)
        return counts

    def __str__(self) -> str:
        reading = f", reading {self.reading}" if self.reading else ""
        return f"study {self.study}, seed {self.seed}{reading}"


@dataclass(frozen=True, slots=True)
class _ByNumPy:
    """The same by NumPy, for a few deals while the kernel is not compiled."""

    work: Work

    def run(self, piece: Range) -> Counts:
        return self.work._counts(piece, "arrays")


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


@dataclass(frozen=True, slots=True)
class _File:
    """A tally as it is written to a file."""

    format: str
    package: str
    study: str
    seed: int
    reading: str | None
    deals: int
    ranges: tuple[Range, ...]
    counts: dict[int, int]


def save(tally: Tally, path: Path) -> None:
    """Write a tally to a file atomically."""
    work = tally.work
    cells = {int(at): int(tally.counts[at]) for at in np.flatnonzero(tally.counts)}
    names = work.study, work.seed, work.reading
    held = _File(_FORMAT, __version__, *names, tally.deals, tally.ranges, cells)
    write_atomic(path, codec.dumps(held) + "\n")


def load(path: Path) -> Tally:
    """Read a tally back."""
    held = codec.loads(path.read_bytes(), _File, f"{path}: not a tally")
    if held.format != _FORMAT:
        raise FormatError(f"{path}: not a tally of this format ({held.format!r})")
    if held.package != __version__:
        raise RunError(
            f"{path}: counted by version {held.package}, not {__version__}: count again, to "
            "another file"
        )
    work = Work(held.study, held.seed, held.reading)
    counts = np.zeros(CELLS[work.study], np.int64)
    for at, value in held.counts.items():
        if not (0 <= value <= MOST_DEALS and 0 <= at < len(counts)):
            raise FormatError(f"{path}: cell {at} cannot hold {value}")
        counts[at] = value
    ranges: tuple[Range, ...] = ()
    for start, stop in held.ranges:
        if not 0 <= start < stop <= WORD:
            raise FormatError(f"{path}: not a range of deals: {start} to {stop}")
        ranges = _join(ranges, (start, stop))
    if sum(map(int, counts)) != total(ranges):
        raise FormatError(f"{path}: its counts do not sum to its {total(ranges)} deals")
    return Tally(work, ranges, counts)


class UnwritableError(RunError):
    """A file that the counts cannot be saved to."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C during a run; the counts so far are in `tally`."""

    def __init__(self, tally: Tally) -> None:
        super().__init__("interrupted")
        self.tally = tally


def run(
    tally: Tally,
    wanted: Range,
    backend: Backend[Counts],
    *,
    path: Path | None = None,
    progress: Callable[[int], None] = lambda deals: None,
) -> Tally:
    """Count the missing deals of a range; save to `path` now and then and at the end.

    `progress` is called with the number of deals done. Ctrl-C ends the run with `Stopped`,
    after saving; a file that cannot be written ends it too.
    """
    saved, last = tally.deals, time.monotonic()

    def keep() -> None:
        nonlocal saved, last
        if path is None:
            return
        try:
            save(tally, path)
        except OSError as error:
            raise UnwritableError(
                f"{path} cannot be written ({error.strerror}): stopped after {tally.deals} deals, "
                f"of which {saved} were saved there before"
            ) from None
        saved, last = tally.deals, time.monotonic()

    keep()  # find out that the place cannot be written before hours of counting
    job: Job[Counts] = tally.work
    few = total(parallel.missing(tally.ranges, wanted)) <= _FEW
    if few and isinstance(backend, parallel.Cores) and not tally.work.compiled():
        job = _ByNumPy(tally.work)
    try:
        with closing(parallel.run(job, backend, tally.ranges, wanted)) as results:
            for piece, (counts,) in results:
                tally = tally.with_piece(piece, counts)
                progress(tally.deals)
                if time.monotonic() - last > _SAVE_SECONDS:
                    keep()
    except KeyboardInterrupt:
        keep()
        raise Stopped(tally) from None
    except UnwritableError:
        raise
    except Exception:
        keep()  # whatever went wrong, the counts before it are good
        raise
    keep()
    return tally
