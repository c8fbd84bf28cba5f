"""What `learned@1` makes: the tricks of the learned player beside double dummy.

The same deals, declarers and dummies twice: solved double dummy, and played out by the strategy
`learned@1` in all four chairs, each of which sees only what it may see (`training.real_play`).
Every strain is played in a contract at the level that the forecast expects from declarer's and
dummy's hands, and the forecast's expected tricks are also what contracts are grouped by: grouping
by the double-dummy result would compare deals that turned out lucky with how they turn out on
average.

The package has the result (`real_play.json`, written by `benchmarks/play_differences.py`), with one
declarer per deal, so that the deals of a row are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import PERCENT, TRICKS
from tribridge.lab.studies import drawing
from tribridge.lab.studies.study import Figure, Study, stored


@dataclass(frozen=True, slots=True)
class Summary:
    """Tricks played beside double dummy, over some contracts."""

    contracts: int
    double_dummy: Annotated[float, TRICKS]
    played: Annotated[float, TRICKS]
    gap: Annotated[Interval, "played - double dummy", TRICKS]
    sd: Annotated[float, TRICKS]
    shares: Annotated[tuple[float, float, float], "% more", "% equal", "% fewer", PERCENT]


@dataclass(frozen=True, slots=True)
class InStrain:
    """Tricks played and double dummy, by strain.

    {note} The interval of all suits is for four contracts per deal that depend on each other
    completely.
    """

    contract: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class AtLevel:
    """Tricks played and double dummy, by expected tricks.

    {note}
    """

    contract: str
    expected: Annotated[int, "expected tricks"]
    summary: Summary


@dataclass(frozen=True, slots=True)
class WithFit:
    """Tricks played and double dummy, by fit.

    {note} Fit: trumps in both hands; in any suit the interval is the widest possible.
    """

    contract: str
    fit: str
    expected: Annotated[int | None, "expected tricks"]
    summary: Summary


@dataclass(frozen=True, slots=True)
class Result:
    """Played tricks beside double dummy, by strain, level and fit."""

    source: str
    strains: Annotated[tuple[InStrain, ...], "real-play-strains"]
    levels: Annotated[tuple[AtLevel, ...], "real-play-levels"]
    fits: Annotated[tuple[WithFit, ...], "real-play-fits"]

    @property
    def note(self) -> str:
        """The deals, and what is expected of them."""
        return (
            f"{self.source}; expected tricks are those of the double-dummy forecast from 26 cards."
        )


def draw(result: Result) -> drawing.Drawing:
    """Tricks played minus double dummy, by level and fit.

    Above 0 `learned@1` takes more tricks than double dummy allows, below 0 fewer: by the tricks
    that declarer's and dummy's hands promise (left) and by the number of trumps (right).
    """
    figure, panels = drawing.new_figure(11.4, 4.2, 2, sharey=True)
    for contract, look, shift in (
        ("notrump", (drawing.NAVY, "o"), 0.0),
        ("longest suit", (drawing.ORANGE, "s"), 0.08),
    ):
        levels = [row for row in result.levels if row.contract == contract]
        places = [row.expected + shift for row in levels]
        drawing.plot_spans(
            panels[0], places, [row.summary.gap for row in levels], look, label=contract
        )
    names = [row.fit for row in result.fits if row.contract == "any suit"]
    for at, (label, contract, expected, look) in enumerate(
        (
            ("any suit", "any suit", None, (drawing.GREY, "D")),
            ("longest suit, 8 tricks expected", "longest suit", 8, (drawing.BLUE, "s")),
            ("longest suit, 10 tricks expected", "longest suit", 10, (drawing.RED, "^")),
        )
    ):
        fits = [r for r in result.fits if (r.contract, r.expected) == (contract, expected)]
        places = [names.index(row.fit) + 0.08 * at for row in fits]
        drawing.plot_spans(panels[1], places, [row.summary.gap for row in fits], look, label=label)
    panels[1].set_xticks(range(len(names)), [name.replace(" or ", "\nor ") for name in names])
    expected_label = "tricks expected from declarer's and dummy's hands"
    drawing.name_axes(
        panels[0], "By expected tricks", expected_label, "tricks: played - double dummy"
    )
    drawing.name_axes(panels[1], "By fit", "trumps in declarer's and dummy's hands")
    for axes in panels:
        axes.axhline(0, color="black", linewidth=1)
        axes.legend()
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="real-play",
    title="What the player learned@1 makes",
    order=90,
    run=lambda size, seed, runner: stored("real_play", Result),
    figures=(Figure("real-play", "real-play-levels", draw),),
)
