"""Things made on first use and kept: made once, however many threads ask at the same moment.

`functools.cache` remembers results but does not keep two threads from computing the same one: both
see that it is missing, both make it, and one of the two is dropped. Which of the two to use:

- `functools.cache` and `cached_property` for pure functions: to compute a value twice costs time
  and gives two equal values, of which either will do;
- `once` where a second making would be wrong (a library that is initialised, a compiled kernel, an
  object that is compared by identity or that changes) or expensive (seconds, or megabytes).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import RLock
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A function whose results are kept by its arguments; `once` makes one."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._results: dict[Hashable, T] = {}
        self._lock = RLock()  # one that a thread can take twice: a result may need another one
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
    """Keep a function's results, and let the other threads wait while one is being made.

    A making that fails is not kept: the next caller tries again.

    >>> @once
    ... def table(size: int) -> list[int]:
    ...     print("making")
    ...     return list(range(size))
    >>> table(3) is table(3)
    making
    True
    """
    return Once(make)
