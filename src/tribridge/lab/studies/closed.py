"""What an open dummy is worth on the full deck: contracts played by a search that need not see it.

The rules show dummy to everybody before the lead. No network has learned to play without it, but a
search on sampled layouts only draws more cards. The same contracts are played with dummy open,
closed for the opening lead alone, as at ordinary bridge, and closed throughout, by the same search
in all chairs (`studies.closed_play`). The package has the result (`closed.json`, written by
`benchmarks/closed.py` under `closed.plan.toml`); a run plays its first contracts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, POINTS, TRICKS
from tribridge.lab.studies.drawing import (
    BLUE,
    ORANGE,
    Drawing,
    name_axes,
    new_figure,
    plot_spans,
    write,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned

PLAN: Final = plan_of("closed")
SCHEME: Final = "contract"
WHOLE: Final = "closed less open"
LEAD: Final = "closed for the lead, less open"
LATER: Final = "closed, less closed for the lead"
_FINE: Final = replace(TRICKS, digits=2)
_POINTS: Final = replace(POINTS, digits=1)
_SHARE: Final = replace(PERCENT, digits=1)


@dataclass(frozen=True, slots=True)
class Way:
    """The same contracts with dummy open and closed.

    {source}. Mean level {level:.1f}. Points are declarer's settlement points under `contract`.
    """

    dummy: str
    contracts: int
    tricks: Annotated[float, "declarer's tricks", _FINE]
    made: Annotated[float, "% made", _SHARE]
    points: Annotated[float, "declarer's points", _POINTS]


@dataclass(frozen=True, slots=True)
class Gap:
    """What a closed dummy gains declarer, and when.

    Paired over contracts, 95% intervals, Holm's correction over the table. The two parts add up to
    the whole. Nobody's calls or cards are read: layouts are drawn evenly among those that fit.
    Declarer plays as if everybody saw all cards, and so makes nothing of what the defenders do not
    know; defenders do not look for cards that tell each other something.
    """

    part: str
    tricks: Annotated[Interval, "tricks", _FINE]
    points: Annotated[Interval, "points", "points from", "points to", POINTS]
    contracts: Annotated[str, "in"]
    count: Annotated[int, "contracts"]
    p: Annotated[float, "p, tricks", P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Blind:
    """What leads cost that are chosen without seeing dummy.

    Declarer's tricks double dummy after the lead, more than after the best lead. If a larger number
    of layouts closed the gap, it would be noise of the search.
    """

    layouts: int
    leads: int
    seen: Annotated[Interval, "dummy seen", "seen from", "seen to", _FINE]
    unseen: Annotated[Interval, "not seen", "not seen from", "not seen to", _FINE]
    more: Annotated[Interval, "not seen, less seen", _FINE]
    other: Annotated[float, "% another lead", _SHARE]


@dataclass(frozen=True, slots=True)
class Sample:
    """A contract as it was played, for a report to play again."""

    number: int
    bidder: int
    bid: int
    """Its number."""
    tricks: tuple[int, ...]
    """Dummy open, closed for the lead, closed."""


@dataclass(frozen=True, slots=True)
class Again:
    """The first contracts of this study, played again for this report."""

    contracts: int
    same: Annotated[int, "same tricks in all three ways"]


@dataclass(frozen=True, slots=True)
class Tested:
    """A number that a hypothesis is about."""

    id: str
    span: Interval
    p: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """What an open dummy is worth."""

    plan: str
    source: str
    deviations: str
    level: float
    ways: Annotated[tuple[Way, ...], "closed-ways"]
    gaps: Annotated[tuple[Gap, ...], "closed-gaps"]
    blind: Annotated[tuple[Blind, ...], "closed-leads"]
    tested: tuple[Tested, ...]
    sample: tuple[Sample, ...]
    again: Annotated[tuple[Again, ...], "closed-again"] = ()

    def gap(self, part: str) -> Gap:
        """What a part gains over all contracts."""
        return next(row for row in self.gaps if (row.part, row.contracts) == (part, "all"))


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan."""
    return {row.id: Answer(row.span, row.p) for row in result.tested}


def run(contracts: int, seed: int, runner: Runner) -> Result:
    """The stored result, with its first contracts played again where DDS is installed."""
    from tribridge.double_dummy import dds
    from tribridge.lab.studies.closed_play import DUMMIES, play, start
    from tribridge.lab.training.whole_games import deals

    result = planned("closed", Result, PLAN)
    if not dds.available():
        return result
    rows = result.sample[:contracts]
    hands = deals(PLAN.seeds["games"], 0, max(row.number for row in rows) + 1)
    same = 0
    for row in rows:
        position = start(hands[row.number].tolist(), row.bidder, row.bid)
        ended = play(position, PLAN.sizes["layouts"], PLAN.seeds["games"], row.number)
        same += tuple(ended[way].won for way in DUMMIES) == row.tricks
    return replace(result, again=(Again(len(rows), same),))


def draw(result: Result) -> Drawing:
    """What a closed dummy gains declarer.

    Tricks a deal over the same contracts with dummy open, with 95% intervals: in all, by the lead,
    and by the play after it.
    """
    figure, axes = new_figure(6.2, 3.2)
    parts = {
        WHOLE: "closed\nthroughout",
        LEAD: "of that,\nby the lead",
        LATER: "by the\nlater play",
    }
    for at, part in enumerate(parts):
        span = result.gap(part).tricks
        look = (ORANGE, "s") if part == WHOLE else (BLUE, "o")
        plot_spans(axes, [at], [span], look, line="")
        write(axes, f"{span.estimate:+.2f}", at, span.high, color=look[0], weight="bold")
    axes.axhline(0, color="black", linewidth=1)
    axes.set_xticks(range(len(parts)), list(parts.values()))
    axes.set_xlim(-0.5, len(parts) - 0.5)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -0.05), high + 0.12 * (high - low))
    name_axes(axes, "", "", "tricks a deal for declarer")
    return figure


STUDY: Final[Study[int, Result]] = Study(
    name="closed",
    title="What an open dummy is worth on the full deck",
    order=128,
    run=run,
    paper=3,
    quick=1,
    describe=lambda contracts: {"contracts of the study `closed` played again": contracts},
    figures=(Figure("closed-gaps", "closed-gaps", draw),),
    plan=PLAN,
    answers=answers,
    deviations=lambda result: result.deviations,
)
