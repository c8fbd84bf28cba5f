"""What calls say to a listener who knows the bidders.

The study `calls` scores calls by a model of bidders. Here a listener knows how the others bid: it
has their network, and hands of both that follow the auction (`training.listening`). What simpler
models get out of the same auctions is compared with it, call by call. The package has the result
(`listening.json`, written by `benchmarks/listening_result.py` under `listening.plan.toml`); a run
bids the first of these auctions again and listens to some with fewer hands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import BITS, PERCENT
from tribridge.lab.studies.calls import CALIBRATED, CLOSED, CONTRACT
from tribridge.lab.studies.drawing import (
    BLUE,
    GREY,
    RED,
    Drawing,
    error_bars,
    name_axes,
    new_figure,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned

PREFERRED: Final = "knows the preferred calls"
CHANCES: Final = "takes the chances at their word"
HALF: Final = "knows the preferred calls, half of the hands"
QUARTER: Final = "knows the preferred calls, a quarter of the hands"
MODELS: Final = (PREFERRED, HALF, QUARTER, CHANCES, CALIBRATED, CLOSED)
PLAN: Final = plan_of("listening")
BATCH: Final = 24
"""Deals that are bid and scored at once."""
SAMPLE: Final = 24
"""Auctions that the report can bid again."""
_AGAIN: Final = 512
"""Hands with which it listens to some."""
_BITS: Final = replace(BITS, digits=2)
_SHARE: Final = replace(PERCENT, digits=1)


@dataclass(frozen=True, slots=True)
class Kind:
    """What each kind of call says to whoever knows the bidders, and to the table's model.

    {source}. Bits about the caller's hand, with 95% intervals over deals; to the listener who knows
    the preferred calls also about the third player's hand, the hidden hand and all three. Misleads:
    how often that listener knows less about the caller's hand than before. Kinds heard fewer than
    {frequent} times are left out; a pass is named by the level of the bid it passes.
    """

    scheme: str
    call: str
    heard: int
    caller: Annotated[Interval, "about the caller's hand", _BITS]
    table: Annotated[Interval, "to the table's model", "table from", "table to", _BITS]
    third: Annotated[float, "third player's", _BITS]
    hidden: Annotated[float, "hidden", _BITS]
    whole: Annotated[float, "all three", _BITS]
    misleads: Annotated[float, "% misleading", _SHARE]


@dataclass(frozen=True, slots=True)
class Modelled:
    """What each listener gets out of a whole auction.

    Bits about all hands that a player does not see, of the 61.8 that are missing at the deal, with
    95% intervals over deals; below 0 a listener does better to ignore the calls. The first four
    know the bidders' network. The last two score the same auctions over {layouts} layouts.
    """

    scheme: str
    listener: str
    deals: int
    bits: Annotated[Interval, "bits a view", _BITS]


@dataclass(frozen=True, slots=True)
class Tested:
    """A number that a hypothesis is about."""

    span: Interval
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The first auctions of this study, bid and listened to again for this report.

    A listener with an eighth of the hands hears some of them: the bits of single auctions scatter
    by one or two, and are fewer on average.
    """

    auctions: int
    same: Annotated[int, "same calls"]
    listened: Annotated[int, "listened to"]
    now: Annotated[float, "bits a view now", _BITS]
    then: Annotated[float, "with all hands", _BITS]


@dataclass(frozen=True, slots=True)
class Result:
    """What auctions say to a listener who knows the bidders."""

    plan: str
    source: str
    frequent: int
    layouts: int
    sample: tuple[tuple[int, ...], ...]
    """The calls of the first auctions under `contract`."""
    said: tuple[float, ...]
    """The bits that each of these says to the listener who knows the preferred calls."""
    kinds: Annotated[tuple[Kind, ...], "listening-calls"]
    modelled: Annotated[tuple[Modelled, ...], "listening-models"]
    tested: Mapping[str, Tested]
    """By the hypotheses of the plan."""
    again: Annotated[tuple[Again, ...], "listening-again"] = ()

    def model(self, scheme: str, listener: str) -> Modelled:
        """What a listener gets under a scheme."""
        wanted = scheme, listener
        return next(row for row in self.modelled if (row.scheme, row.listener) == wanted)

    def kinds_of(self, scheme: str) -> list[Kind]:
        """The calls under a scheme, those that say most first."""
        rows = [row for row in self.kinds if row.scheme == scheme]
        return sorted(rows, key=lambda row: -row.caller.estimate)


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan."""
    tested = {each.id for each in PLAN.hypotheses if each.side != "within"}
    return {
        key: Answer(each.span, each.p if key in tested else None)
        for key, each in result.tested.items()
    }


def deviations(result: Result) -> str:
    """What could not be measured, and why."""
    if math.isnan(result.tested["notrump"].span.estimate):
        return "nobody opened one of a suit under `contract`, so that 1NT has nothing beside it."
    return ""


def run(listened: int, seed: int, runner: Runner) -> Result:
    """The stored result, with its first auctions bid again, and some listened to."""
    import numpy as np

    from tribridge.game.scoring import find_scheme
    from tribridge.lab.training.listening import listen
    from tribridge.lab.training.whole_games import Table, deals

    result = planned("listening", Result, PLAN)
    table = Table(find_scheme(CONTRACT))
    hands = deals(PLAN.seeds["calls"], 0, BATCH)[: 4 * listened]
    calls = table.calls(hands)
    now = [tuple(int(call) for call in column if call >= 0) for column in calls.T]
    same = sum(a == b for a, b in zip(now, result.sample, strict=False))
    _, bits = listen(table, hands[:listened], _AGAIN, np.random.default_rng(seed))
    heard = float(bits[:, :, 0, 0, 3].sum(0).mean())
    then = float(np.mean(result.said[:listened]))
    return replace(result, again=(Again(len(hands), same, listened, heard, then),))


def draw(result: Result) -> Drawing:
    """What a call says to whoever knows the bidder.

    Bits about the caller's hand under `contract`, with 95% intervals over deals; diamonds, what
    the table's calibrated model gets out of the same calls. Left of the line calls mislead.
    """
    rows = result.kinds_of(CONTRACT)[::-1]
    figure, axes = new_figure(6.6, 1.1 + 0.3 * len(rows))
    spans = [row.caller for row in rows]
    axes.barh(
        range(len(rows)),
        [span.estimate for span in spans],
        xerr=error_bars(spans),
        color=[BLUE if span.estimate > 0 else RED for span in spans],
        ecolor=GREY,
        height=0.62,
        label="a listener who knows the bidders",
    )
    axes.plot(
        [row.table.estimate for row in rows],
        range(len(rows)),
        "D",
        color="white",
        markeredgecolor="black",
        markersize=5,
        label="the table's model",
    )
    axes.axvline(0, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [row.call for row in rows])
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    axes.legend(loc="lower right")
    name_axes(axes, "", "bits about the caller's hand", "")
    return figure


STUDY: Final[Study[int, Result]] = Study(
    name="listening",
    title="What calls say to a listener who knows the bidders",
    order=118,
    run=run,
    paper=6,
    quick=2,
    describe=lambda listened: {"auctions of the study `listening` heard again": listened},
    figures=(Figure("listening-calls", "listening-calls", draw),),
    plan=PLAN,
    answers=answers,
    deviations=deviations,
)
