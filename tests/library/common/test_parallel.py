"""Jobs: what is missing is run, in whole chunks, on any backend, and nothing is left running."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from tribridge.common import parallel
from tribridge.common.errors import SettingError
from tribridge.common.parallel import (
    Backend,
    Cores,
    InProcess,
    Job,
    Processes,
    Range,
    Results,
    worker_pool,
)


@dataclass(frozen=True)
class Squares:
    """The squares of a range of numbers."""

    def run(self, piece: Range) -> list[int]:
        return [number * number for number in range(*piece)]


class Backwards:
    """A backend that finishes the last piece first."""

    piece = 2

    def run(self, job: Job[list[int]], pieces: Iterator[Range]) -> Results[list[int]]:
        for piece in reversed(list(pieces)):
            yield piece, job.run(piece)


@dataclass(frozen=True)
class Slow:
    """The first number at once; the others take a while and then leave a file."""

    mark: Path

    def run(self, piece: Range) -> None:
        if piece != (0, 1):
            time.sleep(20)
            self.mark.touch()


def numbers(ranges: list[Range]) -> list[int]:
    return [number for start, stop in ranges for number in range(start, stop)]


disjoint = st.lists(st.integers(0, 60), unique=True, max_size=12).map(
    lambda edges: list(zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False))
)


@given(disjoint, st.integers(0, 60), st.integers(0, 60), st.integers(1, 9))
def test_missing_chunks_are_all_numbers_that_are_not_done(
    done: list[Range], start: int, stop: int, size: int
) -> None:
    pieces = list(parallel.chunks(parallel.missing(done, (start, stop)), size))
    assert numbers(pieces) == sorted(set(range(start, stop)) - set(numbers(done)))
    assert all(first // size == (end - 1) // size for first, end in pieces)
    assert parallel.total(pieces) == len(numbers(pieces))


@pytest.mark.parametrize(
    "backend",
    [InProcess(), InProcess(2), Cores(2, 3), Processes(2, 4), Backwards()],
    ids=lambda backend: type(backend).__name__,
)
def test_any_backend_gives_whole_chunks_with_their_results_in_order(
    backend: Backend[list[int]],
) -> None:
    arrived: list[Range] = []
    with closing(
        parallel.run(Squares(), backend, [(4, 7)], (1, 18), chunk=5, on_piece=arrived.append)
    ) as results:
        found = {chunk: [one for part in parts for one in part] for chunk, parts in results}
    assert sorted(found) == [(1, 4), (7, 10), (10, 15), (15, 18)]
    assert all(squares == Squares().run(chunk) for chunk, squares in found.items())
    assert sorted(numbers(arrived)) == numbers(sorted(found))


def test_a_run_that_is_closed_leaves_no_worker_behind() -> None:
    before = set(multiprocessing.active_children())
    with closing(parallel.run(Squares(), Processes(1, 1), (), (0, 100))) as results:
        next(results)
        assert set(multiprocessing.active_children()) - before
    assert not set(multiprocessing.active_children()) - before


def test_a_run_that_is_closed_does_not_wait_for_what_its_workers_are_doing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with closing(parallel.run(Slow(mark), Processes(1, 1), (), (0, 100))) as results:
        next(results)
    assert not mark.exists()


def test_numbers_of_workers_below_zero_are_refused() -> None:
    with pytest.raises(SettingError, match=r"threads .* -1"):
        Cores(-1)
    with pytest.raises(SettingError, match=r"processes .* -1"):
        Processes(-1)


def test_workers_are_kept_from_run_to_run_and_end_with_the_block() -> None:
    before = {child.pid for child in multiprocessing.active_children()}

    def workers() -> set[int | None]:
        return {child.pid for child in multiprocessing.active_children()} - before

    with parallel.keep_workers(1):
        seen = []
        for _ in range(2):
            pieces = sorted(parallel.run(Squares(), Processes(1, 4), [], (0, 8)))
            assert [square for _, parts in pieces for part in parts for square in part] == [
                number * number for number in range(8)
            ]
            seen.append(workers())
        assert seen[0] == seen[1]
        assert len(seen[0]) == 1
    assert not workers()


def _blas_threads(_: object) -> set[int]:
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


def test_workers_multiply_matrices_in_one_thread() -> None:
    with worker_pool(1) as pool:
        assert pool.submit(_blas_threads, None).result() == {1}
