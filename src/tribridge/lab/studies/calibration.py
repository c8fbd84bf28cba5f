"""Calibration of beliefs by how a table scores, and by how high the bidding went.

The section on Bayesian estimation follows games of single deals. Here beliefs are those of the
table (`beliefs.table_beliefs`) at the end of auctions under every scheme and every set of laws:
with the model of calls as it is, and with the trust in calls that was fitted to auctions on other
deals (`beliefs.trust`). The package has the result (`calibration.json`, written by
`benchmarks/calibration.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import BITS, PERCENT
from tribridge.lab.studies.drawing import (
    BLUE,
    ORANGE,
    Drawing,
    Look,
    name_axes,
    new_figure,
    plot_spans,
)
from tribridge.lab.studies.study import Figure, Study, stored

AS_IS: Final = "as it is"
CALIBRATED: Final = "calibrated"
_LOOKS: Final[dict[str, Look]] = {AS_IS: (ORANGE, "^"), CALIBRATED: (BLUE, "s")}
_COLUMNS: Final = 4


@dataclass(frozen=True, slots=True)
class Scoring:
    """Calibration of beliefs by scheme and laws.

    {source}. When the auction is over, each of the three players has a chance for every unseen card
    to be in either hidden hand. Bits saved: compared with giving both hands one half, mean over the
    unseen cards, 95% interval from resampling deals. Off: distance between the chance and how often
    such a card is held, over tenths of the chance, mean by answers. The trust in calls was fitted
    to auctions of `learned` on other deals.
    """

    scoring: str
    caller: Annotated[str, "three of"]
    model: str
    games: int
    saved: Annotated[Interval, "bits a card saved", "saved from", "saved to", BITS]
    off: Annotated[float, "off, points", PERCENT]
    mean: Annotated[float, "given 80 to 90%: mean, %", PERCENT]
    holds: Annotated[Interval, "held, %", "held from", "held to", PERCENT]


@dataclass(frozen=True, slots=True)
class Held:
    """Calibration of beliefs by scheme and chance.

    {source}. How often a hand holds a card, by the chance it was given. Intervals treat the answers
    on a deal as one observation.
    """

    scoring: str
    caller: Annotated[str, "three of"]
    model: str
    least: Annotated[float, "chance from"]
    answers: int
    mean: Annotated[float, "mean chance, %", PERCENT]
    holds: Annotated[Interval, "holds, %", PERCENT]


@dataclass(frozen=True, slots=True)
class Level:
    """Calibration of beliefs by scheme and level of the contract.

    {source}. Trust: the power to which the chances of calls are raised. Levels with few contracts
    are left out.
    """

    scoring: str
    caller: Annotated[str, "three of"]
    model: str
    level: int
    games: int
    trust: float
    off: Annotated[float, "off, points", PERCENT]
    mean: Annotated[float, "given 80 to 90%: mean, %", PERCENT]
    holds: Annotated[Interval, "held, %", PERCENT]


@dataclass(frozen=True, slots=True)
class Result:
    """How often cards are where the beliefs of a table have them."""

    source: str
    scorings: Annotated[tuple[Scoring, ...], "calibration-schemes"]
    held: Annotated[tuple[Held, ...], "calibration-chances"]
    levels: Annotated[tuple[Level, ...], "calibration-levels"]


def draw(result: Result) -> Drawing:
    """Calibration of beliefs under each scheme and each set of laws.

    How often a hand held a card, by the chance that it was given when the auction was over, with
    95% intervals; three players of `learned` bid. On the diagonal the chances are right.
    """
    rows = [row for row in result.held if row.caller == result.held[0].caller]
    names = list(dict.fromkeys(row.scoring for row in rows))
    lines = -(-len(names) // _COLUMNS)
    figure, grid = new_figure(11.4, 3.1 * lines, _COLUMNS, lines, sharex=True, sharey=True)
    panels = list(grid.flat)
    for axes, name in zip(panels, names, strict=False):
        axes.plot([0, 100], [0, 100], "--", color="black", linewidth=1)
        for model, look in _LOOKS.items():
            mine = [row for row in rows if (row.scoring, row.model) == (name, model)]
            spans = [row.holds for row in mine]
            places = [row.mean for row in mine]
            plot_spans(axes, places, spans, look, label=model, markersize=4.5, linewidth=1)
        name_axes(axes, name)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    for axes in panels[: len(names)][-_COLUMNS:]:
        axes.set_xlabel("chance given, %")
    for axes in panels[::_COLUMNS]:
        axes.set_ylabel("card held, %")
    panels[0].legend(loc="upper left", fontsize=8.5)
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="calibration",
    title="Calibration of beliefs at the table",
    order=112,
    run=lambda size, seed, runner: stored("calibration", Result),
    figures=(Figure("calibration", "calibration-schemes", draw),),
)
