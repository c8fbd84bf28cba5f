"""The figure of a player's progress: settlement points per deal over time, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Final

from tribridge.history.summary import Block

WIDTH: Final = 640
HEIGHT: Final = 240
_LEFT: Final = 52
_RIGHT: Final = 12
_TOP: Final = 12
_BOTTOM: Final = 34
_STEPS: Final = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)
_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Point:
    """A block of deals in the figure."""

    x: float
    y: float
    low: float
    high: float
    """The ends of the interval, as heights in the figure; both at `y` without an interval."""
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """What the figure draws, in its own units."""

    width: int
    height: int
    left: int
    right: int
    points: tuple[Point, ...]
    grid: tuple[tuple[float, str], ...]
    """Heights with their labels."""
    zero: float


def chart(blocks: Sequence[Block]) -> Chart | None:
    """The figure of blocks of deals; None if fewer than two were scored."""
    known = [block for block in blocks if block.settlement.deals]
    values = [block.settlement for block in known]
    if len(values) < 2:
        return None
    ends = [x for v in values for x in (v.estimate, v.low, v.high) if isfinite(x)]
    step = next((s for s in _STEPS if (max(*ends, 0) - min(*ends, 0)) / s <= _LINES), _STEPS[-1])
    low, high = floor(min(*ends, 0) / step) * step, ceil(max(*ends, 0) / step) * step
    span = (high - low) or step

    def height(value: float) -> float:
        inside = min(max(value, low), high)
        return round(_TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - (inside - low) / span), 1)

    width = (WIDTH - _LEFT - _RIGHT) / len(known)
    points = tuple(
        Point(
            round(_LEFT + width * (at + 0.5), 1),
            height(value.estimate),
            height(value.low if isfinite(value.low) else value.estimate),
            height(value.high if isfinite(value.high) else value.estimate),
            f"{block.first}–{block.last}",
        )
        for at, (block, value) in enumerate(zip(known, values, strict=True))
    )
    grid = tuple((height(y), f"{y:+d}" if y else "0") for y in range(low, high + 1, step))
    return Chart(WIDTH, HEIGHT, _LEFT, WIDTH - _RIGHT, points, grid, height(0))
