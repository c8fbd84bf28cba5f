"""Rules that a person can use: a bidding card of a few lines, and what bidding by it costs.

The paper wants rules that people can explain. Here is a card of sums of small whole numbers
(`strategies.callers.card`), fitted and chosen on training deals. On other deals it bids beside the
paper's Algorithm 1, `points`, `forecast` and `learned`, each in the same seats against the same two
others, and the player `learned@1` plays every contract. Larger and smaller cards say what each line
of it is worth. The package has the result (`card.json`, written by `benchmarks/bidding_card.py`);
`card.plan.toml` was written before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, POINTS
from tribridge.lab.studies import drawing
from tribridge.lab.studies.claims import FAILS, HOLDS, UNDECIDED, Claim, claim
from tribridge.lab.studies.plans import BORNE_OUT, CONTRADICTED, Answer, judge, plan_of
from tribridge.lab.studies.study import Figure, Study, planned

LEARNED: Final = "learned"
PAPER: Final = "capture"
CARD: Final = "card"
CARD_OF: Final = "card: "
"""Before the name of a smaller or larger card."""


@dataclass(frozen=True, slots=True)
class Line:
    """The bidding card.

    Three points are a trick. Fitted on {fit:,} deals of seed {fit_seed}, and chosen on as many of
    seed {choice_seed} as the smallest card within one standard error of the best.
    """

    line: Annotated[str, "the card"]


@dataclass(frozen=True, slots=True)
class Scored:
    """Bidders in the same seats.

    {note} Points a deal over the average opponent, without doubles. 95% intervals and paired tests
    over deals, Holm's correction over the table.
    """

    scheme: str
    others: Annotated[str, "two others"]
    bidder: Annotated[str, "one"]
    deals: int
    points: Annotated[Interval, "points", "points from", "points to", POINTS]
    lost: Annotated[Interval | None, "less learned's", "less from", "less to", POINTS]
    """Its points less those of `learned` on the same deals."""
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


@dataclass(frozen=True, slots=True)
class Sized:
    """Size against strength.

    Numbers that a bidder consists of (of `learned` and `forecast` the weights of their networks),
    and points a deal less those of `learned`, under `auction` against two `learned`. The cards of
    the family have the points for a bid that were fitted.
    """

    bidder: str
    numbers: int
    points: Annotated[Interval, "points less learned's", "less from", "less to", POINTS]


@dataclass(frozen=True, slots=True)
class Judged:
    """A number of the plan's hypotheses."""

    id: str
    points: Interval
    p: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """The card, and what bidding by it costs."""

    plan: str
    note: str
    """The deals, the bidders and the player, in words."""
    fit: int
    fit_seed: int
    choice_seed: int
    card: Annotated[tuple[Line, ...], "card-lines"]
    scores: Annotated[tuple[Scored, ...], "card-scores"]
    sizes: Annotated[tuple[Sized, ...], "card-sizes"]
    judged: tuple[Judged, ...]

    def lost(self, bidder: str, others: str = LEARNED, scheme: str = "auction") -> Interval:
        """What a bidder scores less than `learned`."""
        row = next(row for row in self.scores
                   if (row.bidder, row.others, row.scheme) == (bidder, others, scheme))  # fmt: skip
        assert row.lost is not None
        return row.lost


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by hypothesis."""
    return {row.id: Answer(row.points, row.p) for row in result.judged}


def claims(result: Result) -> list[Claim]:
    """The paper's wish for rules that people can explain."""
    found, plan = answers(result), plan_of("card")
    outcomes = judge(plan, found)
    verdict = {BORNE_OUT: HOLDS, CONTRADICTED: FAILS, UNDECIDED: UNDECIDED}
    way, contract = found["most-of-the-way"].span, found["contract"].span
    return [
        claim(
            "card.explainable",
            verdict[outcomes["most-of-the-way"]],
            lines=len(result.card),
            over=found["over-paper"].span.estimate,
            most=way.estimate,
            low=way.low,
            high=way.high,
            near=outcomes["near-learned"],
            contract=-contract.estimate,
            beside="clearly" if 0 not in contract else "which may be chance",
        )
    ]


_NAMES: Final = {CARD: "the card", PAPER: "Algorithm 1"}


def draw(result: Result) -> drawing.Drawing:
    """How much a bidder must know, and how strong it is.

    Points a deal less those of `learned`, with 95% intervals over deals. Above, bidders that
    consist of few numbers; below, networks. Diamonds: smaller and larger cards than the one chosen.
    """
    figure, axes = drawing.new_figure(6.6, 4.4)
    names = []
    for place, row in enumerate(result.sizes):
        family = row.bidder.startswith(CARD_OF)
        colour, marker = (drawing.GREY, "D") if family else (drawing.ORANGE, "s")
        if row.bidder == CARD:
            colour, marker = drawing.BLUE, "o"
        name = row.bidder.removeprefix(CARD_OF)
        names.append(f"{_NAMES.get(name, name)}: {row.numbers:,}")
        axes.errorbar(
            [row.points.estimate],
            [place],
            xerr=drawing.error_bars([row.points]),
            fmt=marker,
            color=colour,
            capsize=3,
        )
    axes.axvline(0, color="black", linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    drawing.name_axes(axes, "", "points a deal less learned's", "numbers that it consists of")
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="card",
    title="Rules that a person can use",
    order=135,
    run=lambda size, seed, runner: planned("card", Result, plan_of("card")),
    plan=plan_of("card"),
    answers=answers,
    claims=claims,
    figures=(Figure("card", "card-sizes", draw),),
)
