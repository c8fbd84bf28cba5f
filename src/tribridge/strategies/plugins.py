"""Strategies from other packages, through the entry point group `tribridge.strategies`.

A package declares its callers and players in its `pyproject.toml`, and whoever installs it can use
them by name on the command line, in the arena and at the table:

    [project.entry-points."tribridge.strategies"]
    stingy = "tribridge_stingy:Stingy"

An entry point that cannot be loaded is skipped with a one-line warning; the others are still
loaded. `examples/plugin` is a complete package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

GROUP: Final = "tribridge.strategies"

_LOG: Final = logging.getLogger("tribridge.strategies")


def load(register: Callable[[Any], None]) -> None:
    """Load every entry point of the group and pass it to `register`."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: (_package(point), point.name)):
        try:
            register(point.load())
        except Exception as error:  # importing a third-party module may raise anything
            reason = " ".join(str(error).split()) or "no message"
            if not isinstance(error, ValueError):
                reason = f"{type(error).__name__}: {reason}"
            _LOG.warning(
                "tribridge: the strategy %r of the package %s was left out: %s",
                point.name, _package(point), reason,
            )  # fmt: skip


def _package(point: EntryPoint) -> str:
    return "?" if point.dist is None else f"{point.dist.name} {point.dist.version}"
