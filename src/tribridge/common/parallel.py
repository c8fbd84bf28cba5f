"""Running jobs: in this process, on its threads, in worker processes or on a Dask cluster.

A job gives a result for any range of numbers. A backend runs pieces of the range in any order; the
results depend on the pieces alone, not on where they were computed. `run` does the
missing parts of a range in chunks that can be saved one by one, so a stopped run can be resumed.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import platform
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_any
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tribridge import __version__
from tribridge.common.errors import RunError, SettingError, first_line, need

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Range = tuple[int, int]
"""Numbers from the first up to, not including, the second."""

_WIDTH = 256
"""Pieces that a cluster has at a time: enough for workers that join later."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Results = Generator[tuple[Range, T], None, None]
"""Pieces and their results, in the order in which they are finished."""


class Job(Protocol[T_co]):
    """Something to do for ranges of numbers, here or in another process."""

    def run(self, piece: Range) -> T_co:
        """The result for a range."""
        ...


class Backend(Protocol[T]):
    """A place where jobs run."""

    @property
    def piece(self) -> int:
        """The length of a piece: long enough to be worth sending, short enough to stop soon."""
        ...

    def run(self, job: Job[T], pieces: Iterator[Range]) -> Results[T]:
        """Run pieces, in any order; when closed, leave nothing running."""
        ...


def run(
    job: Job[T],
    backend: Backend[T],
    done: Iterable[Range],
    wanted: Range,
    *,
    chunk: int = 0,
    on_piece: Callable[[Range], None] = lambda piece: None,
) -> Generator[tuple[Range, list[T]], None, None]:
    """Run the missing parts of a range; yield each chunk with its results once it is complete.

    `done` holds the ranges that need not be run, as in `missing`. Chunks end at the multiples of
    `chunk` (0: the backend's piece); a chunk longer than a piece is run in several, and its results
    come in order. `on_piece` is called for each piece as it arrives.
    """
    waiting: dict[Range, dict[Range, T]] = {}
    chunk_of: dict[Range, Range] = {}

    def pieces() -> Iterator[Range]:
        for whole in chunks(missing(done, wanted), chunk or backend.piece):
            waiting[whole] = {}
            start, stop = whole
            for at in range(start, stop, backend.piece):
                piece = at, min(at + backend.piece, stop)
                chunk_of[piece] = whole
                yield piece

    with closing(backend.run(job, pieces())) as results:
        for piece, result in results:
            on_piece(piece)
            whole = chunk_of.pop(piece)
            parts = waiting[whole]
            parts[piece] = result
            if total(parts) == total([whole]):
                del waiting[whole]
                yield whole, [parts[piece] for piece in sorted(parts)]


def missing(done: Iterable[Range], wanted: Range) -> Iterator[Range]:
    """The parts of a range that are not in any of the disjoint ranges `done`, given in order.

    Examples:
        >>> list(missing([(0, 3), (5, 6)], (2, 9)))
        [(3, 5), (6, 9)]
    """
    at, end = wanted
    for start, stop in done:
        if at < min(start, end):
            yield at, min(start, end)
        at = max(at, stop)
    if at < end:
        yield at, end


def chunks(ranges: Iterable[Range], size: int) -> Iterator[Range]:
    """Ranges cut at the multiples of a size.

    Examples:
        >>> list(chunks([(3, 12)], 5))
        [(3, 5), (5, 10), (10, 12)]
    """
    for start, stop in ranges:
        at = start
        while at < stop:
            end = min(stop, at - at % size + size)
            yield at, end
            at = end


def total(ranges: Iterable[Range]) -> int:
    """How many numbers some disjoint ranges hold."""
    return sum(stop - start for start, stop in ranges)


@dataclass(frozen=True, slots=True)
class InProcess:
    """The thread of the caller, one piece after the other."""

    piece: int = 1 << 16

    def run(self, job: Job[T], pieces: Iterator[Range]) -> Results[T]:
        for piece in pieces:
            yield piece, job.run(piece)


@dataclass(frozen=True, slots=True)
class Cores:
    """Threads of this process, for jobs that release the interpreter while they run."""

    threads: int = 0
    piece: int = 1 << 20

    def __post_init__(self) -> None:
        _check_count("threads", self.threads)

    def run(self, job: Job[T], pieces: Iterator[Range]) -> Results[T]:
        job.run((0, 0))  # compiled once, before the threads ask for it together
        threads = self.threads or cores()
        with ThreadPoolExecutor(threads) as pool:
            yield from _window(lambda piece: pool.submit(job.run, piece), pieces, threads + 1)


def _check_count(of: str, number: int) -> None:
    if number < 0:
        raise SettingError(f"the number of {of} must be 0 (all cores) or more, not {number}")


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _window(
    submit: Callable[[Range], Future[T]], pieces: Iterator[Range], width: int
) -> Results[T]:
    """Keep a few pieces running, without a queue that would delay a stop."""
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
    """Worker processes on this machine, for jobs that hold the interpreter lock."""

    processes: int = 0
    piece: int = 1 << 16

    def __post_init__(self) -> None:
        _check_count("processes", self.processes)

    def run(self, job: Job[T], pieces: Iterator[Range]) -> Results[T]:
        processes, packed = self.processes or cores(), _packed(job)
        with _pool(processes) as pool:
            yield from _window(
                lambda piece: pool.submit(_run_packed, packed, piece), pieces, processes + 1
            )


def _packed(job: Job[T]) -> bytes:
    """A job as it is sent to other processes."""
    try:
        return pickle.dumps(job)
    except Exception as error:  # whatever the objects in it raise
        raise _unsendable(error) from None


def _run_packed(packed: bytes, piece: Range) -> Any:
    """Run a job in a worker process; read here, so that a class that is missing is an error."""
    try:
        job: Job[Any] = pickle.loads(packed)
    except Exception as error:
        raise _unsendable(error) from None
    return job.run(piece)


def _unsendable(error: Exception) -> SettingError:
    return SettingError(
        f"this cannot be sent to other processes ({first_line(error)}): use one process, or "
        "objects of classes in a module that they can import"
    )


_kept: ContextVar[tuple[int, ProcessPoolExecutor] | None] = ContextVar("kept", default=None)


@contextmanager
def keep_workers(processes: int = 0) -> Iterator[None]:
    """Keep so many worker processes from one run of `Processes` to the next, until this ends.

    A worker takes seconds to start, most of them imports, which is longer than many a short run.
    """
    with worker_pool(processes) as pool:  # which starts them when they are first needed
        before = _kept.set((processes or cores(), pool))
        try:
            yield
        finally:
            _kept.reset(before)


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """The pool of `keep_workers`, or one for this run alone."""
    shared = _kept.get()
    if shared is not None and shared[0] == processes:
        yield shared[1]
    else:
        with worker_pool(processes) as pool:
            yield pool


@contextmanager
def worker_pool(processes: int = 0) -> Iterator[ProcessPoolExecutor]:
    """Worker processes, started fresh; they end with this process, however it ends.

    If this is left by an exception, such as Ctrl-C, what they are doing is abandoned.
    """
    context = multiprocessing.get_context("spawn")
    told, tell = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes or cores(), context, follow_parent, (told,))
    try:
        yield pool
    except BaseException as error:
        tell.close()
        if isinstance(error, BrokenProcessPool):
            raise WorkerError(
                "a worker process ended before its work was done: was it killed, or out of memory?"
            ) from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        tell.close()
        told.close()


def follow_parent(told: Connection | None = None) -> None:
    """In a worker process: leave Ctrl-C to the parent, and end when it ends, even if killed.

    It also ends, in the middle of its work, when the parent closes its end of the pipe `told`.
    Matrices are multiplied in one thread: there are as many processes as cores, and the threads of
    a small product spend most of their time waiting for each other.
    """
    import numpy  # noqa: F401 -- only a library that is loaded can be limited
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait_any([parent.sentinel, *([told] if told is not None else [])])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster, by the address of its scheduler.

    A piece is done once its result has arrived here; whatever a lost worker had not delivered is
    run again elsewhere.
    """

    address: str
    piece: int = 1 << 24
    timeout: float = 10.0

    def run(self, job: Job[T], pieces: Iterator[Range]) -> Results[T]:
        with _quiet(), self._client(need("distributed")) as client:
            # Not pure: never answered from the scheduler's memory of an earlier run.
            pool = client.get_executor(pure=False, retries=3)
            results = _window(lambda piece: pool.submit(_on_worker, job, piece), pieces, _WIDTH)
            try:
                for piece, (version, result) in results:
                    if version != __version__:
                        raise RunError(f"a worker runs version {version}, not {__version__}")
                    yield piece, result
            except Exception as error:
                raise ClusterError(
                    f"the cluster at {self.address} failed: {first_line(error)}"
                ) from None

    def _client(self, distributed: Any) -> Any:
        try:
            # Reject a malformed address here: a client would only time out on it.
            distributed.comm.get_address_host_port(
                distributed.comm.normalize_address(self.address), strict=True
            )
            client = distributed.Client(self.address, timeout=self.timeout, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(
                f"the cluster at {self.address} does not answer ({first_line(error)}): "
                "is its scheduler running there?"
            ) from None
        try:
            client.wait_for_workers(1, timeout=self.timeout)
        except TimeoutError:
            client.close()
            raise ClusterError(f"the cluster at {self.address} has no workers") from None
        return client


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from printing tracebacks of errors that are reported in one line here."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def backend(
    processes: int = 0, cluster: str | None = None, *, pieces: tuple[int, int] = (1 << 16, 1 << 24)
) -> Processes | Cluster:
    """Worker processes (0: one a core), or a cluster by its address; not both.

    `pieces` are the sizes of the pieces of work for processes and for a cluster.
    """
    if cluster is None:
        return Processes(processes, piece=pieces[0])
    if processes:
        raise SettingError("--processes and --cluster cannot be combined")
    return Cluster(cluster, piece=pieces[1])


class WorkerError(RunError):
    """A worker process of this machine that ended before its work was done."""


class ClusterError(RunError):
    """A cluster that does not answer, or that cannot do what was asked."""


def _on_worker(job: Job[T], piece: Range) -> tuple[str, T]:
    return __version__, job.run(piece)
