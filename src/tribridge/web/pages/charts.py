"""The figures of the pages as coordinates of an SVG, which one macro draws."""

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
        """The height of a value."""
        share = (value - self.low) / ((self.high - self.low) or 1)
        return round(self.height - self.bottom - share * (self.height - self.top - self.bottom), 1)

    def across(self, value: float) -> tuple[float, float, float, float]:
        """The ends of a line through the whole figure."""
        return self.left, self.y(value), self.width - self.right, self.y(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What is drawn in a frame; names are classes of the style sheet."""

    plot: Plot
    levels: dict[float, str]
    """Horizontal lines by height, with their labels."""
    rules: tuple[tuple[str, tuple[float, float, float, float]], ...]
    """Other straight lines: class and ends."""
    lines: dict[str, Sequence[Point]]
    dots: tuple[tuple[str, Point], ...]
    labels: tuple[tuple[float, str], ...] = ()
    """Below the figure: position and text."""


def _step(span: float, lines: int) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that divides a span into few parts."""
    steps = (factor * 10.0**power for power in count() for factor in (1, 2, 5))
    return next(step for step in steps if span / step <= lines)


def progress_chart(blocks: Sequence[Block]) -> Chart | None:
    """A player's points per deal over time; None if fewer than two blocks were scored."""
    known = [block for block in blocks if block.settlement.deals]
    if len(known) < 2:
        return None
    means = [block.settlement for block in known]
    ends = [x for mean in means for x in (mean.estimate, mean.low, mean.high) if isfinite(x)]
    low, high = min(*ends, 0.0), max(*ends, 0.0)
    step = _step(high - low, 6)
    first, last = floor(low / step), ceil(high / step)
    plot = Plot(640, 240, 52, 12, 12, 34, first * step, last * step)
    at = [plot.x((number + 0.5) / len(known)) for number in range(len(known))]
    points = [(x, plot.y(mean.estimate)) for x, mean in zip(at, means, strict=True)]
    whiskers = (
        ("whisker", (x, plot.y(mean.low), x, plot.y(mean.high)))
        for x, mean in zip(at, means, strict=True)
        if isfinite(mean.low) and isfinite(mean.high)
    )
    return Chart(
        plot=plot,
        levels={plot.y(n * step): f"{n * step:+g}" if n else "0" for n in range(first, last + 1)},
        rules=(("zero", plot.across(0.0)), *whiskers),
        lines={"exact": points},
        dots=tuple(("", point) for point in points),
        labels=tuple((x, f"{b.first}–{b.last}") for x, b in zip(at, known, strict=True)),
    )


def review_chart(cards: Sequence[Played], done: Finished, needed: int | None, step: int) -> Chart:
    """Declarer's tricks before each card of a deal; lines stop where the analysis has got to."""
    known = [card for card in cards if card.before is not None]
    heights = [float(card.before or 0) for card in known]
    heights += [card.expected for card in known if card.expected is not None]
    heights += [float(done.outcome.tricks)] + ([] if needed is None else [float(needed)])
    low, high = int(min(heights)), int(max(heights) + 0.999)
    low, high = max(0, low - (high - low < 2)), high + (high - low < 2)
    plot = Plot(624, 170, 26, 0, 10, 18, low, high)

    def x(number: float) -> float:
        return plot.x((number - 0.5) / max(len(cards), 1))

    def expected(declaring: bool) -> list[Point]:
        return [
            (x(card.number), plot.y(card.expected))
            for card in known
            if card.expected is not None and card.chair.declaring is declaring
        ]

    exact = [(x(card.number), plot.y(card.before or 0)) for card in known]
    if known and len(known) == len(cards) and not done.claimed:
        exact.append((float(plot.width), plot.y(done.outcome.tricks)))
    steps = [point for (_, y0), (px, py) in pairwise(exact) for point in ((px, y0), (px, py))]
    here = x(step) if step else float(plot.left)
    goal = () if needed is None else (("goal", plot.across(needed)),)
    return Chart(
        plot=plot,
        levels={plot.y(tricks): f"{tricks}" for tricks in range(low, high + 1)},
        rules=(*goal, ("here", (here, 0, here, plot.height - plot.bottom))),
        lines={
            "defenders": expected(False),
            "fair": expected(True),
            "exact": (*exact[:1], *steps),
        },
        dots=tuple(
            (card.verdict.sign, (x(card.number), plot.y(card.before or 0)))
            for card in known
            if card.verdict is not None and card.verdict.mark
        ),
    )
