"""Grids of cases: a part of each in `make test`, the whole in `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], every: int = 4) -> list[Any]:
    """The cases, of which `make test` runs every fourth, or every so many, from the first on."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for at, case in enumerate(cases)
        for marks in ([pytest.mark.full] if at % every else [],)
    ]
