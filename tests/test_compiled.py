"""Compiled functions where nothing can be kept on disk."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from tribridge.compiled import njit


def test_a_function_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, Any] = {}
    exec("def double(n): return 2 * n", names)  # a function of no file: there is no place for it
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(names["double"])
    assert njit(cache=True)(names["double"])(4) == 8
