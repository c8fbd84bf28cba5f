"""How studies get their simulations: a backend, a folder to keep runs, a progress callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tribridge import parallel
from tribridge.capture.simulation import counts
from tribridge.capture.simulation.tables import Counts
from tribridge.dealer import check_deals
from tribridge.errors import TribridgeError


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs simulations on a backend; with a folder, runs are saved there and resumed."""

    backend: parallel.Backend[Counts] = field(default_factory=parallel.Cores)
    folder: Path | None = None
    progress: Callable[[int], None] = lambda deals: None
    """Called with the number of deals done since the last call."""

    def tally(self, work: counts.Work, deals: int) -> counts.Tally:
        """The counts of the first `deals` deals of some work."""
        wanted = check_deals(0, deals)
        path = None if self.folder is None else self.folder / f"{_name(work)}.json"
        tally = counts.Tally.empty(work)
        if path is not None and path.exists():
            tally = _kept(path, work, wanted) or tally
        told = 0

        def tell(done: int) -> None:
            nonlocal told
            self.progress(done - told)
            told = done

        tell(tally.deals)
        return counts.run(tally, wanted, self.backend, path=path, progress=tell)


def _name(work: counts.Work) -> str:
    return "-".join(str(part) for part in (work.study, work.reading, work.seed) if part is not None)


def _kept(path: Path, work: counts.Work, wanted: parallel.Range) -> counts.Tally | None:
    """The saved counts of an earlier run, if they are part of what is needed now."""
    try:
        tally = counts.load(path)
    except TribridgeError:
        return None  # of another version, or not a tally: recount and overwrite it
    fits = tally.work == work and all(stop <= wanted[1] for _, stop in tally.ranges)
    return tally if fits else None
