"""Things made on first use: once in each process, whichever threads ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tribridge.common.once import once


def test_threads_that_ask_at_once_get_the_same_one() -> None:
    made = []
    barrier = threading.Barrier(8)

    @once
    def slow(name: str) -> object:
        made.append(name)
        time.sleep(0.05)
        return object()

    results: list[object] = []

    def ask() -> None:
        barrier.wait()
        results.append(slow("a"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a"]
    assert len(results) == 8
    assert len(set(results)) == 1
    assert slow("b") is not results[0]
    slow.cache_clear()
    assert slow("a") is not results[0]


def test_what_fails_is_tried_again_and_one_may_need_another() -> None:
    attempts: Iterator[int | Exception] = iter([ValueError("not yet"), 5])

    @once
    def fragile() -> int:
        attempt = next(attempts)
        if isinstance(attempt, Exception):
            raise attempt
        return attempt

    @once
    def factorial(n: int) -> int:
        return n * factorial(n - 1) if n else 1

    with pytest.raises(ValueError, match="not yet"):
        fragile()
    assert fragile() == fragile() == 5
    assert factorial(6) == 720


def test_arguments_may_be_named() -> None:
    made: list[tuple[int, int]] = []

    @once
    def pair(first: int, second: int = 0) -> tuple[int, int]:
        made.append((first, second))
        return first, second

    assert pair(1, second=2) is pair(1, second=2)
    assert pair(1) == (1, 0)
    assert made == [(1, 2), (1, 0)]
