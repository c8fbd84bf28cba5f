"""Numba's `njit`, also for machines without Numba or where it cannot cache on disk.

Numba caches a compiled function next to its source or in the user's cache folder. Where it can
write to neither (a package that another user installed, a home that is read-only), it refuses to
compile; here such a function is recompiled in every process instead. Without Numba, a compiled
function raises an error that says how to install it.

Compiling takes seconds, once on each machine: a terminal and a notebook say so (`waiting`), and a
little work need not wait for it: see `quickest`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar, cast

from tribridge.common.errors import installed, missing
from tribridge.common.once import once
from tribridge.common.waiting import PATIENCE, Waiting

F = TypeVar("F", bound=Callable[..., Any])

FEW_STEPS: Final = 20_000
"""Steps of a loop that Python takes in a fraction of the time that compiling the loop does."""


_taken: Final[Counter[Callable[..., Any]]] = Counter()
"""The steps of each function that may have been taken in Python."""


def njit(**options: Any) -> Callable[[F], F]:
    """Compile a function with Numba's options; cache it on disk if possible."""

    def compiled(function: F) -> F:
        if not installed("numba"):

            def refuse(*_: object) -> None:
                raise missing("numba")

            refuse.py_func = function  # type: ignore[attr-defined]
            return cast(F, refuse)
        import numba

        _announce()
        try:
            return cast(F, numba.njit(**options)(function))
        except RuntimeError:  # Numba says only that it "cannot cache function"
            return cast(F, numba.njit(**(options | {"cache": False}))(function))

    return compiled


def ready(function: Callable[..., Any]) -> bool:
    """Whether a compiled function has been compiled before, here or on this machine."""
    if not hasattr(function, "signatures"):  # there is no Numba
        return False
    if function.signatures:
        return True
    python = function.py_func  # type: ignore[attr-defined]
    name = f"*{python.__qualname__}-{python.__code__.co_firstlineno}.*.nbi"
    folder = function.stats.cache_path  # type: ignore[attr-defined]
    return folder is not None and any(Path(folder).glob(name))


def quickest(function: F, steps: int) -> F:
    """A compiled function, or the one in Python for its first few steps in this process."""
    _taken[function] += steps
    if _taken[function] > FEW_STEPS or ready(function):
        return function
    return cast(F, function.py_func)  # type: ignore[attr-defined]


@once
def _announce() -> None:
    """From now on, say that functions are being compiled if that takes more than a moment."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc, unused-ignore]
        depth, spent, lock = 0, 0.0, Lock()

        def on_start(self, event: object) -> None:
            with self.lock:
                self.depth += 1
                if self.depth == 1:
                    self.begin = time.monotonic()
                    patience = max(0.0, PATIENCE - self.spent)
                    self.line = Waiting("compiling, once on this machine", patience)
                    self.line.__enter__()

        def on_end(self, event: object) -> None:
            with self.lock:
                self.depth -= 1
                if self.depth == 0:
                    self.spent += time.monotonic() - self.begin
                    self.line.__exit__()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call, unused-ignore]


def intrinsic(function: Any) -> Any:
    """A function of compiled code that is written as the compiler's instructions."""
    if not installed("numba"):
        return function
    from numba.extending import intrinsic

    return intrinsic(function)


@contextmanager
def threads_at_most(number: int) -> Iterator[None]:
    """Lets loops over `prange` run on no more threads: those without work would wait in circles."""
    if not installed("numba"):
        yield
        return
    from numba import get_num_threads, set_num_threads

    before = get_num_threads()
    set_num_threads(max(1, min(number, before)))
    try:
        yield
    finally:
        set_num_threads(before)


def __getattr__(name: str) -> Any:
    """`prange`, Numba's range for loops that run on all threads."""
    if name != "prange":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not installed("numba"):
        return range
    from numba import prange

    return prange
