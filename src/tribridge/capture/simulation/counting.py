"""Counting the deals of a study that are still missing, on any backend.

The range is cut into pieces, a backend counts the pieces in any order, and their tables of integers
add up: the total depends on the range alone, not on where it was counted or how it was cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tribridge.capture.readings import parse_reading
from tribridge.capture.simulation.counts import Tally, Work, save
from tribridge.capture.simulation.tables import Counts
from tribridge.errors import SettingError
from tribridge.parallel import Range

Results = Generator[tuple[Range, Counts], None, None]

_SAVE_SECONDS: Final = 5.0


class Backend(Protocol):
    """A place where pieces are counted."""

    @property
    def piece(self) -> int:
        """Deals in a piece: long enough to be worth sending, short enough to stop soon."""
        ...

    def count(self, work: Work, pieces: Iterator[Range]) -> Results:
        """Count pieces, in any order; when closed, leave nothing running."""
        ...


@dataclass(frozen=True, slots=True)
class Gpu:
    """The first CUDA device of this machine, through CuPy."""

    piece: int = 1 << 32

    def count(self, work: Work, pieces: Iterator[Range]) -> Results:
        from tribridge.capture.simulation import gpu

        counter = gpu.counter(work.study, parse_reading(work.reading or "natural"))
        for start, stop in pieces:
            yield (start, stop), counter(work.seed, start, stop - start)


class UnwritableError(SettingError):
    """A file that the counts cannot be saved to."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C in the middle of a run; what was counted until then is in `tally`."""

    def __init__(self, tally: Tally) -> None:
        super().__init__("interrupted")
        self.tally = tally


def _pieces(ranges: Sequence[Range], size: int) -> Iterator[Range]:
    for start, stop in ranges:
        for at in range(start, stop, size):
            yield at, min(at + size, stop)


def run(
    tally: Tally,
    wanted: Range,
    backend: Backend,
    *,
    path: Path | None = None,
    progress: Callable[[int], None] = lambda deals: None,
) -> Tally:
    """Count what a range still misses, and save it to `path` now and then and at the end.

    `progress` is told how many deals of the tally are done. Ctrl-C ends the run with `Stopped`,
    after saving; a file that cannot be written ends it too.
    """
    missing = list(tally.missing(wanted))
    pieces = _pieces(missing, backend.piece)
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

    keep()  # a place that cannot be written is known before hours of counting
    results = backend.count(tally.work, pieces)
    try:
        for piece, counts in results:
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
        keep()  # whatever went wrong, what was counted before it is good
        raise
    finally:
        results.close()
    keep()
    return tally


def prepare(work: Work, notice: Callable[[], None]) -> None:
    """Load the compiled kernel of a study; call `notice` once if it has to be compiled first."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc, unused-ignore]
        said = False

        def on_start(self, event: object) -> None:
            if not self.said:
                self.said = True
                notice()

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        work.count((0, 0))
