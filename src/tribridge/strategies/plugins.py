"""Strategies of other packages, through the entry point group `tribridge.strategies`.

A package names its callers and players in its `pyproject.toml`, and whoever installs it can use
them by name on the command line, in the arena and at the table:

    [project.entry-points."tribridge.strategies"]
    stingy = "tribridge_stingy:Stingy"

An entry point that cannot be loaded is left out and logged as one warning line; the others are
loaded all the same. `examples/plugin` is a complete package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

GROUP: Final = "tribridge.strategies"

_LOG: Final = logging.getLogger("tribridge.strategies")


def load(register: Callable[[Any], None]) -> None:
    """Load every entry point of the group and give what it names to `register`."""
    for point in sorted(entry_points(group=GROUP), key=lambda one: (_package(one), one.name)):
        try:
            register(point.load())
        except Exception as error:  # whatever a foreign module does when it is imported
            reason = " ".join(str(error).split()) or "no message"
            if not isinstance(error, ValueError):
                reason = f"{type(error).__name__}: {reason}"
            _LOG.warning(
                "tribridge: the strategy %r of the package %s was left out: %s",
                point.name, _package(point), reason,
            )  # fmt: skip


def _package(point: EntryPoint) -> str:
    return "?" if point.dist is None else f"{point.dist.name} {point.dist.version}"
