"""Where jobs run: on this machine's threads or worker processes, or on a Dask cluster.

A job gives a result for any range of numbers. The range is cut into pieces, which a backend runs in
any order; the results depend on the pieces alone, not on where they were computed.
"""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tribridge import __version__
from tribridge.errors import SettingError

Range = tuple[int, int]
"""Numbers from the first up to, not including, the second."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Job(Protocol[T_co]):
    """Something to be done for ranges of deals, here or in another process."""

    def count(self, piece: Range) -> T_co:
        """What a range of deals gives."""
        ...


@dataclass(frozen=True, slots=True)
class Cores:
    """Threads of this process; the kernels release the interpreter while they run."""

    threads: int = 0
    piece: int = 1 << 20

    def __post_init__(self) -> None:
        if self.threads < 0:
            raise SettingError(f"{self.threads} threads cannot work: 1 or more, or 0 for all cores")

    def count(
        self, work: Job[T], pieces: Iterator[Range]
    ) -> Generator[tuple[Range, T], None, None]:
        work.count((0, 0))  # compiled once, before the threads ask for it together
        threads = self.threads or cores()
        with ThreadPoolExecutor(threads) as pool:
            yield from _window(lambda piece: pool.submit(work.count, piece), pieces, threads + 1)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _window(
    submit: Callable[[Range], Future[T]], pieces: Iterator[Range], width: int
) -> Generator[tuple[Range, T], None, None]:
    """Keep a few pieces under way, and no queue that would have to be waited for at a stop."""
    running: dict[Future[T], Range] = {}
    try:
        while True:
            while len(running) < width and (piece := next(pieces, None)) is not None:
                running[submit(piece)] = piece
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            future.cancel()


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes of this machine, for work that stands one thread in a process only."""

    processes: int = 0
    piece: int = 1 << 16

    def __post_init__(self) -> None:
        if self.processes < 0:
            raise SettingError(
                f"{self.processes} processes cannot work: 1 or more, or 0 for all cores"
            )

    def count(
        self, work: Job[T], pieces: Iterator[Range]
    ) -> Generator[tuple[Range, T], None, None]:
        processes = self.processes or cores()
        with worker_pool(processes) as pool:
            yield from _window(lambda piece: pool.submit(work.count, piece), pieces, processes + 1)


@contextmanager
def worker_pool(processes: int = 0) -> Iterator[ProcessPoolExecutor]:
    """Worker processes, started fresh; they end with this process, however it ends."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes or cores(), context, _start_worker)
    try:
        yield pool
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process ended before its work was done: was it killed, or out of memory?"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it: a killed parent cannot say goodbye."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster, by the address of its scheduler.

    A piece is added when its result has arrived here, once; what a lost worker had not delivered is
    counted again elsewhere.
    """

    address: str
    piece: int = 1 << 24
    timeout: float = 10.0

    def count(
        self, work: Job[T], pieces: Iterator[Range]
    ) -> Generator[tuple[Range, T], None, None]:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ModuleNotFoundError:
            raise SettingError(
                "a cluster needs Dask: install it with pip install 'tribridge[cluster]'"
            ) from None
        with _quiet(), self._client(distributed) as client:
            try:
                yield from self._count(client, distributed, work, pieces)
            except OSError as error:
                raise ClusterError(
                    f"the cluster at {self.address} was lost: {_first_line(error)}"
                ) from None

    def _client(self, distributed: Any) -> Any:
        try:
            # An address that cannot be one is refused here: a client would only time out on it.
            distributed.comm.get_address_host_port(
                distributed.comm.normalize_address(self.address), strict=True
            )
            client = distributed.Client(self.address, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(
                f"the cluster at {self.address} does not answer ({_first_line(error)}): "
                "is its scheduler running there?"
            ) from None
        try:
            client.wait_for_workers(1, timeout=self.timeout)
        except TimeoutError:
            client.close()
            raise ClusterError(f"the cluster at {self.address} has no workers") from None
        return client

    def _count(
        self, client: Any, distributed: Any, work: Job[T], pieces: Iterator[Range]
    ) -> Generator[tuple[Range, T], None, None]:
        running: dict[str, Range] = {}
        done = distributed.as_completed(loop=client.loop)

        def submit() -> None:
            width = 2 * max(sum(client.nthreads().values()), 1)
            while len(running) < width and (piece := next(pieces, None)) is not None:
                # Never taken from the scheduler's memory of an earlier run: nothing to be stale.
                future = client.submit(_on_worker, work, piece, pure=False, retries=3)
                running[future.key] = piece
                done.add(future)

        submit()
        while running:
            future = next(done)
            try:
                version, counts = future.result()
            except Exception as error:
                first, end = running[future.key]
                raise ClusterError(
                    f"the cluster at {self.address} did not count deals {first} to {end - 1}: "
                    f"{_first_line(error)}"
                ) from None
            if version != __version__:
                raise ClusterError(
                    f"a worker of {self.address} runs version {version}, this is {__version__}"
                )
            yield running.pop(future.key), counts
            submit()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from printing tracebacks of what is told in one line here."""
    names = (
        "distributed",
        *(f"distributed.{part}" for part in ("client", "comm", "core", "utils")),
    )
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class WorkerError(SettingError):
    """A process of this machine that did not finish its work."""


class ClusterError(SettingError):
    """A cluster that does not answer, or that cannot do what was asked."""


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _on_worker(work: Job[T], piece: Range) -> tuple[str, T]:
    return __version__, work.count(piece)
