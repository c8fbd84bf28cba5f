"""The figures of the pages as coordinates of an SVG: progress, a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from math import ceil, floor, isfinite

from tribridge.history.summary import Block
from tribridge.web.core.state import Finished
from tribridge.web.pages.open_hands import Played

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plot:
    """The frame of a figure, and where a value stands in it."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    """The space below the figure, for labels."""
    low: float
    high: float

    def x(self, share: float) -> float:
        """The position of a share of the width."""
        return round(self.left + (self.width - self.left - self.right) * share, 1)

    def y(self, value: float) -> float:
        """The height of a value; what is outside stands at the edge."""
        inside = min(max(value, self.low), self.high) - self.low
        share = inside / ((self.high - self.low) or 1)
        return round(self.height - self.bottom - share * (self.height - self.top - self.bottom), 1)

    def grid(self, step: float) -> tuple[tuple[float, str], ...]:
        values = [
            round(self.low + at * step, 6) for at in range(round((self.high - self.low) / step) + 1)
        ]
        return tuple((self.y(value), f"{value:+g}" if value else "0") for value in values)


def _step(span: float, lines: int, least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that divides a span into few parts."""
    steps = (least * factor * 10.0**power for power in count() for factor in (1, 2, 5))
    return next(step for step in steps if span / step <= lines)


@dataclass(frozen=True, slots=True)
class Chart:
    """Means with their intervals, and the lines and labels behind them."""

    plot: Plot
    points: tuple[Point, ...]
    ends: tuple[tuple[float, float, float], ...]
    """Of each interval: its position, and the heights of its ends."""
    levels: tuple[tuple[float, str], ...]
    marks: tuple[tuple[float, str], ...]
    zero: float

    @property
    def band(self) -> list[Point]:
        """The outline of all intervals together."""
        below = [(x, low) for x, low, _ in reversed(self.ends)]
        return [(x, high) for x, _, high in self.ends] + below


def progress_chart(blocks: Sequence[Block]) -> Chart | None:
    """A player's points per deal over time; None if fewer than two blocks were scored."""
    known = [(block, block.settlement) for block in blocks if block.settlement.deals]
    if len(known) < 2:
        return None
    ends = [x for _, v in known for x in (v.estimate, v.low, v.high) if isfinite(x)]
    low, high = min(*ends, 0.0), max(*ends, 0.0)
    step = _step(high - low, 6, 1)
    plot = Plot(640, 240, 52, 12, 12, 34, floor(low / step) * step, ceil(high / step) * step)
    at = [plot.x((number + 0.5) / len(known)) for number in range(len(known))]

    def height(end: float, mean: float) -> float:
        return plot.y(end if isfinite(end) else mean)

    return Chart(
        plot,
        tuple((x, plot.y(v.estimate)) for x, (_, v) in zip(at, known, strict=True)),
        tuple(
            (x, height(v.low, v.estimate), height(v.high, v.estimate))
            for x, (_, v) in zip(at, known, strict=True)
        ),
        plot.grid(step),
        tuple((x, f"{b.first}–{b.last}") for x, (b, _) in zip(at, known, strict=True)),
        plot.y(0.0),
    )


@dataclass(frozen=True, slots=True)
class Graph:
    """Declarer's tricks before each card of a deal."""

    plot: Plot
    lines: tuple[tuple[float, int], ...]
    """Height and number of tricks of each horizontal line."""
    needed: float | None
    """The height of the contract."""
    double_dummy: tuple[Point, ...]
    declarer: tuple[Point, ...]
    """What declarer could expect, at each turn of their two hands."""
    defenders: tuple[Point, ...]
    """What the defenders could expect, each at their turn."""
    dots: tuple[tuple[float, float, str], ...]
    """Where cards were wrong or unlucky: position and kind."""
    here: float
    """The position of the current card."""


def review_graph(cards: Sequence[Played], done: Finished, needed: int | None, step: int) -> Graph:
    """The graph over all cards; lines stop where the analysis has got to."""
    known = [card for card in cards if card.before is not None]
    heights = [float(card.before or 0) for card in known]
    heights += [card.expected for card in known if card.expected is not None]
    heights += [float(done.outcome.tricks)] + ([] if needed is None else [float(needed)])
    low, high = int(min(heights)), int(max(heights) + 0.999)
    low, high = max(0, low - (high - low < 2)), high + (high - low < 2)
    plot = Plot(624, 170, 26, 0, 10, 18, low, high)

    def x(number: float) -> float:
        return plot.x((number - 0.5) / max(len(cards), 1))

    def expected(declaring: bool) -> tuple[Point, ...]:
        return tuple(
            (x(card.number), plot.y(card.expected))
            for card in known
            if card.expected is not None and card.chair.declaring is declaring
        )

    exact = [(x(card.number), plot.y(card.before or 0)) for card in known]
    if known and len(known) == len(cards) and not done.claimed:
        exact.append((float(plot.width), plot.y(done.outcome.tricks)))
    steps = [point for (_, y0), (px, py) in pairwise(exact) for point in ((px, y0), (px, py))]
    return Graph(
        plot,
        tuple((plot.y(tricks), tricks) for tricks in range(low, high + 1)),
        None if needed is None else plot.y(needed),
        (*exact[:1], *steps),
        expected(True),
        expected(False),
        tuple(
            (x(card.number), plot.y(card.before or 0), card.verdict.dot)
            for card in known
            if card.verdict is not None and card.verdict.mark
        ),
        x(step) if step else float(plot.left),
    )
