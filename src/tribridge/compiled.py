"""Numba's `njit`, also for machines without Numba or where it cannot cache on disk.

Numba caches a compiled function next to its source or in the user's cache folder. Where it can
write to neither (a package that another user installed, a home that is read-only), it refuses to
compile; here such a function is recompiled in every process instead. Without Numba, a compiled
function raises an error that says how to install it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tribridge.errors import installed, missing

F = TypeVar("F", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[F], F]:
    """Compile a function with Numba's options; cache it on disk if possible."""

    def compiled(function: F) -> F:
        if not installed("numba"):
            return cast(F, _missing)
        import numba

        try:
            return cast(F, numba.njit(**options)(function))
        except RuntimeError:  # Numba says only that it "cannot cache function"
            return cast(F, numba.njit(**(options | {"cache": False}))(function))

    return compiled


def intrinsic(function: F) -> F:
    """A function of compiled code that is written as the compiler's instructions."""
    if not installed("numba"):
        return function
    from numba.extending import intrinsic

    return cast(F, intrinsic(function))


def _missing(*_: object) -> None:
    raise missing("numba")


def __getattr__(name: str) -> Any:
    """`prange`, Numba's range for loops that run on all threads."""
    if name != "prange":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not installed("numba"):
        return range
    from numba import prange

    return prange
