"""Counting the deals of a study that are still missing, on any backend.

The range is cut into pieces, a backend counts the pieces in any order, and their tables of integers
add up: the total depends on the range alone, not on where it was counted or how it was cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tribridge import parallel
from tribridge.capture.readings import parse_reading
from tribridge.capture.simulation.counts import Tally, Work, save
from tribridge.capture.simulation.tables import Counts
from tribridge.errors import RunError, SettingError
from tribridge.parallel import Backend, Job, Range, Results

_SAVE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Gpu:
    """The first CUDA device of this machine, through CuPy."""

    piece: int = 1 << 32

    def run(self, job: Job[Counts], pieces: Iterator[Range]) -> Results[Counts]:
        if not isinstance(job, Work):
            raise SettingError(f"a GPU only runs simulations, not {type(job).__name__}")
        from tribridge.capture.simulation import gpu

        counter = gpu.counter(job.study, parse_reading(job.reading or "natural"))
        for start, stop in pieces:
            yield (start, stop), counter(job.seed, start, stop - start)


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
    try:
        with closing(parallel.run(tally.work, backend, tally.ranges, wanted)) as results:
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


def prepare(work: Work, notice: Callable[[], None]) -> None:
    """Load the compiled kernel of a study; call `notice` once if it has to be compiled first."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc, unused-ignore]
        noticed = False

        def on_start(self, event: object) -> None:
            if not self.noticed:
                self.noticed = True
                notice()

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        work.run((0, 0))
