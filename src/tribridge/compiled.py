"""Numba's `njit`, also for machines where compiled functions cannot be kept on disk.

Numba keeps a compiled function beside its source or in the user's cache folder. Where it can write
to neither (a package that another user installed, a home that is read-only), it refuses to compile;
here such a function is compiled again in every process instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[F], F]:
    """Compile a function with Numba's options; keep it on disk where that is possible."""

    def compiled(function: F) -> F:
        try:
            return cast(F, numba.njit(**options)(function))
        except RuntimeError:  # Numba says only that it "cannot cache function"
            return cast(F, numba.njit(**(options | {"cache": False}))(function))

    return compiled
