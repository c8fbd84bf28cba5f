"""Numba's `njit`, also for machines where compiled functions cannot be cached on disk.

Numba caches a compiled function next to its source or in the user's cache folder. Where it can
write to neither (a package that another user installed, a home that is read-only), it refuses to
compile; here such a function is recompiled in every process instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[F], F]:
    """Compile a function with Numba's options; cache it on disk if possible."""

    def compiled(function: F) -> F:
        try:
            return cast(F, numba.njit(**options)(function))
        except RuntimeError:  # Numba says only that it "cannot cache function"
            return cast(F, numba.njit(**(options | {"cache": False}))(function))

    return compiled
