"""Values made on first use and kept: made once, however many threads ask at the same time.

`functools.cache` remembers results but lets two threads compute the same one: both see that it is
missing, both compute it, and one result is dropped. Which one to use:

- `functools.cache` and `cached_property` for pure functions: computing a value twice costs time and
  gives two equal values, either of which will do;
- `once` where making it twice would be wrong (initialising a library, compiling a kernel, an object
  compared by identity or changed later) or expensive (seconds, or megabytes).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A function that keeps its results by arguments; created by `once`."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._results: dict[Hashable, T] = {}
        self._lock = RLock()  # reentrant: making a result may need another one
        update_wrapper(self, make)

    def __call__(self, *arguments: Hashable, **named: Hashable) -> T:
        key = arguments, tuple(sorted(named.items()))
        try:
            return self._results[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self._results:
                self._results[key] = self._make(*arguments, **named)
            return self._results[key]

    def cache_clear(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()


def once(make: Callable[..., T]) -> Once[T]:
    """Keep a function's results; other threads wait while one is being computed.

    A failure is not kept: the next caller tries again.

    >>> @once
    ... def table(size: int) -> list[int]:
    ...     print("making")
    ...     return list(range(size))
    >>> table(3) is table(3)
    making
    True
    """
    return Once(make)
