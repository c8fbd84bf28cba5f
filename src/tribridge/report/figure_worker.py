"""Drawing the figures of a report, and running its longest study, while other studies run.

Drawing takes about as long as the quick studies. A worker process draws the figures of a study as
soon as it is finished; its start, mostly imports, is hidden behind the first studies. Before the
first figure it runs the studies that are declared to run beside the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, Final

from tribridge.parallel import Cores, cores, worker_pool
from tribridge.studies.drawing import KINDS, drawn
from tribridge.studies.study import Outcome, Runner
from tribridge.studies.suite import STUDIES

_WORTH_PROCESSES: Final = 4
"""With this many figures it pays to draw them in a process."""
_MOST: Final = 2
"""More processes would take cores from the studies."""

Files = dict[str, bytes]


class FigureWorker:
    """Draws the figures of studies, in the order in which it is given them."""

    def __init__(self, pool: Executor | None = None, kinds: Sequence[str] = KINDS) -> None:
        self.kinds = tuple(kinds)
        self._pool = pool
        self._figures: dict[str, Callable[[], Files]] = {}
        self._going: list[Future[Files]] = []

    def draw(self, outcome: Outcome[Any]) -> None:
        """Draw the figures of a study, in the background where there is a pool."""
        for figure in outcome.study.figures:
            wanted = outcome.study.name, figure.name, outcome.result, self.kinds
            if self._pool is None:
                self._figures[figure.name] = partial(draw_figure, *wanted)
            else:
                self._going.append(self._pool.submit(draw_figure, *wanted))
                self._figures[figure.name] = self._going[-1].result

    def run(self, name: str, size: object, seed: int, threads: int) -> Future[Any] | None:
        """Run a study in the background; None where there is no pool."""
        if self._pool is None:
            return None
        return self._pool.submit(_run_study, name, size, seed, max(1, (threads or cores()) // 2))

    def rest(self) -> None:
        """Wait until nothing is being drawn: for a study that measures time."""
        wait(self._going)

    def finished(self) -> Iterator[tuple[str, Files]]:
        """Every figure with its files."""
        for name, files in self._figures.items():
            yield name, files()


def _run_study(name: str, size: object, seed: int, threads: int) -> object:
    return STUDIES[name].run(size, seed, Runner(Cores(threads)))


def draw_figure(study: str, name: str, result: object, kinds: Sequence[str]) -> Files:
    """One figure as files of some kinds."""
    figure = next(figure for figure in STUDIES[study].figures if figure.name == name)
    return drawn(lambda: figure.draw(result), kinds)


@contextmanager
def figure_worker(
    names: Sequence[str], threads: int, kinds: Sequence[str]
) -> Iterator[FigureWorker]:
    """A worker for these studies, with processes where they pay (threads 0: all cores)."""
    figures = sum(len(STUDIES[name].figures) for name in names)
    if (threads or cores()) == 1 or figures < _WORTH_PROCESSES:
        yield FigureWorker(kinds=kinds)
        return
    with worker_pool(max(1, min(_MOST, (threads or cores()) - 1))) as pool:
        pool.submit(import_module, "matplotlib.pyplot")  # before there is anything to draw
        yield FigureWorker(pool, kinds)
