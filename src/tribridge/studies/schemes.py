"""The scoring schemes that the studies compare, under the names that stand in their tables."""

from __future__ import annotations

from functools import cache

from tribridge.game.scoring import Scheme, find_scheme

NAMES = ("auction", "old", "new")


@cache
def compared_schemes() -> dict[str, Scheme]:
    """Trick points by the laws of auction bridge, and our readings of the paper's two schemes."""
    return {name: find_scheme(name) for name in NAMES}
