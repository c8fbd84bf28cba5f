"""Drawing the figures of a report, and running its longest study, while other studies run.

Drawing takes about as long as the quick studies. A worker process draws the figures of a study as
soon as it is finished; its start, mostly imports, is hidden behind the first studies. Before the
first figure it runs the studies that are declared to run beside the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from importlib import import_module
from typing import Final

from tribridge.parallel import Cores, cores, worker_pool
from tribridge.report.drawing import KINDS, drawn
from tribridge.studies.runner import Runner
from tribridge.studies.suite import STUDIES
from tribridge.studies.tables import Study

_WORTH_PROCESSES: Final = 4
"""With this many figures it pays to draw them in a process."""
_MOST: Final = 2
"""More processes would take cores from the studies."""

Files = dict[str, bytes]


class Artist:
    """Draws the figures of studies, in the order in which it is given them."""

    def __init__(self, pool: Executor | None = None, kinds: Sequence[str] = KINDS) -> None:
        self.kinds = tuple(kinds)
        self._pool = pool
        self._figures: dict[str, Study | Future[Files]] = {}

    def draw(self, study: Study) -> None:
        """Draw the figures of a study, in the background where there is a pool."""
        for figure in STUDIES[study.name].figures:
            self._figures[figure.name] = (
                study
                if self._pool is None
                else self._pool.submit(draw_figure, figure.name, study, self.kinds)
            )

    def run(self, name: str, size: object, seed: int, threads: int) -> Future[Study] | None:
        """Run a study in the background; None where there is no pool."""
        if self._pool is None:
            return None
        return self._pool.submit(_run_study, name, size, seed, max(1, (threads or cores()) // 2))

    def rest(self) -> None:
        """Wait until nothing is being drawn: for a study that measures time."""
        wait([one for one in self._figures.values() if isinstance(one, Future)])

    def finished(self) -> Iterator[tuple[str, Files]]:
        """Every figure with its files."""
        for name, figure in self._figures.items():
            if isinstance(figure, Future):
                yield name, figure.result()
            else:
                yield name, draw_figure(name, figure, self.kinds)


def _run_study(name: str, size: object, seed: int, threads: int) -> Study:
    return STUDIES[name].run(size, seed, Runner(Cores(threads)))


def draw_figure(name: str, study: Study, kinds: Sequence[str]) -> Files:
    """One figure as files of some kinds."""
    from tribridge.report.figures import DRAWINGS

    return drawn(lambda: DRAWINGS[name](study), kinds)


@contextmanager
def artist(names: Sequence[str], threads: int, kinds: Sequence[str]) -> Iterator[Artist]:
    """An artist for these studies, with worker processes where they pay (threads 0: all cores)."""
    figures = sum(len(STUDIES[name].figures) for name in names)
    if (threads or cores()) == 1 or figures < _WORTH_PROCESSES:
        yield Artist(kinds=kinds)
        return
    with worker_pool(max(1, min(_MOST, (threads or cores()) - 1))) as pool:
        pool.submit(_prepare)
        yield Artist(pool, kinds)


def _prepare() -> None:
    """In a worker: import what drawing needs, before there is anything to draw."""
    import_module("matplotlib.pyplot")
    import_module("tribridge.report.figures")
