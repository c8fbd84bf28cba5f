"""What stands between the captures of Algorithm 2 and tricks, removed one obstacle at a time.

Algorithm 2 promises too many tricks (study `truth`). Here some of those declarers play under rules
that take away what the algorithm leaves out: the opening lead, suits that defenders run (stops),
entries, and defenders who see all cards. What a removal is worth depends on what was removed
before; so each stands alone, in one order one after another, and as the mean over all orders
(Shapley's value). Pairs of hands that Conditions A and B reject get no captures: what that costs is
counted on all labelled deals. The package has the result (`obstacles.json`, written by
`benchmarks/obstacles.py`); `obstacles.plan.toml` was written before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, TRICKS
from tribridge.lab.studies import drawing
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Study, planned

LEAD: Final = "lead"
STOPS: Final = "stops"
ENTRIES: Final = "entries"
DEFENCE: Final = "defence"
WORDS: Final = {
    LEAD: "the opening lead",
    STOPS: "suits that defenders run",
    ENTRIES: "entries",
    DEFENCE: "defenders who see all cards",
}


@dataclass(frozen=True, slots=True)
class Removed:
    """What each obstacle costs.

    {note} Tricks that declarer gains when it is removed: from the rules of bridge alone; after
    those above it; on average over all orders of the three. The defence is removed alone: networks
    that know the easier rules do not exist. 95% intervals over deals, Holm's correction over the
    table.
    """

    obstacle: str
    alone: Annotated[Interval, "alone", "alone from", "alone to", TRICKS]
    then: Annotated[Interval | None, "after those above", "after from", "after to", TRICKS]
    mean: Annotated[Interval | None, "mean over orders", "mean from", "mean to", TRICKS]
    p: Annotated[float, "p (alone)", P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Left:
    """Captures less tricks, as obstacles go.

    {note} Error: the mean distance between captures and tricks.
    """

    removed: str
    tricks: Annotated[float, TRICKS]
    bias: Annotated[Interval, "captures less tricks", "less from", "less to", TRICKS]
    error: Annotated[Interval, "absolute error", "error from", "error to", TRICKS]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Pairs of hands that the conditions reject.

    {rejected_note} Said: 0 for a rejected pair, as the algorithm says, or the mean tricks of such
    pairs on the training deals of seed 7.
    """

    declarers: str
    count: int
    share: Annotated[float, "%", replace(PERCENT, digits=1)]
    tricks: Annotated[float, "mean tricks", TRICKS]
    bias: Annotated[Interval, "said less tricks", "less from", "less to", TRICKS]
    error: Annotated[Interval, "absolute error", "error from", "error to", TRICKS]


@dataclass(frozen=True, slots=True)
class Judged:
    """A number of the plan's hypotheses."""

    id: str
    tricks: Interval
    p: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """The bias of Algorithm 2, obstacle by obstacle."""

    plan: str
    note: str
    rejected_note: str
    removed: Annotated[tuple[Removed, ...], "obstacles-removed"]
    left: Annotated[tuple[Left, ...], "obstacles-left"]
    rejected: Annotated[tuple[Rejected, ...], "obstacles-rejected"]
    judged: tuple[Judged, ...]


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by hypothesis."""
    return {row.id: Answer(row.tricks, row.p) for row in result.judged}


def draw(result: Result) -> drawing.Drawing:
    """From captures to tricks, one obstacle after another.

    Left: captures less tricks, and what is left of that as obstacles go, one after another. Right:
    what each removal gains alone (circles) and on average over all orders (squares), with 95%
    intervals over deals.
    """
    figure, (steps, each) = drawing.new_figure(10.4, 4.2, 2, width_ratios=(3, 2), sharey=False)
    rows = result.left
    names = ["Algorithm 2\nas it is", *(f"without\n{WORDS[r.removed.split('+')[-1]]}"
                                       for r in rows[1:])]  # fmt: skip
    before = 0.0
    for at, row in enumerate(rows):
        bias = row.bias.estimate
        colour = drawing.NAVY if at == 0 else drawing.ORANGE if bias < before else drawing.GREY
        steps.bar(at, bias - before, bottom=before, color=colour, width=0.6)
        change = f"{bias:+.2f}" if at == 0 else f"{bias - before:+.2f}"
        steps.annotate(change, (at, max(bias, before)), (0, 4), textcoords="offset points",
                       ha="center", fontsize=9)  # fmt: skip
        if at:
            steps.plot([at - 0.7, at + 0.3], [before, before], color=drawing.GREY, linewidth=1)
        before = bias
    steps.bar(len(rows), before, color=drawing.BLUE, width=0.6)
    drawing.write(steps, f"{before:+.2f}", len(rows), max(before, 0.0), up=4)
    steps.axhline(0, color="black", linewidth=1)
    labels = [name.replace("suits that defenders", "suits that\ndefenders") for name in names]
    steps.set_xticks(range(len(rows) + 1), [*labels, "what is\nleft"], fontsize=8)
    low, high = steps.get_ylim()
    steps.set_ylim(min(low, 1.2 * low), 1.12 * high)
    drawing.name_axes(steps, "One after another", "", "captures less tricks")
    for at, removed in enumerate(result.removed):
        once = {"label": "alone"} if at == 0 else {}
        drawing.plot_spans(each, [at - 0.1], [removed.alone], (drawing.BLUE, "o"), line="", **once)
        if removed.mean is not None:
            once = {"label": "mean over orders"} if at == 0 else {}
            look = drawing.ORANGE, "s"
            drawing.plot_spans(each, [at + 0.1], [removed.mean], look, line="", **once)
    each.legend()
    shown = [WORDS[row.obstacle] for row in result.removed]
    wrapped = {
        WORDS[LEAD]: "opening\nlead",
        WORDS[STOPS]: "suits that\ndefenders run",
        WORDS[DEFENCE]: "defenders who\nsee all cards",
    }
    each.set_xticks(range(len(shown)), [wrapped.get(name, name) for name in shown], fontsize=8)
    each.set_xlim(-0.5, len(shown) - 0.5)
    each.axhline(0, color="black", linewidth=1)
    drawing.name_axes(each, "Each alone, and over all orders", "", "tricks gained")
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="obstacles",
    title="What stands between captures and tricks",
    order=75,
    run=lambda size, seed, runner: planned("obstacles", Result, plan_of("obstacles")),
    plan=plan_of("obstacles"),
    answers=answers,
    figures=(Figure("obstacles", "obstacles-removed", draw),),
)
